//! Engines that know nothing of arrays, on models that have some.
//!
//! What lies between two loop heads becomes one step, and a few elements of the arrays become
//! variables; engines see these only. A proof is told about the arrays again. A violation need not
//! be one: whether the arrays have a run with the same steps is asked of the solver, and if there
//! is none, more elements become variables: those that the steps of the violation looked at.
//!
//! Before an engine begins, guesses about the elements are tried: `facts` keeps those that hold.

mod facts;
mod replay;

use crate::session::{Session, plain_run, refused};
use facts::Facts;
use sectile_base::Budget;
use sectile_engine::{Engine, EngineError, Event, Observer, PathFormulas, Run, Settings};
use sectile_model::{Certificate, Invariants, ReasonCode, Task, Trace, Unknown, Verdict};
use sectile_solver::{Answer, Backend as _, Undecided};
use sectile_terms::{Term, Terms};
use sectile_transform::{
    Applied, CellModel, Cells, ErrorLocation, LargeBlocks, NotApplicable, Pass as _, Pipeline,
    Place,
};
use std::time::Duration;

/// So often other elements are tried.
const ROUNDS: usize = 5;

/// So many more elements become variables after a violation that is none.
const MORE: usize = 12;

/// More elements than this have no common values that anybody guesses.
const MOST_GUESSED: usize = 16;

/// Facts are worth no more time than this.
const LONGEST: Duration = Duration::from_secs(5);

/// What the solver says about the steps of a violation.
enum Concrete {
    Run(Trace),
    None,
    Undecided(Undecided),
}

/// The surroundings of the runs of an engine.
pub(crate) struct Surroundings<'r> {
    pub settings: &'r Settings,
    pub budget: Budget,
    pub observer: &'r mut dyn Observer,
}

/// Runs an engine on some elements of the arrays of the task of a session.
pub(crate) fn run_on_cells(
    session: &Session<'_>,
    engine: &dyn Engine,
    with: Surroundings<'_>,
) -> Result<Verdict, EngineError> {
    let blocks = match blocks(&session.task) {
        Ok(blocks) => blocks,
        Err(why) => return Ok(refused(&why.to_string())),
    };
    let settings = settings_for_cells(engine, with.settings);
    let mut with = Surroundings {
        settings: &settings,
        budget: with.budget,
        observer: &mut *with.observer,
    };
    let mut pass = Cells::default();
    for _ in 0..ROUNDS {
        let made = pass.replace(session.task.terms, &blocks.model, &blocks.property);
        let made = match made {
            Ok(made) => made,
            Err(why) => return Ok(refused(&why.to_string())),
        };
        let more = match one_round(session, engine, &blocks, &made, &mut with)? {
            Round::Over(verdict) => return Ok(verdict),
            Round::Missing(places) if places.is_empty() => break,
            Round::Missing(places) => places,
        };
        pass.most += more.len();
        pass.first.extend(more);
    }
    Ok(not_enough())
}

/// How a round ends.
enum Round {
    Over(Verdict),
    /// With a violation that is none; these elements may tell why.
    Missing(Vec<Place>),
}

/// Runs the engine on cells, and tells its answer about the arrays.
fn one_round(
    session: &Session<'_>,
    engine: &dyn Engine,
    blocks: &Applied,
    made: &CellModel,
    with: &mut Surroundings<'_>,
) -> Result<Round, EngineError> {
    let terms = session.task.terms;
    // Whoever only looks for violations has no use for facts, and must guess all elements.
    let is_guessing = engine.info().name == "walk";
    if is_guessing && made.cells.len() > MOST_GUESSED {
        let why = "there are too many elements of arrays to guess their values";
        return Ok(Round::Over(refused(why)));
    }
    let facts = match is_guessing {
        true => Facts::default(),
        false => known_facts(session, made, &with.budget)?,
    };
    let trace = match answer(session, engine, made, &facts, with)? {
        Verdict::Unknown(unknown) => return Ok(Round::Over(Verdict::Unknown(unknown))),
        Verdict::Holds(proof) => {
            let proof = with_facts(terms, &facts, &proof);
            return Ok(Round::Over(told_back(terms, blocks, made, &proof)));
        }
        Verdict::Violated(Certificate::Trace(trace)) => trace,
        Verdict::Violated(_) => return Ok(Round::Over(not_enough())),
    };
    let task = Task {
        terms,
        model: &blocks.model,
        property: &blocks.property,
    };
    let found = match accepted_replay(&task, made, &trace) {
        Some(run) => Concrete::Run(run),
        None => concrete_run(session, &task, &trace, &with.budget)?,
    };
    Ok(match found {
        Concrete::Run(run) => {
            let run = blocks.back.certificate(terms, &Certificate::Trace(run));
            let run = run.map_err(|lost| EngineError::Bug(lost.to_string()))?;
            Round::Over(Verdict::Violated(run))
        }
        Concrete::Undecided(why) => Round::Over(undecided(why)),
        Concrete::None => Round::Missing(missing(made, &trace)),
    })
}

