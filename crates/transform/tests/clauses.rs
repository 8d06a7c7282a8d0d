//! What is left of clauses when arguments that are not needed are gone, and the way back.

#![allow(clippy::unwrap_used)]

use sectile_certify::Claim;
use sectile_model::*;
use sectile_terms::{Term, Value};
use sectile_testkit::models::{Read, read};
use sectile_testkit::verdicts::accepted;
use sectile_transform::{Applied, Clauses, Pass as _};

fn clauses(text: &str) -> (Read, Applied) {
    let read = read("clauses.smt2", text, &[]);
    let module = &read.reading.module;
    let applied = Clauses.apply(&Task::new(
        &read.terms,
        &module.model,
        &module.properties[0],
    ));
    (read, applied.unwrap())
}

/// The number of arguments of each predicate.
fn arities(model: &Model) -> Vec<usize> {
    let predicates = (1..model.locations.len() - 1).map(LocationId);
    predicates.map(|l| model.variables_at(l).len()).collect()
}

/// Whether evidence about the clauses that are left is accepted about those that were read.
fn shows(read: &Read, applied: &Applied, claim: Claim, certificate: &Certificate) -> bool {
    let told = applied.back.certificate(&read.terms, certificate).unwrap();
    accepted(&read.task("satisfiable"), claim, &told)
}

/// What is told of all predicates when nothing is known of those that are left.
fn told(read: &Read, applied: &Applied) -> Vec<Option<Term>> {
    let terms = &read.terms;
    let mut list = vec![terms.tt(); applied.model.locations.len()];
    *list.last_mut().unwrap() = terms.ff();
    let certificate = Certificate::invariants(list);
    match applied.back.certificate(terms, &certificate).unwrap() {
        Certificate::Invariants(proof) => proof.at[1..proof.at.len() - 1].to_vec(),
        other => panic!("{other:?}"),
    }
}

/// The counter `d` is computed from itself and `i`, and nothing is computed from it.
const COUNTER: &str = "(declare-fun P (Int Int Bool) Bool)
(assert (forall ((d Int)) (P 0 d true)))
(assert (forall ((i Int) (d Int) (b Bool) (e Int))
  (=> (and (P i d b) (= e (+ d i 5))) (P (+ i 1) e (not b)))))
(assert (forall ((i Int) (d Int) (b Bool)) (=> (and (P i d b) (> i 2) b) false)))";

#[test]
fn an_argument_that_decides_nothing_is_gone() {
    let (read, applied) = clauses(COUNTER);
    assert_eq!(arities(&read.module().model), [3]);
    assert_eq!(arities(&applied.model), [2]);
    assert_eq!(applied.model.variables.len(), 2);
    assert!(applied.model.is_linear());
}

#[test]
fn a_condition_keeps_its_argument() {
    for condition in ["(> e 0)", "(= (* 2 e) d)", "(or b (= e 3))"] {
        let text = COUNTER.replace("(= e (+ d i 5))", condition);
        let text = text.replace("(> i 2)", "(> i 2) (> d 1)");
        let (_, applied) = clauses(&text);
        assert_eq!(arities(&applied.model), [3], "{condition}");
    }
}

/// The values of dead arguments along a run are those of the clauses as they were read.
#[test]
fn dead_values_are_found_again() {
    let (read, applied) = clauses(COUNTER);
    let (terms, model) = (&read.terms, &applied.model);
    let state = |location: usize, i: i64| State {
        location: LocationId(location),
        values: { model.variables.iter() }
            .map(|&v| match terms.symbol_sort(v) {
                sectile_terms::Sort::Bool => Value::Bool(i % 2 == 0),
                _ => Value::Int(i.into()),
            })
            .collect(),
    };
    let mut states = vec![state(0, 0)];
    states.extend((0..=4).map(|i| state(1, i)));
    states.push(state(2, 0));
    let step = |name: &str| {
        let edge = model.edge_named(name).unwrap();
        let inputs = model.edges[edge].command.inputs.iter();
        Step::new(edge, inputs.map(|_| Value::Int(0.into())).collect())
    };
    let again = (0..4).map(|_| step("clause 2"));
    let steps = [step("clause 1")].into_iter().chain(again);
    let trace = Certificate::Trace(Trace {
        rigid: Vec::new(),
        states,
        steps: steps.chain([step("clause 3")]).collect(),
        back_to: None,
    });
    assert!(shows(&read, &applied, Claim::Violated, &trace));
    let Certificate::Trace(told) = applied.back.certificate(terms, &trace).unwrap() else {
        panic!("a run stays one");
    };
    let dead = read.module().model.variables_at(LocationId(1))[1];
    let mut variables = read.module().model.variables.iter();
    let at = variables.position(|&v| v == dead).unwrap();
    let values: Vec<&Value> = told.states[1..6].iter().map(|s| &s.values[at]).collect();
    let mut expected = vec![0_i64];
    for i in 0..4 {
        expected.push(expected[i] + i as i64 + 5);
    }
    let expected: Vec<Value> = expected.into_iter().map(|n| Value::Int(n.into())).collect();
    assert_eq!(values, expected.iter().collect::<Vec<_>>());
}

