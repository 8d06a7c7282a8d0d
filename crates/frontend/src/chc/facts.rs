//! Facts about operations that stay opaque, in addition to those about signs.
//!
//! Products grow with their factors. This gives facts about the numbers with which factors are
//! compared (`bounds.rs`), and about two products in one clause. The results of bit operations lie
//! between sums of the arguments.

use super::bounds::Bounds;
use super::opaque::{Open, Operation};
use super::types::power;
use sectile_base::Rat;
use sectile_terms::{Node, Sort, Term, Terms};
use std::collections::BTreeSet;

/// The maximum number of pairs of operations of a clause that are compared.
const MOST_PAIRS: usize = 6;

/// True statements about the opaque operations of a clause.
pub(super) fn facts(terms: &Terms, bounds: &Bounds, clause: usize, open: &Open) -> Vec<Term> {
    let facts = Facts { terms };
    let mut all = Vec::new();
    for (operation, result) in open {
        let [x, y] = operation.arguments;
        match operation.width() {
            Some(width)
                if [x, y]
                    .iter()
                    .all(|&t| is_plain(terms, bounds.put(terms, clause, t))) =>
            {
                all.extend(facts.of_bits(operation.name(), width, [x, y], *result));
            }
            None if operation.name() == "*" => {
                for (x, y) in [(x, y), (y, x)] {
                    let numbers = bounds.of(terms, clause, y);
                    all.extend(numbers.iter().flat_map(|n| facts.growth(x, y, *result, n)));
                }
            }
            _ => {}
        }
    }
    let pairs = open.iter().enumerate();
    let pairs = pairs.flat_map(|(i, a)| open[i + 1..].iter().map(move |b| (a, b)));
    for (a, b) in pairs.take(MOST_PAIRS) {
        all.extend(facts.of_two(a, b));
    }
    all.retain(|&t| t != terms.tt());
    all
}

/// Whether a number comes from a variable without extracting bits. There are no facts about other
/// numbers: with facts, irrelevant arguments could no longer be left out.
fn is_plain(terms: &Terms, t: Term) -> bool {
    let mut moduli = BTreeSet::new();
    terms
        .post_order(&[t])
        .into_iter()
        .all(|t| match terms.node(t) {
            Node::Div(..) => false,
            Node::Mod(_, modulus) => {
                moduli.insert(modulus);
                moduli.len() == 1
            }
            _ => true,
        })
}

struct Facts<'t> {
    terms: &'t Terms,
}

