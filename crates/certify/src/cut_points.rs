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
        while let Some(inner) = self.after(&stops) {
            self.pass(inner, &mut stops, &mut premises);
        }
        for stop in &stops {
            let safe = terms.at_step(self.safe[stop.location], stop.copy);
            let name = self.graph.locations[stop.location].name.clone();
            let here = [premises.as_slice(), &[stop.passed]].concat();
            let result = checker.implies(Obligation::Property(Some(name)), &here, safe)?;
            if result.is_err() {
                return Ok(result);
            }
        }
        for (target, invariant) in self.invariants.iter().enumerate() {
            if let Some(invariant) = invariant {
                let result = self.arrive(&stops, &premises, target, *invariant, checker)?;
                if result.is_err() {
                    return Ok(result);
                }
            }
        }
        Ok(Ok(()))
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
        let some_way = terms.or(self.ways(stops, location, copy));
        premises.push(terms.implies(passed, some_way));
        stops.push(Stop {
            location,
            copy,
            passed,
        });
    }

    /// The steps from stops to a location, whose variables have the given copy.
    fn ways(&self, stops: &[Stop], location: usize, copy: u32) -> Vec<Term> {
        let entering = self.graph.edges_to(LocationId(location));
        let ways = entering.flat_map(|e| {
            let edge = &self.graph.edges[e];
            let from = stops.iter().filter(|s| s.location == edge.from.0);
            from.map(|s| self.terms.and2(s.passed, self.step(edge, s.copy, copy)))
        });
        ways.collect()
    }

    /// All ways from the start to a location with an invariant lead into the invariant.
    fn arrive(
        &self,
        stops: &[Stop],
        premises: &[Term],
        target: usize,
        invariant: Term,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let terms = self.terms;
        let copy = u32::try_from(stops.len()).unwrap_or(u32::MAX);
        let ways = self.ways(stops, target, copy);
        if ways.is_empty() {
            return Ok(Ok(()));
        }
        let name = |l: usize| self.graph.location_name(LocationId(l));
        let paths = format!("{} -> {}", name(stops[0].location), name(target));
        let here = [premises, &[terms.or(ways)]].concat();
        let after = terms.at_step(invariant, copy);
        checker.implies(Obligation::Consecution(paths), &here, after)
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
}
