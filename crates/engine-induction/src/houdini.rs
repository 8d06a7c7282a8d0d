//! The largest inductive part of a set of guesses.
//!
//! Guesses that do not hold at the start are dropped, then those that a step falsifies although all
//! hold before it, until nothing is dropped any more.

use sectile_base::Budget;
use sectile_engine::{EngineError, Unroller};
use sectile_solver::{Answer, Solver};
use sectile_terms::{Term, Value};

/// The guesses that are together inductive; `None` if the budget does not suffice.
pub fn inductive_part(
    unroller: &Unroller<'_>,
    guesses: Vec<Term>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Option<Vec<Term>>, EngineError> {
    let mut alive = guesses;
    solver.push();
    solver.assert(unroller.start())?;
    let settled = drop_falsified(unroller, &mut alive, 0, solver, budget);
    solver.pop();
    if !settled? {
        return Ok(None);
    }
    solver.assert(unroller.any_state(0))?;
    solver.assert(unroller.step(0))?;
    loop {
        let before = alive.len();
        solver.push();
        for &guess in &alive {
            solver.assert(unroller.at(guess, 0))?;
        }
        let settled = drop_falsified(unroller, &mut alive, 1, solver, budget);
        solver.pop();
        if !settled? {
            return Ok(None);
        }
        if alive.len() == before {
            return Ok(Some(alive));
        }
    }
}

/// Drops what can be false at a step; whether the question was settled.
fn drop_falsified(
    unroller: &Unroller<'_>,
    alive: &mut Vec<Term>,
    step: u32,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<bool, EngineError> {
    let terms = unroller.terms();
    loop {
        let all = alive.iter().map(|&g| unroller.at(g, step));
        let some_fails = terms.not(terms.and(all));
        match solver.check(&[some_fails], budget)? {
            Answer::Unsat(_) => return Ok(true),
            Answer::Unknown(_) => return Ok(false),
            Answer::Sat(model) => {
                let count = alive.len();
                alive.retain(|&g| {
                    model.eval(terms, unroller.at(g, step)) != Ok(Value::Bool(false))
                });
                if alive.len() == count {
                    return Ok(false);
                }
            }
        }
    }
}
