//! The one model: locations, variables, and steps from locations to locations.
//!
//! A transition system has one location. A program has many, and its edges lead from one to one. A
//! Horn clause with several predicates in its body is an edge with premises: it leads from one
//! location, and rests on states of others that were reached before.

use crate::Trace;
use crate::command::Command;
use crate::family::Families;
use crate::property::Property;
use sectile_base::Span;
use sectile_base::digraph::Digraph;
use sectile_terms::{Symbol, Term, Terms, Value};

/// Names a location of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub usize);

/// A control location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its name for users.
    pub name: String,
    /// Its position in the source.
    pub span: Span,
    /// The relevant variables, if these are not all: a predicate of a Horn clause constrains only
    /// its arguments, and other variables have any value.
    pub variables: Option<Vec<Symbol>>,
    /// Its role in a program.
    pub role: Role,
}

/// The role of a location in a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// A point between two statements.
    #[default]
    Plain,
    /// The call of a procedure, with its arguments.
    Called,
    /// The summary of a procedure: arguments of a call with its results.
    Summary,
}

impl Location {
    /// A location at which all variables are relevant.
    pub fn new(name: impl Into<String>, span: Span) -> Location {
        Location {
            name: name.into(),
            span,
            variables: None,
            role: Role::Plain,
        }
    }
}

/// A step from a location to a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The source location.
    pub from: LocationId,
    /// Premises: states at other locations; systems and programs without recursion have none.
    pub premises: Vec<Premise>,
    /// The target location.
    pub to: LocationId,
    /// The step; in programs its name is the statement of the source.
    pub command: Command,
    /// Names of the source for values of the step with other names in the model: terms over the
    /// state before, the state after and the inputs.
    pub legend: Vec<(String, Term)>,
    /// Whether it allows more than the source does, such as a call replaced by a contract: a run
    /// along a loose edge proves nothing.
    pub loose: bool,
}

/// A state that must be reached in addition to the one in which an edge starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// Its location.
    pub location: LocationId,
    /// Its relevant variables, with their values over the state before, the state after and the
    /// inputs of the edge. Variables that are not listed may have any value.
    pub values: Vec<(Symbol, Term)>,
}

impl Edge {
    /// An edge without premises.
    pub fn new(from: LocationId, to: LocationId, command: Command) -> Edge {
        Edge {
            from,
            premises: Vec::new(),
            to,
            command,
            legend: Vec::new(),
            loose: false,
        }
    }
}

/// A transition system, a program or a set of Horn clauses.
///
/// Paper: [BrDrFiWe07, Sect. 3] for systems, [ErHoPoSc11, Sect. 3] for programs; error locations are
/// properties here, so that one program can have several. Besides, `restrict` holds conditions that
/// every state satisfies by definition (ranges of variables, assumptions about symbolic
/// constants): a step into a state outside does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Its name, usually the file's stem.
    pub name: String,
    /// State variables, in the order of their declaration.
    pub variables: Vec<Symbol>,
    /// Symbolic constants, and variables that are never assigned.
    pub rigid: Vec<Symbol>,
    /// Conjuncts that hold at the start.
    pub init: Vec<Term>,
    /// Conjuncts that hold in every state.
    pub restrict: Vec<Term>,
    /// The locations; there is at least one.
    pub locations: Vec<Location>,
    /// The location where every run starts.
    pub entry: LocationId,
    /// The steps, in the order of the source.
    pub edges: Vec<Edge>,
    /// The processes to which variables belong.
    pub families: Families,
    /// The same program with calls replaced by contracts, if this one has premises for calls.
    pub contracts: Option<Box<Contracts>>,
    /// The model with the monitor of an LTL formula, for the properties with these names.
    pub monitored: Vec<(String, Model)>,
}

/// A program in which recursive calls are replaced by contracts: modular verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contracts {
    /// The program.
    pub model: Model,
    /// The properties of the original program, translated to this one.
    pub properties: Vec<Property>,
}

impl Model {
    /// Whether a formula mentions only variables and symbolic constants of the model.
    pub fn is_about(&self, terms: &Terms, formula: Term) -> bool {
        let mut symbols = terms.free_vars(formula).into_iter().map(|(s, _)| s);
        symbols.all(|s| self.variables.contains(&s) || self.rigid.contains(&s))
    }

    /// Whether a run takes an edge that allows more than the input does; such a run proves nothing.
    pub fn takes_loose_edge(&self, run: &Trace) -> bool {
        let mut edges = run.steps.iter().filter_map(|s| self.edges.get(s.command));
        edges.any(|e| e.loose)
    }

    /// The model of the property with this name: this one, or its copy with a monitor.
    pub fn for_property(&self, name: &str) -> &Model {
        let found = self.monitored.iter().find(|(n, _)| n == name);
        found.map_or(self, |(_, model)| model)
    }

