//! Translates programs with recursion to Horn clauses.
//!
//! Every location is a predicate over the variables that are live there. A recursive procedure has
//! two more: `P.call` for the arguments of its calls, and `P.return`, which relates arguments to
//! results. A call needs the predicate of its location to enter the procedure, and additionally
//! `P.return` to continue after the call.

use super::draft::Finished;
use super::program::{Key, Program};
use sectile_base::Span;
use sectile_base::digraph::Digraph;
use sectile_model::horn::{Application, Clause, HornClauses, Predicate};
use sectile_model::{
    Command, Edge, Location, LocationId, Model, Property, PropertyKind, Role, edge_of_clause,
};
use sectile_terms::{Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a program from which the clauses are made.
pub struct Recursive<'r> {
    pub terms: &'r Terms,
    pub program: &'r Program<'r>,
    /// The symbols of variables and constants.
    pub symbols: &'r BTreeMap<Key, Symbol>,
    /// The graph, in which calls use summaries.
    pub graph: &'r Finished,
    /// Conditions on the constants.
    pub restrict: &'r [Term],
}

/// Pairs of variables such that the first gets the value of the second when a procedure with a
/// summary is entered or left.
pub fn passed(program: &Program<'_>, symbols: &BTreeMap<Key, Symbol>) -> Vec<(Symbol, Symbol)> {
    let parameters = |p: usize| program.procedures[p].parameters();
    let from = |key: &Key| match *key {
        Key::Local(p, i) if i < parameters(p) => Some(Key::Passed(p, i)),
        Key::Passed(p, i) if i >= parameters(p) => Some(Key::Local(p, i)),
        Key::Old(_, g) => Some(Key::Global(g)),
        _ => None,
    };
    let mut pairs = Vec::new();
    for (key, &symbol) in symbols {
        let Some(&other) = from(key).and_then(|k| symbols.get(&k)) else {
            continue;
        };
        pairs.push((symbol, other));
        // A summary relates old and new values of a global variable, so it needs the old one as
        // well.
        if let Key::Old(..) = key {
            pairs.push((other, symbol));
        }
    }
    pairs
}

/// The interface of a procedure with a summary: pairs of its own symbols and those of the call.
#[derive(Default)]
struct Interface {
    /// Parameters, with the variables that pass their values.
    parameters: Vec<(Symbol, Symbol)>,
    /// Results, with the variables that receive them.
    results: Vec<(Symbol, Symbol)>,
    /// Old values of the variables that it changes, with these variables.
    changed: Vec<(Symbol, Symbol)>,
    /// Variables that it reads but does not change.
    read: BTreeSet<Symbol>,
}

