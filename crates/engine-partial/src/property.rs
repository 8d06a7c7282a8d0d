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
        let terms = self.terms;
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

fn mapped_ctl<E>(
    formula: &Ctl,
    mut state: impl FnMut(Term, bool) -> Result<Term, E>,
) -> Result<Ctl, E> {
    let mut result = formula.clone();
    let mut work = vec![(&mut result, true)];
    while let Some((formula, sign)) = work.pop() {
        match formula {
            Ctl::State(p) => *p = state(*p, sign)?,
            Ctl::At(_) => {}
            Ctl::Not(a) => work.push((a, !sign)),
            Ctl::Ex(a) | Ctl::Ax(a) | Ctl::Ef(a) | Ctl::Af(a) | Ctl::Eg(a) | Ctl::Ag(a) => {
                work.push((a, sign));
            }
            Ctl::And(a, b)
            | Ctl::Or(a, b)
            | Ctl::Eu(a, b)
            | Ctl::Au(a, b)
            | Ctl::Ew(a, b)
            | Ctl::Aw(a, b) => work.extend([(&mut **b, sign), (&mut **a, sign)]),
        }
    }
    Ok(result)
}
