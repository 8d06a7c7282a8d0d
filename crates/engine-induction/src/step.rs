//! The step case: whether `depth` consecutive good states are always followed by a good one.

use sectile_engine::{EngineError, Run, Stop, Unroller};
use sectile_model::Trace;
use sectile_solver::{Answer, ModelView, Solver};
use sectile_terms::{Term, Value};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The result of the step case.
pub enum StepCase {
    /// They are.
    Inductive {
        /// Whether runs with repeated states had to be excluded.
        simple_paths: bool,
    },
    /// They are not.
    NotInductive,
}

/// The step cases, one depth after the other, in one solver.
pub struct Induction<'u> {
    unroller: &'u Unroller<'u>,
    solver: Box<dyn Solver + 'u>,
    bad: Term,
    /// The conjunction of inductive formulas.
    known: Term,
    unrolled: u32,
    /// Pairs of steps whose states are required to differ.
    differing: Vec<(u32, u32)>,
    /// The last counterexample to induction.
    pub counterexample: Option<Trace>,
}

impl<'u> Induction<'u> {
    /// Starts with any state that satisfies the known inductive formulas.
    pub fn new(
        unroller: &'u Unroller<'u>,
        bad: Term,
        known: Term,
        run: &Run<'_>,
    ) -> Result<Induction<'u>, EngineError> {
        let mut solver = run.backend.solver(unroller.terms())?;
        solver.assert(unroller.any_state(0))?;
        solver.assert(unroller.at(known, 0))?;
        Ok(Induction {
            unroller,
            solver,
            bad,
            known,
            unrolled: 0,
            differing: Vec::new(),
            counterexample: None,
        })
    }

    /// Decides the step case for this depth; depths must not decrease.
    ///
    /// Paper: [ShSiSt00]. Differs: two states are required to differ only once a counterexample
    /// to induction makes them equal.
    pub fn step(&mut self, depth: u32, run: &mut Run<'_>) -> Result<StepCase, Stop> {
        let unroller = self.unroller;
        while self.unrolled < depth {
            let good = unroller.terms().not(unroller.at(self.bad, self.unrolled));
            self.solver.assert(good)?;
            self.solver.assert(unroller.step(self.unrolled))?;
            self.unrolled += 1;
            self.solver.assert(unroller.at(self.known, self.unrolled))?;
        }
        let bad = unroller.at(self.bad, depth);
        loop {
            let repeated = match self.solver.check(&[bad], &run.budget)? {
                Answer::Unsat(_) => {
                    return Ok(StepCase::Inductive {
                        simple_paths: !self.differing.is_empty(),
                    });
                }
                Answer::Unknown(why) => return Err(why.into()),
                Answer::Sat(model) => {
                    let repeated = repeated_states(unroller, model, depth);
                    self.counterexample = None;
                    if repeated.is_empty() && depth <= crate::LONGEST_REPORTED {
                        self.counterexample = unroller.trace(model, depth).ok();
                    }
                    repeated
                }
            };
            if repeated.is_empty() {
                return Ok(StepCase::NotInductive);
            }
            for (i, j) in repeated {
                self.solver.assert(unroller.differ(i, j))?;
                self.differing.push((i, j));
            }
        }
    }

    /// The known formulas that the last successful step case needs.
    pub fn used(&self, known: &[Term], run: &Run<'_>) -> Result<Vec<Term>, EngineError> {
        let (unroller, depth) = (self.unroller, self.unrolled);
        let terms = unroller.terms();
        let mut solver = run.backend.solver(terms)?;
        solver.assert(unroller.any_state(0))?;
        for k in 0..depth {
            solver.assert(terms.not(unroller.at(self.bad, k)))?;
            solver.assert(unroller.step(k))?;
        }
        solver.assert(unroller.at(self.bad, depth))?;
        for &(i, j) in &self.differing {
            solver.assert(unroller.differ(i, j))?;
        }
        let always = |t: Term| terms.and((0..=depth).map(|k| unroller.at(t, k)));
        let assumed: Vec<Term> = known.iter().map(|&t| always(t)).collect();
        match solver.check(&assumed, &run.budget)? {
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                let used = known.iter().zip(&assumed).filter(|(_, a)| core.contains(a));
                Ok(used.map(|(&t, _)| t).collect())
            }
            _ => Ok(known.to_vec()),
        }
    }
}

/// Pairs of steps at which the model has the same state.
fn repeated_states(unroller: &Unroller<'_>, model: &dyn ModelView, depth: u32) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let mut first: BTreeMap<Vec<Value>, u32> = BTreeMap::new();
    for j in 0..=depth {
        // One pair for each later state is enough: excluding it changes the model.
        match first.entry(unroller.values(model, j)) {
            Entry::Occupied(known) => pairs.push((*known.get(), j)),
            Entry::Vacant(place) => {
                place.insert(j);
            }
        }
    }
    pairs
}
