//! Damaged refutations are refused, or are refutations still: z3 decides about those.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::random::{Case, Formulas, refute};
use common::{cases, plain, rat, variable, z3};
use sectile_base::{Int, Rat, Rng};
use sectile_proof::{Inference, Lemma, ProofAtom, Refutation, Rule, Source, claims, replay};
use sectile_terms::{Sort, Term, Terms};

/// Changes one thing. May change nothing, where what it wants to change is not there.
fn mutate(rng: &mut Rng, r: &mut Refutation) {
    let at = rng.below(r.steps.len() as u64) as usize;
    let atom_count = r.atoms.len() as u64;
    let step = &mut r.steps[at];
    let lits = step.clause.len() as u64;
    match rng.below(12) {
        0 if lits > 0 => {
            step.clause.remove(rng.below(lits) as usize);
        }
        1 if lits > 0 => {
            let lit = &mut step.clause[rng.below(lits) as usize];
            *lit = !*lit;
        }
        2 if lits > 0 && atom_count > 1 => {
            step.clause[rng.below(lits) as usize].atom = rng.below(atom_count) as u32;
        }
        3 | 4 => mutate_atom(rng, r),
        5 => {
            r.steps.remove(at);
        }
        6 => {
            // A step is lost, and the later ones are renumbered.
            r.steps.remove(at);
            for step in &mut r.steps {
                if let Inference::Resolution(chain) = &mut step.inference {
                    chain.retain(|&s| s as usize != at);
                    chain
                        .iter_mut()
                        .filter(|s| **s as usize > at)
                        .for_each(|s| *s -= 1);
                }
            }
        }
        7 => {
            let other = rng.below(r.steps.len() as u64) as usize;
            let inference = r.steps[other].inference.clone();
            r.steps[at].inference = inference;
        }
        8 => {
            let other = rng.below(r.steps.len() as u64) as usize;
            r.steps.swap(at, other);
        }
        _ => mutate_inference(rng, &mut step.inference),
    }
}

fn mutate_atom(rng: &mut Rng, r: &mut Refutation) {
    let at = rng.below(r.atoms.len() as u64) as usize;
    let variable_count = r.variables.len() as u64;
    let delta = if rng.chance(1, 2) { 1 } else { -1 };
    let ProofAtom::Bound {
        sum, bound, strict, ..
    } = &mut r.atoms[at]
    else {
        let other = rng.below(r.atoms.len() as u64) as usize;
        return r.atoms.swap(at, other);
    };
    let monomial = rng.below(sum.len().max(1) as u64) as usize;
    match rng.below(5) {
        0 => *bound += &Rat::from(delta),
        1 => *strict = !*strict,
        2 => *bound += &rat(1, 2),
        3 => sum[monomial].1 = &sum[monomial].1 + &Int::from(delta),
        _ => sum[monomial].0 = rng.below(variable_count) as u32,
    }
}

fn mutate_inference(rng: &mut Rng, inference: &mut Inference) {
    match inference {
        Inference::Lemma(Lemma { numbers: list, .. }) if !list.is_empty() => {
            let i = rng.below(list.len() as u64) as usize;
            match rng.below(4) {
                0 => list[i] = -&list[i],
                1 => list[i] = Rat::ZERO,
                2 => list[i] += &Rat::ONE,
                _ => {
                    let j = rng.below(list.len() as u64) as usize;
                    list.swap(i, j);
                }
            }
        }
        Inference::Resolution(chain) => {
            let i = rng.below(chain.len() as u64) as usize;
            let j = rng.below(chain.len() as u64) as usize;
            match rng.below(4) {
                0 => chain.swap(i, j),
                1 => chain[i] = chain[j],
                2 => chain[i] = chain[i].saturating_sub(1),
                _ => drop(chain.remove(i)),
            }
        }
        Inference::Input(Source::Assertion(i)) => *i = rng.below(4) as u32,
        Inference::Input(Source::Assumption(i)) => *i = i.saturating_sub(1),
        _ => *inference = plain(Rule::Trichotomy),
    }
}

#[derive(Default)]
struct Score {
    refused: usize,
    accepted: usize,
}

/// Damages a refutation many times; z3 must confirm what the kernel accepts.
fn attack(terms: &Terms, case: &Case, rng: &mut Rng, rounds: usize, score: &mut Score) {
    let Case {
        assertions,
        assumptions,
        refutation,
    } = case;
    replay(terms, assertions, assumptions, refutation).unwrap();
    let mut queries: Vec<Vec<Term>> = Vec::new();
    let mut owners = Vec::new();
    for _ in 0..rounds {
        let mut mutant = refutation.clone();
        for _ in 0..=rng.below(2) {
            if !mutant.steps.is_empty() && !mutant.atoms.is_empty() {
                mutate(rng, &mut mutant);
            }
        }
        if mutant == *refutation {
            continue;
        }
        if replay(terms, assertions, assumptions, &mutant).is_err() {
            score.refused += 1;
            continue;
        }
        score.accepted += 1;
        for (step, claim) in claims(terms, assertions, assumptions, &mutant).unwrap() {
            queries.push(claim);
            owners.push((step, mutant.clone()));
        }
    }
    for (answer, (step, mutant)) in z3::ask(terms, &queries).iter().zip(&owners) {
        let text = sectile_proof::print(mutant, |t| sectile_smtlib::print_term(terms, t));
        assert_eq!(answer, "unsat", "step {step} of an accepted mutant\n{text}");
    }
}

#[test]
fn mutants_of_random_refutations() {
    if !z3::is_installed() {
        return;
    }
    let mut score = Score::default();
    for seed in 20_000..20_000 + cases(250) {
        let terms = Terms::new();
        let Some(case) = Formulas::new(&terms, seed).case() else {
            continue;
        };
        if case.refutation.steps.len() > 1 {
            attack(&terms, &case, &mut Rng::new(seed), 40, &mut score);
        }
    }
    assert!(score.refused > 1000, "{} were refused", score.refused);
    assert!(score.accepted > 20, "{} were accepted", score.accepted);
}

#[test]
fn mutants_of_parity() {
    if !z3::is_installed() {
        return;
    }
    let terms = Terms::new();
    let of = |name| variable(&terms, name, Sort::Int);
    let [x, y, a] = ["x", "y", "a"].map(of);
    let double = |t| terms.scale(t, &rat(2, 1));
    let assertions = [
        terms.eq(double(x), a),
        terms.eq(terms.add(double(y), terms.int(1)), a),
    ];
    let case = refute(&terms, &assertions, &[]).unwrap();
    let steps = &case.refutation.steps;
    assert!(
        steps
            .iter()
            .any(|s| matches!(&s.inference, Inference::Lemma(l) if l.rule == Rule::Divisibility))
    );
    let mut score = Score::default();
    attack(&terms, &case, &mut Rng::new(1), 400, &mut score);
    assert!(score.refused > 200, "{} were refused", score.refused);
}
