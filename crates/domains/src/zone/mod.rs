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
//! | closed matrices | this module |
//! | the operations of domains | `sets` |
//! | concrete points, shortest descriptions | `describe` |

mod bound;
mod describe;
mod sets;

pub use bound::Bound;

use crate::linear::Numbers;
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
}
