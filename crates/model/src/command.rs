//! Guarded commands: the steps of systems and the edges of program graphs.

use crate::family::Field;
use sectile_base::Span;
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// `symbol' = value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The variable that is set.
    pub symbol: Symbol,
    /// Its new value, over current variables and inputs.
    pub value: Term,
}

impl Update {
    /// The variable keeps its value.
    pub fn keep(terms: &Terms, symbol: Symbol) -> Update {
        let value = terms.var(symbol);
        Update { symbol, value }
    }
}

/// A step, kept as a list of conjuncts: guards, assignments and general relations.
///
/// The next value of a variable that has no update and occurs primed in no relation is free.
/// Front-ends of languages with the other convention add the updates `v' = v`.
///
/// Paper: [BrDrFiWe07, Sect. 3]; the conjuncts are kept apart for slicing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What users call it.
    pub name: String,
    /// Where it stands in the source.
    pub span: Span,
    /// The commands of the source that happen together in it, where the source has families.
    pub parts: Vec<Field>,
    /// Values chosen at this step, such as that of `any`.
    pub inputs: Vec<Symbol>,
    /// Conditions on the current state and the inputs.
    pub guards: Vec<Term>,
    /// Assignments, at most one for a variable.
    pub updates: Vec<Update>,
    /// Other conditions, which mention next values.
    pub relations: Vec<Term>,
}

impl Command {
    /// A command that does nothing to anything: every next value is free.
    pub fn new(name: impl Into<String>, span: Span) -> Command {
        Command {
            name: name.into(),
            span,
            parts: Vec::new(),
            inputs: Vec::new(),
            guards: Vec::new(),
            updates: Vec::new(),
            relations: Vec::new(),
        }
    }

    /// The assigned value of a variable.
    pub fn update_of(&self, symbol: Symbol) -> Option<Term> {
        let found = self.updates.iter().find(|u| u.symbol == symbol);
        found.map(|u| u.value)
    }

    /// All conjuncts: guards, `v' = e` for the updates, relations.
    pub fn conjuncts(&self, terms: &Terms) -> Vec<Term> {
        let equations = self
            .updates
            .iter()
            .map(|u| terms.eq(terms.next(u.symbol), u.value));
        let guards = self.guards.iter().copied();
        guards
            .chain(equations)
            .chain(self.relations.iter().copied())
            .collect()
    }

    /// The step as one formula over current, next and input variables.
    pub fn formula(&self, terms: &Terms) -> Term {
        terms.and(self.conjuncts(terms))
    }

    /// The variables whose next value the step does not determine by an assignment.
    pub fn unassigned(&self, variables: &[Symbol]) -> Vec<Symbol> {
        let assigned: BTreeSet<Symbol> = self.updates.iter().map(|u| u.symbol).collect();
        let free = variables.iter().copied();
        free.filter(|v| !assigned.contains(v)).collect()
    }

    /// Whether the step is a guarded W-assignment: guards, and `v' = e(V)` for exactly `w`.
    ///
    /// Paper: [BrDrFiWe07, Sect. 3]. Relations of the shape `v' = e` count as assignments.
    pub fn is_guarded_assignment(&self, terms: &Terms, w: &BTreeSet<Symbol>) -> bool {
        let assigned: BTreeSet<Symbol> = self.updates.iter().map(|u| u.symbol).collect();
        self.relations.is_empty() && self.inputs_are_absent(terms) && assigned == *w
    }

    fn inputs_are_absent(&self, terms: &Terms) -> bool {
        let all = self.conjuncts(terms);
        let used = terms.free_vars_of(&all);
        self.inputs
            .iter()
            .all(|i| !used.contains(&(*i, Stage::Now)))
    }

    /// Turns relations `v' = e`, with `e` over current variables and inputs, into updates.
    ///
    /// The meaning does not change; slicing and explicit search profit.
    pub fn normalise(&mut self, terms: &Terms) {
        let relations = std::mem::take(&mut self.relations);
        for relation in relations {
            match as_assignment(terms, relation) {
                Some(update) if self.update_of(update.symbol).is_none() => {
                    self.updates.push(update);
                }
                _ if has_no_next(terms, relation) => self.guards.push(relation),
                _ => self.relations.push(relation),
            }
        }
    }
}

fn has_no_next(terms: &Terms, t: Term) -> bool {
    terms.free_vars(t).iter().all(|v| v.1 != Stage::Next)
}

/// The assignment that a relation is, if it is one.
fn as_assignment(terms: &Terms, relation: Term) -> Option<Update> {
    use sectile_base::Rat;
    use sectile_terms::{Node, Sort};
    let next_var = |t: Term| match terms.node(t) {
        Node::Var(symbol, Stage::Next) => Some(*symbol),
        _ => None,
    };
    let update =
        |symbol: Symbol, value: Term| has_no_next(terms, value).then_some(Update { symbol, value });
    match *terms.node(relation) {
        Node::Var(symbol, Stage::Next) => Some(Update {
            symbol,
            value: terms.tt(),
        }),
        Node::Not(inner) => next_var(inner).map(|symbol| Update {
            symbol,
            value: terms.ff(),
        }),
        Node::Eq(a, b) => next_var(a)
            .and_then(|s| update(s, b))
            .or_else(|| next_var(b).and_then(|s| update(s, a))),
        Node::Zero(sum) => {
            let linear = terms.linear(sum);
            let sort = terms.sort(sum);
            linear.monomials().iter().find_map(|(m, c)| {
                let symbol = next_var(*m)?;
                // c*v' + rest = 0 is v' = -rest/c, an integer term if c is 1 or -1.
                if sort == Sort::Int && !c.abs().is_one() {
                    return None;
                }
                let mut rest = linear.clone();
                rest.add_term(*m, &-c);
                rest.scale(&-(&Rat::ONE / c));
                update(symbol, terms.sum(rest, sort))
            })
        }
        _ => None,
    }
}
