//! Unrolls loops that are left after few rounds or never.
//!
//! From an arbitrary state at a loop head, `j` rounds followed by an exit may be infeasible. Then a
//! run that leaves the loop by that exit takes fewer than `j` rounds; states that stay longer never
//! leave it there and can be ignored. With such a bound for every exit, the loop can be unrolled
//! completely. Nothing is assumed about how the head is reached.
//!
//! An invariant comes back because "no error is reachable in the unrolled program" is inductive at
//! the head: one round more than the bound leads nowhere. If that would be too large, the proof
//! lists the unrolled loops, and the checker unrolls them again.

mod back;
mod copy;
mod safe_states;

use crate::lbe::{LargeBlocks, choose};
use crate::pass::{Applied, Pass};
use back::{BeforeUnrolling, Edit};
use copy::Origin;
use sectile_base::Budget;
use sectile_engine::BlockSize;
use sectile_model::{GraphChange, LocationId, Model, Property, Task, Unrolling};
use sectile_solver::{Answer, Backend, Solver, SolverError};
use sectile_terms::{Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum size of programs to unroll.
const MOST_EDGES: usize = 20_000;

/// Unrolls loops that have an exit bound.
pub struct ExitBounds<'b> {
    /// Decides the feasibility of rounds.
    pub backend: &'b dyn Backend,
    /// The limits for that.
    pub budget: Budget,
    /// Maximum bound to try.
    pub most_rounds: u32,
    /// The form of proofs after back-translation.
    pub proofs: Proofs,
}

/// The form of a proof after back-translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proofs {
    /// Invariants of the program.
    Invariants,
    /// Invariants of the program, unless they would be too large.
    Any,
    /// The proof about the unrolled program, with the list of unrolled loops.
    Unrolled,
}

sectile_engine::choices!(Proofs {
    Any = "any",
    Invariants = "invariants",
    Unrolled = "unrolled",
});

impl Pass for ExitBounds<'_> {
    fn name(&self) -> &'static str {
        "exit-bounds"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let errors = task.property.errors()?;
        let mut work = Work {
            pass: self,
            terms: task.terms,
            property: task.property,
            errors,
            graph: Arc::new(task.model.clone()),
            edits: Vec::new(),
            given_up: BTreeSet::new(),
        };
        work.all_loops().map_err(|e| e.to_string())?;
        let back = BeforeUnrolling {
            edits: work.edits,
            errors: errors.to_vec(),
            proofs: self.proofs,
        };
        let graph = (*work.graph).clone();
        Ok(Applied::new(graph, task.property.clone(), back))
    }
}

struct Work<'w> {
    pass: &'w ExitBounds<'w>,
    terms: &'w Terms,
    property: &'w Property,
    errors: &'w [LocationId],
    graph: Arc<Model>,
    edits: Vec<Edit>,
    /// Loop heads without a bound.
    given_up: BTreeSet<LocationId>,
}

/// The blocks of the present graph, between some of its locations.
struct BlockView {
    kept: Vec<LocationId>,
    /// Ends and formulas of the feasible blocks.
    blocks: Vec<(LocationId, LocationId, Term)>,
}

