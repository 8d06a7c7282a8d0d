//! Predicates that a fact derives for all arguments: they are true.
//!
//! An example are contracts without information about what happens between two calls, once
//! irrelevant arguments are dropped. Such a predicate can be dropped from bodies, and its other
//! clauses are redundant.

use super::derived::Derived;
use rustc_hash::FxHashSet;
use sectile_terms::{Node, Terms};

/// Removes predicates that are true from all bodies, with their clauses; returns these predicates.
pub(super) fn take_out(terms: &Terms, list: &mut Vec<Derived>) -> Vec<usize> {
    let mut gone = Vec::new();
    while let Some(at) = list.iter().position(|d| is_total(terms, d)) {
        let fact = list[at].clone();
        let Some(head) = fact.clause.head.as_ref() else {
            break;
        };
        let p = head.predicate;
        let mut rest = Vec::with_capacity(list.len());
        for derived in list.drain(..) {
            if derived
                .clause
                .head
                .as_ref()
                .is_some_and(|h| h.predicate == p)
            {
                continue;
            }
            rest.extend(without(terms, derived, p, &fact));
        }
        *list = rest;
        gone.push(p);
    }
    gone
}

/// Whether a clause is `P(x, y, ...)` with distinct variables as arguments.
fn is_total(terms: &Terms, derived: &Derived) -> bool {
    let clause = &derived.clause;
    let Some(head) = &clause.head else {
        return false;
    };
    let mut seen = FxHashSet::default();
    let mut arguments = head.arguments.iter();
    clause.body.is_empty()
        && clause.constraint.is_empty()
        && arguments.all(|&a| matches!(terms.node(a), Node::Var(..)) && seen.insert(a))
}

/// The clause with every application of `p` in its body resolved with the fact.
fn without(terms: &Terms, derived: Derived, p: usize, fact: &Derived) -> Option<Derived> {
    let mut derived = derived;
    let mut changed = false;
    while let Some(i) = derived.clause.body.iter().position(|b| b.predicate == p) {
        derived = derived.resolved(terms, i, fact)?;
        changed = true;
    }
    (!changed || derived.simplify(terms)).then_some(derived)
}
