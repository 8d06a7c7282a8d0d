//! What the slices prove.

use crate::abstraction::{Abstraction, Status};
use sectile_terms::Term;

/// An invariant for every location of the block graph.
///
/// The nodes that were removed because no error can be reached from them, while the start still
/// reached them, contain the states in which the program starts, are closed under its steps and
/// contain no error. The splits are a tree: its leaves say which parts of a location are in.
pub(crate) fn invariants(abstraction: &Abstraction<'_>, facts: &[Term]) -> Vec<Term> {
    let terms = abstraction.formulas.terms();
    let meaning = parts_inside(abstraction);
    let mut list: Vec<Term> = facts
        .iter()
        .enumerate()
        .map(|(l, &fact)| terms.and2(fact, meaning[l]))
        .collect();
    let entry = abstraction.formulas.graph().entry.0;
    let start = terms.and2(abstraction.formulas.init(), meaning[abstraction.start]);
    list[entry] = terms.or2(list[entry], start);
    list
}

/// For every node, which of its states are in the invariant.
fn parts_inside(abstraction: &Abstraction<'_>) -> Vec<Term> {
    let terms = abstraction.formulas.terms();
    let mut inside = vec![terms.ff(); abstraction.nodes.len()];
    // Halves have larger numbers than what they are halves of.
    for (n, node) in abstraction.nodes.iter().enumerate().rev() {
        inside[n] = match node.status {
            Status::Harmless => terms.tt(),
            Status::Live | Status::Unreached => terms.ff(),
            Status::Split(_, [yes, no]) if inside[yes] == inside[no] => inside[yes],
            Status::Split(by, [yes, no]) => terms.or2(
                terms.and2(by, inside[yes]),
                terms.and2(terms.not(by), inside[no]),
            ),
        };
    }
    inside
}
