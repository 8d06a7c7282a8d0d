//! The public behaviour of the solver: scopes, assumptions, cores, models, budgets.

#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Exhausted, Int, Rat};
use sectile_solver::{Answer, Solver, Undecided};
use sectile_solver_native::NativeSolver;
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms, Value};
use std::time::{Duration, Instant};

fn declare(terms: &Terms, name: &str, sort: Sort) -> Symbol {
    terms.declare(name, sort, SymbolKind::State).unwrap()
}

fn int(terms: &Terms, name: &str) -> Term {
    terms.var(declare(terms, name, Sort::Int))
}

fn is_sat(solver: &mut NativeSolver, assumptions: &[Term]) -> bool {
    match solver.check(assumptions, &Budget::unlimited()).unwrap() {
        Answer::Sat(_) => true,
        Answer::Unsat(_) => false,
        Answer::Unknown(why) => panic!("{why:?}"),
    }
}

#[test]
fn scopes_forget_and_assumptions_leave_no_trace() {
    let terms = Terms::new();
    let (x, y) = (int(&terms, "x"), int(&terms, "y"));
    let mut solver = NativeSolver::new(&terms);
    solver.assert(terms.lt(x, y)).unwrap();
    let back = terms.lt(y, x);
    assert!(!is_sat(&mut solver, &[back]));
    assert!(is_sat(&mut solver, &[]));
    solver.push();
    solver.assert(back).unwrap();
    assert!(!is_sat(&mut solver, &[]));
    solver.push();
    assert!(!is_sat(&mut solver, &[]));
    solver.pop();
    solver.pop();
    assert!(is_sat(&mut solver, &[]));
    // A pop without a push is ignored.
    solver.pop();
    assert!(!is_sat(&mut solver, &[back]));
}

#[test]
fn contradiction_at_the_base_stays() {
    let terms = Terms::new();
    let x = int(&terms, "x");
    let mut solver = NativeSolver::new(&terms);
    solver.push();
    solver.assert(terms.ff()).unwrap();
    assert!(!is_sat(&mut solver, &[]));
    solver.pop();
    assert!(is_sat(&mut solver, &[]));
    solver
        .assert(terms.and([terms.le(x, terms.int(0)), terms.ge(x, terms.int(1))]))
        .unwrap();
    assert!(!is_sat(&mut solver, &[]));
    solver.push();
    assert!(!is_sat(&mut solver, &[terms.tt()]));
}

#[test]
fn cores_name_the_guilty_assumptions() {
    let terms = Terms::new();
    let (x, y, z) = (int(&terms, "x"), int(&terms, "y"), int(&terms, "z"));
    let mut solver = NativeSolver::new(&terms);
    let assumptions = [
        terms.le(z, terms.int(7)),
        terms.le(x, y),
        terms.or([terms.le(z, x), terms.ge(z, x)]),
        terms.le(terms.add(y, terms.int(1)), x),
    ];
    match solver.check(&assumptions, &Budget::unlimited()).unwrap() {
        Answer::Unsat(refutation) => {
            assert_eq!(refutation.core(), [assumptions[1], assumptions[3]]);
        }
        _ => panic!("x <= y < x has no solution"),
    };
    let p = terms.var(declare(&terms, "p", Sort::Bool));
    match solver
        .check(&[p, terms.not(p)], &Budget::unlimited())
        .unwrap()
    {
        Answer::Unsat(refutation) => assert_eq!(refutation.core().len(), 2),
        _ => panic!("p and not p"),
    };
    match solver
        .check(&[p, terms.ff()], &Budget::unlimited())
        .unwrap()
    {
        Answer::Unsat(refutation) => assert_eq!(refutation.core(), [terms.ff()]),
        _ => panic!("false"),
    };
}

#[test]
fn strict_bounds_give_concrete_models() {
    let terms = Terms::new();
    let (s, t) = (
        declare(&terms, "r", Sort::Real),
        declare(&terms, "s", Sort::Real),
    );
    let (r, u) = (terms.var(s), terms.var(t));
    let zero = terms.number(Rat::ZERO, Sort::Real);
    let tiny = terms.number(Rat::from_ratio(1, 1_000_000), Sort::Real);
    let mut solver = NativeSolver::new(&terms);
    let formula = terms.and([terms.lt(zero, r), terms.lt(r, u), terms.lt(u, tiny)]);
    solver.assert(formula).unwrap();
    match solver.check(&[], &Budget::unlimited()).unwrap() {
        Answer::Sat(model) => {
            assert_eq!(model.eval(&terms, formula), Ok(Value::Bool(true)));
            assert!(matches!(model.value(s, Stage::Now), Some(Value::Real(_))));
        }
        _ => panic!("there is room between 0 and the limit"),
    };
}

