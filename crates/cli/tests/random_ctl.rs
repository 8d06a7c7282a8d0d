//! Random CTL formulas on random finite systems, through the front door: `auto` decides every one, with evidence, and
//! says what the evaluation below says, which shares no code with the tool: not even its terms.
//!
//! `SECTILE_FORMULAS=5000 cargo test -p sectile --test it random_ctl` tries more of them.

use sectile_base::Rng;
use sectile_driver::{CheckOptions, Loaded, check, load_text};
use sectile_engine::Silent;
use sectile_report::{Certified, Status};
use sectile_testkit::models::language;
use std::fmt;
use std::time::Duration;

/// Numbers are between 0 and this.
const HIGH: i64 = 3;

/// The values of `b`, `x` and `y`.
type State = (bool, i64, i64);

#[derive(Clone)]
enum Number {
    Constant(i64),
    X,
    Y,
    Sum(Box<Number>, Box<Number>),
    Less(Box<Number>),
    Rest(Box<Number>),
}

impl Number {
    fn value(&self, s: State) -> i64 {
        match self {
            Number::Constant(n) => *n,
            Number::X => s.1,
            Number::Y => s.2,
            Number::Sum(a, b) => a.value(s) + b.value(s),
            Number::Less(a) => a.value(s) - 1,
            Number::Rest(a) => a.value(s).rem_euclid(HIGH),
        }
    }

    fn random(rng: &mut Rng, depth: u32) -> Number {
        let inner = |rng: &mut Rng| Box::new(Number::random(rng, depth - 1));
        match rng.below(if depth == 0 { 3 } else { 6 }) {
            0 => Number::Constant(rng.range(0..=HIGH)),
            1 => Number::X,
            2 => Number::Y,
            3 => Number::Sum(inner(rng), inner(rng)),
            4 => Number::Less(inner(rng)),
            _ => Number::Rest(inner(rng)),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Constant(n) => write!(f, "{n}"),
            Number::X => f.write_str("x"),
            Number::Y => f.write_str("y"),
            Number::Sum(a, b) => write!(f, "({a} + {b})"),
            Number::Less(a) => write!(f, "({a} - 1)"),
            Number::Rest(a) => write!(f, "({a} mod {HIGH})"),
        }
    }
}

#[derive(Clone)]
enum Condition {
    Flag,
    Equal(Number, Number),
    AtMost(Number, Number),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    fn holds(&self, s: State) -> bool {
        match self {
            Condition::Flag => s.0,
            Condition::Equal(a, b) => a.value(s) == b.value(s),
            Condition::AtMost(a, b) => a.value(s) <= b.value(s),
            Condition::Not(a) => !a.holds(s),
            Condition::And(a, b) => a.holds(s) && b.holds(s),
            Condition::Or(a, b) => a.holds(s) || b.holds(s),
        }
    }

    fn random(rng: &mut Rng, depth: u32) -> Condition {
        let inner = |rng: &mut Rng| Box::new(Condition::random(rng, depth - 1));
        match rng.below(if depth == 0 { 3 } else { 6 }) {
            0 => Condition::Flag,
            1 => Condition::Equal(Number::random(rng, 1), Number::random(rng, 1)),
            2 => Condition::AtMost(Number::random(rng, 1), Number::random(rng, 1)),
            3 => Condition::Not(inner(rng)),
            4 => Condition::And(inner(rng), inner(rng)),
            _ => Condition::Or(inner(rng), inner(rng)),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Flag => f.write_str("b"),
            Condition::Equal(a, b) => write!(f, "{a} = {b}"),
            Condition::AtMost(a, b) => write!(f, "{a} <= {b}"),
            Condition::Not(a) => write!(f, "not ({a})"),
            Condition::And(a, b) => write!(f, "({a}) and ({b})"),
            Condition::Or(a, b) => write!(f, "({a}) or ({b})"),
        }
    }
}

struct Command {
    guard: Condition,
    flag: Condition,
    numbers: [Number; 2],
}

struct System {
    init: Condition,
    commands: Vec<Command>,
}

