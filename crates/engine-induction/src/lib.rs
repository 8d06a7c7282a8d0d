//! Bounded model checking and k-induction: engines based on unrolling.
//!
//! `bmc` searches for a violation of 0, 1, 2, ... steps with one incremental solver, and finds a
//! shortest one. `kinduction` alternates this search with the step case: whether `k` consecutive
//! good states are always followed by a good one. Paths with repeated states are excluded only when
//! a counterexample to the step case repeats one. Lemmas are guessed from what steps establish, and
//! the inductive ones are used.
//!
//! | idea | where | paper |
//! |---|---|---|
//! | bounded search | [`Bmc`], `base.rs` | [BiCiClZh99] |
//! | bounded search of blocks, layer by layer | [`Layers`], `layers.rs` | [BiCiClZh99], [ErHoPoSc11] |
//! | induction over `k` steps, simple paths | [`KInduction`], `step.rs` | [ShSiSt00] |
//! | lemmas from counterexamples to induction | [`PdKind`], `pdkind` | [JovDut16] |
//! | the inductive subset of candidates | `sectile_engine::houdini` | [FlLe01] |
//! | candidates from the effects of steps | `effects.rs`, `lemmas.rs` | |

mod base;
mod effects;
mod layers;
mod lemmas;
mod pdkind;
mod step;

pub use layers::Layers;
pub use pdkind::PdKind;

use base::Base;
use lemmas::{Lemmas, Proved};
use sectile_engine::{
    Accepts, AtMost, Engine, EngineError, Event, Info, Options, Run, SafetyQuestion, Stop,
    Unroller, options, safety_question,
};
use sectile_model::{Certificate, Invariants, ReasonCode, Task, Trace, Unknown, Verdict};
use sectile_terms::{NativePrinter, Symbol, Term, Terms, Value, display_value};
use step::{Induction, StepCase};

const ACCEPTS: Accepts = Accepts {
    arrays: true,
    functions: true,
    ..Accepts::SYSTEMS
};

options! {
    /// The options of `bmc`.
    struct Bounds {
        /// the largest number of steps
        depth("depth"): AtMost = AtMost::UNLIMITED,
    }
}

options! {
    /// The additional options of `kinduction`.
    struct Guesses {
        /// guess lemmas from what steps establish, and use the inductive ones
        lemmas("lemmas"): bool = true,
    }
}

impl Bounds {
    /// The largest depth, in the range of step numbers.
    fn limit(&self) -> u32 {
        let most = u32::MAX - 2;
        u32::try_from(self.depth.0).map_or(most, |limit| limit.min(most))
    }
}

/// Bounded model checking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bmc;

/// K-induction.
#[derive(Clone, Copy, Debug, Default)]
pub struct KInduction;

fn no_violation_up_to(depth: Option<u32>) -> String {
    match depth {
        None => "nothing yet".to_string(),
        Some(d) => format!("no violation has {d} steps or fewer"),
    }
}

