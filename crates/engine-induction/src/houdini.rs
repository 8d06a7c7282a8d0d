//! The largest inductive part of a set of guesses.
//!
//! Guesses that do not hold at the start are dropped, then those that a step falsifies although all
//! hold before it, until nothing is dropped any more. The weaker versions of a guess follow from it
//! and take its place when it is dropped: what is known is the same as if they had been there from
//! the beginning.

use sectile_base::Budget;
use sectile_engine::{EngineError, Guess, Settled, Unroller, drop_falsified};
use sectile_solver::Solver;
use sectile_terms::Term;

/// Paper: [FlLe01]. The guesses that are together inductive; `None` if the budget does not suffice.
pub fn inductive_part(
    unroller: &Unroller<'_>,
    guesses: Vec<Guess>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Option<Vec<Term>>, EngineError> {
    let terms = unroller.terms();
    let mut alive = guesses;
    solver.push();
    solver.assert(unroller.start())?;
    let settled = drop_falsified(terms, &mut alive, &|t| unroller.at(t, 0), solver, budget);
    solver.pop();
    if settled? == Settled::No {
        return Ok(None);
    }
    solver.assert(unroller.any_state(0))?;
    solver.assert(unroller.step(0))?;
    loop {
        solver.push();
        for guess in &alive {
            solver.assert(unroller.at(guess.claim, 0))?;
        }
        let settled = drop_falsified(terms, &mut alive, &|t| unroller.at(t, 1), solver, budget);
        solver.pop();
        match settled? {
            Settled::No => return Ok(None),
            Settled::AllHold => return Ok(Some(alive.iter().map(|g| g.claim).collect())),
            Settled::SomeDropped => {}
        }
    }
}
