//! Program graphs: control locations, and commands on the edges between them.

use crate::command::Command;
use sectile_base::Span;
use sectile_base::digraph::Digraph;
use sectile_terms::{Symbol, Term, Terms};

/// Names a location of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub usize);

/// A control location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// What users call it.
    pub name: String,
    /// Where it is in the source.
    pub span: Span,
}

/// An edge with the step it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub from: LocationId,
    /// Where it ends.
    pub to: LocationId,
    /// What it does; the name is the statement as the source has it.
    pub command: Command,
}

/// A program as a graph.
///
/// Paper: [ErHoPoSc11, Sect. 3]; error locations are properties here, so that one program can
/// have several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramGraph {
    /// What the program is called.
    pub name: String,
    /// Variables that change.
    pub variables: Vec<Symbol>,
    /// Variables that are never assigned, and symbolic constants.
    pub rigid: Vec<Symbol>,
    /// Conjuncts that hold at the start.
    pub init: Vec<Term>,
    /// Conjuncts that hold in every state.
    pub restrict: Vec<Term>,
    /// The locations.
    pub locations: Vec<Location>,
    /// Where the program starts.
    pub entry: LocationId,
    /// The edges, in the order of the source.
    pub edges: Vec<Edge>,
}

impl ProgramGraph {
    /// The location with this name.
    pub fn location(&self, name: &str) -> Option<LocationId> {
        let found = self.locations.iter().position(|l| l.name == name);
        found.map(LocationId)
    }

    /// The name of a location.
    pub fn location_name(&self, id: LocationId) -> &str {
        &self.locations[id.0].name
    }

    /// The locations at which a depth-first walk from the entry finds itself again: without them
    /// there is no loop.
    pub fn loop_heads(&self) -> Vec<LocationId> {
        let mut flow = Digraph::new(self.locations.len());
        for edge in &self.edges {
            flow.add_edge(edge.from.0, edge.to.0);
        }
        let heads = flow.loop_heads(self.entry.0);
        heads.into_iter().map(LocationId).collect()
    }

    /// Indices of the edges that leave a location.
    pub fn edges_from(&self, id: LocationId) -> impl Iterator<Item = usize> {
        let edges = self.edges.iter().enumerate();
        edges.filter(move |(_, e)| e.from == id).map(|(i, _)| i)
    }

    /// Indices of the edges that enter a location.
    pub fn edges_to(&self, id: LocationId) -> impl Iterator<Item = usize> {
        let edges = self.edges.iter().enumerate();
        edges.filter(move |(_, e)| e.to == id).map(|(i, _)| i)
    }

    /// What holds at the start.
    pub fn init_formula(&self, terms: &Terms) -> Term {
        terms.and(self.init.iter().chain(&self.restrict).copied())
    }

    /// What holds everywhere.
    pub fn restrict_formula(&self, terms: &Terms) -> Term {
        terms.and(self.restrict.iter().copied())
    }

    /// One step along an edge, without the locations.
    pub fn step_formula(&self, terms: &Terms, edge: &Edge) -> Term {
        let restrict = self.restrict_formula(terms);
        terms.and([restrict, edge.command.formula(terms), terms.prime(restrict)])
    }
}
