//! Fixpoints on decision diagrams: decides systems over finitely many values.
//!
//! First, the reachable states are computed forwards; then the parts of the property are labelled
//! bottom-up within these states. With `reach=false`, all states are labelled, because the set of
//! reachable states is often much more complicated than the sets of backward search. Integers
//! without a range start with the values in the initial condition; values that steps lead to are
//! added as long as they are few. The sets are the evidence, and a violation of a safety property
//! is a shortest run.
//!
//! | what | where |
//! |---|---|
//! | the system as diagrams | `sectile_certify::finite`, which the checker also uses |
//! | values of numbers without a range, reached states | `reach` |
//! | labels, evidence | `label` |
//! | shortest runs | `run` |
//!
//! Paper: [McMillan93] for the fixpoints, [Bryant86] for the diagrams.

mod label;
mod reach;
mod run;

use reach::Reached;
use sectile_base::Exhausted;
use sectile_certify::finite::NotFinite;
use sectile_engine::{
    Accepts, Engine, EngineError, Event, Info, Options, Run, Stop, options, violating_states,
};
use sectile_model::{NormalCtl, Task, Verdict};

options! {
    /// The options of `bdd`.
    pub(crate) struct Config {
        /// create at most this many nodes of decision diagrams
        nodes("nodes"): usize = 12_000_000,
        /// consider at most this many values of an integer without a range
        values("values"): usize = 64,
        /// compute the reachable states first, and consider no others
        reach("reach"): bool = true,
    }
}

/// Fixpoints on decision diagrams.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecisionDiagrams;

impl Engine for DecisionDiagrams {
    fn info(&self) -> Info {
        Info {
            name: "bdd",
            summary: "fixpoints on decision diagrams: decides finite systems",
            papers: &["McMillan93", "Bryant86"],
            accepts: Accepts {
                ctl: true,
                ..Accepts::SYSTEMS
            },
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        task.system()?;
        match NormalCtl::of_property(task.terms, &task.property.kind, true) {
            Some(_) => Ok(()),
            None => Err("it takes invariants, errors and CTL without locations".to_string()),
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings)?;
        let decided = decide(task, &config, run);
        decided.or_else(|stop| stop.verdict("the reached states have no decision diagram yet"))
    }
}

/// The reason why a system is not decided: it is not finite, or its diagrams are too large.
pub(crate) fn stop(why: NotFinite) -> Stop {
    match why {
        NotFinite::TooLarge => Exhausted::Memory.into(),
        NotFinite::Exhausted(limit) => limit.into(),
        other => Stop::incomplete(other.to_string()),
    }
}

fn decide(task: &Task<'_>, config: &Config, run: &mut Run<'_>) -> Result<Verdict, Stop> {
    let system = task.system().map_err(EngineError::Bug)?;
    let kind = &task.property.kind;
    let bad = violating_states(task.terms, kind);
    let positive = NormalCtl::of_property(task.terms, kind, true);
    let negative = NormalCtl::of_property(task.terms, kind, false);
    let (Some(positive), Some(negative)) = (positive, negative) else {
        return Err(Stop::bug("the property has no normal form"));
    };
    let mut reached = Reached::new(task, system, &positive, bad, config);
    loop {
        let violated = reached.search(run)?;
        run.count("nodes", reached.finite()?.manager().len() as u64);
        if config.reach {
            run.tell(Event::States {
                count: reached.states()?,
                depth: reached.rounds,
            });
        }
        if violated {
            return run::shortest(task, &mut reached, run);
        }
        // A result for some values of integers holds for all values.
        if let Some(proof) = label::proof(task, &mut reached, &positive, true, run)? {
            return Ok(Verdict::Holds(proof));
        }
        if let Some(proof) = label::proof(task, &mut reached, &negative, false, run)? {
            return match bad {
                Some(_) => run::shortest(task, &mut reached, run),
                None => Ok(Verdict::Violated(proof)),
            };
        }
        if !reached.look_at_more()? {
            return Err(Stop::incomplete(
                "neither the property nor its negation was found to hold",
            ));
        }
    }
}
