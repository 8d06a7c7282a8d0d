//! Rankings: why the steps of a strongly connected part cannot go on for ever.
//!
//! | what | where |
//! |---|---|
//! | linear programs, Farkas' lemma | `linear` |
//! | lexicographic rankings | `lexicographic` |
//! | loops with phases | `phases` |
//! | cycles that go on for ever | `recurrence` |
//! | sets that are not left | `closed` |

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
    /// Where it starts.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What the numbers, and behind them what is chosen, satisfy.
    pub constraints: Vec<Constraint>,
    /// How many numbers and chosen ones there are.
    pub points: usize,
    /// The next values of the variables.
    pub next: Vec<Affine>,
}

/// An affine function of the variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The coefficients; none for a constant.
    pub factors: Vec<Rat>,
    /// What is added.
    pub constant: Rat,
}

impl Function {
    /// A number, wherever it is asked.
    pub fn number(constant: Rat) -> Function {
        Function {
            factors: Vec::new(),
            constant,
        }
    }

    fn factor(&self, variable: usize) -> Rat {
        self.factors.get(variable).cloned().unwrap_or(Rat::ZERO)
    }

    /// As a function of the points of a transition, before it; the constant is the last one.
    pub fn before(&self, transition: &Transition) -> Vec<Rat> {
        let mut sum: Vec<Rat> = (0..transition.points).map(|v| self.factor(v)).collect();
        sum.push(self.constant.clone());
        sum
    }

    /// As a function of the points of a transition, after it; the constant is the last one.
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
