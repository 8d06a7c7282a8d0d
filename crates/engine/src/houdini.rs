//! Guesses, and dropping those that a model falsifies.

use sectile_base::Budget;
use sectile_solver::{Answer, Solver, SolverError};
use sectile_terms::{Term, Terms, Value};

/// A formula over the state that may be an invariant, and weaker ones to try if it is not.
pub struct Guess {
    /// The formula.
    pub claim: Term,
    /// What follows from it.
    pub weaker: Vec<Term>,
}

impl Guess {
    /// A guess that nothing replaces.
    pub fn alone(claim: Term) -> Guess {
        Guess {
            claim,
            weaker: Vec::new(),
        }
    }
}

/// What became of guesses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It could not be found out.
    No,
    /// None was dropped.
    AllHold,
    /// Those that are left hold.
    SomeDropped,
}

/// Drops the guesses that can be false where all holds that the solver was told.
///
/// `at` says a formula about the state in question. The weaker versions of a guess take its place.
///
/// Paper: [FlLe01].
pub fn drop_falsified(
    terms: &Terms,
    alive: &mut Vec<Guess>,
    at: &dyn Fn(Term) -> Term,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Settled, SolverError> {
    let mut settled = Settled::AllHold;
    while !alive.is_empty() {
        let all = alive.iter().map(|g| at(g.claim));
        let some_fails = terms.not(terms.and(all));
        let model = match solver.check(&[some_fails], budget)? {
            Answer::Unsat(_) => return Ok(settled),
            Answer::Unknown(_) => return Ok(Settled::No),
            Answer::Sat(model) => model,
        };
        let fails = |t: Term| model.eval(terms, at(t)) == Ok(Value::Bool(false));
        let (fallen, kept): (Vec<Guess>, Vec<Guess>) = std::mem::take(alive)
            .into_iter()
            .partition(|g| fails(g.claim));
        if fallen.is_empty() {
            return Ok(Settled::No);
        }
        let weaker = fallen.into_iter().flat_map(|g| g.weaker);
        let weaker = weaker.filter(|&t| !fails(t)).map(Guess::alone);
        *alive = kept.into_iter().chain(weaker).collect();
        settled = Settled::SomeDropped;
    }
    Ok(settled)
}
