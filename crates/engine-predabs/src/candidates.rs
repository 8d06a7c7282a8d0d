//! Predicates that exclude a path: their sources, and the choice among them.

use crate::alpha::Kind;
use crate::cegar::Cegar;
use crate::config::Source;
use crate::decompose::Segment;
use crate::refine::{BackwardSets, Needed};
use crate::siblings::siblings;
use crate::system::{AbstractPath, AbstractSystem};
use sectile_engine::{Interest, Run, Stop};
use sectile_solver::Undecided;
use sectile_terms::Term;

/// Number of rounds in which preconditions are used if there are fewer of them than interpolants.
const PRECONDITION_ROUNDS: u64 = 4;

/// Sets along a path, with the resulting predicates.
pub(crate) struct Candidate {
    pub(crate) back: BackwardSets,
    source: &'static str,
    /// Their new atoms.
    new: Vec<Term>,
    /// The same predicates about other processes.
    others: Vec<Term>,
}

impl Candidate {
    fn size(&self) -> usize {
        self.new.len() + self.others.len()
    }
}

/// The smaller one; the first of equal ones.
pub(crate) fn smaller(a: Option<Candidate>, b: Option<Candidate>) -> Option<Candidate> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.size() < a.size() { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// A spurious path, with the reason.
#[derive(Clone, Copy)]
pub struct Spurious<'p, 't> {
    /// The abstract system.
    pub system: &'p AbstractSystem<'t>,
    /// The path.
    pub path: &'p AbstractPath,
    /// The guards that are sufficient to refute it.
    pub needed: &'p Needed,
}

impl Spurious<'_, '_> {
    /// The values of the copied variables at a position.
    pub(crate) fn control(&self, position: usize) -> Vec<usize> {
        let variables = self.system.alpha.variables().iter();
        let variables = variables.zip(&self.path.states[position]);
        let copies = variables.filter(|(v, _)| matches!(v.kind, Kind::Copy(_)));
        copies.map(|(_, &value)| value).collect()
    }
}

impl<'t> Cegar<'_, 't> {
    /// Adds predicates that exclude the path; returns false if there are none.
    pub(crate) fn refine(
        &mut self,
        spurious: Spurious<'_, 't>,
        run: &mut Run<'_>,
    ) -> Result<bool, Stop> {
        let path = spurious.path;
        let mut chosen = match self.config.source() {
            Source::Preconditions => self.backwards(spurious)?,
            Source::Guards => self.guards(path),
            Source::Interpolants => None,
            Source::Both => self.fewest(spurious, run)?,
        };
        if chosen.is_none() && self.config.source() != Source::Both {
            chosen = self.interpolants(path, run)?;
        }
        let Some(chosen) = chosen else {
            return Ok(false);
        };
        self.take(chosen, path, run)?;
        Ok(true)
    }

    /// Adds the predicates of a candidate.
    pub(crate) fn take(
        &mut self,
        chosen: Candidate,
        path: &AbstractPath,
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        if run.wants(Interest::Steps) {
            self.tell_refutation(&chosen.back, chosen.source, path, run)?;
        }
        self.add(&chosen.new, chosen.source, run);
        self.add(&chosen.others, "sibling", run);
        Ok(())
    }

    /// Preconditions if they are at most as many as interpolants; accelerated loops may cost twice
    /// as much. Preconditions alone need not converge: after some rounds only interpolants are
    /// used.
    fn fewest(
        &mut self,
        spurious: Spurious<'_, 't>,
        run: &mut Run<'_>,
    ) -> Result<Option<Candidate>, Stop> {
        let can = run.backend.interpolator(self.question.terms).is_ok();
        if self.rounds > PRECONDITION_ROUNDS && can {
            return self.interpolants(spurious.path, run);
        }
        let back = self.backwards(spurious)?;
        if !can || back.as_ref().is_some_and(|b| b.size() == 1) {
            return Ok(back);
        }
        let cuts = match self.interpolants(spurious.path, run) {
            Err(Stop::Undecided(Undecided::Incomplete(_))) if back.is_some() => None,
            found => found?,
        };
        if let (Some(b), Some(c)) = (&back, &cuts)
            && !b.back.loops.is_empty()
            && b.size() <= 2 * c.size()
        {
            return Ok(back);
        }
        Ok(smaller(back, cuts))
    }

    pub(crate) fn candidate(
        &self,
        sets: Vec<(usize, Term)>,
        loops: Vec<(usize, usize)>,
        source: &'static str,
    ) -> Option<Candidate> {
        let formulas: Vec<Term> = sets.iter().map(|s| s.1).collect();
        let new = self.new_atoms(&formulas);
        let others = match self.config.siblings {
            true => self.siblings(&new),
            false => Vec::new(),
        };
        (!new.is_empty()).then_some(Candidate {
            back: BackwardSets { sets, loops },
            source,
            new,
            others,
        })
    }

    fn guards(&self, path: &AbstractPath) -> Option<Candidate> {
        self.candidate(self.question.guards(path), Vec::new(), "guard")
    }

    fn interpolants(&self, path: &AbstractPath, run: &Run<'_>) -> Result<Option<Candidate>, Stop> {
        let cuts = self.question.interpolants(path, run.backend, &run.budget)?;
        Ok(self.candidate(cuts, Vec::new(), "interpolant"))
    }

    /// Predicates of the backward sets along the path: with accelerated loops if possible, choosing
    /// the fewest predicates, and otherwise with each loop taken once.
    fn backwards(&mut self, spurious: Spurious<'_, 't>) -> Result<Option<Candidate>, Stop> {
        let mut best = None;
        if self.config.acceleration {
            let same_place = |a: usize, b: usize| spurious.control(a) == spurious.control(b);
            let (path, needed) = (spurious.path, spurious.needed);
            for loops in self.question.decompositions(path, needed, &same_place) {
                best = smaller(best, self.accelerated(path, needed, &loops)?);
            }
        }
        if best.is_some() {
            return Ok(best);
        }
        let Spurious { path, needed, .. } = spurious;
        let question = self.question;
        let back = question.backward_sets(path, needed, &[], &mut self.transformers)?;
        Ok(self.candidate(back.sets, back.loops, "precondition"))
    }

    /// With some loops accelerated. The sets are larger then, and may include an initial state;
    /// with all guards instead of the needed ones they are smaller.
    fn accelerated(
        &mut self,
        path: &AbstractPath,
        needed: &Needed,
        loops: &[Segment],
    ) -> Result<Option<Candidate>, Stop> {
        let question = self.question;
        let init = question.system.init_formula(question.terms);
        for guards in [needed, &question.all_guards(path)] {
            self.prover.budget().check()?;
            let back = question.backward_sets(path, guards, loops, &mut self.transformers)?;
            if back.loops.is_empty() {
                return Ok(None);
            }
            let start = back.sets[back.sets.len() - 1].1;
            if !self.prover.satisfiable(question.terms.and2(init, start))? {
                return Ok(self.candidate(back.sets, back.loops, "accelerated"));
            }
        }
        Ok(None)
    }

    /// The same predicates about other processes.
    fn siblings(&self, new: &[Term]) -> Vec<Term> {
        let terms = self.question.terms;
        let system = self.question.system;
        let all = new.iter().flat_map(|&p| siblings(terms, system, p));
        let all: Vec<Term> = all.collect();
        let mut others = self.new_atoms(&all);
        others.retain(|p| !new.contains(p));
        others
    }
}
