//! Polyhedra and zones against other libraries, through Python, where they are installed.
//!
//! `SECTILE_PPL_PYTHON` names an interpreter that can import `ppl` (reals) and `islpy` (integers);
//! otherwise `python3` is tried. What cannot be imported is skipped, visibly.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use sectile_base::{Int, Rat, Rng};
use sectile_domains::domain::Domain;
use sectile_domains::linear::{Affine, Constraint, Numbers, Relation};
use sectile_domains::poly::Poly;
use sectile_domains::zone::Zone;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

fn words(list: &[Constraint]) -> String {
    let mut text = String::new();
    for c in list {
        for k in &c.coefficients {
            write!(text, "{k} ").unwrap();
        }
        let relation = match c.relation {
            Relation::Equal => "=",
            Relation::AtMost => "<=",
            Relation::Below => "<",
        };
        write!(text, "{relation} {};", c.bound).unwrap();
    }
    text
}

fn set<D: Domain>(set: Option<&D>) -> String {
    set.map_or("none".to_string(), |s| words(&s.constraints()))
}

fn assignment(sources: &[Affine], variables: usize) -> String {
    let row = |s: &Affine| {
        let numbers = (0..variables).map(|v| s.coefficient(v).to_string());
        let numbers: Vec<String> = numbers.chain([s.constant.to_string()]).collect();
        numbers.join(" ")
    };
    let rows: Vec<String> = sources.iter().map(row).collect();
    rows.join(";")
}

/// Random constraints and values that a domain can express.
trait Random: Domain {
    fn constraint(rng: &mut Rng, variables: usize, closed: bool) -> Constraint;
    fn value(rng: &mut Rng, variables: usize) -> Affine;
    /// Whether hulls are the smallest polyhedra.
    const HULLS: bool;
}

fn relation(rng: &mut Rng, closed: bool) -> Relation {
    match rng.below(6) {
        0 => Relation::Equal,
        1 if !closed => Relation::Below,
        _ => Relation::AtMost,
    }
}

impl Random for Poly {
    fn constraint(rng: &mut Rng, variables: usize, closed: bool) -> Constraint {
        let coefficients = (0..variables).map(|_| Int::from(rng.range(-3..=3)));
        Constraint {
            coefficients: coefficients.collect(),
            relation: relation(rng, closed),
            bound: Int::from(rng.range(-4..=6)),
        }
    }

    fn value(rng: &mut Rng, variables: usize) -> Affine {
        let terms = (0..variables).map(|v| (v, Rat::from(rng.range(-1..=2))));
        Affine {
            terms: terms.filter(|(_, c)| !c.is_zero()).collect(),
            constant: Rat::from(rng.range(-2..=2)),
        }
    }

    const HULLS: bool = true;
}

impl Random for Zone {
    fn constraint(rng: &mut Rng, variables: usize, closed: bool) -> Constraint {
        let mut coefficients = vec![Int::ZERO; variables];
        let (left, right) = (rng.below(variables as u64 + 1), rng.below(variables as u64));
        if left > 0 {
            coefficients[left as usize - 1] = Int::ONE;
        }
        if left != right + 1 {
            coefficients[right as usize] = Int::from(-1);
        }
        Constraint {
            coefficients,
            relation: relation(rng, closed),
            bound: Int::from(rng.range(-4..=6)),
        }
    }

    fn value(rng: &mut Rng, variables: usize) -> Affine {
        let mut value = Affine::variable(rng.below(variables as u64) as usize);
        if rng.chance(1, 4) {
            value.terms.clear();
        }
        value.constant = Rat::from(rng.range(-2..=2));
        value
    }

    const HULLS: bool = false;
}

fn random<D: Random>(rng: &mut Rng, numbers: Numbers, variables: usize, closed: bool) -> Option<D> {
    let count = 1 + rng.below(5);
    let list = (0..count).map(|_| D::constraint(rng, variables, closed));
    let guards: Vec<D::Guard> = list.flat_map(|c| D::guard(&c).unwrap()).collect();
    D::all(numbers, variables).assume_all(&guards)
}

