//! Random finite systems: the engine agrees with explicit search, whatever is switched on or off.
//!
//! `SLAB_CASES=3000` runs more of them, `SLAB_SHOW=1` shows each.
#![allow(clippy::print_stderr)]

use crate::common;

use common::verdict;
use sectile_base::Rng;
use sectile_report::Status;
use sectile_testkit::driven::{explored, read};
use sectile_testkit::texts::{assignments, finite_system};

const CONFIGURATIONS: &[&[(&str, &str)]] = &[
    &[],
    &[("slab-paper", "true")],
    &[("slab-paper", "true"), ("bypass", "profitable")],
    &[
        ("slab-paper", "true"),
        ("simplify", "false"),
        ("bypass", "off"),
    ],
    &[
        ("slab-paper", "true"),
        ("sub-path", "earliest"),
        ("atomic", "true"),
    ],
    &[
        ("slab-paper", "true"),
        ("path-slice", "true"),
        ("order", "reverse"),
    ],
    &[
        ("bypass", "profitable"),
        ("simplify", "true"),
        ("up-front", "0"),
    ],
    &[("decompose", "false"), ("up-front", "0")],
    &[
        ("reuse", "false"),
        ("minimise", "false"),
        ("witnesses", "false"),
    ],
    &[
        ("syntactic", "false"),
        ("order", "reverse"),
        ("sub-path", "earliest"),
    ],
];

#[test]
fn verdicts_agree_with_explicit_search() {
    let cases = std::env::var("SLAB_CASES").map_or(60, |n| n.parse().expect("a number"));
    let mut seen = [0, 0];
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let text = finite_system(&mut rng, assignments, "a and x = 3 and p = w");
        let loaded = read("sct", &text);
        let expected = explored(&loaded);
        if std::env::var_os("SLAB_SHOW").is_some() {
            eprintln!("seed {seed}\n{text}");
        }
        seen[usize::from(expected == Status::Holds)] += 1;
        for settings in CONFIGURATIONS {
            let report = verdict(&loaded, "bad", settings);
            assert_eq!(report.status, expected, "seed {seed}, {settings:?}\n{text}");
        }
    }
    assert!(seen[0] > cases / 10 && seen[1] > cases / 10, "{seen:?}");
}
