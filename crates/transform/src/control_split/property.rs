//! Translation of the property to the split graph.

use super::build::Split;
use crate::ctl::map_leaves;
use crate::error_location::add_error_location;
use sectile_model::{Ctl, LocationId, Property, PropertyKind};
use sectile_terms::{Term, Terms};

/// An added error location, with its incoming edges.
pub(super) struct Error {
    pub location: LocationId,
    pub bad: Vec<(LocationId, Term)>,
}

/// The property of the split graph, with the error location if one had to be added.
pub(super) fn translate(
    terms: &Terms,
    split: &mut Split,
    property: &Property,
) -> (Property, Option<Error>) {
    let (kind, error) = match &property.kind {
        PropertyKind::Invariant(p) if !mentions_control(terms, split, *p) => {
            (PropertyKind::Invariant(*p), None)
        }
        PropertyKind::Error(p) if !mentions_control(terms, split, *p) => {
            (PropertyKind::Error(*p), None)
        }
        PropertyKind::Invariant(p) => safety(terms, split, terms.not(*p), property),
        PropertyKind::Error(p) => safety(terms, split, *p, property),
        PropertyKind::Ctl(formula) => (PropertyKind::Ctl(branching(terms, split, formula)), None),
        other @ (PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..)) => {
            unreachable!("{} properties of systems were refused", other.label())
        }
    };
    (property.with(kind), error)
}

fn mentions_control(terms: &Terms, split: &Split, t: Term) -> bool {
    let used = terms.free_vars(t);
    let mut control = split.control.iter();
    control.any(|f| used.iter().any(|v| v.0 == f.symbol))
}

/// A formula at every location that represents a point.
fn at_locations(terms: &Terms, split: &Split, t: Term) -> Vec<(LocationId, Term)> {
    let locations = (0..split.points.len()).map(LocationId);
    let here = |l| Some((l, terms.substitute(t, &split.values_at(terms, l)?)));
    locations.filter_map(here).collect()
}

/// No bad state is reachable, expressed in the simplest possible way.
fn safety(
    terms: &Terms,
    split: &mut Split,
    bad: Term,
    property: &Property,
) -> (PropertyKind, Option<Error>) {
    let mut bad = at_locations(terms, split, bad);
    bad.retain(|b| b.1 != terms.ff());
    if bad.iter().all(|b| b.1 == terms.tt()) {
        let locations = bad.iter().map(|b| b.0).collect();
        return (PropertyKind::Unreachable(locations), None);
    }
    if let [(location, when)] = bad.as_slice() {
        return (PropertyKind::AtLocation(*location, terms.not(*when)), None);
    }
    let error = add_error_location(terms, &mut split.graph, &bad, property.span);
    let kind = PropertyKind::Unreachable(vec![error]);
    let location = error;
    (kind, Some(Error { location, bad }))
}

/// The formula about locations and the remaining variables; one step later if the graph has an
/// extra entry.
fn branching(terms: &Terms, split: &Split, formula: &Ctl) -> Ctl {
    let translated = map_leaves(terms, formula, &mut |leaf| match leaf {
        Ctl::State(p) if mentions_control(terms, split, *p) => by_location(terms, split, *p),
        other => other.clone(),
    });
    match split.extra_entry() {
        Some(_) => Ctl::Ax(Box::new(translated)),
        None => translated,
    }
}

/// Control is at some location, and there the formula holds.
fn by_location(terms: &Terms, split: &Split, p: Term) -> Ctl {
    let cases = at_locations(terms, split, p).into_iter();
    let cases = cases.filter(|c| c.1 != terms.ff()).map(|(l, here)| {
        if here == terms.tt() {
            Ctl::At(l)
        } else {
            Ctl::And(Box::new(Ctl::At(l)), Box::new(Ctl::State(here)))
        }
    });
    balanced(cases.collect(), terms)
}

/// The disjunction as a shallow tree: boxed formulas are walked and dropped recursively.
fn balanced(mut cases: Vec<Ctl>, terms: &Terms) -> Ctl {
    while cases.len() > 1 {
        let mut halved = Vec::with_capacity(cases.len().div_ceil(2));
        let mut rest = cases.into_iter();
        while let Some(a) = rest.next() {
            halved.push(match rest.next() {
                Some(b) => Ctl::Or(Box::new(a), Box::new(b)),
                None => a,
            });
        }
        cases = halved;
    }
    cases.pop().unwrap_or(Ctl::State(terms.ff()))
}
