//! Back-translation of evidence about the split graph to the system.

use super::build::Split;
use super::property::Error;
use crate::error_location::{drop_error, drop_error_step};
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_model::{Certificate, LocationId, State, Step, Trace};
use sectile_terms::{Symbol, Term, Terms, Value, evaluate};

/// The way back: locations become values of the control variables again.
pub(super) struct Recombine {
    /// The variables of the system.
    pub variables: Vec<Symbol>,
    pub split: Split,
    pub error: Option<Error>,
}

impl BackTranslate for Recombine {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            // A run of the graph has at most one step more than that of the system, at its start: a
            // fact before that step is inductive with it, and so without it.
            Certificate::Invariants(proof) => {
                let list = match &self.error {
                    Some(e) => drop_error(terms, proof, e.location, &e.bad)?,
                    None => proof.at.clone(),
                };
                let all: Option<Vec<Term>> = list.into_iter().collect();
                let all = all.ok_or_else(|| unexpected(certificate))?;
                Ok(proof.with(vec![Some(self.invariant(terms, &all)?)]))
            }
            Certificate::Trace(trace) => self.trace(terms, trace).map(Certificate::Trace),
            other => Err(unexpected(other)),
        }
    }
}

impl Recombine {
    /// Control is at some location, and its invariant holds.
    ///
    /// Control values without a location are excluded: they violate `restrict`, or no step leads
    /// there.
    fn invariant(&self, terms: &Terms, list: &[Term]) -> Result<Term, Lost> {
        if list.len() != self.split.points.len() {
            return Err(Lost("the number of invariants is wrong".into()));
        }
        let mut cases = Vec::new();
        for (i, point) in self.split.points.iter().enumerate() {
            let Some(point) = point else { continue };
            let control = self.split.control.iter().zip(point);
            let here = control.map(|(f, v)| terms.eq(terms.var(f.symbol), v.to_term(terms)));
            cases.push(terms.and(here.chain([list[i]])));
        }
        Ok(terms.or(cases))
    }

    fn trace(&self, terms: &Terms, trace: &Trace) -> Result<Trace, Lost> {
        let mut trace = trace.clone();
        if let Some(error) = &self.error {
            drop_error_step(&mut trace, error.location)?;
        }
        let first = trace.states.first().map(|s| s.location);
        let extra = self.split.extra_entry();
        if extra.is_some() && first == extra {
            self.drop_start(terms, &mut trace)?;
        }
        let states: Option<Vec<State>> = trace.states.iter().map(|s| self.state(s)).collect();
        let steps: Option<Vec<Step>> = trace.steps.iter().map(|s| self.step(s)).collect();
        let (Some(states), Some(steps)) = (states, steps) else {
            return Err(Lost("the trace leaves the split graph".into()));
        };
        Ok(Trace {
            states,
            steps,
            ..trace
        })
    }

    /// Removes the step out of the extra entry. A trace that ends there has not chosen its control
    /// yet: any choice that the initial condition allows will do.
    fn drop_start(&self, terms: &Terms, trace: &mut Trace) -> Result<(), Lost> {
        if trace.steps.is_empty() {
            let first = trace.states.first_mut();
            let first = first.ok_or_else(|| Lost("the trace is empty".into()))?;
            let start = self.start_of(terms, &trace.rigid, first);
            first.location =
                start.ok_or_else(|| Lost("the trace does not start initially".into()))?;
            return Ok(());
        }
        trace.states.remove(0);
        trace.steps.remove(0);
        trace.back_to = match trace.back_to {
            Some(0) => return Err(Lost("the trace returns to its start".into())),
            Some(k) => Some(k - 1),
            None => None,
        };
        Ok(())
    }

    fn start_of(&self, terms: &Terms, rigid: &[Value], state: &State) -> Option<LocationId> {
        let value = |symbol: Symbol, _| {
            let find = |names: &[Symbol], values: &[Value]| {
                let position = names.iter().position(|&s| s == symbol)?;
                values.get(position).cloned()
            };
            let graph = &self.split.graph;
            let here = find(&graph.variables, &state.values);
            here.or_else(|| find(&graph.rigid, rigid))
        };
        let holds = |t: Term| evaluate(terms, t, &value) == Ok(Value::Bool(true));
        let found = self.split.starts.iter().find(|s| holds(s.1));
        found.map(|s| s.0)
    }

    fn state(&self, state: &State) -> Option<State> {
        let point = self.split.points.get(state.location.0)?.as_ref()?;
        let mut data = state.values.iter();
        let mut value = |symbol: &Symbol| {
            let mut control = self.split.control.iter();
            match control.position(|f| f.symbol == *symbol) {
                Some(i) => point.get(i).cloned(),
                None => data.next().cloned(),
            }
        };
        let values: Option<Vec<Value>> = self.variables.iter().map(&mut value).collect();
        Some(State {
            location: LocationId(0),
            values: values?,
        })
    }

    fn step(&self, step: &Step) -> Option<Step> {
        let command = (*self.split.origin.get(step.command)?)?;
        Some(Step::new(command, step.inputs.clone()))
    }
}
