//! Refutations that are not even well-formed are refused, and stop nothing.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Builder, numbers, plain, rat, variable};
use sectile_base::{Int, Rat};
use sectile_proof::{
    Fault, Inference, Place, ProofAtom, ProofLit, ProofStep, Refutation, ReplayError, Rule, Source,
    claims, replay,
};
use sectile_terms::{Sort, Terms};

/// `x <= 0` and `x >= 1` for a good start.
fn good(terms: &Terms) -> Builder<'_> {
    let x = variable(terms, "x", Sort::Int);
    let u = variable(terms, "u", Sort::Real);
    let mut b = Builder::new(terms);
    let (low, high) = (b.le(&[(1, x)], 0), b.le(&[(1, x)], 3));
    b.formula(variable(terms, "p", Sort::Bool));
    b.lt(&[(1, u)], 3);
    let step = b.step(
        &[!low, high],
        numbers(Rule::Farkas, vec![rat(1, 1), rat(1, 1)]),
    );
    b.finish(step);
    b
}

fn refused(damage: impl FnOnce(&mut Refutation)) -> ReplayError {
    let terms = Terms::new();
    let mut b = good(&terms);
    b.replay().unwrap();
    damage(&mut b.refutation);
    let replayed = b.replay().unwrap_err();
    let claimed = claims(&terms, &b.assertions, &[], &b.refutation).unwrap_err();
    assert_eq!(replayed, claimed);
    assert!(!replayed.to_string().is_empty());
    replayed
}

fn bound(sum: Vec<(u32, Int)>, bound: Rat, strict: bool) -> ProofAtom {
    ProofAtom::Bound {
        sum,
        bound,
        strict,
        integral: true,
    }
}

#[test]
fn numbers_out_of_range() {
    let error = |place, fault| ReplayError { place, fault };
    let lit = ProofLit {
        atom: 4,
        positive: true,
    };
    let e = refused(|r| r.steps[1].clause.push(lit));
    assert_eq!(e, error(Place::Step(1), Fault::UnknownAtom(4)));
    let e = refused(|r| r.atoms[1] = bound(vec![(2, Int::ONE)], Rat::ONE, false));
    assert_eq!(e, error(Place::Atom(1), Fault::UnknownVariable(2)));
    let e = refused(|r| r.steps[1].inference = Inference::Input(Source::Assertion(2)));
    assert_eq!(e, error(Place::Step(1), Fault::UnknownSource));
    let e = refused(|r| r.steps[1].inference = Inference::Input(Source::Assumption(0)));
    assert_eq!(e, error(Place::Step(1), Fault::UnknownSource));
    let e = refused(|r| r.steps[0].inference = plain(Rule::Element));
    assert_eq!(e, error(Place::Step(0), Fault::WrongCount));
    let e = refused(|r| r.steps[0].inference = numbers(Rule::Trichotomy, vec![Rat::ONE]));
    assert_eq!(e, error(Place::Step(0), Fault::WrongCount));
    let e = refused(|r| r.steps[0].inference = numbers(Rule::Farkas, vec![Rat::ONE]));
    assert_eq!(e, error(Place::Step(0), Fault::WrongCount));
    let e = refused(|r| r.steps[0].inference = Inference::Resolution(vec![0]));
    assert_eq!(e, error(Place::Step(0), Fault::NotEarlier(0)));
}

#[test]
fn terms_of_another_store_or_sort() {
    let elsewhere = Terms::new();
    let far = (0..100).map(|i| variable(&elsewhere, &format!("v{i}"), Sort::Int));
    let far = far.last().unwrap();
    let fault = |damage: &dyn Fn(&mut Refutation)| refused(|r| damage(r)).fault;
    assert_eq!(fault(&|r| r.variables[0] = far), Fault::UnknownTerm);
    assert_eq!(
        fault(&|r| r.atoms[2] = ProofAtom::Formula(far)),
        Fault::UnknownTerm
    );
    let definition = |r: &mut Refutation| r.steps[0].inference = Inference::Definition(far);
    assert_eq!(fault(&definition), Fault::UnknownTerm);
    let truth = elsewhere.tt();
    assert_eq!(fault(&|r| r.variables[0] = truth), Fault::WrongSort);
    let number = |r: &mut Refutation| r.atoms[2] = ProofAtom::Formula(r.variables[0]);
    assert_eq!(fault(&number), Fault::WrongSort);
}

