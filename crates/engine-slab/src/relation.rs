//! Transition relations on the edges of an abstraction.
//!
//! A relation keeps the conjuncts of its command, for slicing, and also a *normal form*: a guarded
//! assignment to all variables whose right-hand sides may mention inputs. An unassigned next value
//! becomes a new input, and the conjuncts about it become conditions. In this form a weakest
//! precondition is a substitution, and whether a step leads from one node to another is a query
//! over one copy of the variables.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use sectile_base::Span;
use sectile_model::{Command, Model, Update};
use sectile_terms::{Node, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// The index of a relation in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub usize);

/// The origin of a relation, or of a part of a composed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The relation that chooses an initial state.
    Initial,
    /// A command of the system.
    Command(usize),
    /// The idling transition.
    Idle,
}

/// A transition relation.
///
/// Paper: [BrDrFiWe07, Sect. 3]: guards `g_i(V)`, assignments `v' = e_v(V)` and other relations
/// `t_i(V, V')`.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its conjuncts. In names, compositions are joined by `;`, and simplified relations end in
    /// `#`.
    pub command: Command,
    /// The original steps, in order.
    pub origin: Vec<Origin>,
    /// Normal form: the conditions, over current variables and inputs.
    pub conditions: Vec<Term>,
    /// Normal form: the next value of every variable.
    pub next: Substitution,
    /// Variables, symbolic constants and inputs of the normal form, in a fixed order.
    pub scope: Vec<Symbol>,
}

impl Relation {
    /// Whether it is the idling transition, or a composition of such.
    pub fn is_idle(&self) -> bool {
        self.origin.iter().all(|o| *o == Origin::Idle)
    }

    /// Whether it may change a variable.
    pub fn changes(&self, terms: &Terms, v: Symbol) -> bool {
        let v = terms.var(v);
        self.next.get(&v).is_some_and(|&e| e != v)
    }
}

/// All relations of a run, with their weakest preconditions.
pub struct Relations<'t> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The variables of the system.
    pub variables: Vec<Symbol>,
    rigid: Vec<Symbol>,
    free: FxHashMap<Symbol, Symbol>,
    list: Vec<Relation>,
    preconditions: FxHashMap<(RelationId, Term), Term>,
}

impl<'t> Relations<'t> {
    /// An empty table over the variables of a system.
    pub fn new(terms: &'t Terms, system: &Model) -> Relations<'t> {
        Relations {
            terms,
            variables: system.variables.clone(),
            rigid: system.rigid.clone(),
            free: FxHashMap::default(),
            list: Vec::new(),
            preconditions: FxHashMap::default(),
        }
    }

    /// The variables and symbolic constants of the system.
    pub fn state_symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.variables.iter().chain(&self.rigid).copied()
    }

    /// The relation with an index.
    pub fn get(&self, id: RelationId) -> &Relation {
        &self.list[id.0]
    }

    /// Enters a command of the system.
    pub fn command(&mut self, index: usize, command: &Command) -> RelationId {
        let mut normal = command.clone();
        normal.normalise(self.terms);
        self.enter(normal, vec![Origin::Command(index)])
    }

    /// Enters the idling transition, which changes nothing.
    ///
    /// Paper: [BrDrFiWe07, Sect. 3]: the transitions always include it.
    pub fn idle(&mut self) -> RelationId {
        let keep = |&symbol: &Symbol| Update {
            symbol,
            value: self.terms.var(symbol),
        };
        let mut idle = Command::new("idle", Span::default());
        idle.updates = self.variables.iter().map(keep).collect();
        self.enter(idle, vec![Origin::Idle])
    }

    /// Enters the choice of an initial state, as a step without a state before it.
    pub fn initial(&mut self, init: &[Term]) -> RelationId {
        let mut choice = Command::new("init", Span::default());
        choice.relations = init.iter().map(|&i| self.terms.prime(i)).collect();
        self.enter(choice, vec![Origin::Initial])
    }