impl Recursive<'_> {
    /// The model and its properties, if the graph has every property of the program.
    pub fn model(&self, name: &str, properties: &[Property]) -> Option<(Model, Vec<Property>)> {
        let interfaces = self.interfaces();
        let live = self.live(&interfaces);
        let mut maker = Maker {
            program: self,
            interfaces: &interfaces,
            live: &live,
            predicates: BTreeMap::new(),
            roles: Vec::new(),
            texts: Vec::new(),
            clauses: HornClauses {
                name: name.to_string(),
                ..HornClauses::default()
            },
            queries: vec![Vec::new(); properties.len()],
        };
        maker.predicates();
        let errors = self.errors(properties)?;
        maker.start();
        for edge in 0..self.graph.edges.len() {
            maker.edge(edge, &errors)?;
        }
        Some(maker.finish(properties))
    }

    /// For each error location, the violated property.
    fn errors(&self, properties: &[Property]) -> Option<BTreeMap<usize, usize>> {
        let mut errors = BTreeMap::new();
        for (i, property) in properties.iter().enumerate() {
            let same = |p: &&Property| p.span == property.span && p.name == property.name;
            let found = self.graph.properties.iter().find(same)?;
            let PropertyKind::Unreachable(list) = &found.kind else {
                return None;
            };
            errors.extend(list.iter().map(|l| (l.0, i)));
        }
        Some(errors)
    }

    fn symbol(&self, key: Key) -> Option<Symbol> {
        self.symbols.get(&key).copied()
    }

    /// The interfaces of the procedures with summaries. Parameters that are never read are left
    /// out.
    fn interfaces(&self) -> BTreeMap<usize, Interface> {
        let mut found = BTreeMap::new();
        for &p in self.graph.units.keys() {
            let routine = &self.program.procedures[p];
            let formals = |range: std::ops::Range<usize>| -> Vec<(Symbol, Symbol)> {
                let pair = |i| {
                    let own = self.symbol(Key::Local(p, i))?;
                    Some((own, self.symbol(Key::Passed(p, i))?))
                };
                range.filter_map(pair).collect()
            };
            let parameters = routine.parameters();
            let changed = routine.changes.iter().filter_map(|&g| {
                let old = self.symbol(Key::Old(p, g))?;
                Some((old, self.symbol(Key::Global(g))?))
            });
            let interface = Interface {
                parameters: formals(0..parameters),
                results: formals(parameters..parameters + routine.results()),
                changed: changed.collect(),
                read: self.read_in(p),
            };
            found.insert(p, interface);
        }
        // A variable that is read in a callee counts as read in the caller.
        loop {
            let mut grown = false;
            for (p, &(entry, _)) in &self.graph.units {
                let edges = self.edges_of(entry.0).into_iter();
                let called: BTreeSet<usize> = edges
                    .filter_map(|e| self.graph.calls.get(&e).copied())
                    .collect();
                for callee in called {
                    let mut more = found[&callee].read.clone();
                    for (_, global) in &found[p].changed {
                        more.remove(global);
                    }
                    grown |= !more.is_subset(&found[p].read);
                    let interface = found.get_mut(p).expect("every unit has an interface");
                    interface.read.extend(more);
                }
            }
            if !grown {
                return found;
            }
        }
    }

    /// The edges of a procedure, reachable from its entry.
    fn edges_of(&self, entry: usize) -> Vec<usize> {
        let edges = &self.graph.edges;
        let mut flow = Digraph::new(self.graph.locations.len());
        edges.iter().for_each(|e| flow.add_edge(e.from.0, e.to.0));
        let reached = flow.reachable_from([entry]);
        let all = 0..edges.len();
        all.filter(|&e| reached[edges[e].from.0]).collect()
    }

    /// Constants and global variables that a procedure reads and does not change.
    fn read_in(&self, p: usize) -> BTreeSet<Symbol> {
        let changes = &self.program.procedures[p].changes;
        let shared = self.symbols.iter().filter(|(key, _)| match key {
            Key::Constant(_) => true,
            Key::Global(g) => !changes.contains(g),
            _ => false,
        });
        let shared: BTreeSet<Symbol> = shared.map(|(_, s)| *s).collect();
        let (entry, _) = self.graph.units[&p];
        let mut found = BTreeSet::new();
        for e in self.edges_of(entry.0) {
            let command = &self.graph.edges[e].command;
            found.extend(self.looked_at(command, &|_| true));
        }
        found.retain(|s| shared.contains(s));
        found
    }

    /// The variables that a step reads to compute the given ones, and those in its guards.
    fn looked_at(&self, command: &Command, matters: &dyn Fn(Symbol) -> bool) -> BTreeSet<Symbol> {
        let own = |u: &&sectile_model::Update| u.value != self.terms.var(u.symbol);
        let updates = command.updates.iter().filter(own);
        let updates = updates.filter(|u| matters(u.symbol)).map(|u| u.value);
        let all: Vec<Term> = command.guards.iter().copied().chain(updates).collect();
        let vars = self.terms.free_vars_of(&all);
        vars.into_iter().map(|(s, _)| s).collect()
    }

    /// The live variables at each location.
    fn live(&self, interfaces: &BTreeMap<usize, Interface>) -> Vec<BTreeSet<Symbol>> {
        let mut live: Vec<BTreeSet<Symbol>> = vec![BTreeSet::new(); self.graph.locations.len()];
        for (p, (_, exit)) in &self.graph.units {
            if let Some(exit) = exit {
                live[exit.0] = interfaces[p].summary_symbols();
            }
        }
        loop {
            let mut grown = false;
            for (e, edge) in self.graph.edges.iter().enumerate().rev() {
                let mut needed = self.before(&edge.command, &live[edge.to.0]);
                if let Some(callee) = self.graph.calls.get(&e) {
                    needed.extend(interfaces[callee].passed_symbols());
                }
                let here = &mut live[edge.from.0];
                let size = here.len();
                here.extend(needed);
                grown |= here.len() > size;
            }
            if !grown {
                return live;
            }
        }
    }

    fn before(&self, command: &Command, after: &BTreeSet<Symbol>) -> BTreeSet<Symbol> {
        let mut needed = self.looked_at(command, &|s| after.contains(&s));
        let kept = |s: &Symbol| {
            let is_rigid = self.terms.symbol_kind(*s) == SymbolKind::Rigid;
            is_rigid || command.update_of(*s) == Some(self.terms.var(*s))
        };
        needed.extend(after.iter().copied().filter(kept));
        needed
    }
}

impl Interface {
    /// The symbols of `P.return`.
    fn summary_symbols(&self) -> BTreeSet<Symbol> {
        let own = self.parameters.iter().chain(&self.results).map(|(s, _)| *s);
        let changed = self.changed.iter().flat_map(|(old, now)| [*old, *now]);
        let read = self.read.iter().copied();
        own.chain(changed).chain(read).collect()
    }

