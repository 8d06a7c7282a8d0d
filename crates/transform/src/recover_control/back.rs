//! Back-translation of evidence about points to the Booleans.

use super::explore::Found;
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_model::{Certificate, Model, State, Step, Trace};
use sectile_terms::{Symbol, Term, Terms, Value};

/// The way back: points become locations with values of Booleans.
pub(super) struct Recombine {
    pub graph: Model,
    pub made: Model,
    pub booleans: Vec<Symbol>,
    pub found: Found,
}

impl BackTranslate for Recombine {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::Invariants(proof) => {
                let all = match proof.at_all() {
                    Some(all) => all,
                    None if proof.is_inductive() => self.completed(terms, &proof.at)?,
                    None => return Err(unexpected(certificate)),
                };
                Ok(proof.with(self.merged(terms, &all)?))
            }
            Certificate::Trace(trace) => self.trace(trace).map(Certificate::Trace),
            other => Err(unexpected(other)),
        }
    }
}

impl Recombine {
    /// The invariant of each location: the Booleans have the values of a point, and its invariant
    /// holds.
    fn merged(&self, terms: &Terms, list: &[Term]) -> Result<Vec<Option<Term>>, Lost> {
        if list.len() != self.found.points.len() {
            return Err(Lost("the number of invariants is wrong".into()));
        }
        let mut cases: Vec<Vec<Term>> = vec![Vec::new(); self.graph.locations.len()];
        for (point, &invariant) in self.found.points.iter().zip(list) {
            let pairs = self.booleans.iter().zip(&point.values);
            let here = pairs.map(|(&b, &v)| terms.eq(terms.var(b), terms.bool(v)));
            let case = terms.and(here.chain([invariant]));
            cases[point.location.0].push(case);
        }
        let merged = cases.into_iter().map(|list| Some(terms.or(list)));
        Ok(merged.collect())
    }

    /// The invariants of all points: between cut points, the weakest ones that the following steps
    /// need.
    fn completed(&self, terms: &Terms, list: &[Option<Term>]) -> Result<Vec<Term>, Lost> {
        let mut known = list.to_vec();
        if known.len() != self.found.points.len() {
            return Err(Lost("the number of invariants is wrong".into()));
        }
        let order = self.made.order_inside(|l| known[l.0].is_none());
        let order = order.ok_or_else(|| Lost("a cycle has no invariant".into()))?;
        for &point in order.iter().rev() {
            let mut parts = Vec::new();
            for e in self.made.edges_from(point) {
                let edge = &self.made.edges[e];
                let after = known[edge.to.0].unwrap_or_else(|| terms.ff());
                let before = edge.command.weakest_precondition(terms, after);
                let lost = || Lost("a step inside a block chooses a value".into());
                parts.push(before.ok_or_else(lost)?);
            }
            known[point.0] = Some(terms.and(parts));
        }
        Ok(known.into_iter().flatten().collect())
    }

    fn trace(&self, trace: &Trace) -> Result<Trace, Lost> {
        let missing = || Lost("the trace leaves the graph".to_string());
        let state = |state: &State| {
            let point = self.found.points.get(state.location.0);
            let point = point.ok_or_else(missing)?;
            let value = |v: &Symbol| {
                if let Some(i) = self.booleans.iter().position(|b| b == v) {
                    return Some(Value::Bool(point.values[i]));
                }
                let i = self.made.variables.iter().position(|d| d == v)?;
                state.values.get(i).cloned()
            };
            let values = self.graph.variables.iter().map(value);
            Ok(State {
                location: point.location,
                values: values.collect::<Option<_>>().ok_or_else(missing)?,
            })
        };
        let step = |step: &Step| {
            let edge = self.found.steps.get(step.command).ok_or_else(missing)?;
            Ok(Step::new(edge.edge, step.inputs.clone()))
        };
        Ok(Trace {
            rigid: trace.rigid.clone(),
            states: trace
                .states
                .iter()
                .map(state)
                .collect::<Result<_, Lost>>()?,
            steps: trace.steps.iter().map(step).collect::<Result<_, Lost>>()?,
            back_to: None,
        })
    }
}
