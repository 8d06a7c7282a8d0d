//! Formulas taken apart at their connectives, negations included.

use sectile_terms::{Node, Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// The parts of a conjunction, or of a negated disjunction.
pub fn conjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    parts(terms, formula, true)
}

/// The parts of a disjunction, or of a negated conjunction.
pub fn disjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    parts(terms, formula, false)
}

fn parts(terms: &Terms, formula: Term, and: bool) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut work = vec![formula];
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        let inner = match terms.node(t) {
            Node::Not(inner) => Some(*inner),
            _ => None,
        };
        match (terms.node(t), inner.map(|i| terms.node(i))) {
            (Node::And(list), _) if and => work.extend(list.iter().rev()),
            (Node::Or(list), _) if !and => work.extend(list.iter().rev()),
            (_, Some(Node::Or(list))) if and => {
                work.extend(list.iter().rev().map(|&c| terms.not(c)));
            }
            (_, Some(Node::And(list))) if !and => {
                work.extend(list.iter().rev().map(|&c| terms.not(c)));
            }
            _ if terms.as_bool(t) == Some(and) => {}
            _ => found.push(t),
        }
    }
    found
}

/// The literals of a formula with the signs with which they are written, from left to right.
pub fn literals(terms: &Terms, formula: Term) -> Vec<Term> {
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
            Node::Eq(a, b) if terms.sort(*a) == sectile_terms::Sort::Bool => {
                work.extend([(*b, true), (*a, true)]);
            }
            Node::Bool(_) => {}
            _ => found.push(if sign { t } else { terms.not(t) }),
        }
    }
    found
}

/// The variables of a formula at one stage.
pub fn symbols(terms: &Terms, formula: Term, stage: Stage) -> BTreeSet<Symbol> {
    let slots = terms.free_vars(formula).into_iter();
    slots.filter(|s| s.1 == stage).map(|s| s.0).collect()
}
