//! The embedded solver as an SMT-LIB program.

use crate::common;

use common::{Ran, sectile_with_input};

fn smt(script: &str) -> Ran {
    sectile_with_input(&["smt", "-"], script)
}

const HEAD: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-const y Int)\n";

#[test]
fn answers_models_and_values() {
    let ran = smt(&format!(
        "{HEAD}(assert (= (+ x y) 7))\n(assert (= (- x y) 1))\n(check-sat)\n(get-model)\n(get-value (x (* 2 y)))\n"
    ));
    let expected =
        "sat\n(\n  (define-fun x () Int 4)\n  (define-fun y () Int 3)\n)\n((x 4) ((* 2 y) 6))\n";
    assert_eq!((ran.out.as_str(), ran.code), (expected, 0));
}

#[test]
fn scopes_and_assumptions() {
    let ran = smt(&format!(
        "{HEAD}(assert (> x 0))\n(push 1)\n(assert (< x 0))\n(check-sat)\n(pop 1)\n(check-sat)\n\
         (check-sat-assuming ((< x 5) (> x 9) (= y 1)))\n(get-unsat-assumptions)\n(check-sat)\n"
    ));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[..3], ["unsat", "sat", "unsat"]);
    assert_eq!(lines[4], "sat");
    assert!(!lines[3].contains('y'), "{}", lines[3]);
}

#[test]
fn parity_without_bounds_is_decided() {
    let ran = smt(&format!(
        "{HEAD}(declare-fun a () Int)\n(assert (= (* 2 x) a))\n(assert (= (+ (* 2 y) 1) a))\n(check-sat)\n"
    ));
    assert_eq!(ran.out, "unsat\n");
}

#[test]
fn remainders_that_cancel_are_no_problem() {
    let ran = smt(&format!(
        "{HEAD}(assert (distinct (+ (mod x 2) (* 2 (div x 2))) x))\n(check-sat)\n"
    ));
    assert_eq!(ran.out, "unsat\n");
}

#[test]
fn cores_name_what_is_needed() {
    let ran = smt(&format!(
        "(set-option :produce-unsat-cores true)\n{HEAD}(assert (! (> x 3) :named big))\n\
         (assert (! (= y 0) :named other))\n(assert (! (< x 2) :named small))\n(check-sat)\n(get-unsat-core)\n"
    ));
    assert_eq!(ran.out, "unsat\n(big small)\n");
}

#[test]
fn proofs_are_shown_after_the_kernel_replayed_them() {
    let ran = smt(&format!(
        "(set-option :produce-proofs true)\n{HEAD}(assert (or (> x 3) (> y 3)))\n(assert (< (+ x y) 2))\n\
         (assert (and (>= x 0) (>= y 0)))\n(check-sat)\n(get-proof)\n"
    ));
    assert!(
        ran.out.starts_with("unsat\n(refutation\n"),
        "{} {}",
        ran.out,
        ran.err
    );
    assert!(
        ran.out.contains("farkas") && ran.out.contains("resolution"),
        "{}",
        ran.out
    );
}

#[test]
fn interpolants_of_sequences_and_trees() {
    let script = |command: &str| {
        format!(
            "(set-option :produce-interpolants true)\n{HEAD}(declare-fun z () Int)\n\
             (assert (! (> x 5) :named A))\n(assert (! (> y x) :named B))\n\
             (assert (! (= z (* 2 y)) :named C))\n(assert (! (< z 3) :named D))\n\
             (check-sat)\n{command}\n"
        )
    };
    let ran = smt(&script("(get-interpolants A B C D)"));
    assert_eq!(ran.code, 0, "{}", ran.out);
    // One formula a cut, each over what both sides share.
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.out);
    assert!(
        lines[1].contains('x') && !lines[1].contains('y'),
        "{}",
        ran.out
    );
    assert!(
        lines[2].contains('y') && !lines[2].contains('x'),
        "{}",
        ran.out
    );
    assert!(
        lines[3].contains('z') && !lines[3].contains('y'),
        "{}",
        ran.out
    );
    // Every method keeps the contract; which formula it finds is its own affair.
    for method in ["pudlak", "decomposed", "wp", "beautiful", "projection"] {
        let text = script("(get-interpolants A B C D)");
        let ran = sectile_with_input(&["smt", "-", "--interpolation", method], &text);
        assert_eq!(
            (ran.out.lines().count(), ran.code),
            (4, 0),
            "{method}: {}",
            ran.out
        );
    }
    let ran = sectile_with_input(&["smt", "-", "--interpolation", "magic"], "");
    assert_eq!(ran.code, 2);
    let ran = smt(&script("(get-interpolants A (D C) B)"));
    assert_eq!(ran.code, 0, "{}", ran.out);
    let ran = smt(&script("(get-interpolants A nobody)"));
    assert!(
        ran.out.contains("there is no assertion named nobody"),
        "{}",
        ran.out
    );
}

