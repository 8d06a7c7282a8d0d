//! Bounded model checking and k-induction: the two engines that only unroll.
//!
//! `bmc` looks for a violation of 0, 1, 2, ... steps with one incremental solver, and finds a
//! shortest one. `kinduction` alternates the same search with the question whether `k` good
//! states in a row are always followed by a good one; paths with repeated states are excluded
//! when, and only when, a counterexample to that question repeats one.
//!
//! | idea | where | paper |
//! |---|---|---|
//! | bounded search | [`Bmc`], `base.rs` | [BiCiClZh99] |
//! | induction over `k` steps, simple paths | [`KInduction`], `step.rs` | [ShSiSt00] |

mod base;
mod step;

use base::{Base, Found};
use sectile_engine::{
    Accepts, BadOption, Engine, EngineError, Event, Info, OptionSpec, Run, Settings, Unroller,
    safety_question,
};
use sectile_model::{Certificate, ReasonCode, Task, Unknown, Verdict};
use sectile_solver::Undecided;
use sectile_terms::Term;
use step::{Induction, StepCase};

const ACCEPTS: Accepts = Accepts {
    systems: true,
    graphs: false,
    safety: true,
    ctl: false,
};

const DEPTH: OptionSpec = OptionSpec {
    name: "depth",
    help: "look at no more than this many steps",
    default: "unlimited",
};

/// Bounded model checking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bmc;

/// K-induction.
#[derive(Clone, Copy, Debug, Default)]
pub struct KInduction;

fn depth_limit(settings: &Settings) -> Result<u32, BadOption> {
    let limit = settings.number(DEPTH.name, u64::from(u32::MAX - 2))?;
    Ok(u32::try_from(limit).unwrap_or(u32::MAX - 2))
}

/// The answer when a query was not decided.
fn undecided(why: Undecided, reached: String) -> Verdict {
    let (code, reached) = match why {
        Undecided::Exhausted(e) => (ReasonCode::Exhausted(e), reached),
        Undecided::Incomplete(text) => (ReasonCode::Incomplete, format!("{reached}; {text}")),
    };
    Verdict::Unknown(Unknown::new(code, reached))
}

fn no_violation_up_to(depth: Option<u32>) -> String {
    match depth {
        None => "nothing yet".to_string(),
        Some(d) => format!("no violation has {d} steps or fewer"),
    }
}

/// Looks for a violation of the next length; a verdict where that settles the question.
fn one_depth_more(base: &mut Base<'_>, run: &mut Run<'_>) -> Result<Option<Verdict>, EngineError> {
    Ok(match base.next_depth(run)? {
        Found::Violation(trace) => Some(Verdict::Violated(Certificate::Trace(trace))),
        Found::Nothing => None,
        Found::Undecided(why) => Some(undecided(why, no_violation_up_to(base.refuted()))),
    })
}

impl Engine for Bmc {
    fn info(&self) -> Info {
        Info {
            name: "bmc",
            summary: "bounded model checking: finds a shortest violation, proves nothing",
            papers: &["BiCiClZh99"],
            accepts: ACCEPTS,
            uses_predicates: false,
            options: &[DEPTH],
        }
    }

    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        depth_limit(settings).map(|_| ())
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        safety_question(task).map(|_| ())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let limit = depth_limit(run.settings).map_err(|e| EngineError::Bug(e.to_string()))?;
        let unroller = Unroller::new(task.terms, asked.system);
        let mut base = Base::new(&unroller, asked.bad, run)?;
        loop {
            if base.refuted().is_some_and(|d| d >= limit) {
                let reached = no_violation_up_to(base.refuted());
                let unknown = Unknown::new(ReasonCode::Bounded, reached);
                return Ok(Verdict::Unknown(unknown.hint(
                    "a larger --set depth=N, or --engine kinduction to prove it",
                )));
            }
            if let Some(verdict) = one_depth_more(&mut base, run)? {
                return Ok(verdict);
            }
        }
    }
}

impl Engine for KInduction {
    fn info(&self) -> Info {
        Info {
            name: "kinduction",
            summary: "k-induction with simple paths on demand: proves and refutes",
            papers: &["ShSiSt00"],
            accepts: ACCEPTS,
            uses_predicates: false,
            options: &[DEPTH],
        }
    }

    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        depth_limit(settings).map(|_| ())
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        safety_question(task).map(|_| ())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let limit = depth_limit(run.settings).map_err(|e| EngineError::Bug(e.to_string()))?;
        let unroller = Unroller::new(task.terms, asked.system);
        let mut base = Base::new(&unroller, asked.bad, run)?;
        let mut induction = Induction::new(&unroller, asked.bad, task.terms, run)?;
        loop {
            if let Some(verdict) = one_depth_more(&mut base, run)? {
                return Ok(verdict);
            }
            // The base case now covers `depth` states, so induction may look at that many.
            let depth = base.refuted().map_or(1, |d| d + 1);
            match induction.step(depth, run)? {
                StepCase::Inductive { simple_paths } => {
                    run.tell(Event::Counter {
                        name: "k",
                        value: u64::from(depth),
                    });
                    let invariant = task.terms.not(asked.bad);
                    return Ok(Verdict::Holds(certificate(invariant, depth, simple_paths)));
                }
                StepCase::NotInductive => {}
                StepCase::Undecided(why) => {
                    return Ok(undecided(why, no_violation_up_to(base.refuted())));
                }
            }
            if depth >= limit {
                let reached = format!(
                    "{}, and the property is not {depth}-inductive",
                    no_violation_up_to(base.refuted())
                );
                let unknown = Unknown::new(ReasonCode::Bounded, reached);
                return Ok(Verdict::Unknown(unknown.hint("a larger --set depth=N")));
            }
        }
    }
}

/// One-step induction needs no simple paths and is an ordinary inductive invariant.
fn certificate(invariant: Term, depth: u32, simple_paths: bool) -> Certificate {
    if depth == 1 && !simple_paths {
        Certificate::Invariant(invariant)
    } else {
        Certificate::KInduction {
            invariants: vec![invariant],
            depth,
            simple_paths,
        }
    }
}
