//! Selection of predicates for partial abstraction, on an instance of the model or on a smaller
//! one.

use crate::{
    Aim, Choices, Compatibility, Imprecision, KnownScores, Partial, Queries, Question, Ties,
    candidates, choose_compatible, choose_precise, compatibility, imprecision, imprecision_about,
    scope, subject, with_property,
};
use sectile_base::Budget;
use sectile_engine::{Observer, Run, Settings, Stop};
use sectile_model::Task;
use sectile_solver::Backend;
use sectile_terms::{Symbol, Term};
use std::collections::BTreeSet;

/// How predicates are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Counts step pairs that are consecutive in the abstraction but not in the model.
    Imprecision,
    /// The same, with the initial states and the conditions of the property as further steps.
    Property,
    /// Counts pairs of predicates that prove the property.
    Compatibility,
}

/// The user's request.
pub struct SelectOptions {
    /// How predicates are scored.
    pub heuristic: Heuristic,
    /// The condition for a pair of predicates to be compatible.
    pub aim: Aim,
    /// Maximum number of predicates to choose.
    pub depth: usize,
    /// How ties between sets with the same score are broken.
    pub ties: Ties,
    /// The limits.
    pub budget: Budget,
    /// Options of engines.
    pub settings: Settings,
}

/// Candidates with their scores, and the choice.
pub struct Selection {
    /// The candidates, in the order in which the model states them.
    pub candidates: Vec<Term>,
    /// Imprecision of candidates and pairs.
    pub imprecision: Imprecision,
    /// The pairs that prove the property, if requested.
    pub compatibility: Option<Compatibility>,
    /// The best sets.
    pub choices: Choices,
    /// The predicates for the abstraction: the chosen ones, and those that the property then needs.
    pub predicates: Vec<Term>,
}

/// The reason why there is no selection.
#[derive(Debug)]
pub enum SelectError {
    /// The request is invalid, with the reason.
    Bad(String),
    /// A limit was reached, or something is broken.
    Stopped(Stop),
}

impl From<Stop> for SelectError {
    fn from(e: Stop) -> SelectError {
        SelectError::Stopped(e)
    }
}

/// Maximum number of sets of states for a small instance; an abstraction that needs more is
/// useless.
const NODES: &str = "2000";

/// Results kept across the properties of a model.
#[derive(Debug, Default)]
pub struct Memory {
    /// Scores of predicates and pairs.
    pub scores: KnownScores,
    /// The chosen sets.
    pub sets: Vec<Vec<Term>>,
}

/// Chooses predicates for a property.
///
/// Paper: [YaMe, Sect. 3]. Scores of the same model are computed once [YaMe, Sect. 6].
pub fn select(
    task: &Task<'_>,
    partial: &Partial,
    backend: &dyn Backend,
    options: &SelectOptions,
    memory: &mut Memory,
    observer: &mut dyn Observer,
) -> Result<Selection, SelectError> {
    let (terms, property) = (task.terms, task.property);
    let system = subject(task).map_err(SelectError::Bad)?;
    let list = candidates(terms, system, Some(&property.kind));
    let scopes: Vec<BTreeSet<Symbol>> = list.iter().map(|&p| scope(terms, p)).collect();
    let mut queries = Queries::new(terms, backend, &options.budget)?;
    let scores = match options.heuristic {
        Heuristic::Property => {
            imprecision_about(terms, system, &property.kind, &list, &mut queries)?
        }
        _ => imprecision(terms, system, &list, &mut memory.scores, &mut queries)?,
    };
    let (depth, ties) = (options.depth, options.ties);
    let (compatible, choices) = match options.heuristic {
        Heuristic::Imprecision | Heuristic::Property => {
            (None, choose_precise(&scopes, &scores, depth, ties))
        }
        Heuristic::Compatibility => {
            let found = asked(
                task,
                partial,
                backend,
                options,
                observer,
                |question, run| compatibility(question, &list, options.aim, run),
            )?;
            let choices = choose_compatible(&scopes, &found.table, depth, ties);
            (Some(found), choices)
        }
    };
    let members = choices.chosen.as_ref().map_or(&[][..], |c| &c.members);
    let chosen: Vec<Term> = members.iter().map(|&i| list[i]).collect();
    let predicates = with_property(terms, &chosen, &property.kind);
    if !chosen.is_empty() && !memory.sets.contains(&chosen) {
        memory.sets.push(chosen);
    }
    Ok(Selection {
        predicates,
        candidates: list,
        imprecision: scores,
        compatibility: compatible,
        choices,
    })
}

/// A set chosen for an earlier property of the same model that proves this one, with the further
/// predicates this property needs.
///
/// Paper: [YaMe, Sect. 6] suggests reuse across properties.
pub fn reusable(
    task: &Task<'_>,
    partial: &Partial,
    backend: &dyn Backend,
    options: &SelectOptions,
    memory: &Memory,
    observer: &mut dyn Observer,
) -> Result<Option<Vec<Term>>, SelectError> {
    asked(
        task,
        partial,
        backend,
        options,
        observer,
        |question, run| {
            for set in &memory.sets {
                let tried = with_property(task.terms, set, &task.property.kind);
                if options.aim.is_reached(question, &tried, run)? {
                    return Ok(Some(tried));
                }
            }
            Ok(None)
        },
    )
}

/// Runs a query about abstractions of a task, with a limit on the number of sets of states.
fn asked<T>(
    task: &Task<'_>,
    partial: &Partial,
    backend: &dyn Backend,
    options: &SelectOptions,
    observer: &mut dyn Observer,
    ask: impl FnOnce(&Question<'_, '_>, &mut Run<'_>) -> Result<T, Stop>,
) -> Result<T, SelectError> {
    let system = subject(task).map_err(SelectError::Bad)?;
    let below = partial.below(&options.settings);
    let below = below.map_err(|e| SelectError::Bad(e.to_string()))?;
    let mut settings = options.settings.clone();
    if settings.get("nodes").is_none() {
        settings.set("nodes", NODES);
    }
    let question = Question {
        task,
        system,
        below,
        settings: &settings,
    };
    let mut run = Run {
        backend,
        budget: options.budget.clone(),
        seed: 0,
        settings: &settings,
        predicates: &[],
        lemmas: &[],
        board: None,
        observer,
    };
    Ok(ask(&question, &mut run)?)
}
