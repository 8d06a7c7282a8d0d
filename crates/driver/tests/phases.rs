//! Loops whose behaviour changes when a condition flips: one invariant a phase.

use sectile_driver::{CheckOptions, check};
use sectile_engine::Silent;
use sectile_report::{Certified, Status};
use sectile_testkit::driven::read;
use std::time::Duration;

/// `auto` gives this verdict about the only property, with evidence that was accepted.
fn decided(language: &str, text: &str, expected: Status) {
    let options = CheckOptions {
        jobs: 1,
        timeout: Some(Duration::from_secs(120)),
        ..CheckOptions::default()
    };
    let checked = check(&read(language, text), &options, &mut Silent);
    let checked = checked.expect("the request is right");
    assert_eq!(checked.failures, Vec::<String>::new());
    let [report] = &checked.report.properties[..] else {
        panic!("one property is expected");
    };
    assert_eq!(report.status, expected, "{text}\n{}", report.reached);
    assert_eq!(report.certified, Certified::Yes);
}

/// Clauses of one loop over variables of one sort; in steps the next values have a `p` behind their names.
fn one_loop(sort: &str, names: &[&str], init: &str, step: &str, error: &str) -> String {
    let declared = |mark: &str| {
        let each = names.iter().map(|n| format!("({n}{mark} {sort})"));
        each.collect::<Vec<_>>().join(" ")
    };
    let (now, next) = (declared(""), declared("p"));
    let sorts = vec![sort; names.len()].join(" ");
    let state = format!("(inv {})", names.join(" "));
    let then = format!("(inv {}p)", names.join("p "));
    format!(
        "(set-logic HORN)\n(declare-fun inv ({sorts}) Bool)\n\
         (assert (forall ({now}) (=> {init} {state})))\n\
         (assert (forall ({now} {next}) (=> (and {state} {step}) {then})))\n\
         (assert (forall ({now}) (=> (and {state} {error}) false)))\n(check-sat)\n"
    )
}

#[test]
fn two_phases_and_a_bound_of_the_input() {
    let step = "(< x 1400) (= xp (+ x 1)) (= yp (ite (< x 700) y (+ y 1)))";
    let (init, error) = ("(and (= x 0) (= y 700))", "(>= x 1400) (not (= y 1400))");
    decided(
        "smt2",
        &one_loop("Int", &["x", "y"], init, step, error),
        Status::Holds,
    );
    let step = "(= np n) (= mp m) (< x n) (= xp (+ x 1)) (= yp (ite (< x m) y (+ y 1)))";
    let init = "(and (= x 0) (= y m) (> n 0) (<= 0 m) (<= m n))";
    let error = "(>= x n) (not (= y n))";
    let names = ["x", "y", "n", "m"];
    decided(
        "smt2",
        &one_loop("Int", &names, init, step, error),
        Status::Holds,
    );
}

#[test]
fn three_phases_with_different_slopes() {
    let step = "(< x 900) (= xp (+ x 1)) \
                (= yp (ite (< x 300) (+ y 2) (ite (< x 600) y (- y 1))))";
    let init = "(and (= x 0) (= y 0))";
    let safe = one_loop("Int", &["x", "y"], init, step, "(= x 900) (not (= y 300))");
    decided("smt2", &safe, Status::Holds);
    let wrong = one_loop("Int", &["x", "y"], init, step, "(= x 900) (not (= y 301))");
    decided("smt2", &wrong, Status::Violated);
}

#[test]
fn a_counter_that_wraps_around() {
    let step = "(= ap (mod (+ a 1) 600)) (= bp (+ b 1)) (= cp (ite (< a 200) (+ c 3) c))";
    let init = "(and (= a 0) (= b 0) (= c 0))";
    let names = ["a", "b", "c"];
    let safe = one_loop("Int", &names, init, step, "(= a 0) (not (= b c))");
    decided("smt2", &safe, Status::Holds);
    let wrong = one_loop("Int", &names, init, step, "(= a 400) (= b 400) (= c 600)");
    decided("smt2", &wrong, Status::Violated);
}

#[test]
fn a_flag_remembers_the_phase() {
    let step = "(= fp (ite (>= x 250) 1 f)) (= xp (ite (= f 0) (+ x 1) x)) \
                (= yp (ite (= f 0) y (+ y 1)))";
    let (init, error) = (
        "(and (= x 0) (= y 0) (= f 0))",
        "(or (> x 251) (and (= f 0) (> y 0)))",
    );
    decided(
        "smt2",
        &one_loop("Int", &["x", "y", "f"], init, step, error),
        Status::Holds,
    );
}

#[test]
fn directions_that_flip_for_ever() {
    let step = "(= dp (ite (= x 100) (- 1) (ite (= x 0) 1 d))) (= xp (+ x dp)) (= tp (+ t 1))";
    let (init, error) = ("(and (= x 0) (= d 1) (= t 0))", "(or (> x 100) (< x 0))");
    decided(
        "smt2",
        &one_loop("Int", &["x", "d", "t"], init, step, error),
        Status::Holds,
    );
    let step = "(= tp (+ t 1.0)) (= mp (ite (>= h 20.0) 0.0 (ite (<= h 5.0) 1.0 m))) \
                (= hp (ite (= mp 1.0) (+ h 0.5) (- h 0.5)))";
    let (init, error) = (
        "(and (= h 0.0) (= t 0.0) (= m 1.0))",
        "(or (> h 20.5) (< h 0.0))",
    );
    decided(
        "smt2",
        &one_loop("Real", &["h", "t", "m"], init, step, error),
        Status::Holds,
    );
}

#[test]
fn one_loop_behind_another() {
    let text = "(set-logic HORN)
(declare-fun p (Int Int) Bool)
(declare-fun q (Int Int Int) Bool)
(assert (p 0 0))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 1000))
  (p (+ x 1) (ite (< x 400) (+ y 1) (- y 1))))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (>= x 1000)) (q x y 0))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (q x y z) (< y 0)) (q x (+ y 1) (+ z 1)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (q x y z) (>= y 0) (not (= z 200))) false)))
(check-sat)
";
    decided("smt2", text, Status::Holds);
}

#[test]
fn programs_with_phases() {
    let text = "procedure main() { var x, y: int; x := 0; y := 500;
        while (x < 1000) { if (x >= 500) { y := y + 1; } x := x + 1; } assert y == 1000; }";
    decided("bpl", text, Status::Holds);
    let text = "procedure main() { var x, k, n: int; var up: bool; x := 0; up := true; k := 0;
        while (k < n) {
          if (up) { x := x + 3; if (x >= 300) { up := false; } }
          else { x := x - 2; if (x <= 0) { up := true; } }
          k := k + 1; assert x <= 302; } }";
    decided("bpl", text, Status::Holds);
}

#[test]
fn a_violation_behind_the_first_phase() {
    let step = "(= xp (+ x 1)) (= yp (ite (< x 300) y (+ y 1)))";
    let (init, error) = ("(and (= x 0) (= y 0))", "(> x 450) (= y 200)");
    decided(
        "smt2",
        &one_loop("Int", &["x", "y"], init, step, error),
        Status::Violated,
    );
}
