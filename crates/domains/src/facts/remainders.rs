//! By what numbers of a program may be worth dividing.

use sectile_base::Int;
use sectile_terms::{Node, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// More divisors than this are not tried for all numbers.
const MOST_DIVISORS: usize = 4;

/// Divisors, from the steps of a program.
pub(super) struct Remainders {
    /// What the program itself divides by.
    pub all: Vec<Int>,
    /// The greatest common divisor of what is added to a number.
    own: BTreeMap<Symbol, Int>,
}

impl Remainders {
    /// The divisors in these steps.
    pub fn of(terms: &Terms, steps: &[Term]) -> Remainders {
        let mut found = Remainders {
            all: Vec::new(),
            own: BTreeMap::new(),
        };
        for t in terms.post_order(steps) {
            match terms.node(t) {
                Node::Mod(_, divisor) | Node::Div(_, divisor)
                    if found.all.len() < MOST_DIVISORS && !found.all.contains(divisor) =>
                {
                    found.all.push(divisor.clone());
                }
                Node::Sum(_) => found.added(terms, t),
                _ => {}
            }
        }
        found
    }

    /// Notes `c` of `x' - x - c`.
    fn added(&mut self, terms: &Terms, sum: Term) {
        let linear = terms.linear(sum);
        let [(a, one), (b, other)] = linear.monomials() else {
            return;
        };
        let (Node::Var(a, _), Node::Var(b, _)) = (terms.node(*a), terms.node(*b)) else {
            return;
        };
        let constant = linear.constant();
        let unit = one.is_int() && one.numer().abs().is_one();
        if a == b && unit && *one == -other && !constant.is_zero() && constant.is_int() {
            let step = constant.numer().abs();
            let known = self.own.entry(*a).or_insert_with(|| step.clone());
            *known = known.gcd(&step);
        }
    }

    /// What a number may be worth dividing by, two first.
    pub fn divisors(&self, symbol: Symbol) -> Vec<Int> {
        let two = Int::from(2);
        let mut found = vec![two];
        for divisor in self.all.iter().chain(self.own.get(&symbol)) {
            if !divisor.is_one() && !found.contains(divisor) {
                found.push(divisor.clone());
            }
        }
        found
    }
}
