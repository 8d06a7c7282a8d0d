//! The main procedure: from a task to a verdict.

use crate::decide::refused_or_ended;
use crate::poly::algebra::Algebra;
use crate::poly::diagrams::Diagrams;
use crate::poly::explicit::Explicit;
use crate::poly::fixpoint::{Fixpoints, Missing};
use crate::poly::sizes::Sizes;
use crate::poly::{Limits, Representation};
use crate::{CtlZones, Sets};
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Program;
use sectile_domains::poly::Poly;
use sectile_domains::zone::Zone;
use sectile_engine::{Engine, EngineError, Event, Run};
use sectile_model::{Certificate, NormalCtl, PropertyKind, ReasonCode, Task, Unknown, Verdict};
use sectile_terms::Term;

/// Decides a task, or reports the progress.
///
/// The engine `ctl` provides the evidence if the computed sets are not evidence themselves.
pub fn decide(task: &Task<'_>, run: &mut Run<'_>, limits: Limits) -> Result<Verdict, EngineError> {
    let found = match limits.domain {
        Sets::Zones => found_with::<Zone>(task, run, limits),
        Sets::Polyhedra => found_with::<Poly>(task, run, limits),
        Sets::Chosen => {
            found_with::<Zone>(task, run, limits).or_else(|_| found_with::<Poly>(task, run, limits))
        }
    };
    match found {
        Ok(found) => with_evidence(task, run, found),
        Err(why) => Ok(refused_or_ended(&why, run)),
    }
}

/// The result of the fixpoints.
enum Found {
    /// The property holds; with its invariant, if it has one that is not too long.
    Holds(Option<Term>),
    Violated,
    Unknown(Unknown),
}

/// Maximum number of sets of an invariant: larger ones are harder to check than the cells of an
/// exact search.
const MOST_SETS: usize = 400;

fn found_with<D: Domain>(
    task: &Task<'_>,
    run: &mut Run<'_>,
    limits: Limits,
) -> Result<Found, String> {
    let program = &Program::<D>::new(task, task.model, &run.budget)?;
    let budget = run.budget.clone();
    let found = match limits.sets {
        Representation::Explicit => Explicit::new(program, task.model, &budget)
            .and_then(|algebra| found_in(task, &algebra, run, limits)),
        Representation::Diagrams => {
            Diagrams::new(program, task.model, &budget).and_then(|algebra| {
                Sizes::of(&algebra, &budget)?.tell(run);
                found_in(task, &algebra, run, limits)
            })
        }
    };
    match found {
        Err(Missing::Refused(why)) => Err(why),
        Err(Missing::Limit(limit)) => {
            let text = "the fixpoints were not complete";
            let unknown = Unknown::new(ReasonCode::Exhausted(limit), text);
            Ok(Found::Unknown(unknown))
        }
        Ok(found) => Ok(found),
    }
}

fn found_in<D: Domain, A: Algebra<D>>(
    task: &Task<'_>,
    algebra: &A,
    run: &mut Run<'_>,
    limits: Limits,
) -> Result<Found, Missing> {
    let kind = &task.property.kind;
    let normal = |positive| NormalCtl::of_property(task.terms, kind, positive);
    let (Some(holds), Some(fails)) = (normal(true), normal(false)) else {
        return Err("it takes no locations in formulas".to_string().into());
    };
    let budget = run.budget.clone();
    let mut fixpoints = Fixpoints::new(algebra, limits, &budget);
    run.tell(Event::Phase { name: "backwards" });
    let result = search(&mut fixpoints, &holds, &fails);
    let (widenings, rounds) = (fixpoints.widenings, fixpoints.rounds);
    run.count("widenings", widenings as u64);
    run.count("rounds", rounds as u64);
    Ok(match result? {
        Shown::Holds(states) => {
            let sets = algebra.len(&states);
            run.count("sets", sets as u64);
            let invariant = is_invariant(task) && sets <= MOST_SETS;
            Found::Holds(invariant.then(|| algebra.complement(&states)))
        }
        Shown::Violated(states) => {
            run.count("sets", algebra.len(&states) as u64);
            Found::Violated
        }
        Shown::Neither => {
            let text = format!(
                "neither the property nor its negation is shown by backward fixpoints \
                 ({widenings} sets were widened)"
            );
            let unknown = Unknown::new(ReasonCode::Incomplete, text);
            Found::Unknown(unknown.hint("--engine ctl goes forwards first"))
        }
    })
}

