//! Random programs over few values, compared with explicit search; all evidence is checked.

use sectile_engine_kojak::Impact;
use sectile_testkit::programs::{check_without_initial_states, compare};
use sectile_testkit::verdicts::settings;

#[test]
fn with_blocks_between_loop_heads() {
    compare(&Impact, &settings(&[("audit", "on")]), 0..150, 0);
}

#[test]
fn as_published() {
    let options = [
        ("audit", "on"),
        ("infix", "path"),
        ("force", "0"),
        ("facts", "off"),
    ];
    compare(&Impact, &settings(&options), 150..250, 0);
    let options = [("infix", "path"), ("blocks", "single"), ("facts", "off")];
    compare(&Impact, &settings(&options), 250..350, 0);
}

#[test]
fn with_other_blocks() {
    for (i, size) in ["sequences", "parallel", "single"].iter().enumerate() {
        let options = settings(&[("audit", "on"), ("blocks", size)]);
        let first = 350 + 60 * i as u64;
        compare(&Impact, &options, first..first + 60, 0);
    }
}

#[test]
fn without_initial_states() {
    check_without_initial_states(&Impact);
}
