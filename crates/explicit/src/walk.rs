//! Concrete random execution: many short runs, and a long one now and then.
//!
//! It proves nothing, but finds violations that need many steps and little choice. Methods that
//! examine all runs of a length at once do not get that far. The seed of the run decides all
//! choices.
//!
//! For formulas about paths, it uses runs that return to an earlier state or cannot be continued;
//! the checker of certificates decides whether such a run shows a violation.

use crate::{RunEnd, Simulator};
use rustc_hash::FxHashMap;
use sectile_certify::{Claim, Outcome, check};
use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, options};
use sectile_model::{
    Certificate, LocationId, ReasonCode, State, Step, Task, Trace, Unknown, Verdict,
};
use sectile_terms::{Stage, Symbol, Term, Value, evaluate};

options! {
    /// The options of `walk`.
    struct Config {
        /// make at most this many runs
        runs("runs"): u64 = 256,
    }
}

/// The length of most runs.
const SHORTEST: usize = 200;
/// Runs keep at most this many values, because all their states are kept for display.
const MOST_VALUES: usize = 1 << 25;
/// The maximum length of a run that has to return to an earlier state.
const LONGEST_WAY_BACK: usize = 20_000;
/// The cost of a state besides its values, counted in values.
const STATE_COST: usize = 3;

/// Concrete random execution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk;

impl Engine for Walk {
    fn info(&self) -> Info {
        Info {
            name: "walk",
            summary: "concrete random execution: finds long violations, proves nothing",
            papers: &[],
            accepts: Accepts {
                ctl: true,
                guesses: true,
                ..Accepts::GRAPHS
            },
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn accepts(&self, _task: &Task<'_>) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let runs = Config::read(run.settings)?.runs;
        let longest = MOST_VALUES / (STATE_COST + task.model.variables.len());
        let safe = (0..task.model.locations.len()).map(LocationId);
        let safe = safe.map(|l| task.property.kind.safe_at(task.terms, l));
        let safe: Vec<Option<Term>> = safe.collect();
        let is_safety = safe.iter().any(Option::is_some);
        let longest = match is_safety {
            true => longest,
            false => longest.min(LONGEST_WAY_BACK),
        };
        let simulator = Simulator::new(task.terms, task.model, None, &run.budget);
        let mut simulator = match simulator {
            Ok(simulator) => simulator,
            Err(why) => return Ok(Verdict::Unknown(why.unknown())),
        };
        let mut steps = 0_u64;
        let mut first: Vec<Step> = Vec::new();
        let mut alike = false;
        for i in 1..=runs {
            let length = match alike && i == 3 {
                true => longest,
                false => length(i, longest),
            };
            let seed = run.seed.wrapping_mul(1_000_003).wrapping_add(i);
            let found = match simulator.random_run(length, seed, &run.budget) {
                Ok(found) => found,
                Err(why) => return Ok(Verdict::Unknown(why.unknown())),
            };
            steps += found.trace.steps.len() as u64;
            run.count("runs", i);
            run.count("steps", steps);
            match i {
                1 => first.clone_from(&found.trace.steps),
                // If nothing is chosen, all runs are alike: follow the next one to its end.
                2 => alike = found.trace.steps.starts_with(&first),
                _ => {}
            }
            let shown = match is_safety {
                true => violation(task, &safe, found.trace).map(Certificate::Trace),
                false => maximal(found.trace, found.end).map(Certificate::Trace),
            };
            if let Some(certificate) = shown
                && (is_safety || shows(task, &certificate, run)?)
            {
                return Ok(Verdict::Violated(certificate));
            }
            if let RunEnd::Exhausted(limit) = found.end {
                let reached = format!("no violation in {i} runs with {steps} steps in total");
                let unknown = Unknown::new(ReasonCode::Exhausted(limit), reached);
                return Ok(Verdict::Unknown(unknown));
            }
        }
        let reached = format!("no violation in {runs} runs with {steps} steps in total");
        let unknown = Unknown::new(ReasonCode::Bounded, reached);
        Ok(Verdict::Unknown(unknown.hint("a larger --set runs=N")))
    }
}

/// Every second run has the shortest length, every fourth four times that, and so on.
fn length(run: u64, longest: usize) -> usize {
    let doublings = 2 * run.trailing_zeros().min(10);
    (SHORTEST << doublings).min(longest)
}

/// The run up to where it returns to an earlier state, or to its end if it cannot be continued.
fn maximal(mut trace: Trace, end: RunEnd) -> Option<Trace> {
    let mut seen: FxHashMap<&State, usize> = FxHashMap::default();
    let mut places = trace.states.iter().enumerate();
    let back = places.find_map(|(i, state)| Some((i, seen.insert(state, i)?)));
    match back {
        Some((last, back)) => {
            trace.states.truncate(last + 1);
            trace.steps.truncate(last);
            trace.back_to = Some(back);
            Some(trace)
        }
        None => (end == RunEnd::Deadlock && !trace.states.is_empty()).then_some(trace),
    }
}

/// Whether a run shows that the property is false.
fn shows(task: &Task<'_>, certificate: &Certificate, run: &Run<'_>) -> Result<bool, EngineError> {
    let mut solver = run.backend.solver(task.terms)?;
    let outcome = check(
        task,
        Claim::Violated,
        certificate,
        solver.as_mut(),
        &run.budget,
    )?;
    Ok(matches!(outcome, Outcome::Accepted { .. }))
}

/// The run up to the first location where the safety condition fails.
fn violation(task: &Task<'_>, safe: &[Option<Term>], mut trace: Trace) -> Option<Trace> {
    let is_bad = |state: &State| {
        let fails = |p| value(task, &trace, state, p) == Some(Value::Bool(false));
        safe[state.location.0].is_some_and(fails)
    };
    let first = trace.states.iter().position(is_bad)?;
    trace.states.truncate(first + 1);
    trace.steps.truncate(first);
    Some(trace)
}

fn value(task: &Task<'_>, trace: &Trace, state: &State, t: Term) -> Option<Value> {
    let find = |symbols: &[Symbol], values: &[Value], symbol: Symbol| {
        let place = symbols.iter().position(|s| *s == symbol)?;
        values.get(place).cloned()
    };
    let valuation = |symbol: Symbol, _: Stage| {
        let variable = find(&task.model.variables, &state.values, symbol);
        variable.or_else(|| find(&task.model.rigid, &trace.rigid, symbol))
    };
    evaluate(task.terms, t, &valuation).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_grow_and_have_an_end() {
        assert_eq!(length(1, 4_000_000), 200);
        assert_eq!(length(2, 4_000_000), 800);
        assert_eq!(length(4, 4_000_000), 3200);
        assert_eq!(length(6, 4_000_000), 800);
        assert_eq!(length(1 << 20, 4_000_000), 4_000_000);
    }
}
