//! Violations as a location that must not be reached.

use crate::ctl::state_formula_at;
use crate::naming::free_name;
use crate::pass::{Applied, BackTranslate, Lost, NotApplicable, Pass, Unchanged, unexpected};
use sectile_base::Span;
use sectile_model::{
    Certificate, Command, Ctl, Edge, Location, LocationId, Model, ProgramGraph, Property,
    PropertyKind, Trace, Update,
};
use sectile_terms::{Term, Terms};

/// Adds a location `error` (or `error_`, ...) and edges into it from where the property may be
/// violated; the new property says that it is not reached.
///
/// A property that names unreachable locations already is left alone. `AG p`, where `p` is about
/// locations and the state only, is about single states as well; other CTL formulas are refused.
///
/// Paper: [ErHoPoSc11, Sect. 3], where every program comes with its error location.
#[derive(Clone, Copy, Debug, Default)]
pub struct ErrorLocation;

impl Pass for ErrorLocation {
    fn name(&self) -> &'static str {
        "error-location"
    }

    fn apply(
        &self,
        terms: &Terms,
        model: &Model,
        property: &Property,
    ) -> Result<Applied, NotApplicable> {
        let Model::Graph(graph) = model else {
            return Err(NotApplicable::new(self.name(), "the model is no graph"));
        };
        let bad = match bad_states(terms, graph, &property.kind) {
            Bad::At(list) => list,
            Bad::Locations => {
                return Ok(Applied {
                    model: model.clone(),
                    property: property.clone(),
                    back: Box::new(Unchanged),
                });
            }
            Bad::Branching => {
                let reason = "a CTL formula other than `AG p` with a `p` about single states is not about reaching a location";
                return Err(NotApplicable::new(self.name(), reason));
            }
        };
        let mut graph = graph.clone();
        let error = add_error_location(terms, &mut graph, &bad, property.span);
        Ok(Applied {
            model: Model::Graph(graph),
            property: Property {
                name: property.name.clone(),
                kind: PropertyKind::Unreachable(vec![error]),
                span: property.span,
            },
            back: Box::new(DropError { error, bad }),
        })
    }
}

/// Where and when a property is violated.
enum Bad {
    /// At these locations, where the formula holds.
    At(Vec<(LocationId, Term)>),
    /// It names the locations itself.
    Locations,
    /// Not by one state.
    Branching,
}

fn bad_states(terms: &Terms, graph: &ProgramGraph, kind: &PropertyKind) -> Bad {
    let everywhere = |bad: Term| {
        let all = (0..graph.locations.len()).map(|l| (LocationId(l), bad));
        Bad::At(all.collect())
    };
    match kind {
        PropertyKind::Invariant(p) => everywhere(terms.not(*p)),
        PropertyKind::Error(p) => everywhere(*p),
        PropertyKind::AtLocation(l, p) => Bad::At(vec![(*l, terms.not(*p))]),
        PropertyKind::Unreachable(_) => Bad::Locations,
        PropertyKind::Ctl(Ctl::Ag(inner)) => {
            let locations = (0..graph.locations.len()).map(LocationId);
            let bad = |l| Some((l, terms.not(state_formula_at(terms, inner, l)?)));
            match locations.map(bad).collect() {
                Some(list) => Bad::At(list),
                None => Bad::Branching,
            }
        }
        PropertyKind::Ctl(_) => Bad::Branching,
    }
}

/// Adds the error location, last of all, and an edge into it from every bad place.
///
/// The edges keep the values of all variables, so that the state at the error is the bad one.
pub(crate) fn add_error_location(
    terms: &Terms,
    graph: &mut ProgramGraph,
    bad: &[(LocationId, Term)],
    span: Span,
) -> LocationId {
    let error = LocationId(graph.locations.len());
    let name = free_name("error", |n| graph.location(n).is_some());
    graph.locations.push(Location { name, span });
    let keep = |&symbol: &_| Update {
        symbol,
        value: terms.var(symbol),
    };
    for &(from, when) in bad {
        if terms.as_bool(when) == Some(false) {
            continue;
        }
        let mut command = Command::new("violation", span);
        command.guards = terms.conjuncts(when);
        command.updates = graph.variables.iter().map(keep).collect();
        let edge = Edge {
            from,
            to: error,
            command,
        };
        graph.edges.push(edge);
    }
    error
}

/// The way back: without the error location and the step into it.
struct DropError {
    error: LocationId,
    bad: Vec<(LocationId, Term)>,
}

impl BackTranslate for DropError {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::LocationInvariants(list) => {
                let kept = drop_error_invariant(list, self.error)?;
                Ok(Certificate::LocationInvariants(kept.to_vec()))
            }
            // The checker looks at the property between these locations as well.
            Certificate::CutPoints(list) => {
                let kept = drop_error_invariant(list, self.error)?;
                Ok(Certificate::CutPoints(kept.to_vec()))
            }
            // It is about the graph with this location: the checker adds it as well.
            Certificate::Unrolled(_) => Ok(certificate.clone()),
            Certificate::KInduction {
                invariants,
                depth,
                simple_paths,
            } => Ok(Certificate::KInduction {
                invariants: drop_error_induction(terms, invariants, self.error, &self.bad)?,
                depth: *depth,
                simple_paths: *simple_paths,
            }),
            Certificate::Trace(trace) => {
                let mut trace = trace.clone();
                drop_error_step(&mut trace, self.error)?;
                Ok(Certificate::Trace(trace))
            }
            other => Err(unexpected(other)),
        }
    }
}

/// The invariants of the locations before the error location, which is the last one.
///
/// They imply the property where they stand: an edge into the error location keeps the state, and
/// the invariant there is false.
pub(crate) fn drop_error_invariant<T>(list: &[T], error: LocationId) -> Result<&[T], Lost> {
    match list.split_last() {
        Some((_, kept)) if kept.len() == error.0 => Ok(kept),
        _ => Err(Lost("the number of invariants is wrong".into())),
    }
}

/// The same for k-induction, where a bad state may satisfy the invariant: only a longer run of
/// such states shows that it is not left. Without the bad states it is k-inductive, too: a bad
/// state at the end of such a run would make the step to the error location leave the invariant.
pub(crate) fn drop_error_induction(
    terms: &Terms,
    list: &[Term],
    error: LocationId,
    bad: &[(LocationId, Term)],
) -> Result<Vec<Term>, Lost> {
    let mut kept = drop_error_invariant(list, error)?.to_vec();
    for &(location, when) in bad {
        kept[location.0] = terms.and2(kept[location.0], terms.not(when));
    }
    Ok(kept)
}

/// Removes the step into the error location: the state before it is the violation.
pub(crate) fn drop_error_step(trace: &mut Trace, error: LocationId) -> Result<(), Lost> {
    let ends_there = trace.states.last().and_then(|s| s.location) == Some(error);
    if !ends_there || trace.steps.is_empty() {
        return Err(Lost("the trace does not end at the error location".into()));
    }
    trace.states.pop();
    trace.steps.pop();
    trace.back_to = None;
    Ok(())
}
