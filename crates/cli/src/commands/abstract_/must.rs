//! The must steps of an abstract system: abstract steps that are certain to exist.

use super::picture::{MOST_STATES, Picture};
use sectile_base::Budget;
use sectile_engine_predabs::Transformers;
use sectile_solver::Backend;
use serde_json::{Value, json};
use std::fmt::Write as _;

impl Picture<'_> {
    /// Finds the must steps between reachable states.
    pub fn find_must_steps(
        &mut self,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> anyhow::Result<()> {
        let (terms, system) = (&self.loaded.terms, &self.subject.system);
        let mut transformers = Transformers::new(terms, system, backend, budget);
        let states = self.abstracted.states(self.reach.all, MOST_STATES);
        let prover = &mut self.prover;
        let steps = self
            .abstracted
            .must_steps(states, prover, &mut transformers)?;
        self.must = Some(steps);
        Ok(())
    }

    /// As text: every must step, and the states that must steps reach.
    pub fn must_text(&mut self) -> anyhow::Result<String> {
        let Some(steps) = self.must.clone() else {
            return Ok(String::new());
        };
        let (must, may) = (steps.must.len(), steps.may.len());
        let mut out = format!("must steps: {must} of {may}\n");
        for &(i, k, j) in &steps.must {
            let name = &self.abstracted.transitions[k].name;
            let (from, to) = (self.state(&steps.states[i]), self.state(&steps.states[j]));
            // Writing to a String cannot fail.
            let _ = writeln!(out, "  {from} -- {name} --> {to}");
        }
        let (reached, all) = (steps.reached.len(), steps.states.len());
        let _ = writeln!(out, "reached by must steps: {reached} of {all} states");
        if let Some(property) = self.subject.property {
            let terms = &self.loaded.terms;
            for &i in &steps.reached {
                let meaning = self.abstracted.alpha.meaning(terms, &steps.states[i]);
                let domain = self.subject.system.restrict_formula(terms);
                let here = terms.and2(domain, meaning);
                if !self.prover.satisfiable(terms.and2(here, property))? {
                    let state = self.state(&steps.states[i]);
                    let _ = writeln!(out, "  a run reaches {state}, where the property fails");
                    break;
                }
            }
        }
        Ok(out)
    }

    /// As JSON.
    pub fn must_json(&self) -> Option<Value> {
        let steps = self.must.as_ref()?;
        let edges = steps.must.iter().map(|&(i, k, j)| {
            json!({
                "from": self.state_json(&steps.states[i]),
                "step": self.abstracted.transitions[k].name,
                "to": self.state_json(&steps.states[j]),
            })
        });
        let reached = steps.reached.iter();
        Some(json!({
            "may": steps.may.len(),
            "must": edges.collect::<Vec<_>>(),
            "reached": reached.map(|&i| self.state_json(&steps.states[i])).collect::<Vec<_>>(),
        }))
    }
}
