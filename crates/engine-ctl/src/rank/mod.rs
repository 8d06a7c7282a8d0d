//! Rankings: proofs that the steps of a strongly connected part cannot continue for ever.
//!
//! | what | where |
//! |---|---|
//! | linear programs, Farkas' lemma | `linear` |
//! | lexicographic rankings | `lexicographic` |
//! | loops with phases | `phases` |
//! | infinite cycles | `recurrence` |
//! | closed sets | `closed` |

pub mod closed;
pub mod lexicographic;
pub mod linear;
pub mod phases;
pub mod recurrence;

use sectile_base::Rat;
use sectile_domains::linear::{Affine, Constraint};

/// The steps of an edge between two nodes of a part.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The constraints on the numbers, followed by the chosen values.
    pub constraints: Vec<Constraint>,
    /// The number of numbers and chosen values.
    pub points: usize,
    /// The next values of the variables.
    pub next: Vec<Affine>,
}

/// An affine function of the variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The coefficients; none for a constant.
    pub factors: Vec<Rat>,
    /// The constant.
    pub constant: Rat,
}

impl Function {
    /// A constant function.
    pub fn number(constant: Rat) -> Function {
        Function {
            factors: Vec::new(),
            constant,
        }
    }

    fn factor(&self, variable: usize) -> Rat {
        self.factors.get(variable).cloned().unwrap_or(Rat::ZERO)
    }

    /// The function of the points before a transition; the constant comes last.
    pub fn before(&self, transition: &Transition) -> Vec<Rat> {
        let mut sum: Vec<Rat> = (0..transition.points).map(|v| self.factor(v)).collect();
        sum.push(self.constant.clone());
        sum
    }

    /// The function of the points after a transition; the constant comes last.
    pub fn after(&self, transition: &Transition) -> Vec<Rat> {
        let mut sum = vec![Rat::ZERO; transition.points + 1];
        sum[transition.points] = self.constant.clone();
        for (v, value) in transition.next.iter().enumerate() {
            let factor = self.factor(v);
            if factor.is_zero() {
                continue;
            }
            for (point, c) in &value.terms {
                sum[*point] += &(&factor * c);
            }
            sum[transition.points] += &(&factor * &value.constant);
        }
        sum
    }
}
