//! Checks invariants of cut points: every path between two of them is followed.
//!
//! The paths are encoded here independently and simply: each location on the way has its own copy
//! of the variables and a Boolean that says whether the run passes it. If all edges into a location
//! give a variable the same value, and that value is a variable, a constant or an array, it is used
//! directly: otherwise long paths through arrays would become long chains of equal arrays.

use crate::Obligation;
use crate::checker::{Checked, Checker};
use crate::instances;
use crate::invariant::{order_between, well_formed};
use sectile_model::{Edge, LocationId, Model, Task};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// Initiation, consecution along all paths between cut points, and the property everywhere on the
/// way.
pub fn check(task: &Task<'_>, invariants: &[Option<Term>], checker: &mut Checker<'_>) -> Checked {
    let safe = well_formed(task, invariants)?;
    Blocks::new(task.terms, task.model, invariants, &safe)?.obligations(checker)
}

/// The paths between the cut points of a graph.
pub struct Blocks<'c> {
    terms: &'c Terms,
    graph: &'c Model,
    invariants: &'c [Option<Term>],
    /// The condition at every location, also between cut points.
    safe: &'c [Term],
    /// The other locations, in topological order.
    order: Vec<usize>,
    /// The edges into each location.
    entering: Vec<Vec<&'c Edge>>,
}

/// A location on the way: the values of its variables, and whether the run passes it.
struct Waypoint {
    /// For each variable of the graph.
    values: Vec<Term>,
    /// The copy of the inputs of edges that leave it.
    inputs: u32,
    passed: Term,
}

