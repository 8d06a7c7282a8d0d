//! Splitting properties: a property holds exactly if all its conjuncts do.
//!
//! The conjuncts of an invariant are those of its formula, the conjuncts of an error the negated
//! disjuncts. "For all paths" distributes over conjunctions, so the conjuncts of `AG (f and g)` are
//! `AG f` and `AG g`.

use crate::ctl::Ctl;
use crate::property::{Property, PropertyKind};
use sectile_terms::Terms;

/// Some of the conjuncts of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Their positions, counted from 0.
    pub conjuncts: Vec<usize>,
    /// The total number of conjuncts.
    pub of: usize,
}

impl Property {
    /// The conjuncts of the property; at least one.
    pub fn conjuncts(&self, terms: &Terms) -> Vec<PropertyKind> {
        let list: Vec<PropertyKind> = match &self.kind {
            PropertyKind::Invariant(p) => {
                let parts = terms.conjuncts(*p).into_iter();
                parts.map(PropertyKind::Invariant).collect()
            }
            PropertyKind::Error(p) => {
                let parts = terms.disjuncts(*p).into_iter();
                parts.map(PropertyKind::Error).collect()
            }
            PropertyKind::Unreachable(list) => {
                let parts = list.iter().map(|&l| vec![l]);
                parts.map(PropertyKind::Unreachable).collect()
            }
            PropertyKind::AtLocation(l, p) => {
                let parts = terms.conjuncts(*p).into_iter();
                parts.map(|p| PropertyKind::AtLocation(*l, p)).collect()
            }
            PropertyKind::Ctl(formula) => {
                let parts = conjuncts(terms, formula).into_iter();
                parts.map(PropertyKind::Ctl).collect()
            }
        };
        match list.is_empty() {
            true => vec![self.kind.clone()],
            false => list,
        }
    }

    /// The property restricted to some of its conjuncts; none if there is no such part.
    pub fn part(&self, terms: &Terms, part: &Part) -> Option<Property> {
        let all = self.conjuncts(terms);
        (all.len() == part.of).then_some(())?;
        let chosen: Option<Vec<PropertyKind>> = part
            .conjuncts
            .iter()
            .map(|&k| all.get(k).cloned())
            .collect();
        let together = chosen?.into_iter().reduce(|a, b| both(terms, a, b));
        Some(self.with(together?))
    }
}

/// The conjunction of two parts of the same property.
fn both(terms: &Terms, a: PropertyKind, b: PropertyKind) -> PropertyKind {
    match (a, b) {
        (PropertyKind::Invariant(p), PropertyKind::Invariant(q)) => {
            PropertyKind::Invariant(terms.and([p, q]))
        }
        (PropertyKind::Error(p), PropertyKind::Error(q)) => PropertyKind::Error(terms.or([p, q])),
        (PropertyKind::Unreachable(p), PropertyKind::Unreachable(q)) => {
            PropertyKind::Unreachable([p, q].concat())
        }
        (PropertyKind::AtLocation(l, p), PropertyKind::AtLocation(_, q)) => {
            PropertyKind::AtLocation(l, terms.and([p, q]))
        }
        (PropertyKind::Ctl(f), PropertyKind::Ctl(g)) => {
            PropertyKind::Ctl(Ctl::And(Box::new(f), Box::new(g)))
        }
        (a, _) => unreachable!("{} has pieces of different kinds", a.label()),
    }
}

/// Formulas whose conjunction is equivalent to this one.
fn conjuncts(terms: &Terms, formula: &Ctl) -> Vec<Ctl> {
    match formula {
        Ctl::State(p) => {
            let parts = terms.conjuncts(*p).into_iter();
            parts.map(Ctl::State).collect()
        }
        Ctl::And(a, b) => [conjuncts(terms, a), conjuncts(terms, b)].concat(),
        Ctl::Not(a) => negated_disjuncts(terms, a),
        Ctl::Ag(a) => under(Ctl::Ag, conjuncts(terms, a)),
        Ctl::Ax(a) => under(Ctl::Ax, conjuncts(terms, a)),
        Ctl::Aw(a, b) => {
            let parts = conjuncts(terms, a).into_iter();
            parts.map(|f| Ctl::Aw(Box::new(f), b.clone())).collect()
        }
        _ => vec![formula.clone()],
    }
}

