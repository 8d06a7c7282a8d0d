//! In the place of other Horn solvers: their options, answers as they give them, and proofs whose
//! steps z3 confirms.
#![allow(clippy::print_stderr)]

use crate::common;

use common::clauses::{Said, ask};
use common::{Ran, installed, sectile, sectile_with_input, temporary};
use sectile_smtlib::{Sexp, Tree, read};
use std::process::Command;

const SAFE: &str = "(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (P 0))
(assert (forall ((x Int)) (=> (and (P x) (< x 5)) (P (+ x 1)))))
(assert (forall ((x Int)) (=> (and (P x) (> x 9)) false)))
(check-sat)
";

const UNSAFE: &str = "(set-logic HORN)
(declare-datatypes ((Pair 0)) (((pair (fst Int) (snd (Array Int Int))))))
(declare-datatypes ((Key 0)) (((key (row Int) (column Int)))))
(declare-datatypes ((Shape 0)) (((circle (radius Int)) (box (wide Int) (high Int)) (point))))
(declare-fun start () Bool)
(declare-fun P (Pair Bool Shape) Bool)
(declare-fun |q r| (Pair (Array Key Int) (Array Int Pair)) Bool)
(assert start)
(assert (=> start (P (pair 0 ((as const (Array Int Int)) 7)) true (box 3 4))))
(assert (forall ((p Pair) (b Bool) (s Shape))
  (=> (and (P p b s) (< (fst p) 3))
      (P (pair (+ (fst p) 1) (store (snd p) (fst p) (- 5))) (not b) (ite b point (circle (fst p)))))))
(assert (forall ((p Pair) (b Bool) (s Shape) (t (Array Key Int)) (u (Array Int Pair)))
  (=> (and (P p b s) (= (select t (key 1 2)) 9) (= (select u 4) p)) (|q r| p t u))))
(assert (forall ((p Pair) (b Bool) (s Shape) (t (Array Key Int)) (u (Array Int Pair)))
  (=> (and (|q r| p t u) start (= (fst (select u 4)) 3)) false)))
(check-sat)
";

/// Runs the program under another name.
#[cfg(unix)]
fn called(name: &str, arguments: &[&str]) -> Ran {
    let file = temporary(name, "");
    let folder = file.with_extension("d");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let link = folder.join(name);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sectile"), &link).expect("it can be linked");
    let output = Command::new(&link).args(arguments).output();
    let output = output.expect("the program starts");
    std::fs::remove_dir_all(folder).expect("the folder was there");
    std::fs::remove_file(file).expect("the file was there");
    Ran {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().expect("it was not killed"),
    }
}

#[cfg(unix)]
#[test]
fn the_name_of_the_program_decides() {
    let file = temporary("safe.smt2", SAFE);
    let name = file.to_string_lossy().into_owned();
    let eld = called("eld", &["-horn", "-t:10", &name]);
    assert_eq!((eld.out.as_str(), eld.code), ("sat\n", 0), "{}", eld.err);
    let with_model = called("eld", &["-t:10", "-ssol", &name]);
    let model = with_model.out.strip_prefix("sat\n").expect("it is sat");
    assert!(model.starts_with("(\n  (define-fun P (("), "{model}");
    if installed("z3") {
        assert_eq!(ask("z3", SAFE, model, "eld.smt2", 20), Said::Accepted);
    }
    let compiler = [
        "-smt2",
        "rlimit=20000000",
        "rewriter.pull_cheap_ite=true",
        "fp.spacer.q3.use_qgen=true",
        "fp.spacer.mbqi=false",
        "fp.spacer.ground_pobs=false",
        &name,
    ];
    let z3 = called("z3", &compiler);
    assert_eq!((z3.out.as_str(), z3.code), ("sat\n", 0), "{}", z3.err);
    std::fs::remove_file(file).expect("the file was there");
}

