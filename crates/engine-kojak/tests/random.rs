//! Random programs over few values, compared with explicit search; all evidence is checked.

#![allow(clippy::unwrap_used)]

mod support;

use sectile_engine_kojak::Kojak;
use support::{compare, settings};

#[test]
fn with_blocks_between_loop_heads() {
    compare(&Kojak, &settings(&[("audit", "on")]), 0..150, 0);
}

#[test]
fn as_in_the_paper() {
    let options = [("audit", "on"), ("split", "all"), ("infix", "path")];
    compare(&Kojak, &settings(&options), 150..250, 2);
}

#[test]
fn with_other_blocks() {
    for (i, size) in ["sequences", "parallel", "single"].iter().enumerate() {
        let options = settings(&[("audit", "on"), ("blocks", size)]);
        let first = 250 + 60 * i as u64;
        compare(&Kojak, &options, first..first + 60, 0);
    }
}
