//! Every operator of CTL on graphs small enough to label by hand, ends of paths included.
#![allow(clippy::unwrap_used)]

use crate::zoo;

use sectile_explicit::{Answer, Exploration, Options};
use sectile_model::{Ctl, Module};
use sectile_terms::{Symbol, Term, Terms};
use zoo::{Builder, Words, answer, result, run};

/// One cycle, one end, one self-loop.
const EDGES: [(i64, i64); 6] = [(0, 1), (0, 4), (1, 2), (1, 3), (2, 0), (4, 4)];

fn graph(terms: &Terms, start: i64, formula: impl Fn(&dyn Fn(&[i64]) -> Ctl) -> Ctl) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let s: Symbol = b.range("s", 0, 4);
    b.init(w.is(s, start));
    for (from, to) in EDGES {
        b.command(&format!("{from}-{to}"), &[w.is(s, from)], &[(s, w.n(to))]);
    }
    let at = |list: &[i64]| -> Ctl {
        let cases: Vec<Term> = list.iter().map(|&k| w.is(s, k)).collect();
        Ctl::State(terms.or(cases))
    };
    b.ctl("f", formula(&at));
    b.module()
}

fn explore_from(start: i64, formula: impl Fn(&dyn Fn(&[i64]) -> Ctl) -> Ctl) -> Exploration {
    let terms = Terms::new();
    let module = graph(&terms, start, formula);
    run(&terms, &module, &Options::default())
}

/// The states from which a formula holds.
fn states_of(formula: impl Fn(&dyn Fn(&[i64]) -> Ctl) -> Ctl) -> Vec<i64> {
    let holds = |&s: &i64| answer(&explore_from(s, &formula), "f") == Answer::Holds;
    (0..5).filter(holds).collect()
}

fn b(f: Ctl) -> Box<Ctl> {
    Box::new(f)
}

const P: [i64; 3] = [0, 1, 2];
const Q: [i64; 1] = [3];
const ALL: [i64; 5] = [0, 1, 2, 3, 4];

#[test]
fn next() {
    assert_eq!(states_of(|at| Ctl::Ex(b(at(&P)))), [0, 1, 2]);
    assert_eq!(states_of(|at| Ctl::Ax(b(at(&P)))), [2, 3]);
    assert_eq!(states_of(|at| Ctl::Ex(b(at(&ALL)))), [0, 1, 2, 4]);
    assert_eq!(states_of(|at| Ctl::Ax(b(at(&[])))), [3]);
}

#[test]
fn some_time() {
    assert_eq!(states_of(|at| Ctl::Ef(b(at(&Q)))), [0, 1, 2, 3]);
    assert_eq!(states_of(|at| Ctl::Af(b(at(&Q)))), [3]);
    assert_eq!(states_of(|at| Ctl::Af(b(at(&[3, 4])))), [3, 4]);
    assert_eq!(states_of(|at| Ctl::Af(b(at(&[0, 3])))), [0, 1, 2, 3]);
    // At the end of a path nothing happens any more.
    assert!(states_of(|at| Ctl::Af(b(at(&[])))).is_empty());
}

#[test]
fn always() {
    assert_eq!(states_of(|at| Ctl::Eg(b(at(&P)))), [0, 1, 2]);
    assert_eq!(states_of(|at| Ctl::Eg(b(at(&ALL)))), ALL);
    assert_eq!(states_of(|at| Ctl::Eg(b(at(&Q)))), [3]);
    assert_eq!(states_of(|at| Ctl::Eg(b(at(&[1, 3])))), [1, 3]);
    assert!(states_of(|at| Ctl::Ag(b(at(&P)))).is_empty());
    assert_eq!(states_of(|at| Ctl::Ag(b(at(&[3, 4])))), [3, 4]);
    assert_eq!(states_of(|at| Ctl::Ag(b(at(&ALL)))), ALL);
}

#[test]
fn until() {
    assert_eq!(states_of(|at| Ctl::Eu(b(at(&P)), b(at(&Q)))), [0, 1, 2, 3]);
    assert_eq!(states_of(|at| Ctl::Eu(b(at(&[1])), b(at(&Q)))), [1, 3]);
    assert_eq!(states_of(|at| Ctl::Au(b(at(&P)), b(at(&Q)))), [3]);
    assert_eq!(states_of(|at| Ctl::Au(b(at(&P)), b(at(&[3, 4])))), [3, 4]);
    assert_eq!(
        states_of(|at| Ctl::Au(b(at(&[1])), b(at(&[2, 3])))),
        [1, 2, 3]
    );
    assert!(states_of(|at| Ctl::Au(b(at(&Q)), b(at(&[])))).is_empty());
}