impl Work<'_> {
    fn all_loops(&mut self) -> Result<(), SolverError> {
        while self.pass.budget.check().is_ok() && self.graph.edges.len() < MOST_EDGES {
            let Some(view) = self.view()? else { break };
            if self.prune(&view) {
                continue;
            }
            let mut progress = false;
            for head in self.heads(&view) {
                match self.bounds(&view, head)? {
                    Some(bounds) => {
                        self.unroll(&view, head, bounds);
                        // An outer loop may have a bound now that its inner loop is unrolled.
                        progress = true;
                        break;
                    }
                    None => {
                        self.given_up.insert(head);
                    }
                }
            }
            if !progress {
                break;
            }
        }
        Ok(())
    }

    fn view(&self) -> Result<Option<BlockView>, SolverError> {
        let blocks = LargeBlocks::of(BlockSize::Loops);
        let Ok(applied) = blocks.apply(&Task::new(self.terms, &self.graph, self.property)) else {
            return Ok(None);
        };
        let reduced = &applied.model;
        let kept = choose(&self.graph, self.errors, BlockSize::Loops).kept();
        let mut list = Vec::new();
        for edge in &reduced.edges {
            let formula = reduced.step_formula(self.terms, &edge.command);
            let mut solver = self.solver()?;
            solver.assert(formula)?;
            if !solver.check(&[], &self.pass.budget)?.is_unsat() {
                list.push((kept[edge.from.0], kept[edge.to.0], formula));
            }
        }
        Ok(Some(BlockView { kept, blocks: list }))
    }

    fn solver(&self) -> Result<Box<dyn Solver + '_>, SolverError> {
        let solver = self.pass.backend.solver(self.terms);
        solver.map_err(|e| SolverError::Unsupported(e.to_string()))
    }

    /// Cuts off irrelevant locations; returns whether there were any.
    fn prune(&mut self, view: &BlockView) -> bool {
        let steps = |from: &BTreeSet<LocationId>, forward: bool| {
            let mut seen = from.clone();
            loop {
                let before = seen.len();
                for &(a, b, _) in &view.blocks {
                    let (a, b) = if forward { (a, b) } else { (b, a) };
                    if seen.contains(&a) {
                        seen.insert(b);
                    }
                }
                if seen.len() == before {
                    return seen;
                }
            }
        };
        let reached = steps(&BTreeSet::from([self.graph.entry]), true);
        let leads = steps(&self.errors.iter().copied().collect(), false);
        let is_fixed = |l: &LocationId| *l == self.graph.entry || self.errors.contains(l);
        let loose = view.kept.iter().copied().filter(|l| !is_fixed(l));
        let (reached, unreached): (BTreeSet<_>, BTreeSet<_>) =
            loose.partition(|l| reached.contains(l));
        let mut harmless: BTreeSet<LocationId> = reached.difference(&leads).copied().collect();
        let entry = self.graph.entry;
        let leaves = self.graph.edges_from(entry).next().is_some();
        if leaves && !leads.contains(&entry) {
            harmless.insert(entry);
        }
        if unreached.is_empty() && harmless.is_empty() {
            return false;
        }
        let is_cut = |l: &LocationId| unreached.contains(l) || harmless.contains(l);
        let (after, origin) = copy::without(&self.graph, &is_cut);
        let change = GraphChange::Cut {
            kept: view.kept.clone(),
            unreached: unreached.into_iter().collect(),
            harmless: harmless.into_iter().collect(),
        };
        self.edit(after, change, origin);
        true
    }

    /// Loop heads that are their own successor, ordered by their number of neighbours.
    fn heads(&self, view: &BlockView) -> Vec<LocationId> {
        let is_loop = |l: &&LocationId| view.blocks.iter().any(|b| b.0 == **l && b.1 == **l);
        let mut heads: Vec<LocationId> = view.kept.iter().filter(is_loop).copied().collect();
        heads.retain(|h| !self.given_up.contains(h));
        heads.sort_by_key(|h| {
            let entering = view.blocks.iter().filter(|b| b.1 == *h).count();
            let leaving = view.blocks.iter().filter(|b| b.0 == *h).count();
            entering * leaving
        });
        heads
    }

    /// For every exit the least number of rounds after which it is infeasible.
    fn bounds(
        &self,
        view: &BlockView,
        head: LocationId,
    ) -> Result<Option<BTreeMap<LocationId, u32>>, SolverError> {
        let terms = self.terms;
        let from_head = || view.blocks.iter().filter(|b| b.0 == head);
        let round = terms.or(from_head().filter(|b| b.1 == head).map(|b| b.2));
        let mut bounds = BTreeMap::new();
        for (_, to, exit) in from_head().filter(|b| b.1 != head) {
            let mut solver = self.solver()?;
            let mut bound = None;
            for rounds in 1..=self.pass.most_rounds {
                solver.assert(terms.at_step(round, rounds - 1))?;
                let leave = terms.at_step(*exit, rounds);
                match solver.check(&[leave], &self.pass.budget)? {
                    Answer::Unsat(_) => {
                        bound = Some(rounds);
                        break;
                    }
                    Answer::Sat(_) => {}
                    Answer::Unknown(_) => return Ok(None),
                }
            }
            match bound {
                Some(rounds) => bounds.insert(*to, rounds),
                None => return Ok(None),
            };
        }
        Ok(Some(bounds))
    }

    fn unroll(&mut self, view: &BlockView, head: LocationId, bounds: BTreeMap<LocationId, u32>) {
        let body = copy::inside(&self.graph, head, &view.kept);
        let unrolling = Unrolling {
            head,
            body: body.into_iter().collect(),
            exits: bounds.into_iter().collect(),
        };
        let (after, origin) = copy::unroll(&self.graph, &unrolling);
        self.edit(after, GraphChange::Unroll(unrolling), origin);
    }

    fn edit(&mut self, after: Model, change: GraphChange, origin: Origin) {
        let after = Arc::new(after);
        let before = std::mem::replace(&mut self.graph, Arc::clone(&after));
        self.edits.push(Edit {
            before,
            after,
            change,
            origin,
        });
    }
}
