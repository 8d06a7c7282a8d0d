//! Property-directed k-induction: lemmas that are inductive over several steps, derived from
//! counterexamples to induction.
//!
//! Paper: [JovDut16]. A frame is a set of lemmas that hold within a bound, each with the states it
//! excludes. Lemmas that follow from the frame over `k` steps are pushed to the next bound. If one
//! does not, states before the failure are computed: if these lead to the excluded states, they are
//! either reachable, and the property is violated, or excluded by a lemma of their own. If they
//! only lead out of the lemma, it is strengthened if they are unreachable and given up otherwise.

mod reach;

use crate::{ACCEPTS, certificate};
use reach::{Reach, Reached};
use sectile_engine::{
    Accepts, AtMost, Engine, EngineError, Info, Options, Run, SafetyQuestion, Stop, Unroller,
    options, safety_question,
};
use sectile_model::{Certificate, Task, Trace, Verdict};
use sectile_solver::{Answer, ModelView, Solver, SolverError};
use sectile_solver_native::project::{implicant, mbp};
use sectile_terms::{Stage, Term};
use std::collections::VecDeque;

options! {
    /// The options of `pdkind`.
    struct Depths {
        /// the largest number of steps for induction
        steps("induction-steps"): AtMost = AtMost(8),
    }
}

/// Property-directed k-induction.
#[derive(Clone, Copy, Debug, Default)]
pub struct PdKind;

impl Engine for PdKind {
    fn info(&self) -> Info {
        Info {
            name: "pdkind",
            summary: "property-directed k-induction: lemmas from what induction misses",
            papers: &["JovDut16"],
            accepts: Accepts {
                arrays: false,
                functions: false,
                ..ACCEPTS
            },
            options: Depths::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let most = Depths::read(run.settings)?.steps;
        let unroller = Unroller::new(task.terms, asked.system);
        let mut search = Search {
            asked: &asked,
            unroller: &unroller,
            most_steps: u32::try_from(most.0).unwrap_or(u32::MAX).max(1),
            bound: 0,
        };
        let decided = search.decide(run);
        let reached = format!("no violation has {} steps or fewer", search.bound);
        decided.or_else(|stop| stop.verdict(reached))
    }
}

/// A lemma that holds within the bound, with its purpose.
#[derive(Clone, Copy)]
struct Entry {
    lemma: Term,
    /// States that lead to a violation.
    excluded: Term,
    /// The number of steps to the violation.
    distance: u32,
}

/// The result of pushing a frame.
enum Pushed {
    /// All lemmas hold in the next bound, and inductively in every one.
    Inductive,
    /// These lemmas hold in the next bound.
    Some(Vec<Entry>),
    /// There is a violation of exactly this many steps.
    Violated(u32),
}

struct Search<'s> {
    asked: &'s SafetyQuestion<'s>,
    unroller: &'s Unroller<'s>,
    most_steps: u32,
    /// All lemmas hold in the states reachable within this many steps.
    bound: u32,
}