/// A proof about unrolled loops would be one about the blocks: it is not asked for.
fn settings_for_cells(engine: &dyn Engine, given: &Settings) -> Settings {
    let mut settings = given.clone();
    let has_choice = engine.info().options.iter().any(|o| o.name == "proof");
    if has_choice && settings.get("proof").is_none() {
        settings.set("proof", "invariants");
    }
    settings
}

/// The graph of blocks. A system stays what it is, unless its property is about whole arrays: then
/// a violation becomes a step of its own, which may look at more of them than cells do.
fn blocks(task: &Task<'_>) -> Result<Applied, NotApplicable> {
    let apply = |passes: Pipeline| passes.apply(task.terms, task.model, task.property);
    if !task.model.is_system() {
        let passes = Pipeline::new().then(ErrorLocation);
        return apply(passes.then(LargeBlocks::default()));
    }
    let cells = Cells::default();
    if cells.apply(task.terms, task.model, task.property).is_err()
        && let Ok(graph) = apply(Pipeline::new().then(ErrorLocation))
    {
        return Ok(graph);
    }
    apply(Pipeline::new())
}

/// The verdict of the engine about cells.
fn answer(
    session: &Session<'_>,
    engine: &dyn Engine,
    made: &CellModel,
    facts: &Facts,
    with: &mut Surroundings<'_>,
) -> Result<Verdict, EngineError> {
    let terms = session.task.terms;
    let about_cells = |list: &[Term]| -> Vec<Term> {
        let told = list.iter().filter_map(|&t| made.formula(terms, t));
        told.collect()
    };
    let (predicates, lemmas) = (about_cells(session.predicates), about_cells(session.lemmas));
    let mut run = Run {
        backend: session.backend,
        budget: with.budget.clone(),
        seed: session.seed,
        settings: with.settings,
        predicates: &predicates,
        lemmas: &lemmas,
        observer: &mut *with.observer,
    };
    run.tell(Event::Phase { name: "cells" });
    run.count("cells", made.cells.len() as u64);
    run.count("cell_facts", facts.len() as u64);
    if let Some(proof) = facts.proof() {
        return Ok(Verdict::Holds(proof.clone()));
    }
    let model = facts.added_to(&made.applied.model);
    let task = Task {
        terms,
        model: &model,
        property: &made.applied.property,
    };
    plain_run(&task, engine, &mut run)
}

/// The guesses about cells that hold.
fn known_facts(
    session: &Session<'_>,
    made: &CellModel,
    budget: &Budget,
) -> Result<Facts, EngineError> {
    let terms = session.task.terms;
    let limit = budget.remaining().map_or(LONGEST, |rest| rest / 10);
    let budget = budget.clone().with_time(limit.min(LONGEST));
    let mut solver = session.backend.solver(terms)?;
    let task = Task {
        terms,
        model: &made.applied.model,
        property: &made.applied.property,
    };
    let guesses = made.guesses(terms);
    let facts = Facts::among(&guesses, terms, task.model, solver.as_mut(), &budget)?;
    let mut solver = session.backend.solver(terms)?;
    facts.needed(&task, solver.as_mut(), &budget)
}

