//! Random programs over few values: every violation is found, and nothing else is said.

#![allow(clippy::unwrap_used)]

#[path = "../../engine-kojak/tests/support/mod.rs"]
mod support;

use sectile_engine_induction::Layers;
use sectile_model::{Task, Verdict};
use support::{Random, decide, holds, settings};

#[test]
fn violations_are_found() {
    let options = settings(&[("layers", "80")]);
    let mut found = 0;
    for seed in 0..150 {
        let random = Random::new(seed);
        let task = Task {
            terms: &random.terms,
            model: &random.model,
            property: &random.property,
        };
        let holds = holds(&random.terms, &random.model, &random.property);
        let verdict = decide(&Layers, &task, &options, 60);
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
