//! Zones as a domain: meets, differences, images, hulls, widening.

use super::{Bound, Difference, Source, Zone};
use crate::domain::Domain;
use crate::linear::{Affine, Constraint, Numbers, Relation};
use sectile_base::{Int, Rat};

/// Bounds of differences that are looked at in a unit of work.
const BOUNDS_OF_A_UNIT: u64 = 64;

impl Domain for Zone {
    type Guard = Difference;
    type Source = Source;

    const NAME: &'static str = "zones";
    const EFFORT: u64 = 1;
    const TESTS_OF_AN_OPERATION: u64 = 16;

    /// Every operation looks at the bounds of all differences.
    fn effort(&self) -> u64 {
        let variables = self.variables() as u64;
        Self::EFFORT + variables * variables / BOUNDS_OF_A_UNIT
    }

    fn guard(constraint: &Constraint) -> Option<Vec<Difference>> {
        let (mut left, mut right) = (0, 0);
        for (i, c) in constraint.coefficients.iter().enumerate() {
            let side = match c.to_i64()? {
                0 => continue,
                1 => &mut left,
                -1 => &mut right,
                _ => return None,
            };
            if *side != 0 {
                return None;
            }
            *side = i + 1;
        }
        let bound = constraint.bound.clone();
        let difference = |left, right, bound| Difference { left, right, bound };
        Some(match constraint.relation {
            Relation::AtMost => vec![difference(left, right, Bound::AtMost(bound))],
            Relation::Below => vec![difference(left, right, Bound::Below(bound))],
            Relation::Equal => vec![
                difference(left, right, Bound::AtMost(bound.clone())),
                difference(right, left, Bound::AtMost(-&bound)),
            ],
        })
    }

    fn source(value: &Affine) -> Option<Source> {
        let variable = match value.terms.as_slice() {
            [] => 0,
            [(v, c)] if c.is_one() => v + 1,
            _ => return None,
        };
        let offset = value.constant.to_int()?;
        Some(Source { variable, offset })
    }

    fn all(numbers: Numbers, variables: usize) -> Zone {
        let size = variables + 1;
        let mut bounds = vec![Bound::Infinite; size * size];
        for i in 0..size {
            bounds[i * size + i] = Bound::ZERO;
        }
        Zone {
            numbers,
            size,
            bounds,
        }
    }

    fn variables(&self) -> usize {
        self.size - 1
    }

    fn assume_all(mut self, guards: &[Difference]) -> Option<Zone> {
        guards.iter().all(|d| self.constrain(d)).then_some(self)
    }

    fn includes(&self, other: &Zone) -> bool {
        debug_assert_eq!(self.size, other.size, "zones over the same variables");
        let pairs = self.bounds.iter().zip(&other.bounds);
        pairs.into_iter().all(|(mine, theirs)| theirs <= mine)
    }