    /// Enters a relation given by its conjuncts and computes its normal form.
    pub fn enter(&mut self, command: Command, origin: Vec<Origin>) -> RelationId {
        let terms = self.terms;
        let mut next = Substitution::default();
        let mut primed = Substitution::default();
        let mut inputs = command.inputs.clone();
        for update in &command.updates {
            next.insert(terms.var(update.symbol), update.value);
            primed.insert(terms.next(update.symbol), update.value);
        }
        for &symbol in &self.variables {
            if let std::collections::hash_map::Entry::Vacant(slot) = next.entry(terms.var(symbol)) {
                let input = *self.free.entry(symbol).or_insert_with(|| {
                    let hint = format!("next {}", terms.name(symbol));
                    terms.fresh(&hint, terms.symbol_sort(symbol), SymbolKind::Input)
                });
                inputs.push(input);
                slot.insert(terms.var(input));
                primed.insert(terms.next(symbol), terms.var(input));
            }
        }
        let mut conditions = Vec::new();
        let related = command.relations.iter();
        let related = related.map(|&r| terms.substitute(r, &primed));
        for part in command.guards.iter().copied().chain(related) {
            conditions.extend(terms.conjuncts(part));
        }
        conditions.retain(|&c| c != terms.tt());
        let scope = self.state_symbols().chain(inputs).collect();
        self.list.push(Relation {
            command,
            origin,
            conditions,
            next,
            scope,
        });
        RelationId(self.list.len() - 1)
    }

    /// The precondition of `formula` under the step, if the step is possible.
    pub fn precondition(&mut self, id: RelationId, formula: Term) -> Term {
        if let Some(&known) = self.preconditions.get(&(id, formula)) {
            return known;
        }
        let before = self.terms.substitute(formula, &self.list[id.0].next);
        self.preconditions.insert((id, formula), before);
        before
    }

    /// The composition of `first`, a state of `between`, and `second`.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5, Bypass Transition]. Differs: unassigned variables of `first`
    /// are inputs, so that the substitution is always possible; remaining inputs that determine no
    /// next value are the quantifiers of the general form, which `eliminate` removes.
    pub fn compose(
        &mut self,
        first: RelationId,
        between: &[Term],
        second: RelationId,
    ) -> (Command, Vec<Origin>) {
        let terms = self.terms;
        let renaming = self.fresh_inputs(second);
        let (a, b) = (&self.list[first.0], &self.list[second.0]);
        let through = |t: Term| terms.substitute(terms.substitute(t, &renaming), &a.next);
        let mut guards = a.conditions.clone();
        guards.extend(between.iter().map(|&p| terms.substitute(p, &a.next)));
        guards.extend(b.conditions.iter().map(|&c| through(c)));
        let flat = guards.iter().flat_map(|&g| terms.conjuncts(g));
        let flat: IndexSet<Term> = flat.filter(|&g| g != terms.tt()).collect();
        let update = |&symbol: &Symbol| Update {
            symbol,
            value: through(b.next[&terms.var(symbol)]),
        };
        let name = format!("{};{}", a.command.name, b.command.name);
        let mut composed = Command::new(name, Span::default());
        composed.guards = flat.into_iter().collect();
        composed.updates = self.variables.iter().map(update).collect();
        drop_free_updates(terms, &mut composed);
        composed.inputs = inputs_of(terms, &composed);
        let origin = a.origin.iter().chain(&b.origin).copied().collect();
        (composed, origin)
    }

    /// Fresh names for all inputs of a relation.
    fn fresh_inputs(&self, id: RelationId) -> Substitution {
        let relation = &self.list[id.0];
        let inputs = &relation.scope[self.variables.len() + self.rigid.len()..];
        let fresh = inputs.iter().map(|&input| {
            let hint = self.terms.name(input);
            let sort = self.terms.symbol_sort(input);
            let copy = self.terms.fresh(hint, sort, SymbolKind::Input);
            (self.terms.var(input), self.terms.var(copy))
        });
        fresh.collect()
    }
}

/// Drops `v' = i` where the input `i` occurs nowhere else: the next value of `v` is unconstrained.
fn drop_free_updates(terms: &Terms, parts: &mut Command) {
    let mut uses: FxHashMap<Symbol, usize> = FxHashMap::default();
    let all = parts.guards.iter().copied();
    for t in all.chain(parts.updates.iter().map(|u| u.value)) {
        for (symbol, _) in terms.free_vars(t) {
            *uses.entry(symbol).or_insert(0) += 1;
        }
    }
    parts.updates.retain(|u| match terms.node(u.value) {
        Node::Var(s, Stage::Now) if terms.symbol_kind(*s) == SymbolKind::Input => uses[s] > 1,
        _ => true,
    });
}

/// The inputs that occur in guards and assignments.
pub fn inputs_of(terms: &Terms, parts: &Command) -> Vec<Symbol> {
    let values = parts.updates.iter().map(|u| u.value);
    let roots: Vec<Term> = parts.guards.iter().copied().chain(values).collect();
    let vars = terms.free_vars_of(&roots).into_iter();
    let inputs = vars.filter(|(s, _)| terms.symbol_kind(*s) == SymbolKind::Input);
    let found: BTreeSet<Symbol> = inputs.map(|v| v.0).collect();
    found.into_iter().collect()
}
