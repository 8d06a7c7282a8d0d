//! The largest inductive part of a set of guesses.
//!
//! Guesses that do not hold at the start are dropped, then those that a step falsifies although all
//! hold before it, until nothing is dropped any more. The weaker versions of a guess follow from it
//! and take its place when it is dropped: what is known is the same as if they had been there from
//! the beginning.

use crate::effects::Guess;
use sectile_base::Budget;
use sectile_engine::{EngineError, Unroller};
use sectile_solver::{Answer, Solver};
use sectile_terms::{Term, Value};

/// Paper: [FlLe01]. The guesses that are together inductive; `None` if the budget does not suffice.
pub fn inductive_part(
    unroller: &Unroller<'_>,
    guesses: Vec<Guess>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Option<Vec<Term>>, EngineError> {
    let mut alive = guesses;
    solver.push();
    solver.assert(unroller.start())?;
    let settled = drop_falsified(unroller, &mut alive, 0, solver, budget);
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
        let settled = drop_falsified(unroller, &mut alive, 1, solver, budget);
        solver.pop();
        match settled? {
            Settled::No => return Ok(None),
            Settled::AllHold => return Ok(Some(alive.iter().map(|g| g.claim).collect())),
            Settled::SomeDropped => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Settled {
    No,
    AllHold,
    SomeDropped,
}

/// Drops what can be false at a step.
fn drop_falsified(
    unroller: &Unroller<'_>,
    alive: &mut Vec<Guess>,
    step: u32,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Settled, EngineError> {
    let terms = unroller.terms();
    let mut settled = Settled::AllHold;
    loop {
        let all = alive.iter().map(|g| unroller.at(g.claim, step));
        let some_fails = terms.not(terms.and(all));
        let model = match solver.check(&[some_fails], budget)? {
            Answer::Unsat(_) => return Ok(settled),
            Answer::Unknown(_) => return Ok(Settled::No),
            Answer::Sat(model) => model,
        };
        let fails = |t: Term| model.eval(terms, unroller.at(t, step)) == Ok(Value::Bool(false));
        let (fallen, kept): (Vec<Guess>, Vec<Guess>) = std::mem::take(alive)
            .into_iter()
            .partition(|g| fails(g.claim));
        if fallen.is_empty() {
            return Ok(Settled::No);
        }
        let weaker = fallen.into_iter().flat_map(|g| g.weaker);
        let weaker = weaker.filter(|&t| !fails(t)).map(|claim| Guess {
            claim,
            weaker: Vec::new(),
        });
        *alive = kept.into_iter().chain(weaker).collect();
        settled = Settled::SomeDropped;
    }
}
