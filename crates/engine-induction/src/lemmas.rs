//! Lemmas for induction: guesses that hold, proved before the property and used with it.

use crate::effects::guesses;
use crate::step::{Induction, StepCase};
use sectile_domains::facts::place_invariants;
use sectile_engine::{EngineError, Guess, Proof, Run, SafetyQuestion, Unroller};
use sectile_terms::Term;
use std::time::Duration;

/// Lemmas are worth no more time than this.
const LONGEST: Duration = Duration::from_secs(5);

/// Lemmas are not used over more steps than this: they make deep questions harder, and what steps
/// establish is of use at once, or not at all.
const DEEPEST: u32 = 3;

/// Induction with lemmas, beside the one without.
pub struct Lemmas<'u> {
    asked: &'u SafetyQuestion<'u>,
    unroller: &'u Unroller<'u>,
    proved: Vec<Term>,
    induction: Option<Induction<'u>>,
}

impl<'u> Lemmas<'u> {
    /// Nothing is guessed before the first step.
    pub fn new(asked: &'u SafetyQuestion<'u>, unroller: &'u Unroller<'u>) -> Lemmas<'u> {
        Lemmas {
            asked,
            unroller,
            proved: Vec::new(),
            induction: None,
        }
    }

    /// If the property is inductive over so many steps with lemmas: whether runs with repeated
    /// states had to be excluded, and the lemmas that are needed.
    pub fn step(
        &mut self,
        depth: u32,
        run: &mut Run<'_>,
    ) -> Result<Option<(bool, Vec<Term>)>, EngineError> {
        if depth == 1 {
            self.prove(run)?;
        }
        if depth > DEEPEST {
            self.induction = None;
        }
        let Some(induction) = &mut self.induction else {
            return Ok(None);
        };
        match induction.step(depth, run) {
            Ok(StepCase::Inductive { simple_paths }) => Ok(Some((simple_paths, self.needed(run)?))),
            Ok(StepCase::NotInductive) => Ok(None),
            Err(stop) => stop.undecided().map(|_| None),
        }
    }

    /// Finds the guesses that are together inductive, unless it takes too long.
    fn prove(&mut self, run: &mut Run<'_>) -> Result<(), EngineError> {
        let terms = self.unroller.terms();
        let given = run.lemmas.iter().copied().map(Guess::alone);
        let sums = place_invariants(terms, self.asked.system).into_iter();
        let given = given.chain(sums.map(Guess::alone));
        let guesses: Vec<Guess> = given.chain(guesses(terms, self.asked)).collect();
        if guesses.is_empty() {
            return Ok(());
        }
        let mut solver = run.backend.solver(terms)?;
        let budget = run.share(4, Some(LONGEST));
        let unroller = self.unroller;
        let part = unroller.inductive_part(guesses, solver.as_mut(), &budget)?;
        self.proved = part.unwrap_or_default();
        run.count("lemmas", self.proved.len() as u64);
        if !self.proved.is_empty() {
            let known = terms.and(self.proved.iter().copied());
            self.induction = Some(Induction::new(unroller, self.asked.bad, known, run)?);
        }
        Ok(())
    }

    /// The lemmas that the proof needs, with those that these need to be inductive.
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
            // One step for all commands: there are fewer questions, and none is hard.
            steps: vec![(0, 0, system.transition_formula(terms))],
        };
        let mut solver = run.backend.solver(terms)?;
        let found = proof.needed_within(LONGEST, solver.as_mut(), &run.budget)?;
        let needed = found.and_then(|mut lists| lists.pop());
        Ok(needed.unwrap_or_else(|| self.proved.clone()))
    }
}
