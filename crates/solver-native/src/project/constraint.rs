//! Arithmetic literals as sums with a relation.

use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Sort, Term, Terms};

/// The relation of a sum to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Equal,
    Unequal,
    AtMost,
    /// It is less than zero; said of real sums only.
    Below,
    /// It is a multiple of a number larger than one; said of integer sums only.
    Divides(Int),
    /// It is not a multiple.
    NotDivides(Int),
}

/// One arithmetic literal: a sum, its sort, and its relation.
///
/// The coefficients may be fractions during construction, also of an integer sum; the literal has
/// integers only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    pub sum: Linear,
    pub sort: Sort,
    pub kind: Kind,
}

/// The least number by which all coefficients and the constant become integers.
pub(super) fn denominator(sum: &Linear) -> Int {
    let coefficients = sum.monomials().iter().map(|(_, c)| c);
    let all = coefficients.chain([sum.constant()]);
    all.fold(Int::ONE, |lcm, c| lcm.lcm(&c.denom()))
}

/// A multiple of a sum.
pub(super) fn scaled(sum: &Linear, factor: &Rat) -> Linear {
    let mut result = sum.clone();
    result.scale(factor);
    result
}

/// `a * x + b * y`.
pub(super) fn combined(x: &Linear, a: &Rat, y: &Linear, b: &Rat) -> Linear {
    let mut result = scaled(x, a);
    result.add_scaled(y, b);
    result
}

/// An integer sum as a real one.
pub(super) fn real_sum(terms: &Terms, sum: &Linear) -> Linear {
    let leaves = sum.monomials().iter();
    let converted = leaves.map(|(t, c)| (terms.to_real(*t), c.clone()));
    Linear::from_monomials(sum.constant().clone(), converted.collect())
}

impl Constraint {
    pub(super) fn new(sum: Linear, sort: Sort, kind: Kind) -> Constraint {
        Constraint { sum, sort, kind }
    }

    /// The parts of an arithmetic literal; `None` for literals of other kinds.
    pub(crate) fn parse(terms: &Terms, literal: Term) -> Option<Constraint> {
        let (atom, negated) = terms.strip_not(literal);
        let t = match terms.node(atom) {
            Node::Zero(t) | Node::NonPos(t) | Node::Neg(t) => *t,
            _ => return None,
        };
        let mut sort = terms.sort(t);
        let mut sum = terms.linear(t);
        let kind = match (terms.node(atom), negated) {
            (Node::Zero(_), _) => {
                if let Node::Mod(a, d) = terms.node(t) {
                    sum = terms.linear(*a);
                    sort = Sort::Int;
                    residue(&mut sum, d, negated)
                } else if negated {
                    Kind::Unequal
                } else {
                    Kind::Equal
                }
            }
            (Node::NonPos(_), false) => Kind::AtMost,
            (Node::Neg(_), false) => Kind::Below,
            (Node::NonPos(_), true) => {
                sum.scale(&Rat::MINUS_ONE);
                if sort == Sort::Int {
                    // Between two integers there is nothing: -t < 0 is -t + 1 <= 0.
                    sum.add_constant(&Rat::ONE);
                    Kind::AtMost
                } else {
                    Kind::Below
                }
            }
            _ => {
                sum.scale(&Rat::MINUS_ONE);
                Kind::AtMost
            }
        };
        Some(Constraint { sum, sort, kind })
    }

    /// The literal, in the normal form of the store; a truth value if it is one.
    pub(super) fn literal(&self, terms: &Terms) -> Term {
        let factor = denominator(&self.sum);
        let whole = scaled(&self.sum, &Rat::from(&factor));
        match &self.kind {
            Kind::Divides(d) => divides(terms, &(d * &factor), &whole),
            Kind::NotDivides(d) => terms.not(divides(terms, &(d * &factor), &whole)),
            kind => {
                let t = terms.sum(whole, self.sort);
                match kind {
                    Kind::Equal => terms.eq_zero(t),
                    Kind::Unequal => terms.not(terms.eq_zero(t)),
                    Kind::AtMost => terms.non_pos(t),
                    _ => terms.negative(t),
                }
            }
        }
    }

    /// The leaf by which a target occurs in this sum.
    fn key(&self, terms: &Terms, target: Term) -> Term {
        match (self.sort, terms.sort(target)) {
            (Sort::Real, Sort::Int) => terms.to_real(target),
            _ => target,
        }
    }

    /// The coefficient of a variable, whether it occurs as itself or converted to a real.
    pub(super) fn coefficient(&self, terms: &Terms, target: Term) -> Rat {
        self.sum.coefficient(self.key(terms, target))
    }

    /// The sum without a variable.
    pub(super) fn rest(&self, terms: &Terms, target: Term) -> Linear {
        let key = self.key(terms, target);
        let mut rest = self.sum.clone();
        rest.add_term(key, &-self.sum.coefficient(key));
        rest
    }

    /// The same with a variable replaced by a sum of the variable's sort.
    pub(super) fn replace(&self, terms: &Terms, target: Term, by: &Linear) -> Constraint {
        let factor = self.coefficient(terms, target);
        let mut sum = self.rest(terms, target);
        if self.sort == Sort::Real && terms.sort(target) == Sort::Int {
            sum.add_scaled(&real_sum(terms, by), &factor);
        } else {
            sum.add_scaled(by, &factor);
        }
        Constraint::new(sum, self.sort, self.kind.clone())
    }
}

/// The relation that a sum is a multiple of a number, or is not.
fn residue(sum: &mut Linear, d: &Int, negated: bool) -> Kind {
    if negated && *d == Int::from(2) {
        // For two residues the negation is the other residue.
        sum.add_constant(&Rat::ONE);
        return Kind::Divides(d.clone());
    }
    let kind = if negated {
        Kind::NotDivides
    } else {
        Kind::Divides
    };
    kind(d.clone())
}

/// `modulus | sum` for an integer sum, without a common factor, and with a leading coefficient of
/// one if the modulus allows, as a canonical form.
fn divides(terms: &Terms, modulus: &Int, sum: &Linear) -> Term {
    let coefficients = sum.monomials().iter();
    let common = coefficients.fold(modulus.clone(), |g, (_, c)| g.gcd(&c.numer()));
    // A common divisor of the modulus and every coefficient must divide the constant too.
    if !common.divides(&sum.constant().numer()) {
        return terms.ff();
    }
    let modulus = modulus.div_exact(&common);
    let mut reduced = scaled(sum, &Rat::new(Int::ONE, common));
    if let Some((_, first)) = reduced.monomials().first() {
        let (gcd, inverse, _) = first.numer().extended_gcd(&modulus);
        if gcd.is_one() {
            reduced.scale(&Rat::from(&inverse));
        }
    }
    terms.divides(&modulus, terms.sum(reduced, Sort::Int))
}
