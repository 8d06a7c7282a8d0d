//! The context of a run: everything an engine is given besides its task.

use crate::board::Board;
use crate::event::{Event, Interest, Observer};
use crate::options::Settings;
use sectile_base::Budget;
use sectile_model::Model;
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Term, Terms};
use std::time::Duration;

/// The context of one run.
pub struct Run<'r> {
    /// Makes solvers.
    pub backend: &'r dyn Backend,
    /// The limits.
    pub budget: Budget,
    /// The seed of all random choices.
    pub seed: u64,
    /// Options of engines, already validated.
    pub settings: &'r Settings,
    /// Predicates prescribed by the user, to be tried before any others.
    pub predicates: &'r [Term],
    /// Formulas that hold in a smaller instance of the model, or are candidates for other reasons:
    /// an engine may use those that it can prove.
    pub lemmas: &'r [Term],
    /// The board shared with other engines, if any.
    pub board: Option<&'r Board>,
    /// Receives the events.
    pub observer: &'r mut dyn Observer,
}

impl Run<'_> {
    /// A run of another engine as part of this one, without the user's predicates and lemmas.
    pub fn part<'p>(&'p mut self, settings: &'p Settings, budget: Budget) -> Run<'p> {
        Run {
            backend: self.backend,
            budget,
            seed: self.seed,
            settings,
            predicates: &[],
            lemmas: &[],
            board: None,
            observer: self.observer,
        }
    }

    /// The limits with this share of the remaining time, and at most `longest` if given.
    pub fn share(&self, part: u32, longest: Option<Duration>) -> Budget {
        let rest = self.budget.remaining().map(|rest| rest / part);
        let limit = rest.map_or(longest, |rest| Some(longest.map_or(rest, |l| l.min(rest))));
        match limit {
            Some(limit) => self.budget.clone().with_time(limit),
            None => self.budget.clone(),
        }
    }

    /// Emits an event.
    pub fn tell(&mut self, event: Event) {
        self.observer.event(&event);
    }

    /// Whether the observer wants this level of detail.
    pub fn wants(&self, interest: Interest) -> bool {
        self.observer.interest() >= interest
    }

    /// New formulas of other engines on the board, as unproved candidates. They use names of the
    /// input, which a pass may have replaced.
    pub fn news(&self, terms: &Terms, model: &Model) -> Vec<Term> {
        let mut news = self.board.map(|b| b.news(terms)).unwrap_or_default();
        news.retain(|&t| model.is_about(terms, t));
        news
    }

    /// Reports which formulas of others were useful.
    pub fn adopted(&mut self, terms: &Terms, formulas: &[Term]) {
        let Some(board) = self.board else {
            return;
        };
        for &f in formulas {
            if let Some(from) = board.origin(f) {
                let formula = NativePrinter::new(terms).print(f);
                self.tell(Event::Adopted { formula, from });
            }
        }
    }

    /// Publishes lemmas that were proved.
    pub fn proved(&mut self, terms: &Terms, lemmas: &[Term], source: &'static str) {
        for &lemma in lemmas {
            if let Some(board) = self.board {
                board.post(terms, lemma, true);
            }
            if self.wants(Interest::Steps) {
                let formula = NativePrinter::new(terms).print(lemma);
                self.tell(Event::Lemma { formula, source });
            }
        }
    }

    /// Publishes that no violation has this many steps or fewer.
    pub fn refuted(&mut self, depth: u64) {
        if let Some(board) = self.board {
            board.refute(depth);
        }
        self.tell(Event::BoundRefuted { depth });
    }

    /// Whether another engine found that no violation has this many steps.
    pub fn is_refuted(&self, depth: u64) -> bool {
        let bound = self.board.and_then(Board::refuted);
        bound.is_some_and(|bound| depth <= bound)
    }

    /// Publishes the first use of a predicate.
    pub fn born(&mut self, terms: &Terms, predicate: Term, source: &'static str) {
        if let Some(board) = self.board {
            board.post(terms, predicate, false);
        }
        let predicate = NativePrinter::new(terms).print(predicate);
        self.tell(Event::PredicateBorn { predicate, source });
    }

    /// Reports the value of a counter.
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.tell(Event::Counter { name, value });
    }
}
