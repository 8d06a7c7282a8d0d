//! Random programs over few values: every violation is found, and nothing else is said.

use sectile_certify::Claim;
use sectile_engine_induction::Layers;
use sectile_model::Verdict;
use sectile_testkit::programs::Random;
use sectile_testkit::verdicts::{explored, says, settings};

#[test]
fn violations_are_found() {
    let options = settings(&[("layers", "80")]);
    let mut found = 0;
    for seed in 0..150 {
        let random = Random::new(seed);
        let holds = explored(&random.task()).0 == Claim::Holds;
        let verdict = says(&Layers, &random.task(), &options);
        assert_eq!(
            matches!(verdict, Verdict::Violated(_)),
            !holds,
            "seed {seed}"
        );
        assert!(!matches!(verdict, Verdict::Holds(_)));
        found += usize::from(!holds);
    }
    assert!(found >= 20);
}
