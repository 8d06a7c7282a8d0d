//! Convex hulls and widening.

use super::Poly;
use super::cone::{Cone, Vector, generators};
use crate::domain::Domain;
use crate::linear::{Constraint, Numbers, Relation};
use sectile_base::Int;

impl Poly {
    /// The smallest closed polyhedron that contains both, and strict bounds that both satisfy.
    ///
    /// Paper: [CoHa78, section 3.3].
    #[must_use]
    pub(super) fn hull(&self, other: &Poly) -> Poly {
        if self.includes(other) {
            return self.clone();
        }
        if other.includes(self) {
            return other.clone();
        }
        let (mine, theirs) = (self.cone(), other.cone());
        let lines = [mine.lines, theirs.lines].concat();
        let rays = [mine.rays, theirs.rays].concat();
        let polar = generators(self.variables + 1, &lines, &rays);
        let equations = polar.lines.iter().map(|l| constraint(l, Relation::Equal));
        let inequalities = polar.rays.iter().map(|r| constraint(r, Relation::AtMost));
        let mut list: Vec<Constraint> = equations.chain(inequalities).collect();
        if self.numbers == Numbers::Reals {
            self.make_strict(other, &mut list);
        }
        Poly::new(self.numbers, self.variables, list)
            .unwrap_or_else(|| Poly::all(self.numbers, self.variables))
    }

    /// The cone over the closure: points get a further non-negative coordinate.
    fn cone(&self) -> Cone {
        let homogeneous = |c: &Constraint| -> Vector {
            let negative = c.coefficients.iter().map(|a| -a);
            negative.chain([c.bound.clone()]).collect()
        };
        let (mut zero, mut positive) = (Vec::new(), Vec::new());
        for constraint in &self.constraints {
            match constraint.relation {
                Relation::Equal => zero.push(homogeneous(constraint)),
                _ => positive.push(homogeneous(constraint)),
            }
        }
        let mut last = vec![Int::ZERO; self.variables + 1];
        last[self.variables] = Int::ONE;
        positive.push(last);
        generators(self.variables + 1, &zero, &positive)
    }

    /// Makes bounds strict that neither polyhedron reaches.
    fn make_strict(&self, other: &Poly, list: &mut [Constraint]) {
        for entry in list.iter_mut().filter(|c| c.relation == Relation::AtMost) {
            let strict = Constraint {
                relation: Relation::Below,
                ..entry.clone()
            };
            if self.implies(&strict) && other.implies(&strict) {
                *entry = strict;
            }
        }
    }

    /// How many constraints of this polyhedron do not hold in the other one.
    pub(super) fn exceeded_by(&self, other: &Poly) -> usize {
        let own: Vec<Constraint> = halves(&self.constraints);
        other.implied(&own).into_iter().filter(|i| !i).count()
    }

    /// A superset of the other polyhedron, which contains this one, such that chains terminate:
    /// constraints of this one that the other satisfies, and constraints of the other one that
    /// could replace one of this one.
    ///
    /// Paper: [Halb79, standard widening].
    #[must_use]
    pub(super) fn widened(&self, other: &Poly) -> Poly {
        let own = halves(&self.constraints);
        let implied = other.implied(&own);
        let mut kept: Vec<Constraint> = Vec::new();
        for (constraint, holds) in own.iter().zip(&implied) {
            if *holds {
                kept.push(constraint.clone());
            }
        }
        for constraint in halves(&other.constraints) {
            let mut places = 0..own.len();
            if !kept.contains(&constraint)
                && self.implies(&constraint)
                && places.any(|i| self.could_replace(&own, i, &constraint))
            {
                kept.push(constraint);
            }
        }
        Poly::new(self.numbers, self.variables, kept)
            .unwrap_or_else(|| Poly::all(self.numbers, self.variables))
    }

    /// Whether replacing a constraint by another one gives the same polyhedron.
    fn could_replace(&self, own: &[Constraint], place: usize, constraint: &Constraint) -> bool {
        let mut list = own.to_vec();
        let old = std::mem::replace(&mut list[place], constraint.clone());
        // The constraint holds here, so the polyhedron is not empty; for one query, minimising the
        // list of constraints would not pay.
        let changed = Poly {
            constraints: list,
            ..Poly::all(self.numbers, self.variables)
        };
        changed.implies(&old)
    }
}

/// Equations as two inequalities each.
fn halves(constraints: &[Constraint]) -> Vec<Constraint> {
    let split = |c: &Constraint| match c.relation {
        Relation::Equal => {
            let at_most = |c: Constraint| Constraint {
                relation: Relation::AtMost,
                ..c
            };
            vec![at_most(c.clone()), at_most(c.opposite())]
        }
        _ => vec![c.clone()],
    };
    constraints.iter().flat_map(split).collect()
}

/// The constraint that the product of a vector with a point, extended by one, is not negative.
fn constraint(vector: &[Int], relation: Relation) -> Constraint {
    let (bound, coefficients) = match vector.split_last() {
        Some((bound, coefficients)) => (bound.clone(), coefficients),
        None => (Int::ZERO, &[][..]),
    };
    Constraint {
        coefficients: coefficients.iter().map(|c| -c).collect(),
        relation,
        bound,
    }
}