impl<'c> Blocks<'c> {
    /// Fails if some cycle passes through no location with an invariant.
    pub fn new(
        terms: &'c Terms,
        graph: &'c Model,
        invariants: &'c [Option<Term>],
        safe: &'c [Term],
    ) -> Checked<Blocks<'c>> {
        let mut entering = vec![Vec::new(); graph.locations.len()];
        for edge in &graph.edges {
            entering[edge.to.0].push(edge);
        }
        Ok(Blocks {
            terms,
            graph,
            invariants,
            safe,
            order: order_between(graph, invariants)?,
            entering,
        })
    }

    fn obligations(&self, checker: &mut Checker<'_>) -> Checked {
        let entry = self.graph.entry.0;
        let init = self.graph.init_formula(self.terms);
        match self.invariants[entry] {
            Some(invariant) => checker.implies(Obligation::Initiation, &[init], invariant)?,
            None => self.from(entry, init, checker)?,
        }
        for (location, invariant) in self.invariants.iter().enumerate() {
            if let Some(invariant) = *invariant {
                self.from(location, invariant, checker)?;
            }
        }
        Ok(())
    }

    /// Follows the paths from a location, starting in a state of `start`.
    pub fn from(&self, location: usize, start: Term, checker: &mut Checker<'_>) -> Checked {
        let terms = self.terms;
        let restrict = self.graph.restrict_formula(terms);
        let first = Waypoint {
            values: self.copy(0),
            inputs: 0,
            passed: terms.tt(),
        };
        let mut premises = vec![self.at(terms.and2(start, restrict), &first.values)];
        let mut stops = BTreeMap::from([(location, first)]);
        // The start lies on no cycle without invariants, so it does not occur again.
        for &inner in self.order.iter().filter(|&&l| l != location) {
            self.pass(inner, &mut stops, &mut premises);
        }
        for (&passed, stop) in &stops {
            let safe = self.at(self.safe[passed], &stop.values);
            let name = self.graph.locations[passed].name.clone();
            let here = [premises.as_slice(), &[stop.passed]].concat();
            let here = instances::added(terms, here, safe);
            checker.implies(Obligation::Property(Some(name)), &here, safe)?;
        }
        for (target, invariant) in self.invariants.iter().enumerate() {
            if let Some(invariant) = invariant {
                let paths = (location, target);
                self.arrive(&stops, &premises, paths, *invariant, checker)?;
            }
        }
        Ok(())
    }

    /// A run passes a location only by an edge from an earlier waypoint.
    fn pass(
        &self,
        location: usize,
        stops: &mut BTreeMap<usize, Waypoint>,
        premises: &mut Vec<Term>,
    ) {
        let terms = self.terms;
        let inputs = u32::try_from(stops.len()).unwrap_or(u32::MAX);
        let values = self.values(stops, location, inputs);
        let ways = self.ways(stops, location, &values);
        if ways.is_empty() {
            return;
        }
        let name = terms.fresh("certify.passed", Sort::Bool, SymbolKind::Rigid);
        let passed = terms.var(name);
        premises.push(terms.implies(passed, terms.or(ways)));
        let stop = Waypoint {
            values,
            inputs,
            passed,
        };
        stops.insert(location, stop);
    }

    /// The variables of a copy.
    fn copy(&self, number: u32) -> Vec<Term> {
        let copied = |&v: &Symbol| self.terms.var_at(v, Stage::At(number));
        self.graph.variables.iter().map(copied).collect()
    }

    /// The values of the variables at a location: a new copy, except for those that all edges set
    /// to the same value.
    fn values(&self, stops: &BTreeMap<usize, Waypoint>, location: usize, new: u32) -> Vec<Term> {
        let entering = self.entering[location].iter();
        let ways = entering.filter_map(|edge| Some((edge, stops.get(&edge.from.0)?)));
        let ways = ways.map(|(edge, stop)| (edge, stop, self.now(&stop.values)));
        let ways: Vec<(&&Edge, &Waypoint, Substitution)> = ways.collect();
        let mut values = self.copy(new);
        for (value, &v) in values.iter_mut().zip(&self.graph.variables) {
            let set = |(edge, stop, before): &(&&Edge, &Waypoint, Substitution)| {
                let update = edge.command.update_of(v).filter(|&u| self.is_short(u))?;
                Some(self.chosen(update, before, stop))
            };
            let mut all = ways.iter().map(set);
            let first = all.next().flatten();
            if let Some(same) = first.filter(|_| all.all(|other| other == first)) {
                *value = same;
            }
        }
        values
    }

    /// Whether a value may replace a variable without repeating a long term.
    fn is_short(&self, value: Term) -> bool {
        match self.terms.node(value) {
            Node::Var(..) | Node::Bool(_) | Node::Number(_) | Node::Variant(..) => true,
            _ => matches!(self.terms.sort(value), Sort::Array(_)),
        }
    }

    /// The substitution that gives the variables these values.
    fn now(&self, values: &[Term]) -> Substitution {
        let variables = self.graph.variables.iter().zip(values);
        let now = variables.map(|(&v, &value)| (self.terms.var(v), value));
        now.collect()
    }

    /// A term about a step from a waypoint; everything but state variables is chosen at the step.
    fn chosen(&self, t: Term, map: &Substitution, stop: &Waypoint) -> Term {
        let t = self.terms.substitute(t, map);
        self.terms.restage(t, |_, stage| match stage {
            Stage::Now => Stage::At(stop.inputs),
            other => other,
        })
    }

    /// A state formula with these values for the variables.
    fn at(&self, formula: Term, values: &[Term]) -> Term {
        self.terms.substitute(formula, &self.now(values))
    }

    /// The steps from waypoints to a location, whose variables have the given values.
    fn ways(&self, stops: &BTreeMap<usize, Waypoint>, location: usize, to: &[Term]) -> Vec<Term> {
        let ways = self.entering[location].iter().filter_map(|edge| {
            let stop = stops.get(&edge.from.0)?;
            let step = self.step(edge, stop, to);
            Some(self.terms.and2(stop.passed, step))
        });
        ways.collect()
    }

    /// All paths from the start to a location with an invariant end in the invariant.
    fn arrive(
        &self,
        stops: &BTreeMap<usize, Waypoint>,
        premises: &[Term],
        (start, target): (usize, usize),
        invariant: Term,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let terms = self.terms;
        let new = u32::try_from(stops.len()).unwrap_or(u32::MAX);
        let values = self.values(stops, target, new);
        let ways = self.ways(stops, target, &values);
        if ways.is_empty() {
            return Ok(());
        }
        let name = |l: usize| self.graph.location_name(LocationId(l));
        let paths = format!("{} -> {}", name(start), name(target));
        let here = [premises, &[terms.or(ways)]].concat();
        let after = self.at(invariant, &values);
        let here = instances::added(terms, here, after);
        checker.implies(Obligation::Consecution(paths), &here, after)
    }

    /// The step along an edge from a waypoint to other values of the variables.
    fn step(&self, edge: &Edge, from: &Waypoint, to: &[Term]) -> Term {
        let terms = self.terms;
        let mut map = self.now(&from.values);
        let variables = self.graph.variables.iter().zip(to);
        map.extend(variables.map(|(&v, &value)| (terms.next(v), value)));
        self.chosen(self.graph.step_formula(terms, &edge.command), &map, from)
    }
}
