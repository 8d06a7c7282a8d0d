//! Does a run violate a property?

use crate::replay::{check_run, describe, holds_at};
use crate::{Obligation, Outcome, Refusal};
use sectile_base::Budget;
use sectile_model::{Ctl, PropertyKind, Task, Trace};
use sectile_solver::{Answer, Solver, SolverError, Undecided, scoped};

/// Replays the run and looks whether it violates the property.
pub fn check(
    task: &Task<'_>,
    trace: &Trace,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    if let Err(refusal) = check_run(task, trace) {
        return Ok(Outcome::Refused(refusal));
    }
    let last = trace.states.len() - 1;
    let at_last = |formula| holds_at(task, trace, last, formula);
    let here = trace.states[last].location;
    let violated = match &task.property.kind {
        PropertyKind::Invariant(p) => !at_last(*p),
        PropertyKind::Error(e) => at_last(*e),
        PropertyKind::Unreachable(list) => list.contains(&here),
        PropertyKind::AtLocation(location, p) => here == *location && !at_last(*p),
        PropertyKind::Ctl(formula) => return check_ctl(task, trace, formula, solver, budget),
    };
    Ok(if violated {
        accepted(trace)
    } else {
        refused(format!(
            "the property holds in the last state ({})",
            describe(task, &trace.states[last])
        ))
    })
}

fn accepted(trace: &Trace) -> Outcome {
    Outcome::Accepted {
        obligations: trace.steps.len() + 2,
    }
}

fn refused(because: String) -> Outcome {
    Outcome::Refused(Refusal {
        obligation: Obligation::End,
        because,
    })
}

fn check_ctl(
    task: &Task<'_>,
    trace: &Trace,
    formula: &Ctl,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    if trace.steps.iter().any(|s| !s.rests_on.is_empty()) {
        return Ok(refused("a derivation is no path".to_string()));
    }
    let maximal = match is_maximal(task, trace, solver, budget)? {
        Ok(maximal) => maximal,
        Err(why) => return Ok(Outcome::Undecided(Obligation::End, why)),
    };
    let positions = Positions {
        task,
        trace,
        maximal,
    };
    Ok(if positions.refutes(formula)[0] {
        accepted(trace)
    } else {
        refused("one run does not show that the formula is false".to_string())
    })
}

/// Whether the run cannot be continued: it is a lasso, or no step leaves its last state.
fn is_maximal(
    task: &Task<'_>,
    trace: &Trace,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Result<bool, Undecided>, SolverError> {
    if trace.back_to.is_some() {
        return Ok(Ok(true));
    }
    let terms = task.terms;
    let Some(last) = trace.states.last() else {
        return Ok(Ok(false));
    };
    let symbols = task.model.variables.iter().zip(&last.values);
    let constants = task.model.rigid.iter().zip(&trace.rigid);
    let here = symbols
        .chain(constants)
        .map(|(s, v)| terms.eq(terms.var(*s), v.to_term(terms)));
    let leaving = task.model.edges.iter().filter(|e| e.from == last.location);
    let steps = leaving.map(|e| task.model.step_formula(terms, &e.command));
    let steps = terms.or(steps);
    let query = terms.and(here.chain([steps]));
    scoped(solver, |s| {
        s.assert(query)?;
        Ok(match s.check(&[], budget)? {
            Answer::Sat(_) => Ok(false),
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(why) => Err(why),
        })
    })
}

/// The positions of a run, at which sub-formulas are looked at.
struct Positions<'p> {
    task: &'p Task<'p>,
    trace: &'p Trace,
    maximal: bool,
}

