//! The refinement loop for engines without array support.
//!
//! The code between two loop heads becomes one step, and some elements of the arrays become
//! variables; engines see only these. A proof is translated back to the arrays. A violation may be
//! spurious: the solver decides whether the arrays have a run with the same steps. If there is
//! none, the elements that its steps read become variables, too.
//!
//! Before an engine starts, candidate facts about the elements are checked: `facts` keeps the
//! inductive ones.

use super::facts::Facts;
use super::witness::Witnesses;
use super::{CellModel, Cells, Place, replay};
use crate::error_location::ErrorLocation;
use crate::lbe::LargeBlocks;
use crate::pass::{Applied, Pass as _};
use crate::pipeline::Pipeline;
use sectile_engine::{EngineError, Event, PathFormulas, Run};
use sectile_model::{Certificate, ReasonCode, Task, Trace, Unknown, Verdict};
use sectile_solver::{Answer, Undecided};
use sectile_terms::{Term, Terms};
use std::time::Duration;

/// Maximum number of refinements.
const ROUNDS: usize = 5;

/// How many array elements to add as variables after a spurious violation.
const MORE: usize = 12;

/// Maximum number of elements for engines that guess values.
const MOST_GUESSED: usize = 16;

/// Time for the first attempts if there are several; later ones get more and more.
const FIRST_SLICE: Duration = Duration::from_millis(400);

/// The maximum time for proving facts.
const LONGEST: Duration = Duration::from_secs(2);

/// The solver's answer about the steps of a violation.
enum Concrete {
    Run(Trace),
    None,
    Undecided(Undecided),
}

/// Decides a task without arrays.
pub type Decide<'d> = dyn FnMut(&Task<'_>, &mut Run<'_>) -> Result<Verdict, EngineError> + 'd;

/// Decides a task with arrays by deciding tasks with some of their elements.
///
/// `guesses` means that the engine guesses open values: then there must be few elements.
pub fn decide_on_cells(
    task: &Task<'_>,
    guesses: bool,
    run: &mut Run<'_>,
    decide: &mut Decide<'_>,
) -> Result<Verdict, EngineError> {
    let blocks = match blocks(task) {
        Ok(blocks) => blocks,
        Err(why) => return Ok(refused(&why)),
    };
    let mut attempts = attempts(task, blocks, guesses);
    let mut slice = FIRST_SLICE;
    loop {
        let is_last = attempts.len() == 1;
        let mut open = Vec::new();
        let mut last = not_enough();
        for mut attempt in attempts {
            let whole = run.budget.clone();
            if !is_last {
                run.budget = whole.clone().with_time(slice);
            }
            let verdict = attempt.decide(task.terms, guesses, run, decide);
            run.budget = whole;
            last = verdict?;
            let Verdict::Unknown(unknown) = &last else {
                return Ok(last);
            };
            let is_exhausted = matches!(unknown.code, ReasonCode::Exhausted(_));
            if is_exhausted && (is_last || run.budget.check().is_err()) {
                return Ok(last);
            }
            open.extend(is_exhausted.then_some(attempt));
        }
        if open.is_empty() {
            return Ok(last);
        }
        attempts = open;
        slice *= 3;
    }
}

/// A way to choose cells, with its state.
struct Attempt {
    blocks: Applied,
    pass: Cells,
}

/// Attempts with and without witnesses, if a task has any: they take turns.
///
/// Witnesses make cells that never change, but more of them. An engine that guesses values does
/// better with fewer.
fn attempts(task: &Task<'_>, blocks: Applied, guesses: bool) -> Vec<Attempt> {
    let mut list = Vec::new();
    if !guesses && let Ok(foreseen) = blocks.clone().then(task.terms, &Witnesses) {
        let known = &blocks.model.rigid;
        let new = foreseen.model.rigid.iter().copied();
        let pass = Cells {
            witnesses: new.filter(|r| !known.contains(r)).collect(),
            is_lean: true,
            ..Cells::default()
        };
        list.push(Attempt {
            blocks: foreseen,
            pass,
        });
    }
    let pass = Cells::default();
    list.push(Attempt { blocks, pass });
    list
}