impl System {
    fn random(rng: &mut Rng) -> System {
        let command = |rng: &mut Rng| Command {
            guard: Condition::random(rng, 1),
            flag: Condition::random(rng, 1),
            numbers: [Number::random(rng, 1), Number::random(rng, 1)],
        };
        let count = 1 + rng.below(4);
        System {
            init: Condition::random(rng, 1),
            commands: (0..count).map(|_| command(rng)).collect(),
        }
    }

    /// The numbers of the states after a state. A step out of the ranges is none.
    fn successors(&self, s: State) -> Vec<usize> {
        let possible = self.commands.iter().filter(|c| c.guard.holds(s));
        let steps = possible.map(|c| {
            (
                c.flag.holds(s),
                c.numbers[0].value(s),
                c.numbers[1].value(s),
            )
        });
        let inside = steps.filter(|s| (0..=HIGH).contains(&s.1) && (0..=HIGH).contains(&s.2));
        inside.map(number).collect()
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "var b : bool\nvar x, y : 0..{HIGH}\ninit {}", self.init)?;
        for (k, c) in self.commands.iter().enumerate() {
            let [x, y] = &c.numbers;
            writeln!(
                f,
                "c{k}: {} --> b := {}, x := {x}, y := {y}",
                c.guard, c.flag
            )?;
        }
        Ok(())
    }
}

fn states() -> Vec<State> {
    let numbers = || 0..=HIGH;
    let flags = [false, true].into_iter();
    let all = flags.flat_map(|b| numbers().flat_map(move |x| numbers().map(move |y| (b, x, y))));
    all.collect()
}

fn number((b, x, y): State) -> usize {
    let place = (i64::from(b) * (HIGH + 1) + x) * (HIGH + 1) + y;
    usize::try_from(place).expect("values are in their ranges")
}

enum Formula {
    Now(Condition),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    /// `X`, `F` or `G`, on all paths or on some.
    One(char, bool, Box<Formula>),
    /// `U` or `W`, on all paths or on some.
    Two(char, bool, Box<Formula>, Box<Formula>),
}

impl Formula {
    fn random(rng: &mut Rng, depth: u32) -> Formula {
        if depth == 0 {
            return Formula::Now(Condition::random(rng, 1));
        }
        let a = Box::new(Formula::random(rng, depth - 1));
        let less = u32::try_from(rng.below(u64::from(depth))).expect("depths are small");
        let b = Box::new(Formula::random(rng, less));
        let all = rng.chance(1, 2);
        match rng.below(8) {
            0 => Formula::Not(a),
            1 => Formula::And(a, b),
            2 => Formula::Or(a, b),
            3 => Formula::One('X', all, a),
            4 => Formula::One('F', all, a),
            5 => Formula::One('G', all, a),
            6 => Formula::Two('U', all, a, b),
            _ => Formula::Two('W', all, a, b),
        }
    }

    /// In which states it holds. Paths are maximal: they end where there is no step.
    fn labels(&self, next: &[Vec<usize>]) -> Vec<bool> {
        let every = |f: &dyn Fn(usize) -> bool| -> Vec<bool> { (0..next.len()).map(f).collect() };
        let constant = |value: bool| vec![value; next.len()];
        match self {
            Formula::Now(c) => states().into_iter().map(|s| c.holds(s)).collect(),
            Formula::Not(a) => a.labels(next).iter().map(|v| !v).collect(),
            Formula::And(a, b) => {
                let (a, b) = (a.labels(next), b.labels(next));
                every(&|s| a[s] && b[s])
            }
            Formula::Or(a, b) => {
                let (a, b) = (a.labels(next), b.labels(next));
                every(&|s| a[s] || b[s])
            }
            Formula::One('X', all, a) => {
                let a = a.labels(next);
                every(&|s| match all {
                    true => next[s].iter().all(|&t| a[t]),
                    false => next[s].iter().any(|&t| a[t]),
                })
            }
            Formula::One('F', all, a) => least(next, *all, &constant(true), &a.labels(next)),
            Formula::One(_, all, a) => greatest(next, *all, &a.labels(next), &constant(false)),
            Formula::Two('U', all, a, b) => least(next, *all, &a.labels(next), &b.labels(next)),
            Formula::Two(_, all, a, b) => greatest(next, *all, &a.labels(next), &b.labels(next)),
        }
    }
}

