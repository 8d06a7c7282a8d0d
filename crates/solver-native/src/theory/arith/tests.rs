//! Tests of the theory under the SAT core.

use super::*;
use crate::sat::{Guard, Outcome, Sat};
use sectile_base::Budget;

struct Problem {
    sat: Sat<Arith>,
}

impl Problem {
    fn new() -> Problem {
        Problem {
            sat: Sat::new(true),
        }
    }

    fn var(&mut self, is_int: bool) -> ArithVar {
        self.sat.theory.new_variable(is_int)
    }

    fn literal(&mut self, sum: &[(ArithVar, i64)], constant: i64, relation: Relation) -> Lit {
        let sum = sum.iter().map(|(v, c)| (*v, Rat::from(*c))).collect();
        let sum = sectile_terms::Linear::from_monomials(Rat::from(constant), sum);
        let (theory, exchange) = (&mut self.sat.theory, &mut self.sat.exchange);
        let lit = theory.literal(&sum, relation, exchange);
        self.sat.adopt_atoms();
        lit
    }

    fn equal(&mut self, sum: &[(ArithVar, i64)], constant: i64) -> [Lit; 2] {
        [
            self.literal(sum, constant, Relation::NonPositive),
            self.literal(sum, constant, Relation::NonNegative),
        ]
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Outcome {
        let budget = Budget::unlimited();
        self.sat.theory.begin_check();
        self.sat.solve(assumptions, &mut Meter::new(&budget))
    }
}

#[test]
fn strict_real_cycle_is_refuted() {
    let mut p = Problem::new();
    let (x, y) = (p.var(false), p.var(false));
    let a = p.literal(&[(x, 1), (y, -1)], 0, Relation::Negative);
    let b = p.literal(&[(y, 1), (x, -1)], 0, Relation::NonPositive);
    assert_eq!(p.solve(&[a]), Outcome::Sat);
    assert_eq!(p.solve(&[a, b]), Outcome::Unsat);
    assert_eq!(p.sat.core.len(), 2);
}

#[test]
fn unbounded_parity_is_decided() {
    let mut p = Problem::new();
    let (x, y, a) = (p.var(true), p.var(true), p.var(true));
    let mut all = p.equal(&[(x, 2), (a, -1)], 0).to_vec();
    all.extend(p.equal(&[(y, 2), (a, -1)], 1));
    assert_eq!(p.solve(&all), Outcome::Unsat);
    assert!(p.sat.theory.divisibility_conflicts > 0);
    assert_eq!(p.solve(&all[..3]), Outcome::Sat);
}

#[test]
fn fractional_gap_between_forms_needs_a_cut() {
    // 1 <= 3x - 3y + z <= 2 with z = 0 modulo 3: no gcd in one form alone.
    let mut p = Problem::new();
    let (x, y, z, w) = (p.var(true), p.var(true), p.var(true), p.var(true));
    let mut all = p.equal(&[(z, 1), (w, -3)], 0).to_vec();
    all.push(p.literal(&[(x, 3), (y, -3), (z, 1)], -2, Relation::NonPositive));
    all.push(p.literal(&[(x, 3), (y, -3), (z, 1)], -1, Relation::NonNegative));
    assert_eq!(p.solve(&all), Outcome::Unsat);
}

#[test]
fn clauses_over_bounds() {
    let mut p = Problem::new();
    let (x, y) = (p.var(true), p.var(true));
    let a = p.literal(&[(x, 1)], -3, Relation::NonPositive);
    let b = p.literal(&[(x, 1)], -10, Relation::NonNegative);
    let c = p.literal(&[(x, 1), (y, 1)], -5, Relation::NonNegative);
    let d = p.literal(&[(y, 1)], 0, Relation::NonPositive);
    p.sat.add_clause(&[a, b], Guard::Always, Origin::Input(0));
    assert_eq!(p.solve(&[c, d]), Outcome::Sat);
    assert_eq!(p.sat.value(b), Some(true));
    assert_eq!(p.solve(&[c, d, a]), Outcome::Unsat);
}

#[test]
fn mixed_integers_and_reals() {
    // r < x < r + 1 - (strictly inside a unit interval whose ends are integral) has no integer x.
    let mut p = Problem::new();
    let (r, x, n) = (p.var(false), p.var(true), p.var(true));
    let mut all = p.equal(&[(r, 1), (n, -1)], 0).to_vec();
    all.push(p.literal(&[(r, 1), (x, -1)], 0, Relation::Negative));
    all.push(p.literal(&[(x, 1), (r, -1)], -1, Relation::Negative));
    assert_eq!(p.solve(&all[2..]), Outcome::Sat);
    assert_eq!(p.solve(&all), Outcome::Unsat);
}
