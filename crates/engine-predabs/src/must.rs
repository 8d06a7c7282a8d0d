//! Must steps of an abstraction: every state of the source has one into the target.

use crate::prover::Prover;
use crate::system::AbstractSystem;
use crate::transformers::Transformers;
use sectile_domains::bdd::Tuple;
use sectile_engine::Stop;
use sectile_terms::Term;
use std::collections::BTreeSet;

/// The steps between some abstract states.
///
/// Paper: [BeGrLa, Sect. 1]: in modal transition systems, may-transitions are a superset of the
/// steps of a system, and must-transitions a subset.
#[derive(Clone, Debug, Default)]
pub struct MustSteps {
    /// The abstract states.
    pub states: Vec<Tuple>,
    /// Steps that some state may take, as positions of source, command and target.
    pub may: BTreeSet<(usize, usize, usize)>,
    /// Steps that every state of the source can take.
    pub must: BTreeSet<(usize, usize, usize)>,
    /// The abstract states that contain a reachable state: initial ones, and those reached by must
    /// steps.
    pub reached: BTreeSet<usize>,
}

impl<'t> AbstractSystem<'t> {
    /// The steps between abstract states, with the must steps among them.
    pub fn must_steps(
        &mut self,
        states: Vec<Tuple>,
        prover: &mut Prover<'t>,
        transformers: &mut Transformers<'t>,
    ) -> Result<MustSteps, Stop> {
        let (terms, system) = (self.terms(), self.system());
        let domain = system.restrict_formula(terms);
        let init = system.init_formula(terms);
        let meanings: Vec<Term> = states
            .iter()
            .map(|s| self.alpha.meaning(terms, s))
            .collect();
        let mut steps = MustSteps::default();
        for (i, state) in states.iter().enumerate() {
            if prover.satisfiable(terms.and2(init, meanings[i]))? {
                steps.reached.insert(i);
            }
            let source = self.alpha.space().tuple(&mut self.manager, state, false);
            for (k, command) in system.commands().enumerate() {
                let after = self.post(source, k);
                for (j, target) in states.iter().enumerate() {
                    if !self.alpha.space().contains(&self.manager, after, target) {
                        continue;
                    }
                    steps.may.insert((i, k, j));
                    let before = transformers.pre(command, meanings[j])?;
                    let from = terms.and2(domain, meanings[i]);
                    // Without an exact precondition no step is a must step.
                    if before.exact && prover.implies(from, before.formula)? {
                        steps.must.insert((i, k, j));
                    }
                }
            }
        }
        steps.states = states;
        steps.close();
        Ok(steps)
    }
}

impl MustSteps {
    fn close(&mut self) {
        loop {
            let before = self.reached.len();
            let certain = self.must.iter().filter(|s| self.reached.contains(&s.0));
            let targets: Vec<usize> = certain.map(|s| s.2).collect();
            self.reached.extend(targets);
            if self.reached.len() == before {
                return;
            }
        }
    }
}
