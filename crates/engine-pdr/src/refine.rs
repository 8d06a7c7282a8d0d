//! Examines chains of cubes to a bad state: finds a run, or predicates that refute the chain.

use crate::predicates::Cube;
use sectile_engine::interpolation::{Method, path_interpolants};
use sectile_engine::{Run, SafetyQuestion, Stop, Unroller, step_number};
use sectile_model::Trace;
use sectile_solver::Answer;
use sectile_terms::{Term, Terms};

/// The result for a chain.
pub enum Chain {
    /// It has a run.
    Run(Trace),
    /// It is spurious; with interpolants over the current state.
    Spurious(Vec<Term>),
}

/// Examines chains of a system.
pub struct Refiner<'t> {
    terms: &'t Terms,
    unroller: Unroller<'t>,
    bad: Term,
}

impl<'t> Refiner<'t> {
    /// A refiner for a safety question.
    pub fn new(terms: &'t Terms, asked: &SafetyQuestion<'t>) -> Refiner<'t> {
        Refiner {
            terms,
            unroller: Unroller::new(terms, asked.system),
            bad: asked.bad,
        }
    }

    /// Returns a run along the chain, or interpolants that refute it. `is_new` tells whether
    /// formulas have new predicates.
    ///
    /// Paper: [CiGrMoTo14, Sect. 4].
    pub fn look(
        &self,
        chain: &[Cube],
        is_new: impl Fn(&[Term]) -> bool,
        run: &mut Run<'_>,
    ) -> Result<Chain, Stop> {
        // If the interpolants along the cubes have no new predicates, try all runs of the same
        // length.
        for with_cubes in [true, false] {
            let parts = self.parts(chain, with_cubes);
            let mut solver = run.backend.solver(self.terms)?;
            match solver.check(&parts, &run.budget)? {
                Answer::Sat(model) => {
                    let length = step_number(chain.len() - 1);
                    return Ok(Chain::Run(self.unroller.trace(model, length)?));
                }
                Answer::Unknown(why) => return Err(why.into()),
                Answer::Unsat(_) => {}
            }
            for method in Method::defaults() {
                let mut interpolator = method.interpolator(self.terms, run.backend)?;
                let sequence = path_interpolants(interpolator.as_mut(), &parts, run)?;
                let steps = sequence.iter().enumerate();
                let now = steps.map(|(k, &i)| self.terms.from_step(i, step_number(k + 1)));
                let now: Vec<Term> = now.collect();
                if is_new(&now) {
                    return Ok(Chain::Spurious(now));
                }
            }
        }
        Err(Stop::incomplete(
            "a chain of states has no run, and its interpolants bring no new predicate",
        ))
    }

    /// The formulas of the chain: each state with the step after it, and the last state.
    fn parts(&self, chain: &[Cube], with_cubes: bool) -> Vec<Term> {
        let terms = self.terms;
        let last = chain.len() - 1;
        let part = |(k, cube): (usize, &Cube)| {
            let step = step_number(k);
            let mut all = Vec::new();
            if k == 0 {
                all.push(self.unroller.start());
            }
            if with_cubes {
                all.extend(cube.iter().map(|&l| self.unroller.at(l, step)));
            }
            all.push(match k == last {
                true => self.unroller.at(self.bad, step),
                false => self.unroller.step(step),
            });
            terms.and(all)
        };
        chain.iter().enumerate().map(part).collect()
    }
}