/// A proof that relies on facts, with them: they are inductive by themselves.
fn with_facts(terms: &Terms, facts: &Facts, proof: &Certificate) -> Certificate {
    let Certificate::Invariants(proof) = proof else {
        return proof.clone();
    };
    let at = proof.at.iter().enumerate();
    let at = at.map(|(l, t)| t.map(|t| facts.with(terms, l, t)));
    Certificate::Invariants(Invariants {
        at: at.collect(),
        ..proof.clone()
    })
}

/// A proof about cells as one about the arrays.
fn told_back(terms: &Terms, blocks: &Applied, made: &CellModel, proof: &Certificate) -> Verdict {
    let proof = made.applied.back.certificate(terms, proof);
    match proof.and_then(|proof| blocks.back.certificate(terms, &proof)) {
        Ok(proof) => Verdict::Holds(proof),
        Err(lost) => {
            let reached = format!("there is a proof without arrays, but {}", lost.0);
            Verdict::Unknown(Unknown::new(ReasonCode::Incomplete, reached))
        }
    }
}

/// A run of arrays that have the values of the cells, if that is one and violates the property.
fn accepted_replay(task: &Task<'_>, made: &CellModel, trace: &Trace) -> Option<Trace> {
    // A system may end anywhere: that its last state is bad is left to the solver.
    (!task.model.is_system())
        .then(|| replay::replay(task, made, trace))
        .flatten()
}

/// A run of the arrays that takes the same steps.
fn concrete_run(
    session: &Session<'_>,
    task: &Task<'_>,
    trace: &Trace,
    budget: &Budget,
) -> Result<Concrete, EngineError> {
    let terms = task.terms;
    let steps: Vec<usize> = trace.steps.iter().map(|s| s.command).collect();
    let paths = PathFormulas::new(terms, task.model);
    let mut formulas = vec![paths.at(paths.init(), 0)];
    let each = steps.iter().enumerate();
    formulas.extend(each.map(|(k, &edge)| paths.at(paths.step(edge), k)));
    let end = trace.states.last().map_or(task.model.entry, |s| s.location);
    let safe = task.property.kind.safe_at(terms, end);
    formulas.extend(safe.map(|safe| paths.at(terms.not(safe), steps.len())));
    let read = |model: &dyn sectile_solver::ModelView| Ok(paths.trace(&steps, model));
    ask(session, &formulas, budget, &read)
}

fn ask(
    session: &Session<'_>,
    formulas: &[Term],
    budget: &Budget,
    read: &dyn Fn(&dyn sectile_solver::ModelView) -> Result<Trace, EngineError>,
) -> Result<Concrete, EngineError> {
    let mut solver = session.backend.solver(session.task.terms)?;
    for &formula in formulas {
        solver.assert(formula)?;
    }
    Ok(match solver.check(&[], budget)? {
        Answer::Sat(model) => Concrete::Run(read(model)?),
        Answer::Unsat(_) => Concrete::None,
        Answer::Unknown(why) => Concrete::Undecided(why),
    })
}

/// Elements that the steps of a violation looked at and that had no variable.
fn missing(made: &CellModel, trace: &Trace) -> Vec<Place> {
    let mut more: Vec<Place> = Vec::new();
    for step in &trace.steps {
        let places = made.missing.get(step.command).into_iter().flatten();
        for place in places {
            if !more.contains(place) && more.len() < MORE {
                more.push(place.clone());
            }
        }
    }
    more
}

fn undecided(why: Undecided) -> Verdict {
    let reached = "a violation without arrays was found, but not whether the arrays allow it";
    let (code, reached) = match why {
        Undecided::Exhausted(limit) => (ReasonCode::Exhausted(limit), reached.to_string()),
        Undecided::Incomplete(text) => (ReasonCode::Incomplete, format!("{reached}: {text}")),
    };
    Verdict::Unknown(Unknown::new(code, reached))
}

/// The violations that were found are none.
fn not_enough() -> Verdict {
    let reached = "a violation was found that exists only without arrays: the elements of them that were looked at do not tell enough";
    let unknown = Unknown::new(ReasonCode::Incomplete, reached);
    Verdict::Unknown(unknown.hint("--engine bmc, which looks at whole arrays"))
}
