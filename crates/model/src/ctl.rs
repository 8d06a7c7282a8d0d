//! CTL formulas over state formulas.

use crate::model::LocationId;
use sectile_terms::{Term, Terms};

/// A formula of computation tree logic.
///
/// Paths are maximal: they end where no step is possible. `EX f` is false there, `AX f` true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ctl {
    /// A formula about the current state.
    State(Term),
    /// The program is at a location.
    At(LocationId),
    /// Negation.
    Not(Box<Ctl>),
    /// Conjunction.
    And(Box<Ctl>, Box<Ctl>),
    /// Disjunction.
    Or(Box<Ctl>, Box<Ctl>),
    /// Some successor.
    Ex(Box<Ctl>),
    /// All successors.
    Ax(Box<Ctl>),
    /// Some path, eventually.
    Ef(Box<Ctl>),
    /// All paths, eventually.
    Af(Box<Ctl>),
    /// Some path, always.
    Eg(Box<Ctl>),
    /// All paths, always.
    Ag(Box<Ctl>),
    /// Some path on which the first holds until the second does; the second does hold eventually.
    Eu(Box<Ctl>, Box<Ctl>),
    /// All paths: the first holds until the second does; the second does hold eventually.
    Au(Box<Ctl>, Box<Ctl>),
    /// Some path on which the first holds until the second does, or for ever.
    Ew(Box<Ctl>, Box<Ctl>),
    /// All paths: the first holds until the second does, or for ever.
    Aw(Box<Ctl>, Box<Ctl>),
}

impl Ctl {
    /// Implication.
    pub fn implies(a: Ctl, b: Ctl) -> Ctl {
        Ctl::Or(Box::new(Ctl::Not(Box::new(a))), Box::new(b))
    }

    /// All paths terminate: each reaches a state without a step.
    pub fn terminates(terms: &Terms) -> Ctl {
        Ctl::Af(Box::new(Ctl::Ax(Box::new(Ctl::State(terms.ff())))))
    }

    /// The name of a temporal operator.
    pub fn operator(&self) -> Option<&'static str> {
        Some(match self {
            Ctl::State(_) | Ctl::At(_) | Ctl::Not(_) | Ctl::And(..) | Ctl::Or(..) => return None,
            Ctl::Ex(_) => "EX",
            Ctl::Ax(_) => "AX",
            Ctl::Ef(_) => "EF",
            Ctl::Af(_) => "AF",
            Ctl::Eg(_) => "EG",
            Ctl::Ag(_) => "AG",
            Ctl::Eu(..) => "EU",
            Ctl::Au(..) => "AU",
            Ctl::Ew(..) => "EW",
            Ctl::Aw(..) => "AW",
        })
    }

    /// The arguments, in order.
    pub fn arguments(&self) -> Vec<&Ctl> {
        match self {
            Ctl::State(_) | Ctl::At(_) => Vec::new(),
            Ctl::Not(a)
            | Ctl::Ex(a)
            | Ctl::Ax(a)
            | Ctl::Ef(a)
            | Ctl::Af(a)
            | Ctl::Eg(a)
            | Ctl::Ag(a) => vec![a],
            Ctl::And(a, b)
            | Ctl::Or(a, b)
            | Ctl::Eu(a, b)
            | Ctl::Au(a, b)
            | Ctl::Ew(a, b)
            | Ctl::Aw(a, b) => vec![a, b],
        }
    }

    /// The formula `p` of `AG p` at a location, if `p` has no temporal operator.
    pub fn invariant_at(&self, terms: &Terms, location: LocationId) -> Option<Term> {
        match self {
            Ctl::Ag(inner) => inner.state_formula(terms, location),
            _ => None,
        }
    }

    /// The state formula `p` of `AG p`, if `p` has no temporal operator and no location.
    pub fn as_invariant(&self, terms: &Terms) -> Option<Term> {
        match self {
            Ctl::Ag(inner) => inner.formula_at(terms, None),
            _ => None,
        }
    }

    /// The meaning of a formula without temporal operators at a location.
    pub fn state_formula(&self, terms: &Terms, location: LocationId) -> Option<Term> {
        self.formula_at(terms, Some(location))
    }

    /// The same; without a location, the formula must not contain one.
    fn formula_at(&self, terms: &Terms, location: Option<LocationId>) -> Option<Term> {
        let of = |f: &Ctl| f.formula_at(terms, location);
        match self {
            Ctl::State(p) => Some(*p),
            Ctl::At(l) => location.map(|here| terms.bool(here == *l)),
            Ctl::Not(a) => of(a).map(|p| terms.not(p)),
            Ctl::And(a, b) => Some(terms.and([of(a)?, of(b)?])),
            Ctl::Or(a, b) => Some(terms.or([of(a)?, of(b)?])),
            _ => None,
        }
    }
}
