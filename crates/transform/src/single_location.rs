//! From a system to a graph with one location.

use crate::ctl::any_leaf;
use crate::pass::{Applied, BackTranslate, Lost, NotApplicable, Pass, unexpected};
use sectile_base::Span;
use sectile_model::{
    Certificate, Ctl, Edge, Location, LocationId, Model, ProgramGraph, Property, PropertyKind,
    State, Trace,
};
use sectile_terms::Terms;

/// Makes a graph of a system: one location `run`, and every command an edge from it to it.
///
/// Edge `i` is command `i`, the property stays as it is. For engines that want a graph, when
/// nothing is known about the control of the system; otherwise see
/// [`ControlSplit`](crate::ControlSplit).
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleLocation;

impl Pass for SingleLocation {
    fn name(&self) -> &'static str {
        "single-location"
    }

    fn apply(
        &self,
        _: &Terms,
        model: &Model,
        property: &Property,
    ) -> Result<Applied, NotApplicable> {
        let Model::System(system) = model else {
            return Err(NotApplicable::new(self.name(), "the model is no system"));
        };
        if mentions_locations(&property.kind) {
            let reason = "the property is about locations, which a system does not have";
            return Err(NotApplicable::new(self.name(), reason));
        }
        let run = LocationId(0);
        let edge = |command: &sectile_model::Command| Edge {
            from: run,
            to: run,
            command: command.clone(),
        };
        let graph = ProgramGraph {
            name: system.name.clone(),
            variables: system.variables.clone(),
            rigid: system.rigid.clone(),
            init: system.init.clone(),
            restrict: system.restrict.clone(),
            locations: vec![Location {
                name: "run".into(),
                span: Span::default(),
            }],
            entry: run,
            edges: system.commands.iter().map(edge).collect(),
        };
        Ok(Applied {
            model: Model::Graph(graph),
            property: property.clone(),
            back: Box::new(ForgetLocation),
        })
    }
}

/// Whether a property can only be about a graph.
pub(crate) fn mentions_locations(kind: &PropertyKind) -> bool {
    match kind {
        PropertyKind::Invariant(_) | PropertyKind::Error(_) => false,
        PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => true,
        PropertyKind::Ctl(formula) => any_leaf(formula, |leaf| matches!(leaf, Ctl::At(_))),
    }
}

/// The way back: the invariant of the only location is that of the system.
struct ForgetLocation;

impl BackTranslate for ForgetLocation {
    fn certificate(&self, _: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::LocationInvariants(list) => match list.as_slice() {
                [only] => Ok(Certificate::Invariant(*only)),
                _ => Err(Lost("there is not one invariant for one location".into())),
            },
            // One formula for the only location, or for the system: it is written the same.
            Certificate::KInduction { .. } => Ok(certificate.clone()),
            Certificate::Trace(trace) => {
                let forget = |state: &State| State {
                    location: None,
                    values: state.values.clone(),
                };
                Ok(Certificate::Trace(Trace {
                    states: trace.states.iter().map(forget).collect(),
                    ..trace.clone()
                }))
            }
            other => Err(unexpected(other)),
        }
    }
}