#[test]
fn mistakes_have_positions_and_do_not_end_the_script() {
    let ran = smt(&format!(
        "{HEAD}(assert (> z 1))\n(frobnicate)\n(assert (* x y))\n(assert x)\n(set-logic QF_NRA)\n(get-model)\n(pop 3)\n(check-sat)\n"
    ));
    assert_eq!(ran.code, 3);
    let lines: Vec<&str> = ran.out.lines().collect();
    for (line, start) in lines.iter().zip([
        "(error \"line 4 column 12:",
        "(error \"line 5 column 1:",
        "(error \"line 6 column ",
        "(error \"line 7 column ",
        "(error \"line 8 column 1: the logic QF_NRA is not supported",
        "(error \"line 9 column 1:",
        "(error \"line 10 column 1:",
    ]) {
        assert!(line.starts_with(start), "{line} instead of {start}");
    }
    assert_eq!(lines.last(), Some(&"unknown"));
    let ran = smt("(assert (> 1 0)");
    assert_eq!(ran.code, 3);
    assert!(
        ran.out.starts_with("(error \"line 1 column "),
        "{}",
        ran.out
    );
}

#[test]
fn nothing_is_claimed_after_a_command_that_failed() {
    let answers = |script: &str| -> Vec<String> {
        let lines = smt(script).out;
        let lines = lines.lines().filter(|l| !l.starts_with("(error"));
        lines.map(ToString::to_string).collect()
    };
    let foreign = "(declare-const s String)(assert (= s s))";
    assert_eq!(answers(&format!("{foreign}(check-sat)")), ["unknown"]);
    let asked = format!("{foreign}(assert false)(check-sat)(get-info :reason-unknown)");
    assert_eq!(
        answers(&asked),
        ["unknown", "(:reason-unknown \"an earlier command failed\")"]
    );
    // What failed in a scope is forgotten with it, and questions may fail.
    let scoped = "(push 1)(assert (p))(check-sat)(pop 1)(get-model)(check-sat)";
    assert_eq!(answers(scoped), ["unknown", "sat"]);
    let reset = "(assert (p))(check-sat)(reset)(check-sat)";
    assert_eq!(answers(reset), ["unknown", "sat"]);
}

#[test]
fn every_logic_may_be_asked_for_at_once() {
    let ran = smt("(set-logic ALL)(declare-const x Int)(assert (> x 1))(check-sat)");
    assert_eq!((ran.out.as_str(), ran.code), ("sat\n", 0));
}

#[test]
fn a_check_ends_in_time() {
    // Unbounded, no solution, and hard: a budget of a second must do.
    let mut script = String::from("(set-logic QF_LIA)\n");
    for v in 0..12 {
        script.push_str(&format!("(declare-fun v{v} () Int)\n"));
    }
    for k in 0..10 {
        let sum: Vec<String> = (0..12)
            .map(|v| format!("(* (- {} 48) v{v})", (v * 7919 + k * 104_729) % 97))
            .collect();
        script.push_str(&format!(
            "(assert (and (<= 3 (+ {}) ) (<= (+ {}) 4)))\n",
            sum.join(" "),
            sum.join(" ")
        ));
    }
    script.push_str("(check-sat)\n");
    let started = std::time::Instant::now();
    let ran = sectile_with_input(&["smt", "-", "--timeout", "1s"], &script);
    let answer = ran.out.trim();
    assert!(["sat", "unsat", "unknown"].contains(&answer), "{}", ran.out);
    assert!(
        started.elapsed().as_secs_f64() < 4.0,
        "{:?}",
        started.elapsed()
    );
}

