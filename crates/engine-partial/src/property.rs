//! Properties of the abstract system, and what they mean for the concrete one.

use crate::alpha::Abstraction;
use crate::queries::Queries;
use sectile_engine::Stop;
use sectile_model::{Ctl, NormalCtl, NormalPart, Paths, PropertyKind};
use sectile_terms::{Term, Terms};
use std::convert::Infallible;

/// Whether a property says something of all paths only, once negations stand at state formulas.
///
/// Paper: [YaMe, Theorem 1]: such properties carry over from the abstract system.
pub fn is_universal(terms: &Terms, kind: &PropertyKind) -> bool {
    let Some(normal) = NormalCtl::of_property(terms, kind, true) else {
        return false;
    };
    normal.parts.iter().all(|part| match part {
        NormalPart::State(_) | NormalPart::And(..) | NormalPart::Or(..) => true,
        NormalPart::Next(paths, _) | NormalPart::Until(paths, ..) | NormalPart::Weak(paths, ..) => {
            *paths == Paths::All
        }
    })
}

impl<'t> Abstraction<'t> {
    /// The abstract property: its state formulas hold where they hold in all concrete states.
    ///
    /// Paper: [YaMe, Theorem 1], the other way round: the concrete property follows from the
    /// meaning of the abstract one. The normal forms of both have the same parts in the same order.
    pub fn property(
        &self,
        kind: &PropertyKind,
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<PropertyKind, Stop> {
        mapped(kind, |p, sign| self.formula(p, sign, restrict, queries))
    }

    /// Where a state formula surely holds, or where it may hold if it stands under a negation.
    fn formula(
        &self,
        formula: Term,
        surely: bool,
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<Term, Stop> {
        let terms = self.terms();
        if surely {
            let outside = self.states(terms.not(formula), restrict, queries)?;
            Ok(terms.not(outside))
        } else {
            self.states(formula, restrict, queries)
        }
    }

    /// What a property of the abstract system says about the concrete one.
    ///
    /// Paper: [YaMe, Theorem 1], the transformation C.
    pub fn concrete_property(&self, kind: &PropertyKind) -> PropertyKind {
        let concrete = |p, _| Ok::<Term, Infallible>(self.concrete(p));
        mapped(kind, concrete).unwrap_or_else(|never| match never {})
    }
}

/// The same property about other state formulas, which are made of the old ones and of their signs.
fn mapped<E>(
    kind: &PropertyKind,
    mut state: impl FnMut(Term, bool) -> Result<Term, E>,
) -> Result<PropertyKind, E> {
    Ok(match kind {
        PropertyKind::Invariant(p) => PropertyKind::Invariant(state(*p, true)?),
        PropertyKind::Error(e) => PropertyKind::Error(state(*e, false)?),
        PropertyKind::Ctl(formula) => PropertyKind::Ctl(mapped_ctl(formula, state)?),
        other => other.clone(),
    })
}

/// What is left to do: look at a formula with its sign, or put its arguments together.
enum Work<'f> {
    Look(&'f Ctl, bool),
    Join(&'f Ctl),
}

fn mapped_ctl<E>(
    formula: &Ctl,
    mut state: impl FnMut(Term, bool) -> Result<Term, E>,
) -> Result<Ctl, E> {
    let mut values: Vec<Ctl> = Vec::new();
    let mut work = vec![Work::Look(formula, true)];
    while let Some(next) = work.pop() {
        match next {
            Work::Look(Ctl::State(p), sign) => values.push(Ctl::State(state(*p, sign)?)),
            Work::Look(f, sign) => {
                let sign = sign != matches!(f, Ctl::Not(_));
                work.push(Work::Join(f));
                let arguments = f.arguments().into_iter().rev();
                work.extend(arguments.map(|a| Work::Look(a, sign)));
            }
            Work::Join(f) => {
                let from = values.len() - f.arguments().len();
                let arguments = values.split_off(from);
                values.push(rebuilt(f, arguments));
            }
        }
    }
    // The last value is the whole formula.
    Ok(values.pop().unwrap_or_else(|| formula.clone()))
}

/// The same operator with other arguments.
fn rebuilt(formula: &Ctl, arguments: Vec<Ctl>) -> Ctl {
    let mut list = arguments.into_iter().map(Box::new);
    let (first, second) = (list.next(), list.next());
    let make = |two: fn(Box<Ctl>, Box<Ctl>) -> Ctl, a: Option<Box<Ctl>>| match (a, second.clone()) {
        (Some(a), Some(b)) => two(a, b),
        _ => formula.clone(),
    };
    match (formula, first) {
        (Ctl::Not(_), Some(a)) => Ctl::Not(a),
        (Ctl::Ex(_), Some(a)) => Ctl::Ex(a),
        (Ctl::Ax(_), Some(a)) => Ctl::Ax(a),
        (Ctl::Ef(_), Some(a)) => Ctl::Ef(a),
        (Ctl::Af(_), Some(a)) => Ctl::Af(a),
        (Ctl::Eg(_), Some(a)) => Ctl::Eg(a),
        (Ctl::Ag(_), Some(a)) => Ctl::Ag(a),
        (Ctl::And(..), a) => make(Ctl::And, a),
        (Ctl::Or(..), a) => make(Ctl::Or, a),
        (Ctl::Eu(..), a) => make(Ctl::Eu, a),
        (Ctl::Au(..), a) => make(Ctl::Au, a),
        (Ctl::Ew(..), a) => make(Ctl::Ew, a),
        (Ctl::Aw(..), a) => make(Ctl::Aw, a),
        (other, _) => other.clone(),
    }
}
