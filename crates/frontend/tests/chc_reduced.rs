//! What is left of clauses when arguments that are not needed are gone, and the way back.

#![allow(clippy::unwrap_used)]

use sectile_base::Source;
use sectile_frontend::{Frontend as _, ReadOptions, Reading, chc::Chc};
use sectile_model::horn::{Derivation, Instance};
use sectile_model::{Argument, HornGraph, Standing};
use sectile_terms::{NativePrinter, Terms, Value};

fn read(terms: &Terms, text: &str) -> Reading {
    let source = Source::new("clauses.smt2", text);
    let reading = Chc.read(terms, &source, &ReadOptions::default());
    reading.unwrap_or_else(|e| panic!("{e:?}"))
}

fn horn(reading: &Reading) -> &HornGraph {
    reading.horn.as_ref().unwrap()
}

/// The number of variables of the graph.
fn variables(reading: &Reading) -> usize {
    reading.module.model.variables.len()
}

/// The counter `d` is computed from itself and `i`, and nothing is computed from it.
const COUNTER: &str = "(declare-fun P (Int Int Bool) Bool)
(assert (forall ((d Int)) (P 0 d true)))
(assert (forall ((i Int) (d Int) (b Bool) (e Int))
  (=> (and (P i d b) (= e (+ d i 5))) (P (+ i 1) e (not b)))))
(assert (forall ((i Int) (d Int) (b Bool)) (=> (and (P i d b) (> i 2) b) false)))";

#[test]
fn an_argument_that_decides_nothing_is_gone() {
    let terms = Terms::new();
    let reading = read(&terms, COUNTER);
    let horn = horn(&reading);
    assert_eq!(variables(&reading), 2);
    assert_eq!(horn.reductions.len(), 1);
    let kept = [Argument::Kept, Argument::Dead, Argument::Kept];
    let standing = &horn.reductions[0].predicates[0];
    assert_eq!(*standing, Standing::Used(kept.to_vec()));
    assert_eq!(horn.clauses.predicates[0].parameters.len(), 3);
    assert_eq!(horn.reduced().predicates[0].parameters.len(), 2);
}

#[test]
fn a_condition_keeps_its_argument() {
    for condition in ["(> e 0)", "(= (* 2 e) d)", "(or b (= e 3))"] {
        let terms = Terms::new();
        let text = COUNTER.replace("(= e (+ d i 5))", condition);
        let text = text.replace("(> i 2)", "(> i 2) (> d 1)");
        let reading = read(&terms, &text);
        assert_eq!(variables(&reading), 3, "{condition}");
    }
}

/// The values of dead arguments along a derivation are those of the clauses as they were read.
#[test]
fn dead_values_are_found_again() {
    let terms = Terms::new();
    let reading = read(&terms, COUNTER);
    let horn = horn(&reading);
    let int = |n: i64| Value::Int(n.into());
    // Variables in their order; the dead ones have values that fit nothing.
    let value = |name: &str, i: i64| match name {
        "i" => int(i),
        "b" => Value::Bool(i % 2 == 0),
        _ => int(-77),
    };
    let instance = |clause: usize, i: i64, premises: Vec<usize>| Instance {
        clause,
        values: horn.clauses.clauses[clause]
            .names
            .iter()
            .map(|n| value(n, i))
            .collect(),
        premises,
    };
    let derivation = Derivation {
        instances: vec![
            instance(0, 0, vec![]),
            instance(1, 0, vec![0]),
            instance(1, 1, vec![1]),
        ],
    };
    let told = horn.derived(&terms, derivation).unwrap();
    let heads = told.instances.iter().map(|instance| {
        let head = horn.clauses.clauses[instance.clause].head.as_ref().unwrap();
        instance.arguments(&terms, &horn.clauses, head).unwrap()
    });
    let dead: Vec<Value> = heads.map(|list| list[1].clone()).collect();
    assert_eq!(dead, [int(-77), int(-72), int(-66)]);
}

#[test]
fn constants_and_copies_are_gone_and_told_again() {
    let terms = Terms::new();
    let text = "(declare-fun P (Int Int Int Real Bool) Bool)
(declare-fun Q (Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 0) (P n 7 n 0.5 true))))
(assert (forall ((a Int) (k Int) (c Int) (r Real) (f Bool))
  (=> (and (P a k c r f) (> c 1)) (P (- c 1) k (- a 1) r (and f (= k 7))))))
