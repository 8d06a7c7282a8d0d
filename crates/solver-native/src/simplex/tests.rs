//! Tests of the simplex against its own contract: assignments satisfy rows and bounds, conflicts
//! are Farkas combinations.

use super::*;
use crate::sat::Var;
use sectile_base::{Budget, Rng};

struct Problem {
    simplex: Simplex,
    structural: usize,
    definitions: Vec<Vec<(ArithVar, Int)>>,
    /// What the literal of each bound says.
    asserted: Vec<(ArithVar, Side, Delta)>,
}

fn sign(side: Side) -> Rat {
    match side {
        Side::Upper => Rat::ONE,
        Side::Lower => Rat::MINUS_ONE,
    }
}

impl Problem {
    fn new(rng: &mut Rng, structural: usize, forms: usize) -> Problem {
        let mut simplex = Simplex::default();
        let vars: Vec<ArithVar> = (0..structural).map(|_| simplex.new_var(false)).collect();
        let mut definitions = Vec::new();
        for _ in 0..forms {
            let form = simplex.new_var(false);
            let mut definition = Vec::new();
            for &v in &vars {
                let c = rng.range(-4..=4);
                if c != 0 && rng.chance(2, 3) {
                    definition.push((v, Int::from(c)));
                }
            }
            if definition.is_empty() {
                definition.push((vars[0], Int::ONE));
            }
            simplex.add_row(form, &definition);
            definitions.push(definition);
        }
        Problem {
            simplex,
            structural,
            definitions,
            asserted: Vec::new(),
        }
    }

    fn assert_random(&mut self, rng: &mut Rng) -> bool {
        let v = ArithVar(rng.below(self.simplex.num_vars() as u64) as u32);
        let side = if rng.chance(1, 2) {
            Side::Lower
        } else {
            Side::Upper
        };
        let strict = match (rng.chance(1, 4), side) {
            (false, _) => Rat::ZERO,
            (true, Side::Lower) => Rat::ONE,
            (true, Side::Upper) => Rat::MINUS_ONE,
        };
        let value = Delta::new(Rat::from(rng.range(-20..=20)), strict);
        let crosses = |b: &Bound| !side.allows(&value, &b.value);
        if self.simplex.bound(v, side.opposite()).is_some_and(crosses) {
            return false;
        }
        let tighter = |b: &Bound| !side.allows(&value, &b.value);
        if self.simplex.bound(v, side).is_none_or(tighter) {
            let reason = Var(self.asserted.len() as u32).positive();
            self.asserted.push((v, side, value.clone()));
            self.simplex.set_bound(v, side, Bound { value, reason });
        }
        true
    }

    /// Coefficients of a variable over the structural ones.
    fn expand(&self, v: ArithVar) -> Vec<Int> {
        let mut row = vec![Int::ZERO; self.structural];
        if v.index() < self.structural {
            row[v.index()] = Int::ONE;
        } else {
            for (u, c) in &self.definitions[v.index() - self.structural] {
                row[u.index()] += c;
            }
        }
        row
    }

    fn check_assignment(&self) {
        for (k, definition) in self.definitions.iter().enumerate() {
            let mut sum = Delta::ZERO;
            for (v, c) in definition {
                sum.add_mul(self.simplex.value(*v), &Rat::from(c));
            }
            assert_eq!(
                sum,
                *self.simplex.value(ArithVar((self.structural + k) as u32))
            );
        }
        for v in 0..self.simplex.num_vars() {
            assert_eq!(self.simplex.violation(ArithVar(v as u32)), None);
        }
    }

    /// The sum of asserted bounds with positive coefficients, which has no variable left; `start`
    /// is added to it. Returns what the sum is at most.
    fn total(&self, start: Option<(ArithVar, Rat, Delta)>, bounds: &[(Lit, Int)]) -> Delta {
        let mut left = vec![Rat::ZERO; self.structural];
        let mut right = Delta::ZERO;
        let asserted = bounds.iter().map(|(reason, c)| {
            assert!(c.is_positive());
            let (v, side, value) = &self.asserted[reason.var().index()];
            (*v, Rat::from(c) * sign(*side), value.clone())
        });
        for (v, factor, value) in asserted.chain(start) {
            for (sum, a) in left.iter_mut().zip(self.expand(v)) {
                sum.add_mul_assign(&factor, &Rat::from(a));
            }
            right.add_mul(&value, &factor);
        }
        assert!(left.iter().all(Rat::is_zero));
        right
    }

