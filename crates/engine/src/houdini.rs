//! Houdini: the largest inductive subset of a set of candidates.
//!
//! Candidates that fail initially are dropped, then those that some step falsifies although all
//! hold before it, until a fixpoint. When a candidate is dropped, its weaker versions take its
//! place. They follow from the candidate, so the result is the same as if they had been there from
//! the beginning.

use rustc_hash::FxHashMap;
use sectile_base::Budget;
use sectile_solver::{Answer, Solver, SolverError, scoped};
use sectile_terms::{Term, Terms, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A candidate invariant, with weaker ones to try if it fails.
pub struct Guess {
    /// The formula.
    pub claim: Term,
    /// Consequences of it.
    pub weaker: Vec<Term>,
}

impl Guess {
    /// A candidate without weaker versions.
    pub fn alone(claim: Term) -> Guess {
        Guess {
            claim,
            weaker: Vec::new(),
        }
    }
}

/// The result of checking candidates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The solver gave up.
    No,
    /// None was dropped.
    AllHold,
    /// The remaining ones hold.
    SomeDropped,
}

/// The entry and the steps between locations; a system has one location.
pub struct InductiveSteps<'s> {
    /// The location where runs start.
    pub entry: usize,
    /// The initial condition.
    pub init: Term,
    /// The source, the target and the conjuncts of every step.
    pub list: Vec<(usize, usize, Vec<Term>)>,
    /// Translates a formula to the state before a step.
    pub before: &'s dyn Fn(Term) -> Term,
    /// Translates a formula to the state after a step.
    pub after: &'s dyn Fn(Term) -> Term,
}

/// The candidates of each location that are inductive together; `None` if the solver gave up.
///
/// Paper: [FlLe01].
pub fn inductive_part(
    terms: &Terms,
    steps: &InductiveSteps<'_>,
    guesses: Vec<Vec<Guess>>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Option<Vec<Vec<Term>>>, SolverError> {
    let (before, after) = (remembered(steps.before), remembered(steps.after));
    let mut alive = guesses;
    let settled = scoped(solver, |solver| {
        solver.assert(steps.init)?;
        drop_falsified(terms, &mut alive[steps.entry], &before, solver, budget)
    });
    if settled? == Settled::No {
        return Ok(None);
    }
    // Conjuncts common to all queries are asserted once.
    let common = match &steps.list[..] {
        [only] => &only.2[..],
        _ => &[],
    };
    common.iter().try_for_each(|&t| solver.assert(t))?;
    let mut waiting: BTreeSet<usize> = (0..steps.list.len()).collect();
    while let Some(next) = waiting.pop_first() {
        let (from, to, step) = &steps.list[next];
        let known = alive[*from].iter().map(|g| before(g.claim));
        let known: Vec<Term> = known.collect();
        let settled = scoped(solver, |solver| {
            let own = if common.is_empty() { &step[..] } else { &[] };
            let mut premises = known.iter().chain(own);
            premises.try_for_each(|&t| solver.assert(t))?;
            drop_falsified(terms, &mut alive[*to], &after, solver, budget)
        });
        match settled? {
            Settled::No => return Ok(None),
            Settled::AllHold => {}
            Settled::SomeDropped => {
                let behind = steps.list.iter().enumerate();
                waiting.extend(behind.filter(|(_, s)| s.0 == *to).map(|(i, _)| i));
            }
        }
    }
    let claims = |list: Vec<Guess>| list.into_iter().map(|g| g.claim).collect();
    Ok(Some(alive.into_iter().map(claims).collect()))
}

/// The same function with a memo table: candidates occur in many queries.
pub fn remembered(f: impl Fn(Term) -> Term) -> impl Fn(Term) -> Term {
    let known = RefCell::new(FxHashMap::<Term, Term>::default());
    move |t| {
        if let Some(&found) = known.borrow().get(&t) {
            return found;
        }
        let found = f(t);
        known.borrow_mut().insert(t, found);
        found
    }
}

/// Removes the candidates that the solver's assertions do not imply.
///
/// `at` translates a formula to the state in question. The weaker versions of a candidate take its
/// place.
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