impl Attempt {
    fn decide(
        &mut self,
        terms: &Terms,
        guesses: bool,
        run: &mut Run<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Verdict, EngineError> {
        let Attempt { blocks, pass } = self;
        for _ in 0..ROUNDS {
            let made = match pass.replace(&blocks.task(terms)) {
                Ok(made) => made,
                Err(why) => return Ok(refused(&format!("cells does not apply: {why}"))),
            };
            let mut round = Rounds {
                terms,
                guesses,
                run,
                decide,
            };
            let more = match round.one(blocks, &made)? {
                Round::Over(verdict) => return Ok(verdict),
                Round::Missing(places) if places.is_empty() && !pass.is_lean => break,
                Round::Missing(places) => places,
            };
            pass.is_lean &= !more.is_empty();
            pass.most += more.len();
            pass.first.extend(more);
        }
        Ok(not_enough())
    }
}

struct Rounds<'r, 'o, 'd> {
    terms: &'r Terms,
    guesses: bool,
    run: &'r mut Run<'o>,
    decide: &'r mut Decide<'d>,
}

fn refused(why: &str) -> Verdict {
    Verdict::Unknown(Unknown::new(ReasonCode::Unsupported, why))
}

/// The result of a round.
enum Round {
    Over(Verdict),
    /// A spurious violation; these elements may refute it.
    Missing(Vec<Place>),
}

