//! Random finite systems: backward fixpoints never say anything wrong, and end.

use sectile_certify::Claim;
use sectile_engine_ctl::Poly;
use sectile_testkit::systems::{checked, example, verdict_of};

#[test]
fn verdicts_agree_with_explicit_search() {
    let (mut holds, mut violated, mut open) = (0, 0, 0);
    for seed in 0..500 {
        let mut example = example(seed, seed % 2 == 1);
        let verdict = verdict_of(&Poly, &example.task(), &[]);
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => open += 1,
        }
    }
    assert!(
        holds > 50 && violated > 50 && open < 50,
        "{holds} hold, {violated} are violated, {open} are open"
    );
}

#[test]
fn diagrams_agree_with_explicit_search() {
    let (mut holds, mut violated, mut open) = (0, 0, 0);
    for seed in 500..800 {
        let mut example = example(seed, seed % 2 == 1);
        let verdict = verdict_of(&Poly, &example.task(), &[("sets", "bdd")]);
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => open += 1,
        }
    }
    assert!(
        holds > 30 && violated > 30 && open < 30,
        "{holds} hold, {violated} are violated, {open} are open"
    );
}

#[test]
fn early_widening_loses_verdicts_only() {
    for seed in 0..200 {
        let mut example = example(seed, seed % 2 == 1);
        let sets = if seed % 4 < 2 { "explicit" } else { "bdd" };
        let settings = [("poly-delay", "0"), ("poly-rounds", "2"), ("sets", sets)];
        let verdict = verdict_of(&Poly, &example.task(), &settings);
        checked(seed, &mut example, verdict);
    }
}
