//! Checks that a run violates a property.

use crate::Obligation;
use crate::checker::{Checked, Checker, Stop};
use crate::ctl::Formulas;
use crate::replay::{check_run, describe, holds_at};
use sectile_model::{NormalPart, Paths, PropertyKind, Task, Trace};
use sectile_solver::{Answer, scoped};

/// Replays the run and checks that it violates the property.
pub fn check(task: &Task<'_>, trace: &Trace, checker: &mut Checker<'_>) -> Checked {
    check_run(task, trace)?;
    if task.model.takes_loose_edge(trace) {
        return refused("the run takes a step that allows more than the input does");
    }
    let last = trace.states.len() - 1;
    let (state, kind) = (&trace.states[last], &task.property.kind);
    if let PropertyKind::Ctl(_) = kind {
        check_ctl(task, trace, checker)?;
    } else {
        let safe = kind.safe_at(task.terms, state.location);
        if !safe.is_some_and(|safe| holds_at(task, trace, last, task.terms.not(safe))) {
            let state = describe(task, state);
            return refused(format!("the property holds in the last state ({state})"));
        }
    }
    checker.shown += trace.steps.len() + 2;
    Ok(())
}

fn refused(because: impl Into<String>) -> Checked {
    Err(Stop::refused(Obligation::End, because))
}

fn check_ctl(task: &Task<'_>, trace: &Trace, checker: &mut Checker<'_>) -> Checked {
    if trace.steps.iter().any(|s| !s.rests_on.is_empty()) {
        return refused("a derivation is no path");
    }
    let positions = Positions {
        task,
        trace,
        negation: Formulas::new(task, false)?,
        maximal: is_maximal(task, trace, checker)?,
    };
    match positions.is_shown_at_the_start() {
        true => Ok(()),
        false => refused("one run does not show that the formula is false"),
    }
}

/// Whether the run is maximal: it is a lasso, or its last state has no step.
fn is_maximal(task: &Task<'_>, trace: &Trace, checker: &mut Checker<'_>) -> Checked<bool> {
    if trace.back_to.is_some() {
        return Ok(true);
    }
    let terms = task.terms;
    let Some(last) = trace.states.last() else {
        return Ok(false);
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
    scoped(checker.solver, |s| {
        s.assert(query)?;
        match s.check(&[], checker.budget)? {
            Answer::Sat(_) => Ok(false),
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(why) => Err(Stop::Undecided(Obligation::End, why)),
        }
    })
}

/// The positions of a run, at which the parts of the negated formula are evaluated.
struct Positions<'p> {
    task: &'p Task<'p>,
    trace: &'p Trace,
    negation: Formulas,
    maximal: bool,
}

impl Positions<'_> {
    /// Whether the run proves the negation at its start.
    ///
    /// This is sound for all of CTL: one run proves a claim about all paths only in a state without
    /// steps, or if the claim is true whatever comes next.
    fn is_shown_at_the_start(&self) -> bool {
        let parts = &self.negation.at(self.task.model.entry).parts;
        let mut shown: Vec<Vec<bool>> = Vec::with_capacity(parts.len());
        for (k, part) in parts.iter().enumerate() {
            shown.push(match *part {
                NormalPart::State(_) => self.each(|i| self.holds(i, k)),
                NormalPart::And(f, g) => self.each(|i| shown[f][i] && shown[g][i]),
                NormalPart::Or(f, g) => self.each(|i| shown[f][i] || shown[g][i]),
                NormalPart::Next(Paths::Some, f) => {
                    self.each(|i| self.next(i).is_some_and(|j| shown[f][j]))
                }
                NormalPart::Next(Paths::All, _) => self.each(|i| self.is_stuck(i)),
                NormalPart::Until(Paths::Some, f, g) => self.until(&shown[f], &shown[g]),
                NormalPart::Until(Paths::All, _, g) => shown[g].clone(),
                NormalPart::Weak(Paths::Some, f, g) => {
                    let until = self.until(&shown[f], &shown[g]);
                    let always = self.always(&shown[f]);
                    self.each(|i| until[i] || always[i])
                }
                NormalPart::Weak(Paths::All, f, g) => {
                    self.each(|i| shown[g][i] || (self.is_stuck(i) && shown[f][i]))
                }
            });
        }
        shown.last().is_some_and(|whole| whole[0])
    }

    fn each(&self, value: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.trace.states.len()).map(value).collect()
    }

    /// Whether a part is a state formula that holds at a position.
    fn holds(&self, i: usize, part: usize) -> bool {
        match self.negation.at(self.trace.states[i].location).parts[part] {
            NormalPart::State(p) => holds_at(self.task, self.trace, i, p),
            _ => false,
        }
    }

    /// Whether the state at a position has no step.
    fn is_stuck(&self, i: usize) -> bool {
        self.maximal && self.next(i).is_none()
    }

    fn next(&self, i: usize) -> Option<usize> {
        if i + 1 < self.trace.states.len() {
            Some(i + 1)
        } else {
            // The last state of a lasso repeats an earlier one, so its successor is the one after
            // that.
            self.trace.back_to.map(|b| b + 1)
        }
    }

    /// `a` from here on until `b`, which does hold eventually on the run.
    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut result = b.to_vec();
        // Two passes backwards: the second one propagates around the loop.
        for _ in 0..2 {
            for i in (0..result.len()).rev() {
                let later = self.next(i).is_some_and(|j| result[j]);
                result[i] = result[i] || (a[i] && later);
            }
        }
        result
    }

    /// `a` from here on for the whole run, which must be maximal.
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
