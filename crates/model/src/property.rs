//! Properties.

use crate::ctl::Ctl;
use crate::model::LocationId;
use sectile_base::Span;
use sectile_terms::{Term, Terms};

/// A named property of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What users call it.
    pub name: String,
    /// What it says.
    pub kind: PropertyKind,
    /// Where it stands in the source.
    pub span: Span,
}

/// What a property says.
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
    /// The same name and place for something else that is said.
    #[must_use]
    pub fn with(&self, kind: PropertyKind) -> Property {
        Property {
            kind,
            ..self.clone()
        }
    }

    /// The locations that must not be reached; an error if it says something else.
    pub fn errors(&self) -> Result<&[LocationId], String> {
        match &self.kind {
            PropertyKind::Unreachable(errors) => Ok(errors),
            _ => Err("the property does not name locations that must not be reached".to_string()),
        }
    }
}

impl PropertyKind {
    /// What has to hold at a location, if the property is about single states.
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

    /// The kind as reports call it.
    pub fn label(&self) -> &'static str {
        match self {
            PropertyKind::Invariant(_) | PropertyKind::Error(_) => "invariant",
            PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => "unreachable",
            PropertyKind::Ctl(_) => "ctl",
        }
    }
}
