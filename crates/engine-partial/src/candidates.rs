//! Predicates that are written in a model: what can be chosen from.

use crate::alpha::scope;
use crate::shape;
use sectile_model::{Ctl, Model, PropertyKind};
use sectile_terms::{Node, Stage, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// The conditions on numbers in the initial condition, in what restricts all states, in the
/// commands, and in the property, in this order and as they are written.
///
/// Paper: [YaMe, Sect. 4]: initial states, restrictions, guards, the property. Besides, `x := y`
/// counts as a condition `x = y`, which the paper's Table 3 has too.
pub fn candidates(terms: &Terms, system: &Model, property: Option<&PropertyKind>) -> Vec<Term> {
    let mut list = Candidates {
        terms,
        seen: BTreeSet::new(),
        found: Vec::new(),
    };
    for &formula in system.init.iter().chain(&system.restrict) {
        list.add_formula(formula);
    }
    for command in system.commands() {
        for &guard in command.guards.iter().chain(&command.relations) {
            list.add_formula(guard);
        }
        for update in &command.updates {
            let copied = matches!(terms.node(update.value), Node::Var(s, Stage::Now)
                if *s != update.symbol && terms.symbol_kind(*s) == SymbolKind::State);
            if copied && terms.sort(update.value).is_numeric() {
                list.add_formula(terms.eq(terms.var(update.symbol), update.value));
            }
        }
    }
    if let Some(property) = property {
        for formula in state_formulas(property) {
            list.add_formula(formula);
        }
    }
    list.found
}

/// The conditions on numbers in a property.
pub fn property_predicates(terms: &Terms, property: &PropertyKind) -> Vec<Term> {
    let mut list = Candidates {
        terms,
        seen: BTreeSet::new(),
        found: Vec::new(),
    };
    for formula in state_formulas(property) {
        list.add_formula(formula);
    }
    list.found
}

/// The conditions on numbers in a formula.
pub fn predicates_in(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut list = Candidates {
        terms,
        seen: BTreeSet::new(),
        found: Vec::new(),
    };
    list.add_formula(formula);
    list.found
}

/// The state formulas of a property, from left to right.
pub fn state_formulas(property: &PropertyKind) -> Vec<Term> {
    let formula = match property {
        PropertyKind::Invariant(p) | PropertyKind::Error(p) => return vec![*p],
        PropertyKind::Ctl(formula) => formula,
        PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut work = vec![formula];
    while let Some(f) = work.pop() {
        match f {
            Ctl::State(p) => found.push(*p),
            other => work.extend(other.arguments().into_iter().rev()),
        }
    }
    found
}

struct Candidates<'t> {
    terms: &'t Terms,
    seen: BTreeSet<Term>,
    found: Vec<Term>,
}

impl Candidates<'_> {
    fn add_formula(&mut self, formula: Term) {
        for literal in shape::literals(self.terms, formula) {
            self.add_literal(literal);
        }
    }

    fn add_literal(&mut self, literal: Term) {
        let terms = self.terms;
        let (atom, _) = terms.strip_not(literal);
        let numeric = matches!(
            terms.node(atom),
            Node::Zero(_) | Node::NonPos(_) | Node::Neg(_)
        );
        let slots = terms.free_vars(atom);
        let about_states = slots
            .iter()
            .all(|(s, stage)| *stage == Stage::Now && terms.symbol_kind(*s) != SymbolKind::Input);
        let changes = !scope(terms, atom).is_empty();
        if numeric && about_states && changes && self.seen.insert(atom) {
            self.found.push(literal);
        }
    }
}