#[test]
fn unless() {
    assert_eq!(states_of(|at| Ctl::Ew(b(at(&P)), b(at(&Q)))), [0, 1, 2, 3]);
    assert_eq!(states_of(|at| Ctl::Ew(b(at(&P)), b(at(&[])))), [0, 1, 2]);
    assert_eq!(states_of(|at| Ctl::Ew(b(at(&Q)), b(at(&[])))), [3]);
    assert_eq!(states_of(|at| Ctl::Aw(b(at(&P)), b(at(&Q)))), [3]);
    assert_eq!(states_of(|at| Ctl::Aw(b(at(&P)), b(at(&[3, 4])))), ALL);
    assert_eq!(states_of(|at| Ctl::Aw(b(at(&[4])), b(at(&Q)))), [3, 4]);
    assert_eq!(states_of(|at| Ctl::Aw(b(at(&Q)), b(at(&[])))), [3]);
}

#[test]
fn connectives() {
    assert_eq!(states_of(|at| Ctl::Not(b(Ctl::Ef(b(at(&Q)))))), [4]);
    let both = |at: &dyn Fn(&[i64]) -> Ctl| Ctl::And(b(Ctl::Ef(b(at(&Q)))), b(at(&[2, 4])));
    assert_eq!(states_of(both), [2]);
    let either = |at: &dyn Fn(&[i64]) -> Ctl| Ctl::Or(b(Ctl::Ag(b(at(&[4])))), b(at(&[2])));
    assert_eq!(states_of(either), [2, 4]);
}

/// The numbers of the states of the run that shows the answer.
fn shown(found: &Exploration) -> Vec<i64> {
    let number = |s: &sectile_model::State| s.values[0].as_rat().unwrap().to_i64().unwrap();
    let trace = result(found, "f").evidence.as_ref().unwrap();
    trace.states.iter().map(number).collect()
}

#[test]
fn evidence_of_violations() {
    let found = explore_from(0, |at| Ctl::Ag(b(at(&P))));
    assert_eq!(shown(&found), [0, 4]);
    // The cycle never leaves p.
    let found = explore_from(1, |at| Ctl::Af(b(at(&[3, 4]))));
    assert_eq!(shown(&found), [1, 2, 0, 1]);
    assert_eq!(
        result(&found, "f").evidence.as_ref().unwrap().back_to,
        Some(0)
    );
    // The path ends before anything happens.
    let found = explore_from(3, |at| Ctl::Af(b(at(&[0]))));
    assert_eq!(shown(&found), [3]);
    assert_eq!(result(&found, "f").evidence.as_ref().unwrap().back_to, None);
    // A path to the premise, then a lasso.
    let leads =
        |at: &dyn Fn(&[i64]) -> Ctl| Ctl::Ag(b(Ctl::implies(at(&[4]), Ctl::Af(b(at(&[0]))))));
    let found = explore_from(1, leads);
    assert_eq!(shown(&found), [1, 2, 0, 4, 4]);
    assert_eq!(
        result(&found, "f").evidence.as_ref().unwrap().back_to,
        Some(3)
    );
    let found = explore_from(0, |at| Ctl::Au(b(at(&P)), b(at(&Q))));
    assert_eq!(shown(&found), [0, 4]);
    let found = explore_from(0, |at| Ctl::Ax(b(at(&[1]))));
    assert_eq!(shown(&found), [0, 4]);
}

#[test]
fn evidence_of_truth() {
    let found = explore_from(0, |at| Ctl::Ef(b(at(&Q))));
    assert_eq!(shown(&found), [0, 1, 3]);
    let found = explore_from(0, |at| Ctl::Eg(b(at(&P))));
    assert_eq!(shown(&found), [0, 1, 2, 0]);
    let found = explore_from(0, |at| Ctl::Ag(b(at(&ALL))));
    assert_eq!(result(&found, "f").evidence, None);
}
