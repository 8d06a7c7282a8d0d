//! Lemmas for induction: inductive candidates, proved before the property and used with it.

use crate::effects::guesses;
use crate::step::{Induction, StepCase};
use sectile_domains::facts::place_invariants;
use sectile_engine::{EngineError, Guess, Proof, Run, SafetyQuestion, Unroller};
use sectile_terms::Term;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Lemmas are worth no more time than this.
const LONGEST: Duration = Duration::from_secs(2);

/// Maximum depth of induction with lemmas: they make deep queries harder, and facts that steps
/// establish help at small depths or not at all.
const DEEPEST: u32 = 3;

/// A proof of the property.
pub struct Proved {
    /// It is inductive over this many steps with the lemmas.
    pub depth: u32,
    /// Whether runs with repeated states had to be excluded.
    pub simple_paths: bool,
    /// The needed lemmas.
    pub lemmas: Vec<Term>,
}

/// Induction with lemmas, beside plain induction.
pub struct Lemmas<'u> {
    asked: &'u SafetyQuestion<'u>,
    unroller: &'u Unroller<'u>,
    proved: Vec<Term>,
    induction: Option<Induction<'u>>,
}

impl<'u> Lemmas<'u> {
    /// Candidates are made at the first step.
    pub fn new(asked: &'u SafetyQuestion<'u>, unroller: &'u Unroller<'u>) -> Lemmas<'u> {
        Lemmas {
            asked,
            unroller,
            proved: Vec::new(),
            induction: None,
        }
    }

    /// Whether the property is inductive with lemmas, over this many steps or fewer.
    ///
    /// New formulas of other engines are tried together with the proved lemmas.
    pub fn step(&mut self, depth: u32, run: &mut Run<'_>) -> Result<Option<Proved>, EngineError> {
        if depth == 1 {
            let terms = self.unroller.terms();
            let sums = place_invariants(terms, self.asked.system).into_iter();
            let mut all: Vec<Guess> = sums.map(Guess::alone).collect();
            all.extend(guesses(terms, self.asked));
            self.prove(run.lemmas, all, run)?;
        } else {
            let news = run.news(self.unroller.terms(), self.asked.system);
            if self.prove(&news, Vec::new(), run)? {
                // The base case is far ahead.
                return self.steps(1..=depth.min(DEEPEST), run);
            }
        }
        if depth > DEEPEST {
            self.induction = None;
        }
        self.steps(depth..=depth, run)
    }

    /// The first of these depths at which the property is inductive with the lemmas.
    fn steps(
        &mut self,
        depths: RangeInclusive<u32>,
        run: &mut Run<'_>,
    ) -> Result<Option<Proved>, EngineError> {
        for depth in depths {
            let Some(induction) = &mut self.induction else {
                return Ok(None);
            };
            match induction.step(depth, run) {
                Ok(StepCase::Inductive { simple_paths }) => {
                    return Ok(Some(Proved {
                        depth,
                        simple_paths,
                        lemmas: self.needed(run)?,
                    }));
                }
                Ok(StepCase::NotInductive) => {}
                Err(stop) => return stop.undecided().map(|_| None),
            }
        }
        Ok(None)
    }

    /// Finds the candidates that are inductive together, unless it takes too long; returns whether
    /// there are more lemmas than before.
    fn prove(
        &mut self,
        given: &[Term],
        guesses: Vec<Guess>,
        run: &mut Run<'_>,
    ) -> Result<bool, EngineError> {
        let terms = self.unroller.terms();
        let mut given = given.to_vec();
        given.retain(|g| !self.proved.contains(g));
        if given.is_empty() && guesses.is_empty() {
            return Ok(false);
        }
        let given = self.proved.iter().copied().chain(given).map(Guess::alone);
        let guesses: Vec<Guess> = given.chain(guesses).collect();
        let mut solver = run.backend.solver(terms)?;
        let budget = run.share(4, Some(LONGEST));
        let unroller = self.unroller;
        let part = unroller.inductive_part(guesses, solver.as_mut(), &budget)?;
        let found = part.unwrap_or_default();
        let fresh: Vec<Term> = { found.iter().copied() }
            .filter(|l| !self.proved.contains(l))
            .collect();
        if fresh.is_empty() {
            return Ok(false);
        }
        run.proved(terms, &fresh, "induction");
        run.adopted(terms, &fresh);
        self.proved = found;
        run.count("lemmas", self.proved.len() as u64);
        let known = terms.and(self.proved.iter().copied());
        self.induction = Some(Induction::new(unroller, self.asked.bad, known, run)?);
        Ok(true)
    }

    /// The lemmas that the proof needs, with those that make them inductive.
    fn needed(&self, run: &Run<'_>) -> Result<Vec<Term>, EngineError> {
        let terms = self.unroller.terms();
        let system = self.asked.system;
        let used = match &self.induction {
            Some(induction) => induction.used(&self.proved, run)?,
            None => return Ok(Vec::new()),
        };
        let lost = terms.not(terms.and(used));
        let proof = Proof {
            terms,
            bad: vec![terms.and2(system.restrict_formula(terms), lost)],
            conditions: vec![self.proved.clone()],
            // One step for all commands: there are fewer queries, and none is hard.
            steps: vec![(0, 0, system.transition_formula(terms))],
        };
        let mut solver = run.backend.solver(terms)?;
        let found = proof.needed_within(LONGEST, solver.as_mut(), &run.budget)?;
        let needed = found.and_then(|mut lists| lists.pop());
        Ok(needed.unwrap_or_else(|| self.proved.clone()))
    }
}
