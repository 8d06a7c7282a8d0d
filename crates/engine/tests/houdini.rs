//! Guesses at several locations: what is left is inductive, and what a step falsifies is gone.

use sectile_base::Budget;
use sectile_engine::{Guess, InductiveSteps, inductive_part};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::{Sort, SymbolKind, Term, Terms};

#[test]
fn guesses_fall_along_the_steps_that_falsify_them() {
    let terms = Terms::new();
    let x = terms.declare("x", Sort::Int, SymbolKind::State).unwrap();
    let (now, next) = (terms.var(x), terms.next(x));
    let plus = |k: i64| terms.eq(next, terms.add(now, terms.int(k)));
    let at_least = |k: i64| terms.ge(now, terms.int(k));
    let at_most = |k: i64| terms.le(now, terms.int(k));
    let steps = InductiveSteps {
        entry: 0,
        init: terms.eq(now, terms.int(0)),
        list: vec![
            (0, 0, vec![plus(1)]),
            (0, 1, vec![at_least(3), plus(0)]),
            (1, 1, vec![at_least(1), plus(-1)]),
        ],
        before: &|t| t,
        after: &|t| terms.prime(t),
    };
    let guesses = |strong: Term| {
        let weaker = vec![at_least(0)];
        let strong = Guess {
            claim: strong,
            weaker,
        };
        vec![strong, Guess::alone(at_most(5))]
    };
    let mut solver = NativeBackend.solver(&terms).unwrap();
    let left = inductive_part(
        &terms,
        &steps,
        vec![guesses(at_least(0)), guesses(at_least(3))],
        solver.as_mut(),
        &Budget::unlimited(),
    );
    let expected = vec![vec![at_least(0)], vec![at_least(0)]];
    assert_eq!(left.unwrap(), Some(expected));
}
