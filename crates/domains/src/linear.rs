//! Linear constraints and affine values, the common input of all numeric domains.

use sectile_base::{Int, Rat};

/// How a sum is compared with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// It is equal.
    Equal,
    /// It is at most the bound.
    AtMost,
    /// It is below the bound.
    Below,
}

/// A sum of multiples of variables compared with a bound.
///
/// Variables are numbered from 0, and every variable of the space has a coefficient.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constraint {
    /// The coefficient of each variable.
    pub coefficients: Vec<Int>,
    /// The relation.
    pub relation: Relation,
    /// The bound.
    pub bound: Int,
}

/// A constraint after removal of common factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Normal {
    /// It is always satisfied.
    True,
    /// It cannot be satisfied.
    False,
    /// It is equivalent to this constraint.
    Says(Constraint),
}

/// The range of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Numbers {
    /// The integers.
    Integers,
    /// The reals.
    Reals,
}

impl Constraint {
    /// A constraint with rational coefficients, multiplied so that they are integers.
    pub fn from_rationals(coefficients: &[Rat], relation: Relation, bound: &Rat) -> Constraint {
        let denominators = coefficients.iter().chain([bound]).map(Rat::denom);
        let common = denominators.fold(Int::ONE, |a, b| a.lcm(&b));
        let factor = Rat::from(&common);
        let whole = |r: &Rat| (r * &factor).numer();
        Constraint {
            coefficients: coefficients.iter().map(whole).collect(),
            relation,
            bound: whole(bound),
        }
    }

    /// An equivalent constraint with the smallest integers; over the integers as tight as the
    /// common factor of the coefficients allows.
    pub fn normal(mut self, numbers: Numbers) -> Normal {
        let factor = self.coefficients.iter().fold(Int::ZERO, |g, c| g.gcd(c));
        if factor.is_zero() {
            let satisfied = match self.relation {
                Relation::Equal => self.bound.is_zero(),
                Relation::AtMost => !self.bound.is_negative(),
                Relation::Below => self.bound.is_positive(),
            };
            return if satisfied {
                Normal::True
            } else {
                Normal::False
            };
        }
        match numbers {
            Numbers::Integers => {
                if self.relation == Relation::Below {
                    self.bound -= &Int::ONE;
                    self.relation = Relation::AtMost;
                }
                if self.relation == Relation::Equal && !factor.divides(&self.bound) {
                    return Normal::False;
                }
                self.bound = self.bound.div_floor(&factor);
                self.divide(&factor);
            }
            Numbers::Reals => {
                let common = factor.gcd(&self.bound);
                self.bound = self.bound.div_exact(&common);
                self.divide(&common);
            }
        }
        if self.relation == Relation::Equal {
            self.lead_positively();
        }
        Normal::Says(self)
    }

    fn divide(&mut self, factor: &Int) {
        if !factor.is_one() {
            let each = self.coefficients.iter_mut();
            each.for_each(|c| *c = c.div_exact(factor));
        }
    }

    /// Makes the first coefficient of an equation positive.
    fn lead_positively(&mut self) {
        let first = self.coefficients.iter().find(|c| !c.is_zero());
        if first.is_some_and(Int::is_negative) {
            self.coefficients.iter_mut().for_each(|c| *c = -&*c);
            self.bound = -&self.bound;
        }
    }

    /// Constraints whose disjunction is the negation.
    pub fn negations(&self, numbers: Numbers) -> Vec<Constraint> {
        let below = |c: &Constraint| match numbers {
            Numbers::Integers => Constraint {
                relation: Relation::AtMost,
                bound: &c.bound - &Int::ONE,
                ..c.clone()
            },
            Numbers::Reals => Constraint {
                relation: Relation::Below,
                ..c.clone()
            },
        };
        let opposite = self.opposite();
        match self.relation {
            Relation::AtMost => vec![below(&opposite)],
            Relation::Below => vec![Constraint {
                relation: Relation::AtMost,
                ..opposite
            }],
            Relation::Equal => vec![below(self), below(&opposite)],
        }
    }

    /// The negative of the sum compared with the negative of the bound, in the same way.
    #[must_use]
    pub fn opposite(&self) -> Constraint {
        Constraint {
            coefficients: self.coefficients.iter().map(|c| -c).collect(),
            relation: self.relation,
            bound: -&self.bound,
        }
    }

    /// The same for a space with further variables at the end.
    #[must_use]
    pub fn extended(&self, further: usize) -> Constraint {
        let mut result = self.clone();
        let variables = self.coefficients.len() + further;
        result.coefficients.resize(variables, Int::ZERO);
        result
    }

    /// The value of the sum at a point.
    pub fn sum_at(&self, point: &[Rat]) -> Rat {
        let mut sum = Rat::ZERO;
        for (c, x) in self.coefficients.iter().zip(point) {
            if !c.is_zero() {
                sum += &(&Rat::from(c) * x);
            }
        }
        sum
    }

    /// Whether a point satisfies it.
    pub fn holds_at(&self, point: &[Rat]) -> bool {
        let (sum, bound) = (self.sum_at(point), Rat::from(&self.bound));
        match self.relation {
            Relation::Equal => sum == bound,
            Relation::AtMost => sum <= bound,
            Relation::Below => sum < bound,
        }
    }
}

/// A sum of multiples of variables and a number: the value of an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// Variables, numbered from 0, with their factors; no variable occurs twice.
    pub terms: Vec<(usize, Rat)>,
    /// The constant.
    pub constant: Rat,
}

impl Affine {
    /// The value of a variable.
    pub fn variable(variable: usize) -> Affine {
        Affine {
            terms: vec![(variable, Rat::ONE)],
            constant: Rat::ZERO,
        }
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, variable: usize) -> Rat {
        let found = self.terms.iter().find(|(v, _)| *v == variable);
        found.map_or(Rat::ZERO, |(_, c)| c.clone())
    }
}
