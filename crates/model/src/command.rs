//! Guarded commands: the steps of systems and the edges of program graphs.

use crate::clauses::equations::definitions;
use crate::family::Field;
use sectile_base::Span;
use sectile_terms::{Node, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
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
    /// Its name for users.
    pub name: String,
    /// Its position in the source.
    pub span: Span,
    /// The commands of the source that it combines, if the source has families.
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
    /// A command without conjuncts: every next value is free.
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

    /// The states from which the step leads only into `after`; none if the step is given by
    /// relations, or chooses a value that is relevant to `after`.
    pub fn weakest_precondition(&self, terms: &Terms, after: Term) -> Option<Term> {
        let mut values = Substitution::default();
        for (symbol, _) in terms.free_vars(after) {
            if terms.symbol_kind(symbol) != SymbolKind::Rigid {
                values.insert(terms.var(symbol), self.update_of(symbol)?);
            }
        }
        let guard = terms.and(self.guards.iter().copied());
        let before = terms.implies(guard, terms.substitute(after, &values));
        let used = terms.free_vars(before);
        let chooses = used.iter().any(|v| self.inputs.contains(&v.0));
        (self.relations.is_empty() && !chooses).then_some(before)
    }

    /// Turns relations `v' = e`, with `e` over current variables and inputs, into updates.
    ///
    /// The meaning stays the same; slicing and explicit search profit.
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
    let is_next = |t: Term| matches!(terms.node(t), Node::Var(_, Stage::Next));
    let ways = definitions(terms, relation, &is_next).into_iter();
    let mut ways = ways.filter(|(_, value)| has_no_next(terms, *value));
    ways.find_map(|(variable, value)| match *terms.node(variable) {
        Node::Var(symbol, _) => Some(Update { symbol, value }),
        _ => None,
    })
}
