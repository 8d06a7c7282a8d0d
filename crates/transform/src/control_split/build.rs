//! Construction of locations and edges by substituting values in guards, assignments and relations.

use super::choose::Finite;
use crate::naming::free_name;
use sectile_base::Span;
use sectile_model::{Command, Edge, Location, LocationId, Model, Update};
use sectile_terms::{Stage, Substitution, Symbol, Term, Terms, Value, display_value};
use std::collections::BTreeMap;

/// The values of the control variables, in their order.
pub(super) type Point = Vec<Value>;

/// The graph, with the origins of its parts.
pub(super) struct Split {
    pub graph: Model,
    pub control: Vec<Finite>,
    /// The values represented by each location; the extra entry represents none.
    pub points: Vec<Option<Point>>,
    /// The command of each edge; none for the edges that leave the extra entry.
    pub origin: Vec<Option<usize>>,
    /// The initial condition for every way to start, by location.
    pub starts: Vec<(LocationId, Term)>,
}

impl Split {
    /// The location that was added for several initial control values, if there is one.
    pub fn extra_entry(&self) -> Option<LocationId> {
        let entry = self.graph.entry;
        self.points[entry.0].is_none().then_some(entry)
    }

    /// The substitution of a location's values for the control variables.
    pub fn values_at(&self, terms: &Terms, location: LocationId) -> Option<Substitution> {
        let point = self.points[location.0].as_ref()?;
        Some(substitution(terms, &self.control, point, Stage::Now))
    }
}

/// Splits a system by the values of `control`.
pub(super) fn split(
    terms: &Terms,
    system: &Model,
    control: Vec<Finite>,
    most: usize,
) -> Result<Split, String> {
    let is_control = |s: Symbol| control.iter().any(|f| f.symbol == s);
    let mentions_control = |t: &Term| terms.free_vars(*t).iter().any(|v| is_control(v.0));
    let (local, common): (Vec<Term>, Vec<Term>) =
        system.restrict.iter().partition(|t| mentions_control(t));
    let data = system.variables.iter().copied();
    let graph = Model {
        variables: data.filter(|&s| !is_control(s)).collect(),
        init: Vec::new(),
        restrict: common,
        ..system.without_edges()
    };
    let mut builder = Builder {
        terms,
        system,
        local_restrict: local,
        by_point: BTreeMap::new(),
        most,
        split: Split {
            graph,
            control,
            points: Vec::new(),
            origin: Vec::new(),
            starts: Vec::new(),
        },
    };
    builder.start()?;
    builder.explore()?;
    Ok(builder.split)
}

struct Builder<'a> {
    terms: &'a Terms,
    system: &'a Model,
    /// The conjuncts of `restrict` that mention the control.
    local_restrict: Vec<Term>,
    by_point: BTreeMap<Point, LocationId>,
    most: usize,
    split: Split,
}

