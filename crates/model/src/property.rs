//! Properties.

use crate::ctl::Ctl;
use crate::model::LocationId;
use sectile_base::Span;
use sectile_terms::{Term, Terms};

/// A named property of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name for users.
    pub name: String,
    /// Its meaning.
    pub kind: PropertyKind,
    /// Its position in the source.
    pub span: Span,
}

/// The kinds of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// The formula holds in every reachable state.
    Invariant(Term),
    /// The formula holds in no reachable state.
    Error(Term),
    /// None of the locations is reachable.
    Unreachable(Vec<LocationId>),
    /// The formula holds whenever the program is at the location.
    AtLocation(LocationId, Term),
    /// A CTL formula holds in every initial state.
    Ctl(Ctl),
}

impl Property {
    /// The same name and position with another meaning.
    #[must_use]
    pub fn with(&self, kind: PropertyKind) -> Property {
        Property {
            kind,
            ..self.clone()
        }
    }

    /// The locations that must not be reached; an error for other kinds.
    pub fn errors(&self) -> Result<&[LocationId], String> {
        match &self.kind {
            PropertyKind::Unreachable(errors) => Ok(errors),
            _ => Err("the property does not name locations that must not be reached".to_string()),
        }
    }
}

impl PropertyKind {
    /// The condition at a location, if the property is about single states.
    pub fn safe_at(&self, terms: &Terms, location: LocationId) -> Option<Term> {
        Some(match self {
            PropertyKind::Invariant(p) => *p,
            PropertyKind::Error(p) => terms.not(*p),
            PropertyKind::Unreachable(list) => terms.bool(!list.contains(&location)),
            PropertyKind::AtLocation(l, p) if *l == location => *p,
            PropertyKind::AtLocation(..) => terms.tt(),
            PropertyKind::Ctl(formula) => return formula.invariant_at(terms, location),
        })
    }

    /// The name of the kind in reports.
    pub fn label(&self) -> &'static str {
        match self {
            PropertyKind::Invariant(_) | PropertyKind::Error(_) => "invariant",
            PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => "unreachable",
            PropertyKind::Ctl(_) => "ctl",
        }
    }
}
