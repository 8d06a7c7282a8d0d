//! Explicit-state search as an engine: decides what has few concrete states.
//!
//! A property that holds is certified by the
//! set of all reachable states, which is an inductive invariant; a violation by its run.

use crate::{Answer, Exploration, ExploreError, Extent, Limit, Options, Stop, explore};
use sectile_engine::{Accepts, Engine, EngineError, Event, Info, Options as _, Run, options};
use sectile_model::{Certificate, LocationId, Module, ReasonCode, Task, Unknown, Verdict};

options! {
    /// The options of `explicit`.
    struct Config {
        /// visit no more than this many states
        states("states"): usize = 10_000_000,
    }
}

/// More states than this make a certificate that nobody wants to check.
const LARGEST_INVARIANT: usize = 20_000;

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
            uses_predicates: false,
            options: Config::OPTIONS.to_vec(),
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
            contracts: None,
        };
        let options = Options {
            max_states: Some(Config::read(run.settings)?.states),
            stop: Stop::AllViolated,
            ..Options::default()
        };
        let found = match explore(task.terms, &module, &options, &run.budget) {
            Ok(found) => found,
            Err(why) => {
                let unknown = Unknown::new(ReasonCode::Unsupported, why.to_string());
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
        Ok(verdict(task, &found))
    }
}

fn verdict(task: &Task<'_>, found: &Exploration) -> Verdict {
    let result = &found.properties[0];
    let without_evidence = |what: &str| {
        Verdict::Unknown(Unknown::new(
            ReasonCode::Incomplete,
            format!(
                "the search says that the property {what}, but has no evidence that can be checked"
            ),
        ))
    };
    match result.answer {
        Answer::Violated => match &result.evidence {
            Some(trace) => Verdict::Violated(Certificate::Trace(trace.clone())),
            None => without_evidence("is violated"),
        },
        Answer::Holds => {
            // Is an inductive invariant evidence for the property? Any location will do: whether a
            // formula has that shape does not depend on it.
            let safe = task.property.kind.safe_at(task.terms, LocationId(0));
            let invariant = safe.and_then(|_| found.invariant(task.terms, LARGEST_INVARIANT));
            invariant.map_or_else(|| without_evidence("holds"), Verdict::Holds)
        }
        Answer::NotViolatedWithinBounds | Answer::Undecided => Verdict::Unknown(bounded(found)),
    }
}

fn bounded(found: &Exploration) -> Unknown {
    let reached = format!(
        "no violation in {} states, up to {} steps",
        found.states, found.depth
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