    fn check_conflict(&self) {
        assert!(self.total(None, &self.simplex.conflict) < Delta::ZERO);
    }
}

#[test]
fn random_bounds_are_satisfied_or_refuted_by_farkas() {
    let mut rng = Rng::new(3);
    let budget = Budget::unlimited();
    let (mut feasible, mut infeasible) = (0, 0);
    for _ in 0..400 {
        let structural = 2 + rng.below(4) as usize;
        let forms = 1 + rng.below(7) as usize;
        let mut p = Problem::new(&mut rng, structural, forms);
        let mut marks = Vec::new();
        for _ in 0..40 {
            if rng.chance(1, 4) && !marks.is_empty() {
                let level = rng.below(marks.len() as u64) as usize;
                p.simplex.backtrack(level);
                p.asserted.truncate(marks[level]);
                marks.truncate(level);
            }
            p.simplex.new_level();
            marks.push(p.asserted.len());
            p.assert_random(&mut rng);
            let mut meter = Meter::new(&budget);
            match p.simplex.check(&mut meter) {
                Ok(()) => {
                    feasible += 1;
                    p.check_assignment();
                }
                Err(Infeasible) => {
                    infeasible += 1;
                    p.check_conflict();
                    marks.pop();
                    p.simplex.backtrack(marks.len());
                    p.asserted.truncate(p.asserted.len() - 1);
                }
            }
            p.simplex.tableau.check_invariants();
        }
    }
    assert!(
        feasible > 1000 && infeasible > 100,
        "{feasible} {infeasible}"
    );
}

#[test]
fn implied_bounds_follow_from_their_explanation() {
    let mut rng = Rng::new(8);
    let budget = Budget::unlimited();
    let mut found = 0;
    for _ in 0..300 {
        let mut p = Problem::new(&mut rng, 4, 4);
        for _ in 0..10 {
            p.assert_random(&mut rng);
        }
        if p.simplex.check(&mut Meter::new(&budget)).is_err() {
            continue;
        }
        let mut implied = Vec::new();
        while let Some(row) = p.simplex.next_touched_row() {
            p.simplex.implied_bounds(row, |_| true, &mut implied);
        }
        for bound in &implied {
            found += 1;
            let mut reasons = Vec::new();
            let own = p.simplex.explain_implied(bound, &mut reasons);
            let factor = -(Rat::from(own) * sign(bound.side));
            let start = (bound.var, factor, bound.value.clone());
            assert_eq!(p.total(Some(start), &reasons), Delta::ZERO);
        }
    }
    assert!(found > 200);
}

#[test]
fn rows_can_be_dropped_and_added_again() {
    let mut rng = Rng::new(21);
    let budget = Budget::unlimited();
    for _ in 0..200 {
        let mut p = Problem::new(&mut rng, 4, 5);
        p.simplex.new_level();
        for _ in 0..8 {
            p.assert_random(&mut rng);
        }
        let _ = p.simplex.check(&mut Meter::new(&budget));
        p.simplex.backtrack(0);
        p.asserted.clear();
        let form = ArithVar(4 + rng.below(5) as u32);
        p.simplex.drop_row(form);
        p.simplex.tableau.check_invariants();
        let definition = p.definitions[form.index() - 4].clone();
        p.simplex.add_row(form, &definition);
        for _ in 0..6 {
            p.assert_random(&mut rng);
        }
        match p.simplex.check(&mut Meter::new(&budget)) {
            Ok(()) => p.check_assignment(),
            Err(Infeasible) => p.check_conflict(),
        }
        p.simplex.tableau.check_invariants();
    }
}
