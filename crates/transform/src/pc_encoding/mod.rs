//! Turns a program graph into a system: the location becomes the value of a variable.

mod cells;

use crate::ctl::map_leaves;
use crate::naming::{enum_variable, free_name};
use crate::pass::{Applied, BackTranslate, Lost, Pass, unexpected};
use sectile_model::{
    Certificate, Command, Ctl, Edge, LocationId, Model, PropertyKind, State, Task, Trace, Update,
};
use sectile_terms::{Sort, Substitution, Symbol, Term, Terms, Value};
use std::collections::BTreeSet;

/// Makes a system of a program graph, with a variable for the program counter.
///
/// The variable is called `pc` (or `pc_`, ... if that is taken) and is the first one of the system.
/// Its values have the names of the locations. Command `i` is edge `i`.
///
/// Paper: [ErHoPoSc11, Sect. 3]. Differs: the other direction, for engines that take systems.
#[derive(Clone, Copy, Debug, Default)]
pub struct PcEncoding;

impl Pass for PcEncoding {
    fn name(&self) -> &'static str {
        "pc-encoding"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (terms, graph) = (task.terms, task.model);
        if graph.is_system() {
            return Err("there is one location only".to_string());
        }
        let counter = Counter::declare(terms, graph);
        let kind = counter.property(terms, &task.property.kind);
        let back = DropCounter {
            counter,
            entry: graph.entry,
            locations: graph.locations.len(),
            edges: graph.edges.iter().map(|e| (e.from, e.to)).collect(),
        };
        let system = encode(terms, graph, &counter);
        Ok(Applied::new(system, task.property.with(kind), back))
    }
}

/// The program counter.
#[derive(Clone, Copy, Debug)]
struct Counter {
    symbol: Symbol,
    sort: Sort,
}

impl Counter {
    fn declare(terms: &Terms, graph: &Model) -> Counter {
        let inputs = graph.edges.iter().flat_map(|e| &e.command.inputs);
        let used: Vec<Symbol> = graph
            .variables
            .iter()
            .chain(&graph.rigid)
            .chain(inputs)
            .copied()
            .collect();
        // A value with the name of a variable would be ambiguous in text.
        let mut taken: BTreeSet<String> = used.iter().map(|&s| terms.name(s).into()).collect();
        let mut values: Vec<String> = Vec::new();
        for location in &graph.locations {
            let name = free_name(&location.name, |n| taken.contains(n));
            taken.insert(name.clone());
            values.push(name);
        }
        let symbol = enum_variable(terms, "pc", &values, &used);
        let sort = terms.symbol_sort(symbol);
        Counter { symbol, sort }
    }

    /// The value of a location.
    fn value(self, terms: &Terms, location: LocationId) -> Term {
        let Sort::Enum(id) = self.sort else {
            unreachable!("the counter was declared over an enumeration")
        };
        let index = u32::try_from(location.0).expect("the enumeration has fewer than 2^32 values");
        terms.variant(id, index)
    }

    /// Control is at a location.
    fn at(self, terms: &Terms, location: LocationId) -> Term {
        terms.eq(terms.var(self.symbol), self.value(terms, location))
    }

    fn property(self, terms: &Terms, kind: &PropertyKind) -> PropertyKind {
        match kind {
            PropertyKind::Invariant(_) | PropertyKind::Error(_) => kind.clone(),
            PropertyKind::Unreachable(locations) => {
                let away = locations.iter().map(|&l| terms.not(self.at(terms, l)));
                PropertyKind::Invariant(terms.and(away))
            }
            PropertyKind::AtLocation(location, p) => {
                PropertyKind::Invariant(terms.implies(self.at(terms, *location), *p))
            }
            PropertyKind::Ctl(formula) => {
                PropertyKind::Ctl(map_leaves(terms, formula, &mut |leaf| match leaf {
                    Ctl::At(location) => Ctl::State(self.at(terms, *location)),
                    other => other.clone(),
                }))
            }
        }
    }
}

fn encode(terms: &Terms, graph: &Model, counter: &Counter) -> Model {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut commands = Vec::new();
    for edge in &graph.edges {
        let from = graph.location_name(edge.from);
        let to = graph.location_name(edge.to);
        let hint = format!("{from}->{to}: {}", edge.command.name);
        let name = free_name(&hint, |n| names.contains(n));
        names.insert(name.clone());
        commands.push(command_of(terms, edge, name, counter));
    }
    let here = counter.at(terms, graph.entry);
    let system = Model::system(commands);
    Model {
        variables: [&[counter.symbol], &graph.variables[..]].concat(),
        init: [&[here], &graph.init[..]].concat(),
        locations: system.locations,
        edges: system.edges,
        ..graph.without_edges()
    }
}

/// The edge as a command that updates the counter.
fn command_of(terms: &Terms, edge: &Edge, name: String, counter: &Counter) -> Command {
    let mut command = edge.command.clone();
    command.name = name;
    command.guards.insert(0, counter.at(terms, edge.from));
    let (symbol, value) = (counter.symbol, counter.value(terms, edge.to));
    command.updates.insert(0, Update { symbol, value });
    command
}

/// The way back: the value of the counter becomes the location again.
struct DropCounter {
    counter: Counter,
    entry: LocationId,
    locations: usize,
    /// The source and target of each edge.
    edges: Vec<(LocationId, LocationId)>,
}

impl BackTranslate for DropCounter {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::Invariants(proof) => match proof.at.as_slice() {
                &[Some(invariant)] => Ok(proof.with(self.invariants(terms, invariant))),
                _ => Err(unexpected(certificate)),
            },
            Certificate::Ctl(proof) => {
                let proof = self.cells(terms, proof)?;
                Ok(Certificate::Ctl(Box::new(proof)))
            }
            Certificate::Trace(trace) => self.trace(trace).map(Certificate::Trace),
            other => Err(unexpected(other)),
        }
    }
}

impl DropCounter {
    fn invariants(&self, terms: &Terms, invariant: Term) -> Vec<Option<Term>> {
        let locations = (0..self.locations).map(LocationId);
        let all = locations.map(|l| Some(self.invariant_at(terms, invariant, l)));
        all.collect()
    }

    /// The part of the invariant about the other variables at a location.
    fn invariant_at(&self, terms: &Terms, invariant: Term, location: LocationId) -> Term {
        let counter = terms.var(self.counter.symbol);
        let value = self.counter.value(terms, location);
        let map = Substitution::from_iter([(counter, value)]);
        terms.substitute(invariant, &map)
    }

    fn trace(&self, trace: &Trace) -> Result<Trace, Lost> {
        let states: Result<Vec<State>, Lost> = trace.states.iter().map(|s| self.state(s)).collect();
        Ok(Trace {
            states: states?,
            ..trace.clone()
        })
    }

    fn state(&self, state: &State) -> Result<State, Lost> {
        match state.values.split_first() {
            Some((Value::Enum(id, index), values))
                if self.counter.sort == Sort::Enum(*id) && (*index as usize) < self.locations =>
            {
                Ok(State {
                    location: LocationId(*index as usize),
                    values: values.to_vec(),
                })
            }
            _ => Err(Lost("a state of the trace has no program counter".into())),
        }
    }
}
