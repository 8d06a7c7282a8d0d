//! The conditions by which states are partitioned: flags, and comparisons in steps.

use crate::facts::piece::Coordinates;
use sectile_engine::PathFormulas;
use sectile_terms::{Node, Sort, Stage, Term};
use std::collections::BTreeSet;

/// Maximum number of flags.
const MOST_FLAGS: usize = 4;
/// Maximum number of conditions.
const MOST_CONDITIONS: usize = 6;

/// The Boolean variables, if there are few.
pub fn flags(formulas: &PathFormulas<'_>) -> Vec<Term> {
    let terms = formulas.terms();
    let variables = formulas.graph().variables.iter();
    let flags = variables.filter(|&&s| terms.symbol_sort(s) == Sort::Bool);
    let flags: Vec<Term> = flags.map(|&s| terms.var(s)).collect();
    if flags.len() <= MOST_FLAGS {
        flags
    } else {
        Vec::new()
    }
}

/// The comparisons of current numbers in the formulas of steps, without duplicates.
pub fn comparisons(formulas: &PathFormulas<'_>, coordinates: &Coordinates<'_>) -> Vec<Term> {
    let terms = formulas.terms();
    let edges = 0..formulas.graph().edges.len();
    let roots: Vec<Term> = edges.map(|e| formulas.step(e)).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for t in terms.post_order(&roots) {
        if !matches!(
            terms.node(t),
            Node::NonPos(_) | Node::Neg(_) | Node::Zero(_)
        ) {
            continue;
        }
        let current = terms.free_vars(t).iter().all(|v| v.1 == Stage::Now);
        if current && coordinates.constraint(t).is_some() && seen.insert(t) {
            found.push(t);
        }
    }
    found
}

/// Flags and inequalities together, if the maximum allows any of the latter.
pub fn conditions(
    flags: &[Term],
    comparisons: &[Term],
    coordinates: &Coordinates<'_>,
) -> Vec<Term> {
    let terms = coordinates.terms;
    let inequalities = comparisons.iter().copied();
    let inequalities = inequalities.filter(|&t| !matches!(terms.node(t), Node::Zero(_)));
    let room = MOST_CONDITIONS.saturating_sub(flags.len());
    flags
        .iter()
        .copied()
        .chain(inequalities.take(room))
        .collect()
}
