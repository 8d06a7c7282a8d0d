//! What an engine is given besides its task.

use crate::board::Board;
use crate::event::{Event, Interest, Observer};
use crate::options::Settings;
use sectile_base::Budget;
use sectile_model::Model;
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Term, Terms};
use std::time::Duration;

/// The surroundings of one run.
pub struct Run<'r> {
    /// Makes solvers.
    pub backend: &'r dyn Backend,
    /// What may be used.
    pub budget: Budget,
    /// The seed of everything random.
    pub seed: u64,
    /// Options of engines, checked beforehand.
    pub settings: &'r Settings,
    /// Predicates over the state that the user prescribes, to be tried before any others.
    pub predicates: &'r [Term],
    /// Formulas that hold in a smaller instance of the model, or may hold for other reasons: an
    /// engine may try to prove them and use what it can prove.
    pub lemmas: &'r [Term],
    /// Where other engines write while they work, if there are any.
    pub board: Option<&'r Board>,
    /// Hears the events.
    pub observer: &'r mut dyn Observer,
}

impl Run<'_> {
    /// A run of another engine as a part of this one, without the user's predicates and lemmas.
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

    /// The limits, and that share of the time that is left; no longer than this, if it is given.
    pub fn share(&self, part: u32, longest: Option<Duration>) -> Budget {
        let rest = self.budget.remaining().map(|rest| rest / part);
        let limit = rest.map_or(longest, |rest| Some(longest.map_or(rest, |l| l.min(rest))));
        match limit {
            Some(limit) => self.budget.clone().with_time(limit),
            None => self.budget.clone(),
        }
    }

    /// Tells an event.
    pub fn tell(&mut self, event: Event) {
        self.observer.event(&event);
    }

    /// Whether the observer wants to hear this much.
    pub fn wants(&self, interest: Interest) -> bool {
        self.observer.interest() >= interest
    }

    /// What other engines have found out since the last time; whether it holds is not known. The
    /// formulas speak of the names of the input, which a pass may have replaced.
    pub fn news(&self, terms: &Terms, model: &Model) -> Vec<Term> {
        let mut news = self.board.map(|b| b.news(terms)).unwrap_or_default();
        news.retain(|&t| model.is_about(terms, t));
        news
    }

    /// Tells which formulas of others were of use.
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

    /// Writes down lemmas that were proved.
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

    /// Writes down that no violation has this many steps, or fewer.
    pub fn refuted(&mut self, depth: u64) {
        if let Some(board) = self.board {
            board.refute(depth);
        }
        self.tell(Event::BoundRefuted { depth });
    }

    /// Whether another engine has found that no violation has this many steps.
    pub fn is_refuted(&self, depth: u64) -> bool {
        let bound = self.board.and_then(Board::refuted);
        bound.is_some_and(|bound| depth <= bound)
    }

    /// Writes down that a predicate is used for the first time.
    pub fn born(&mut self, terms: &Terms, predicate: Term, source: &'static str) {
        if let Some(board) = self.board {
            board.post(terms, predicate, false);
        }
        let predicate = NativePrinter::new(terms).print(predicate);
        self.tell(Event::PredicateBorn { predicate, source });
    }

    /// Tells the value of a counter.
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.tell(Event::Counter { name, value });
    }
}