impl Search<'_> {
    fn decide(&mut self, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        let (terms, bad) = (self.unroller.terms(), self.asked.bad);
        let mut reach = Reach::new(self.unroller, run)?;
        if let Reached::After(steps) = reach.within(0, bad, run)? {
            return self.violated(steps, run);
        }
        let mut frame = vec![Entry {
            lemma: terms.not(bad),
            excluded: bad,
            distance: 0,
        }];
        loop {
            let depth = self.bound.saturating_add(1).min(self.most_steps);
            run.count("bound", u64::from(self.bound));
            run.count("lemmas", frame.len() as u64);
            match self.push(&mut frame, depth, &mut reach, run)? {
                Pushed::Violated(steps) => return self.violated(steps, run),
                Pushed::Some(kept) => frame = kept,
                Pushed::Inductive => {
                    run.count("k", u64::from(depth));
                    let invariant = terms.and(frame.iter().map(|e| e.lemma));
                    return Ok(Verdict::Holds(certificate(invariant, depth, false)));
                }
            }
            self.bound += 1;
        }
    }

    /// Pushes the lemmas of a frame to the next bound.
    ///
    /// Paper: [JovDut16, Alg. 2]. Differs: the next bound is one larger, whatever `depth` is.
    fn push(
        &self,
        frame: &mut Vec<Entry>,
        depth: u32,
        reach: &mut Reach<'_>,
        run: &mut Run<'_>,
    ) -> Result<Pushed, Stop> {
        let terms = self.unroller.terms();
        let mut steps = self.steps(depth, run)?;
        for entry in frame.iter() {
            self.assume(steps.as_mut(), depth, entry.lemma)?;
        }
        let mut waiting: VecDeque<usize> = (0..frame.len()).collect();
        let (mut kept, mut given_up) = (Vec::new(), false);
        while let Some(next) = waiting.pop_front() {
            run.budget.poll()?;
            let entry = frame[next];
            let falls = terms.not(entry.lemma);
            let Some(leaving) = self.sources(steps.as_mut(), depth, falls, run)? else {
                kept.push(entry);
                continue;
            };
            let leading = self.sources(steps.as_mut(), depth, entry.excluded, run)?;
            let before = leading.unwrap_or(leaving);
            match (reach.within(self.bound, before, run)?, leading) {
                (Reached::After(s), Some(_)) => {
                    return Ok(Pushed::Violated(s + depth + entry.distance));
                }
                (Reached::Never(why), Some(excluded)) => {
                    self.assume(steps.as_mut(), depth, why)?;
                    waiting.push_front(next);
                    waiting.push_front(frame.len());
                    frame.push(Entry {
                        lemma: why,
                        excluded,
                        distance: entry.distance + depth,
                    });
                }
                (Reached::After(_), None) => {
                    given_up = true;
                    kept.push(Entry {
                        lemma: terms.not(entry.excluded),
                        ..entry
                    });
                }
                (Reached::Never(why), None) => {
                    self.assume(steps.as_mut(), depth, why)?;
                    frame[next].lemma = terms.and2(entry.lemma, why);
                    waiting.push_front(next);
                }
            }
        }
        Ok(match given_up {
            true => Pushed::Some(kept),
            false => Pushed::Inductive,
        })
    }

    /// A solver with this many consecutive steps asserted.
    fn steps(&self, depth: u32, run: &Run<'_>) -> Result<Box<dyn Solver + '_>, Stop> {
        let mut solver = run.backend.solver(self.unroller.terms())?;
        solver.assert(self.unroller.any_state(0))?;
        for k in 0..depth {
            solver.assert(self.unroller.step(k))?;
        }
        Ok(solver)
    }

    /// A lemma holds before every step.
    fn assume(&self, solver: &mut dyn Solver, depth: u32, lemma: Term) -> Result<(), SolverError> {
        (0..depth).try_for_each(|k| solver.assert(self.unroller.at(lemma, k)))
    }

    /// States from which this many steps lead into the target, through the frame.
    fn sources(
        &self,
        solver: &mut dyn Solver,
        depth: u32,
        goal: Term,
        run: &Run<'_>,
    ) -> Result<Option<Term>, Stop> {
        let goal = self.unroller.at(goal, depth);
        match solver.check(&[goal], &run.budget)? {
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(why) => Err(why.into()),
            Answer::Sat(model) => {
                let steps = (0..depth).map(|k| self.unroller.step(k));
                let path: Vec<Term> = steps.chain([goal]).collect();
                self.unroller.projected(&path, model, run).map(Some)
            }
        }
    }

    /// The violation of exactly this many steps.
    fn violated(&self, steps: u32, run: &Run<'_>) -> Result<Verdict, Stop> {
        let trace = self.violation(steps, run)?;
        Ok(Verdict::Violated(Certificate::Trace(trace)))
    }

    fn violation(&self, steps: u32, run: &Run<'_>) -> Result<Trace, Stop> {
        let unroller = self.unroller;
        let mut solver = run.backend.solver(unroller.terms())?;
        solver.assert(unroller.start())?;
        for k in 0..steps {
            solver.assert(unroller.step(k))?;
        }
        solver.assert(unroller.at(self.asked.bad, steps))?;
        match solver.check(&[], &run.budget)? {
            Answer::Sat(model) => Ok(unroller.trace(model, steps)?),
            Answer::Unknown(why) => Err(why.into()),
            Answer::Unsat(_) => Err(Stop::bug("a violation that was found is none")),
        }
    }
}

/// Projection to the start of a path.
trait Projected {
    /// States from which the path can be taken for the same reasons as in a model; they include the
    /// state of the model.
    fn projected(&self, path: &[Term], model: &dyn ModelView, run: &Run<'_>) -> Result<Term, Stop>;
}

/// Number of literals searched for a variable in one unit of work.
const LOOKS: u64 = 2000;

impl Projected for Unroller<'_> {
    fn projected(&self, path: &[Term], model: &dyn ModelView, run: &Run<'_>) -> Result<Term, Stop> {
        let terms = self.terms();
        let system = self.system();
        let stays = |s, stage| match stage {
            Stage::At(0) => system.variables.contains(&s),
            Stage::Now => system.rigid.contains(&s),
            _ => false,
        };
        let path = terms.and(path.iter().copied());
        let literals = implicant(terms, path, model).map_err(unprojectable)?;
        let gone = terms.free_vars(path).into_iter();
        let mut gone: Vec<_> = gone.filter(|&(s, stage)| !stays(s, stage)).collect();
        gone.sort();
        let (variables, parts) = (gone.len() as u64, literals.len() as u64);
        run.budget.poll_for(variables * variables * parts / LOOKS)?;
        let left = mbp(terms, &literals, &gone, model).map_err(unprojectable)?;
        Ok(terms.from_step(terms.and(left), 0))
    }
}

/// Constructs that cannot be projected are outside of the method.
fn unprojectable(error: SolverError) -> Stop {
    match error {
        SolverError::Unsupported(what) => Stop::incomplete(format!("no projection of {what}")),
        broken => broken.into(),
    }
}
