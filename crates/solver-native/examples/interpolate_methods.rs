//! How the methods of interpolation do on random sequences: answers, fallbacks, sizes, times.
//!
//! `interpolate_methods [CASES] [SEED] [KIND]`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/interpolate_common/mod.rs"]
mod interpolate_common;

use interpolate_common::{Kind, sequence};
use sectile_base::Budget;
use sectile_solver::{Answer, Interpolation, Interpolator, Solver};
use sectile_solver_native::NativeSolver;
use sectile_solver_native::interpolate::{
    InterpolationStatistics, Method, NativeInterpolator, Settings,
};
use sectile_terms::{Term, Terms};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Row {
    refuted: u64,
    own: u64,
    mixed: u64,
    unmixed: u64,
    broken: u64,
    unknown: u64,
    atoms: usize,
    time: Duration,
    slowest: Duration,
    fallbacks: [u64; Method::ALL.len()],
}

impl Row {
    fn add(&mut self, method: Method, statistics: &InterpolationStatistics) {
        self.own += statistics.answered_by(method);
        self.mixed += statistics.mixed;
        self.unmixed += statistics.unmixed;
        self.broken += statistics.broken;
        for other in Method::ALL {
            if other != method {
                self.fallbacks[other.position()] += statistics.answered_by(other);
            }
        }
    }
}

fn budget() -> Budget {
    Budget::unlimited().with_time(Duration::from_secs(10))
}

fn plain_check(kind: Kind, cases: u64, start: u64) -> Duration {
    let mut time = Duration::ZERO;
    for seed in start..start + cases {
        let terms = Terms::new();
        let blocks = sequence(&terms, kind, seed);
        let begin = Instant::now();
        let mut solver = NativeSolver::new(&terms);
        for block in blocks {
            solver.assert(block).unwrap();
        }
        if let Answer::Unsat(_) = solver.check(&[], &budget()).unwrap() {
            time += begin.elapsed();
        }
    }
    time
}

fn run(method: Method, kind: Kind, cases: u64, start: u64, changed: fn(&mut Settings)) -> Row {
    let mut row = Row::default();
    for seed in start..start + cases {
        let terms = Terms::new();
        let blocks = sequence(&terms, kind, seed);
        let mut settings = Settings {
            method,
            ..Settings::default()
        };
        changed(&mut settings);
        let mut interpolator = NativeInterpolator::with_settings(&terms, settings);
        let begin = Instant::now();
        let answer = interpolator.sequence(&blocks, &budget()).unwrap();
        let time = begin.elapsed();
        match answer {
            Interpolation::Sat(_) => continue,
            Interpolation::Unknown(_) => row.unknown += 1,
            Interpolation::Unsat(list) => {
                row.refuted += 1;
                row.atoms += list.iter().map(|&t| atoms(&terms, t)).sum::<usize>();
            }
        }
        row.time += time;
        row.slowest = row.slowest.max(time);
        row.add(method, interpolator.statistics());
    }
    row
}

fn atoms(terms: &Terms, t: Term) -> usize {
    terms.atoms(t).len()
}

fn print(name: &str, row: &Row) {
    let others: Vec<String> = Method::ALL
        .iter()
        .filter(|m| row.fallbacks[m.position()] > 0)
        .map(|m| format!("{m} {}", row.fallbacks[m.position()]))
        .collect();
    println!(
        "  {name:<24} refuted {:>4} own {:>4} unknown {:>2} mixed {:>2} unmixed {:>2} broken {:>2} \
         atoms {:>5.1} mean {:>8.3} ms slowest {:>8.1} ms {}",
        row.refuted,
        row.own,
        row.unknown,
        row.mixed,
        row.unmixed,
        row.broken,
        row.atoms as f64 / row.refuted.max(1) as f64,
        row.time.as_secs_f64() * 1e3 / row.refuted.max(1) as f64,
        row.slowest.as_secs_f64() * 1e3,
        others.join(", "),
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| {
        let given = arguments.get(i).and_then(|v| v.parse().ok());
        given.unwrap_or(default)
    };
    let (cases, start) = (number(0, 200), number(1, 1));
    for kind in Kind::ALL {
        let wanted = arguments.get(2);
        if wanted.is_some_and(|w| *w != format!("{kind:?}")) {
            continue;
        }
        let plain = plain_check(kind, cases, start);
        println!("{kind:?}: deciding the unsatisfiable ones takes {plain:?}");
        for method in Method::ALL {
            let row = run(method, kind, cases, start, |_| {});
            print(method.name(), &row);
        }
        let row = run(Method::McMillan, kind, cases, start, |s| s.minimise = false);
        print("mcmillan of everything", &row);
    }
}