impl Builder<'_> {
    /// The entry: the only initial location, or an extra one with an edge to each.
    fn start(&mut self) -> Result<(), String> {
        let terms = self.terms;
        let init = self.system.init.iter().chain(&self.local_restrict);
        let init: Vec<Term> = init.copied().collect();
        let starts = assignments(terms, &self.split.control, init, Stage::Now, self.most)?;
        if let [(point, rest)] = starts.as_slice() {
            let entry = self.location(point.clone())?;
            self.split.graph.init = rest.clone();
            self.split.starts = vec![(entry, terms.and(rest.iter().copied()))];
            return Ok(());
        }
        let entry = self.push_location("init".into(), None);
        self.split.graph.entry = entry;
        for (point, rest) in starts {
            let to = self.location(point)?;
            let mut command = Command::new("start", Span::default());
            command.updates = self.keep_data();
            self.split
                .starts
                .push((to, terms.and(rest.iter().copied())));
            command.guards = rest;
            self.push_edge(None, entry, to, command);
        }
        let some = terms.or(self.split.starts.iter().map(|s| s.1));
        self.split.graph.init = vec![some];
        Ok(())
    }

    /// Applies every command at every location, until no new location is found.
    fn explore(&mut self) -> Result<(), String> {
        let mut next = 0;
        while next < self.split.points.len() {
            let from = LocationId(next);
            next += 1;
            let Some(values) = self.split.values_at(self.terms, from) else {
                continue;
            };
            for index in 0..self.system.edges.len() {
                self.edges_of(index, from, &values)?;
            }
        }
        self.name_extra_entry();
        Ok(())
    }

    /// The edges of a command at a location: one for every possible next control value.
    fn edges_of(
        &mut self,
        index: usize,
        from: LocationId,
        values: &Substitution,
    ) -> Result<(), String> {
        let terms = self.terms;
        let command = &self.system.edges[index].command;
        let here = |t: Term| terms.substitute(t, values);
        let guards: Vec<Term> = command.guards.iter().map(|&g| here(g)).collect();
        if guards.contains(&terms.ff()) {
            return Ok(());
        }
        let data: Vec<Update> = command
            .updates
            .iter()
            .filter(|u| !self.is_control(u.symbol))
            .map(|u| Update {
                symbol: u.symbol,
                value: here(u.value),
            })
            .collect();
        let moves = command.updates.iter().filter(|u| self.is_control(u.symbol));
        let moves = moves.map(|u| terms.eq(terms.next(u.symbol), here(u.value)));
        let relations = command.relations.iter().map(|&r| here(r));
        let arrival = self.local_restrict.iter().map(|&r| terms.prime(r));
        let conditions: Vec<Term> = moves.chain(relations).chain(arrival).collect();
        let targets = assignments(
            terms,
            &self.split.control,
            conditions,
            Stage::Next,
            self.most,
        )?;
        for (point, rest) in targets {
            let mut edge = Command {
                name: command.name.clone(),
                span: command.span,
                parts: command.parts.clone(),
                inputs: command.inputs.clone(),
                guards: guards.clone(),
                updates: data.clone(),
                relations: Vec::new(),
            };
            distribute(terms, &mut edge, rest);
            edge.guards.retain(|&g| g != terms.tt());
            if edge.guards.contains(&terms.ff()) {
                continue;
            }
            let to = self.location(point)?;
            self.push_edge(Some(index), from, to, edge);
        }
        Ok(())
    }

    fn is_control(&self, symbol: Symbol) -> bool {
        self.split.control.iter().any(|f| f.symbol == symbol)
    }

    fn keep_data(&self) -> Vec<Update> {
        let keep = |&symbol: &Symbol| Update::keep(self.terms, symbol);
        self.split.graph.variables.iter().map(keep).collect()
    }

    /// The location of a point, created if it is new.
    fn location(&mut self, point: Point) -> Result<LocationId, String> {
        if let Some(&known) = self.by_point.get(&point) {
            return Ok(known);
        }
        if self.by_point.len() >= self.most {
            return Err(too_many(self.most));
        }
        let control = &self.split.control;
        let parts = control.iter().zip(&point);
        let parts: Vec<String> = parts.map(|(f, v)| describe(self.terms, f, v)).collect();
        let id = self.push_location(parts.join(","), Some(point.clone()));
        self.by_point.insert(point, id);
        Ok(id)
    }

    fn push_location(&mut self, name: String, point: Option<Point>) -> LocationId {
        let id = LocationId(self.split.points.len());
        let location = Location::new(name, Span::default());
        self.split.graph.locations.push(location);
        self.split.points.push(point);
        id
    }

    fn push_edge(
        &mut self,
        origin: Option<usize>,
        from: LocationId,
        to: LocationId,
        command: Command,
    ) {
        self.split.graph.edges.push(Edge::new(from, to, command));
        self.split.origin.push(origin);
    }

    /// Renames the extra entry if its name is now taken by another location.
    fn name_extra_entry(&mut self) {
        let Some(entry) = self.split.extra_entry() else {
            return;
        };
        let locations = &mut self.split.graph.locations;
        let others = locations.iter().enumerate().filter(|(i, _)| *i != entry.0);
        let others: Vec<String> = others.map(|(_, l)| l.name.clone()).collect();
        locations[entry.0].name = free_name("init", |n| others.iter().any(|o| o == n));
    }
}

/// Conditions without next values become guards; the others become relations, unless the
/// assignments determine those next values.
fn distribute(terms: &Terms, command: &mut Command, conditions: Vec<Term>) {
    let assigned = command.updates.iter();
    let assigned: Substitution = assigned.map(|u| (terms.next(u.symbol), u.value)).collect();
    for condition in conditions {
        let determined = terms.substitute(condition, &assigned);
        let used = terms.free_vars(determined);
        if used.iter().all(|v| v.1 != Stage::Next) {
            command.guards.push(determined);
        } else {
            command.relations.push(condition);
        }
    }
}

fn too_many(most: usize) -> String {
    format!("there are more than {most} locations")
}

/// A control value as part of a location's name.
fn describe(terms: &Terms, variable: &Finite, value: &Value) -> String {
    let name = terms.name(variable.symbol);
    match value {
        Value::Bool(true) => name.to_string(),
        Value::Bool(false) => format!("!{name}"),
        // The name without quotes: these are for terms, and a location is not a term.
        Value::Enum(id, k) => terms.enum_info(*id).variants[*k as usize].clone(),
        _ => format!("{name}={}", display_value(terms, value)),
    }
}

fn substitution(terms: &Terms, control: &[Finite], point: &Point, stage: Stage) -> Substitution {
    let pairs = control.iter().zip(point);
    pairs
        .map(|(f, v)| (terms.var_at(f.symbol, stage), v.to_term(terms)))
        .collect()
}

/// All values of the control variables at a stage that do not make a condition false directly, each
/// with the simplified conditions.
///
/// Variables are assigned one after the other, so that most of the product is never enumerated.
fn assignments(
    terms: &Terms,
    control: &[Finite],
    conditions: Vec<Term>,
    stage: Stage,
    most: usize,
) -> Result<Vec<(Point, Vec<Term>)>, String> {
    let mut open: Vec<(Point, Vec<Term>)> = vec![(Point::new(), conditions)];
    open.retain(|(_, rest)| !rest.contains(&terms.ff()));
    for variable in control {
        let mut extended = Vec::new();
        for (point, rest) in open {
            for value in &variable.values {
                let map = Substitution::from_iter([(
                    terms.var_at(variable.symbol, stage),
                    value.to_term(terms),
                )]);
                let mut left: Vec<Term> = rest.iter().map(|&t| terms.substitute(t, &map)).collect();
                left.retain(|&t| t != terms.tt());
                if left.contains(&terms.ff()) {
                    continue;
                }
                let mut longer = point.clone();
                longer.push(value.clone());
                extended.push((longer, left));
            }
            if extended.len() > most {
                return Err(too_many(most));
            }
        }
        open = extended;
    }
    Ok(open)
}
