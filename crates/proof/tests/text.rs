//! Refutations are written and read back.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::random::{Formulas, refute};
use common::variable;
use sectile_proof::{Fault, Refutation, parse, print, replay};
use sectile_smtlib::{Scope, Undeclared, parse_term, print_term, read};
use sectile_terms::{Sort, Term, Terms};

fn read_term(terms: &Terms, text: &str) -> Result<Term, String> {
    let tree = read(text).map_err(|d| d.message)?;
    let mut scope = Scope::new(Undeclared::FromStore);
    parse_term(terms, &tree, tree.roots()[0], &mut scope).map_err(|d| d.message)
}

#[test]
fn refutations_survive_a_round_trip() {
    let mut count = 0;
    for seed in 30_000..30_300 {
        let terms = Terms::new();
        let Some(case) = Formulas::new(&terms, seed).case() else {
            continue;
        };
        // Terms by number: the format itself loses nothing.
        let mut listed: Vec<Term> = Vec::new();
        let text = print(&case.refutation, |t| {
            listed.push(t);
            format!("(term {})", listed.len() - 1)
        });
        let number = |s: &str| {
            let digits = s.trim_start_matches("(term ").trim_end_matches(')');
            digits.parse::<usize>().map_err(|e| e.to_string())
        };
        let again = parse(&text, |s| number(s).map(|i| listed[i])).unwrap();
        assert_eq!(again, case.refutation);
        count += 1;
    }
    assert!(count > 50);
}

#[test]
fn refutations_in_smtlib_are_still_refutations() {
    for seed in 30_000..30_300 {
        let terms = Terms::new();
        let mut formulas = Formulas::new(&terms, seed);
        // Enumerations are printed as integers, and would be read as such.
        formulas.enumerations = false;
        let Some(drawn) = formulas.case() else {
            continue;
        };
        // SMT-LIB knows no `min`: its text would be read as another term.
        let lower =
            |list: &[Term]| -> Vec<Term> { list.iter().map(|&t| terms.lower_extrema(t)).collect() };
        let (assertions, assumptions) = (lower(&drawn.assertions), lower(&drawn.assumptions));
        let Some(case) = refute(&terms, &assertions, &assumptions) else {
            continue;
        };
        let text = print(&case.refutation, |t| print_term(&terms, t));
        let refutation = parse(&text, |s| read_term(&terms, s)).unwrap();
        let result = replay(&terms, &assertions, &assumptions, &refutation);
        assert!(result.is_ok(), "seed {seed}: {result:?}\n{text}");
    }
}

#[test]
fn the_example_of_the_manual_is_a_refutation() {
    let manual = include_str!("../../../docs/format/proof.md");
    let example = manual.split("```").nth(1).unwrap();
    let terms = Terms::new();
    variable(&terms, "x", Sort::Int);
    variable(&terms, "p", Sort::Bool);
    let of = |text| read_term(&terms, text).unwrap();
    let refutation = parse(example, |s| read_term(&terms, s)).unwrap();
    let assertions = [of("(=> (= (mod x 2) 0) p)"), of("(<= (mod x 2) 0)")];
    let error = replay(&terms, &assertions, &[of("(not p)")], &refutation);
    assert_eq!(
        error.unwrap_err().fault,
        Fault::NotInSource,
        "an equality is no bound"
    );
    let assertions = [of("(=> (<= (mod x 2) 0) p)"), of("(<= (mod x 2) 0)")];
    let summary = replay(&terms, &assertions, &[of("(not p)")], &refutation).unwrap();
    assert_eq!(
        (summary.steps, summary.resolutions, summary.sources.len()),
        (4, 1, 3)
    );
}

#[test]
fn bad_text_is_refused_with_a_position() {
    let terms = Terms::new();
    let offset = |text: &str| {
        let error = parse(text, |_| Ok(terms.tt())).unwrap_err();
        assert!(error.to_string().starts_with("at byte "));
        error.offset
    };
    assert_eq!(offset(""), 0);
    assert_eq!(offset("(refutation"), 0);
    assert_eq!(offset(")"), 0);
    assert_eq!(offset("x"), 0);
    assert_eq!(offset("(refutation |x)"), 12);
    assert_eq!(offset("(proof (variables) (atoms) (steps))"), 1);
    assert_eq!(offset("(refutation (atoms) (atoms) (steps))"), 13);
    assert_eq!(offset("(refutation (variables) (atoms (= 3)) (steps))"), 31);
    assert_eq!(
        offset("(refutation (variables) (atoms (<= int x)) (steps))"),
        39
    );
    assert_eq!(
        offset("(refutation (variables) (atoms) (steps ((0) distinct)))"),
        41
    );
    assert_eq!(
        offset("(refutation (variables) (atoms) (steps ((--1) distinct)))"),
        41
    );
    assert_eq!(
        offset("(refutation (variables) (atoms) (steps (() guess)))"),
        43
    );
    let error = parse("(refutation (variables x) (atoms) (steps))", |_| {
        Err("no".into())
    });
    assert_eq!(error.unwrap_err().message, "no");
    let empty = "; nothing\n(refutation (variables) (atoms) (steps)) ; more";
    assert_eq!(parse(empty, |_| Ok(terms.tt())), Ok(Refutation::default()));
    let deep = "(".repeat(100_000) + &")".repeat(100_000);
    assert_eq!(offset(&deep), 0);
}
