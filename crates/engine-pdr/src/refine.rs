//! A chain of cubes from the start to a bad state: a run, or predicates that tell its cubes apart.

use crate::predicates::Cube;
use sectile_engine::interpolation::{Method, path_interpolants};
use sectile_engine::{Run, SafetyQuestion, Stop, Unroller, step_number};
use sectile_model::Trace;
use sectile_solver::Answer;
use sectile_terms::{Term, Terms};

/// What a chain is.
pub enum Chain {
    /// There is a run along it.
    Run(Trace),
    /// There is none; what separates its beginnings from its ends, about the current state.
    Spurious(Vec<Term>),
}

/// Looks at chains of one system.
pub struct Refiner<'t> {
    terms: &'t Terms,
    unroller: Unroller<'t>,
    bad: Term,
}

impl<'t> Refiner<'t> {
    /// For a question.
    pub fn new(terms: &'t Terms, asked: &SafetyQuestion<'t>) -> Refiner<'t> {
        Refiner {
            terms,
            unroller: Unroller::new(terms, asked.system),
            bad: asked.bad,
        }
    }

    /// Whether there is a run along the chain, and otherwise what refutes it. `is_new` says whether
    /// formulas bring predicates that were not there.
    ///
    /// Paper: [CiGrMoTo14, Sect. 4].
    pub fn look(
        &self,
        chain: &[Cube],
        is_new: impl Fn(&[Term]) -> bool,
        run: &mut Run<'_>,
    ) -> Result<Chain, Stop> {
        // Where interpolants along the cubes have nothing new, those of all runs of that length may.
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

    /// The formulas of the chain: a state and the step behind it, and the last state.
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