#[test]
fn constants_and_copies_are_gone_and_told_again() {
    let text = "(declare-fun P (Int Int Int Real Bool) Bool)
(declare-fun Q (Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 0) (P n 7 n 0.5 true))))
(assert (forall ((a Int) (k Int) (c Int) (r Real) (f Bool))
  (=> (and (P a k c r f) (> c 1)) (P (- c 1) k (- a 1) r (and f (= k 7))))))
(assert (forall ((a Int) (k Int) (c Int) (r Real) (f Bool)) (=> (and (P a k c r f) f (< r (to_real a))) (Q (+ a k) (+ k c)))))
(assert (forall ((x Int) (y Int)) (=> (and (Q x y) (< x 8)) false)))";
    let (read, applied) = clauses(text);
    assert_eq!(arities(&applied.model), [1, 1]);
    assert_eq!(applied.model.variables.len(), 1);
    let told = told(&read, &applied).into_iter();
    let said: Vec<usize> = told
        .map(|t| read.terms.conjuncts(t.unwrap()).len())
        .collect();
    assert_eq!(said, [4, 1]);
    // With what is known of the arguments that are left, it is a proof.
    let terms = &read.terms;
    let x = terms.var(applied.model.variables[0]);
    let at_least = |n: i64| terms.ge(x, terms.int(n));
    let proof = vec![terms.tt(), at_least(1), at_least(8), terms.ff()];
    let proof = Certificate::invariants(proof);
    assert!(shows(&read, &applied, Claim::Holds, &proof));
}

/// Conditions that one constant fulfils, whatever the other variables are, go with their arguments.
#[test]
fn arguments_that_one_constant_satisfies_are_gone() {
    let text = "(declare-fun P (Int (Array Int Int) Bool Int) Bool)
(assert (forall ((a (Array Int Int)) (f Bool) (t Int))
  (=> (and (= (select a 3) 5) (<= 2 t) (<= t 9)) (P 0 a f t))))
(assert (forall ((n Int) (a (Array Int Int)) (f Bool) (t Int) (u Int) (g Bool))
  (=> (and (P n a f t) (= u t) (>= (select a 3) 0) (or g (< n 100))) (P (+ n 1) a g u))))
(assert (forall ((n Int) (a (Array Int Int)) (f Bool) (t Int)) (=> (and (P n a f t) (> n 2)) false)))";
    let (read, applied) = clauses(text);
    assert_eq!(arities(&applied.model), [1]);
    assert!(applied.model.commands().all(|c| c.relations.is_empty()));
    // What is told of the predicate does not mention them.
    let told = told(&read, &applied);
    assert_eq!(told, [Some(read.terms.tt())]);
}

/// An argument that a condition compares with one that matters stays.
#[test]
fn arguments_without_such_a_constant_stay() {
    for condition in ["(< t n)", "(distinct t 0) (= u 0)", "(= (select a t) n)"] {
        let text = format!(
            "(declare-fun P (Int (Array Int Int) Int) Bool)
(assert (forall ((a (Array Int Int)) (t Int)) (P 0 a t)))
(assert (forall ((n Int) (a (Array Int Int)) (t Int) (u Int))
  (=> (and (P n a t) {condition}) (P (+ n 1) a u))))
(assert (forall ((n Int) (a (Array Int Int)) (t Int)) (=> (and (P n a t) (> n 2)) false)))"
        );
        let (_, applied) = clauses(&text);
        assert!(arities(&applied.model)[0] > 1, "{condition}");
    }
}

