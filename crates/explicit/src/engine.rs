//! Explicit-state search as an engine: decides what has few concrete states.
//!
//! The search for violations treats exchangeable processes as equal, but the run that it finds is a
//! run of the system itself. If a safety property holds and there are few reachable states, these
//! are its certificate, an inductive invariant; a violation is certified by its run if a single run
//! can show it. Everything else is certified by cells with one state each.

use crate::explore::explore_orbits;
use crate::{Answer, Exploration, ExploreError, Extent, Limit, Options, Stop, explore};
use sectile_base::counted;
use sectile_certify::{Claim, Outcome, check};
use sectile_engine::{Accepts, Engine, EngineError, Event, Info, Options as _, Run, options};
use sectile_model::{
    Certificate, LocationId, Module, PropertyKind, ReasonCode, Task, Trace, Unknown, Verdict,
};

options! {
    /// The options of `explicit`.
    struct Config {
        /// visit at most this many states
        states("states"): usize = 10_000_000,
    }
}

/// An invariant of more states than this takes the solver longer than their cells take to evaluate.
const LARGEST_INVARIANT: usize = 500;

/// The states of the first search; most finite systems have fewer.
const FIRST_SEARCH: usize = 200_000;

/// Each further search visits this many times as many states.
const NEXT_SEARCH: usize = 4;

/// Explicit-state search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit;

impl Engine for Explicit {
    fn info(&self) -> Info {
        Info {
            name: "explicit",
            summary: "breadth-first search of concrete states: decides finite systems",
            papers: &[],
            accepts: Accepts {
                ctl: true,
                ..Accepts::GRAPHS
            },
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn accepts(&self, _: &Task<'_>) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let module = Module {
            model: task.model.clone(),
            properties: vec![task.property.clone()],
            parameters: Vec::new(),
            expectations: Vec::new(),
            state_spaces: Vec::new(),
        };
        let most = Config::read(run.settings)?.states;
        let search = |options: &Options| explore_orbits(task.terms, &module, options, &run.budget);
        if let Ok(Some(mut found)) = deepening(task, most, search) {
            if is_open(&found) {
                return Ok(Verdict::Unknown(bounded(&found)));
            }
            // A certificate made of states needs all states, not only representatives.
            let result = &found.properties[0];
            if result.answer == Answer::Violated && result.evidence.is_some() {
                let verdict = verdict(task, &mut found, run)?;
                if let Verdict::Violated(_) = verdict {
                    return Ok(verdict);
                }
            }
        }
        let search =
            |options: &Options| explore(task.terms, &module, options, &run.budget).map(Some);
        let mut found = match deepening(task, most, search) {
            Ok(found) => found.ok_or_else(|| EngineError::Bug("a search ends".to_string()))?,
            Err(why) => {
                let unknown = why.unknown();
                let hint = "sectile explore FILE --domain LO..HI searches part of the states";
                return Ok(Verdict::Unknown(match why {
                    ExploreError::NeedsDomain { .. } => unknown.hint(hint),
                    _ => unknown,
                }));
            }
        };
        run.tell(Event::States {
            count: found.states as u64,
            depth: found.depth as u64,
        });
        verdict(task, &mut found, run)
    }
}

/// Repeats the search with more and more states: only a finished search shows whether a formula
/// about paths is violated, and there may be infinitely many states.
fn deepening(
    task: &Task<'_>,
    most: usize,
    search: impl Fn(&Options) -> Result<Option<Exploration>, ExploreError>,
) -> Result<Option<Exploration>, ExploreError> {
    let (mut states, mut stop) = match task.property.kind {
        PropertyKind::Ctl(_) => (FIRST_SEARCH.min(most), Stop::Deadlock),
        _ => (most, Stop::AllViolated),
    };
    loop {
        let options = Options {
            max_states: Some(states),
            stop,
            keep_steps: true,
            ..Options::default()
        };
        let Some(found) = search(&options)? else {
            return Ok(None);
        };
        let met = match &found.extent {
            Extent::Bounded { by } if is_open(&found) => &by[..],
            _ => return Ok(Some(found)),
        };
        match met {
            [Limit::Deadlock] | [Limit::States(_), Limit::Deadlock] => stop = Stop::Never,
            [Limit::States(_)] if states < most => {
                states = states.saturating_mul(NEXT_SEARCH).min(most);
            }
            _ => return Ok(Some(found)),
        }
    }
}

/// Whether the search has not decided the property.
fn is_open(found: &Exploration) -> bool {
    let answer = found.properties[0].answer;
    matches!(answer, Answer::Undecided | Answer::NotViolatedWithinBounds)
}

fn verdict(
    task: &Task<'_>,
    found: &mut Exploration,
    run: &Run<'_>,
) -> Result<Verdict, EngineError> {
    let result = &found.properties[0];
    let (answer, trace) = (result.answer, result.evidence.clone());
    let holds = match answer {
        Answer::Violated => false,
        Answer::Holds => true,
        Answer::NotViolatedWithinBounds | Answer::Undecided => {
            return Ok(Verdict::Unknown(bounded(found)));
        }
    };
    let short = match holds {
        true => invariant(task, found),
        false => violating_run(task, trace, run)?,
    };
    let evidence = match short {
        Some(short) => Ok(Some(short)),
        None => found
            .cells(task, holds, &run.budget)
            .map(|cells| cells.map(|cells| Certificate::Ctl(Box::new(cells)))),
    };
    let unknown = match (evidence, holds) {
        (Ok(Some(evidence)), true) => return Ok(Verdict::Holds(evidence)),
        (Ok(Some(evidence)), false) => return Ok(Verdict::Violated(evidence)),
        (Ok(None), _) => ReasonCode::Incomplete,
        (Err(limit), _) => ReasonCode::Exhausted(limit),
    };
    let what = if holds { "holds" } else { "is violated" };
    let reached = format!(
        "the search says that the property {what}, but has no evidence that can be checked"
    );
    Ok(Verdict::Unknown(Unknown::new(unknown, reached)))
}

/// The reachable states as an invariant, if they are few and an invariant proves the property.
fn invariant(task: &Task<'_>, found: &Exploration) -> Option<Certificate> {
    // The shape of the property does not depend on the location.
    task.property.kind.safe_at(task.terms, LocationId(0))?;
    found.invariant(task.terms, LARGEST_INVARIANT)
}

/// The run, if it suffices to show that the property is violated. CTL may need several.
fn violating_run(
    task: &Task<'_>,
    trace: Option<Trace>,
    run: &Run<'_>,
) -> Result<Option<Certificate>, EngineError> {
    let Some(trace) = trace else {
        return Ok(None);
    };
    let certificate = Certificate::Trace(trace);
    if let PropertyKind::Ctl(_) = task.property.kind {
        let mut solver = run.backend.solver(task.terms)?;
        let solver = solver.as_mut();
        let outcome = check(task, Claim::Violated, &certificate, solver, &run.budget)?;
        if !matches!(outcome, Outcome::Accepted { .. }) {
            return Ok(None);
        }
    }
    Ok(Some(certificate))
}

fn bounded(found: &Exploration) -> Unknown {
    let reached = format!(
        "no violation in {}, up to {}",
        counted(found.states, "state"),
        counted(found.depth, "step")
    );
    let code = match &found.extent {
        Extent::Bounded { by } => by
            .iter()
            .find_map(|limit| match limit {
                Limit::Budget(reason) => Some(ReasonCode::Exhausted(*reason)),
                _ => None,
            })
            .unwrap_or(ReasonCode::Bounded),
        Extent::Exact => ReasonCode::Incomplete,
    };
    Unknown::new(code, reached)
}