impl Engine for Bmc {
    fn info(&self) -> Info {
        Info {
            name: "bmc",
            summary: "bounded model checking: finds a shortest violation, proves what has no long runs",
            papers: &["BiCiClZh99"],
            accepts: ACCEPTS,
            options: Bounds::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let limit = Bounds::read(run.settings)?.limit();
        let unroller = Unroller::new(task.terms, asked.system);
        let mut base = Base::new(&unroller, asked.bad, run)?;
        let decided = search(&asked, &unroller, &mut base, limit, run);
        decided.or_else(|stop| stop.verdict(no_violation_up_to(base.refuted())))
    }
}

/// Searches for a violation of at most this many steps.
fn search(
    asked: &SafetyQuestion<'_>,
    unroller: &Unroller<'_>,
    base: &mut Base<'_>,
    limit: u32,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    while base.refuted().is_none_or(|d| d < limit) {
        if let Some(trace) = base.next_depth(run)? {
            return Ok(Verdict::Violated(Certificate::Trace(trace)));
        }
        if base.runs_have_ended(run)? {
            return ended(unroller, asked.bad, base.refuted(), run);
        }
    }
    let unknown = Unknown::new(ReasonCode::Bounded, no_violation_up_to(base.refuted()));
    Ok(Verdict::Unknown(unknown.hint("--set depth=N")))
}

/// The answer when no run is longer than the examined depth, as in programs without loops.
///
/// If no run from any state is that long, the property is inductive over that many steps.
fn ended(
    unroller: &Unroller<'_>,
    bad: Term,
    refuted: Option<u32>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let terms = unroller.terms();
    let depth = refuted.unwrap_or(0).max(1);
    let mut induction = Induction::new(unroller, bad, terms.tt(), run)?;
    Ok(match induction.step(depth, run)? {
        StepCase::Inductive { simple_paths } => {
            let invariant = terms.not(bad);
            Verdict::Holds(certificate(invariant, depth, simple_paths))
        }
        StepCase::NotInductive => {
            let reached = format!("no run has more than {depth} steps, and none is a violation");
            let unknown = Unknown::new(ReasonCode::Incomplete, reached);
            // Another engine may find evidence that can be checked.
            Verdict::Unknown(unknown.hint("--engine auto"))
        }
    })
}

impl Engine for KInduction {
    fn info(&self) -> Info {
        Info {
            name: "kinduction",
            summary: "k-induction with simple paths on demand: proves and refutes",
            papers: &["ShSiSt00", "FlLe01"],
            accepts: ACCEPTS,
            uses_lemmas: true,
            options: [Bounds::OPTIONS, Guesses::OPTIONS].concat(),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let limit = Bounds::read(run.settings)?.limit();
        let guess = Guesses::read(run.settings)?.lemmas;
        let unroller = Unroller::new(task.terms, asked.system);
        let lemmas = guess.then(|| Lemmas::new(&asked, &unroller));
        let mut base = Base::new(&unroller, asked.bad, run)?;
        let decided = induct(&asked, &unroller, &mut base, lemmas, limit, run);
        decided.or_else(|stop| stop.verdict(no_violation_up_to(base.refuted())))
    }
}

/// Alternates base and step cases.
fn induct<'u>(
    asked: &SafetyQuestion<'_>,
    unroller: &'u Unroller<'u>,
    base: &mut Base<'_>,
    mut lemmas: Option<Lemmas<'u>>,
    limit: u32,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let terms = unroller.terms();
    let mut induction = Induction::new(unroller, asked.bad, terms.tt(), run)?;
    loop {
        if let Some(trace) = base.next_depth(run)? {
            return Ok(Verdict::Violated(Certificate::Trace(trace)));
        }
        // The base case now covers `depth` states, so induction may use that many.
        let depth = base.refuted().map_or(1, |d| d + 1);
        if depth < limit && !is_milestone(depth) {
            continue;
        }
        let proved = match (induction.step(depth, run)?, &mut lemmas) {
            (StepCase::Inductive { simple_paths }, _) => Some(Proved {
                depth,
                simple_paths,
                lemmas: Vec::new(),
            }),
            (StepCase::NotInductive, Some(lemmas)) => lemmas.step(depth, run)?,
            (StepCase::NotInductive, None) => None,
        };
        if let Some(proved) = proved {
            run.count("k", u64::from(proved.depth));
            let invariant = terms.and2(terms.not(asked.bad), terms.and(proved.lemmas));
            let certificate = certificate(invariant, proved.depth, proved.simple_paths);
            return Ok(Verdict::Holds(certificate));
        }
        tell_candidate(terms, asked, induction.counterexample.as_ref(), run);
        if depth >= limit {
            let reached = format!(
                "{}, and the property is not {depth}-inductive",
                no_violation_up_to(base.refuted())
            );
            let unknown = Unknown::new(ReasonCode::Bounded, reached);
            return Ok(Verdict::Unknown(unknown.hint("--set depth=N")));
        }
    }
}

/// Whether the step case is tried at this depth: at all small depths, and at few of the large ones.
///
/// Inductive at a depth implies inductive at larger ones. Deep violations should not have to wait
/// for increasingly hard queries.
fn is_milestone(depth: u32) -> bool {
    let gap = (depth / 16).max(1);
    depth.is_multiple_of(1 << gap.ilog2())
}

/// Maximum length of reported counterexamples: the first ones are the most informative.
pub(crate) const LONGEST_REPORTED: u32 = 8;

/// Reports the step that leaves the property.
fn tell_candidate(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    counterexample: Option<&Trace>,
    run: &mut Run<'_>,
) {
    let Some(trace) = counterexample else {
        return;
    };
    let ([.., before, after], Some(step)) = (&trace.states[..], trace.steps.last()) else {
        return;
    };
    let variables = asked.system.variables.iter().zip(&before.values);
    let pairs = variables.zip(&after.values);
    let shown = |symbol: Symbol, value: &Value| {
        let name = terms.name(symbol).to_string();
        (name, display_value(terms, value))
    };
    let changed = pairs.clone().filter(|((_, old), new)| old != new);
    run.tell(Event::NotInductive {
        candidate: NativePrinter::new(terms).print(terms.not(asked.bad)),
        depth: trace.steps.len() as u64,
        before: pairs.map(|((s, old), _)| shown(*s, old)).collect(),
        step: asked.system.edges[step.command].command.name.clone(),
        after: changed.map(|((s, _), new)| shown(*s, new)).collect(),
    });
}

fn certificate(invariant: Term, depth: u32, simple_paths: bool) -> Certificate {
    Certificate::Invariants(Invariants {
        at: vec![Some(invariant)],
        depth,
        simple_paths,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_depths_have_few_milestones() {
        assert!((1..32).all(is_milestone));
        let later: Vec<u32> = (32..70).filter(|&d| is_milestone(d)).collect();
        assert_eq!(later[..4], [32, 34, 36, 38]);
        assert_eq!(later[later.len() - 2..], [64, 68]);
        assert!((1..10_000).filter(|&d| is_milestone(d)).count() < 200);
    }
}
