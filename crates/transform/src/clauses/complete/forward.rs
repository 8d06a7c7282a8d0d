//! An inductive invariant from one that is inductive over several steps.
//!
//! If no run of exactly k steps leaves the formulas for the first time, every run that leaves them
//! does so in fewer steps, so the states from which they can be left are those with such a run. The
//! reached set is widened step by step with interpolants that exclude these states, until it is
//! inductive. Every interpolant exists, because no step leads into these states from outside.

use super::between::{Complete, Completer, HERE, NEXT};
use super::separated;
use sectile_model::LocationId;
use sectile_solver::Answer;
use sectile_terms::{Sort, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// Maximum number of rounds through all locations.
const MOST_ROUNDS: usize = 50;

/// Widens the reached set until it is inductive. The formulas must be left after fewer than `depth`
/// steps or never.
pub(super) fn closed(
    completer: &Completer<'_>,
    formulas: &[Term],
    depth: u32,
) -> Result<Complete, String> {
    let terms = completer.terms;
    let mut reached = vec![terms.ff(); formulas.len()];
    for _ in 0..MOST_ROUNDS {
        let mut grown = false;
        for location in 0..formulas.len() {
            let known: Vec<Option<Term>> = reached.iter().copied().map(Some).collect();
            let arriving = completer.arriving(LocationId(location), &known);
            let here = terms.at_step(reached[location], HERE);
            if is_implied(completer, arriving, here)? {
                continue;
            }
            let leaving = leaving(completer, formulas, location, depth);
            let Completer {
                backend, budget, ..
            } = *completer;
            let more = separated(terms, backend, [arriving, leaving], budget)?;
            let more = more.ok_or("the invariants are not inductive over that number of steps")?;
            let more = terms.from_step(more, HERE);
            reached[location] = terms.simplify(terms.or2(reached[location], more));
            grown = true;
        }
        if !grown {
            return Ok(Complete {
                invariants: reached,
                exact: false,
            });
        }
    }
    Err("the reached set keeps growing".to_string())
}

fn is_implied(completer: &Completer<'_>, known: Term, claim: Term) -> Result<bool, String> {
    let terms = completer.terms;
    let solver = completer.backend.solver(terms);
    let mut solver = solver.map_err(|e| e.to_string())?;
    let question = [known, terms.not(claim)];
    match solver.check(&question, completer.budget) {
        Ok(Answer::Unsat(_)) => Ok(true),
        Ok(Answer::Sat(_)) => Ok(false),
        Ok(Answer::Unknown(why)) => Err(format!("a step could not be decided: {why:?}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Some run of fewer than `depth` steps from here violates the formulas.
fn leaving(completer: &Completer<'_>, formulas: &[Term], start: usize, depth: u32) -> Term {
    let terms = completer.terms;
    let graph = completer.graph;
    let mut parts = Vec::new();
    let mut level: BTreeMap<usize, Term> = [(start, terms.tt())].into_iter().collect();
    for step in 0..depth {
        let copy = copy(step);
        let mut next: BTreeMap<usize, Term> = BTreeMap::new();
        for (&location, &passed) in &level {
            let mut ways = vec![terms.at_step(terms.not(formulas[location]), copy)];
            if step + 1 < depth {
                for e in graph.edges_from(LocationId(location)) {
                    let edge = &graph.edges[e];
                    let flag = *next.entry(edge.to.0).or_insert_with(|| flag(terms));
                    let along = completer.step(edge, copy, self::copy(step + 1));
                    ways.push(terms.and2(flag, along));
                }
            }
            parts.push(terms.implies(passed, terms.or(ways)));
        }
        level = next;
    }
    terms.and(parts)
}

/// The copy of the variables after `step` steps from here.
fn copy(step: u32) -> u32 {
    match step {
        0 => HERE,
        later => NEXT + later,
    }
}

fn flag(terms: &Terms) -> Term {
    terms.var(terms.fresh("forward.passed", Sort::Bool, SymbolKind::Rigid))
}