/// Ten pigeons in nine holes, which takes resolution long, and so many checks of it.
fn pigeons(checks: usize) -> String {
    let mut script = String::from("(set-logic QF_UF)\n");
    let holes = 0..9;
    for pigeon in 0..10 {
        let places = holes.clone().map(|hole| format!("p{pigeon}h{hole}"));
        for place in places.clone() {
            script += &format!("(declare-const {place} Bool)\n");
        }
        let places: Vec<String> = places.collect();
        script += &format!("(assert (or {}))\n", places.join(" "));
        for (hole, other) in holes.clone().flat_map(|h| (0..pigeon).map(move |p| (h, p))) {
            script += &format!("(assert (not (and p{pigeon}h{hole} p{other}h{hole})))\n");
        }
    }
    script + &"(check-sat)\n".repeat(checks)
}

#[test]
fn the_time_limit_is_for_the_whole_script() {
    let started = std::time::Instant::now();
    let ran = sectile_with_input(&["smt", "-", "--timeout", "1s"], &pigeons(20));
    assert!(ran.out.lines().all(|l| l == "unknown"), "{}", ran.out);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[test]
fn a_check_can_have_a_limit_of_its_own() {
    let script = pigeons(2) + "(push 1)\n(assert false)\n(check-sat)\n";
    let limits = ["smt", "-", "--check-timeout", "50ms", "--timeout", "60s"];
    let ran = sectile_with_input(&limits, &script);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("unknown\nunknown\nunsat\n", 0)
    );
}

