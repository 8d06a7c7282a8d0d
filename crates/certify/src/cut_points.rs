//! Invariants of cut points: every path without cycles between two of them is followed.
//!
//! The paths are encoded here anew, in the plainest way: each location on the way has its own
//! copy of the variables and a Boolean that says whether the run passes it.

use crate::invariant::{Checked, Checker, is_state_formula, safe_at_locations};
use crate::{Obligation, Outcome, refused};
use sectile_base::Budget;
use sectile_base::digraph::Digraph;
use sectile_model::{Edge, LocationId, Model, ProgramGraph, Task};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Sort, Stage, SymbolKind, Term, Terms};

/// Initiation, consecution along all paths between cut points, and the property all the way.
pub fn check(
    task: &Task<'_>,
    invariants: &[Option<Term>],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let terms = task.terms;
    let Model::Graph(graph) = task.model else {
        return Ok(refused("a system has no locations: it needs one invariant"));
    };
    if invariants.len() != graph.locations.len() {
        return Ok(refused("there must be one entry for every location"));
    }
    for &invariant in invariants.iter().flatten() {
        if let Err(why) = is_state_formula(task, invariant) {
            return Ok(refused(&why));
        }
    }
    let Some(safe) = safe_at_locations(task, graph.locations.len()) else {
        return Ok(refused("invariants do not prove this kind of property"));
    };
    let Some(order) = order_between(graph, invariants) else {
        return Ok(refused(
            "a cycle passes through no location with an invariant",
        ));
    };
    let blocks = Blocks {
        terms,
        graph,
        invariants,
        safe: &safe,
        order: &order,
    };
    let mut checker = Checker::new(terms, solver, budget);
    let result = blocks.obligations(&mut checker)?;
    Ok(checker.outcome(result))
}

/// The locations without an invariant, in an order in which edges between them go forward.
fn order_between(graph: &ProgramGraph, invariants: &[Option<Term>]) -> Option<Vec<usize>> {
    let mut between = Digraph::new(graph.locations.len());
    for edge in &graph.edges {
        if invariants[edge.from.0].is_none() && invariants[edge.to.0].is_none() {
            between.add_edge(edge.from.0, edge.to.0);
        }
    }
    let order = between.topological_order()?;
    let inner = order.into_iter().filter(|&l| invariants[l].is_none());
    Some(inner.collect())
}

struct Blocks<'c> {
    terms: &'c Terms,
    graph: &'c ProgramGraph,
    invariants: &'c [Option<Term>],
    safe: &'c [Term],
    order: &'c [usize],
}

/// A location on the way: the copy of its variables, and whether the run passes it.
#[derive(Clone, Copy)]
struct Stop {
    location: usize,
    copy: u32,
    passed: Term,
}

impl Blocks<'_> {
    fn obligations(&self, checker: &mut Checker<'_>) -> Checked {
        let entry = self.graph.entry.0;
        let init = self.graph.init_formula(self.terms);
        match self.invariants[entry] {
            Some(invariant) => {
                let stop = checker.implies(Obligation::Initiation, &[init], invariant)?;
                if stop.is_err() {
                    return Ok(stop);
                }
            }
            None => {
                let stop = self.from(entry, init, checker)?;
                if stop.is_err() {
                    return Ok(stop);
                }
            }
        }
        for location in 0..self.graph.locations.len() {
            let Some(invariant) = self.invariants[location] else {
                continue;
            };
            let stop = self.from(location, invariant, checker)?;
            if stop.is_err() {
                return Ok(stop);
            }
        }
        Ok(Ok(()))
    }

    /// Follows the paths that start at a location in a state of `start`.
    fn from(&self, location: usize, start: Term, checker: &mut Checker<'_>) -> Checked {
        let terms = self.terms;
        let restrict = self.graph.restrict_formula(terms);
        let mut premises = vec![terms.at_step(terms.and2(start, restrict), 0)];
        let mut stops = vec![Stop {
            location,
            copy: 0,
            passed: terms.tt(),
        }];
        let mut next = 0;
        loop {
            if let Err(stop) = self.leave(&stops[next], &premises, checker)? {
                return Ok(Err(stop));
            }
            next += 1;
            while stops.len() == next {
                let Some(inner) = self.after(&stops) else {
                    return Ok(Ok(()));
                };
                self.pass(inner, &mut stops, &mut premises);
            }
        }
    }

    /// The next location on the way that some stop leads to.
    fn after(&self, stops: &[Stop]) -> Option<usize> {
        let is_stop = |l: usize| stops.iter().any(|s| s.location == l);
        let reached = |l: usize| {
            self.graph
                .edges_to(LocationId(l))
                .any(|e| is_stop(self.graph.edges[e].from.0))
        };
        // The start itself may lie on no cycle without invariants, so it is never met again.
        let mut inner = self.order.iter().copied();
        inner.find(|&l| !is_stop(l) && reached(l))
    }

    /// A run passes a location only by an edge from an earlier stop.
    fn pass(&self, location: usize, stops: &mut Vec<Stop>, premises: &mut Vec<Term>) {
        let terms = self.terms;
        let copy = u32::try_from(stops.len()).unwrap_or(u32::MAX);
        let name = terms.fresh("certify.passed", Sort::Bool, SymbolKind::Rigid);
        let passed = terms.var(name);
        let ways = self.graph.edges_to(LocationId(location)).flat_map(|e| {
            let edge = &self.graph.edges[e];
            let from = stops.iter().filter(|s| s.location == edge.from.0);
            from.map(|s| terms.and2(s.passed, self.step(edge, s.copy, copy)))
        });
        let some_way = terms.or(ways.collect::<Vec<_>>());
        premises.push(terms.implies(passed, some_way));
        stops.push(Stop {
            location,
            copy,
            passed,
        });
    }

    /// The step along an edge from one copy of the variables to another.
    fn step(&self, edge: &Edge, from: u32, to: u32) -> Term {
        let step = self.graph.step_formula(self.terms, edge);
        self.terms.restage(step, |_, stage| match stage {
            Stage::Now => Stage::At(from),
            Stage::Next => Stage::At(to),
            other => other,
        })
    }

    /// The property at a stop, and the invariants behind the edges that leave it.
    fn leave(&self, stop: &Stop, premises: &[Term], checker: &mut Checker<'_>) -> Checked {
        let terms = self.terms;
        let mut here = premises.to_vec();
        here.push(stop.passed);
        let name = self.graph.locations[stop.location].name.clone();
        let safe = terms.at_step(self.safe[stop.location], stop.copy);
        if let Err(refusal) = checker.implies(Obligation::Property(Some(name)), &here, safe)? {
            return Ok(Err(refusal));
        }
        // No stop has this copy: the states behind the edge are those of no other query.
        let behind = u32::MAX;
        for index in self.graph.edges_from(LocationId(stop.location)) {
            let edge = &self.graph.edges[index];
            let Some(invariant) = self.invariants[edge.to.0] else {
                continue;
            };
            let name = format!(
                "{} -> {} ({})",
                self.graph.location_name(edge.from),
                self.graph.location_name(edge.to),
                edge.command.name
            );
            here.push(self.step(edge, stop.copy, behind));
            let after = terms.restage(invariant, |_, _| Stage::At(behind));
            let result = checker.implies(Obligation::Consecution(name), &here, after)?;
            here.pop();
            if result.is_err() {
                return Ok(result);
            }
        }
        Ok(Ok(()))
    }
}