/// Two arguments are equal in every fact of one clause, and not in those of another one.
#[test]
fn what_one_clause_contradicts_is_not_used() {
    let text = "(declare-fun P (Int Int) Bool)
(assert (P 1 1))
(assert (forall ((x Int) (y Int)) (=> (P x y) (P (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (P x y) (> x 9)) (P x (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (P x y) (distinct x y)) false)))";
    let (read, applied) = clauses(text);
    assert_eq!(arities(&applied.model), [2]);
    assert_eq!(told(&read, &applied), [Some(read.terms.tt())]);
}

#[test]
fn predicates_that_are_not_derived_or_not_asked_for() {
    let text = "(declare-fun P (Int) Bool)\n(declare-fun N (Int) Bool)\n(declare-fun U (Int) Bool)
(declare-fun F (Bool Int) Bool)
(assert (forall ((x Int)) (=> (> x 0) (P x))))
(assert (forall ((x Int)) (=> (N x) (N (+ x 1)))))
(assert (forall ((x Int)) (=> (N x) (P x))))
(assert (forall ((x Int)) (=> (P x) (U x))))
(assert (forall ((x Int)) (=> (P x) (F false x))))
(assert (forall ((b Bool) (x Int)) (=> (and (F b x) b) (P (- x)))))
(assert (forall ((x Int)) (=> (and (P x) (< x 0)) false)))";
    let (read, applied) = clauses(text);
    let told = told(&read, &applied);
    assert_eq!(told[1], Some(read.terms.ff()), "N is never derived");
    assert_eq!(told[2], Some(read.terms.tt()), "nobody asks for U");
    // The fact and the query are left, called by the numbers of the clauses in the file.
    let names = applied.model.commands().map(|c| c.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["clause 1", "clause 7"]);
}

/// Clauses with several predicates: an argument that two of them share is a condition.
#[test]
fn shared_arguments_of_a_body_matter() {
    let text = "(declare-fun A (Int Int) Bool)\n(declare-fun B (Int Int) Bool)
(assert (A 0 1))
(assert (forall ((x Int) (d Int)) (=> (A x d) (A (+ x 1) (+ d x)))))
(assert (B 0 1))
(assert (forall ((x Int) (d Int)) (=> (B x d) (B (+ x 2) (+ d x)))))
(assert (forall ((x Int) (d Int) (e Int)) (=> (and (A x d) (B x e) (> x 5)) (A (- x) e))))
(assert (forall ((x Int) (d Int) (e Int)) (=> (and (A x d) (B x e) (< x (- 9))) false)))";
    let (_, applied) = clauses(text);
    assert_eq!(arities(&applied.model), [1, 1], "d and e are dead");
    assert!(!applied.model.is_linear());
    let joined = text.replace("(A x d) (B x e) (> x 5)", "(A x d) (B x d) (= e d) (> x 5)");
    let (_, applied) = clauses(&joined);
    assert_eq!(arities(&applied.model), [2, 2]);
}

/// What does not depend on itself is put where it is a premise; a proof says nothing of it.
#[test]
fn functions_that_are_called_are_unfolded() {
    let text = "(declare-fun Inc (Int Int) Bool)\n(declare-fun L (Int) Bool)
(assert (forall ((x Int)) (Inc x (+ x 1))))
(assert (L 0))
(assert (forall ((x Int) (y Int)) (=> (and (L x) (Inc x y)) (L y))))
(assert (forall ((x Int)) (=> (and (L x) (< x 0)) false)))";
    let (read, applied) = clauses(text);
    assert!(!read.module().model.is_linear());
    assert!(applied.model.is_linear());
    assert_eq!(told(&read, &applied)[0], None);
    let (terms, model) = (&read.terms, &applied.model);
    let x = terms.var(model.variables_at(model.location("L").unwrap())[0]);
    let proof = |bound: i64| {
        let low = terms.ge(x, terms.int(bound));
        Certificate::invariants(vec![terms.tt(), terms.tt(), low, terms.ff()])
    };
    assert!(shows(&read, &applied, Claim::Holds, &proof(0)));
    assert!(!shows(&read, &applied, Claim::Holds, &proof(-1)));
    assert!(!shows(&read, &applied, Claim::Holds, &proof(1)));
}
