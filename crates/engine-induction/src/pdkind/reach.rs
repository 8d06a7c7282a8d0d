//! Which states are reached within this many steps, answered from the goal backwards.

use super::Projected;
use sectile_engine::interpolation::{Method, path_interpolants};
use sectile_engine::{Run, Stop, Unroller};
use sectile_solver::{Answer, Interpolator, Solver};
use sectile_terms::Term;

/// What is known about a set of states.
pub enum Reached {
    /// One of them is reached after exactly this many steps.
    After(u32),
    /// None is within the bound: a formula that holds of all states within it, and of none of these.
    Never(Term),
}

/// For every bound, a formula that holds of all states within it.
///
/// Paper: [JovDut16, Alg. 1]. Differs: the formulas are about all states within a bound, not about
/// those at an exact distance.
pub struct Reach<'u> {
    unroller: &'u Unroller<'u>,
    interpolator: Box<dyn Interpolator + 'u>,
    initial: Box<dyn Solver + 'u>,
    /// The steps from the states within each bound.
    levels: Vec<Level<'u>>,
}

struct Level<'u> {
    /// What holds of all states within the bound.
    known: Vec<Term>,
    /// A step from one of them.
    solver: Box<dyn Solver + 'u>,
}

impl<'u> Reach<'u> {
    /// Nothing is known but where runs start.
    pub fn new(unroller: &'u Unroller<'u>, run: &Run<'_>) -> Result<Reach<'u>, Stop> {
        let terms = unroller.terms();
        let method = Method::Preferred("decomposed".to_string());
        let mut initial = run.backend.solver(terms)?;
        initial.assert(unroller.start())?;
        Ok(Reach {
            unroller,
            interpolator: method.interpolator(terms, run.backend)?,
            initial,
            levels: Vec::new(),
        })
    }

    /// Whether one of the states is reached within this many steps.
    pub fn within(&mut self, bound: u32, goal: Term, run: &Run<'_>) -> Result<Reached, Stop> {
        let goal_at_start = self.unroller.at(goal, 0);
        match self.initial.check(&[goal_at_start], &run.budget)? {
            Answer::Sat(_) => return Ok(Reached::After(0)),
            Answer::Unknown(why) => return Err(why.into()),
            Answer::Unsat(_) => {}
        }
        let Some(before) = bound.checked_sub(1) else {
            return Ok(Reached::Never(self.explanation(None, goal, run)?));
        };
        let after = self.unroller.at(goal, 1);
        loop {
            self.open(before, run)?;
            let level = &mut self.levels[before as usize];
            let step = self.unroller.step(0);
            let sources = match level.solver.check(&[after], &run.budget)? {
                Answer::Unknown(why) => return Err(why.into()),
                Answer::Unsat(_) => break,
                Answer::Sat(model) => self.unroller.projected(&[step, after], model, run)?,
            };
            match self.within(before, sources, run)? {
                Reached::After(steps) => return Ok(Reached::After(steps + 1)),
                Reached::Never(why) => self.learn(before, why)?,
            }
        }
        Ok(Reached::Never(self.explanation(Some(before), goal, run)?))
    }

    /// A formula that holds at the start and after every step from the states within a bound, and of
    /// none of the goal.
    fn explanation(
        &mut self,
        before: Option<u32>,
        goal: Term,
        run: &Run<'_>,
    ) -> Result<Term, Stop> {
        let (unroller, terms) = (self.unroller, self.unroller.terms());
        let start = terms.at_step(terms.from_step(unroller.start(), 0), 1);
        let steps = before.map(|before| {
            let known = self.levels[before as usize].known.iter();
            let known = known.map(|&t| unroller.at(t, 0));
            let from = match before {
                0 => unroller.start(),
                _ => unroller.any_state(0),
            };
            terms.and(known.chain([from, unroller.step(0)]))
        });
        let reached = terms.or(steps.into_iter().chain([start]));
        let blocks = [reached, unroller.at(goal, 1)];
        let found = path_interpolants(self.interpolator.as_mut(), &blocks, run)?;
        let found = found.first().copied().unwrap_or_else(|| terms.tt());
        Ok(terms.from_step(found, 1))
    }

    /// Makes the solvers of all bounds up to this one.
    fn open(&mut self, bound: u32, run: &Run<'_>) -> Result<(), Stop> {
        while self.levels.len() <= bound as usize {
            let mut solver = run.backend.solver(self.unroller.terms())?;
            solver.assert(match self.levels.is_empty() {
                true => self.unroller.start(),
                false => self.unroller.any_state(0),
            })?;
            solver.assert(self.unroller.step(0))?;
            self.levels.push(Level {
                known: Vec::new(),
                solver,
            });
        }
        Ok(())
    }

    /// What holds within a bound holds within smaller ones.
    fn learn(&mut self, bound: u32, fact: Term) -> Result<(), Stop> {
        for level in &mut self.levels[..=bound as usize] {
            level.known.push(fact);
            level.solver.assert(self.unroller.at(fact, 0))?;
        }
        Ok(())
    }
}
