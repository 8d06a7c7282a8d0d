//! Linear clauses as a program graph, and the way back.
//!
//! A derivation of linear clauses is a sequence, so it is a run: predicates are locations, their
//! arguments are variables, clauses are edges. Facts leave an entry, queries enter an error.

use crate::horn::{Derivation, HornClauses, Instance, Interpretation};
use crate::horn_reduction::Reduction;
use crate::model::Model;
use crate::trace::Trace;
use sectile_terms::{Stage, Substitution, Symbol, Term, Terms, Value, evaluate};

/// Where a graph of clauses comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HornGraph {
    /// The clauses as they were read.
    pub clauses: HornClauses,
    /// How they were made simpler, step by step, before they became the graph.
    pub reductions: Vec<Reduction>,
    /// For each location its predicate; the entry and the error have none.
    pub predicates: Vec<Option<usize>>,
    /// For each edge, the clauses it is made of; nothing for an edge that allows more than them.
    pub edges: Vec<Option<EdgeOrigin>>,
    /// Predicates whose clauses were put into others: the graph does not say what they mean. Each
    /// depends on those before it only.
    pub unfolded: Vec<usize>,
}

/// The clauses behind an edge: the last one is the clause of the step, the others prove premises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeOrigin {
    /// The clauses, premises first.
    pub nodes: Vec<ClauseOrigin>,
}

/// A clause of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseOrigin {
    /// The position of the clause.
    pub clause: usize,
    /// The values of its variables, in its order: terms over the state before, the state after
    /// and the inputs of the step.
    pub values: Vec<Term>,
    /// What each predicate of its body is.
    pub premises: Vec<NodePremise>,
}

/// What a predicate of a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodePremise {
    /// The state before the step.
    State,
    /// An earlier clause of the same edge.
    Node(usize),
}

impl HornGraph {
    /// The clauses that the graph is made of.
    pub fn reduced(&self) -> &HornClauses {
        self.reductions.last().map_or(&self.clauses, |r| &r.after)
    }

    /// The reductions, the last one first, each with the clauses before it.
    fn backwards(&self) -> impl Iterator<Item = (&Reduction, &HornClauses)> {
        let before = |i: usize| match i.checked_sub(1) {
            Some(i) => &self.reductions[i].after,
            None => &self.clauses,
        };
        let all = self.reductions.iter().enumerate().rev();
        all.map(move |(i, r)| (r, before(i)))
    }

    /// A meaning of the predicates of the reduced clauses, for the clauses as they were read.
    pub fn told(&self, terms: &Terms, meanings: Interpretation) -> Interpretation {
        let back = |m: Interpretation, (r, before): (&Reduction, &HornClauses)| {
            r.interpretation(terms, before, &m)
        };
        self.backwards().fold(meanings, back)
    }

    /// A derivation from the reduced clauses, from the clauses as they were read.
    pub fn derived(&self, terms: &Terms, derivation: Derivation) -> Option<Derivation> {
        let back = |d: Derivation, (r, before): (&Reduction, &HornClauses)| {
            r.derivation(terms, before, &d)
        };
        self.backwards().try_fold(derivation, back)
    }

    /// The meaning of the predicates of the reduced clauses that invariants of all locations give.
    ///
    /// Variables that are no arguments of a predicate have their default at its location, so the
    /// invariant is looked at there only.
    pub fn interpretation(&self, terms: &Terms, graph: &Model, all: &[Term]) -> Interpretation {
        let predicates = &self.reduced().predicates;
        let mut meanings = vec![terms.ff(); predicates.len()];
        for (invariant, predicate) in all.iter().zip(&self.predicates) {
            let Some(p) = *predicate else { continue };
            let parameters = &predicates[p].parameters;
            let idle = graph.variables.iter().filter(|v| !parameters.contains(v));
            let map: Substitution = idle
                .map(|&v| {
                    let default = Value::some_of(terms, terms.symbol_sort(v));
                    (terms.var(v), default.to_term(terms))
                })
                .collect();
            meanings[p] = terms.substitute(*invariant, &map);
        }
        meanings
    }

    /// The derivation from the reduced clauses that a run to the error is.
    pub fn derivation(&self, terms: &Terms, graph: &Model, trace: &Trace) -> Option<Derivation> {
        let mut instances: Vec<Instance> = Vec::new();
        for (k, step) in trace.steps.iter().enumerate() {
            let origin = self.edges.get(step.command)?.as_ref()?;
            let edge = &graph.edges[step.command];
            let (now, next) = (trace.states.get(k)?, trace.states.get(k + 1)?);
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
            for node in &origin.nodes {
                let values = node.values.iter();
                let values = values.map(|&v| evaluate(terms, v, &valuation).ok());
                let premise = |p: &NodePremise| match p {
                    NodePremise::State => first.checked_sub(1),
                    NodePremise::Node(n) => Some(first + n),
                };
                instances.push(Instance {
                    clause: node.clause,
                    values: values.collect::<Option<_>>()?,
                    premises: node.premises.iter().map(premise).collect::<Option<_>>()?,
                });
            }
        }
        Some(Derivation { instances })
    }
}
