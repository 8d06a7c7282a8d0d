//! Checks proofs about graphs with unrolled loops: every change must preserve the runs into errors.
//!
//! **Unrolling.** Suppose that a loop leads to an exit only after fewer than `b` rounds, whatever
//! the state in which they start. A run into an error, which lies outside the loop, leaves the loop
//! each time that it enters its head. If it took `b` rounds or more before an exit, the last `b` of
//! them would start in some state and lead to the exit, a contradiction. So it takes fewer, and the
//! copies of these rounds have the exit.
//!
//! **Cutting.** A run into an error passes no unreached location, and none from which only harmless
//! ones are reached.
//!
//! The graphs are built here independently, and as simply as possible.

use crate::checker::{Checked, Checker, Stop};
use crate::cut_points::{self, Blocks};
use crate::invariant::safe_at_locations;
use sectile_base::digraph::Digraph;
use sectile_model::{
    Command, Edge, GraphChange, Location, LocationId, Model, PropertyKind, Task, UnrolledProof,
    Unrolling, Update,
};
use sectile_terms::{Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Checks all changes, and the invariants of the remaining graph.
pub fn check(task: &Task<'_>, proof: &UnrolledProof, checker: &mut Checker<'_>) -> Checked {
    let Some((mut graph, errors)) = with_errors(task) else {
        return Err(Stop::shape("unrolled loops prove no such property"));
    };
    for change in &proof.changes {
        drop_loose_edges(&mut graph, &errors);
        graph = match change {
            GraphChange::Unroll(unrolling) => {
                unroll(task.terms, &graph, &errors, unrolling, checker)?
            }
            GraphChange::Cut {
                kept,
                unreached,
                harmless,
            } => {
                let cut = Cut {
                    terms: task.terms,
                    graph: &graph,
                    kept: kept.iter().copied().collect(),
                    unreached: unreached.iter().copied().collect(),
                    harmless: harmless.iter().copied().collect(),
                };
                cut.apply(&errors, checker)?
            }
        };
    }
    let property = task.property.with(PropertyKind::Unreachable(errors));
    let left = Task::new(task.terms, &graph, &property);
    cut_points::check(&left, &proof.invariants, checker)
}

/// The graph with its error locations: those of the property, or one new location with edges from
/// all states that violate the property.
fn with_errors(task: &Task<'_>) -> Option<(Model, Vec<LocationId>)> {
    let mut graph = task.model.clone();
    if let PropertyKind::Unreachable(errors) = &task.property.kind {
        return Some((graph, errors.clone()));
    }
    let safe = safe_at_locations(task)?;
    let error = LocationId(graph.locations.len());
    let span = task.property.span;
    let name = "error".to_string();
    graph.locations.push(Location::new(name, span));
    for (from, safe) in safe.into_iter().enumerate() {
        if task.terms.as_bool(safe) == Some(true) {
            continue;
        }
        let mut command = Command::new("violation", span);
        command.guards.push(task.terms.not(safe));
        let keep = |&symbol: &_| Update::keep(task.terms, symbol);
        command.updates = graph.variables.iter().map(keep).collect();
        let edge = Edge::new(LocationId(from), error, command);
        graph.edges.push(edge);
    }
    Some((graph, vec![error]))
}

/// Removes edges that no path from the entry to its first error takes: no run into an error needs
/// them.
fn drop_loose_edges(graph: &mut Model, errors: &[LocationId]) {
    let mut flow = Digraph::new(graph.locations.len());
    for edge in &graph.edges {
        flow.add_edge(edge.from.0, edge.to.0);
    }
    let reached = flow.reachable_from([graph.entry.0]);
    let leads = flow.reversed().reachable_from(errors.iter().map(|e| e.0));
    let is_error = |l: &LocationId| errors.contains(l);
    let matters = |e: &Edge| !is_error(&e.from) && reached[e.from.0] && leads[e.to.0];
    graph.edges.retain(matters);
}

fn unroll(
    terms: &Terms,
    graph: &Model,
    errors: &[LocationId],
    unrolling: &Unrolling,
    checker: &mut Checker<'_>,
) -> Checked<Model> {
    let head = unrolling.head;
    let body: BTreeSet<LocationId> = unrolling.body.iter().copied().collect();
    let count = graph.locations.len();
    let all = body.iter().chain([&head]);
    if body.len() != unrolling.body.len() || all.clone().any(|l| l.0 >= count) {
        return Err(Stop::shape("there is no such loop"));
    }
    if body.contains(&head) || all.clone().any(|l| errors.contains(l)) {
        return Err(Stop::shape("the body of a loop has no head and no error"));
    }
    let rounds = Rounds {
        graph,
        unrolling,
        body: &body,
    };
    rounds.bounds(terms, checker)?;
    let mut new = graph.clone();
    new.edges.retain(|e| e.from != head);
    rounds.append(unrolling.rounds(), &mut new, &|round, exit| {
        (round < unrolling.bound(exit)).then_some(exit)
    });
    Ok(new)
}

/// The rounds of a loop in sequence.
struct Rounds<'r> {
    graph: &'r Model,
    unrolling: &'r Unrolling,
    body: &'r BTreeSet<LocationId>,
}