/// One round of operations, with what this crate makes of them.
fn operations<D: Random>(rng: &mut Rng, out: &mut String) {
    let integers = rng.chance(1, 2);
    let (numbers, name) = match integers {
        true => (Numbers::Integers, "integers"),
        false => (Numbers::Reals, "reals"),
    };
    let variables = 1 + rng.below(3) as usize;
    let closed = rng.chance(1, 2);
    let a: Option<D> = random(rng, numbers, variables, closed);
    let b: Option<D> = random(rng, numbers, variables, closed);
    let (Some(a), Some(b)) = (a, b) else { return };
    let (one, two) = (set(Some(&a)), set(Some(&b)));
    let mut line = |op: &str, rest: &str| {
        writeln!(out, "{op} {name} {variables} | {one} | {rest}").unwrap();
    };
    line("meet", &format!("{two} | {}", set(a.meet(&b).as_ref())));
    let hull = a.hull(&b);
    let op = if closed && D::HULLS { "hull" } else { "covers" };
    line(op, &format!("{two} | {}", set(Some(&hull))));
    let wide = a.widened(&hull);
    line("covers", &format!("{two} | {}", set(Some(&wide))));
    let answer = if a.includes(&b) { "yes" } else { "no" };
    line("includes", &format!("{two} | {answer}"));
    let few = rng.below(variables as u64 + 1) as usize;
    let outside = a.projected(few);
    let inside = a.surely_projected(few);
    let both = format!("{} | {}", set(Some(&outside)), set(inside.as_ref()));
    line("project", &format!("{few} | {both}"));
    let values: Vec<Affine> = (0..variables).map(|_| D::value(rng, variables)).collect();
    let sources: Vec<D::Source> = values.iter().map(|v| D::source(v).unwrap()).collect();
    let text = assignment(&values, variables);
    line(
        "image",
        &format!("{text} | {}", set(Some(&a.image(&sources)))),
    );
    let before = a.preimage(&D::all(numbers, variables), &sources);
    line("preimage", &format!("{text} | {}", set(before.as_ref())));
}

/// What the script answers, or nothing if there is no interpreter.
fn answers(input: String) -> Option<String> {
    let python = std::env::var("SECTILE_PPL_PYTHON").unwrap_or("python3".to_string());
    let script = format!("{}/tests/libraries/compare.py", env!("CARGO_MANIFEST_DIR"));
    let child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // A script that ends early closes the pipe; then its status tells.
    let _ = writer.join();
    assert!(output.status.success(), "the script failed");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Results that are wrong, so that a comparison that sees nothing is noticed.
const WRONG: [&str; 4] = [
    "meet reals 1 | 1 <= 3; | 1 <= 2; | 1 <= 3;",
    "project reals 2 | 1 -1 <= 0;0 1 < 2; | 1 | 1 <= 2; | 1 <= 2;",
    "includes integers 1 | 1 <= 3; | 1 <= 4; | yes",
    "image integers 1 | 1 <= 3; | 1 1 | 1 <= 3;",
];

#[test]
fn other_libraries_see_mistakes() {
    let Some(answers) = answers(WRONG.join("\n")) else {
        eprintln!("skipped: there is no python3, and SECTILE_PPL_PYTHON names none");
        return;
    };
    for line in WRONG {
        let library = if line.contains("reals") {
            "ppl"
        } else {
            "islpy"
        };
        let missing = answers.contains(&format!("missing {library}"));
        let seen = answers.contains(&format!("differs: {line}"));
        assert!(seen || missing, "{line}: {answers}");
    }
}

#[test]
fn other_libraries_find_the_same() {
    let mut input = String::new();
    for seed in 0..400 {
        operations::<Poly>(&mut Rng::new(seed), &mut input);
        operations::<Zone>(&mut Rng::new(seed), &mut input);
    }
    let Some(answers) = answers(input.clone()) else {
        eprintln!("skipped: there is no python3, and SECTILE_PPL_PYTHON names none");
        return;
    };
    for line in answers.lines() {
        if let Some(name) = line.strip_prefix("missing ") {
            eprintln!("skipped: python cannot import {name}; SECTILE_PPL_PYTHON names another");
        }
        assert!(!line.starts_with("differs"), "{line}");
    }
    let looked = answers.lines().find_map(|l| l.strip_prefix("looked at "));
    let looked: usize = looked.unwrap().parse().unwrap();
    if !answers.contains("missing") {
        assert_eq!(looked, input.lines().count());
    }
    eprintln!("{looked} operations were looked at");
}
