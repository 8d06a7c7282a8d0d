//! The choice of sub-terms that are printed once and referred to by name.

use rustc_hash::FxHashMap;
use sectile_terms::{Node, Term, Terms};

/// Nesting depth at which terms get a name, if names are given to single terms.
///
/// Parsers of some solvers recurse; a formula that is a long chain would exhaust their stack.
const DEPTH: u32 = 200;

/// The criterion for naming sub-terms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Only terms with several uses get a name.
    Shared,
    /// Also terms at regular depths.
    SharedOrDeep,
}

/// The arguments as the printer shows them: a comparison shows the parts of its sum, a function
/// is shown with all its arguments.
pub(crate) fn for_each_shown(terms: &Terms, t: Term, mut f: impl FnMut(Term)) {
    match terms.node(t) {
        Node::Zero(a) | Node::NonPos(a) | Node::Neg(a) => match terms.node(*a) {
            Node::Sum(sum) => sum.monomials().iter().for_each(|(m, _)| f(*m)),
            _ => f(*a),
        },
        _ => terms.for_each_argument(t, f),
    }
}

/// Whether repeating the term costs hardly more than a name: leaves, their negations, and
/// comparisons of at most two variables.
fn is_small(terms: &Terms, t: Term) -> bool {
    let leaf = |t: Term| {
        matches!(
            terms.node(t),
            Node::Bool(_) | Node::Number(_) | Node::Variant(..) | Node::Var(..)
        )
    };
    let small_sum = |t: Term| match terms.node(t) {
        Node::Sum(sum) => sum.monomials().len() <= 2 && sum.monomials().iter().all(|m| leaf(m.0)),
        _ => leaf(t),
    };
    let small_atom = |t: Term| match *terms.node(t) {
        Node::Zero(a) | Node::NonPos(a) | Node::Neg(a) => small_sum(a),
        Node::Eq(a, b) => leaf(a) && leaf(b),
        _ => leaf(t),
    };
    match *terms.node(t) {
        Node::Not(a) => small_atom(a),
        Node::Sum(_) => small_sum(t),
        _ => small_atom(t),
    }
}

/// The sub-terms to be named, arguments before the terms that use them.
///
/// The walk stops at `known` terms, which have a name already. The roots themselves are named only
/// if something else uses them as well.
pub(crate) fn to_name(
    terms: &Terms,
    roots: &[Term],
    cut: Cut,
    known: impl Fn(Term) -> bool,
) -> Vec<Term> {
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    let mut order = Vec::new();
    let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&r| (r, false)).collect();
    while let Some((t, expanded)) = stack.pop() {
        if expanded {
            order.push(t);
            continue;
        }
        let count = uses.entry(t).or_insert(0);
        *count += 1;
        if *count > 1 || known(t) {
            continue;
        }
        stack.push((t, true));
        let before = stack.len();
        for_each_shown(terms, t, |c| stack.push((c, false)));
        stack[before..].reverse();
    }
    let mut depth: FxHashMap<Term, u32> = FxHashMap::default();
    let named = |t: Term, depth: &FxHashMap<Term, u32>| {
        let deep = cut == Cut::SharedOrDeep && depth[&t] >= DEPTH;
        deep || (uses[&t] > 1 && !is_small(terms, t))
    };
    order.retain(|&t| {
        let mut own = 0;
        for_each_shown(terms, t, |c| {
            own = own.max(depth.get(&c).map_or(0, |d| d + 1));
        });
        depth.insert(t, own);
        let chosen = named(t, &depth);
        if chosen {
            depth.insert(t, 0);
        }
        chosen
    });
    order
}
