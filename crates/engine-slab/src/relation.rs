//! Transition relations, as they stand on the edges of an abstraction.
//!
//! A relation keeps the conjuncts of its command, for slicing, and beside them a *normal form*: a
//! guarded assignment to all variables whose right-hand sides may mention inputs. A next value
//! that nothing assigns becomes an input of its own, and the conjuncts about it become conditions.
//! In this form a weakest precondition is a substitution, and whether a step leads from one node
//! to another is a question about one copy of the variables.

use rustc_hash::FxHashMap;
use sectile_model::{Command, Model, Update};
use sectile_terms::{Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// A relation of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub usize);

/// What a relation, or a part of a composed one, comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The choice of an initial state.
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
    /// What users call it; compositions join names by `;`, simplified ones end in `#`.
    pub name: String,
    /// Values chosen at this step.
    pub inputs: Vec<Symbol>,
    /// Conditions on the current state and the inputs.
    pub guards: Vec<Term>,
    /// Assignments, at most one for a variable.
    pub updates: Vec<Update>,
    /// Other conditions, which mention next values.
    pub relations: Vec<Term>,
    /// The steps it stands for, in order.
    pub origin: Vec<Origin>,
    /// Normal form: the conditions, over current variables and inputs.
    pub conditions: Vec<Term>,
    /// Normal form: the next value of every variable.
    pub next: Substitution,
    /// Variables, symbolic constants and inputs of the normal form, in a fixed order.
    pub scope: Vec<Symbol>,
}

impl Relation {
    /// All conjuncts: guards, `v' = e` for the updates, relations.
    pub fn conjuncts(&self, terms: &Terms) -> Vec<Term> {
        let equations = self.updates.iter();
        let equations = equations.map(|u| terms.eq(terms.next(u.symbol), u.value));
        let guards = self.guards.iter().copied();
        guards
            .chain(equations)
            .chain(self.relations.iter().copied())
            .collect()
    }

    /// Whether it only idles.
    pub fn is_idle(&self) -> bool {
        self.origin.iter().all(|o| *o == Origin::Idle)
    }

    /// The variables it may change.
    pub fn changes(&self, terms: &Terms) -> impl Iterator<Item = Symbol> + '_ {
        let of = |v: &Symbol| terms.var(*v);
        let list: Vec<Symbol> = self
            .next
            .iter()
            .filter(|(v, e)| v != e)
            .filter_map(|(v, _)| self.scope.iter().copied().find(|s| of(s) == *v))
            .collect();
        let mut list = list;
        list.sort();
        list.into_iter()
    }
}

/// The conjuncts of a relation that is about to be entered into a table.
#[derive(Clone, Debug, Default)]
pub struct Conjuncts {
    /// Values chosen at this step.
    pub inputs: Vec<Symbol>,
    /// Conditions on the current state and the inputs.
    pub guards: Vec<Term>,
    /// Assignments.
    pub updates: Vec<Update>,
    /// Other conditions.
    pub relations: Vec<Term>,
}

