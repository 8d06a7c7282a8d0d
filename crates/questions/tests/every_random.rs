//! Random small families: what is proved for every number of processes is confirmed by explicit
//! search for few of them.

use sectile_base::{Budget, Rng};
use sectile_driver::{CheckOptions, check, load_text};
use sectile_engine::Silent;
use sectile_questions::every::{Family, Found, find};
use sectile_report::Status;
use std::fmt::Write as _;
use std::time::Duration;

/// So many families by default; `SECTILE_FAMILIES` asks for more.
const FAMILIES: u64 = 30;

fn pick(rng: &mut Rng, list: &[&str]) -> String {
    rng.pick(list).expect("the list is not empty").to_string()
}

/// A condition on another process `j`.
fn other(rng: &mut Rng) -> String {
    let own = [
        "P[j].pc = a",
        "P[j].pc != b",
        "P[j].pc != c",
        "P[j].x <= x",
        "P[j].x != x",
    ];
    pick(rng, &own)
}

fn guard(rng: &mut Rng) -> String {
    let mut parts = vec![format!("pc = {}", pick(rng, &["a", "b", "c"]))];
    let count = rng.below(3);
    for _ in 0..count {
        let inner = other(rng);
        parts.push(match rng.below(14) {
            0 | 1 => format!("(forall j in 0..n-1: j != i => {inner})"),
            2 => format!("(forall j in 0..n-1: {inner})"),
            3 => format!("(exists j in 0..n-1: j != i and {inner})"),
            4 => format!("not (forall j in 0..n-1: {inner})"),
            5 => format!("(forall j in 0..n-1: j < i => {inner})"),
            6 => format!(
                "(count j in 0..n-1: {inner}) {} {}",
                pick(rng, &["<=", ">=", "="]),
                rng.below(4)
            ),
            7 => format!("P[(i + 1) mod n].pc = {}", pick(rng, &["a", "b", "c"])),
            8 => format!("P[0].pc {} a", pick(rng, &["=", "!="])),
            9 => format!("lock {} i + 1", pick(rng, &["=", "!="])),
            10 => "lock = 0".to_string(),
            11 => format!("n {} {}", pick(rng, &["<", ">", "="]), rng.below(5)),
            12 => format!("s {} {}", pick(rng, &["=", "<", ">"]), rng.below(3)),
            _ => format!("ptr {} i", pick(rng, &["=", "!="])),
        });
    }
    parts.join(" and ")
}

fn effects(rng: &mut Rng) -> String {
    let mut parts = vec![format!("pc := {}", pick(rng, &["a", "b", "c"]))];
    let extra = [
        "lock := i + 1",
        "lock := 0",
        "s := if s < 2 then s + 1 else 0",
        "s := 0",
        "x := s",
        "x := if x < 2 then x + 1 else 0",
        "ptr := i",
    ];
    for _ in 0..rng.below(3) {
        let one = pick(rng, &extra);
        let target = one.split(' ').next().unwrap_or("").to_string();
        if !parts.iter().any(|p| p.starts_with(&format!("{target} "))) {
            parts.push(one);
        }
    }
    parts.join(", ")
}

fn text(rng: &mut Rng) -> String {
    let mut out = "param n = 2\nvar lock : int = 0\nvar ptr : 0..n-1 = 0\nvar s : 0..2 = 0\n\
                   process P[i : 0..n-1] {\n  var pc : {a, b, c} = a\n"
        .to_string();
    let start = pick(rng, &["0", "0", "if i = 0 then 1 else 0"]);
    let _ = writeln!(out, "  var x : 0..2 = {start}");
    for k in 0..2 + rng.below(3) {
        let (guard, effects) = (guard(rng), effects(rng));
        let _ = writeln!(out, "  step{k}: {guard} --> {effects}");
    }
    out += "}\n";
    if rng.chance(1, 4) {
        let each = pick(rng, &["P[j].pc := a", "P[j].x := 0"]);
        let _ = writeln!(out, "all: s = 1 --> s := 0, forall j in 0..n-1: {each}");
    }
    let pair =
        |a: &str, b: &str| format!("forall i in 0..n-1, j in 0..n-1: i != j => not ({a} and {b})");
    let property = match rng.below(5) {
        0 => pair("P[i].pc = c", "P[j].pc = c"),
        1 => pair("P[i].pc = b", "P[j].pc = c"),
        2 => "forall i in 0..n-1: P[i].pc = c => P[i].x = 0".to_string(),
        3 => "s <= 1".to_string(),
        _ => "(count i in 0..n-1: P[i].pc = b) <= 2".to_string(),
    };
    let _ = writeln!(out, "invariant safe: {property}");
    out
}

