//! Counter systems say of every number of processes what explicit search says of the processes.

use sectile_base::{Budget, Rng};
use sectile_driver::{CheckOptions, Loaded, check, load};
use sectile_engine::Silent;
use sectile_explicit::{Answer, Domain, Options, Stop, explore};
use sectile_questions::counters;
use sectile_report::{Certified, Status};
use std::path::PathBuf;

/// A condition about the process itself, global variables, and counts of others.
fn condition(rng: &mut Rng, depth: u32) -> String {
    if depth > 0 && rng.below(2) == 0 {
        let (l, r) = (condition(rng, depth - 1), condition(rng, depth - 1));
        let word = ["and", "or", "=>"][rng.below(3) as usize];
        return format!("({l} {word} {r})");
    }
    match rng.below(8) {
        0 => "pc = a".to_string(),
        1 => "pc in {b, c}".to_string(),
        2 => "not f".to_string(),
        3 => format!("g = {}", rng.below(3)),
        4 => "(forall j in 1..n: j != i => P[j].pc != c)".to_string(),
        5 => "(exists j in 1..n: P[j].f and P[j].pc = pc)".to_string(),
        6 => format!("(count j in 1..n: P[j].pc = b) <= {}", rng.below(3)),
        _ => format!(
            "(sum j in 1..n: if P[j].f and g <= 1 then 2 else 0) > {}",
            rng.below(4)
        ),
    }
}

fn family(rng: &mut Rng) -> String {
    let mut text = String::from(
        "param n = 2\nvar g : 0..2 = 0\ndefine quiet(k) = P[k].pc = a\nprocess P[i : 1..n] {\n  \
         var pc : {a, b, c} = a\n  var f : bool\n  define busy = pc != a\n",
    );
    for k in 0..2 + rng.below(3) {
        let guard = condition(rng, 2);
        let mut actions = vec![match rng.below(5) {
            0 => "pc := b".to_string(),
            1 => "pc := c".to_string(),
            2 => "pc := a".to_string(),
            3 => "havoc f".to_string(),
            _ => "f := g = 1".to_string(),
        }];
        match rng.below(4) {
            0 => actions.push("g := 2 - g".to_string()),
            1 => actions.push("g := if busy then 1 else g".to_string()),
            _ => {}
        }
        text.push_str(&format!("  s{k}: {guard} --> {}\n", actions.join(", ")));
    }
    if rng.below(2) == 0 {
        text.push_str(
            "  wake[k : 1..n]: pc = b and quiet(k) and k != i --> P[k].pc := b, havoc f\n",
        );
    }
    text.push_str("}\n");
    text.push_str(match rng.below(3) {
        0 => {
            "invariant p: forall i in 1..n, j in 1..n: i < j => not (P[i].pc = c and P[j].pc = c)\n"
        }
        1 => "error p: exists i in 1..n, j in 1..n: i < j and P[i].f and P[j].pc = b\n",
        _ => "invariant p: (count i in 1..n: P[i].pc = c) + g <= 2\n",
    });
    text
}

fn answer(loaded: &Loaded) -> bool {
    let options = Options {
        domain: Domain::new(0.into(), 6.into()).ok(),
        max_depth: None,
        max_states: None,
        stop: Stop::Never,
        keep_steps: false,
    };
    let module = &loaded.reading.module;
    let found = explore(&loaded.terms, module, &options, &Budget::unlimited());
    match found.expect("the model is finite").properties[0].answer {
        // Counters never leave the domain: nothing was cut off.
        Answer::Holds | Answer::NotViolatedWithinBounds => true,
        Answer::Violated => false,
        Answer::Undecided => panic!("the search is complete"),
    }
}

/// The verdict about the counters, which must come back to the processes.
fn certified(counted: &Loaded, family: &counters::Family, text: &str) -> Status {
    let options = CheckOptions::default();
    let mut checked = check(counted, &options, &mut Silent).expect("there is a property");
    family.certify(counted, &options, &mut checked);
    assert_eq!(checked.failures, Vec::<String>::new(), "{text}");
    let report = &checked.report.properties[0];
    assert_eq!(report.certified, Certified::Yes, "{text}");
    report.status
}

#[test]
fn random_families_agree_with_their_counters() {
    let mut seen = [0, 0];
    for seed in 0..60 {
        let text = family(&mut Rng::new(seed));
        let name = format!("sectile-test-{}-family-{seed}.sct", std::process::id());
        let path: PathBuf = std::env::temp_dir().join(name);
        std::fs::write(&path, &text).expect("the temporary folder can be written");
        let file = path.to_str().expect("the path is text");
        for n in 1..=3 {
            let size = [("n".to_string(), n.to_string())];
            let plain = load(file, None, &size).unwrap_or_else(|e| panic!("{text}\n{e}"));
            let (counted, family) =
                counters::load(file, None, &size).unwrap_or_else(|e| panic!("{text}\n{e}"));
            let (a, b) = (answer(&plain), answer(&counted));
            let counters = counted.source.text();
            assert_eq!(a, b, "seed {seed}, n = {n}\n{text}\n{counters}");
            seen[usize::from(a)] += 1;
            if seed < 20 {
                let status = certified(&counted, &family, &text);
                assert_eq!(status == Status::Holds, a, "seed {seed}, n = {n}\n{text}");
            }
        }
        let _ = std::fs::remove_file(&path);
    }
    assert!(seen[0] > 10 && seen[1] > 10, "{seen:?}");
}
