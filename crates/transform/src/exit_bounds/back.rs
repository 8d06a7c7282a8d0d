//! Evidence about the unrolled program, told about the loops.

use super::copy::Origin;
use super::safe_states::safe_states;
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_model::{Certificate, LocationId, ProgramGraph, State, Step, Trace};
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;

/// One change of the graph.
pub(super) struct Edit {
    pub before: ProgramGraph,
    pub after: ProgramGraph,
    /// The location it is about.
    location: LocationId,
    /// What lies between it and the next kept locations.
    inside: BTreeSet<LocationId>,
    kind: Kind,
}

enum Kind {
    /// A loop was unrolled.
    Unrolled(Origin),
    /// Edges at a location that no run reaches were removed.
    Unreached,
    /// Edges at a location from which no error is reached were removed.
    Harmless,
}

impl Edit {
    pub fn unrolled(
        before: ProgramGraph,
        after: ProgramGraph,
        location: LocationId,
        inside: BTreeSet<LocationId>,
        origin: Origin,
    ) -> Edit {
        let kind = Kind::Unrolled(origin);
        Edit {
            before,
            after,
            location,
            inside,
            kind,
        }
    }

    /// The edges at the location are about to be removed.
    pub fn cut(
        graph: &ProgramGraph,
        location: LocationId,
        unreached: bool,
        inside: BTreeSet<LocationId>,
    ) -> Edit {
        let mut after = graph.clone();
        let edges = &mut after.edges;
        edges.retain(|e| e.from != location && e.to != location);
        Edit {
            before: graph.clone(),
            after,
            location,
            inside,
            kind: if unreached {
                Kind::Unreached
            } else {
                Kind::Harmless
            },
        }
    }

    /// The invariants of the graph before the change.
    fn invariants(&self, terms: &Terms, list: &[Option<Term>]) -> Result<Vec<Option<Term>>, Lost> {
        if list.len() != self.after.locations.len() {
            return Err(Lost("the number of invariants is wrong".into()));
        }
        let mut old = list[..self.before.locations.len()].to_vec();
        old[self.location.0] = Some(match &self.kind {
            Kind::Unreached => terms.ff(),
            Kind::Harmless => terms.tt(),
            Kind::Unrolled(_) => safe_states(terms, &self.after, list, self.location)?,
        });
        // What lies inside may have lost its edges by the change: it is reached all the same.
        for l in &self.inside {
            if old[l.0] != Some(terms.tt()) {
                old[l.0] = None;
            }
        }
        Ok(old)
    }

    /// The run of the graph before the change.
    fn trace(&self, trace: &Trace) -> Result<Trace, Lost> {
        let step = |step: &Step| {
            let command = match &self.kind {
                Kind::Unrolled(origin) => origin.edges.get(step.command).copied(),
                // Removed edges are those of one location: all others keep their order.
                Kind::Unreached | Kind::Harmless => {
                    let stays = |e: &&(usize, &sectile_model::Edge)| {
                        e.1.from != self.location && e.1.to != self.location
                    };
                    let mut kept = self.before.edges.iter().enumerate();
                    let kept = kept.by_ref().filter(|e| stays(&e));
                    kept.map(|e| e.0).nth(step.command)
                }
            };
            command.map(|command| Step {
                command,
                inputs: step.inputs.clone(),
            })
        };
        let state = |state: &State| State {
            location: state.location.map(|l| match &self.kind {
                Kind::Unrolled(origin) => origin.locations[l.0],
                Kind::Unreached | Kind::Harmless => l,
            }),
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
    edits: Vec<Edit>,
}

impl Reroll {
    pub fn new(edits: Vec<Edit>) -> Reroll {
        Reroll { edits }
    }
}

impl BackTranslate for Reroll {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let mut list = match certificate {
            Certificate::Trace(trace) => {
                let mut trace = trace.clone();
                for edit in self.edits.iter().rev() {
                    trace = edit.trace(&trace)?;
                }
                return Ok(Certificate::Trace(trace));
            }
            Certificate::CutPoints(list) => list.clone(),
            Certificate::LocationInvariants(list) => list.iter().copied().map(Some).collect(),
            other => return Err(unexpected(other)),
        };
        for edit in self.edits.iter().rev() {
            list = edit.invariants(terms, &list)?;
        }
        Ok(Certificate::CutPoints(list))
    }
}