#[test]
fn enumerations_have_exactly_one_value() {
    let terms = Terms::new();
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let id = terms.declare_enum("E", &names);
    let (s, t) = (
        declare(&terms, "s", Sort::Enum(id)),
        declare(&terms, "t", Sort::Enum(id)),
    );
    let (e, f) = (terms.var(s), terms.var(t));
    let is = |x, k| terms.eq(x, terms.variant(id, k));
    let mut solver = NativeSolver::new(&terms);
    assert!(!is_sat(&mut solver, &[is(e, 0), is(e, 1)]));
    assert!(!is_sat(&mut solver, &[is(e, 0), is(f, 1), terms.eq(e, f)]));
    let none = [0, 1, 2].map(|k| terms.not(is(e, k)));
    assert!(!is_sat(&mut solver, &none));
    let assumptions = [terms.not(is(e, 0)), terms.not(terms.eq(e, f)), is(f, 2)];
    match solver.check(&assumptions, &Budget::unlimited()).unwrap() {
        Answer::Sat(model) => {
            assert_eq!(model.value(s, Stage::Now), Some(Value::Enum(id, 1)));
        }
        _ => panic!("b remains"),
    };
}

#[test]
fn division_by_constants_rounds_towards_the_floor() {
    let terms = Terms::new();
    let s = declare(&terms, "x", Sort::Int);
    let x = terms.var(s);
    let three = Int::from(3);
    let mut solver = NativeSolver::new(&terms);
    let formula = terms.and([
        terms.eq(terms.div(x, &three), terms.int(-2)),
        terms.eq(terms.modulo(x, &three), terms.int(1)),
    ]);
    solver.assert(formula).unwrap();
    match solver.check(&[], &Budget::unlimited()).unwrap() {
        Answer::Sat(model) => {
            assert_eq!(model.value(s, Stage::Now), Some(Value::Int(Int::from(-5))));
        }
        _ => panic!("-5 = 3 * -2 + 1"),
    };
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let terms = Terms::new();
    let (x, p) = (
        int(&terms, "x"),
        terms.var(declare(&terms, "p", Sort::Bool)),
    );
    let mut formula = p;
    let mut sum = x;
    for k in 0..20_000 {
        let bound = terms.le(x, terms.int(k));
        formula = if k % 2 == 0 {
            terms.or([terms.not(formula), bound])
        } else {
            terms.and([terms.not(formula), bound])
        };
        sum = terms.ite(terms.le(sum, terms.int(k)), terms.add(sum, terms.int(1)), x);
    }
    let mut solver = NativeSolver::new(&terms);
    solver.assert(formula).unwrap();
    solver.assert(terms.ge(sum, x)).unwrap();
    let budget = Budget::unlimited().with_steps(200);
    assert!(solver.check(&[], &budget).is_ok());
}

/// Pigeons in holes as sums of 0/1 integers: hard for every resolution-based search.
fn hard(terms: &Terms, n: usize) -> Term {
    let mut parts = Vec::new();
    let vars: Vec<Vec<Term>> = (0..=n)
        .map(|p| (0..n).map(|h| int(terms, &format!("b{p}_{h}"))).collect())
        .collect();
    for row in &vars {
        for &x in row {
            parts.push(terms.or([terms.eq(x, terms.int(0)), terms.eq(x, terms.int(1))]));
        }
        parts.push(terms.or(row.iter().map(|&x| terms.ge(x, terms.int(1)))));
    }
    #[allow(clippy::needless_range_loop)]
    for h in 0..n {
        for p in 0..=n {
            for q in 0..p {
                parts.push(terms.le(terms.add(vars[p][h], vars[q][h]), terms.int(1)));
            }
        }
    }
    terms.and(parts)
}

#[test]
fn budgets_are_honoured_and_the_solver_survives() {
    let terms = Terms::new();
    let formula = hard(&terms, 12);
    let mut solver = NativeSolver::new(&terms);
    let start = Instant::now();
    let budget = Budget::unlimited().with_time(Duration::from_millis(300));
    match solver.check(&[formula], &budget).unwrap() {
        Answer::Unknown(why) => assert_eq!(why, Undecided::Exhausted(Exhausted::Time)),
        _ => panic!("this takes longer than the budget"),
    }
    assert!(start.elapsed() < Duration::from_millis(600));
    match solver
        .check(&[formula], &Budget::unlimited().with_steps(20))
        .unwrap()
    {
        Answer::Unknown(why) => assert_eq!(why, Undecided::Exhausted(Exhausted::Steps)),
        _ => panic!("this takes more steps"),
    }
    let x = int(&terms, "x");
    assert!(is_sat(&mut solver, &[terms.le(x, terms.int(3))]));
}

#[test]
fn equal_step_budgets_give_equal_runs() {
    let run = || {
        let terms = Terms::new();
        let formula = hard(&terms, 9);
        let mut solver = NativeSolver::new(&terms);
        let budget = Budget::unlimited().with_steps(40);
        assert!(matches!(
            solver.check(&[formula], &budget).unwrap(),
            Answer::Unknown(_)
        ));
        solver.statistics()
    };
    assert_eq!(run(), run());
}
