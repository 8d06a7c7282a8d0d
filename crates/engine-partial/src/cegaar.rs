//! Refinement by counterexamples: a breadth-first search over sets of predicates.

use crate::Imprecise;
use crate::candidates::{candidates, predicates_in, property_predicates};
use crate::decide::{Outcome, Question, stopped, words};
use crate::imprecision::{KnownScores, imprecision};
use crate::queries::Queries;
use sectile_engine::{EngineError, Event, Interest, Run, Stop};
use sectile_model::{ReasonCode, Unknown, Verdict};
use sectile_terms::Term;
use std::collections::{BTreeSet, VecDeque};

/// Delays of widening, in turn, if the engine below finds no answer.
const DELAYS: [u64; 3] = [5, 30, 100];

/// The search.
pub struct Cegaar<'c, 't> {
    question: Question<'c, 't>,
    queue: VecDeque<Vec<Term>>,
    /// Sets with imprecise predicates, tried when the queue is empty.
    later: VecDeque<Vec<Term>>,
    imprecise: Imprecise,
    scores: KnownScores,
    visited: BTreeSet<BTreeSet<Term>>,
    born: BTreeSet<Term>,
    tried: u64,
    /// Number of imprecise refinement predicates.
    set_aside: u64,
    asked_concretely: bool,
    /// The latest partial result.
    last: Option<Unknown>,
}

impl<'c, 't> Cegaar<'c, 't> {
    /// A search that starts with the conditions of the property; if none is about numbers, with
    /// each single condition of the model.
    pub(crate) fn new(question: Question<'c, 't>, imprecise: Imprecise) -> Cegaar<'c, 't> {
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
            later: VecDeque::new(),
            imprecise,
            scores: KnownScores::default(),
            visited: BTreeSet::new(),
            born: BTreeSet::new(),
            tried: 0,
            set_aside: 0,
            asked_concretely: false,
            last: None,
        };
        for seed in seeds {
            search.add(seed, false);
        }
        search
    }

    fn add(&mut self, predicates: Vec<Term>, later: bool) {
        let terms = self.question.task.terms;
        let key = predicates.iter().map(|&p| terms.strip_not(p).0).collect();
        if self.visited.insert(key) {
            let queue = if later {
                &mut self.later
            } else {
                &mut self.queue
            };
            queue.push_back(predicates);
        }
    }

    fn next(&mut self) -> Option<Vec<Term>> {
        self.queue.pop_front().or_else(|| self.later.pop_front())
    }

    /// Searches until a set of predicates decides the property.
    ///
    /// Paper: [YaMe, Sect. 2.1]: a spurious path with refinement predicates rp gives one new set
    /// for each member of rp; with all of them at once, the abstraction would become too large.
    pub fn run(&mut self, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        while let Some(predicates) = self.next() {
            if let Err(limit) = run.budget.check() {
                return Ok(Verdict::Unknown(self.exhausted(limit)));
            }
            self.tried += 1;
            run.count("iterations", self.tried);
            self.tell_born(&predicates, run);
            run.tell(Event::Part {
                index: self.tried as usize,
                of: self.visited.len(),
                name: format!(
                    "predicates {}",
                    words(self.question.task.terms, predicates.iter().copied())
                ),
            });
            match self.attempt(&predicates, run) {
                Ok(Outcome::Decided(verdict)) => return Ok(verdict),
                Ok(Outcome::Spurious(cuts)) => match self.refine(&predicates, &cuts, run) {
                    Ok(()) => {}
                    Err(stop) => self.last = Some(stopped(stop)?),
                },
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

    /// A violation found without predicates; it is searched for once.
    fn concretely(&mut self, run: &mut Run<'_>) -> Result<Option<Verdict>, EngineError> {
        if std::mem::replace(&mut self.asked_concretely, true) {
            return Ok(None);
        }
        self.question.violated_concretely(run)
    }

    /// Tries one set of predicates; if the engine below gives up, it runs again with delayed
    /// widening: then its approximation was too coarse, not the abstraction.
    fn attempt(&self, predicates: &[Term], run: &mut Run<'_>) -> Result<Outcome, Stop> {
        let asked = self.question.settings;
        let options = self.question.below.info().options;
        // Engines with widening have an option that delays it.
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
            // A single set must not take all the time.
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
    ///
    /// Paper: [YaMe, Sect. 6]: imprecision may decide which of them to leave out.
    fn refine(&mut self, old: &[Term], cuts: &[Term], run: &mut Run<'_>) -> Result<(), Stop> {
        let terms = self.question.task.terms;
        let known: BTreeSet<Term> = old.iter().map(|&p| terms.strip_not(p).0).collect();
        for predicate in predicates_in(terms, cuts) {
            if known.contains(&terms.strip_not(predicate).0) {
                continue;
            }
            let larger = [old, &[predicate]].concat();
            match (self.imprecise, self.is_imprecise(predicate, run)?) {
                (Imprecise::Drop, true) => {}
                (_, later) => self.add(larger, later),
            }
        }
        Ok(())
    }

    /// Whether a predicate is imprecise on its own, if the options require that check.
    fn is_imprecise(&mut self, predicate: Term, run: &mut Run<'_>) -> Result<bool, Stop> {
        if self.imprecise == Imprecise::Try {
            return Ok(false);
        }
        let terms = self.question.task.terms;
        let mut queries = Queries::new(terms, run.backend, &run.budget)?;
        let (system, scores) = (self.question.system, &mut self.scores);
        let found = imprecision(terms, system, &[predicate], scores, &mut queries)?;
        let imprecise = found.individuals() > 0;
        self.set_aside += u64::from(imprecise);
        run.count("imprecise", self.set_aside);
        Ok(imprecise)
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
        let waiting = self.queue.front().or_else(|| self.later.front());
        let waiting = waiting.map_or(String::new(), |p| {
            let next = words(terms, p.iter().copied());
            let count = self.queue.len() + self.later.len();
            format!(", {count} wait, the next one is {next}")
        });
        let tried = self.tried;
        if tried == 0 && waiting.is_empty() {
            return String::new();
        }
        format!("{tried} sets of predicates did not decide it{waiting}")
    }
}
