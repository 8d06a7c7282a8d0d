//! Proofs for every number of processes: what is proved, what must not be, and what is checked.

use sectile_base::Budget;
use sectile_certify::Outcome;
use sectile_driver::{CheckOptions, Loaded, load_text, registry};
use sectile_questions::every::{self, Counter, EveryProof, Family, Found};
use sectile_report::Warning;
use std::time::Duration;

pub fn loaded(text: &str, parameters: &[(&str, &str)]) -> Loaded {
    let native = sectile_frontend::frontends()[0];
    let given: Vec<(String, String)> = parameters
        .iter()
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    load_text("<text>", text.to_string(), native, &given).unwrap_or_else(|e| panic!("{e}"))
}

pub fn family(text: &str, parameters: &[(&str, &str)]) -> Family {
    Family::of(&loaded(text, parameters), "n").unwrap_or_else(|e| panic!("{e}"))
}

pub fn found(family: &Family, property: &str) -> Found {
    // Far more than is needed, for machines that do other things.
    let budget = Budget::unlimited().with_time(Duration::from_secs(600));
    let found = every::find(family, property, &CheckOptions::default(), &budget);
    found.unwrap_or_else(|e| panic!("{e}"))
}

pub fn model(name: &str) -> String {
    let path = format!("{}/../../models/{name}.sct", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The document whose table says what is proved.
fn document() -> String {
    let path = format!("{}/../../docs/every-n.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

pub fn judged(family: &Family, proof: &EveryProof) -> Result<Outcome, String> {
    let backend = registry::backend("native", None).expect("it is built in");
    every::certify(family, proof, backend.as_ref(), &Budget::unlimited())
}

pub fn accepted(family: &Family, proof: &EveryProof) -> bool {
    matches!(judged(family, proof), Ok(Outcome::Accepted { .. }))
}

fn proof(name: &str, property: &str) -> (Family, EveryProof) {
    let family = family(&model(name), &[]);
    match found(&family, property) {
        Found::Proved { proof, .. } => (family, proof),
        Found::Violated { size, .. } => panic!("{name} {property}: violated with {size}"),
        Found::Refused(Warning { text: why, .. }) | Found::Unknown(why) => {
            panic!("{name} {property}: {why}")
        }
    }
}

#[test]
fn mutual_exclusion_is_proved_for_every_number_of_processes() {
    let document = document();
    for (name, property) in [
        ("bakery", "mutex"),
        ("ticket", "mutex"),
        ("ticket", "zbound"),
        ("fischer", "mutex"),
        ("readers", "exclusive"),
        ("readers", "single"),
        ("semaphore", "mutex"),
        ("airport-ticket", "mutex"),
        ("airport-bakery", "mutex"),
        ("airport-bakery", "p1"),
        ("airport-bakery", "p3"),
        ("chardriver", "cdr"),
        ("protocols/szymanski", "mutex"),
        ("protocols/two-phase-commit", "agreement"),
        ("protocols/two-phase-commit", "validity"),
        ("protocols/token-ring", "mutex"),
        ("protocols/token-ring", "one"),
        ("protocols/ricart-agrawala", "mutex"),
        ("protocols/german", "coherent"),
        ("protocols/readers-writers", "exclusive"),
        ("protocols/readers-writers", "single"),
        ("protocols/mesi", "single"),
        ("protocols/mesi", "current"),
        ("protocols/mesi", "clean"),
        ("ticket", "live"),
    ] {
        let (family, proof) = proof(name, property);
        assert!(accepted(&family, &proof), "{name} {property}");
        let size = family.qualified(&proof).expect("it is accepted").size();
        let row = format!("| `models/{name}.sct` | `{property}` | {size} | ");
        assert!(document.contains(&row), "docs/every-n.md: {row}");
        // The text of the certificate says the same.
        let text = every::print(&family, std::slice::from_ref(&proof));
        let source = sectile_base::Source::new("certificate", text);
        let read = every::read(&source).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read.proofs, [proof], "{name} {property}");
    }
}

#[test]
fn bugs_are_found_at_the_smallest_number_of_processes() {
    let document = document();
    for (name, property, bug, least) in [
        ("bakery", "mutex", "1", 2),
        ("ticket", "mutex", "1", 2),
        ("ticket", "zbound", "1", 2),
        ("fischer", "mutex", "1", 2),
        ("fischer", "mutex", "2", 2),
        ("readers", "exclusive", "1", 2),
        ("semaphore", "mutex", "1", 2),
        ("airport-ticket", "mutex", "1", 2),
        ("airport-bakery", "mutex", "1", 2),
        ("chardriver", "cdr", "1", 2),
        ("protocols/szymanski", "mutex", "1", 2),
        ("protocols/two-phase-commit", "agreement", "1", 2),
        ("protocols/token-ring", "mutex", "1", 2),
        ("protocols/german", "coherent", "1", 2),
        ("protocols/ricart-agrawala", "mutex", "1", 2),
        ("protocols/readers-writers", "exclusive", "1", 2),
        ("protocols/filter-lock", "mutex", "1", 3),
        ("protocols/mesi", "single", "1", 2),
        ("protocols/mesi", "current", "1", 2),
        ("protocols/mesi", "clean", "1", 2),
        ("ticket", "live", "1", 2),
    ] {
        let family = family(&model(name), &[("bug", bug)]);
        let found = found(&family, property);
        let Found::Violated { size, smallest, .. } = found else {
            panic!("{name} with bug {bug} was not found to be wrong");
        };
        assert_eq!((size, smallest), (least, true), "{name} with bug {bug}");
        let start = format!("| `models/{name}.sct` | `{property}` | ");
        let end = format!(" | violated with n = {least} |");
        let mut rows = document.lines().filter(|l| l.starts_with(&start));
        let told = rows.any(|l| l.ends_with(&end));
        assert!(told, "docs/every-n.md: {start} {end}");
    }
}

/// Every conjunct of a proof is needed, and a wrong one is noticed.
#[test]
fn mutated_certificates_are_refused() {
    for (name, property) in [("bakery", "mutex"), ("protocols/szymanski", "mutex")] {
        let (family, proof) = proof(name, property);
        for k in 0..proof.clauses.len() {
            let mut less = proof.clone();
            less.clauses.remove(k);
            assert!(!accepted(&family, &less), "{name} without clause {k}");
        }
        let mut wrong = proof.clone();
        wrong.clauses[0] = "false".to_string();
        assert!(!accepted(&family, &wrong), "{name}: nothing is initial");
    }
    let (family, proof) = proof("bakery", "mutex");
    for clause in [
        "exists i in 0..n-1: P[i].pc = idle",
        "forall i in 0..n-1: exists j in 0..n-1: P[j].num <= P[i].num",
        "forall i in 0..n-2: P[i].num >= 0 or P[i+1].num >= 0",
        "(count i in 0..n-1: P[i].pc = idle) >= 1",
        "forall i in 0..n-1: P[i].num != n - 100",
        "forall i in 0..n-1: P[i].num + i >= 0",
    ] {
        let mut other = proof.clone();
        other.clauses.push(clause.to_string());
        let outcome = judged(&family, &other);
        let refused = matches!(outcome, Ok(Outcome::Refused(_)) | Err(_));
        assert!(refused, "{clause}: {outcome:?}");
    }
    // It is another way to say what is proved.
    let mut other = proof.clone();
    let clause = "(count i in 0..n-1: P[i].pc = critical) <= 1";
    other.clauses.push(clause.to_string());
    assert!(accepted(&family, &other), "{clause}");
}

/// A counter must count what only the steps of single processes change.
#[test]
fn counters_of_what_a_step_changes_everywhere_are_refused() {
    let text = "param n = 2\n\
        var z : int = 0\n\
        process P[i : 0..n-1] {\n\
          var on : bool = false\n\
          up: not on --> on := true, z := z + 1\n\
        }\n\
        off: true --> z := 0, forall j in 0..n-1: P[j].on := false\n\
        invariant few: z <= 100\n";
    let family = family(text, &[]);
    let counter = |text: &str| Counter {
        name: "ons".to_string(),
        text: text.to_string(),
        witnesses: 0,
    };
    let proof = |text: &str| EveryProof {
        property: "few".to_string(),
        first: 1,
        clauses: vec!["z = ons".to_string(), "z <= 100".to_string()],
        counters: vec![counter(text)],
        ..EveryProof::default()
    };
    for text in [
        "count i in 0..n-1: P[i].on",
        "count i in 0..n-2: P[i].on",
        "count i in 0..n-1: z = 0",
        "sum i in 0..n-1: 1",
        "0",
    ] {
        let outcome = judged(&family, &proof(text));
        let refused = matches!(outcome, Ok(Outcome::Refused(_)) | Err(_));
        assert!(refused, "{text}: {outcome:?}");
    }
}

/// A counter stands for the processes that are left out as well.
#[test]
fn counters_prove_bounds_of_shared_variables() {
    let text = "param n = 2\n\
        var z : int = 0\n\
        process P[i : 0..n-1] {\n\
          var pc : {out, cs} = out\n\
          enter: pc = out and (forall j in 0..n-1: P[j].pc = out) --> pc := cs, z := z + 1\n\
          leave: pc = cs --> pc := out, z := z - 1\n\
        }\n\
        invariant few: z <= 1\n";
    let family = family(text, &[]);
    let proof = |witnesses: usize, mutex: &str| EveryProof {
        property: "few".to_string(),
        first: 1,
        clauses: vec!["z = inside".to_string(), mutex.to_string()],
        counters: vec![Counter {
            name: "inside".to_string(),
            text: "count i in 0..n-1: P[i].pc = cs".to_string(),
            witnesses,
        }],
        ..EveryProof::default()
    };
    let mutex = "forall i in 0..n-1, j in 0..n-1: i != j => P[i].pc = out or P[j].pc = out";
    assert!(accepted(&family, &proof(2, mutex)));
    // Without witnesses nobody knows that there are not many others inside.
    assert!(!accepted(&family, &proof(0, mutex)));
    assert!(!accepted(&family, &proof(2, "true")));
}

/// What a wrong argument would prove, each with the number of processes that shows it wrong.
const TRAPS: &[(&str, &str, i64)] = &[
    (
        "alone: a clause about two processes says nothing about one",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {good, bad} = good\n\
           go: (forall j in 0..n-1: j != i => P[j].pc = bad) --> pc := bad\n\
         }\n\
         invariant safe: forall i in 0..n-1: P[i].pc = good\n",
        1,
    ),
    (
        "exists: it needs a witness",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and (exists j in 0..n-1: j != i and P[j].pc = out) --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        3,
    ),
    (
        "not forall: the same",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and not (forall j in 0..n-1: j = i or P[j].pc = cs) --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        3,
    ),
    (
        "max: the largest number is somebody's",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var x  : 0..3 = 0\n\
           go: x < 3 --> x := (max j in 0..n-1: P[j].x) + 1\n\
         }\n\
         invariant safe: forall i in 0..n-1: P[i].x <= 2\n",
        1,
    ),
    (
        "ring: neighbours of others are not neighbours when some are left out",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and P[(i + 1) mod n].pc = out and P[(i - 1) mod n].pc = out --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        4,
    ),
    (
        "count: it needs as many witnesses",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and (count j in 0..n-1: P[j].pc = out) >= 3 --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        4,
    ),
    (
        "size: a guard that looks at it",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and n > 3 --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1: P[i].pc = out\n",
        4,
    ),
    (
        "size: a command for some sizes only",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           wait when n != 5: pc = out --> skip\n\
           go when n = 5: pc = out --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1: P[i].pc = out\n",
        5,
    ),
    (
        "size: an initial value",
        "param n = 3\n\
         var left : int = n\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out --> pc := cs, left := left - 1\n\
         }\n\
         invariant safe: left <= 3\n",
        4,
    ),
    (
        "pointer: a range of values hides the fourth process",
        "param n = 3\n\
         var a, b : 0..n = 0\n\
         process P[i : 0..n-1] {\n\
           var won : bool = false\n\
           takeA: a = 0 and b != i + 1 --> a := i + 1\n\
           takeB: b = 0 and a != i + 1 --> b := i + 1\n\
           win: a != 0 and b != 0 and a != i + 1 and b != i + 1 --> won := true\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].won and P[j].won)\n",
        4,
    ),
    (
        "pointer: an index that is read out of a process",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var to : 0..n-1 = 0\n\
           var on : bool = false\n\
           turn: to = i --> havoc to\n\
           go: not P[to].on --> on := true\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].on and P[j].on)\n",
        2,
    ),
    (
        "all: what a step does to all it does to those that are left out",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
         }\n\
         all: true --> forall j in 0..n-1: P[j].pc := cs\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        2,
    ),
    (
        "clocks: time passes for all",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           clock c\n\
           go: pc = out and (forall j in 0..n-1: j != i => P[j].c >= 1) --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        2,
    ),
    (
        "restrict: it is not known of the state after a step that the step allows",
        "param n = 3\n\
         var s : int = 0\n\
         restrict s <= 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out --> pc := cs, s := s + 1\n\
         }\n\
         invariant safe: s <= 2\n",
        3,
    ),
    (
        "own: all includes the process itself",
        "param n = 3\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, try, cs} = out\n\
           want: pc = out --> pc := try\n\
           go: pc = try and (forall j in 0..n-1: j != i => P[j].pc != cs or P[i].pc = try) --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        2,
    ),
    (
        "constant: the first processes are not any processes",
        "param n = 2\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and (i < 3 => P[0].pc = out and i = 0) --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        4,
    ),
    (
        "switch: what a parameter leaves on names processes",
        "param n = 2\n\
         param on = 1\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and (on = 0 or i >= 3) and (on = 1 or i = 0) --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j and (on = 1 or j = 1) => not (P[i].pc = cs and P[j].pc = cs)\n",
        5,
    ),
    (
        "last: the last process is not any process",
        "param n = 2\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and (i < n - 3 or i = n - 1) --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        4,
    ),
    (
        "start: processes that start otherwise",
        "param n = 2\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           var may : bool = i >= 2\n\
           go: pc = out and may --> pc := cs\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        4,
    ),
    (
        "arithmetic: indices as numbers",
        "param n = 2\n\
         var s : int = 0\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out --> pc := cs, s := s + i\n\
         }\n\
         invariant safe: s <= 3\n",
        4,
    ),
    (
        "together: all processes move at the same time",
        "param n = 2\n\
         compose synchronous\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out --> pc := cs\n\
           no: pc = out --> skip\n\
         }\n\
         invariant safe: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cs and P[j].pc = cs)\n",
        2,
    ),
    (
        "exists in the property: nobody need be left",
        "param n = 2\n\
         process P[i : 0..n-1] {\n\
           var pc : {out, cs} = out\n\
           go: pc = out and n >= 3 --> pc := cs\n\
         }\n\
         invariant safe: exists i in 0..n-1: P[i].pc = out\n",
        3,
    ),
    (
        "sum: of unbounded data",
        "param n = 2\n\
         process P[i : 0..n-1] {\n\
           var x : 0..1 = 0\n\
           go: x = 0 --> x := 1\n\
         }\n\
         invariant safe: (sum i in 0..n-1: P[i].x) <= 3\n",
        4,
    ),
];

/// The traps whose text is refused, with the place.
const REFUSED: &[&str] = &[
    "size: an initial value",
    "pointer: an index that is read out of a process",
    "arithmetic: indices as numbers",
    "together: all processes move at the same time",
    "sum: of unbounded data",
];

#[test]
fn wrong_arguments_prove_nothing() {
    for (what, text, smallest) in TRAPS {
        let family = family(text, &[]);
        match family.refusal("safe") {
            Some(why) => {
                assert!(why.text.contains("-->"), "{what}: {}", why.text);
                assert!(REFUSED.contains(what), "{what}: {}", why.text);
            }
            None => assert!(!REFUSED.contains(what), "{what}"),
        }
        match found(&family, "safe") {
            Found::Proved { proof, .. } => panic!("{what}: {:?}", proof.clauses),
            Found::Violated { size, .. } => assert_eq!(size, *smallest, "{what}"),
            Found::Refused(Warning { text: why, .. }) | Found::Unknown(why) => {
                panic!("{what}: {why}")
            }
        }
    }
}