/// All relations of a run, with their weakest preconditions.
pub struct Relations<'t> {
    terms: &'t Terms,
    variables: Vec<Symbol>,
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

    /// The store of all formulas.
    pub fn terms(&self) -> &'t Terms {
        self.terms
    }

    /// The variables of the system.
    pub fn variables(&self) -> &[Symbol] {
        &self.variables
    }

    /// The variables and symbolic constants of the system.
    pub fn state_symbols(&self) -> Vec<Symbol> {
        self.variables.iter().chain(&self.rigid).copied().collect()
    }

    /// One relation.
    pub fn get(&self, id: RelationId) -> &Relation {
        &self.list[id.0]
    }

    /// Enters a command of the system.
    pub fn command(&mut self, index: usize, command: &Command) -> RelationId {
        let mut normal = command.clone();
        normal.normalise(self.terms);
        let conjuncts = Conjuncts {
            inputs: normal.inputs,
            guards: normal.guards,
            updates: normal.updates,
            relations: normal.relations,
        };
        self.enter(normal.name, vec![Origin::Command(index)], conjuncts)
    }

    /// Enters the idling transition: nothing changes.
    ///
    /// Paper: [BrDrFiWe07, Sect. 3]: it always belongs to the transitions.
    pub fn idle(&mut self) -> RelationId {
        let keep = |&symbol: &Symbol| Update {
            symbol,
            value: self.terms.var(symbol),
        };
        let conjuncts = Conjuncts {
            updates: self.variables.iter().map(keep).collect(),
            ..Conjuncts::default()
        };
        self.enter("idle".to_string(), vec![Origin::Idle], conjuncts)
    }

    /// Enters the choice of an initial state as a step from nowhere.
    pub fn initial(&mut self, init: &[Term]) -> RelationId {
        let relations = init.iter().map(|&i| self.terms.prime(i)).collect();
        let conjuncts = Conjuncts {
            relations,
            ..Conjuncts::default()
        };
        self.enter("init".to_string(), vec![Origin::Initial], conjuncts)
    }

    /// Enters a relation given by its conjuncts and computes its normal form.
    pub fn enter(&mut self, name: String, origin: Vec<Origin>, parts: Conjuncts) -> RelationId {
        let terms = self.terms;
        let mut next = Substitution::default();
        let mut primed = Substitution::default();
        let mut inputs = parts.inputs.clone();
        for update in &parts.updates {
            next.insert(terms.var(update.symbol), update.value);
            primed.insert(terms.next(update.symbol), update.value);
        }
        for index in 0..self.variables.len() {
            let symbol = self.variables[index];
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
        let related = parts.relations.iter();
        let related = related.map(|&r| terms.substitute(r, &primed));
        for part in parts.guards.iter().copied().chain(related) {
            conditions.extend(terms.conjuncts(part));
        }
        conditions.retain(|&c| c != terms.tt());
        let fixed = self.variables.iter().chain(&self.rigid).copied();
        let scope = fixed.chain(inputs).collect();
        self.list.push(Relation {
            name,
            inputs: parts.inputs,
            guards: parts.guards,
            updates: parts.updates,
            relations: parts.relations,
            origin,
            conditions,
            next,
            scope,
        });
        RelationId(self.list.len() - 1)
    }

    /// What must hold before the step for `formula` to hold after it, if the step is possible.
    pub fn precondition(&mut self, id: RelationId, formula: Term) -> Term {
        if let Some(&known) = self.preconditions.get(&(id, formula)) {
            return known;
        }
        let before = self.terms.substitute(formula, &self.list[id.0].next);
        self.preconditions.insert((id, formula), before);
        before
    }

    /// `first`, then a state of `between`, then `second`, as one relation.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5, Bypass Transition]. Differs: what `first` does not assign is an
    /// input, so that the substitution is always possible; inputs that are left over and determine
    /// no next value are the quantifiers of the general form, which `eliminate` removes.
    pub fn compose(
        &mut self,
        first: RelationId,
        between: &[Term],
        second: RelationId,
    ) -> (String, Vec<Origin>, Conjuncts) {
        let terms = self.terms;
        let renaming = self.fresh_inputs(second);
        let (a, b) = (&self.list[first.0], &self.list[second.0]);
        let through = |t: Term| terms.substitute(terms.substitute(t, &renaming), &a.next);
        let mut guards = a.conditions.clone();
        guards.extend(between.iter().map(|&p| terms.substitute(p, &a.next)));
        guards.extend(b.conditions.iter().map(|&c| through(c)));
        let mut flat: Vec<Term> = guards.iter().flat_map(|&g| terms.conjuncts(g)).collect();
        flat.retain(|&g| g != terms.tt());
        let mut seen = BTreeSet::new();
        flat.retain(|&g| seen.insert(g));
        let update = |&symbol: &Symbol| Update {
            symbol,
            value: through(b.next[&terms.var(symbol)]),
        };
        let mut parts = Conjuncts {
            inputs: Vec::new(),
            guards: flat,
            updates: self.variables.iter().map(update).collect(),
            relations: Vec::new(),
        };
        drop_free_updates(terms, &mut parts);
        parts.inputs = inputs_of(terms, &parts);
        let name = format!("{};{}", a.name, b.name);
        let origin = a.origin.iter().chain(&b.origin).copied().collect();
        (name, origin, parts)
    }

    /// New names for all inputs of a relation.
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

/// Drops `v' = i` where `i` is an input that occurs nowhere else: such a next value is free.
fn drop_free_updates(terms: &Terms, parts: &mut Conjuncts) {
    let mut uses: FxHashMap<Symbol, usize> = FxHashMap::default();
    let all = parts.guards.iter().copied();
    for t in all.chain(parts.updates.iter().map(|u| u.value)) {
        for (symbol, _) in terms.free_vars(t) {
            *uses.entry(symbol).or_insert(0) += 1;
        }
    }
    parts.updates.retain(|u| {
        let vars = terms.free_vars(u.value);
        let lone = vars.iter().next().filter(|(s, _)| {
            terms.var(*s) == u.value
                && terms.symbol_kind(*s) == SymbolKind::Input
                && uses.get(s) == Some(&1)
        });
        lone.is_none()
    });
}

/// The inputs that occur in the conjuncts.
pub fn inputs_of(terms: &Terms, parts: &Conjuncts) -> Vec<Symbol> {
    let mut roots = parts.guards.clone();
    roots.extend(parts.updates.iter().map(|u| u.value));
    roots.extend(&parts.relations);
    let vars = terms.free_vars_of(&roots);
    let is_input = |s: &Symbol| terms.symbol_kind(*s) == SymbolKind::Input;
    let mut found: Vec<Symbol> = vars
        .iter()
        .filter(|(_, stage)| *stage == Stage::Now)
        .map(|(s, _)| *s)
        .filter(is_input)
        .collect();
    found.sort();
    found.dedup();
    found
}
