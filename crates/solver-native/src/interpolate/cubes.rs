//! Interpolants as disjunctions of projected cubes, without a proof.
//!
//! Every model of one side of a cut has an implicant; its projection to the shared symbols is a
//! cube that the side allows. When all models are covered, the cubes are an interpolant. They may
//! be made weaker on the way, as long as the other side still contradicts them.
//!
//! [`projection`] goes from left to right and weakens each cube by a core of what follows.
//! [`strongest_post`] weakens nothing, and [`weakest_pre`] goes from right to left; with the
//! blocks reduced to a core, these are the predicate transformers of a trace.

use super::Obstacle;
use super::core::minimise;
use super::spans::Spans;
use crate::context::NativeSolver;
use crate::project::{Limits, exists, mbp};
use sectile_base::Budget;
use sectile_solver::{Answer, Solver, Undecided};
use sectile_terms::{Node, Stage, Symbol, Term, Terms};

/// Maximum number of cubes in an enumeration.
const MAX_CUBES: usize = 256;

/// Maximum number of disjuncts of a predicate transformer.
const MAX_DISJUNCTS: usize = 32;

/// Equalities as two bounds each, so that a core may contain only one of them.
pub(super) fn halves(terms: &Terms, cube: &[Term]) -> Vec<Term> {
    let mut list = Vec::with_capacity(cube.len());
    for &literal in cube {
        match terms.node(literal) {
            Node::Zero(t) if !matches!(terms.node(*t), Node::Mod(..)) => {
                list.extend([terms.non_pos(*t), terms.non_pos(terms.neg(*t))]);
            }
            _ => list.push(literal),
        }
    }
    list
}

/// A cube of the formula over the symbols that are not local, or nothing if it has no model.
pub(super) fn next_cube(
    terms: &Terms,
    solver: &mut NativeSolver<'_>,
    formula: Term,
    local: &[(Symbol, Stage)],
    budget: &Budget,
) -> Result<Option<Vec<Term>>, Obstacle> {
    match solver.check(&[], budget)? {
        Answer::Unsat(_) => Ok(None),
        Answer::Sat(model) => Ok(Some(mbp(terms, &[formula], local, model)?)),
        Answer::Unknown(_) => Err(Obstacle::undecided(budget)),
    }
}

/// Cubes that cover the formula without its local symbols, none of them consistent with `avoid`.
fn enumerate(
    terms: &Terms,
    formula: Term,
    local: &[(Symbol, Stage)],
    avoid: Term,
    budget: &Budget,
) -> Result<Term, Obstacle> {
    let mut source = NativeSolver::new(terms);
    source.assert(formula)?;
    let mut other = NativeSolver::new(terms);
    other.assert(avoid)?;
    let mut cubes = Vec::new();
    while let Some(cube) = next_cube(terms, &mut source, formula, local, budget)? {
        let cube = minimise(&mut other, &halves(terms, &cube), budget)?;
        let cube = terms.and(cube);
        source.assert(terms.not(cube))?;
        cubes.push(cube);
        if cubes.len() > MAX_CUBES {
            return Err(Obstacle::TooLarge);
        }
    }
    Ok(terms.or(cubes))
}

/// The formula with its local symbols eliminated, if possible exactly.
fn eliminated(
    terms: &Terms,
    formula: Term,
    local: &[(Symbol, Stage)],
    budget: &Budget,
) -> Result<Term, Obstacle> {
    let limits = Limits {
        disjuncts: MAX_DISJUNCTS,
        ..Limits::default()
    };
    match exists(terms, formula, local, &limits, budget)? {
        Ok(projection) if projection.exact => Ok(projection.formula),
        Ok(_) => Err(Obstacle::TooLarge),
        Err(Undecided::Exhausted(why)) => Err(why.into()),
        Err(Undecided::Incomplete(_)) => Err(Obstacle::Undecided),
    }
}

/// The symbols of a formula that do not occur after a cut.
pub(super) fn dead_after(
    terms: &Terms,
    spans: &Spans<'_>,
    formula: Term,
    cut: u32,
) -> Vec<(Symbol, Stage)> {
    let dead = |v: &_| spans.symbol(v).is_none_or(|span| span.last <= cut);
    terms.free_vars(formula).into_iter().filter(dead).collect()
}

/// The symbols of a formula that do not occur before a cut.
pub(super) fn new_after(
    terms: &Terms,
    spans: &Spans<'_>,
    formula: Term,
    cut: u32,
) -> Vec<(Symbol, Stage)> {
    let new = |v: &_| spans.symbol(v).is_none_or(|span| span.first > cut);
    terms.free_vars(formula).into_iter().filter(new).collect()
}

/// Computes interpolants from left to right: `next` is given the state after a block, its symbols
/// that do not occur later, and the following blocks.
fn forward(
    terms: &Terms,
    blocks: &[Term],
    next: impl Fn(Term, &[(Symbol, Stage)], &[Term]) -> Result<Term, Obstacle>,
) -> Result<Vec<Term>, Obstacle> {
    let spans = Spans::new(terms, blocks);
    let mut found: Vec<Term> = Vec::with_capacity(blocks.len());
    for cut in 0..blocks.len().saturating_sub(1) {
        let before = found.last().copied().unwrap_or(terms.tt());
        let here = terms.and2(before, blocks[cut]);
        let local = dead_after(terms, &spans, here, cut as u32);
        let interpolant = next(here, &local, &blocks[cut + 1..])?;
        found.push(terms.simplify(interpolant));
    }
    Ok(found)
}

/// Projected cubes of each prefix, as weak as what follows allows.
pub(super) fn projection(
    terms: &Terms,
    blocks: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    forward(terms, blocks, |here, local, rest| {
        let rest = terms.and(rest.iter().copied());
        enumerate(terms, here, local, rest, budget)
    })
}

/// Strongest postconditions of blocks.
pub(super) fn strongest_post(
    terms: &Terms,
    blocks: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    forward(terms, blocks, |here, local, _| {
        eliminated(terms, here, local, budget)
    })
}

/// The negation of a disjunction of cubes, as a conjunction of clauses.
fn complement(terms: &Terms, formula: Term) -> Term {
    let clause = |cube: Term| {
        let literals = terms.conjuncts(cube).into_iter();
        terms.or(literals.map(|l| terms.not(l)))
    };
    terms.and(terms.disjuncts(formula).into_iter().map(clause))
}

/// Weakest preconditions of blocks.
pub(super) fn weakest_pre(
    terms: &Terms,
    blocks: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    let spans = Spans::new(terms, blocks);
    let mut found: Vec<Term> = Vec::with_capacity(blocks.len());
    for cut in (0..blocks.len().saturating_sub(1)).rev() {
        let after = found.last().copied().unwrap_or(terms.ff());
        let failing = terms.and2(blocks[cut + 1], terms.not(after));
        let local = new_after(terms, &spans, failing, cut as u32);
        let bad = eliminated(terms, failing, &local, budget)?;
        found.push(terms.simplify(complement(terms, bad)));
    }
    found.reverse();
    Ok(found)
}
