//! Concrete random execution: many short runs, now and then a long one.
//!
//! It proves nothing, but finds violations that need many steps and little choice, which no
//! method that looks at all runs of a length at once gets to. The seed of the run decides all
//! choices.

use crate::{RunEnd, Simulator};
use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, options};
use sectile_model::{
    Certificate, LocationId, ReasonCode, State, Step, Task, Trace, Unknown, Verdict,
};
use sectile_terms::{Stage, Symbol, Term, Value, evaluate};

options! {
    /// The options of `walk`.
    struct Config {
        /// make no more than this many runs
        runs("runs"): u64 = 256,
    }
}

/// The length of most runs.
const SHORTEST: usize = 200;
/// No run keeps more values than this: its states are kept to be shown.
const MOST_VALUES: usize = 1 << 25;
/// What a state costs besides its values, in values.
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
                guesses: true,
                ..Accepts::GRAPHS
            },
            uses_predicates: false,
            uses_lemmas: false,
            options: Config::OPTIONS.to_vec(),
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        match task.property.kind.safe_at(task.terms, LocationId(0)) {
            Some(_) => Ok(()),
            None => Err("a run shows violations of safety properties only".to_string()),
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let runs = Config::read(run.settings)?.runs;
        let longest = MOST_VALUES / (STATE_COST + task.model.variables.len());
        let safe = (0..task.model.locations.len()).map(LocationId);
        let safe = safe.map(|l| task.property.kind.safe_at(task.terms, l));
        let safe: Vec<Option<Term>> = safe.collect();
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
                // Where nothing is chosen, all runs are one: the next one shows it to its end.
                2 => alike = found.trace.steps.starts_with(&first),
                _ => {}
            }
            if let Some(trace) = violation(task, &safe, found.trace) {
                return Ok(Verdict::Violated(Certificate::Trace(trace)));
            }
            if let RunEnd::Exhausted(limit) = found.end {
                let reached = format!("{i} runs of together {steps} steps violate nothing");
                let unknown = Unknown::new(ReasonCode::Exhausted(limit), reached);
                return Ok(Verdict::Unknown(unknown));
            }
        }
        let reached = format!("{runs} runs of together {steps} steps violate nothing");
        let unknown = Unknown::new(ReasonCode::Bounded, reached);
        Ok(Verdict::Unknown(unknown.hint("a larger --set runs=N")))
    }
}

/// Every second run has the shortest length, every fourth four times that, and so on.
fn length(run: u64, longest: usize) -> usize {
    let doublings = 2 * run.trailing_zeros().min(10);
    (SHORTEST << doublings).min(longest)
}

/// The run up to its first violation of what must hold at the locations.
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
