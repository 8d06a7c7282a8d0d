//! Memory does not grow with the number of queries. Alone in its process: it measures all of it.

#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, budget::resident_memory};
use sectile_solver::Solver;
use sectile_solver_native::{NativeSolver, Options};
use sectile_terms::{Sort, SymbolKind, Term, Terms};

fn int(terms: &Terms, name: &str) -> Term {
    terms.var(terms.declare(name, Sort::Int, SymbolKind::State).unwrap())
}

fn many_scopes(proofs: bool, rounds: usize) {
    let terms = Terms::new();
    let (x, y) = (int(&terms, "x"), int(&terms, "y"));
    let mut solver = NativeSolver::with_options(&terms, Options { proofs });
    solver.assert(terms.le(x, y)).unwrap();
    let parts: Vec<Term> = (0..20)
        .map(|k| {
            let left = terms.ge(x, terms.add(y, terms.int(k % 5 - 2)));
            terms.or([left, terms.le(terms.add(x, y), terms.int(k))])
        })
        .collect();
    let mut settled = 0;
    for i in 0..rounds {
        solver.push();
        solver.assert(parts[i % 20]).unwrap();
        solver.assert(parts[i * 7 % 20]).unwrap();
        solver
            .assert(terms.ge(y, terms.int((i % 30) as i64)))
            .unwrap();
        assert!(solver.check(&[parts[i % 11]], &Budget::unlimited()).is_ok());
        solver.pop();
        if i == rounds / 10 {
            settled = resident_memory().unwrap_or(0);
        }
    }
    let grown = resident_memory().unwrap_or(0).saturating_sub(settled);
    assert!(grown < 4 << 20, "{grown} bytes more");
}

#[test]
fn memory_does_not_grow_over_a_million_scopes() {
    many_scopes(false, 1_000_000);
    many_scopes(true, 50_000);
}
