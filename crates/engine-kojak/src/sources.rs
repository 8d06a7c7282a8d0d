//! Sources of interpolants besides the methods of the solver.

use sectile_engine::{EngineError, PathFormulas, Run};
use sectile_solver::{Answer, Interpolation, Interpolator};
use sectile_terms::{Stage, Term, Terms};

/// The infeasible part of a path, as input of the sources.
pub(crate) struct Question<'q> {
    pub formulas: &'q PathFormulas<'q>,
    /// The formulas of the edges, with the labels.
    pub blocks: &'q [Term],
    /// The position of the first node on the path.
    pub first: usize,
    /// The locations of the nodes, one more than blocks.
    pub locations: &'q [usize],
}

impl<'q> Question<'q> {
    /// The store of the formulas.
    pub fn terms(&self) -> &'q Terms {
        self.formulas.terms()
    }

    /// A formula over the state before the block with this number.
    fn at(&self, formula: Term, block: usize) -> Term {
        self.formulas.at(formula, self.first + block)
    }

    /// The visits of the most frequently visited location, if there is more than one visit.
    fn repeated(&self) -> Option<Vec<usize>> {
        let inner = 1..self.blocks.len();
        let visits = |l: usize| -> Vec<usize> {
            let all = inner.clone();
            all.filter(|&k| self.locations[k] == l).collect()
        };
        let mut all: Vec<Vec<usize>> = inner.clone().map(|k| visits(self.locations[k])).collect();
        all.sort_by_key(Vec::len);
        all.pop().filter(|visits| visits.len() > 1)
    }
}

/// Known predicates that refute the path, if they do.
///
/// Forwards, all known predicates that hold after each block are collected; backwards, only those
/// needed for the contradiction are kept.
pub(crate) fn reuse(
    question: &Question<'_>,
    known: &[Vec<Term>],
    run: &Run<'_>,
) -> Result<Option<Vec<Term>>, EngineError> {
    let terms = question.terms();
    let mut solver = run.backend.solver(terms)?;
    let mut holding: Vec<Vec<Term>> = vec![Vec::new()];
    for (k, &block) in question
        .blocks
        .iter()
        .enumerate()
        .take(question.blocks.len() - 1)
    {
        let mut here = Vec::new();
        for &predicate in &known[question.locations[k + 1]] {
            for literal in [predicate, terms.not(predicate)] {
                let mut assumptions = holding[k].clone();
                let after = question.at(literal, k + 1);
                assumptions.extend([block, terms.not(after)]);
                if solver.check(&assumptions, &run.budget)?.is_unsat() {
                    here.push(after);
                }
            }
        }
        holding.push(here);
    }
    let mut needed = terms.ff();
    let mut sequence = Vec::new();
    for (k, &block) in question.blocks.iter().enumerate().rev() {
        let mut assumptions = holding[k].clone();
        assumptions.extend([block, terms.not(needed)]);
        let core = match solver.check(&assumptions, &run.budget)? {
            Answer::Unsat(refutation) => refutation.core(),
            Answer::Sat(_) | Answer::Unknown(_) => return Ok(None),
        };
        needed = terms.and(holding[k].iter().copied().filter(|t| core.contains(t)));
        sequence.push(needed);
    }
    sequence.pop();
    sequence.reverse();
    Ok(Some(sequence))
}

/// One formula for all visits of a location, if an inductive one exists.
///
/// The states before the visits are on one side, the bad states after the visits on the other; an
/// interpolant of the two fits all visits.
pub(crate) fn joint(
    question: &Question<'_>,
    interpolator: &mut dyn Interpolator,
    run: &Run<'_>,
) -> Result<Option<Vec<Term>>, EngineError> {
    let Some(visits) = question.repeated() else {
        return Ok(None);
    };
    let terms = question.terms();
    let before = visits.iter().map(|&k| arrive(question, k, Side::Before));
    let after = visits.iter().map(|&k| arrive(question, k, Side::After));
    let sides = [
        terms.or(before.collect::<Vec<_>>()),
        terms.or(after.collect::<Vec<_>>()),
    ];
    let formula = match interpolator.sequence(&sides, &run.budget)? {
        Interpolation::Unsat(list) => list[0],
        Interpolation::Sat(_) | Interpolation::Unknown(_) => return Ok(None),
    };
    let mut sequence = Vec::new();
    let mut start = 0;
    for &end in visits.iter().chain([&question.blocks.len()]) {
        let mut part = question.blocks[start..end].to_vec();
        if start > 0 {
            part[0] = terms.and2(part[0], question.at(formula, start));
        }
        if end < question.blocks.len() {
            part.push(terms.not(question.at(formula, end)));
        }
        match interpolator.sequence(&part, &run.budget)? {
            Interpolation::Unsat(list) => {
                // The interpolant at the end of a part is replaced by the joint formula.
                sequence.extend(&list[..(end - start) - 1]);
            }
            Interpolation::Sat(_) | Interpolation::Unknown(_) => return Ok(None),
        }
        if end < question.blocks.len() {
            sequence.push(question.at(formula, end));
        }
        start = end;
    }
    Ok(Some(sequence))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// The blocks before or after a visit, with the state at the visit as the current state.
fn arrive(question: &Question<'_>, visit: usize, side: Side) -> Term {
    let terms = question.terms();
    let part = match side {
        Side::Before => &question.blocks[..visit],
        Side::After => &question.blocks[visit..],
    };
    let here = u32::try_from(question.first + visit).unwrap_or(u32::MAX / 2);
    // Each side has its own copies, so that they share only the current state.
    let copy = |stage: Stage| match (stage, side) {
        (Stage::At(k), _) if k == here => Stage::Now,
        (Stage::At(k), Side::After) => Stage::At(k + u32::MAX / 2),
        (other, _) => other,
    };
    terms.and(
        part.iter()
            .map(|&t| terms.restage(t, |_, stage| copy(stage))),
    )
}
