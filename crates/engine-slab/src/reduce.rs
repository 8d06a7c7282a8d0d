//! The part of an inductive invariant that the property needs.
//!
//! Lemmas are found before it is known which of them are useful, and nodes are removed for reasons
//! that later splits make unnecessary. Starting from the property, this computes for every formula
//! and every step the formulas needed to preserve it, and keeps only those.

use crate::relation::{RelationId, Relations};
use crate::symmetry::Symmetry;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use sectile_base::Budget;
use sectile_engine::{Run, Stop, is_satisfiable};
use sectile_solver::{Answer, Solver};
use sectile_terms::{Term, Terms};

/// An invariant to reduce.
pub struct Reduction<'r, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// Formulas that hold in every state by definition.
    pub restrict: &'r [Term],
    /// The conjuncts of the invariant, in canonical form and closed under the symmetry.
    pub invariant: Vec<Term>,
    /// The conjuncts that must stay: the property.
    pub goals: &'r [Term],
    /// Formulas that are symmetric to each other are kept or dropped together.
    pub symmetry: &'r Symmetry<'t>,
}

impl<'t> Reduction<'_, 't> {
    /// An inductive subset of the conjuncts that contains the goals.
    pub fn sufficient(
        &self,
        relations: &mut Relations<'t>,
        commands: &[RelationId],
        run: &Run<'_>,
    ) -> Result<Vec<Term>, Stop> {
        let (orbits, of) = self.orbits();
        let mut solver = run.backend.solver(self.terms)?;
        for &fact in self.restrict {
            solver.assert(fact)?;
        }
        let mut kept: IndexSet<Term> = IndexSet::new();
        let goals = self.goals.iter().filter_map(|g| of.get(g));
        let mut work: IndexSet<usize> = goals.copied().collect();
        kept.extend(work.iter().flat_map(|&o| &orbits[o]));
        kept.extend(self.goals.iter().copied());
        let mut next = 0;
        while let Some(&orbit) = work.get_index(next) {
            next += 1;
            let formula = orbits[orbit][0];
            for &command in commands {
                let before = relations.precondition(command, formula);
                if before == self.terms.tt() || kept.contains(&before) {
                    continue;
                }
                let mut step = relations.get(command).conditions.clone();
                step.push(self.terms.not(before));
                for used in self.used(solver.as_mut(), &kept, &step, &run.budget)? {
                    if let Some(&o) = of.get(&used)
                        && work.insert(o)
                    {
                        kept.extend(&orbits[o]);
                    }
                }
            }
        }
        Ok(kept.into_iter().collect())
    }

    /// Further conjuncts that are needed to refute a step.
    fn used(
        &self,
        solver: &mut dyn Solver,
        kept: &IndexSet<Term>,
        step: &[Term],
        budget: &Budget,
    ) -> Result<Vec<Term>, Stop> {
        let few: Vec<Term> = step.iter().chain(kept).copied().collect();
        if !is_satisfiable(solver, &few, budget)? {
            return Ok(Vec::new());
        }
        let more = self.invariant.iter().filter(|c| !kept.contains(*c));
        let all: Vec<Term> = few.iter().chain(more).copied().collect();
        match solver.check(&all, budget)? {
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                Ok(core.into_iter().filter(|c| !kept.contains(c)).collect())
            }
            Answer::Unknown(why) => Err(why.into()),
            // It is not inductive after all: nothing is dropped, and the check will fail.
            Answer::Sat(_) => Ok(self.invariant.clone()),
        }
    }

    /// The conjuncts by orbit, and the orbit of each conjunct.
    fn orbits(&self) -> (Vec<Vec<Term>>, FxHashMap<Term, usize>) {
        let mut orbits = Vec::new();
        let mut of = FxHashMap::default();
        for &formula in &self.invariant {
            if of.contains_key(&formula) {
                continue;
            }
            let closure = self.symmetry.closure(&[formula]);
            let members = closure.filter(|c| c.contains(&formula));
            let members = members.unwrap_or_else(|| vec![formula]);
            of.extend(members.iter().map(|&m| (m, orbits.len())));
            orbits.push(members);
        }
        (orbits, of)
    }
}