impl Facts<'_> {
    fn given<const N: usize>(&self, conditions: [Term; N], fact: Term) -> Term {
        self.terms.implies(self.terms.and(conditions), fact)
    }

    /// An upper bound of `x * y` if `y` is at most `n`, and a lower bound if `y` is greater.
    fn growth(&self, x: Term, y: Term, product: Term, n: &Rat) -> [Term; 2] {
        let terms = self.terms;
        let number = |n: &Rat| terms.number(n.clone(), Sort::Int);
        let natural = terms.ge(x, terms.int(0));
        let more = n + &Rat::ONE;
        let (low, high) = (terms.scale(x, n), terms.scale(x, &more));
        [
            self.given([natural, terms.le(y, number(n))], terms.le(product, low)),
            self.given(
                [natural, terms.ge(y, number(&more))],
                terms.ge(product, high),
            ),
        ]
    }

    /// Facts that relate two operations.
    fn of_two(&self, a: &(Operation, Term), b: &(Operation, Term)) -> Vec<Term> {
        let terms = self.terms;
        let ((first, r), (second, s)) = (a, b);
        let ([x, y], [u, v]) = (first.arguments, second.arguments);
        if first.width() != second.width() {
            return Vec::new();
        }
        if first.name() != second.name() {
            return self.of_and_or(a, b);
        }
        if first.width().is_some() && !first.is_symmetric() {
            return Vec::new();
        }
        let mut facts = vec![self.given([terms.eq(x, u), terms.eq(y, v)], terms.eq(*r, *s))];
        if first.is_symmetric() {
            facts.push(self.given([terms.eq(x, v), terms.eq(y, u)], terms.eq(*r, *s)));
        }
        if first.name() == "*" {
            for (u, v) in [(u, v), (v, u)] {
                facts.extend(self.larger([x, y], *r, [u, v], *s));
                facts.extend(self.larger([u, v], *s, [x, y], *r));
            }
        }
        facts
    }

    /// If its factors are smaller, then `x * y` is less than `u * v`, with a bound on the difference.
    fn larger(&self, [x, y]: [Term; 2], less: Term, [u, v]: [Term; 2], more: Term) -> [Term; 3] {
        let terms = self.terms;
        let zero = terms.int(0);
        let natural = terms.and([terms.ge(x, zero), terms.ge(y, zero)]);
        let room = |t: Term| terms.ge(more, terms.add(less, t));
        let both = terms.add(terms.add(x, y), terms.int(1));
        [
            self.given([natural, terms.lt(x, u), terms.le(y, v)], room(y)),
            self.given([natural, terms.le(x, u), terms.lt(y, v)], room(x)),
            self.given([natural, terms.lt(x, u), terms.lt(y, v)], room(both)),
        ]
    }

    /// "And", "or" and "exclusive or" of the same two numbers.
    fn of_and_or(&self, a: &(Operation, Term), b: &(Operation, Term)) -> Vec<Term> {
        let terms = self.terms;
        let [x, y] = a.0.arguments;
        if b.0.arguments != [x, y] && b.0.arguments != [y, x] {
            return Vec::new();
        }
        let sum = terms.add(x, y);
        let both = |t: Term| terms.sub(sum, t);
        let by_name = |name: &str| [a, b].into_iter().find(|o| o.0.name() == name).map(|o| o.1);
        let names = ["bvand", "bvor", "bvxor"].map(by_name);
        match names {
            [Some(and), Some(or), _] => vec![terms.eq(or, both(and))],
            [Some(and), _, Some(xor)] => vec![terms.eq(xor, both(terms.add(and, and)))],
            [_, Some(or), Some(xor)] => vec![terms.eq(terms.add(or, or), terms.add(sum, xor))],
            _ => Vec::new(),
        }
    }

    /// Facts about an operation on numbers with this many bits.
    fn of_bits(&self, name: &str, width: u32, [x, y]: [Term; 2], result: Term) -> Vec<Term> {
        let terms = self.terms;
        let ones = terms.number(&power(width) - &Rat::ONE, Sort::Int);
        let sum = terms.add(x, y);
        let equal = terms.eq(x, y);
        match name {
            "bvand" => vec![
                terms.le(result, x),
                terms.le(result, y),
                terms.ge(result, terms.sub(sum, ones)),
                self.given([equal], terms.eq(result, x)),
            ],
            "bvor" => vec![
                terms.ge(result, x),
                terms.ge(result, y),
                terms.le(result, sum),
                self.given([equal], terms.eq(result, x)),
            ],
            "bvxor" => vec![
                terms.ge(result, terms.sub(x, y)),
                terms.ge(result, terms.sub(y, x)),
                terms.le(result, sum),
                terms.le(result, terms.sub(terms.add(ones, ones), sum)),
                terms.iff(equal, terms.eq(result, terms.int(0))),
            ],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type OnBits = fn(u32, u32) -> u32;

    /// The operations on numbers of three bits, as the standard defines them.
    const BITS: [(&str, OnBits); 3] = [
        ("bvand", |x, y| x & y),
        ("bvor", |x, y| x | y),
        ("bvxor", |x, y| x ^ y),
    ];

    fn holds(terms: &Terms, facts: &[Term], case: &str) {
        assert!(facts.iter().all(|&f| f == terms.tt()), "{case}");
    }

    #[test]
    fn what_is_said_of_bit_operations_is_true_of_all_numbers() {
        let terms = Terms::new();
        let facts = Facts { terms: &terms };
        let number = |n: u32| terms.int(i64::from(n));
        for x in 0..8 {
            for y in 0..8 {
                let arguments = [number(x), number(y)];
                let results = BITS.map(|(name, f)| {
                    let operation = Operation::new(name, arguments, Some(3));
                    (operation, number(f(x, y)))
                });
                for (operation, result) in &results {
                    let name = operation.name();
                    let all = facts.of_bits(name, 3, arguments, *result);
                    holds(&terms, &all, &format!("{name} {x} {y}"));
                    for other in &results {
                        let all = facts.of_two(&(operation.clone(), *result), other);
                        holds(&terms, &all, &format!("{name} {x} {y} {}", other.0.name()));
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_said_of_products_is_true_of_all_numbers() {
        let terms = Terms::new();
        let facts = Facts { terms: &terms };
        let product = |[x, y]: [i64; 2]| {
            let operation = Operation::new("*", [terms.int(x), terms.int(y)], None);
            (operation, terms.int(x * y))
        };
        let pairs = (-2..4).flat_map(|x| (-2..4).map(move |y| [x, y]));
        let pairs: Vec<[i64; 2]> = pairs.collect();
        for &[x, y] in &pairs {
            for n in -4..5 {
                let result = terms.int(x * y);
                let said = facts.growth(terms.int(x), terms.int(y), result, &Rat::from(n));
                holds(&terms, &said, &format!("{x} * {y}, {n}"));
            }
            for &other in &pairs {
                let said = facts.of_two(&product([x, y]), &product(other));
                holds(&terms, &said, &format!("{x} * {y}, {other:?}"));
            }
        }
    }
}