impl Positions<'_> {
    /// For every position, whether the run from there shows that the formula is false.
    ///
    /// Sound for all of CTL: existential operators are refuted by one run only where it is stuck.
    fn refutes(&self, formula: &Ctl) -> Vec<bool> {
        let n = self.trace.states.len();
        let both = |a: Vec<bool>, b: Vec<bool>, f: fn(bool, bool) -> bool| {
            a.into_iter().zip(b).map(|(x, y)| f(x, y)).collect()
        };
        match formula {
            Ctl::State(p) => (0..n).map(|i| !self.holds(i, *p)).collect(),
            Ctl::At(l) => {
                let states = self.trace.states.iter();
                states.map(|s| s.location != *l).collect()
            }
            Ctl::Not(inner) => self.shows(inner),
            Ctl::And(a, b) => both(self.refutes(a), self.refutes(b), |x, y| x || y),
            Ctl::Or(a, b) => both(self.refutes(a), self.refutes(b), |x, y| x && y),
            Ctl::Ax(a) => {
                let inner = self.refutes(a);
                (0..n)
                    .map(|i| self.next(i).is_some_and(|j| inner[j]))
                    .collect()
            }
            Ctl::Ag(a) => self.until(&vec![true; n], &self.refutes(a)),
            Ctl::Af(a) => self.always(&self.refutes(a)),
            // Not (a until b): b fails until both fail, or b fails for ever.
            Ctl::Au(a, b) => {
                let (no_a, no_b) = (self.refutes(a), self.refutes(b));
                let end = both(no_a, no_b.clone(), |x, y| x && y);
                both(self.until(&no_b, &end), self.always(&no_b), |x, y| x || y)
            }
            Ctl::Aw(a, b) => {
                let (no_a, no_b) = (self.refutes(a), self.refutes(b));
                let end = both(no_a, no_b.clone(), |x, y| x && y);
                self.until(&no_b, &end)
            }
            Ctl::Ex(_) => self.where_stuck(vec![true; n]),
            Ctl::Ef(a) | Ctl::Eg(a) => self.where_stuck(self.refutes(a)),
            Ctl::Eu(_, b) => self.where_stuck(self.refutes(b)),
            Ctl::Ew(a, b) => {
                let end = both(self.refutes(a), self.refutes(b), |x, y| x && y);
                self.where_stuck(end)
            }
        }
    }

    /// The values, at the last position only, and only if the run cannot be continued there.
    fn where_stuck(&self, mut values: Vec<bool>) -> Vec<bool> {
        let stuck = self.maximal && self.trace.back_to.is_none();
        let last = values.len() - 1;
        values[..last].fill(false);
        values[last] &= stuck;
        values
    }

    /// For every position, whether the run from there shows that the formula is true.
    fn shows(&self, formula: &Ctl) -> Vec<bool> {
        let n = self.trace.states.len();
        match formula {
            Ctl::State(p) => (0..n).map(|i| self.holds(i, *p)).collect(),
            Ctl::At(l) => {
                let states = self.trace.states.iter();
                states.map(|s| s.location == *l).collect()
            }
            Ctl::Not(inner) => self.refutes(inner),
            Ctl::And(a, b) => {
                let (a, b) = (self.shows(a), self.shows(b));
                a.into_iter().zip(b).map(|(x, y)| x && y).collect()
            }
            Ctl::Or(a, b) => {
                let (a, b) = (self.shows(a), self.shows(b));
                a.into_iter().zip(b).map(|(x, y)| x || y).collect()
            }
            Ctl::Ex(a) => {
                let inner = self.shows(a);
                (0..n)
                    .map(|i| self.next(i).is_some_and(|j| inner[j]))
                    .collect()
            }
            Ctl::Ef(a) => self.until(&vec![true; n], &self.shows(a)),
            Ctl::Eg(a) => self.always(&self.shows(a)),
            Ctl::Eu(a, b) => self.until(&self.shows(a), &self.shows(b)),
            Ctl::Ew(a, b) => {
                let (a, b) = (self.shows(a), self.shows(b));
                let until = self.until(&a, &b);
                until
                    .into_iter()
                    .zip(self.always(&a))
                    .map(|(x, y)| x || y)
                    .collect()
            }
            Ctl::Ax(_) => self.where_stuck(vec![true; n]),
            Ctl::Af(a) | Ctl::Ag(a) => self.where_stuck(self.shows(a)),
            Ctl::Au(_, b) => self.where_stuck(self.shows(b)),
            Ctl::Aw(a, b) => {
                let (a, b) = (self.shows(a), self.shows(b));
                self.where_stuck(a.into_iter().zip(b).map(|(x, y)| x || y).collect())
            }
        }
    }

    fn holds(&self, i: usize, formula: sectile_terms::Term) -> bool {
        holds_at(self.task, self.trace, i, formula)
    }

    fn next(&self, i: usize) -> Option<usize> {
        if i + 1 < self.trace.states.len() {
            Some(i + 1)
        } else {
            // The last state of a lasso is an earlier one, whose successor follows it.
            self.trace.back_to.map(|b| b + 1)
        }
    }

    /// `a` from here on until `b`, which happens on the run.
    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut result = b.to_vec();
        // Twice backwards: once for the line, once more for what comes round the loop.
        for _ in 0..2 {
            for i in (0..result.len()).rev() {
                let later = self.next(i).is_some_and(|j| result[j]);
                result[i] = result[i] || (a[i] && later);
            }
        }
        result
    }

    /// `a` from here on for the whole of the run, which must not be continuable.
    fn always(&self, a: &[bool]) -> Vec<bool> {
        let mut result = vec![self.maximal; a.len()];
        for _ in 0..2 {
            for i in (0..result.len()).rev() {
                let later = self.next(i).is_none_or(|j| result[j]);
                result[i] = result[i] && a[i] && later;
            }
        }
        result
    }
}
