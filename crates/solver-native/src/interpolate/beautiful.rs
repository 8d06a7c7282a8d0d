//! Interpolants with few simple predicates, from samples of both sides.
//!
//! Each side of a cut is sampled by cubes over the shared symbols. A candidate separates the
//! samples by as few and as small half-spaces as are found; a model of the first side outside the
//! candidate, or of the second side inside it, gives the next sample. No proof is needed, and the
//! shape of the result does not depend on how the solver searched.
//!
//! Paper: [AlMc13].

use super::Obstacle;
use super::cubes::{dead_after, new_after, next_cube};
use super::half_space::{Polyhedron, Size, grow};
use super::proof::interpolate;
use super::query::refute;
use super::spans::Spans;
use crate::context::NativeSolver;
use crate::interpolate::Method;
use sectile_base::Budget;
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Node, Stage, Symbol, Term, Terms};

/// Maximum number of samples of both sides.
const MAX_SAMPLES: usize = 32;
/// Polls of the budget that one comparison of a predicate with a cube may take.
const POLLS_PER_CHECK: u64 = 40;

/// One side of a cut.
struct Sampled<'t> {
    solver: NativeSolver<'t>,
    formula: Term,
    local: Vec<(Symbol, Stage)>,
    cubes: Vec<Vec<Term>>,
    polyhedra: Vec<Polyhedron>,
}

impl<'t> Sampled<'t> {
    fn new(
        terms: &'t Terms,
        formula: Term,
        local: Vec<(Symbol, Stage)>,
    ) -> Result<Sampled<'t>, SolverError> {
        let mut solver = NativeSolver::new(terms);
        solver.assert(formula)?;
        Ok(Sampled {
            solver,
            formula,
            local,
            cubes: Vec::new(),
            polyhedra: Vec::new(),
        })
    }

    /// Takes a sample in a region; false if this side is empty there.
    fn sample(&mut self, terms: &Terms, region: Term, budget: &Budget) -> Result<bool, Obstacle> {
        self.solver.push();
        self.solver.assert(region)?;
        let found = next_cube(terms, &mut self.solver, self.formula, &self.local, budget);
        self.solver.pop();
        let Some(cube) = found? else {
            return Ok(false);
        };
        self.polyhedra.push(Polyhedron::of(terms, &cube));
        self.cubes.push(cube);
        Ok(true)
    }
}

/// A predicate with the samples it separates.
struct Predicate {
    term: Term,
    /// Samples of the first side inside it.
    inside: Vec<bool>,
    /// Samples of the second side outside it.
    outside: Vec<bool>,
}

fn mask(members: &[usize], length: usize) -> Vec<bool> {
    (0..length).map(|i| members.contains(&i)).collect()
}

/// The sequence of interpolants, cut by cut.
pub(super) fn beautiful(
    terms: &Terms,
    blocks: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    let spans = Spans::new(terms, blocks);
    let mut found: Vec<Term> = Vec::with_capacity(blocks.len());
    for cut in 0..blocks.len().saturating_sub(1) {
        let before = found.last().copied().unwrap_or(terms.tt());
        let first = terms.and2(before, blocks[cut]);
        let second = terms.and(blocks[cut + 1..].iter().copied());
        let dead = dead_after(terms, &spans, first, cut as u32);
        let new = new_after(terms, &spans, second, cut as u32);
        let mut sides = Sides {
            terms,
            budget,
            first: Sampled::new(terms, first, dead)?,
            second: Sampled::new(terms, second, new)?,
        };
        found.push(sides.separate()?);
    }
    Ok(found)
}

/// Both sides of a cut.
struct Sides<'t, 'b> {
    terms: &'t Terms,
    budget: &'b Budget,
    first: Sampled<'t>,
    second: Sampled<'t>,
}

impl Sides<'_, '_> {
    fn separate(&mut self) -> Result<Term, Obstacle> {
        let (terms, budget) = (self.terms, self.budget);
        // Often one side alone is contradictory, or everything before the cut is irrelevant.
        if !self.second.sample(terms, terms.tt(), budget)? {
            return Ok(terms.tt());
        }
        if !self.first.sample(terms, terms.tt(), budget)? {
            return Ok(terms.ff());
        }
        while self.first.cubes.len() + self.second.cubes.len() <= MAX_SAMPLES {
            let candidate = terms.simplify(self.candidate()?);
            if self.first.sample(terms, terms.not(candidate), budget)? {
                continue;
            }
            if !self.second.sample(terms, candidate, budget)? {
                return Ok(candidate);
            }
        }
        Err(Obstacle::TooLarge)
    }

    /// A formula that contains all samples of the first side and none of the second.
    fn candidate(&self) -> Result<Term, Obstacle> {
        let mut predicates: Vec<Predicate> = Vec::new();
        for i in 0..self.first.cubes.len() {
            for j in 0..self.second.cubes.len() {
                if predicates.iter().any(|p| p.inside[i] && p.outside[j]) {
                    continue;
                }
                predicates.push(match self.by_half_space((i, j))? {
                    Some(predicate) => predicate,
                    None => self.by_proof((i, j))?,
                });
            }
        }
        let cubes = (0..self.first.cubes.len()).map(|i| around(self.terms, &predicates, i));
        Ok(self.terms.or(cubes))
    }

