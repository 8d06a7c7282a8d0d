//! Rankings and recurrences: whether the steps of a strongly connected part can be repeated
//! forever.
//!
//! | what | where |
//! |---|---|
//! | linear programs, Farkas' lemma | `linear` |
//! | lexicographic rankings | `lexicographic` |
//! | loops with phases | `phases` |
//! | cycles that can be repeated forever | `recurrence` |
//! | closed sets of states | `closed` |

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
    /// The source node.
    pub from: usize,
    /// The target node.
    pub to: usize,
    /// Constraints on the variables, followed by the inputs.
    pub constraints: Vec<Constraint>,
    /// The number of variables and inputs.
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

    /// The function before a transition, over the points of the transition; the last entry is the
    /// constant.
    pub fn before(&self, transition: &Transition) -> Vec<Rat> {
        let mut sum: Vec<Rat> = (0..transition.points).map(|v| self.factor(v)).collect();
        sum.push(self.constant.clone());
        sum
    }

    /// The function after a transition, over the points of the transition; the last entry is the
    /// constant.
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
