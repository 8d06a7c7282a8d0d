//! Computes bounds of integer terms from the ranges of variables.

use super::names::Bounds;
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// The bounds of an integer term, given those of its variables.
pub fn bounds_of(terms: &Terms, of_symbol: &dyn Fn(Symbol) -> Bounds, root: Term) -> Bounds {
    let mut known: BTreeMap<Term, Bounds> = BTreeMap::new();
    for t in terms.post_order(&[root]) {
        let bounds = step(terms, of_symbol, t, &known);
        known.insert(t, bounds);
    }
    known.remove(&root).unwrap_or_default()
}

fn step(
    terms: &Terms,
    of_symbol: &dyn Fn(Symbol) -> Bounds,
    t: Term,
    known: &BTreeMap<Term, Bounds>,
) -> Bounds {
    let of = |t: &Term| known.get(t).cloned().unwrap_or_default();
    match terms.node(t) {
        Node::Number(value) => point(value),
        Node::Var(symbol, _) => of_symbol(*symbol),
        Node::Sum(linear) => of_sum(linear, known),
        Node::Mod(inner, divisor) => of_remainder(&of(inner), divisor),
        Node::Div(inner, divisor) => {
            let inner = of(inner);
            Bounds {
                low: inner.low.map(|v| v.div_euclid(divisor)),
                high: inner.high.map(|v| v.div_euclid(divisor)),
            }
        }
        node @ (Node::Ite(_, a, b) | Node::Min(a, b) | Node::Max(a, b)) => {
            let (a, b) = (of(a), of(b));
            Bounds {
                low: match node {
                    Node::Max(..) => either(a.low, b.low, Int::max),
                    _ => a.low.zip(b.low).map(|(a, b)| a.min(b)),
                },
                high: match node {
                    Node::Min(..) => either(a.high, b.high, Int::min),
                    _ => a.high.zip(b.high).map(|(a, b)| a.max(b)),
                },
            }
        }
        Node::Abs(inner) => {
            let inner = of(inner);
            let ends = inner.low.zip(inner.high);
            Bounds {
                low: Some(Int::ZERO),
                high: ends.map(|(a, b)| a.abs().max(b.abs())),
            }
        }
        _ => Bounds::default(),
    }
}

fn point(value: &Rat) -> Bounds {
    Bounds {
        low: value.to_int(),
        high: value.to_int(),
    }
}

fn either(a: Option<Int>, b: Option<Int>, choose: fn(Int, Int) -> Int) -> Option<Int> {
    match (a, b) {
        (Some(a), Some(b)) => Some(choose(a, b)),
        (a, b) => a.or(b),
    }
}

fn of_sum(linear: &Linear, known: &BTreeMap<Term, Bounds>) -> Bounds {
    let mut sum = point(linear.constant());
    for (t, c) in linear.monomials() {
        let part = known.get(t).cloned().unwrap_or_default();
        let c = c.numer();
        let (low, high) = match c.is_negative() {
            true => (part.high, part.low),
            false => (part.low, part.high),
        };
        sum.low = sum.low.zip(low).map(|(a, b)| a + b * &c);
        sum.high = sum.high.zip(high).map(|(a, b)| a + b * &c);
    }
    sum
}

/// If all values have the same quotient, the remainder is the value itself, shifted.
fn of_remainder(inner: &Bounds, divisor: &Int) -> Bounds {
    if let (Some(low), Some(high)) = (&inner.low, &inner.high)
        && low.div_euclid(divisor) == high.div_euclid(divisor)
    {
        return Bounds {
            low: Some(low.rem_euclid(divisor)),
            high: Some(high.rem_euclid(divisor)),
        };
    }
    Bounds {
        low: Some(Int::ZERO),
        high: Some(divisor - &Int::ONE),
    }
}
