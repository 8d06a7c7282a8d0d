//! Tests of the integer equations.

use super::diophantine::{Equation, solve};
use crate::meter::Meter;
use crate::simplex::{ArithVar, Delta};
use sectile_base::{Budget, Int, Rat, Rng};
use std::collections::BTreeMap;

fn equation(coefficients: &[i64], constant: i64) -> Equation {
    Equation {
        form: ArithVar(0),
        coefficients: coefficients
            .iter()
            .enumerate()
            .filter(|(_, c)| **c != 0)
            .map(|(v, c)| (v as u32, Int::from(*c)))
            .collect(),
        constant: Delta::from_rat(Rat::from(constant)),
    }
}

fn check_refutation(equations: &[Equation], multipliers: &[(usize, Rat)]) {
    let mut sum: BTreeMap<u32, Rat> = BTreeMap::new();
    let mut right = Rat::ZERO;
    for (k, m) in multipliers {
        right.add_mul_assign(m, &equations[*k].constant.real);
        for (v, c) in &equations[*k].coefficients {
            sum.entry(*v)
                .or_insert(Rat::ZERO)
                .add_mul_assign(m, &Rat::from(c));
        }
    }
    assert!(sum.values().all(Rat::is_int), "{sum:?}");
    assert!(!right.is_int(), "{right}");
}

#[test]
fn parity_is_refuted() {
    let budget = Budget::unlimited();
    // 2x - a = 0, 2y - a = -1.
    let list = [equation(&[2, 0, -1], 0), equation(&[0, 2, -1], -1)];
    let multipliers = solve(&list, |_| false, &mut Meter::new(&budget)).unwrap();
    check_refutation(&list, &multipliers);
}

#[test]
fn random_systems_are_refuted_or_have_a_solution() {
    let mut rng = Rng::new(17);
    let budget = Budget::unlimited();
    let mut refuted = 0;
    for _ in 0..3000 {
        let vars = 2 + rng.below(3) as usize;
        let count = 1 + rng.below(vars as u64 - 1) as usize;
        let matrix: Vec<Vec<i64>> = (0..count)
            .map(|_| (0..vars).map(|_| rng.range(-6..=6)).collect())
            .collect();
        let planted = rng.chance(1, 2);
        let solution: Vec<i64> = (0..vars).map(|_| rng.range(-9..=9)).collect();
        let list: Vec<Equation> = matrix
            .iter()
            .map(|row| {
                let value: i64 = row.iter().zip(&solution).map(|(a, b)| a * b).sum();
                let constant = if planted { value } else { rng.range(-20..=20) };
                equation(row, constant)
            })
            .filter(|e| !e.coefficients.is_empty())
            .collect();
        match solve(&list, |_| false, &mut Meter::new(&budget)) {
            Some(multipliers) => {
                assert!(!planted);
                refuted += 1;
                check_refutation(&list, &multipliers);
            }
            None => continue,
        }
    }
    assert!(refuted > 300, "{refuted}");
}
