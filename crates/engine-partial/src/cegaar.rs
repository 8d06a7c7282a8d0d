//! Refinement by counterexamples: sets of predicates, searched breadth first.

use crate::candidates::{candidates, predicates_in, property_predicates};
use crate::decide::{Outcome, Question, stopped, words};
use sectile_engine::{EngineError, Interest, Run, Stop};
use sectile_model::{ReasonCode, Unknown, Verdict};
use sectile_terms::Term;
use std::collections::{BTreeSet, VecDeque};

/// How long widening is delayed in turn where the engine below does not come to an end.
const DELAYS: [u64; 3] = [5, 12, 30];

/// The search.
pub struct Cegaar<'c, 't> {
    question: Question<'c, 't>,
    queue: VecDeque<Vec<Term>>,
    visited: BTreeSet<BTreeSet<Term>>,
    born: BTreeSet<Term>,
    tried: u64,
    asked_concretely: bool,
    /// The most that was found out so far.
    last: Option<Unknown>,
}

impl<'c, 't> Cegaar<'c, 't> {
    /// A search that begins with the conditions of the property; if it has none about numbers,
    /// with each condition of the model alone.
    pub fn new(question: Question<'c, 't>) -> Cegaar<'c, 't> {
        let terms = question.task.terms;
        let kind = &question.task.property.kind;
        let own = property_predicates(terms, kind);
        let seeds = match own.is_empty() {
            false => vec![own],
            true => {
                let all = candidates(terms, question.system, Some(kind));
                all.into_iter().map(|p| vec![p]).collect()
            }
        };
        let mut search = Cegaar {
            question,
            queue: VecDeque::new(),
            visited: BTreeSet::new(),
            born: BTreeSet::new(),
            tried: 0,
            asked_concretely: false,
            last: None,
        };
        for seed in seeds {
            search.add(seed);
        }
        search
    }

    fn add(&mut self, predicates: Vec<Term>) {
        let terms = self.question.task.terms;
        let key = predicates.iter().map(|&p| terms.strip_not(p).0).collect();
        if self.visited.insert(key) {
            self.queue.push_back(predicates);
        }
    }

    /// Searches until a set of predicates decides the property.
    ///
    /// Paper: [YaMe, Sect. 2.1]: a spurious path with refinement predicates rp makes as many new
    /// sets as rp has members; all of them at once would make the abstraction too large.
    pub fn run(&mut self, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        while let Some(predicates) = self.queue.pop_front() {
            if let Err(limit) = run.budget.check() {
                return Ok(Verdict::Unknown(self.exhausted(limit)));
            }
            self.tried += 1;
            run.count("iterations", self.tried);
            self.tell_born(&predicates, run);
            match self.attempt(&predicates, run) {
                Ok(Outcome::Decided(verdict)) => return Ok(verdict),
                Ok(Outcome::Spurious(cuts)) => self.refine(&predicates, &cuts),
                Ok(Outcome::Approximate(unknown)) => self.last = Some(unknown),
                Ok(Outcome::Open(unknown)) => {
                    self.last = Some(unknown);
                    if let Some(verdict) = self.concretely(run)? {
                        return Ok(verdict);
                    }
                }
                Err(stop) => self.last = Some(stopped(stop)?),
            }
        }
        Ok(Verdict::Unknown(self.given_up()))
    }

    /// A violation found without predicates; it is looked for once.
    fn concretely(&mut self, run: &mut Run<'_>) -> Result<Option<Verdict>, EngineError> {
        if std::mem::replace(&mut self.asked_concretely, true) {
            return Ok(None);
        }
        self.question.violated_concretely(run)
    }

    /// One set of predicates; where the engine below gives up, it is asked again with widening
    /// delayed: then its approximation was too coarse, not the abstraction.
    fn attempt(&self, predicates: &[Term], run: &mut Run<'_>) -> Result<Outcome, Stop> {
        let asked = self.question.settings;
        let options = self.question.below.info().options;
        // Engines that widen have an option by which that is delayed.
        let delay = options.iter().map(|o| o.name);
        let mut delay = delay.filter(|n| n.ends_with("delay") && asked.get(n).is_none());
        let tries: Vec<Option<(&str, u64)>> = match delay.next() {
            Some(name) => DELAYS.iter().map(|&d| Some((name, d))).collect(),
            None => vec![None],
        };
        let mut last = None;
        for delay in tries {
            let mut settings = self.question.limited_settings();
            if let Some((name, delay)) = delay {
                settings.set(name, delay.to_string());
            }
            let question = Question {
                settings: &settings,
                ..self.question
            };
            // One set that leads nowhere must not take all the time.
            let (budget, settings) = (run.share(2, None), run.settings);
            match question.decide(predicates, &mut run.part(settings, budget))? {
                Outcome::Approximate(unknown) => last = Some(Outcome::Approximate(unknown)),
                other => return Ok(other),
            }
        }
        let nothing = || Outcome::Approximate(Unknown::new(ReasonCode::Incomplete, "untried"));
        Ok(last.unwrap_or_else(nothing))
    }

    /// New sets, each with one more of the conditions in the interpolants.
    fn refine(&mut self, predicates: &[Term], cuts: &[Term]) {
        let terms = self.question.task.terms;
        let known: BTreeSet<Term> = predicates.iter().map(|&p| terms.strip_not(p).0).collect();
        for predicate in predicates_in(terms, cuts) {
            if !known.contains(&terms.strip_not(predicate).0) {
                self.add([predicates, &[predicate]].concat());
            }
        }
    }

    fn tell_born(&mut self, predicates: &[Term], run: &mut Run<'_>) {
        let first = self.tried == 1;
        let source = if first { "property" } else { "interpolant" };
        for &p in predicates {
            if self.born.insert(p) && run.wants(Interest::Counters) {
                run.born(self.question.task.terms, p, source);
            }
        }
    }

    fn exhausted(&self, limit: sectile_base::Exhausted) -> Unknown {
        Unknown::new(ReasonCode::Exhausted(limit), self.reached()).hint("--select compatibility")
    }

    fn given_up(&mut self) -> Unknown {
        let reached = self.reached();
        let last = self.last.take();
        let why = last.map_or(String::new(), |u| format!("; the last one: {}", u.reached));
        Unknown::new(ReasonCode::Incomplete, format!("{reached}{why}"))
    }

    fn reached(&self) -> String {
        let terms = self.question.task.terms;
        let waiting = self.queue.front();
        let waiting = waiting.map_or(String::new(), |p| {
            let next = words(terms, p.iter().copied());
            format!(", {} wait, the next one is {next}", self.queue.len())
        });
        let tried = self.tried;
        format!("{tried} sets of predicates did not decide it{waiting}")
    }
}