impl Rounds<'_> {
    /// Whether a location lies in a round.
    fn has(&self, location: LocationId) -> bool {
        location == self.unrolling.head || self.body.contains(&location)
    }

    /// Adds rounds to a graph that has the locations of the old one.
    fn append(
        &self,
        rounds: u32,
        new: &mut Model,
        exit: &dyn Fn(u32, LocationId) -> Option<LocationId>,
    ) {
        let head = self.unrolling.head;
        let mut copies: Vec<BTreeMap<LocationId, LocationId>> = Vec::new();
        for round in 0..rounds {
            let mut copy = BTreeMap::from([(head, head)]);
            let heads = std::iter::once(&head).filter(|_| round > 0);
            for &old in heads.chain(&self.unrolling.body) {
                copy.insert(old, LocationId(new.locations.len()));
                let Location { name, span, .. } = &self.graph.locations[old.0];
                let name = format!("{name} in round {}", round + 1);
                new.locations.push(Location::new(name, *span));
            }
            copies.push(copy);
        }
        for (round, copy) in (0_u32..).zip(&copies) {
            let inside = self.graph.edges.iter().filter(|e| self.has(e.from));
            for edge in inside {
                let to = match edge.to {
                    to if to == head => copies.get(round as usize + 1).map(|next| next[&head]),
                    to if self.body.contains(&to) => Some(copy[&to]),
                    to => exit(round, to),
                };
                if let Some(to) = to {
                    let copied = Edge::new(copy[&edge.from], to, edge.command.clone());
                    new.edges.push(copied);
                }
            }
        }
    }

    /// Proves that after as many rounds as its bound, started in any state, an exit is not reached.
    fn bounds(&self, terms: &Terms, checker: &mut Checker<'_>) -> Checked {
        let mut late = self.graph.clone();
        late.edges.clear();
        let leaving = self.graph.edges.iter().filter(|e| self.has(e.from));
        let exits: BTreeSet<LocationId> =
            leaving.map(|e| e.to).filter(|&to| !self.has(to)).collect();
        let mut late_of = BTreeMap::new();
        for &exit in &exits {
            late_of.insert(exit, LocationId(late.locations.len()));
            let Location { name, span, .. } = &self.graph.locations[exit.0];
            let bound = self.unrolling.bound(exit);
            let name = format!("{name} after {bound} rounds");
            late.locations.push(Location::new(name, *span));
        }
        self.append(self.unrolling.rounds() + 1, &mut late, &|round, exit| {
            let on_time = round != self.unrolling.bound(exit);
            late_of.get(&exit).copied().filter(|_| !on_time)
        });
        let mut invariants = vec![None; late.locations.len()];
        invariants[self.unrolling.head.0] = Some(terms.tt());
        for place in late_of.values() {
            invariants[place.0] = Some(terms.ff());
        }
        arrivals(terms, &late, &invariants, &[self.unrolling.head], checker)
    }
}

/// Proves that runs from any state at these locations end in the invariants of the next ones.
fn arrivals(
    terms: &Terms,
    graph: &Model,
    invariants: &[Option<Term>],
    starts: &[LocationId],
    checker: &mut Checker<'_>,
) -> Checked {
    let safe = vec![terms.tt(); graph.locations.len()];
    let blocks = Blocks::new(terms, graph, invariants, &safe)?;
    let mut starts = starts.iter();
    starts.try_for_each(|start| blocks.from(start.0, terms.tt(), checker))
}

/// Locations to cut off.
struct Cut<'c> {
    terms: &'c Terms,
    graph: &'c Model,
    kept: BTreeSet<LocationId>,
    unreached: BTreeSet<LocationId>,
    harmless: BTreeSet<LocationId>,
}

impl Cut<'_> {
    fn apply(&self, errors: &[LocationId], checker: &mut Checker<'_>) -> Checked<Model> {
        let count = self.graph.locations.len();
        let entry = self.graph.entry;
        let fixed = errors.iter().chain([&entry]);
        let mut cut = self.unreached.union(&self.harmless);
        let known = self.kept.iter().all(|l| l.0 < count);
        if !known || fixed.clone().any(|l| !self.kept.contains(l)) {
            return Err(Stop::shape("the entry and the errors must be kept"));
        }
        if cut.any(|l| !self.kept.contains(l)) {
            return Err(Stop::shape("only locations that are kept can be cut off"));
        }
        if self.unreached.contains(&entry) || errors.iter().any(|l| self.harmless.contains(l)) {
            return Err(Stop::shape(
                "the entry cannot be unreached, and errors cannot be harmless",
            ));
        }
        let is_cut = |l: &LocationId| self.unreached.contains(l) || self.harmless.contains(l);
        let others = self.kept.difference(&self.unreached).copied().collect();
        self.arrive(others, &|l| !self.unreached.contains(l), checker)?;
        // A run that is at a harmless location stays at harmless locations.
        let harmless = self.harmless.iter().copied().collect();
        self.arrive(harmless, &is_cut, checker)?;
        let mut new = self.graph.clone();
        new.edges.retain(|e| !is_cut(&e.from) && !is_cut(&e.to));
        Ok(new)
    }

    /// Proves that runs from some kept locations reach only allowed ones as the next kept ones.
    fn arrive(
        &self,
        starts: Vec<LocationId>,
        allowed: &dyn Fn(&LocationId) -> bool,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let all = (0..self.graph.locations.len()).map(LocationId);
        let invariant = |l: LocationId| {
            let kept = self.kept.contains(&l);
            kept.then(|| self.terms.bool(allowed(&l)))
        };
        let invariants: Vec<Option<Term>> = all.map(invariant).collect();
        arrivals(self.terms, self.graph, &invariants, &starts, checker)
    }
}
