//! The part of an inductive invariant that the property needs.
//!
//! Lemmas are found before anybody knows which of them are of use, and nodes are removed for
//! reasons that later splits make superfluous. Starting from the property, this asks for every
//! formula and every step what was needed to keep it true, and keeps only that.

use crate::relation::{RelationId, Relations};
use crate::symmetry::Symmetry;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use sectile_base::Budget;
use sectile_engine::{EngineError, Run, Stop};
use sectile_solver::{Answer, Solver};
use sectile_terms::{Term, Terms};

/// An invariant that shall become smaller.
pub struct Reduction<'r, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// What holds in every state by definition.
    pub restrict: &'r [Term],
    /// The conjuncts of the invariant, in canonical form and closed under the symmetry.
    pub invariant: Vec<Term>,
    /// Those that must stay: the property.
    pub goals: &'r [Term],
    /// Formulas that the symmetry maps to each other are kept or dropped together.
    pub symmetry: &'r Symmetry<'t>,
}

impl<'t> Reduction<'_, 't> {
    /// An inductive part of the invariant that contains the goals.
    pub fn sufficient(
        &self,
        relations: &mut Relations<'t>,
        commands: &[RelationId],
        run: &Run<'_>,
    ) -> Result<Vec<Term>, Stop> {
        let orbits = self.orbits();
        let mut solver = run.backend.solver(self.terms).map_err(EngineError::from)?;
        for &fact in self.restrict {
            solver.assert(fact)?;
        }
        let mut kept: IndexSet<Term> = IndexSet::new();
        let mut work: IndexSet<usize> = self.goals.iter().filter_map(|g| orbits.of(*g)).collect();
        kept.extend(work.iter().flat_map(|&o| orbits.members[o].iter().copied()));
        kept.extend(self.goals.iter().copied());
        let mut next = 0;
        while let Some(&orbit) = work.get_index(next) {
            next += 1;
            let formula = orbits.members[orbit][0];
            for &command in commands {
                let before = relations.precondition(command, formula);
                if before == self.terms.tt() || kept.contains(&before) {
                    continue;
                }
                let mut step = relations.get(command).conditions.clone();
                step.push(self.terms.not(before));
                for used in self.used(solver.as_mut(), &kept, &step, &run.budget)? {
                    if let Some(o) = orbits.of(used)
                        && work.insert(o)
                    {
                        kept.extend(orbits.members[o].iter().copied());
                    }
                }
            }
        }
        Ok(kept.into_iter().collect())
    }

    /// The conjuncts that refute a step, beyond those that are kept already.
    fn used(
        &self,
        solver: &mut dyn Solver,
        kept: &IndexSet<Term>,
        step: &[Term],
        budget: &Budget,
    ) -> Result<Vec<Term>, Stop> {
        let few: Vec<Term> = step.iter().chain(kept).copied().collect();
        match solver.check(&few, budget)? {
            Answer::Unsat(_) => return Ok(Vec::new()),
            Answer::Unknown(why) => return Err(why.into()),
            Answer::Sat(_) => {}
        }
        let more = self.invariant.iter().filter(|c| !kept.contains(*c));
        let all: Vec<Term> = few.iter().chain(more).copied().collect();
        match solver.check(&all, budget)? {
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                Ok(core.into_iter().filter(|c| !kept.contains(c)).collect())
            }
            Answer::Unknown(why) => Err(why.into()),
            // It is not inductive after all: nothing may be dropped, and the check will say so.
            Answer::Sat(_) => Ok(self.invariant.clone()),
        }
    }

    /// The conjuncts by orbit.
    fn orbits(&self) -> Orbits {
        let mut orbits = Orbits::default();
        for &formula in &self.invariant {
            if orbits.of(formula).is_some() {
                continue;
            }
            let closure = self.symmetry.closure(&[formula]);
            let members = closure.filter(|c| c.contains(&formula));
            let members = members.unwrap_or_else(|| vec![formula]);
            for &m in &members {
                orbits.position.insert(m, orbits.members.len());
            }
            orbits.members.push(members);
        }
        orbits
    }
}

#[derive(Default)]
struct Orbits {
    members: Vec<Vec<Term>>,
    position: FxHashMap<Term, usize>,
}

impl Orbits {
    fn of(&self, formula: Term) -> Option<usize> {
        self.position.get(&formula).copied()
    }
}