/// A family in which processes do not look at each other much, and may wait.
fn waiting(rng: &mut Rng) -> String {
    let mut out = "param n = 2\nvar lock : int = 0\nvar s, t : 0..3 = 0\n\
                   process P[i : 0..n-1] {\n  var pc : {a, b, c} = a\n  var x : 0..3 = 0\n"
        .to_string();
    let conditions = [
        "lock = 0",
        "lock = i + 1",
        "lock != i + 1",
        "x = s",
        "x <= s",
        "s < t",
        "s > 0",
        "t < 3",
        "P[0].pc = a",
        "(exists j in 0..n-1: P[j].x > x)",
        "(forall j in 0..n-1: P[j].x <= x)",
    ];
    let effects = [
        "lock := i + 1",
        "lock := 0",
        "s := s + 1",
        "s := 0",
        "t := t + 1",
        "x := t",
        "x := s",
    ];
    let mut steps = vec![("a", "b"), ("b", "c"), ("a", "c")];
    // Who goes round may keep the others waiting.
    if rng.chance(1, 4) {
        steps.push(("c", "a"));
    }
    for (k, (from, to)) in steps.into_iter().enumerate() {
        if rng.chance(1, 8) {
            continue;
        }
        let mut guard = vec![format!("pc = {from}")];
        for _ in 0..rng.below(5) / 2 {
            // Conditions that look at others are rarer.
            let most = if rng.chance(1, 3) {
                conditions.len()
            } else {
                8
            };
            guard.push(pick(rng, &conditions[..most]));
        }
        let mut effect = vec![format!("pc := {to}")];
        let one = pick(rng, &effects);
        if rng.chance(2, 3) {
            effect.push(one);
        }
        let (guard, effect) = (guard.join(" and "), effect.join(", "));
        let _ = writeln!(out, "  step{k}: {guard} --> {effect}");
    }
    out += "}\n";
    let (from, to) = (pick(rng, &["a", "b"]), pick(rng, &["b", "c", "c"]));
    let says = format!("forall i in 0..n-1: AG(P[i].pc = {from} => AF P[i].pc = {to})");
    let _ = writeln!(out, "ctl safe: {says}");
    out
}

#[test]
fn what_is_proved_holds_for_few_processes() {
    let (proved, decided, families) = confirmed(text, false);
    assert!(
        proved * 10 >= families && decided * 2 >= families,
        "{proved} proved, {decided} decided of {families}"
    );
}

#[test]
fn who_is_served_for_every_number_is_so_for_few() {
    let (proved, decided, families) = confirmed(waiting, true);
    assert!(
        proved * 20 >= families && decided * 2 >= families,
        "{proved} proved, {decided} decided of {families}"
    );
}

/// Confirms what is found out about families; how many are proved, decided and looked at.
#[allow(clippy::print_stderr)]
fn confirmed(text: fn(&mut Rng) -> String, may_refuse: bool) -> (u64, u64, u64) {
    let asked = std::env::var("SECTILE_FAMILIES").ok();
    let families = asked.and_then(|n| n.parse().ok()).unwrap_or(FAMILIES);
    let native = sectile_frontend::frontends()[0];
    let load = |text: &str, n: i64| {
        let given = [("n".to_string(), n.to_string())];
        let loaded = load_text("<random>", text.to_string(), native, &given);
        loaded.unwrap_or_else(|e| panic!("{e}\n{text}"))
    };
    let verdict = |text: &str, n: i64| {
        let options = CheckOptions {
            engines: vec!["explicit".to_string()],
            warn: false,
            ..CheckOptions::default()
        };
        let checked = check(&load(text, n), &options, &mut Silent);
        let checked = checked.unwrap_or_else(|e| panic!("{e}"));
        checked.report.properties[0].status
    };
    let (mut proved, mut violated) = (0, 0);
    for seed in 0..families {
        let text = text(&mut Rng::new(seed));
        let family = Family::of(&load(&text, 2), "n").unwrap_or_else(|e| panic!("{e}"));
        let budget = Budget::unlimited().with_time(Duration::from_secs(20));
        let found = find(&family, "safe", &CheckOptions::default(), &budget);
        match found.unwrap_or_else(|e| panic!("{e}\n{text}")) {
            Found::Proved { .. } => {
                proved += 1;
                for n in 1..=4 {
                    assert_eq!(
                        verdict(&text, n),
                        Status::Holds,
                        "n = {n}, seed {seed}\n{text}"
                    );
                }
            }
            Found::Violated { size, .. } => {
                violated += 1;
                if size <= 4 {
                    assert_eq!(
                        verdict(&text, size),
                        Status::Violated,
                        "seed {seed}\n{text}"
                    );
                }
                for n in 1..size.min(5) {
                    assert_eq!(
                        verdict(&text, n),
                        Status::Holds,
                        "n = {n}, seed {seed}\n{text}"
                    );
                }
            }
            Found::Refused(why) => assert!(may_refuse, "{}\n{text}", why.text),
            Found::Unknown(_) => {}
        }
    }
    let decided = proved + violated;
    if families != FAMILIES {
        eprintln!("{proved} proved, {violated} violated of {families}");
    }
    (proved, decided, families)
}
