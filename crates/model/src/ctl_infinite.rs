//! Formulas over infinite paths, in terms of maximal ones.
//!
//! Where a path ends, no step is invented: a state without an infinite path is one in which
//! nothing is claimed of some path, and everything of all paths.

use crate::ctl::Ctl;
use crate::module::Module;
use crate::property::PropertyKind;
use sectile_terms::{Term, Terms};

enum Work<'f> {
    Look(&'f Ctl),
    Join(&'f Ctl),
}

impl Ctl {
    /// A formula that says of maximal paths what this one says of infinite paths.
    ///
    /// With `go = EX true` and `inf = EG go`, which holds where an infinite path starts:
    /// `EX f` is `EX (f and inf)`, `E(f U g)` is `E(f U g and inf)`, `E(f W g)` is
    /// `E(f and go W g and inf)`, and what is said of all paths is the negation of what is said of
    /// some path.
    #[must_use]
    pub fn over_infinite_paths(&self, terms: &Terms) -> Ctl {
        let top = terms.tt();
        let mut values: Vec<Ctl> = Vec::new();
        let mut work = vec![Work::Look(self)];
        while let Some(next) = work.pop() {
            match next {
                Work::Look(f) => {
                    work.push(Work::Join(f));
                    work.extend(f.arguments().into_iter().rev().map(Work::Look));
                }
                Work::Join(f) => {
                    let from = values.len() - f.arguments().len();
                    let arguments = values.split_off(from);
                    values.push(join(f, arguments, top));
                }
            }
        }
        // One value for the whole formula is left.
        values.pop().unwrap_or(Ctl::State(top))
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

fn join(f: &Ctl, arguments: Vec<Ctl>, top: Term) -> Ctl {
    let mut arguments = arguments.into_iter();
    let mut argument = || arguments.next().unwrap_or(Ctl::State(top));
    match f {
        Ctl::State(p) => Ctl::State(*p),
        Ctl::At(l) => Ctl::At(*l),
        Ctl::Not(_) => not(argument()),
        Ctl::And(..) => and(argument(), argument()),
        Ctl::Or(..) => Ctl::Or(Box::new(argument()), Box::new(argument())),
        Ctl::Ex(_) => Ctl::Ex(Box::new(going_on(argument(), top))),
        Ctl::Ax(_) => not(Ctl::Ex(Box::new(going_on(not(argument()), top)))),
        Ctl::Ef(_) => Ctl::Ef(Box::new(going_on(argument(), top))),
        Ctl::Ag(_) => not(Ctl::Ef(Box::new(going_on(not(argument()), top)))),
        Ctl::Eg(_) => some_always(argument(), top),
        Ctl::Af(_) => not(some_always(not(argument()), top)),
        Ctl::Eu(..) => some_until(argument(), argument(), top),
        Ctl::Ew(..) => some_weak(argument(), argument(), top),
        Ctl::Au(..) => {
            let (a, b) = (not(argument()), not(argument()));
            not(some_weak(b.clone(), and(a, b), top))
        }
        Ctl::Aw(..) => {
            let (a, b) = (not(argument()), not(argument()));
            not(some_until(b.clone(), and(a, b), top))
        }
    }
}

impl Module {
    /// Makes the CTL formulas among the properties speak of infinite paths.
    ///
    /// Invariants and errors are about states that can be reached, whatever comes behind them.
    pub fn use_infinite_paths(&mut self, terms: &Terms) {
        for property in &mut self.properties {
            if let PropertyKind::Ctl(formula) = &mut property.kind {
                *formula = formula.over_infinite_paths(terms);
            }
        }
    }
}