    fn by_half_space(&self, pair: (usize, usize)) -> Result<Option<Predicate>, SolverError> {
        let (inside, outside) = (&self.first.polyhedra, &self.second.polyhedra);
        for size in Size::LADDER {
            if let Some(found) = grow(self.terms, inside, outside, pair, size, self.budget)? {
                return Ok(Some(Predicate {
                    term: found.term,
                    inside: mask(&found.inside, inside.len()),
                    outside: mask(&found.outside, outside.len()),
                }));
            }
        }
        Ok(None)
    }

    /// If arithmetic does not separate two samples: a literal of one of them, or else an
    /// interpolant from a refutation of the two.
    fn by_proof(&self, (i, j): (usize, usize)) -> Result<Predicate, Obstacle> {
        let (terms, budget) = (self.terms, self.budget);
        let (a, b) = (&self.first.cubes[i], &self.second.cubes[j]);
        let own = a.iter().copied().filter(|&l| !is_bound(terms, l));
        let other = b.iter().copied().filter(|&l| !is_bound(terms, l));
        for term in own.chain(other.map(|l| terms.not(l))) {
            if self.implies(a, term)? && self.implies(b, terms.not(term))? {
                return Ok(self.judged(term)?);
            }
        }
        let blocks = [a, b].map(|cube| terms.and(cube.iter().copied()));
        let refutation = refute(terms, &blocks, false, budget)?;
        let (Some(refutation), Some(reading)) = (refutation, Method::default().reading()) else {
            return Err(Obstacle::Undecided);
        };
        let list = interpolate(terms, &blocks, &refutation, reading, budget)?;
        Ok(self.judged(list[0])?)
    }

    /// A predicate with all samples that it separates.
    fn judged(&self, term: Term) -> Result<Predicate, SolverError> {
        let all = |cubes: &[Vec<Term>], formula: Term| -> Result<Vec<bool>, SolverError> {
            cubes.iter().map(|c| self.implies(c, formula)).collect()
        };
        Ok(Predicate {
            term,
            inside: all(&self.first.cubes, term)?,
            outside: all(&self.second.cubes, self.terms.not(term))?,
        })
    }

    /// Whether a cube is known to imply a formula.
    fn implies(&self, cube: &[Term], formula: Term) -> Result<bool, SolverError> {
        let limit = self.budget.clone().with_steps(POLLS_PER_CHECK);
        let cube = self.terms.and(cube.iter().copied());
        let mut solver = NativeSolver::new(self.terms);
        solver.assert(self.terms.and2(cube, self.terms.not(formula)))?;
        Ok(solver.check(&[], &limit)?.is_unsat())
    }
}

/// A conjunction of few predicates that contains a sample of the first side and excludes all of
/// the second.
fn around(terms: &Terms, predicates: &[Predicate], sample: usize) -> Term {
    let known: Vec<&Predicate> = predicates.iter().filter(|p| p.inside[sample]).collect();
    let all = known.first().map_or(0, |p| p.outside.len());
    let mut missing: Vec<usize> = (0..all).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |p: &&&Predicate| missing.iter().filter(|&&j| p.outside[j]).count();
        // Among equally good ones the earliest, which has the smallest coefficients.
        let best = known.iter().rev().max_by_key(gain);
        let best = best.expect("some predicate contains the sample");
        missing.retain(|&j| !best.outside[j]);
        chosen.push(best.term);
    }
    terms.and(chosen)
}

fn is_bound(terms: &Terms, literal: Term) -> bool {
    let (atom, _) = terms.strip_not(literal);
    matches!(terms.node(atom), Node::NonPos(_) | Node::Neg(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_terms::{Sort, SymbolKind};
    use std::time::Duration;

    /// The budget may end just when a refutation of two samples is asked for.
    #[test]
    fn a_spent_budget_gives_no_refutation() {
        let terms = Terms::new();
        let [x, y, z] =
            ["x", "y", "z"].map(|n| terms.var(terms.fresh(n, Sort::Int, SymbolKind::State)));
        let side = |formula: Term| {
            let mut side = Sampled::new(&terms, formula, Vec::new()).expect("it is linear");
            let sampled = side.sample(&terms, terms.tt(), &Budget::unlimited());
            assert_eq!(sampled, Ok(true));
            side
        };
        let separated = |budget: &Budget| {
            let sides = Sides {
                terms: &terms,
                budget,
                first: side(terms.and2(terms.le(x, y), terms.le(y, z))),
                second: side(terms.lt(z, x)),
            };
            sides.by_proof((0, 0)).map(|p| p.inside[0] && p.outside[0])
        };
        assert_eq!(separated(&Budget::unlimited()), Ok(true));
        let spent = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(separated(&spent), Err(Obstacle::Undecided));
    }
}