#[test]
fn every_verdict_exits_with_zero() {
    let verdict = |line: &[&str], text: &str| {
        let ran = sectile_with_input(line, text);
        (ran.out.lines().next().map(str::to_string), ran.code)
    };
    let said = |word: &str, code: i32| (Some(word.to_string()), code);
    let z3 = ["--as", "z3", "-in"];
    assert_eq!(verdict(&z3, SAFE), said("sat", 0));
    assert_eq!(verdict(&z3, UNSAFE), said("unsat", 0));
    assert_eq!(verdict(&["--as=golem", "-"], UNSAFE), said("unsat", 0));
    // What is not understood is unknown, and somebody can read why.
    let strange = "(set-logic HORN)(declare-datatypes ((L 0)) (((n) (c (t L)))))(check-sat)";
    let ran = sectile_with_input(&z3, strange);
    assert_eq!((ran.out.as_str(), ran.code), ("unknown\n", 0));
    assert!(ran.err.contains("`L` contains itself"), "{}", ran.err);
    // Plain scripts are no clauses.
    let plain =
        "(set-logic QF_LIA)(declare-fun x () Int)(assert (< 3 x 5))(check-sat)(get-value (x))";
    assert_eq!(sectile_with_input(&z3, plain).out, "sat\n((x 4))\n");
    // Everybody may ask for it.
    let check = ["check", "-", "--input", "chc", "--exit-code", "zero"];
    assert_eq!(verdict(&check, UNSAFE), said("unsat", 0));
    let check = ["check", "-", "--input", "chc", "--exit-code", "verdict"];
    assert_eq!(verdict(&check, UNSAFE), said("unsat", 10));
}

#[test]
fn mistakes_are_told() {
    let ran = sectile(&["--as", "eld", "-horn", "no such file"]);
    assert!(ran.out.starts_with("(error \""), "{}", ran.out);
    assert_ne!(ran.code, 0);
    let ran = sectile(&["--as", "princess", "x.smt2"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("there are eld, z3 and golem"),
        "{}",
        ran.err
    );
}

#[test]
fn models_are_printed_where_a_script_asks_or_the_compiler_does() {
    let z3 = ["--as", "z3", "-in"];
    assert_eq!(sectile_with_input(&z3, SAFE).out, "sat\n");
    let asking = format!("{SAFE}(get-model)\n");
    assert!(
        sectile_with_input(&z3, &asking)
            .out
            .contains("define-fun P")
    );
    let compiler = SAFE.replace(
        "(check-sat)",
        "(assert\n(forall ((UNUSED Bool))\n(=> false false)))\n(check-sat)",
    );
    assert!(
        sectile_with_input(&z3, &compiler)
            .out
            .contains("define-fun P")
    );
}

/// A step of a proof: the clause, what it rests on, and what follows.
struct ProofStep<'t> {
    clause: &'t str,
    premises: Vec<&'t str>,
    fact: &'t str,
}

