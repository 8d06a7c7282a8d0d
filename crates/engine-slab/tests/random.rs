//! Random finite systems: the engine agrees with explicit search, whatever is switched on or off.
//!
//! `SLAB_CASES=3000` runs more of them, `SLAB_SHOW=1` shows each.
#![allow(clippy::print_stderr)]

mod common;

use common::verdict;
use sectile_base::{Budget, Rng};
use sectile_driver::{Loaded, load_text};
use sectile_explicit::{Answer, Options, Stop, explore};
use sectile_frontend::frontends;
use sectile_report::Status;

/// A random condition over `a`, `b` (Boolean), `p` (enumeration) and `x`, `y` (0..3).
fn condition(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 || rng.below(3) == 0 {
        return match rng.below(6) {
            0 => "a".to_string(),
            1 => "not b".to_string(),
            2 => format!("p = {}", ["u", "v", "w"][rng.below(3) as usize]),
            3 => format!("x <= {}", rng.below(4)),
            4 => format!("x = y + {}", rng.below(2)),
            _ => "x < y".to_string(),
        };
    }
    let (l, r) = (condition(rng, depth - 1), condition(rng, depth - 1));
    let word = ["and", "or"][rng.below(2) as usize];
    format!("({l} {word} {r})")
}

fn assignment(rng: &mut Rng) -> String {
    match rng.below(7) {
        0 => "a := not a".to_string(),
        1 => format!("b := {}", condition(rng, 1)),
        2 => format!("p := {}", ["u", "v", "w"][rng.below(3) as usize]),
        3 => "x := x + 1".to_string(),
        4 => "x := y".to_string(),
        5 => "y := 3 - x".to_string(),
        _ => "havoc y".to_string(),
    }
}

fn model(rng: &mut Rng) -> String {
    let mut text = String::from(
        "var a, b : bool\nvar p : {u, v, w}\nvar x, y : 0..3\ninit not a and p = u and x = 0\n",
    );
    for k in 0..2 + rng.below(4) {
        let guard = condition(rng, 2);
        if rng.below(5) == 0 {
            let next = ["x' = x", "x' <= y", "p' = p and y' = y", "a' != a"];
            let next = next[rng.below(4) as usize];
            text.push_str(&format!("relation r{k}: {guard} and {next}\n"));
        } else {
            let mut parts = vec![assignment(rng)];
            let other = assignment(rng);
            if other.split(' ').find(|w| *w != "havoc")
                != parts[0].split(' ').find(|w| *w != "havoc")
            {
                parts.push(other);
            }
            text.push_str(&format!("c{k}: {guard} --> {}\n", parts.join(", ")));
        }
    }
    let (e, f) = (condition(rng, 1), condition(rng, 2));
    text.push_str(&format!(
        "error bad: ({e} and {f}) or (a and x = 3 and p = w)\n"
    ));
    text
}

fn truth(loaded: &Loaded) -> bool {
    let options = Options {
        domain: None,
        max_depth: None,
        max_states: None,
        stop: Stop::Never,
    };
    let module = &loaded.reading.module;
    let found = explore(&loaded.terms, module, &options, &Budget::unlimited());
    let found = found.expect("the model is finite");
    match found.properties[0].answer {
        Answer::Holds => true,
        Answer::Violated => false,
        Answer::NotViolatedWithinBounds | Answer::Undecided => panic!("the search is complete"),
    }
}

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
        ("sub-path", "latest"),
        ("atomic", "true"),
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
        let text = model(&mut rng);
        let sct = frontends().iter().find(|f| f.name() == "sct");
        let sct = *sct.expect("the native language is there");
        let loaded = load_text("random.sct", text.clone(), sct, &[]);
        let loaded = loaded.unwrap_or_else(|e| panic!("{text}\n{e}"));
        let holds = truth(&loaded);
        if std::env::var_os("SLAB_SHOW").is_some() {
            eprintln!("seed {seed}\n{text}");
        }
        seen[usize::from(holds)] += 1;
        for settings in CONFIGURATIONS {
            let report = verdict(&loaded, "bad", settings);
            let expected = if holds {
                Status::Holds
            } else {
                Status::Violated
            };
            assert_eq!(report.status, expected, "seed {seed}, {settings:?}\n{text}");
        }
    }
    assert!(seen[0] > cases / 10 && seen[1] > cases / 10, "{seen:?}");
}