impl Rounds<'_, '_, '_> {
    /// Decides the task with cells, and translates the answer to the arrays.
    fn one(&mut self, blocks: &Applied, made: &CellModel) -> Result<Round, EngineError> {
        let terms = self.terms;
        if self.guesses && made.cells.len() > MOST_GUESSED {
            let why = "there are too many elements of arrays to guess their values";
            return Ok(Round::Over(refused(why)));
        }
        // Facts do not help engines that only search for violations.
        let facts = match self.guesses {
            true => Facts::default(),
            false => self.known_facts(made)?,
        };
        let trace = match self.answer(made, &facts)? {
            Verdict::Unknown(unknown) => return Ok(Round::Over(Verdict::Unknown(unknown))),
            Verdict::Holds(proof) => {
                let proof = with_facts(terms, &facts, &proof);
                return Ok(Round::Over(told_back(terms, blocks, made, &proof)));
            }
            Verdict::Violated(Certificate::Trace(trace)) => trace,
            Verdict::Violated(_) => return Ok(Round::Over(not_enough())),
        };
        let task = blocks.task(terms);
        if !task.model.is_linear() {
            // A derivation is not a path: it is not confirmed on the arrays here.
            return Ok(Round::Missing(missing(made, &trace)));
        }
        let found = match accepted_replay(&task, made, &trace) {
            Some(run) => Concrete::Run(run),
            None => concrete_run(self.run, &task, &trace)?,
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

    /// The verdict of the engine about cells.
    fn answer(&mut self, made: &CellModel, facts: &Facts) -> Result<Verdict, EngineError> {
        let terms = self.terms;
        let about_cells = |list: &[Term]| -> Vec<Term> {
            let told = list.iter().filter_map(|&t| made.formula(terms, t));
            told.collect()
        };
        let (predicates, lemmas) = (
            about_cells(self.run.predicates),
            about_cells(self.run.lemmas),
        );
        let mut run = Run {
            backend: self.run.backend,
            budget: self.run.budget.clone(),
            seed: self.run.seed,
            settings: self.run.settings,
            predicates: &predicates,
            lemmas: &lemmas,
            // Other engines do not know about the cells.
            board: None,
            observer: &mut *self.run.observer,
        };
        run.tell(Event::Phase { name: "cells" });
        run.count("cells", made.cells.len() as u64);
        run.count("cell_facts", facts.len() as u64);
        if let Some(proof) = &facts.proof {
            return Ok(Verdict::Holds(proof.clone()));
        }
        let model = facts.added_to(&made.applied.model);
        let task = Task::new(terms, &model, &made.applied.property);
        (self.decide)(&task, &mut run)
    }

    /// The inductive candidates about cells.
    fn known_facts(&self, made: &CellModel) -> Result<Facts, EngineError> {
        let (terms, budget) = (self.terms, &self.run.budget);
        let limit = budget.remaining().map_or(LONGEST, |rest| rest / 10);
        let budget = budget.clone().with_time(limit.min(LONGEST));
        let mut solver = self.run.backend.solver(terms)?;
        let task = made.applied.task(terms);
        let guesses = made.guesses(terms);
        let facts = Facts::among(&guesses, terms, task.model, solver.as_mut(), &budget)?;
        let mut solver = self.run.backend.solver(terms)?;
        facts.needed(&task, solver.as_mut(), &budget)
    }
}

/// The graph of blocks. A model with premises is unchanged, and so is a system, unless its property
/// is about whole arrays: then a violation becomes a separate step, which can read more of them
/// than cells can.
fn blocks(task: &Task<'_>) -> Result<Applied, String> {
    if !task.model.is_linear() {
        return Ok(Applied::unchanged(task));
    }
    if !task.model.is_system() {
        let passes = Pipeline::new().then(ErrorLocation);
        return passes.then(LargeBlocks::default()).apply(task);
    }
    if Cells::default().apply(task).is_err()
        && let Ok(graph) = ErrorLocation.apply(task)
    {
        return Ok(graph);
    }
    Ok(Applied::unchanged(task))
}

/// A proof that relies on facts, together with the facts, which are inductive by themselves.
fn with_facts(terms: &Terms, facts: &Facts, proof: &Certificate) -> Certificate {
    let Certificate::Invariants(proof) = proof else {
        return proof.clone();
    };
    let at = proof.at.iter().enumerate();
    let at = at.map(|(l, t)| t.map(|t| facts.with(terms, l, t)));
    proof.with(at.collect())
}

/// Translates a proof about cells to the arrays.
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

/// A run of arrays with the values of the cells, if it is a run and violates the property.
fn accepted_replay(task: &Task<'_>, made: &CellModel, trace: &Trace) -> Option<Trace> {
    // A system may end anywhere: the solver decides whether its last state is bad.
    (!task.model.is_system())
        .then(|| replay::replay(task, made, trace))
        .flatten()
}

/// A run of the arrays that takes the same steps.
fn concrete_run(run: &Run<'_>, task: &Task<'_>, trace: &Trace) -> Result<Concrete, EngineError> {
    let terms = task.terms;
    let steps: Vec<usize> = trace.steps.iter().map(|s| s.command).collect();
    let paths = PathFormulas::new(terms, task.model);
    let mut formulas = vec![paths.at(paths.init(), 0)];
    let each = steps.iter().enumerate();
    formulas.extend(each.map(|(k, &edge)| paths.at(paths.step(edge), k)));
    let end = trace.states.last().map_or(task.model.entry, |s| s.location);
    let safe = task.property.kind.safe_at(terms, end);
    formulas.extend(safe.map(|safe| paths.at(terms.not(safe), steps.len())));
    let mut solver = run.backend.solver(terms)?;
    formulas.iter().try_for_each(|&f| solver.assert(f))?;
    Ok(match solver.check(&[], &run.budget)? {
        Answer::Sat(model) => Concrete::Run(paths.trace(&steps, model)),
        Answer::Unsat(_) => Concrete::None,
        Answer::Unknown(why) => Concrete::Undecided(why),
    })
}

/// Elements without a variable that the steps of a violation read.
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

/// The verdict if only spurious violations were found.
fn not_enough() -> Verdict {
    let reached = "a violation was found that exists only without arrays: the elements that were examined do not suffice";
    let unknown = Unknown::new(ReasonCode::Incomplete, reached);
    Verdict::Unknown(unknown.hint("--engine bmc, which examines whole arrays"))
}
