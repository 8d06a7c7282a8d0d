//! The invariant from the nodes that slicing removed.
//!
//! When the slice is empty, every state of the system lies in the label of a removed node. Nodes
//! were removed because they were unreachable from an initial node, or because they reached no
//! error node. The states of the second kind contain the initial ones, are closed under steps, and
//! contain no error: they are the invariant. Without bypassing, it is also the complement of the
//! first kind, which is a conjunction of clauses, and shorter.
//!
//! Bypassing hides states: a run passes through a bypassed node between two nodes of the graph.
//! Such states are recorded as ghosts of the node before them, and belong to the invariant if that
//! node does.

use crate::abstraction::{Ghost, Node};
use crate::relation::Relations;
use crate::search::Search;
use indexmap::IndexSet;
use sectile_base::Budget;
use sectile_engine::{Run, SliceReason, Stop};
use sectile_solver::{Answer, Eliminator, Solver};
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// The labels of removed nodes, by reason.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Nodes that were reachable from an initial node when they were removed.
    pub safe: Vec<(Vec<Term>, Vec<Ghost>)>,
    /// Ghosts of the start node, which has no states itself.
    initial_ghosts: Vec<Ghost>,
    /// Nodes that were not reachable from an initial node.
    pub unreachable: Vec<Vec<Term>>,
}

impl Record {
    /// Records a removed node.
    pub fn node(&mut self, node: &Node, reason: SliceReason) {
        if node.own.role.start {
            self.initial_ghosts.extend(node.own.ghosts.iter().cloned());
            return;
        }
        match reason {
            SliceReason::BackwardUnreachable => {
                self.safe
                    .push((node.label.clone(), node.own.ghosts.clone()));
            }
            SliceReason::ForwardUnreachable if !node.own.role.error => {
                self.unreachable.push(node.label.clone());
            }
            _ => {}
        }
    }
}

impl Search<'_, '_> {
    /// The invariant as a disjunction of the labels of safe nodes and of their ghosts.
    pub fn disjunction(&mut self) -> Result<Term, Stop> {
        let terms = self.terms;
        let mut parts = Vec::new();
        // Only states before the first error have ghosts.
        let known = self.background.before_error();
        let eliminator = self.eliminator.as_mut();
        let mut states = |label: &[Term], ghost: &Ghost| {
            ghost_states(self.relations, label, ghost, eliminator, &self.budget)
        };
        for (label, ghosts) in &self.record.safe {
            parts.push(terms.and(label.iter().copied()));
            for ghost in ghosts {
                let whole = [&known[..], label].concat();
                parts.push(states(&whole, ghost)?);
            }
        }
        for ghost in &self.record.initial_ghosts {
            parts.push(states(&[], ghost)?);
        }
        Ok(terms.or(parts))
    }

    /// The invariant as clauses: no state of an unreachable node. Not for bypassed graphs.
    ///
    /// A clause may be strengthened as long as no state of a safe node falsifies it: the
    /// conjunction of the clauses stays the same, with fewer literals, and many become equal.
    pub fn clauses(&mut self, run: &Run<'_>) -> Result<Vec<Term>, Stop> {
        let terms = self.terms;
        let labels = self.record.unreachable.iter();
        let cubes = merged_siblings(terms, labels.map(|l| l.iter().copied().collect()));
        let mut solver = run.backend.solver(terms)?;
        for fact in self.background.before_error() {
            solver.assert(fact)?;
        }
        let safe = self.record.safe.iter();
        let safe = safe.map(|(label, _)| terms.and(label.iter().copied()));
        solver.assert(terms.or(safe))?;
        let mut kept: Vec<BTreeSet<Term>> = Vec::new();
        for cube in cubes {
            if kept.iter().any(|k| k.is_subset(&cube)) {
                continue;
            }
            let smaller = shrink(solver.as_mut(), cube, &run.budget)?;
            kept.retain(|k| !smaller.is_subset(k));
            kept.push(smaller);
        }
        let clause = |cube: &BTreeSet<Term>| terms.or(cube.iter().map(|&p| terms.not(p)));
        Ok(kept.iter().map(clause).collect())
    }
}

/// A minimal part of the cube that is still inconsistent with the solver's assertions.
fn shrink(
    solver: &mut dyn Solver,
    cube: BTreeSet<Term>,
    budget: &Budget,
) -> Result<BTreeSet<Term>, Stop> {
    let mut core: Vec<Term> = cube.into_iter().collect();
    let mut needed = 0;
    while needed <= core.len() {
        // Each round tries to drop one more literal; the first round takes them all.
        let mut attempt = core.clone();
        if needed > 0 {
            attempt.remove(needed - 1);
        }
        match solver.check(&attempt, budget)? {
            Answer::Unsat(refutation) => {
                let used = refutation.core();
                attempt.retain(|l| used.contains(l));
                core = attempt;
                needed = needed.max(1);
            }
            Answer::Sat(_) => needed += 1,
            Answer::Unknown(why) => return Err(why.into()),
        }
    }
    Ok(core.into_iter().collect())
}

/// Merges cubes that differ only in the sign of one predicate, until there are none.
///
/// Splitting made such pairs: halves of one node that were both removed.
fn merged_siblings(
    terms: &Terms,
    cubes: impl Iterator<Item = BTreeSet<Term>>,
) -> Vec<BTreeSet<Term>> {
    let mut set: IndexSet<BTreeSet<Term>> = cubes.collect();
    let mut work: Vec<BTreeSet<Term>> = set.iter().cloned().collect();
    while let Some(cube) = work.pop() {
        if !set.contains(&cube) {
            continue;
        }
        for &p in &cube {
            let mut sibling = cube.clone();
            sibling.remove(&p);
            let parent = sibling.clone();
            sibling.insert(terms.not(p));
            if set.contains(&sibling) {
                set.shift_remove(&cube);
                set.shift_remove(&sibling);
                set.insert(parent.clone());
                work.push(parent);
                break;
            }
        }
    }
    // Cubes that are subsumed by others with fewer conjuncts are dropped.
    let mut sorted: Vec<BTreeSet<Term>> = set.into_iter().collect();
    sorted.sort_by_key(BTreeSet::len);
    let mut kept: Vec<BTreeSet<Term>> = Vec::new();
    for cube in sorted {
        if !kept.iter().any(|k| k.is_subset(&cube)) {
            kept.push(cube);
        }
    }
    kept
}

/// The states of a ghost: those in its label that its relation reaches from the label of the node.
fn ghost_states(
    relations: &Relations<'_>,
    label: &[Term],
    ghost: &Ghost,
    eliminator: &mut dyn Eliminator,
    budget: &Budget,
) -> Result<Term, Stop> {
    let terms = relations.terms;
    let relation = &relations.get(ghost.relation).command;
    let mut conjuncts = label.to_vec();
    conjuncts.extend(relation.conjuncts(terms));
    conjuncts.extend(ghost.label.iter().map(|&p| terms.prime(p)));
    let gone = relations.variables.iter().chain(&relation.inputs);
    let gone: Vec<(Symbol, Stage)> = gone.map(|&s| (s, Stage::Now)).collect();
    let projection = eliminator.project(terms.and(conjuncts), &gone, budget)??;
    if !projection.exact {
        let why = "the states of a bypassed node have no exact formula";
        return Err(Stop::incomplete(why));
    }
    Ok(terms.unprime(projection.formula))
}