    /// The symbols of the caller that are passed to the callee.
    fn passed_symbols(&self) -> BTreeSet<Symbol> {
        let passed = self.parameters.iter().chain(&self.changed).map(|(_, s)| *s);
        passed.chain(self.read.iter().copied()).collect()
    }

    /// The symbol of the caller that is passed for a symbol at the entry of the callee.
    fn given(&self, symbol: Symbol) -> Option<Symbol> {
        let mut parameters = self.parameters.iter();
        let parameter = parameters
            .find(|(own, _)| *own == symbol)
            .map(|(_, passed)| *passed);
        let changed = || self.changed.iter().any(|(_, global)| *global == symbol);
        let is_global = self.read.contains(&symbol) || changed();
        parameter.or(is_global.then_some(symbol))
    }
}

/// Builds the clauses.
struct Maker<'m> {
    program: &'m Recursive<'m>,
    interfaces: &'m BTreeMap<usize, Interface>,
    live: &'m [BTreeSet<Symbol>],
    /// The predicates of locations.
    predicates: BTreeMap<usize, usize>,
    /// The role of each predicate.
    roles: Vec<Role>,
    /// The statement of each clause.
    texts: Vec<String>,
    clauses: HornClauses,
    /// For each property, the clauses that derive its violation.
    queries: Vec<Vec<usize>>,
}

