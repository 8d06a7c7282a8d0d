//! Error paths: finding one, and finding out whether it has a run.

use crate::abstraction::Abstraction;
use crate::config::Refuted;
use sectile_engine::{EngineError, Run};
use sectile_model::Trace;
use sectile_solver::{Answer, Solver, Undecided};
use sectile_terms::Term;
use std::collections::VecDeque;

/// A path of nodes from the start to an error, with the edges between them.
pub(crate) struct Path {
    pub nodes: Vec<usize>,
    pub edges: Vec<usize>,
}

/// A part of a path, by the positions of its first and last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Infix {
    pub first: usize,
    pub last: usize,
}

/// What is found out about a path.
pub(crate) enum Examined {
    /// There is a run along it.
    Feasible(Trace),
    /// There is none along this part of it.
    Infeasible(Infix),
    /// The solver could not tell.
    Unknown(Undecided),
}

/// A shortest path from the start to an error.
pub(crate) fn find(abstraction: &Abstraction<'_>) -> Option<Path> {
    let start = abstraction.start;
    if !abstraction.is_live(start) {
        return None;
    }
    let mut entered: Vec<Option<usize>> = vec![None; abstraction.nodes.len()];
    let mut seen = vec![false; abstraction.nodes.len()];
    seen[start] = true;
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        if abstraction.is_error[abstraction.nodes[node].location] {
            return Some(path_to(abstraction, &entered, node));
        }
        for e in abstraction.edges_from(node) {
            let to = abstraction.edges[e].to;
            if !std::mem::replace(&mut seen[to], true) {
                entered[to] = Some(e);
                queue.push_back(to);
            }
        }
    }
    None
}

fn path_to(abstraction: &Abstraction<'_>, entered: &[Option<usize>], goal: usize) -> Path {
    let mut path = Path {
        nodes: vec![goal],
        edges: Vec::new(),
    };
    let mut node = goal;
    while let Some(e) = entered[node] {
        node = abstraction.edges[e].from;
        path.edges.push(e);
        path.nodes.push(node);
    }
    path.nodes.reverse();
    path.edges.reverse();
    path
}

impl Path {
    /// What the node at a position and the step behind it say.
    fn part(&self, abstraction: &Abstraction<'_>, k: usize) -> Term {
        let formulas = abstraction.formulas;
        let label = self.label(abstraction, k);
        match self.edges.get(k) {
            None => label,
            Some(&e) => {
                let step = formulas.step(abstraction.edges[e].block);
                formulas.terms().and2(label, formulas.at(step, k))
            }
        }
    }

    /// The label of the node at a position, as a formula about that step.
    fn label(&self, abstraction: &Abstraction<'_>, k: usize) -> Term {
        let formulas = abstraction.formulas;
        let label = abstraction.nodes[self.nodes[k]].label.iter();
        formulas.terms().and(label.map(|&t| formulas.at(t, k)))
    }

    /// The formulas of an infix, one for each of its edges; the last has the last label, too.
    pub fn blocks(&self, abstraction: &Abstraction<'_>, infix: Infix) -> Vec<Term> {
        let terms = abstraction.formulas.terms();
        let mut blocks: Vec<Term> = (infix.first..infix.last)
            .map(|k| self.part(abstraction, k))
            .collect();
        if let Some(last) = blocks.last_mut() {
            *last = terms.and2(*last, self.label(abstraction, infix.last));
        }
        blocks
    }

    /// Decides whether there is a run along the path.
    ///
    /// Paper: [ErHoPoSc11, Def. 1], with labels.
    pub fn examine(
        &self,
        abstraction: &Abstraction<'_>,
        refuted: Refuted,
        run: &mut Run<'_>,
    ) -> Result<Examined, EngineError> {
        let formulas = abstraction.formulas;
        let mut solver = run.backend.solver(formulas.terms())?;
        let length = self.edges.len();
        let parts: Vec<Term> = (0..=length).map(|k| self.part(abstraction, k)).collect();
        let core = match solver.check(&parts, &run.budget)? {
            Answer::Sat(model) => {
                let blocks: Vec<usize> = self
                    .edges
                    .iter()
                    .map(|&e| abstraction.edges[e].block)
                    .collect();
                return Ok(Examined::Feasible(formulas.trace(&blocks, model)?));
            }
            Answer::Unknown(why) => return Ok(Examined::Unknown(why)),
            Answer::Unsat(refutation) => refutation.core(),
        };
        let whole = Infix {
            first: 0,
            last: length,
        };
        if refuted == Refuted::Path {
            return Ok(Examined::Infeasible(whole));
        }
        let needed = |k: &usize| core.contains(&parts[*k]);
        let first = (0..=length).find(needed).unwrap_or(0);
        let last = (0..=length).rev().find(needed).unwrap_or(length);
        let spanned = Infix {
            first: first.min(length.saturating_sub(1)),
            last: (last + 1).min(length),
        };
        let shortest = self.shortest(abstraction, &parts, spanned, solver.as_mut(), run)?;
        Ok(Examined::Infeasible(shortest))
    }

    /// A shortest part of the path without a run, of those the one nearest to the error.
    ///
    /// Differs from [ErHoPoSc11]: there the whole path is refuted. What does not contribute to
    /// the contradiction brings predicates that do not matter.
    fn shortest(
        &self,
        abstraction: &Abstraction<'_>,
        parts: &[Term],
        known: Infix,
        solver: &mut dyn Solver,
        run: &mut Run<'_>,
    ) -> Result<Infix, EngineError> {
        let length = self.edges.len();
        for edges in 1..known.last - known.first {
            for first in (0..=length - edges).rev() {
                let last = first + edges;
                let mut assumptions = parts[first..last].to_vec();
                assumptions.push(self.label(abstraction, last));
                match solver.check(&assumptions, &run.budget)? {
                    Answer::Unsat(_) => return Ok(Infix { first, last }),
                    Answer::Unknown(Undecided::Exhausted(_)) => return Ok(known),
                    Answer::Sat(_) | Answer::Unknown(_) => {}
                }
            }
        }
        Ok(known)
    }
}