/// `a` until `b`, which happens.
fn least(next: &[Vec<usize>], all: bool, a: &[bool], b: &[bool]) -> Vec<bool> {
    let mut found = b.to_vec();
    loop {
        let step = |s: usize| match all {
            true => !next[s].is_empty() && next[s].iter().all(|&t| found[t]),
            false => next[s].iter().any(|&t| found[t]),
        };
        let more: Vec<bool> = (0..next.len()).map(|s| b[s] || a[s] && step(s)).collect();
        if more == found {
            return found;
        }
        found = more;
    }
}

/// `a` until `b`, or to the end of the path.
fn greatest(next: &[Vec<usize>], all: bool, a: &[bool], b: &[bool]) -> Vec<bool> {
    let mut found = vec![true; next.len()];
    loop {
        let step = |s: usize| match all {
            true => next[s].iter().all(|&t| found[t]),
            false => next[s].is_empty() || next[s].iter().any(|&t| found[t]),
        };
        let fewer: Vec<bool> = (0..next.len()).map(|s| b[s] || a[s] && step(s)).collect();
        if fewer == found {
            return found;
        }
        found = fewer;
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = |all: &bool| if *all { 'A' } else { 'E' };
        match self {
            Formula::Now(c) => write!(f, "({c})"),
            Formula::Not(a) => write!(f, "not ({a})"),
            Formula::And(a, b) => write!(f, "(({a}) and ({b}))"),
            Formula::Or(a, b) => write!(f, "(({a}) or ({b}))"),
            Formula::One(operator, all, a) => write!(f, "{}{operator} ({a})", paths(all)),
            Formula::Two(operator, all, a, b) => {
                write!(f, "{}[({a}) {operator} ({b})]", paths(all))
            }
        }
    }
}

/// Says of a random formula what `auto` says, after comparing it.
fn agrees(seed: u64) -> Status {
    let mut rng = Rng::new(seed);
    let system = System::random(&mut rng);
    let depth = 1 + u32::try_from(rng.below(3)).expect("depths are small");
    let formula = Formula::random(&mut rng, depth);
    let next: Vec<Vec<usize>> = states().into_iter().map(|s| system.successors(s)).collect();
    let labels = formula.labels(&next);
    let starts = states().into_iter().filter(|s| system.init.holds(*s));
    let expected = match { starts }.all(|s| labels[number(s)]) {
        true => Status::Holds,
        false => Status::Violated,
    };
    let text = format!("{system}ctl f: {formula}\n");
    let loaded = load_text("random.sct", text.clone(), language("sct"), &[]);
    let loaded = loaded.unwrap_or_else(|e| panic!("{text}\n{e}"));
    decides(&loaded, &[], expected, &format!("seed {seed}\n{text}"));
    // The search of single states decides nearly all; the others must not depend on it.
    let others = ["bdd", "ctl", "poly", "partial"];
    decides(&loaded, &others, expected, &format!("seed {seed}\n{text}"));
    expected
}

/// Engines, or `auto` if none is named, decide the property as expected, with evidence.
fn decides(loaded: &Loaded, engines: &[&str], expected: Status, what: &str) {
    let options = CheckOptions {
        timeout: Some(Duration::from_secs(120)),
        jobs: 1,
        engines: engines.iter().map(ToString::to_string).collect(),
        ..CheckOptions::default()
    };
    let checked = check(loaded, &options, &mut Silent).expect("the request is right");
    assert_eq!(checked.failures, Vec::<String>::new(), "{what}");
    let report = &checked.report.properties[0];
    assert_eq!(report.status, expected, "{} on {what}", report.engine);
    assert_eq!(report.certified, Certified::Yes, "{what}");
}

#[test]
fn auto_decides_random_formulas_as_another_evaluation_does() {
    let given = std::env::var("SECTILE_FORMULAS");
    let count = given.map_or(300, |n| n.parse().expect("a number of formulas"));
    let holds = (0..count)
        .filter(|&seed| agrees(seed) == Status::Holds)
        .count() as u64;
    let share = count / 5;
    assert!(
        (share..=count - share).contains(&holds),
        "{holds} of {count} hold"
    );
}
