//! What an engine is given besides its task.

use crate::event::{Event, Interest, Observer};
use crate::options::Settings;
use sectile_base::Budget;
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

    /// Tells that a predicate is used for the first time.
    pub fn born(&mut self, terms: &Terms, predicate: Term, source: &'static str) {
        let predicate = NativePrinter::new(terms).print(predicate);
        self.tell(Event::PredicateBorn { predicate, source });
    }

    /// Tells the value of a counter.
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.tell(Event::Counter { name, value });
    }
}
