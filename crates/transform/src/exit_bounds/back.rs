//! Evidence about the unrolled program, told about the loops.

use super::Proofs;
use super::copy::Origin;
use super::safe_states::safe_states;
use crate::lbe::{BlockSize, Fate, choose};
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_model::{
    Certificate, Edge, GraphChange, LocationId, Model, State, Step, Trace, UnrolledProof, Unrolling,
};
use sectile_terms::{Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// One change of the graph.
pub(super) struct Edit {
    pub before: Rc<Model>,
    pub after: Rc<Model>,
    pub kind: EditKind,
}

pub(super) enum EditKind {
    /// A loop was unrolled.
    Unrolled(Unrolling, Origin),
    /// All edges at these locations were removed.
    Cut {
        /// Locations that every cycle passes through.
        kept: Vec<LocationId>,
        /// No run reaches them.
        unreached: BTreeSet<LocationId>,
        /// No error is reached from them.
        harmless: BTreeSet<LocationId>,
    },
}

impl Edit {
    /// The invariants of the graph before the change.
    ///
    /// Only what is kept there needs one: what lies between may have gained or lost edges.
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
        match &self.kind {
            EditKind::Cut {
                unreached,
                harmless,
                ..
            } => {
                new.extend(unreached.iter().map(|&l| (l, terms.ff())));
                new.extend(harmless.iter().map(|&l| (l, terms.tt())));
            }
            EditKind::Unrolled(unrolling, _) => {
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

    /// The change as certificates tell it.
    fn change(&self) -> GraphChange {
        let list = |set: &BTreeSet<LocationId>| set.iter().copied().collect();
        match &self.kind {
            EditKind::Unrolled(unrolling, _) => GraphChange::Unroll(unrolling.clone()),
            EditKind::Cut {
                kept,
                unreached,
                harmless,
            } => GraphChange::Cut {
                kept: kept.clone(),
                unreached: list(unreached),
                harmless: list(harmless),
            },
        }
    }

    /// Whether an edge was removed.
    fn is_cut(&self, edge: &Edge) -> bool {
        match &self.kind {
            EditKind::Unrolled(..) => false,
            EditKind::Cut {
                unreached,
                harmless,
                ..
            } => {
                let is_cut = |l: &LocationId| unreached.contains(l) || harmless.contains(l);
                is_cut(&edge.from) || is_cut(&edge.to)
            }
        }
    }

    /// The run of the graph before the change.
    fn trace(&self, trace: &Trace) -> Result<Trace, Lost> {
        // Removed edges leave the order of the others as it is.
        let edges = self.before.edges.iter().enumerate();
        let kept: Vec<usize> = edges.filter(|e| !self.is_cut(e.1)).map(|e| e.0).collect();
        let step = |step: &Step| {
            let command = match &self.kind {
                EditKind::Unrolled(_, origin) => origin.edges.get(step.command).copied(),
                EditKind::Cut { .. } => kept.get(step.command).copied(),
            };
            command.map(|command| Step::new(command, step.inputs.clone()))
        };
        let state = |state: &State| State {
            location: match &self.kind {
                EditKind::Unrolled(_, origin) => origin.locations[state.location.0],
                EditKind::Cut { .. } => state.location,
            },
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

/// The way back through all changes, the last one first.
pub(super) struct Reroll {
    pub edits: Vec<Edit>,
    pub errors: Vec<LocationId>,
    pub proofs: Proofs,
}

impl Reroll {
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
            changes: self.edits.iter().map(Edit::change).collect(),
            invariants,
        }))
    }
}

impl BackTranslate for Reroll {
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
