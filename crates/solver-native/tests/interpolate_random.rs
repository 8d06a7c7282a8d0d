//! Interpolants of random sequences keep their contract, whatever the method.
//!
//! `FUZZ_CASES` and `FUZZ_SEED` choose how many sequences of each kind to try and where to start.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use crate::interpolate_common;

use interpolate_common::{Kind, sequence};
use sectile_base::Budget;
use sectile_solver::{Backend, Broken, Interpolation, Interpolator, check_sequence};
use sectile_solver_native::NativeSolver;
use sectile_solver_native::interpolate::{Method, NativeInterpolator, Settings};
use sectile_solver_process::{ProcessBackend, dialect};
use sectile_terms::{NativePrinter, Term, Terms};
use std::time::Duration;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

fn printed(terms: &Terms, list: &[Term]) -> String {
    let printer = NativePrinter::new(terms);
    let lines: Vec<String> = list.iter().map(|&t| printer.print(t)).collect();
    lines.join("\n")
}

fn run(method: Method, kind: Kind) {
    let cases = number("FUZZ_CASES", if kind == Kind::Long { 20 } else { 60 });
    let start = number("FUZZ_SEED", 1);
    let (mut refuted, mut unknown, mut by_itself, mut informative) = (0, 0, 0, 0);
    for seed in start..start + cases {
        let terms = Terms::new();
        let blocks = sequence(&terms, kind, seed);
        let settings = Settings {
            method,
            ..Settings::default()
        };
        let mut interpolator = NativeInterpolator::with_settings(&terms, settings);
        let budget = || Budget::unlimited().with_time(Duration::from_secs(10));
        match interpolator.sequence(&blocks, &budget()).unwrap() {
            Interpolation::Sat(model) => {
                let view: &dyn sectile_solver::ModelView = &model;
                for &block in &blocks {
                    let value = view.eval(&terms, block).unwrap();
                    assert_eq!(value.as_bool(), Some(true), "{kind:?} {seed}");
                }
            }
            Interpolation::Unsat(list) => {
                refuted += 1;
                let statistics = interpolator.statistics();
                assert_eq!(
                    statistics.broken,
                    0,
                    "{method} {kind:?} {seed}: a result did not keep its contract\n{}\n{}",
                    printed(&terms, &blocks),
                    printed(&terms, &list),
                );
                by_itself += statistics.answered_by(method);
                informative += u64::from(list.iter().any(|&t| terms.as_bool(t).is_none()));
                let mut oracle = NativeSolver::new(&terms);
                let verdict =
                    check_sequence(&terms, &mut oracle, &blocks, &list, &budget()).unwrap();
                assert_eq!(verdict, Ok(()), "{method} {kind:?} {seed}");
            }
            Interpolation::Unknown(why) => {
                unknown += 1;
                eprintln!(
                    "{method} {kind:?} {seed}: {why:?} {:?}",
                    interpolator.statistics()
                );
            }
        }
    }
    eprintln!(
        "{method} {kind:?}: {refuted} refuted, {informative} with more than constants, \
         {by_itself} by the method, {unknown} unknown"
    );
    assert!(unknown * 20 <= cases);
    assert!(informative * 20 >= cases);
}

macro_rules! methods {
    ($($name:ident $method:ident)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn nested() {
                run(Method::$method, Kind::Nested);
            }

            #[test]
            fn real_conjunctions() {
                run(Method::$method, Kind::RealConjunctions);
            }

            #[test]
            fn int_conjunctions() {
                run(Method::$method, Kind::IntConjunctions);
            }

            #[test]
            fn unrolling() {
                run(Method::$method, Kind::Unrolling);
            }

            #[test]
            fn equations() {
                run(Method::$method, Kind::Equations);
            }

            #[test]
            fn knapsack() {
                run(Method::$method, Kind::Knapsack);
            }

            #[test]
            fn long() {
                run(Method::$method, Kind::Long);
            }
        }
    )*};
}

methods! {
    mcmillan McMillan
    pudlak Pudlak
    dual_mcmillan DualMcMillan
    dual_farkas DualFarkas
    decomposed Decomposed
    dual_decomposed DualDecomposed
    strongest_post StrongestPost
    weakest_pre WeakestPre
    beautiful Beautiful
    projection Projection
}

/// A solver that has nothing in common with ours says the same about every interpolant.
#[test]
fn another_solver_agrees() {
    let backend = ProcessBackend::new(dialect("z3").unwrap());
    if backend.find_program().is_err() {
        eprintln!("SKIPPED: z3 is not installed");
        return;
    }
    let cases = number("FUZZ_CASES", 40) / 4;
    let start = number("FUZZ_SEED", 1);
    let mut checked = 0;
    for kind in Kind::ALL {
        for seed in start..start + cases {
            let terms = Terms::new();
            let blocks = sequence(&terms, kind, seed);
            let mut oracle = backend.solver(&terms).unwrap();
            for method in Method::ALL {
                let settings = Settings {
                    method,
                    minimise: seed % 2 == 0,
                };
                let mut interpolator = NativeInterpolator::with_settings(&terms, settings);
                let budget = || Budget::unlimited().with_time(Duration::from_secs(10));
                let Interpolation::Unsat(list) = interpolator.sequence(&blocks, &budget()).unwrap()
                else {
                    break;
                };
                checked += 1;
                let verdict =
                    check_sequence(&terms, oracle.as_mut(), &blocks, &list, &budget()).unwrap();
                assert!(
                    matches!(verdict, Ok(()) | Err(Broken::Unknown(_))),
                    "{method} {kind:?} {seed}: {verdict:?}\n{}\n{}",
                    printed(&terms, &blocks),
                    printed(&terms, &list),
                );
            }
        }
    }
    eprintln!("z3 confirmed {checked} sequences");
    assert!(checked > 0);
}
