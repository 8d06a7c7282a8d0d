//! Back-translation of evidence about the unrolled program to the loops.

use super::Proofs;
use super::copy::Origin;
use super::safe_states::safe_states;
use crate::lbe::{Fate, choose};
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_engine::BlockSize;
use sectile_model::{
    Certificate, GraphChange, LocationId, Model, State, Step, Trace, UnrolledProof,
};
use sectile_terms::{Term, Terms};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One change of the graph.
pub(super) struct Edit {
    pub before: Arc<Model>,
    pub after: Arc<Model>,
    pub change: GraphChange,
    pub origin: Origin,
}

impl Edit {
    /// The invariants of the graph before the change.
    ///
    /// Only kept locations need one: edges between them may have been added or removed.
    fn invariants(
        &self,
        terms: &Terms,
        errors: &[LocationId],
        list: &[Option<Term>],
    ) -> Result<Vec<Option<Term>>, Lost> {
        if list.len() != self.after.locations.len() {
            return Err(Lost("the number of invariants is wrong".into()));
        }
        let mut new: BTreeMap<LocationId, Term> = BTreeMap::new();
        match &self.change {
            GraphChange::Cut {
                unreached,
                harmless,
                ..
            } => {
                new.extend(unreached.iter().map(|&l| (l, terms.ff())));
                new.extend(harmless.iter().map(|&l| (l, terms.tt())));
            }
            GraphChange::Unroll(unrolling) => {
                let head = unrolling.head;
                let safe = safe_states(terms, &self.after, list, head)?;
                new.insert(head, safe);
            }
        }
        let cuts = choose(&self.before, errors, BlockSize::Loops);
        let invariant = |(l, fate): (usize, &Fate)| match fate {
            Fate::Inside => None,
            Fate::Unreached => Some(terms.ff()),
            Fate::Harmless => Some(terms.tt()),
            Fate::Kept if new.contains_key(&LocationId(l)) => new.get(&LocationId(l)).copied(),
            Fate::Kept if cuts.is_harmless(LocationId(l)) => Some(terms.tt()),
            Fate::Kept => list[l],
        };
        Ok(cuts.fates.iter().enumerate().map(invariant).collect())
    }

    /// The run of the graph before the change.
    fn trace(&self, trace: &Trace) -> Result<Trace, Lost> {
        let step = |step: &Step| {
            let edge = self.origin.edges.get(step.command);
            edge.map(|&edge| Step::new(edge, step.inputs.clone()))
        };
        let state = |state: &State| State {
            location: self.origin.locations[state.location.0],
            values: state.values.clone(),
        };
        let steps: Option<Vec<Step>> = trace.steps.iter().map(step).collect();
        Ok(Trace {
            states: trace.states.iter().map(state).collect(),
            steps: steps.ok_or_else(|| Lost("the trace leaves the unrolled loops".into()))?,
            ..trace.clone()
        })
    }
}

/// The back-translation through all changes, the last one first.
pub(super) struct BeforeUnrolling {
    pub edits: Vec<Edit>,
    pub errors: Vec<LocationId>,
    pub proofs: Proofs,
}

impl BeforeUnrolling {
    /// The invariants of the graph before all changes.
    fn invariants(&self, terms: &Terms, after: &[Option<Term>]) -> Result<Vec<Option<Term>>, Lost> {
        let mut list = after.to_vec();
        for edit in self.edits.iter().rev() {
            list = edit.invariants(terms, &self.errors, &list)?;
        }
        Ok(list)
    }

    fn unrolled(&self, invariants: Vec<Option<Term>>) -> Certificate {
        Certificate::Unrolled(Box::new(UnrolledProof {
            changes: self.edits.iter().map(|e| e.change.clone()).collect(),
            invariants,
        }))
    }
}

impl BackTranslate for BeforeUnrolling {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let list = match certificate {
            Certificate::Trace(trace) => {
                let mut trace = trace.clone();
                for edit in self.edits.iter().rev() {
                    trace = edit.trace(&trace)?;
                }
                return Ok(Certificate::Trace(trace));
            }
            Certificate::Invariants(proof) if proof.is_inductive() => proof.at.clone(),
            other => return Err(unexpected(other)),
        };
        if self.proofs == Proofs::Unrolled {
            return Ok(self.unrolled(list));
        }
        match self.invariants(terms, &list) {
            Ok(before) => Ok(Certificate::cut_points(before)),
            Err(_) if self.proofs == Proofs::Any => Ok(self.unrolled(list)),
            Err(lost) => Err(lost),
        }
    }
}
