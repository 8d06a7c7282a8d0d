//! Integer problems that were slow once: satisfiable, but not where the search looked first.

#![allow(clippy::unwrap_used)]

use sectile_base::Budget;
use sectile_smtlib::{CommandKind, Scope, Undeclared, declare, parse_term, read_script};
use sectile_solver::{Answer, Solver};
use sectile_solver_native::NativeSolver;
use sectile_terms::{SymbolKind, Terms, Value};

/// Finds a model of a script's assertions within this many steps, and evaluates it.
fn model_within(text: &str, steps: u64) {
    let script = read_script(text).unwrap();
    let terms = Terms::new();
    let mut scope = Scope::new(Undeclared::Refused);
    let mut solver = NativeSolver::new(&terms);
    let mut asserted = Vec::new();
    for command in &script.commands {
        if let CommandKind::Assert(e) = &command.kind {
            let t = parse_term(&terms, &script.tree, *e, &mut scope).unwrap();
            solver.assert(t).unwrap();
            asserted.push(t);
        } else {
            let (tree, kind) = (&script.tree, SymbolKind::State);
            declare(&terms, tree, &command.kind, command.span, kind, &mut scope).unwrap();
        }
    }
    let budget = Budget::unlimited().with_steps(steps);
    match solver.check(&[], &budget).unwrap() {
        Answer::Sat(model) => {
            for t in asserted {
                assert_eq!(model.eval(&terms, t), Ok(Value::Bool(true)));
            }
        }
        Answer::Unsat(_) => panic!("it has a model"),
        Answer::Unknown(why) => panic!("{why:?}"),
    }
}

#[test]
fn a_thin_strip_is_left_again() {
    model_within(include_str!("integers_negated_cubes.smt2"), 400);
}

#[test]
fn nested_remainders() {
    for depth in [10, 20, 40, 80] {
        let mut term = String::from("x");
        for i in 0..depth {
            term = format!("(mod (+ y {term}) {})", 3 + i % 7);
        }
        let text = format!(
            "(declare-const x Int)(declare-const y Int)(assert (= {term} 1))(assert (> x 5))"
        );
        model_within(&text, 4000);
    }
}
