//! Zones: conjunctions of bounds of variables and of differences of two variables.
//!
//! A zone is a matrix of bounds in closed form: every entry is the tightest bound that the others
//! imply. Over the integers as well as over the reals a closed matrix with no negative cycle has
//! solutions, so inclusion is a comparison of entries, projection drops rows, and images under
//! `x := y + c` rearrange them. Numbers are exact; words are the fast path of [`Int`].
//!
//! | what | where |
//! |---|---|
//! | bounds | [`Bound`] |
//! | closed matrices, meet, images | this module |
//! | differences of sets, hulls, widening | `sets` |
//! | concrete points, shortest descriptions | `describe` |

mod bound;
mod describe;
mod sets;

pub use crate::linear::Numbers;
pub use bound::Bound;
pub use describe::Point;
pub use sets::{covers, uncovered};

use sectile_base::Int;

/// A difference `left - right` with its bound; the index 0 stands for the number zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Difference {
    /// The variable with the sign plus.
    pub left: usize,
    /// The variable with the sign minus.
    pub right: usize,
    /// The bound.
    pub bound: Bound,
}

/// `variable + offset`, the value of an assignment; the variable 0 is the number zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The variable.
    pub variable: usize,
    /// What is added.
    pub offset: Int,
}

/// A non-empty set of points, given by bounds of differences, in closed form.
///
/// Variables are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Zone {
    numbers: Numbers,
    size: usize,
    bounds: Vec<Bound>,
}

impl Zone {
    /// All points with so many coordinates.
    pub fn all(numbers: Numbers, variables: usize) -> Zone {
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

    /// What the variables range over.
    pub fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.size - 1
    }

    /// The tightest bound of `left - right`.
    pub fn bound(&self, left: usize, right: usize) -> &Bound {
        &self.bounds[left * self.size + right]
    }

    fn set(&mut self, left: usize, right: usize, bound: Bound) {
        self.bounds[left * self.size + right] = bound;
    }

    /// The points that satisfy a constraint as well, or nothing.
    pub fn assume(mut self, constraint: &Difference) -> Option<Zone> {
        self.constrain(constraint).then_some(self)
    }

    /// The points that satisfy all constraints as well, or nothing.
    pub fn assume_all<'d>(
        mut self,
        constraints: impl IntoIterator<Item = &'d Difference>,
    ) -> Option<Zone> {
        for constraint in constraints {
            if !self.constrain(constraint) {
                return None;
            }
        }
        Some(self)
    }

    /// Adds a constraint and closes again; false, and a useless matrix, if nothing is left.
    fn constrain(&mut self, constraint: &Difference) -> bool {
        let (i, j) = (constraint.left, constraint.right);
        let bound = match self.numbers {
            Numbers::Integers => constraint.bound.clone().tightened(),
            Numbers::Reals => constraint.bound.clone(),
        };
        if *self.bound(i, j) <= bound {
            return true;
        }
        if self.bound(j, i).plus(&bound) < Bound::ZERO {
            return false;
        }
        // Only paths through the new bound can be shorter than before.
        for p in 0..self.size {
            let first = self.bound(p, i).plus(&bound);
            if first == Bound::Infinite {
                continue;
            }
            for q in 0..self.size {
                let path = first.plus(self.bound(j, q));
                if path < *self.bound(p, q) {
                    self.set(p, q, path);
                }
            }
        }
        true
    }

    /// Whether all points satisfy the constraint.
    pub fn implies(&self, constraint: &Difference) -> bool {
        let here = self.bound(constraint.left, constraint.right);
        match self.numbers {
            Numbers::Integers => *here <= constraint.bound.clone().tightened(),
            Numbers::Reals => *here <= constraint.bound,
        }
    }

    /// Whether all points of the other zone are in this one.
    pub fn includes(&self, other: &Zone) -> bool {
        debug_assert_eq!(self.size, other.size, "zones over the same variables");
        let pairs = self.bounds.iter().zip(&other.bounds);
        pairs.into_iter().all(|(mine, theirs)| theirs <= mine)
    }

    /// The points of both zones.
    pub fn meet(&self, other: &Zone) -> Option<Zone> {
        if self.includes(other) {
            return Some(other.clone());
        }
        let mut result = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                if other.bound(i, j) < result.bound(i, j) {
                    let constraint = Difference {
                        left: i,
                        right: j,
                        bound: other.bound(i, j).clone(),
                    };
                    if !result.constrain(&constraint) {
                        return None;
                    }
                }
            }
        }
        Some(result)
    }

    /// Whether some point is in both zones.
    ///
    /// A pair of opposite bounds that contradict each other is found without closing.
    pub fn meets(&self, other: &Zone) -> bool {
        for i in 0..self.size {
            for j in 0..self.size {
                if self.bound(i, j).plus(other.bound(j, i)) < Bound::ZERO {
                    return false;
                }
            }
        }
        self.meet(other).is_some()
    }

    /// The points that differ from one of this zone in this variable only.
    #[must_use]
    pub fn havoc(mut self, variable: usize) -> Zone {
        for k in 0..self.size {
            if k != variable {
                self.set(variable, k, Bound::Infinite);
                self.set(k, variable, Bound::Infinite);
            }
        }
        self
    }

    /// The smallest zone with all points that differ from one of this zone by the same number in all
    /// these variables.
    #[must_use]
    pub fn adrift(&self, variables: &[usize]) -> Zone {
        let mut result = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                if variables.contains(&i) != variables.contains(&j) {
                    result.set(i, j, Bound::Infinite);
                }
            }
        }
        result
    }

    /// The same with further variables behind, about which nothing is known.
    pub fn extended(&self, further: usize) -> Zone {
        let mut result = Zone::all(self.numbers, self.size - 1 + further);
        for i in 0..self.size {
            for j in 0..self.size {
                result.set(i, j, self.bound(i, j).clone());
            }
        }
        result
    }

    /// The first variables only: the projection to them.
    pub fn projected(&self, variables: usize) -> Zone {
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

    /// The image under a simultaneous assignment, one source for each new variable.
    pub fn image(&self, sources: &[Source]) -> Zone {
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

    /// The points of `within` that the assignment takes into this zone, or nothing.
    pub fn preimage(&self, within: &Zone, sources: &[Source]) -> Option<Zone> {
        self.constraints()
            .into_iter()
            .try_fold(within.clone(), |zone, d| zone.assume(&before(&d, sources)))
    }
}

/// What a constraint on the values after an assignment says about those before it.
pub fn before(constraint: &Difference, sources: &[Source]) -> Difference {
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
