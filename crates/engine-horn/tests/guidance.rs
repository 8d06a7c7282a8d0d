//! Clauses about which the lemmas of `spacer` would go on for ever without guidance.

#![allow(clippy::unwrap_used)]

use sectile_engine_horn::Spacer;
use sectile_model::{Task, Verdict};
use sectile_testkit::models::{Read, read};
use sectile_testkit::verdicts::{says, settings};

/// Backwards, `x < 0` becomes `x + y < 0`, `2x + 3y < 0`, `5x + 8y < 0` and so on.
const FIBONACCI: &str = "
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 1) (= y 1)) (inv x y))))
(assert (forall ((x Int) (y Int) (u Int) (v Int))
  (=> (and (inv x y) (= u (+ x y)) (= v (+ x (* 2 y)))) (inv u v))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 0)) false)))
(check-sat)";

#[test]
fn sums_with_ever_new_factors_become_bounds() {
    let Read { terms, reading } = read("fibonacci.smt2", FIBONACCI, &[]);
    let module = &reading.module;
    let task = Task {
        terms: &terms,
        model: &module.model,
        property: &module.properties[0],
    };
    for order in ["literals", "interpolants"] {
        let verdict = says(&Spacer, &task, &settings(&[("lemmas-from", order)]));
        assert!(matches!(verdict, Verdict::Holds(_)), "{order}: {verdict:?}");
    }
}
