//! Runs an SMT-LIB script: `smt2 FILE [SECONDS [SECONDS-PER-CHECK]]`. For measurements; the real front-end is
//! `sectile smt`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use sectile_base::Budget;
use sectile_smtlib::{CommandKind, Scope, Undeclared, declare, parse_term, read_script};
use sectile_solver::{Answer, Solver};
use sectile_solver_native::{NativeSolver, Options};
use sectile_terms::{SymbolKind, Terms};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a file name");
    let seconds: f64 = arguments
        .next()
        .map_or(3600.0, |s| s.parse().expect("seconds"));
    let per_check: f64 = arguments
        .next()
        .map_or(seconds, |s| s.parse().expect("seconds"));
    let text = std::fs::read_to_string(path).expect("a readable file");
    let script = read_script(&text).expect("a script");
    let terms = Terms::new();
    let options = Options {
        proofs: std::env::var("PROOFS").is_ok(),
    };
    let mut solver = NativeSolver::with_options(&terms, options);
    let mut scope = Scope::new(Undeclared::Refused);
    let start = Instant::now();
    let mut longest = Duration::ZERO;
    let whole = Budget::unlimited().with_time(Duration::from_secs_f64(seconds));
    for command in &script.commands {
        let mut term = |e| parse_term(&terms, &script.tree, e, &mut scope).expect("a term");
        let assumptions = match &command.kind {
            CommandKind::Assert(e) => {
                solver.assert(term(*e)).expect("a supported term");
                continue;
            }
            CommandKind::Push(n) => {
                (0..*n).for_each(|_| solver.push());
                continue;
            }
            CommandKind::Pop(n) => {
                (0..*n).for_each(|_| solver.pop());
                continue;
            }
            CommandKind::CheckSat => Vec::new(),
            CommandKind::CheckSatAssuming(list) => list.iter().map(|&e| term(e)).collect(),
            kind => {
                let tree = &script.tree;
                declare(
                    &terms,
                    tree,
                    kind,
                    command.span,
                    SymbolKind::Rigid,
                    &mut scope,
                )
                .expect("a declaration");
                continue;
            }
        };
        let begun = Instant::now();
        let budget = whole.clone().with_time(Duration::from_secs_f64(per_check));
        match solver
            .check(&assumptions, &budget)
            .expect("a supported query")
        {
            Answer::Sat(_) => println!("sat"),
            Answer::Unsat(_) => println!("unsat"),
            Answer::Unknown(why) => println!("unknown ; {why:?}"),
        }
        longest = longest.max(begun.elapsed());
    }
    let solved = start.elapsed();
    if options.proofs
        && let Some(refutation) = solver.refutation()
    {
        eprintln!(
            "{} steps, written in {:.3} s",
            refutation.steps.len(),
            (start.elapsed() - solved).as_secs_f64()
        );
    }
    eprintln!(
        "{:.3} s, longest check {:.3} s, {:?}",
        solved.as_secs_f64(),
        longest.as_secs_f64(),
        solver.statistics()
    );
}
