//! Exact elimination from conjunctions, as far as possible without case distinctions.

use super::system::System;
use crate::context::NativeSolver;
use rustc_hash::FxHashSet;
use sectile_base::Budget;
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Linear, Node, Sort, Term, Terms};

/// A conjunction with the variables that could not be eliminated from it.
pub(super) struct Reduced {
    pub formulas: Vec<Term>,
    pub vars: Vec<Term>,
}

/// The terms below some roots that mention one of some variables, arguments first.
pub(super) fn mentioning(terms: &Terms, roots: &[Term], vars: &FxHashSet<Term>) -> Vec<Term> {
    let mut found: FxHashSet<Term> = FxHashSet::default();
    let mut order = terms.post_order(roots);
    order.retain(|&t| {
        let mut mentions = vars.contains(&t);
        let node = terms.node(t);
        node.for_each_child(|c| mentions |= found.contains(&c));
        mentions && found.insert(t)
    });
    order
}

/// Whether a term mentions one of some variables.
pub(super) fn mentions(terms: &Terms, t: Term, vars: &FxHashSet<Term>) -> bool {
    terms.post_order(&[t]).iter().any(|s| vars.contains(s))
}

/// Eliminates as many variables as possible from a conjunction by exact steps: equalities, bounds
/// on one side only, and combinations of bounds that give at most `growth` literals more.
///
/// Conjuncts that are not literals keep their variables.
pub(super) fn reduce(terms: &Terms, formulas: &[Term], vars: &[Term], growth: usize) -> Reduced {
    let mut system = System::new(terms, formulas);
    let mut left: Vec<Term> = vars.to_vec();
    loop {
        let blocked = blocked(&system, &left);
        let open = |t: Term| !blocked.contains(&t);
        let mut order: Vec<usize> = (0..left.len()).filter(|&i| open(left[i])).collect();
        order.sort_by_key(|&i| (system.cost(left[i]), i));
        let eliminated = order
            .into_iter()
            .find(|&i| eliminate(&mut system, left[i], growth));
        match eliminated {
            Some(i) if !system.contradictory => left.remove(i),
            _ => break,
        };
    }
    if system.contradictory {
        left.clear();
    }
    Reduced {
        formulas: system.formulas(),
        vars: left,
    }
}

fn eliminate(system: &mut System<'_>, target: Term, growth: usize) -> bool {
    match system.terms.sort(target) {
        Sort::Bool => {
            system.eliminate_bool(target);
            true
        }
        Sort::Enum(_) => system.eliminate_enum(target),
        Sort::Int | Sort::Real => system.eliminate_exactly(target, growth),
        Sort::Array(_) => false,
    }
}

/// The variables that occur outside of leaves of literals.
fn blocked(system: &System<'_>, vars: &[Term]) -> FxHashSet<Term> {
    let terms = system.terms;
    let vars: FxHashSet<Term> = vars.iter().copied().collect();
    let mut inner = Vec::new();
    for (_, row) in system.rows() {
        inner.extend(hidden(terms, &row.sum));
    }
    for &literal in &system.others {
        let (atom, _) = terms.strip_not(literal);
        match *terms.node(atom) {
            Node::Var(..) => {}
            Node::Eq(a, b) if matches!(terms.sort(a), Sort::Enum(_)) => {
                let is_leaf = |t: Term| matches!(terms.node(t), Node::Var(..) | Node::Variant(..));
                inner.extend([a, b].into_iter().filter(|&t| !is_leaf(t)));
            }
            _ => inner.push(atom),
        }
    }
    let found = terms.post_order(&inner).into_iter();
    found.filter(|t| vars.contains(t)).collect()
}

/// The operators in a sum, except variables and variables converted to reals.
fn hidden(terms: &Terms, sum: &Linear) -> Vec<Term> {
    let plain = |t: Term| match terms.node(t) {
        Node::Var(..) => true,
        Node::ToReal(inner) => matches!(terms.node(*inner), Node::Var(..)),
        _ => false,
    };
    let leaves = sum.monomials().iter().map(|m| m.0);
    leaves.filter(|&t| !plain(t)).collect()
}

/// A conjunction without the parts that the others imply, as far as the budget allows; `false` if
/// it is unsatisfiable.
///
/// Parts in `known` stay: they were there before, and checking each would cost too much.
pub(super) fn without_redundant(
    terms: &Terms,
    formulas: Vec<Term>,
    known: &FxHashSet<Term>,
    budget: &Budget,
) -> Result<Vec<Term>, SolverError> {
    if formulas.iter().all(|f| known.contains(f)) {
        return Ok(formulas);
    }
    let parts = terms.conjuncts(terms.simplify(terms.and(formulas)));
    let mut solver = NativeSolver::new(terms);
    if solver.check(&parts, budget)?.is_unsat() {
        return Ok(vec![terms.ff()]);
    }
    without(parts, |parts, i| {
        let mut query = parts.to_vec();
        query[i] = terms.not(parts[i]);
        Ok(!known.contains(&parts[i]) && solver.check(&query, budget)?.is_unsat())
    })
}

/// A list without redundant members.
pub(super) fn without(
    mut list: Vec<Term>,
    mut superfluous: impl FnMut(&[Term], usize) -> Result<bool, SolverError>,
) -> Result<Vec<Term>, SolverError> {
    let mut i = 0;
    while i < list.len() {
        if superfluous(&list, i)? {
            list.remove(i);
        } else {
            i += 1;
        }
    }
    Ok(list)
}
