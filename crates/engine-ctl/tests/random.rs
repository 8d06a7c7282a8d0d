//! Random finite systems: every formula has the verdict that explicit search finds, with evidence.

use sectile_certify::Claim;
use sectile_engine_ctl::CtlZones;
use sectile_testkit::systems::{checked, example, verdict_of};

#[test]
fn verdicts_agree_with_explicit_search_and_have_evidence() {
    let (mut holds, mut violated) = (0, 0);
    for seed in 0..1500 {
        let mut example = example(seed, false);
        let verdict = verdict_of(&CtlZones, &example.task(), &[]);
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => panic!("seed {seed} is not decided"),
        }
    }
    assert!(
        holds > 50 && violated > 50,
        "{holds} hold, {violated} are violated"
    );
}

#[test]
fn polyhedra_decide_what_zones_decide() {
    for seed in 0..400 {
        let mut example = example(seed, false);
        let verdict = verdict_of(&CtlZones, &example.task(), &[("domain", "polyhedra")]);
        let claim = checked(seed, &mut example, verdict);
        assert!(claim.is_some(), "seed {seed} is not decided");
    }
}

#[test]
fn polyhedra_decide_systems_with_sums() {
    let (mut holds, mut violated) = (0, 0);
    for seed in 0..800 {
        let mut example = example(seed, true);
        let verdict = verdict_of(&CtlZones, &example.task(), &[]);
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => panic!("seed {seed} is not decided"),
        }
    }
    assert!(
        holds > 50 && violated > 50,
        "{holds} hold, {violated} are violated"
    );
}
