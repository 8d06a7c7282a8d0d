//! Reconstructs a shortest run to a state that violates a property.

use super::reach::Reached;
use super::stop;
use sectile_base::bdd::Bdd;
use sectile_engine::{Run, Stop, Unroller, step_number, violating_states};
use sectile_model::{Certificate, Task, Verdict};
use sectile_solver::Answer;
use sectile_terms::{Symbol, Term, Value};

/// Searches step by step for a violation that is known to exist.
pub(crate) fn shortest(
    task: &Task<'_>,
    reached: &mut Reached<'_>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let broken = || Stop::bug("a violation was found and lost again");
    let bad = violating_states(task.terms, &task.property.kind).ok_or_else(broken)?;
    let initial = reached.initial;
    let finite = reached.finite()?;
    let bad = finite.states_of(bad).map_err(stop)?;
    // The states that are first reached in each step.
    let mut rings = vec![initial];
    let mut set = initial;
    let mut last = finite.manager().and(initial, bad);
    while last == Bdd::FALSE {
        let ring = rings.last().copied().ok_or_else(broken)?;
        let mut next = Bdd::FALSE;
        for command in 0..finite.commands() {
            let after = finite.after(command, ring);
            next = finite.manager().or(next, after);
            finite.check(&run.budget)?;
        }
        let new = finite.manager().minus(next, set);
        if new == Bdd::FALSE {
            return Err(broken());
        }
        set = finite.manager().or(set, new);
        last = finite.manager().and(new, bad);
        rings.push(new);
    }
    let mut states: Vec<Vec<(Symbol, Value)>> = Vec::new();
    let mut here = last;
    for k in (0..rings.len()).rev() {
        let state = finite.some_state(here).ok_or_else(broken)?;
        let mut only = finite.states();
        for (symbol, value) in &state {
            let having = finite.having(*symbol, value).ok_or_else(broken)?;
            only = finite.manager().and(only, having);
        }
        states.push(state);
        if k > 0 {
            let before = finite.some_next(only);
            here = finite.manager().and(before, rings[k - 1]);
        }
    }
    states.reverse();
    replayed(task, reached, &states, run)
}

/// The run through the given states, with the values of all variables and inputs.
fn replayed(
    task: &Task<'_>,
    reached: &Reached<'_>,
    states: &[Vec<(Symbol, Value)>],
    run: &Run<'_>,
) -> Result<Verdict, Stop> {
    let terms = task.terms;
    let unroller = Unroller::new(terms, reached.system);
    let mut question = vec![unroller.start()];
    for (k, state) in states.iter().enumerate() {
        let step = step_number(k);
        let values = state.iter().map(|(symbol, value)| {
            let here: Term = terms.eq(terms.var(*symbol), value.to_term(terms));
            unroller.at(here, step)
        });
        question.extend(values);
        if k + 1 < states.len() {
            question.push(unroller.step(step));
        }
    }
    let mut solver = run.backend.solver(terms)?;
    match solver.check(&question, &run.budget)? {
        Answer::Sat(model) => {
            let trace = unroller.trace(model, step_number(states.len() - 1))?;
            Ok(Verdict::Violated(Certificate::Trace(trace)))
        }
        Answer::Unsat(_) => Err(Stop::incomplete(
            "no run agrees with the states that were found",
        )),
        Answer::Unknown(why) => Err(why.into()),
    }
}