    fn meet(&self, other: &Zone) -> Option<Zone> {
        if self.includes(other) {
            return Some(other.clone());
        }
        let mut result = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                if other.bound(i, j) < result.bound(i, j) {
                    result = result.assume(&other.difference(i, j))?;
                }
            }
        }
        Some(result)
    }

    fn meets(&self, other: &Zone) -> bool {
        // Contradictory opposite bounds are found without closing.
        for i in 0..self.size {
            for j in 0..self.size {
                if self.bound(i, j).plus(other.bound(j, i)) < Bound::ZERO {
                    return false;
                }
            }
        }
        self.meet(other).is_some()
    }

    fn minus(&self, other: &Zone) -> Vec<Zone> {
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        for constraint in other.differences() {
            if rest.implies(&constraint) {
                continue;
            }
            if let Some(bound) = constraint.bound.exceeded() {
                let outside = Difference {
                    left: constraint.right,
                    right: constraint.left,
                    bound,
                };
                pieces.extend(rest.clone().assume(&outside));
            }
            match rest.assume(&constraint) {
                Some(inside) => rest = inside,
                None => return pieces,
            }
        }
        pieces
    }

    fn havoc(mut self, variable: usize) -> Zone {
        let variable = variable + 1;
        for k in 0..self.size {
            if k != variable {
                self.set(variable, k, Bound::Infinite);
                self.set(k, variable, Bound::Infinite);
            }
        }
        self
    }

    fn adrift(&self, variables: &[usize]) -> Zone {
        let moves = |i: usize| i > 0 && variables.contains(&(i - 1));
        let mut result = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                if moves(i) != moves(j) {
                    result.set(i, j, Bound::Infinite);
                }
            }
        }
        result
    }

    fn extended(&self, further: usize) -> Zone {
        let mut result = Zone::all(self.numbers, self.size - 1 + further);
        for i in 0..self.size {
            for j in 0..self.size {
                result.set(i, j, self.bound(i, j).clone());
            }
        }
        result
    }

    fn projected(&self, variables: usize) -> Zone {
        let size = variables + 1;
        if size == self.size {
            return self.clone();
        }
        let rows = self.bounds.chunks(self.size).take(size);
        Zone {
            numbers: self.numbers,
            size,
            bounds: rows.flat_map(|row| row[..size].iter().cloned()).collect(),
        }
    }

    /// Closed matrices project exactly.
    fn surely_projected(&self, variables: usize) -> Option<Zone> {
        Some(self.projected(variables))
    }

    fn image(&self, sources: &[Source]) -> Zone {
        let size = sources.len() + 1;
        let zero = Source {
            variable: 0,
            offset: Int::ZERO,
        };
        let of = |k: usize| if k == 0 { &zero } else { &sources[k - 1] };
        let mut bounds = Vec::with_capacity(size * size);
        for i in 0..size {
            let a = of(i);
            let row = &self.bounds[a.variable * self.size..][..self.size];
            for j in 0..size {
                let b = of(j);
                let bound = &row[b.variable];
                bounds.push(match a.offset == b.offset {
                    true => bound.clone(),
                    false => bound.shifted(&(&a.offset - &b.offset)),
                });
            }
        }
        Zone {
            numbers: self.numbers,
            size,
            bounds,
        }
    }

    fn preimage(&self, within: &Zone, sources: &[Source]) -> Option<Zone> {
        self.differences()
            .into_iter()
            .try_fold(within.clone(), |zone, d| zone.assume(&before(&d, sources)))
    }

    fn hull(&self, other: &Zone) -> Zone {
        let mut result = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                if other.bound(i, j) > self.bound(i, j) {
                    result.set(i, j, other.bound(i, j).clone());
                }
            }
        }
        result
    }

    fn widened(&self, other: &Zone) -> Zone {
        // Chains of widenings terminate if dropped bounds are not restored by closing: the matrix
        // is therefore closed only with bounds that it already has.
        let mut kept = Zone::all(self.numbers, self.variables());
        for i in 0..self.size {
            for j in 0..self.size {
                let mine = self.bound(i, j);
                if i != j && *mine != Bound::Infinite && other.bound(i, j) <= mine {
                    // The kept bounds are among those of a non-empty zone.
                    kept.constrain(&self.difference(i, j));
                }
            }
        }
        kept
    }

    fn exceeded_by(&self, other: &Zone) -> usize {
        let pairs = self.bounds.iter().zip(&other.bounds);
        pairs.filter(|(mine, theirs)| theirs > mine).count()
    }

    fn upper(&self, left: Option<usize>, right: Option<usize>) -> Bound {
        let index = |v: Option<usize>| v.map_or(0, |v| v + 1);
        self.bound(index(left), index(right)).clone()
    }

    fn largest(&self) -> Int {
        let values = self.bounds.iter().filter_map(Bound::value);
        values.map(Int::abs).max().unwrap_or(Int::ZERO)
    }

    fn point(&self) -> Option<Vec<Rat>> {
        Some(self.some_point())
    }

    fn is_surely_empty(&self) -> bool {
        false
    }

    fn constraints(&self) -> Vec<Constraint> {
        let list = self.differences().into_iter();
        list.filter_map(|d| linear(&d, self.size - 1)).collect()
    }
}

/// A bound of a difference as a constraint; none if it is infinite.
fn linear(difference: &Difference, variables: usize) -> Option<Constraint> {
    let mut coefficients = vec![Int::ZERO; variables];
    if difference.left > 0 {
        coefficients[difference.left - 1] += &Int::ONE;
    }
    if difference.right > 0 {
        coefficients[difference.right - 1] -= &Int::ONE;
    }
    let (relation, bound) = match &difference.bound {
        Bound::AtMost(b) => (Relation::AtMost, b.clone()),
        Bound::Below(b) => (Relation::Below, b.clone()),
        Bound::Infinite => return None,
    };
    Some(Constraint {
        coefficients,
        relation,
        bound,
    })
}

/// The weakest precondition of a constraint under an assignment.
fn before(constraint: &Difference, sources: &[Source]) -> Difference {
    let (mut by, mut ends) = (Int::ZERO, [0, 0]);
    if constraint.left > 0 {
        let source = &sources[constraint.left - 1];
        ends[0] = source.variable;
        by -= &source.offset;
    }
    if constraint.right > 0 {
        let source = &sources[constraint.right - 1];
        ends[1] = source.variable;
        by += &source.offset;
    }
    Difference {
        left: ends[0],
        right: ends[1],
        bound: constraint.bound.shifted(&by),
    }
}
