//! CTL over infinite paths, expressed by formulas over maximal paths.
//!
//! No step is added where a path ends: in a state without an infinite path, claims about some path
//! are false, and claims about all paths are true.

use crate::ctl::Ctl;
use crate::module::Module;
use crate::property::PropertyKind;
use sectile_terms::{Term, Terms};

impl Ctl {
    /// A formula over maximal paths with the meaning of this one over infinite paths.
    ///
    /// With `go = EX true` and `inf = EG go`, which holds where an infinite path starts:
    /// `EX f` is `EX (f and inf)`, `E(f U g)` is `E(f U g and inf)`, `E(f W g)` is
    /// `E(f and go W g and inf)`, and a formula about all paths is the negation of one about some
    /// path.
    ///
    /// It recurses on the nesting of the formula, which front-ends bound.
    #[must_use]
    pub fn over_infinite_paths(&self, terms: &Terms) -> Ctl {
        let top = terms.tt();
        let of = |f: &Ctl| f.over_infinite_paths(terms);
        match self {
            Ctl::State(_) | Ctl::At(_) => self.clone(),
            Ctl::Not(a) => not(of(a)),
            Ctl::And(a, b) => and(of(a), of(b)),
            Ctl::Or(a, b) => Ctl::Or(Box::new(of(a)), Box::new(of(b))),
            Ctl::Ex(a) => Ctl::Ex(Box::new(going_on(of(a), top))),
            Ctl::Ax(a) => not(Ctl::Ex(Box::new(going_on(not(of(a)), top)))),
            Ctl::Ef(a) => Ctl::Ef(Box::new(going_on(of(a), top))),
            Ctl::Ag(a) => not(Ctl::Ef(Box::new(going_on(not(of(a)), top)))),
            Ctl::Eg(a) => some_always(of(a), top),
            Ctl::Af(a) => not(some_always(not(of(a)), top)),
            Ctl::Eu(a, b) => some_until(of(a), of(b), top),
            Ctl::Ew(a, b) => some_weak(of(a), of(b), top),
            Ctl::Au(a, b) => {
                let (a, b) = (not(of(a)), not(of(b)));
                not(some_weak(b.clone(), and(a, b), top))
            }
            Ctl::Aw(a, b) => {
                let (a, b) = (not(of(a)), not(of(b)));
                not(some_until(b.clone(), and(a, b), top))
            }
        }
    }
}

fn not(f: Ctl) -> Ctl {
    match f {
        Ctl::Not(inner) => *inner,
        f => Ctl::Not(Box::new(f)),
    }
}

fn and(f: Ctl, g: Ctl) -> Ctl {
    Ctl::And(Box::new(f), Box::new(g))
}

/// A step is possible.
fn go(top: Term) -> Ctl {
    Ctl::Ex(Box::new(Ctl::State(top)))
}

/// `f` holds, and an infinite path starts here.
fn going_on(f: Ctl, top: Term) -> Ctl {
    and(f, Ctl::Eg(Box::new(go(top))))
}

fn some_until(f: Ctl, g: Ctl, top: Term) -> Ctl {
    Ctl::Eu(Box::new(f), Box::new(going_on(g, top)))
}

fn some_weak(f: Ctl, g: Ctl, top: Term) -> Ctl {
    let stays = and(f, go(top));
    Ctl::Ew(Box::new(stays), Box::new(going_on(g, top)))
}

fn some_always(f: Ctl, top: Term) -> Ctl {
    Ctl::Eg(Box::new(and(f, go(top))))
}

impl Module {
    /// Gives the CTL formulas among the properties their meaning over infinite paths.
    ///
    /// Invariants and errors are about reachable states, whether or not an infinite path follows.
    pub fn use_infinite_paths(&mut self, terms: &Terms) {
        for property in &mut self.properties {
            if let PropertyKind::Ctl(formula) = &mut property.kind {
                *formula = formula.over_infinite_paths(terms);
            }
        }
    }
}