enum Shown<S> {
    /// The property holds; with the states of its negation.
    Holds(S),
    /// The property is violated; with its states.
    Violated(S),
    Neither,
}

fn search<D: Domain, A: Algebra<D>>(
    fixpoints: &mut Fixpoints<'_, D, A>,
    holds: &NormalCtl,
    fails: &NormalCtl,
) -> Result<Shown<A::Set>, Missing> {
    let algebra = fixpoints.algebra;
    let budget: &Budget = fixpoints.budget;
    let init = algebra.cubes(&algebra.program().init, budget)?;
    let bad = match early(fixpoints, fails)? {
        Some((bad, true)) => bad,
        Some((bad, false)) if algebra.len(&algebra.and(&init, &bad, budget)?) == 0 => bad,
        _ => fixpoints.states(fails)?,
    };
    if algebra.len(&algebra.and(&init, &bad, budget)?) == 0 {
        return Ok(Shown::Holds(bad));
    }
    let good = fixpoints.states(holds)?;
    let rest = algebra.minus(&init, &good, budget)?;
    // Over the integers the set may be empty.
    Ok(match algebra.has_point(&rest) {
        true => Shown::Violated(good),
        false => Shown::Neither,
    })
}

/// Delay of widening for the first attempt, if the option's delay is larger.
const EARLY_DELAY: usize = 20;

/// Maximum number of steps of the first attempt: widened sets may also keep growing.
const EARLY_STEPS: u64 = 200_000;

/// The states of a formula with early widening, and whether no widening happened: then the result
/// is the same for any delay. Early widening is faster if it loses nothing.
fn early<D: Domain, A: Algebra<D>>(
    fixpoints: &mut Fixpoints<'_, D, A>,
    formula: &NormalCtl,
) -> Result<Option<(A::Set, bool)>, Missing> {
    if fixpoints.limits.delay <= EARLY_DELAY {
        return Ok(None);
    }
    let mut limits = fixpoints.limits;
    limits.delay = EARLY_DELAY;
    let budget = fixpoints.budget.clone().with_steps(EARLY_STEPS);
    let mut first = Fixpoints::new(fixpoints.algebra, limits, &budget);
    let found = first.states(formula);
    fixpoints.widenings += first.widenings;
    fixpoints.rounds += first.rounds;
    match found {
        Ok(states) => Ok(Some((states, first.widenings == 0))),
        Err(Missing::Limit(Exhausted::Steps)) => Ok(None),
        Err(why) => Err(why),
    }
}

/// Whether an inductive invariant is evidence for a property.
fn is_invariant(task: &Task<'_>) -> bool {
    match &task.property.kind {
        PropertyKind::Invariant(_) | PropertyKind::Error(_) => true,
        PropertyKind::Ctl(formula) => formula.as_invariant(task.terms).is_some(),
        PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => false,
    }
}

/// The evidence for a result: the complement of the states, or cells.
///
/// Widened sets contain no evidence about steps, so evidence about paths comes from an exact
/// search. Without evidence there is no verdict.
fn with_evidence(task: &Task<'_>, run: &mut Run<'_>, found: Found) -> Result<Verdict, EngineError> {
    let holds = match found {
        Found::Holds(Some(invariant)) => {
            return Ok(Verdict::Holds(Certificate::invariant(invariant)));
        }
        Found::Unknown(unknown) => return Ok(Verdict::Unknown(unknown)),
        Found::Holds(None) => true,
        Found::Violated => false,
    };
    run.tell(Event::Phase { name: "evidence" });
    let verdict = CtlZones.run(task, run)?;
    match (&verdict, holds) {
        (Verdict::Holds(_), true) | (Verdict::Violated(_), false) => Ok(verdict),
        (Verdict::Unknown(_), _) => {
            let says = if holds { "holds" } else { "is violated" };
            let text = format!("backward fixpoints say that it {says}, but no evidence was found");
            let unknown = Unknown::new(ReasonCode::Incomplete, text);
            Ok(Verdict::Unknown(unknown))
        }
        _ => Err(EngineError::Bug(
            "backward fixpoints and the search forwards disagree".to_string(),
        )),
    }
}
