//! For every part of a formula, an over-approximation of the states where it holds.

use crate::poly::Limits;
use crate::poly::algebra::{Algebra, Side};
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_model::{NormalCtl, NormalPart, Paths};
use sectile_terms::Term;
use std::marker::PhantomData;

/// Computes the states of formulas.
pub struct Fixpoints<'f, D: Domain, A: Algebra<D>> {
    /// The representation of sets, with backward steps.
    pub algebra: &'f A,
    /// When to widen and when to stop.
    pub limits: Limits,
    /// The limits.
    pub budget: &'f Budget,
    /// Number of widenings.
    pub widenings: usize,
    /// Number of rounds of greatest fixpoints.
    pub rounds: usize,
    /// The representation of numbers.
    pub domain: PhantomData<D>,
}

/// Why a set of states was not computed.
pub enum Missing {
    /// A limit was reached.
    Limit(Exhausted),
    /// A formula cannot be expressed.
    Refused(String),
}

impl From<String> for Missing {
    fn from(why: String) -> Missing {
        Missing::Refused(why)
    }
}

impl From<Exhausted> for Missing {
    fn from(limit: Exhausted) -> Missing {
        Missing::Limit(limit)
    }
}

impl<'f, D: Domain, A: Algebra<D>> Fixpoints<'f, D, A> {
    /// Before the first computation.
    pub fn new(algebra: &'f A, limits: Limits, budget: &'f Budget) -> Fixpoints<'f, D, A> {
        Fixpoints {
            algebra,
            limits,
            budget,
            widenings: 0,
            rounds: 0,
            domain: PhantomData,
        }
    }

    /// An over-approximation of the states where the formula holds.
    pub fn states(&mut self, formula: &NormalCtl) -> Result<A::Set, Missing> {
        let mut found: Vec<A::Set> = Vec::new();
        for part in &formula.parts {
            let set = match *part {
                NormalPart::State(p) => self.state(p)?,
                NormalPart::And(a, b) => self.algebra.and(&found[a], &found[b], self.budget)?,
                NormalPart::Or(a, b) => self.algebra.or(&found[a], &found[b]),
                NormalPart::Next(Paths::Some, f) => self.some_next(&found[f])?,
                NormalPart::Next(Paths::All, f) => self.all_next(&found[f])?,
                NormalPart::Until(Paths::Some, f, g) => self.some_until(&found[f], &found[g])?,
                NormalPart::Until(Paths::All, f, g) => self.all_until(&found[f], &found[g])?,
                NormalPart::Weak(paths, f, g) => self.weak(paths, &found[f], &found[g])?,
            };
            found.push(set);
        }
        Ok(found.pop().unwrap_or_default())
    }

    fn state(&self, formula: Term) -> Result<A::Set, Missing> {
        let cubes = self.algebra.program().state_cubes(&[formula]);
        let cubes = cubes.map_err(Missing::Refused)?;
        let set = self.algebra.cubes(&cubes, self.budget)?;
        Ok(self.algebra.and(&set, self.algebra.all(), self.budget)?)
    }

    fn some_next(&self, set: &A::Set) -> Result<A::Set, Exhausted> {
        self.algebra.before(set, Side::Outside, self.budget)
    }

    /// The complement of the states from which some step leaves a set.
    fn all_next(&self, set: &A::Set) -> Result<A::Set, Exhausted> {
        let all = self.algebra.all();
        let outside = self.algebra.minus(all, set, self.budget)?;
        let leaving = self.algebra.before(&outside, Side::Inside, self.budget)?;
        self.algebra.minus(all, &leaving, self.budget)
    }

    /// The states without a step, and perhaps others.
    fn stuck(&self) -> Result<A::Set, Exhausted> {
        let all = self.algebra.all();
        let moving = self.algebra.before(all, Side::Inside, self.budget)?;
        self.algebra.minus(all, &moving, self.budget)
    }

    /// The least fixpoint for some path, with widening.
    ///
    /// Paper: [YaMe, Sect. 2.0.1]: approximate fixpoints, by widening.
    fn some_until(&mut self, f: &A::Set, g: &A::Set) -> Result<A::Set, Exhausted> {
        let mut growing = self.algebra.growing(g, self.limits.delay);
        self.algebra.close(&mut growing, f, self.budget)?;
        let (set, widenings) = self.algebra.grown(&growing);
        self.widenings += widenings;
        Ok(set.clone())
    }

    /// The least fixpoint for all paths: in rounds, each with widening.
    fn all_until(&mut self, f: &A::Set, g: &A::Set) -> Result<A::Set, Exhausted> {
        let moving = self.some_next(self.algebra.all())?;
        let f = self.algebra.and(f, &moving, self.budget)?;
        let mut growing = self.algebra.growing(g, self.limits.delay);
        loop {
            self.rounds += 1;
            let known = self.algebra.grown(&growing).0;
            let next = self.all_next(known)?;
            let next = self.algebra.and(&next, &f, self.budget)?;
            // States covered by the union of known sets are not new, however they are split.
            let fresh = self.algebra.minus(&next, known, self.budget)?;
            if !self.algebra.grow(&mut growing, &fresh) {
                break;
            }
        }
        let (set, widenings) = self.algebra.grown(&growing);
        self.widenings += widenings;
        Ok(set.clone())
    }

    /// The greatest fixpoint, or a superset if it takes too many rounds.
    fn weak(&mut self, paths: Paths, f: &A::Set, g: &A::Set) -> Result<A::Set, Exhausted> {
        let algebra = self.algebra;
        let ends = match paths {
            Paths::Some => algebra.and(f, &self.stuck()?, self.budget)?,
            Paths::All => A::Set::default(),
        };
        let ends = algebra.or(&ends, g);
        let mut current = algebra.or(f, g);
        for _ in 0..self.limits.rounds {
            self.rounds += 1;
            let next = match paths {
                Paths::Some => self.some_next(&current)?,
                Paths::All => self.all_next(&current)?,
            };
            let next = algebra.and(&next, &current, self.budget)?;
            let next = algebra.and(&next, f, self.budget)?;
            let next = algebra.or(&next, &ends);
            if algebra.includes(&next, &current, self.budget)? {
                break;
            }
            current = next;
        }
        Ok(current)
    }
}