#[test]
fn proofs_are_written_as_scripts() {
    let folder = std::env::temp_dir().join(format!("sectile-proofs-{}", std::process::id()));
    let script = format!("{HEAD}(assert (> x 0))\n(check-sat)\n(assert (< x 0))\n(check-sat)\n");
    let shown = folder.to_str().expect("a path of text");
    let ran = sectile_with_input(&["smt", "-", "--proof-scripts", shown], &script);
    assert_eq!((ran.out.as_str(), ran.code), ("sat\nunsat\n", 0));
    let proof = std::fs::read_to_string(folder.join("check-2.smt2"));
    let proof = proof.expect("the refuted check has a proof");
    assert!(proof.contains("(set-logic QF_LIA)"), "{proof}");
    assert!(proof.matches("(check-sat)").count() >= 3, "{proof}");
    assert!(!folder.join("check-1.smt2").exists());
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// Functions and sorts of scripts: models are tables, values of declared sorts have names.
#[test]
fn functions_and_sorts() {
    let head = "(set-logic QF_UFLIA)\n(declare-sort U 0)\n(define-sort Key () Int)\n\
                (declare-fun f (Key Int) Int)\n(declare-fun g (U) U)\n(declare-fun p (U) Bool)\n\
                (declare-const a U)\n(declare-const b U)\n(declare-const x Key)\n";
    let ran = smt(&format!(
        "{head}(assert (and (p a) (not (p b)) (= (g a) b) (= (f x 1) 3)))\n(check-sat)\n\
         (get-value ((f x 1) (= a b) (p (g a)) (= (g a) b)))\n(get-value (a))\n\
         (assert (= a b))\n(check-sat)\n"
    ));
    let lines: Vec<&str> = ran.out.lines().collect();
    let values = "(((f x 1) 3) ((= a b) false) ((p (g a)) false) ((= (g a) b) true))";
    assert_eq!((lines[0], lines[1], lines[3]), ("sat", values, "unsat"));
    assert!(lines[2].starts_with("((a (as @U!"), "{}", lines[2]);
    // A model is a list of definitions, which other solvers read.
    let ran = smt(
        "(declare-fun f (Int Int) Int)\n(assert (and (= (f 1 2) 3) (= (f 1 3) 4) (= (f 2 2) 5)))\n(check-sat)\n(get-model)\n",
    );
    let table = "(ite (= x!0 2) (ite (= x!1 2) 5 0) (ite (= x!0 1) (ite (= x!1 3) 4 (ite (= x!1 2) 3 0)) 0))";
    let expected = format!("sat\n(\n  (define-fun f ((x!0 Int) (x!1 Int)) Int {table})\n)\n");
    assert_eq!((ran.out.as_str(), ran.code), (expected.as_str(), 0));
}

/// Values of a declared sort are no numbers, and an interpolant does not order them.
#[test]
fn declared_sorts_are_no_numbers() {
    let head = "(declare-sort U 0)\n(declare-fun f (U) U)\n(declare-const a U)\n(declare-const b U)\n\
                (declare-const s U)\n(declare-const x Int)\n";
    for wrong in [
        "(= a 1)",
        "(< a b)",
        "(= (f x) a)",
        "(= (+ a 1) x)",
        "(= (select a 0) x)",
    ] {
        let ran = smt(&format!("{head}(assert {wrong})\n(check-sat)\n"));
        let lines: Vec<&str> = ran.out.lines().collect();
        assert!(lines[0].starts_with("(error"), "{wrong}: {}", ran.out);
        assert_eq!((lines[1], ran.code), ("unknown", 3), "{wrong}");
    }
    let ran = smt(&format!(
        "{head}(assert (! (and (= a s) (= (f a) a)) :named A))\n\
         (assert (! (and (= b s) (distinct (f b) b)) :named B))\n(check-sat)\n(get-interpolants A B)\n"
    ));
    assert_eq!(ran.out, "unsat\n((= s (f s)))\n");
    let again = smt("(declare-sort U 0)\n(declare-sort U 0)\n(declare-sort V 1)\n(check-sat)\n");
    assert_eq!(again.out.matches("(error").count(), 2, "{}", again.out);
    assert!(again.out.ends_with("unknown\n"), "{}", again.out);
}

/// A command that fails makes later answers unknown, whatever is asked, until its scope is closed.
#[test]
fn no_answer_after_a_command_that_failed() {
    for bad in [
        "(declare-fun f (Foo) Int)",
        "(declare-fun g (Int Int) Int)(assert (= (g 1) 2))",
        "(declare-datatypes () ())",
        "(assert (forall ((x Int)) (> x 0)))",
        "(define-fun-rec h ((x Int)) Int x)",
        "(set-logic QF_NRA)",
        "(assert (undeclared 1))",
    ] {
        let ran = smt(&format!(
            "{bad}\n(check-sat)\n(check-sat-assuming (true))\n"
        ));
        let answers: Vec<&str> = ran.out.lines().filter(|l| !l.starts_with('(')).collect();
        assert_eq!(answers, ["unknown", "unknown"], "{bad}: {}", ran.out);
        let scoped = smt(&format!(
            "(push 1)\n{bad}\n(check-sat)\n(pop 1)\n(check-sat)\n"
        ));
        let answers: Vec<&str> = scoped.out.lines().filter(|l| !l.starts_with('(')).collect();
        assert_eq!(answers[0], "unknown", "{bad}");
    }
}

/// Proofs use congruence, and the scripts of their steps are confirmed elsewhere.
#[test]
fn proofs_about_functions() {
    let ran = smt(
        "(set-option :produce-proofs true)\n(set-logic QF_UFLIA)\n(declare-fun f (Int) Int)\n\
                   (declare-const x Int)\n(declare-const y Int)\n(assert (and (<= x y) (< y (+ x 1))))\n\
                   (assert (distinct (f x) (f y)))\n(check-sat)\n(get-proof)\n",
    );
    assert!(ran.out.starts_with("unsat\n(refutation"), "{}", ran.out);
    assert!(ran.out.contains(") congruence (f "), "{}", ran.out);
}

/// `--interpolation all` shows what the methods make of one sequence.
#[test]
fn interpolants_of_all_methods_side_by_side() {
    let script = "(set-logic QF_UFLIA)\n(declare-fun f (Int) Int)\n(declare-const a Int)\n(declare-const b Int)\n\
                  (declare-const s Int)\n(assert (! (and (= a (+ s 1)) (= (f a) a)) :named A))\n\
                  (assert (! (and (= b (+ s 1)) (distinct (f b) b)) :named B))\n(check-sat)\n(get-interpolants A B)\n";
    let ran = sectile_with_input(&["smt", "-", "--interpolation", "all"], script);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((lines[0], ran.code), ("unsat", 0), "{}", ran.out);
    let rows = &lines[3..];
    assert_eq!(rows.len(), 10, "{}", ran.out);
    for row in rows {
        assert!(
            row.starts_with("; ") && row.contains("(f (+ s 1))"),
            "{row}"
        );
    }
    let plain = sectile_with_input(&["smt", "-"], script);
    assert_eq!(
        plain.out.lines().collect::<Vec<_>>(),
        lines[..2],
        "{}",
        plain.out
    );
}
