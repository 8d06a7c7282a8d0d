//! Splitting formulas at their connectives, through negations.

use rustc_hash::FxHashSet;
use sectile_terms::{Node, Term, Terms};

/// The parts of conjunctions and of negated disjunctions, in order and without duplicates.
pub fn conjuncts(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
    parts(terms, roots.into_iter().collect(), true)
}

/// The parts of a disjunction, or of a negated conjunction, in order and without duplicates.
pub fn disjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    parts(terms, vec![formula], false)
}

fn parts(terms: &Terms, roots: Vec<Term>, and: bool) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = roots;
    work.reverse();
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        let (inner, negated) = terms.strip_not(t);
        match terms.node(inner) {
            Node::And(list) | Node::Or(list)
                if matches!(terms.node(inner), Node::And(_)) == (and != negated) =>
            {
                let parts = list.iter().rev();
                work.extend(parts.map(|&c| if negated { terms.not(c) } else { c }));
            }
            _ if terms.as_bool(t) == Some(and) => {}
            _ => found.push(t),
        }
    }
    found
}
