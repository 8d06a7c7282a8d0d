//! Violations as reachability of an error location.

use crate::naming::free_name;
use crate::pass::{Applied, BackTranslate, Lost, Pass, unexpected};
use sectile_base::Span;
use sectile_model::{
    Certificate, Command, Edge, Invariants, Location, LocationId, Model, PropertyKind, Task, Trace,
    Update,
};
use sectile_terms::{Term, Terms};

/// Adds a location `error` (or `error_`, ...) with edges from every location where the property may
/// be violated; the new property says that it is unreachable.
///
/// A property that already names unreachable locations is unchanged. `AG p`, where `p` is about
/// locations and the state only, is about single states as well; other CTL formulas are refused.
///
/// Paper: [ErHoPoSc11, Sect. 3], where every program comes with its error location.
#[derive(Clone, Copy, Debug, Default)]
pub struct ErrorLocation;

impl Pass for ErrorLocation {
    fn name(&self) -> &'static str {
        "error-location"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (terms, property) = (task.terms, task.property);
        if let PropertyKind::Unreachable(_) = property.kind {
            return Ok(Applied::unchanged(task));
        }
        let locations = (0..task.model.locations.len()).map(LocationId);
        let bad = locations.map(|l| Some((l, terms.not(property.kind.safe_at(terms, l)?))));
        let bad = bad.collect::<Option<Vec<_>>>();
        let bad = bad.ok_or("a CTL formula other than `AG p` with a `p` about single states is not about reaching a location")?;
        let mut graph = task.model.clone();
        let error = add_error_location(terms, &mut graph, &bad, property.span);
        let property = property.with(PropertyKind::Unreachable(vec![error]));
        Ok(Applied::new(graph, property, DropError { error, bad }))
    }
}

/// Adds the error location at the end, with an edge from every location with bad states.
///
/// The edges keep the values of all variables, so that the state at the error is the bad one.
pub(crate) fn add_error_location(
    terms: &Terms,
    graph: &mut Model,
    bad: &[(LocationId, Term)],
    span: Span,
) -> LocationId {
    let error = LocationId(graph.locations.len());
    let name = free_name("error", |n| graph.location(n).is_some());
    graph.locations.push(Location::new(name, span));
    let keep = |&symbol: &_| Update::keep(terms, symbol);
    for &(from, when) in bad {
        if terms.as_bool(when) == Some(false) {
            continue;
        }
        let mut command = Command::new("violation", span);
        command.guards = terms.conjuncts(when);
        command.updates = graph.variables.iter().map(keep).collect();
        graph.edges.push(Edge::new(from, error, command));
    }
    error
}

/// The way back: removes the error location and the step into it.
struct DropError {
    error: LocationId,
    bad: Vec<(LocationId, Term)>,
}

impl BackTranslate for DropError {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            // Between locations with invariants the checker also checks the property.
            Certificate::Invariants(proof) => {
                Ok(proof.with(drop_error(terms, proof, self.error, &self.bad)?))
            }
            // This is about the graph with the error location: the checker adds it as well.
            Certificate::Unrolled(_) => Ok(certificate.clone()),
            Certificate::Trace(trace) => {
                let mut trace = trace.clone();
                drop_error_step(&mut trace, self.error)?;
                Ok(Certificate::Trace(trace))
            }
            other => Err(unexpected(other)),
        }
    }
}

/// The invariants of all locations except the error location, which is the last one.
///
/// They imply the property: an edge into the error location keeps the state, and the invariant
/// there is false. With a greater depth, a bad state may satisfy the invariant, and only a longer
/// run of such states is excluded. Without the bad states it is still k-inductive: after such a
/// run, a bad state would make the step to the error location leave the invariant.
pub(crate) fn drop_error(
    terms: &Terms,
    proof: &Invariants,
    error: LocationId,
    bad: &[(LocationId, Term)],
) -> Result<Vec<Option<Term>>, Lost> {
    let mut kept = match proof.at.split_last() {
        Some((_, kept)) if kept.len() == error.0 => kept.to_vec(),
        _ => return Err(Lost("the number of invariants is wrong".into())),
    };
    if proof.depth > 1 {
        for &(location, when) in bad {
            let here = &mut kept[location.0];
            *here = here.map(|i| terms.and2(i, terms.not(when)));
        }
    }
    Ok(kept)
}

/// Removes the step into the error location: the state before it is the violation.
pub(crate) fn drop_error_step(trace: &mut Trace, error: LocationId) -> Result<(), Lost> {
    let ends_there = trace.states.last().map(|s| s.location) == Some(error);
    if !ends_there || trace.steps.is_empty() {
        return Err(Lost("the trace does not end at the error location".into()));
    }
    trace.states.pop();
    trace.steps.pop();
    trace.back_to = None;
    Ok(())
}
