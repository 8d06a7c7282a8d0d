//! Choosing predicates for partial abstraction, on an instance of the model or on a smaller one.

use crate::{
    Aim, Choices, Compatibility, Imprecision, Partial, Queries, Question, candidates,
    choose_compatible, choose_precise, compatibility, imprecision, scope, subject, with_property,
};
use sectile_base::Budget;
use sectile_engine::{Observer, Run, Settings, Stop};
use sectile_model::Task;
use sectile_solver::Backend;
use sectile_terms::{Symbol, Term};
use std::collections::BTreeSet;

/// How predicates are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// By pairs of steps that follow each other in the abstraction only.
    Imprecision,
    /// By pairs of predicates that prove the property.
    Compatibility,
}

/// What the user asked for.
pub struct SelectOptions {
    /// How predicates are judged.
    pub heuristic: Heuristic,
    /// What a pair of predicates has to achieve to be compatible.
    pub aim: Aim,
    /// The most predicates that are chosen.
    pub depth: usize,
    /// What may be used.
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
    /// Which pairs prove the property, where that was asked for.
    pub compatibility: Option<Compatibility>,
    /// The best sets.
    pub choices: Choices,
    /// The predicates to abstract with: those chosen, and those that the property needs then.
    pub predicates: Vec<Term>,
}

/// Why there is no selection.
#[derive(Debug)]
pub enum SelectError {
    /// The request makes no sense; the text says why.
    Bad(String),
    /// A limit was reached, or something is broken.
    Stopped(Stop),
}

impl From<Stop> for SelectError {
    fn from(e: Stop) -> SelectError {
        SelectError::Stopped(e)
    }
}

/// Sets of states that are enough for a small instance; an abstraction that needs more is of no use.
const NODES: &str = "2000";

/// Chooses predicates for a property.
///
/// Paper: [YaMe, Sect. 3].
pub fn select(
    task: &Task<'_>,
    partial: &Partial,
    backend: &dyn Backend,
    options: &SelectOptions,
    observer: &mut dyn Observer,
) -> Result<Selection, SelectError> {
    let (terms, property) = (task.terms, task.property);
    let system = subject(task).map_err(SelectError::Bad)?;
    let list = candidates(terms, system, Some(&property.kind));
    let scopes: Vec<BTreeSet<Symbol>> = list.iter().map(|&p| scope(terms, p)).collect();
    let mut queries = Queries::new(terms, backend, &options.budget)?;
    let scores = imprecision(terms, system, &list, &mut queries)?;
    let (compatible, choices) = match options.heuristic {
        Heuristic::Imprecision => (None, choose_precise(&scopes, &scores, options.depth)),
        Heuristic::Compatibility => {
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
            let found = compatibility(&question, &list, options.aim, &mut run)?;
            let choices = choose_compatible(&scopes, &found.table, options.depth);
            (Some(found), choices)
        }
    };
    let members = choices.chosen.as_ref().map_or(&[][..], |c| &c.members);
    let chosen: Vec<Term> = members.iter().map(|&i| list[i]).collect();
    Ok(Selection {
        predicates: with_property(terms, &chosen, &property.kind),
        candidates: list,
        imprecision: scores,
        compatibility: compatible,
        choices,
    })
}