impl Maker<'_> {
    fn predicates(&mut self) {
        let graph = self.program.graph;
        let errors = graph.properties.iter().flat_map(|p| match &p.kind {
            PropertyKind::Unreachable(list) => list.iter().map(|l| l.0).collect(),
            _ => Vec::new(),
        });
        let errors: BTreeSet<usize> = errors.collect();
        for (l, location) in graph.locations.iter().enumerate() {
            if errors.contains(&l) {
                continue;
            }
            let unit = graph.units.iter().find_map(|(&p, &(entry, exit))| {
                let name = &self.program.program.procedures[p].declared.name.text;
                match (entry.0 == l, exit.is_some_and(|e| e.0 == l)) {
                    (true, _) => Some((format!("{name}.call"), Role::Called)),
                    (_, true) => Some((format!("{name}.return"), Role::Summary)),
                    _ => None,
                }
            });
            let plain = || (location.name.clone(), Role::Plain);
            let (name, role) = unit.unwrap_or_else(plain);
            self.predicates.insert(l, self.roles.len());
            self.roles.push(role);
            self.clauses.predicates.push(Predicate {
                name,
                parameters: self.variables_at(l).collect(),
                span: location.span,
            });
        }
    }

    /// The predicate of a location, with values for its live variables.
    fn at(&self, location: usize, value: &dyn Fn(Symbol) -> Term) -> Option<Application> {
        let predicate = *self.predicates.get(&location)?;
        let arguments = self.variables_at(location).map(value).collect();
        Some(Application {
            predicate,
            arguments,
        })
    }

    /// The live variables at a location, without constants, which are the same everywhere.
    fn variables_at(&self, location: usize) -> impl Iterator<Item = Symbol> {
        let terms = self.program.terms;
        let all = self.live[location].iter().copied();
        all.filter(|&s| terms.symbol_kind(s) != SymbolKind::Rigid)
    }

    fn add(
        &mut self,
        text: String,
        span: Span,
        body: Vec<Application>,
        constraint: Vec<Term>,
        head: Option<Application>,
    ) {
        let terms = self.program.terms;
        let clause = Clause::closed(terms, span, body, constraint, head);
        self.clauses.clauses.push(clause.renamed_apart(terms));
        self.texts.push(text);
    }

    /// The start of the program, with any values that satisfy the axioms.
    fn start(&mut self) {
        let graph = self.program.graph;
        let terms = self.program.terms;
        let span = graph.locations[graph.entry.0].span;
        let head = self.at(graph.entry.0, &|s| terms.var(s));
        let step = "start".to_string();
        self.add(step, span, Vec::new(), self.program.restrict.to_vec(), head);
    }

    fn edge(&mut self, e: usize, errors: &BTreeMap<usize, usize>) -> Option<()> {
        if let Some(&callee) = self.program.graph.calls.get(&e) {
            return self.call(e, callee);
        }
        let terms = self.program.terms;
        let edge = &self.program.graph.edges[e];
        let command = &edge.command;
        let from = self.at(edge.from.0, &|s| terms.var(s))?;
        let head = self.at(edge.to.0, &|s| self.after(command, s));
        if head.is_none() {
            // Violations of other properties are irrelevant: the run ends there.
            let property = *errors.get(&edge.to.0)?;
            self.queries[property].push(self.clauses.clauses.len());
        }
        let step = command.name.clone();
        let guards = command.guards.clone();
        self.add(step, command.span, vec![from], guards, head);
        Some(())
    }

    /// The value of a variable after a step.
    fn after(&self, command: &Command, symbol: Symbol) -> Term {
        let terms = self.program.terms;
        match command.update_of(symbol) {
            Some(value) => value,
            None if terms.symbol_kind(symbol) == SymbolKind::Rigid => terms.var(symbol),
            None => self.free(symbol),
        }
    }

    /// A fresh variable for a value that a step does not determine.
    fn free(&self, symbol: Symbol) -> Term {
        let terms = self.program.terms;
        let name = format!("{}'", terms.name(symbol));
        let sort = terms.symbol_sort(symbol);
        terms.var(terms.fresh(&name, sort, SymbolKind::State))
    }

    fn call(&mut self, e: usize, callee: usize) -> Option<()> {
        let terms = self.program.terms;
        let edge = &self.program.graph.edges[e];
        let command = &edge.command;
        let interface = &self.interfaces[&callee];
        let (entry, exit) = *self.program.graph.units.get(&callee)?;
        let from = self.at(edge.from.0, &|s| terms.var(s))?;
        let mut known = self.live[entry.0].iter();
        if known.any(|&s| interface.given(s).is_none()) {
            return None;
        }
        let given = |s: Symbol| terms.var(interface.given(s).unwrap_or(s));
        let entered = self.at(entry.0, &given);
        let step = command.name.clone();
        self.add(step, command.span, vec![from.clone()], Vec::new(), entered);
        let Some(exit) = exit else {
            return Some(());
        };
        // The results and the new values of changed variables are variables of the clause.
        let mut summary: BTreeMap<Symbol, Term> = BTreeMap::new();
        let mut behind: BTreeMap<Symbol, Term> = BTreeMap::new();
        for &(own, passed) in &interface.results {
            let value = self.free(own);
            summary.insert(own, value);
            behind.insert(passed, value);
        }
        for &(old, now) in &interface.changed {
            let value = self.free(now);
            summary.insert(old, terms.var(now));
            summary.insert(now, value);
            behind.insert(now, value);
        }
        let told = |s: Symbol| summary.get(&s).copied().unwrap_or_else(|| given(s));
        let summary = self.at(exit.0, &told)?;
        let after = |s: Symbol| behind.get(&s).copied();
        let head = self.at(edge.to.0, &|s| {
            after(s).unwrap_or_else(|| self.after(command, s))
        });
        let step = command.name.clone();
        self.add(step, command.span, vec![from, summary], Vec::new(), head);
        debug_assert!(command.guards.is_empty(), "calls have no conditions");
        Some(())
    }

    /// The model: an entry, the predicates, and an error location for each property.
    fn finish(self, properties: &[Property]) -> (Model, Vec<Property>) {
        let program = self.program;
        let terms = program.terms;
        let mut variables: Vec<Symbol> = Vec::new();
        for &s in self.clauses.predicates.iter().flat_map(|p| &p.parameters) {
            if !variables.contains(&s) {
                variables.push(s);
            }
        }
        let silent = |name: String, span: Span| Location {
            variables: Some(Vec::new()),
            ..Location::new(name, span)
        };
        let mut locations = vec![silent("start".to_string(), Span::default())];
        for (predicate, &role) in self.clauses.predicates.iter().zip(&self.roles) {
            locations.push(Location {
                variables: Some(predicate.parameters.clone()),
                role,
                ..Location::new(predicate.name.clone(), predicate.span)
            });
        }
        let first_error = locations.len();
        let named = properties.iter();
        locations.extend(named.map(|p| silent(format!("violated.{}", p.name), p.span)));
        let mut edges: Vec<Edge> = Vec::new();
        for (k, (clause, text)) in self.clauses.clauses.iter().zip(self.texts).enumerate() {
            let made = edge_of_clause(terms, &self.clauses, &variables, clause, 0, text);
            let asked = self.queries.iter().position(|q| q.contains(&k));
            let error = asked.map(|property| LocationId(first_error + property));
            edges.push(Edge {
                to: error.unwrap_or(made.edge.to),
                legend: Vec::new(),
                ..made.edge
            });
        }
        let rigid = program.symbols.values().copied();
        let rigid = rigid.filter(|&s| terms.symbol_kind(s) == SymbolKind::Rigid);
        let numbered = properties.iter().enumerate();
        let properties = numbered.map(|(i, p)| Property {
            kind: PropertyKind::Unreachable(vec![LocationId(first_error + i)]),
            ..p.clone()
        });
        let model = Model {
            name: self.clauses.name.clone(),
            variables,
            rigid: rigid.collect(),
            restrict: program.restrict.to_vec(),
            locations,
            edges,
            ..Model::default()
        };
        (model, properties.collect())
    }
}
