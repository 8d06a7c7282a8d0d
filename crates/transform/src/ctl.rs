//! Replacement of the state formulas in CTL formulas.

use sectile_model::Ctl;
use sectile_terms::Terms;

/// Replaces `State` and `At`, and keeps the operators. Boolean combinations of state formulas
/// become one state formula, so that `AG` of them is recognised as an invariant.
///
/// It recurses on the nesting of the formula, as every owner of boxed formulas does (dropping one
/// is recursive already); front-ends bound that nesting.
pub(crate) fn map_leaves(terms: &Terms, formula: &Ctl, leaf: &mut impl FnMut(&Ctl) -> Ctl) -> Ctl {
    let mut go = |f: &Ctl| Box::new(map_leaves(terms, f, leaf));
    match formula {
        Ctl::State(_) | Ctl::At(_) => leaf(formula),
        Ctl::Not(a) => not(terms, *go(a)),
        Ctl::And(a, b) => and(terms, *go(a), *go(b)),
        Ctl::Or(a, b) => or(terms, *go(a), *go(b)),
        Ctl::Ex(a) => Ctl::Ex(go(a)),
        Ctl::Ax(a) => Ctl::Ax(go(a)),
        Ctl::Ef(a) => Ctl::Ef(go(a)),
        Ctl::Af(a) => Ctl::Af(go(a)),
        Ctl::Eg(a) => Ctl::Eg(go(a)),
        Ctl::Ag(a) => Ctl::Ag(go(a)),
        Ctl::Eu(a, b) => Ctl::Eu(go(a), go(b)),
        Ctl::Au(a, b) => Ctl::Au(go(a), go(b)),
        Ctl::Ew(a, b) => Ctl::Ew(go(a), go(b)),
        Ctl::Aw(a, b) => Ctl::Aw(go(a), go(b)),
    }
}

/// Whether a leaf of the formula satisfies a condition.
pub(crate) fn any_leaf(formula: &Ctl, mut condition: impl FnMut(&Ctl) -> bool) -> bool {
    let mut stack = vec![formula];
    while let Some(f) = stack.pop() {
        if matches!(f, Ctl::State(_) | Ctl::At(_)) && condition(f) {
            return true;
        }
        stack.extend(f.arguments());
    }
    false
}

fn not(terms: &Terms, a: Ctl) -> Ctl {
    match a {
        Ctl::State(p) => Ctl::State(terms.not(p)),
        a => Ctl::Not(Box::new(a)),
    }
}

fn and(terms: &Terms, a: Ctl, b: Ctl) -> Ctl {
    match (a, b) {
        (Ctl::State(p), Ctl::State(q)) => Ctl::State(terms.and2(p, q)),
        (a, b) => Ctl::And(Box::new(a), Box::new(b)),
    }
}

fn or(terms: &Terms, a: Ctl, b: Ctl) -> Ctl {
    match (a, b) {
        (Ctl::State(p), Ctl::State(q)) => Ctl::State(terms.or2(p, q)),
        (a, b) => Ctl::Or(Box::new(a), Box::new(b)),
    }
}