    /// A transition system without variables: one location, with a loop for every command.
    pub fn system(commands: Vec<Command>) -> Model {
        let run = LocationId(0);
        let loops = commands.into_iter().map(|c| Edge::new(run, run, c));
        Model {
            locations: vec![Location::new("run", Span::default())],
            edges: loops.collect(),
            ..Model::default()
        }
    }

    /// The same variables and conditions, without locations and edges.
    pub fn without_edges(&self) -> Model {
        Model {
            name: self.name.clone(),
            variables: self.variables.clone(),
            rigid: self.rigid.clone(),
            init: self.init.clone(),
            restrict: self.restrict.clone(),
            families: self.families.clone(),
            ..Model::default()
        }
    }

    /// Whether there is only one location, so that locations can be ignored.
    pub fn is_system(&self) -> bool {
        self.locations.len() == 1
    }

    /// Whether no edge has premises, so that derivations are runs.
    pub fn is_linear(&self) -> bool {
        self.edges.iter().all(|e| e.premises.is_empty())
    }

    /// Whether locations are predicates with arguments of their own.
    pub fn is_clauses(&self) -> bool {
        self.locations.iter().any(|l| l.variables.is_some())
    }

    /// The relevant variables at a location.
    pub fn variables_at(&self, location: LocationId) -> &[Symbol] {
        let own = self.locations[location.0].variables.as_ref();
        own.unwrap_or(&self.variables)
    }

    /// A formula about states at a location, over the relevant variables: others may have any
    /// value, so they are replaced by one value.
    pub fn formula_at(&self, terms: &Terms, location: LocationId, formula: Term) -> Term {
        let own = self.variables_at(location);
        let idle = self.variables.iter().filter(|v| !own.contains(v));
        let some = idle.map(|&v| {
            let value = Value::some_of(terms, terms.symbol_sort(v));
            (terms.var(v), value.to_term(terms))
        });
        terms.substitute(formula, &some.collect())
    }

    /// The location with this name.
    pub fn location(&self, name: &str) -> Option<LocationId> {
        let found = self.locations.iter().position(|l| l.name == name);
        found.map(LocationId)
    }

    /// The name of a location.
    pub fn location_name(&self, id: LocationId) -> &str {
        &self.locations[id.0].name
    }

    /// The commands of the edges, in their order.
    pub fn commands(
        &self,
    ) -> impl DoubleEndedIterator<Item = &Command> + ExactSizeIterator + Clone {
        self.edges.iter().map(|e| &e.command)
    }

    /// The command of the edge with this index, as traces name it.
    pub fn command(&self, index: usize) -> Option<&Command> {
        self.edges.get(index).map(|e| &e.command)
    }

    /// The index of the first edge whose command has this name.
    pub fn edge_named(&self, name: &str) -> Option<usize> {
        self.commands().position(|c| c.name == name)
    }

    /// The graph of locations and edges, without premises.
    pub fn flow(&self) -> Digraph {
        let mut flow = Digraph::new(self.locations.len());
        for edge in &self.edges {
            flow.add_edge(edge.from.0, edge.to.0);
        }
        flow
    }

    /// The loop heads: targets of back edges of a depth-first search from the entry. They cut every
    /// loop.
    pub fn loop_heads(&self) -> Vec<LocationId> {
        let heads = self.flow().loop_heads(self.entry.0);
        heads.into_iter().map(LocationId).collect()
    }

    /// The locations inside, in a topological order of the edges between them; none if they form a
    /// cycle. Premises are ignored.
    pub fn order_inside(&self, inside: impl Fn(LocationId) -> bool) -> Option<Vec<LocationId>> {
        let mut between = Digraph::new(self.locations.len());
        for edge in &self.edges {
            if inside(edge.from) && inside(edge.to) {
                between.add_edge(edge.from.0, edge.to.0);
            }
        }
        let order = between.topological_order()?.into_iter().map(LocationId);
        Some(order.filter(|&l| inside(l)).collect())
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

    /// The initial states: `init` and `restrict`.
    pub fn init_formula(&self, terms: &Terms) -> Term {
        terms.and(self.init.iter().chain(&self.restrict).copied())
    }

    /// The condition on all states.
    pub fn restrict_formula(&self, terms: &Terms) -> Term {
        terms.and(self.restrict.iter().copied())
    }

    /// One step of a command between states, without locations and premises.
    pub fn step_formula(&self, terms: &Terms, command: &Command) -> Term {
        let restrict = self.restrict_formula(terms);
        terms.and([restrict, command.formula(terms), terms.prime(restrict)])
    }

    /// Any step of the model; for systems.
    pub fn transition_formula(&self, terms: &Terms) -> Term {
        terms.or(self.commands().map(|c| self.step_formula(terms, c)))
    }
}
