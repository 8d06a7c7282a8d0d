//! Proofs as scripts: one for each refuted check, confirmed by other solvers.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::sectile_with_input;
use sectile_testkit::files::ask;

/// The answers to a script, and the proofs of its checks.
fn proofs(text: &str) -> (Vec<String>, Vec<(usize, String)>) {
    let name = format!("sectile-proofs-{}-{}", std::process::id(), text.len());
    let folder = std::env::temp_dir().join(name);
    let shown = folder.to_str().unwrap();
    let ran = sectile_with_input(&["smt", "-", "--proof-scripts", shown], text);
    assert_eq!((ran.err.as_str(), ran.code), ("", 0), "{}", ran.out);
    let answers: Vec<String> = ran.out.lines().map(String::from).collect();
    let script = |check: usize| {
        let file = folder.join(format!("check-{check}.smt2"));
        Some((check, std::fs::read_to_string(file).ok()?))
    };
    let scripts: Vec<_> = (1..=answers.len()).filter_map(script).collect();
    let written = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(written, scripts.len(), "every proof belongs to a check");
    std::fs::remove_dir_all(&folder).unwrap();
    (answers, scripts)
}

fn confirmed(text: &str, refuted: usize) {
    let (answers, scripts) = proofs(text);
    assert_eq!(scripts.len(), refuted, "{answers:?}");
    for (check, script) in &scripts {
        assert_eq!(answers[*check - 1], "unsat");
        let steps = script.matches("(check-sat)").count();
        assert!(steps > 0, "{script}");
        let solvers: [(&str, &[&str]); 2] = [
            ("z3", &["-in", "-T:60"]),
            ("cvc5", &["--incremental", "--lang", "smt2"]),
        ];
        for (program, args) in solvers {
            if let Some(found) = ask(program, args, script) {
                let found: Vec<&str> = found.lines().collect();
                assert_eq!(found, vec!["unsat"; steps], "{program}\n{script}");
            }
        }
    }
}

const HEAD: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n\
    (declare-fun p () Bool)\n(declare-fun a () Int)\n";

#[test]
fn divisibility() {
    confirmed(
        &format!("{HEAD}(assert (= (* 2 x) a))\n(assert (= (+ (* 2 y) 1) a))\n(check-sat)\n"),
        1,
    );
}

#[test]
fn operators() {
    confirmed(
        &format!(
            "{HEAD}(assert (= x (ite p (+ y 1) (- y 1))))\n(assert (= (mod x 3) (mod y 3)))\n(check-sat)\n\
             (assert (distinct (abs x) x))\n(assert (> x (* 4 (div x 4))))\n(check-sat)\n"
        ),
        2,
    );
}

/// Scopes, assumptions and cores; the second and fourth check are satisfiable.
#[test]
fn scopes_and_assumptions() {
    confirmed(
        &format!(
            "(set-option :produce-unsat-cores true)\n{HEAD}(assert (! (> x 3) :named big))\n\
             (push 1)\n(assert (! (< (* 2 x) 7) :named small))\n(check-sat)\n(pop 1)\n(check-sat)\n\
             (check-sat-assuming ((or (< x y) p) (> y x) (not p) (< y 4)))\n(check-sat)\n\
             (assert (or (< x 2) (and p (< x 4))))\n(check-sat)\n"
        ),
        3,
    );
}

#[test]
fn reals() {
    confirmed(
        "(set-logic QF_LRA)\n(declare-fun u () Real)\n(declare-fun v () Real)\n\
         (assert (or (< (+ u v) 0.0) (< (+ (* 2.0 u) v) (- 1.0))))\n\
         (assert (and (>= u 0.0) (>= v (/ (- 1.0) 3.0))))\n(assert (> v 0.0))\n(check-sat)\n",
        1,
    );
}

/// Four pigeons in three holes: many steps, with learnt clauses.
#[test]
fn pigeons() {
    let mut text = String::from("(set-logic QF_LIA)\n");
    for p in 0..4 {
        text.push_str(&format!(
            "(declare-fun h{p} () Int)\n(assert (and (<= 0 h{p}) (<= h{p} 2)))\n"
        ));
        for q in 0..p {
            text.push_str(&format!("(assert (not (= h{p} h{q})))\n"));
        }
    }
    text.push_str("(check-sat)\n");
    confirmed(&text, 1);
}