(assert (forall ((a Int) (k Int) (c Int) (r Real) (f Bool)) (=> (and (P a k c r f) f) (Q (+ a k) (+ k c)))))
(assert (forall ((x Int) (y Int)) (=> (and (Q x y) (< x 8)) false)))";
    let reading = read(&terms, text);
    let horn = horn(&reading);
    assert_eq!(variables(&reading), 1);
    let kept = horn.reduced().predicates.iter().map(|p| p.parameters.len());
    assert_eq!(kept.collect::<Vec<_>>(), [1, 1]);
    let told = horn.told(&terms, vec![terms.tt(), terms.tt()]);
    let printer = NativePrinter::new(&terms);
    let said: Vec<usize> = told.iter().map(|&t| terms.conjuncts(t).len()).collect();
    assert_eq!(said, [4, 1], "{}", printer.print(told[0]));
}

/// Two arguments are equal in every fact of one clause, and not in those of another one.
#[test]
fn what_one_clause_contradicts_is_not_used() {
    let terms = Terms::new();
    let text = "(declare-fun P (Int Int) Bool)
(assert (P 1 1))
(assert (forall ((x Int) (y Int)) (=> (P x y) (P (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (P x y) (> x 9)) (P x (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (P x y) (distinct x y)) false)))";
    let reading = read(&terms, text);
    assert!(horn(&reading).reductions.is_empty());
    assert_eq!(variables(&reading), 2);
}

#[test]
fn predicates_that_are_not_derived_or_not_asked_for() {
    let terms = Terms::new();
    let text = "(declare-fun P (Int) Bool)\n(declare-fun N (Int) Bool)\n(declare-fun U (Int) Bool)
(declare-fun F (Bool Int) Bool)
(assert (forall ((x Int)) (=> (> x 0) (P x))))
(assert (forall ((x Int)) (=> (N x) (N (+ x 1)))))
(assert (forall ((x Int)) (=> (N x) (P x))))
(assert (forall ((x Int)) (=> (P x) (U x))))
(assert (forall ((x Int)) (=> (P x) (F false x))))
(assert (forall ((b Bool) (x Int)) (=> (and (F b x) b) (P (- x)))))
(assert (forall ((x Int)) (=> (and (P x) (< x 0)) false)))";
    let reading = read(&terms, text);
    let horn = horn(&reading);
    let reduced = horn.reduced();
    assert_eq!(reduced.clauses.len(), 2, "the fact and the query are left");
    let told = horn.told(&terms, vec![terms.tt(); 4]);
    assert_eq!(told[1], terms.ff(), "N is never derived");
    assert_eq!(told[2], terms.tt(), "nobody asks for U");
    // Edges are called by the numbers of the clauses in the file.
    let names = reading.module.model.commands().map(|c| c.name.as_str());
    let names: Vec<&str> = names.collect();
    assert_eq!(names, ["clause 1", "clause 7"]);
}

/// Clauses with several predicates: an argument that two of them share is a condition.
#[test]
fn shared_arguments_of_a_body_matter() {
    let terms = Terms::new();
    let text = "(declare-fun A (Int Int) Bool)\n(declare-fun B (Int Int) Bool)
(assert (A 0 1))
(assert (forall ((x Int) (d Int)) (=> (A x d) (A (+ x 1) (+ d x)))))
(assert (B 0 1))
(assert (forall ((x Int) (d Int)) (=> (B x d) (B (+ x 2) (+ d x)))))
(assert (forall ((x Int) (d Int) (e Int)) (=> (and (A x d) (B x e) (> x 5)) (A (- x) e))))
(assert (forall ((x Int) (d Int) (e Int)) (=> (and (A x d) (B x e) (< x (- 9))) false)))";
    let reading = read(&terms, text);
    let horn = horn(&reading);
    let kept = horn.reduced().predicates.iter().map(|p| p.parameters.len());
    assert_eq!(
        kept.collect::<Vec<_>>(),
        [1, 1],
        "x is shared, d and e are dead"
    );
    let joined = text.replace("(A x d) (B x e) (> x 5)", "(A x d) (B x d) (= e d) (> x 5)");
    let reading = read(&terms, &joined);
    assert_eq!(self::horn(&reading).reductions.len(), 0);
}
