//! Measures small incremental queries: does an edge of an abstraction have a concrete step?
//!
//! Each check is `pc=1 & x>=y+k & pc'=2 & x'=x+1 & y'=y & x'<=y'+c` for changing `k` and `c`,
//! under assumption terms that are made once and reused. Run with
//! `cargo run --release -p sectile-solver-native --example edge_checks`.

#![allow(clippy::print_stdout)]

use sectile_base::{Budget, Rat, Rng};
use sectile_solver::{Answer, Solver};
use sectile_solver_native::NativeSolver;
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use std::time::Instant;

const CHECKS: usize = 10_000;

struct Edge {
    fixed: Vec<Term>,
    guards: Vec<Term>,
    targets: Vec<Term>,
}

fn edge(terms: &Terms, pc_sort: Sort) -> Edge {
    let declare = |name: &str, sort| {
        terms
            .declare(name, sort, SymbolKind::State)
            .expect("names are declared once")
    };
    let suffix = format!("{pc_sort:?}");
    let pc = declare(&format!("pc{suffix}"), pc_sort);
    let x = declare("x", Sort::Int);
    let y = declare("y", Sort::Int);
    let value = |k: u32| match pc_sort {
        Sort::Enum(id) => terms.variant(id, k),
        _ => terms.int(i64::from(k)),
    };
    let (now, next) = (|s| terms.var(s), |s| terms.next(s));
    let fixed = vec![
        terms.eq(now(pc), value(1)),
        terms.eq(next(pc), value(2)),
        terms.eq(next(x), terms.add(now(x), terms.int(1))),
        terms.eq(next(y), now(y)),
    ];
    let guards = (0..40)
        .map(|k| terms.ge(now(x), terms.add(now(y), terms.int(k - 20))))
        .collect();
    let targets = (0..50)
        .map(|c| terms.le(next(x), terms.add(next(y), terms.int(c - 25))))
        .collect();
    Edge {
        fixed,
        guards,
        targets,
    }
}

/// Runs the checks with the given terms as assumptions; returns microseconds for one.
fn measure(
    solver: &mut NativeSolver<'_>,
    edge: &Edge,
    assume: impl Fn(&Edge, usize, &mut Vec<Term>),
) -> (f64, usize) {
    let budget = Budget::unlimited();
    let mut assumptions = Vec::new();
    let mut satisfiable = 0;
    let start = Instant::now();
    for i in 0..CHECKS {
        assumptions.clear();
        assume(edge, i, &mut assumptions);
        match solver.check(&assumptions, &budget) {
            Ok(Answer::Sat(_)) => satisfiable += 1,
            Ok(_) => {}
            Err(error) => println!("{error}"),
        }
    }
    let micros = start.elapsed().as_secs_f64() * 1e6 / CHECKS as f64;
    (micros, satisfiable)
}

fn pick(edge: &Edge, i: usize) -> [Term; 2] {
    let k = (i * 7919) % edge.guards.len();
    let c = (i * 104_729) % edge.targets.len();
    [edge.guards[k], edge.targets[c]]
}

/// Many different labels over one edge: what a long refinement leaves behind in a solver.
fn many_labels(terms: &Terms) {
    let mut rng = Rng::new(1);
    let symbols: Vec<Symbol> = (0..6)
        .map(|i| {
            let name = format!("v{i}");
            let symbol = terms.declare(&name, Sort::Int, SymbolKind::State);
            symbol.expect("names are declared once")
        })
        .collect();
    let mut solver = NativeSolver::new(terms);
    for (i, &s) in symbols.iter().enumerate() {
        let change = terms.int(i as i64 - 2);
        let step = terms.eq(terms.next(s), terms.add(terms.var(s), change));
        if let Err(error) = solver.assert(step) {
            println!("{error}");
        }
    }
    let labels: Vec<Term> = (0..3000)
        .map(|_| {
            let mut atom = || {
                let mut sum = terms.int(rng.range(-20..=20));
                for _ in 0..2 {
                    let x = symbols[rng.below(6) as usize];
                    let c = Rat::from(rng.range(-2..=2));
                    sum = terms.add(sum, terms.scale(terms.var(x), &c));
                }
                terms.non_pos(sum)
            };
            let parts = [atom(), atom(), atom()];
            if rng.chance(1, 2) {
                terms.or(parts)
            } else {
                parts[0]
            }
        })
        .collect();
    let primed: Vec<Term> = labels.iter().map(|&t| terms.prime(t)).collect();
    let budget = Budget::unlimited();
    for round in 0..5 {
        let mut satisfiable = 0;
        let start = Instant::now();
        for _ in 0..CHECKS {
            let mut pick = |list: &[Term]| list[rng.below(3000) as usize];
            let query = [
                pick(&labels),
                pick(&labels),
                pick(&labels),
                pick(&primed),
                pick(&primed),
            ];
            match solver.check(&query, &budget) {
                Ok(Answer::Sat(_)) => satisfiable += 1,
                Ok(_) => {}
                Err(error) => println!("{error}"),
            }
        }
        let micros = start.elapsed().as_secs_f64() * 1e6 / CHECKS as f64;
        let rows = solver.statistics().rows;
        println!(
            "3000 labels, round {round}: {micros:.2} us per check ({satisfiable} sat, {rows} rows)"
        );
    }
}

fn main() {
    let terms = Terms::new();
    let locations: Vec<String> = (0..8).map(|i| format!("L{i}")).collect();
    let enumeration = terms.declare_enum("Location", &locations);
    for (name, sort) in [
        ("integer", Sort::Int),
        ("enumeration", Sort::Enum(enumeration)),
    ] {
        let edge = edge(&terms, sort);

        let mut solver = NativeSolver::new(&terms);
        let (micros, sat) = measure(&mut solver, &edge, |edge, i, out| {
            out.extend(&edge.fixed);
            out.extend(pick(edge, i));
        });
        println!("pc as {name}: all assumed, edge first: {micros:.2} us per check ({sat} sat)");

        let mut solver = NativeSolver::new(&terms);
        let (micros, sat) = measure(&mut solver, &edge, |edge, i, out| {
            out.extend(pick(edge, i));
            out.extend(&edge.fixed);
        });
        println!("pc as {name}: all assumed, labels first: {micros:.2} us per check ({sat} sat)");

        let mut solver = NativeSolver::new(&terms);
        for &t in &edge.fixed {
            if let Err(error) = solver.assert(t) {
                println!("{error}");
            }
        }
        let (micros, sat) = measure(&mut solver, &edge, |edge, i, out| {
            out.extend(pick(edge, i));
        });
        println!(
            "pc as {name}: edge asserted, labels assumed: {micros:.2} us per check ({sat} sat)"
        );
    }
    many_labels(&terms);
}
