//! Back-translation of certificates from the reduced model to the original model.

use super::steps::Step;
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_model::horn::{Derivation, HornClauses, Instance};
use sectile_model::{Certificate, ClauseView, Invariants, LocationId, Model, Trace};
use sectile_terms::{Stage, Symbol, Term, Terms, evaluate};

/// The origin of a reduced model.
pub(super) struct Origin {
    /// The clauses of the original model.
    pub view: ClauseView,
    /// The simplification steps, in order.
    pub steps: Vec<Step>,
    /// The clauses after all steps.
    pub simple: HornClauses,
    /// The reduced model.
    pub model: Model,
    /// For each edge of the reduced model, the clauses it consists of, premises first; the last one
    /// is the clause of the step.
    pub edges: Vec<Vec<ClauseOrigin>>,
    /// Predicates that were unfolded: the reduced model does not give their meanings.
    pub unfolded: Vec<usize>,
}

/// A clause of an edge.
pub(super) struct ClauseOrigin {
    /// The position of the clause.
    pub clause: usize,
    /// The values of its variables, in their order: terms over the state before, the state after
    /// and the inputs of the step.
    pub values: Vec<Term>,
    /// What proves each predicate of its body.
    pub premises: Vec<NodePremise>,
}

/// The proof of a predicate in a body.
#[derive(Clone, Copy)]
pub(super) enum NodePremise {
    /// A state that the step rests on; number 0 is the state in which the edge starts.
    State(usize),
    /// An earlier clause of the same edge.
    Node(usize),
}

impl BackTranslate for Origin {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::Invariants(proof) => self.invariants(terms, proof),
            Certificate::Trace(trace) => {
                let lost = || Lost("a run could not be translated to a derivation".to_string());
                let derivation = self.derivation(terms, trace).ok_or_else(lost)?;
                let trace = self.view.trace(terms, &derivation);
                Ok(Certificate::Trace(trace.ok_or_else(lost)?))
            }
            other => Err(unexpected(other)),
        }
    }
}

impl Origin {
    fn invariants(&self, terms: &Terms, proof: &Invariants) -> Result<Certificate, Lost> {
        if proof.at.len() != self.model.locations.len() {
            return Err(Lost("the number of invariants is wrong".into()));
        }
        let inlined = self.steps.iter().any(Step::drops_predicates);
        if !proof.is_inductive() && (inlined || !self.unfolded.is_empty()) {
            return Err(Lost("some predicates were inlined into the steps".into()));
        }
        if proof.simple_paths && self.steps.iter().any(Step::drops_state) {
            return Err(Lost(
                "the proof does not distinguish states that differ only in dropped arguments"
                    .into(),
            ));
        }
        let told = self.view.formulas(terms, &self.told(terms, &proof.at));
        Ok(proof.with(told))
    }

    /// The meanings of the original predicates, from invariants of the reduced model.
    fn told(&self, terms: &Terms, at: &[Option<Term>]) -> Vec<Option<Term>> {
        let mut meanings: Vec<Option<Term>> = Vec::new();
        for p in 0..self.simple.predicates.len() {
            // Locations are the entry, the predicates, and the error.
            let invariant = at[p + 1].filter(|_| !self.unfolded.contains(&p));
            let here = LocationId(p + 1);
            meanings.push(invariant.map(|t| self.model.formula_at(terms, here, t)));
        }
        for (i, step) in self.steps.iter().enumerate().rev() {
            meanings = step.interpretation(terms, self.before(i), &meanings);
        }
        meanings
    }

    /// The clauses before a step.
    pub fn before(&self, step: usize) -> &HornClauses {
        match step.checked_sub(1) {
            Some(earlier) => self.steps[earlier].after(),
            None => &self.view.clauses,
        }
    }

    /// The derivation from the original clauses for a run of the reduced model.
    fn derivation(&self, terms: &Terms, trace: &Trace) -> Option<Derivation> {
        let mut derivation = self.derivation_of_simple(terms, trace)?;
        for (i, step) in self.steps.iter().enumerate().rev() {
            derivation = step.derivation(terms, self.before(i), &derivation)?;
        }
        Some(derivation.shared(terms, &self.view.clauses))
    }

    fn derivation_of_simple(&self, terms: &Terms, trace: &Trace) -> Option<Derivation> {
        let graph = &self.model;
        let mut instances: Vec<Instance> = Vec::new();
        // The instance that derives each state; the entry is not a predicate.
        let mut derived: Vec<Option<usize>> = vec![None];
        for (k, step) in trace.steps.iter().enumerate() {
            let origin = self.edges.get(step.command)?;
            let edge = &graph.edges[step.command];
            let rests_on = match step.rests_on.is_empty() {
                true => vec![k],
                false => step.rests_on.clone(),
            };
            let now = trace.states.get(*rests_on.first()?)?;
            let next = trace.states.get(k + 1)?;
            let position = |list: &[Symbol], symbol: Symbol| list.iter().position(|v| *v == symbol);
            let valuation = |symbol: Symbol, stage: Stage| {
                if let Some(i) = position(&graph.variables, symbol) {
                    let state = if stage == Stage::Next { next } else { now };
                    return state.values.get(i).cloned();
                }
                let i = position(&edge.command.inputs, symbol)?;
                step.inputs.get(i).cloned()
            };
            let first = instances.len();
            for node in origin {
                let values = node.values.iter();
                let values = values.map(|&v| evaluate(terms, v, &valuation).ok());
                let premise = |p: &NodePremise| match *p {
                    NodePremise::State(s) => *derived.get(*rests_on.get(s)?)?,
                    NodePremise::Node(n) => Some(first + n),
                };
                instances.push(Instance {
                    clause: node.clause,
                    values: values.collect::<Option<_>>()?,
                    premises: node.premises.iter().map(premise).collect::<Option<_>>()?,
                });
            }
            derived.push(instances.len().checked_sub(1));
        }
        Some(Derivation { instances })
    }
}
