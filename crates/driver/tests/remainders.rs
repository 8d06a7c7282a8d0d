//! Remainders and quotients by constants in engines that know linear constraints only.

use sectile_base::Rng;
use sectile_driver::{CheckOptions, Loaded, check};
use sectile_engine::Silent;
use sectile_report::{Certified, PropertyReport, Status};
use sectile_testkit::driven::read;
use std::time::Duration;

/// The reports about all properties; what is decided has evidence that was accepted.
fn reports(loaded: &Loaded, engine: &str, seconds: u64) -> Vec<PropertyReport> {
    let options = CheckOptions {
        engines: vec![engine.to_string()],
        timeout: Some(Duration::from_secs(seconds)),
        ..CheckOptions::default()
    };
    let checked = check(loaded, &options, &mut Silent).expect("the request is right");
    assert_eq!(checked.failures, Vec::<String>::new());
    for report in &checked.report.properties {
        let decided = report.status != Status::Unknown;
        assert!(!decided || report.certified == Certified::Yes, "{report:?}");
    }
    checked.report.properties
}

/// `ctl` gives these verdicts.
fn decided(text: &str, expected: &[(&str, Status)]) {
    for report in reports(&read("sct", text), "ctl", 20) {
        let known = expected.iter().find(|e| e.0 == report.name);
        let status = known.expect("the verdict is expected").1;
        assert_eq!(report.status, status, "{}: {}", report.name, report.reached);
    }
}

#[test]
fn remainders_of_numbers_that_grow_for_ever() {
    use Status::{Holds, Violated};
    let text = "var x : int = 0\nup: true --> x := x + 1\n\
                invariant p: x mod 3 < 3\nctl q: AG EF x mod 3 = 0\nctl r: AF x mod 3 = 2\n\
                ctl s: AG x mod 2 = 0\nctl t: AG (x mod 3 = 1 => AX x mod 3 = 2)\n\
                ctl u: AG EF x mod 2 = 5\nctl v: AG (2 * x + 1) mod 4 != 2\n";
    let expected = [
        ("p", Holds),
        ("q", Holds),
        ("r", Holds),
        ("s", Violated),
        ("t", Holds),
        ("u", Violated),
        ("v", Holds),
    ];
    decided(text, &expected);
}

#[test]
fn quotients_of_numbers_in_a_range() {
    use Status::{Holds, Violated};
    let text = "var x : 0..20 = 17\nhalf: x > 0 --> x := x div 2\n\
                ctl q: AF x = 0\nctl r: AG x div 4 <= 4\nctl s: AG x div 4 != 2\n\
                ctl t: AG x div 4 != 3\n";
    let expected = [("q", Holds), ("r", Holds), ("s", Violated), ("t", Holds)];
    decided(text, &expected);
}

#[test]
fn a_quotient_of_a_number_that_grows_for_ever() {
    let text = "var x : int = 0\nvar y : int = 0\nup: true --> x := x + 1\n\
                back: x div 3 >= 2 --> x := x - 6, y := x div 2\nctl q: EF y = 3\n\
                ctl r: AG x div 3 < 3\n";
    decided(text, &[("q", Status::Holds), ("r", Status::Violated)]);
}

#[test]
fn what_has_no_known_remainder_is_refused() {
    let text = "var x : int = 0\npick: true --> x := any v\nctl p: AG x mod 2 = 0\n";
    let report = &reports(&read("sct", text), "ctl", 20)[0];
    assert_eq!(report.status, Status::Unknown);
}

fn random_system(rng: &mut Rng) -> String {
    let mut number = |low: i64, high: i64| rng.range(low..=high);
    let mut text = "var x : 0..9 = 1\nvar y : 0..7 = 0\nvar n : int = 0\n".to_string();
    for k in 0..number(1, 3) {
        let (a, b, m) = (number(0, 3), number(0, 4), number(2, 5));
        let (c, d) = (number(2, 3), number(0, 3));
        let guard = match number(0, 3) {
            0 => "true".to_string(),
            1 => format!("(x + y) mod {c} != {d}"),
            2 => format!("n mod {c} = {}", d % c),
            _ => format!("y div {c} >= {}", d % 2),
        };
        let step = match number(0, 3) {
            0 => format!("x := ({a} * x + {b}) mod {m}"),
            1 => format!("y := (x + {b} * y) div {}, n := (n + {a}) mod 6", m + 2),
            2 => format!("x := (x + n + {b}) mod 6, y := y div 2"),
            _ => format!("n := (n + {a} + 1) mod 6"),
        };
        text += &format!("step{k}: {guard} --> {step}\n");
    }
    for (k, property) in [
        "AG EF x mod 2 = 0",
        "AG (x div 3 != 2 or EF n mod 3 = 1)",
        "AF (x + y) mod 4 = 3",
        "AG EX (n + x) mod 2 = 1",
        "AG y <= 7",
    ]
    .into_iter()
    .enumerate()
    {
        text += &format!("ctl p{k}: {property}\n");
    }
    text
}

#[test]
fn random_systems_have_the_verdicts_of_the_search_of_all_states() {
    agree_with_search(12, random_system, 40);
}

#[test]
fn random_systems_that_start_anywhere_have_the_verdicts_of_the_search_of_all_states() {
    // A number without a range that starts anywhere is looked at as quotient and remainder.
    let anywhere = |rng: &mut Rng| {
        let start = "var n : int\ninit n >= 0 and n <= 7";
        random_system(rng).replace("var n : int = 0", start)
    };
    agree_with_search(12, anywhere, 30);
}

/// `ctl` says what explicit search says of all systems, and decides at least this many formulas.
fn agree_with_search(rounds: usize, system: impl Fn(&mut Rng) -> String, least: usize) {
    let mut rng = Rng::new(7);
    let (mut decided, mut holding) = (0, 0);
    for _ in 0..rounds {
        let text = system(&mut rng);
        let loaded = read("sct", &text);
        let all = reports(&loaded, "explicit", 20);
        for (ours, theirs) in reports(&loaded, "ctl", 1).iter().zip(&all) {
            assert_ne!(theirs.status, Status::Unknown, "{text}");
            if ours.status != Status::Unknown {
                assert_eq!(ours.status, theirs.status, "{}\n{text}", ours.name);
                decided += 1;
                holding += usize::from(ours.status == Status::Holds);
            }
        }
    }
    assert!(decided >= least, "most are decided: {decided}");
    assert!((10..decided).contains(&holding), "of both kinds: {holding}");
}
