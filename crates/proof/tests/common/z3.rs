//! Asking z3, if it is installed.

use sectile_proof::{Refutation, claims};
use sectile_smtlib::Vocabulary;
use sectile_terms::{Term, Terms};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Whether z3 is there; says so on the error stream if it is not.
pub fn is_installed() -> bool {
    let found = Command::new("z3")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !found {
        // The test harness shows this; a skipped check must be visible.
        let _ = writeln!(std::io::stderr(), "SKIPPED: z3 is not installed");
    }
    found
}

/// The script that asks one query for each list of formulas.
pub fn script(terms: &Terms, queries: &[Vec<Term>]) -> String {
    let mut vocabulary = Vocabulary::new(terms);
    let mut out = String::from("(set-logic ALL)\n");
    for query in queries {
        out.push_str("(push 1)\n");
        vocabulary.push();
        vocabulary.introduce(query, &mut out).unwrap();
        for &t in query {
            out.push_str(&format!("(assert {})\n", vocabulary.text(t)));
        }
        out.push_str("(check-sat)\n(pop 1)\n");
        vocabulary.pop();
    }
    out
}

/// The answers to the queries.
pub fn ask(terms: &Terms, queries: &[Vec<Term>]) -> Vec<String> {
    let mut child = Command::new("z3")
        .args(["-in", "-t:10000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = script(terms, queries);
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<String> = output.lines().map(String::from).collect();
    assert_eq!(answers.len(), queries.len(), "{output}");
    answers
}

/// The steps of a well-formed refutation that z3 does not confirm.
pub fn unconfirmed(
    terms: &Terms,
    assertions: &[Term],
    assumptions: &[Term],
    r: &Refutation,
) -> Vec<usize> {
    let (steps, queries): (Vec<usize>, Vec<Vec<Term>>) = claims(terms, assertions, assumptions, r)
        .unwrap()
        .into_iter()
        .unzip();
    let answers = ask(terms, &queries);
    let refuted = steps.into_iter().zip(answers);
    refuted
        .filter(|(_, a)| a != "unsat")
        .map(|(s, _)| s)
        .collect()
}
