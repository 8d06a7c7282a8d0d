//! Random programs over few values, compared with explicit search; all evidence is checked.

use sectile_engine_kojak::{Elim, Kojak};
use sectile_testkit::programs::{check_without_initial_states, compare};
use sectile_testkit::verdicts::settings;

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

#[test]
fn with_every_source_of_interpolants() {
    let sources = [
        "reuse,mcmillan",
        "joint,proof",
        "joint-mcmillan,proof",
        "wp",
        "sp",
        "beautiful",
        "mcmillan,pudlak",
        "steps",
        "steps-pudlak",
        "steps-qe,mcmillan",
    ];
    for (i, source) in sources.iter().enumerate() {
        let options = [("audit", "on"), ("refine", source), ("restart", "10")];
        let first = 2000 + 40 * i as u64;
        compare(&Kojak, &settings(&options), first..first + 40, 1);
    }
}

#[test]
fn without_facts() {
    let options = [("audit", "on"), ("facts", "off")];
    compare(&Kojak, &settings(&options), 800..900, 0);
}

#[test]
fn with_loops_unrolled() {
    compare(&Elim, &settings(&[("audit", "on")]), 900..1100, 0);
}

#[test]
fn with_loops_unrolled_and_told_as_invariants() {
    // Invariants through loops with free choices are lost, and then nothing is said.
    let options = [("audit", "on"), ("proof", "invariants")];
    compare(&Elim, &settings(&options), 1100..1200, 10);
}

#[test]
fn with_loops_unrolled_and_told_as_such() {
    let options = [("audit", "on"), ("proof", "unrolled")];
    compare(&Elim, &settings(&options), 1200..1400, 0);
}

#[test]
fn without_initial_states() {
    check_without_initial_states(&Kojak);
}