#[test]
fn integers_that_are_none() {
    let fault = |atom: ProofAtom| refused(|r| r.atoms[1] = atom).fault;
    let one = || vec![(0, Int::ONE)];
    assert_eq!(fault(bound(one(), rat(1, 2), false)), Fault::NotIntegral);
    assert_eq!(fault(bound(one(), Rat::ONE, true)), Fault::NotIntegral);
    let real = vec![(1, Int::ONE)];
    assert_eq!(fault(bound(real, Rat::ONE, false)), Fault::NotIntegral);
}

#[test]
fn no_empty_clause() {
    let fault = |damage: &dyn Fn(&mut Refutation)| refused(|r| damage(r)).fault;
    assert_eq!(fault(&|r| *r = Refutation::default()), Fault::NotRefuted);
    assert_eq!(fault(&|r| drop(r.steps.pop())), Fault::NotRefuted);
    let copy = |r: &mut Refutation| {
        let step: ProofStep = r.steps[0].clone();
        r.steps.push(step);
    };
    assert_eq!(fault(&copy), Fault::NotRefuted);
}

#[test]
fn bounds_without_variables_are_truth_values() {
    let terms = Terms::new();
    let mut b = Builder::new(&terms);
    let never = b.le(&[], -1);
    // `0 <= -1` contradicts itself, its negation does not.
    let one = || numbers(Rule::Farkas, vec![Rat::ONE]);
    assert_eq!(b.lemma(&[!never], one()), Ok(()));
    assert_eq!(b.lemma(&[never], one()), Err(Fault::NoContradiction));
}

#[test]
fn sums_that_cancel_are_truth_values() {
    let terms = Terms::new();
    let x = variable(&terms, "x", Sort::Int);
    let two = Int::from(2);
    let double = terms.scale(terms.div(x, &two), &rat(2, 1));
    let same = terms.add(double, terms.modulo(x, &two));
    let mut b = Builder::new(&terms);
    let [equal, less] = [terms.eq(same, x), terms.lt(same, x)].map(|t| b.formula(t));
    assert_eq!(b.lemma(&[equal], plain(Rule::Trichotomy)), Ok(()));
    assert_eq!(b.lemma(&[!less], plain(Rule::Trichotomy)), Ok(()));
    assert_eq!(
        b.lemma(&[!equal], plain(Rule::Trichotomy)),
        Err(Fault::NotInstance(Rule::Trichotomy))
    );
    assert_eq!(
        b.lemma(&[less], plain(Rule::Trichotomy)),
        Err(Fault::NotInstance(Rule::Trichotomy))
    );
}

#[test]
fn the_whole_of_a_deep_formula_is_read_without_recursion() {
    let terms = Terms::new();
    let x = variable(&terms, "x", Sort::Int);
    let two = Int::from(2);
    let mut deep = x;
    for k in 0..1_500 {
        deep = terms.add(terms.modulo(terms.add(deep, x), &two), terms.int(k % 2));
    }
    let mut b = Builder::new(&terms);
    let assertion = terms.le(deep, terms.int(-5));
    let lit = b.formula(assertion);
    b.assertions.push(assertion);
    let input = b.step(&[lit], Inference::Input(Source::Assertion(0)));
    b.finish(input);
    let result = replay(&terms, &b.assertions, &[], &b.refutation);
    assert_eq!(result.unwrap().steps, 3);
}
