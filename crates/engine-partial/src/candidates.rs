//! Predicates that are written in a model: what can be chosen from.

use crate::alpha::scope;
use sectile_model::{Ctl, Model, PropertyKind};
use sectile_terms::{Node, Sort, Stage, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// The conditions on numbers in the initial condition, in what restricts all states, in the
/// commands, and in the property, in this order and as they are written.
///
/// Paper: [YaMe, Sect. 4]: initial states, restrictions, guards, the property. Besides, `x := y`
/// counts as a condition `x = y`, which the paper's Table 3 has too.
pub fn candidates(terms: &Terms, system: &Model, property: Option<&PropertyKind>) -> Vec<Term> {
    let mut all: Vec<Term> = system
        .init
        .iter()
        .chain(&system.restrict)
        .copied()
        .collect();
    for command in system.commands() {
        all.extend(command.guards.iter().chain(&command.relations));
        for update in &command.updates {
            let copied = matches!(terms.node(update.value), Node::Var(s, Stage::Now)
                if *s != update.symbol && terms.symbol_kind(*s) == SymbolKind::State);
            if copied && terms.sort(update.value).is_numeric() {
                all.push(terms.eq(terms.var(update.symbol), update.value));
            }
        }
    }
    all.extend(property.map(state_formulas).unwrap_or_default());
    predicates_in(terms, &all)
}

/// The conditions on numbers in a property.
pub fn property_predicates(terms: &Terms, property: &PropertyKind) -> Vec<Term> {
    predicates_in(terms, &state_formulas(property))
}

/// The conditions on numbers in formulas, with the signs with which they are first written.
pub fn predicates_in(terms: &Terms, formulas: &[Term]) -> Vec<Term> {
    let mut seen = BTreeSet::new();
    let mut is_new = |literal: &Term| {
        let (atom, _) = terms.strip_not(*literal);
        let numeric = matches!(
            terms.node(atom),
            Node::Zero(_) | Node::NonPos(_) | Node::Neg(_)
        );
        let mut slots = terms.free_vars(atom).into_iter();
        let about_states = slots
            .all(|(s, stage)| stage == Stage::Now && terms.symbol_kind(s) != SymbolKind::Input);
        let changes = !scope(terms, atom).is_empty();
        numeric && about_states && changes && seen.insert(atom)
    };
    let literals = formulas.iter().flat_map(|&f| literals(terms, f));
    literals.filter(|l| is_new(l)).collect()
}

/// The literals of a formula with the signs with which they are written, from left to right.
fn literals(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut work = vec![(formula, true)];
    while let Some((t, sign)) = work.pop() {
        if !seen.insert((t, sign)) {
            continue;
        }
        match terms.node(t) {
            Node::Not(a) => work.push((*a, !sign)),
            Node::And(list) | Node::Or(list) => work.extend(list.iter().rev().map(|&c| (c, sign))),
            Node::Ite(c, a, b) => work.extend([(*b, sign), (*a, sign), (*c, true)]),
            Node::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                work.extend([(*b, true), (*a, true)]);
            }
            Node::Bool(_) => {}
            _ => found.push(if sign { t } else { terms.not(t) }),
        }
    }
    found
}

/// The state formulas of a property, from left to right.
fn state_formulas(property: &PropertyKind) -> Vec<Term> {
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