/// The steps of a proof, as a client reads them: bindings first, each a step by hyper-resolution.
fn steps<'t>(tree: &'t Tree<'_>) -> Vec<ProofStep<'t>> {
    let list = |e: Sexp| tree.list(e).expect("this is a list");
    let whole = list(tree.roots()[0]);
    let proof = list(*whole.last().expect("there is a proof"));
    assert_eq!(tree.symbol(proof[0]), Some("proof"));
    let mut at = proof[1];
    let mut steps: Vec<(String, ProofStep<'t>)> = Vec::new();
    while tree.symbol(list(at)[0]) == Some("let") {
        let [_, bindings, body] = *list(at) else {
            panic!("a let has bindings and a body")
        };
        let [name, step] = *list(list(bindings)[0]) else {
            panic!("a binding has a name and a value")
        };
        let parts = list(step);
        let (rule, asserted) = (list(parts[0]), list(parts[1]));
        assert_eq!(tree.symbol(rule[1]), Some("hyper-res"));
        assert_eq!(tree.symbol(asserted[0]), Some("asserted"));
        let (&fact, premises) = parts[2..].split_last().expect("a step ends in a fact");
        assert_eq!(rule.len(), 4 + 2 * premises.len());
        let premise = |&p: &Sexp| {
            let name = tree.source(p);
            let known = steps.iter().find(|(n, _)| n == name);
            known.expect("premises come first").1.fact
        };
        let premises = premises.iter().map(premise).collect();
        let (clause, fact) = (tree.source(asserted[1]), tree.source(fact));
        let step = ProofStep {
            clause,
            premises,
            fact,
        };
        steps.push((tree.source(name).to_string(), step));
        at = body;
    }
    let end = list(at);
    assert_eq!(tree.symbol(end[0]), Some("mp"));
    assert_eq!(
        Some(tree.source(end[1])),
        steps.last().map(|s| s.0.as_str())
    );
    assert_eq!(tree.symbol(end[3]), Some("false"));
    steps.into_iter().map(|(_, step)| step).collect()
}

/// Whether z3 derives each step from its clause and its premises.
fn confirmed(declared: &str, steps: &[ProofStep<'_>]) -> bool {
    let mut text = format!("{declared}(declare-fun query!0 () Bool)\n");
    for step in steps {
        let premises = step.premises.iter().map(|p| format!("(assert {p})"));
        let premises: String = premises.collect();
        text.push_str(&format!(
            "(push 1)(assert {}){premises}(assert (not {}))(check-sat)(pop 1)\n",
            step.clause, step.fact
        ));
    }
    let file = temporary("proof.smt2", &text);
    let output = Command::new("z3").arg("-T:30").arg(&file).output();
    std::fs::remove_file(file).expect("the file was there");
    let output = output.expect("z3 was found before");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    let unsat = answers.lines().filter(|l| *l == "unsat").count();
    if unsat != steps.len() {
        eprintln!("{answers}");
    }
    unsat == steps.len()
}

#[test]
fn proofs_are_written_as_z3_writes_them() {
    let script = format!("(set-option :produce-proofs true){UNSAFE}(get-proof)\n");
    let ran = sectile_with_input(&["--as", "z3", "-in"], &script);
    let proof = ran.out.strip_prefix("unsat\n").expect("it is unsat");
    assert!(
        proof.starts_with("((set-logic HORN)\n(declare-fun query!0 () Bool)\n(proof\n"),
        "{proof}"
    );
    let tree = read(proof).expect("it can be read");
    let steps = steps(&tree);
    assert_eq!(steps.last().map(|s| s.fact), Some("query!0"));
    assert!(steps.len() >= 6, "{proof}");
    assert!(proof.contains("(pair 0 ((as const (Array Int Int)) 7))"));
    assert!(proof.contains("(box 3 4)"), "{proof}");
    if installed("z3") {
        let declared: Vec<&str> = UNSAFE
            .lines()
            .filter(|l| l.starts_with("(declare-"))
            .collect();
        assert!(confirmed(&declared.join("\n"), &steps), "{proof}");
    }
    // Nobody asked here.
    assert_eq!(
        sectile_with_input(&["--as", "z3", "-in"], UNSAFE).out,
        "unsat\n"
    );
}

/// Two facts about the same arrays in one body: no tree of `trees` is too wide for that.
#[test]
fn trees_refute_clauses_with_arrays() {
    let text = UNSAFE.replace("(|q r| p t u) start", "(|q r| p t u) (P p b s)");
    let check = [
        "check", "-", "--input", "chc", "--engine", "trees", "--trace",
    ];
    let ran = sectile_with_input(&check, &text);
    assert!(ran.out.starts_with("unsat\n"), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("false by clause 5"), "{}", ran.out);
    // Counting to three takes a tree of that height.
    let low = sectile_with_input(&[&check[..], &["--set", "tree-height=3"]].concat(), &text);
    assert_eq!(low.out, "unknown\n", "{}", low.err);
    assert!(
        low.err.contains("no tree of height 3 or less"),
        "{}",
        low.err
    );
}