/// Formulas whose conjunction is equivalent to the negation of this one.
fn negated_disjuncts(terms: &Terms, formula: &Ctl) -> Vec<Ctl> {
    match formula {
        Ctl::State(p) => {
            let parts = terms.disjuncts(*p).into_iter();
            parts.map(|p| Ctl::State(terms.not(p))).collect()
        }
        Ctl::Not(a) => conjuncts(terms, a),
        Ctl::Or(a, b) => [negated_disjuncts(terms, a), negated_disjuncts(terms, b)].concat(),
        Ctl::Ef(a) => under(Ctl::Ag, negated_disjuncts(terms, a)),
        Ctl::Ex(a) => under(Ctl::Ax, negated_disjuncts(terms, a)),
        _ => vec![Ctl::Not(Box::new(formula.clone()))],
    }
}

fn under(operator: fn(Box<Ctl>) -> Ctl, list: Vec<Ctl>) -> Vec<Ctl> {
    list.into_iter().map(|f| operator(Box::new(f))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_base::Span;
    use sectile_terms::{Sort, SymbolKind, Term};

    fn property(kind: PropertyKind) -> Property {
        Property {
            name: "p".to_string(),
            kind,
            span: Span::new(0, 0),
        }
    }

    fn variables(terms: &Terms) -> [Term; 3] {
        ["a", "b", "c"].map(|n| terms.var(terms.fresh(n, Sort::Bool, SymbolKind::State)))
    }

    #[test]
    fn the_parts_of_an_invariant_and_of_an_error_are_its_conjuncts() {
        let terms = Terms::new();
        let [a, b, c] = variables(&terms);
        let invariant = property(PropertyKind::Invariant(terms.and([a, b, c])));
        assert_eq!(invariant.conjuncts(&terms).len(), 3);
        let part = |conjuncts: &[usize], of| Part {
            conjuncts: conjuncts.to_vec(),
            of,
        };
        let two = invariant.part(&terms, &part(&[0, 1], 3));
        let two = two.map(|p| p.conjuncts(&terms).len());
        assert_eq!(two, Some(2));
        assert!(invariant.part(&terms, &part(&[3], 3)).is_none());
        assert!(invariant.part(&terms, &part(&[0], 2)).is_none());
        assert!(invariant.part(&terms, &part(&[], 3)).is_none());
        let error = property(PropertyKind::Error(terms.or([a, b])));
        assert_eq!(error.conjuncts(&terms).len(), 2);
        let trivial = property(PropertyKind::Invariant(terms.tt()));
        assert_eq!(
            trivial.conjuncts(&terms),
            [PropertyKind::Invariant(terms.tt())]
        );
    }

    #[test]
    fn all_paths_distribute_over_conjunctions_and_some_path_does_not() {
        let terms = Terms::new();
        let [a, b, c] = variables(&terms).map(Ctl::State);
        let pair = |x: &Ctl, y: &Ctl| Box::new(Ctl::And(Box::new(x.clone()), Box::new(y.clone())));
        let count = |f: Ctl| property(PropertyKind::Ctl(f)).conjuncts(&terms).len();
        assert_eq!(count(Ctl::Ag(pair(&a, &b))), 2);
        let inner = Ctl::Ax(pair(&b, &c));
        assert_eq!(count(Ctl::Ag(pair(&a, &inner))), 3);
        assert_eq!(count(Ctl::Aw(pair(&a, &b), Box::new(c.clone()))), 2);
        let either = Ctl::Or(Box::new(a.clone()), Box::new(b.clone()));
        assert_eq!(count(Ctl::Not(Box::new(Ctl::Ef(Box::new(either))))), 2);
        for whole in [
            Ctl::Eg(pair(&a, &b)),
            Ctl::Af(pair(&a, &b)),
            Ctl::Ex(pair(&a, &b)),
        ] {
            assert_eq!(count(whole), 1);
        }
    }
}
