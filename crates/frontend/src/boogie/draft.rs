//! The graph under construction, and the finished graph.

use super::ast::Name;
use super::axioms::Known;
use super::instances::instances;
use super::nonlinear::{self, Opaque};
use crate::imp::lower::guards;
use crate::imp::text::one_line;
use sectile_base::digraph::Digraph;
use sectile_base::{Rat, Source, Span};
use sectile_model::{Command, Edge, Location, LocationId, Property, PropertyKind, Update};
use sectile_terms::{Sort, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A location before it has its final number.
pub type Point = usize;

/// The action of an edge.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// The condition.
    pub condition: Option<Term>,
    /// The simultaneous assignments.
    pub assigned: Vec<(Symbol, Term)>,
    /// The variables that get arbitrary values.
    pub havoc: Vec<Symbol>,
    /// The procedure whose results and variables get arbitrary values.
    pub fresh: Option<usize>,
    /// Whether it allows more than the program does.
    pub approximate: bool,
    /// The variables that stand for nonlinear results; they get arbitrary values before the step.
    pub opaque: Vec<Symbol>,
    /// The procedure that is called, if the call uses its summary.
    pub summary: Option<usize>,
}

impl Action {
    /// Assigns these variables.
    pub fn assign(assigned: Vec<(Symbol, Term)>) -> Action {
        Action {
            assigned,
            ..Action::default()
        }
    }
}

/// A graph with jumps, which have no action.
pub struct Draft<'s> {
    source: &'s Source,
    spans: Vec<Option<Span>>,
    names: BTreeMap<Point, String>,
    edges: Vec<(Point, Point, String, Span, Action)>,
    jumps: Vec<(Point, Point)>,
    assertions: BTreeMap<Span, Assertion>,
    /// Whether the edges from the entry belong to different procedures.
    pub several: bool,
    /// The entry and exit of procedures with summaries.
    pub units: BTreeMap<usize, (Point, Point)>,
    /// Whether the axioms say more than is assumed at the start.
    weaker: bool,
    /// Whether parts that cannot fail matter as well, because they may run forever.
    pub termination: bool,
}

/// A claim.
struct Assertion {
    name: String,
    line: usize,
    error: Point,
}

/// The parts of a graph.
pub struct Finished {
    pub locations: Vec<Location>,
    /// Where the program starts.
    pub entry: LocationId,
    pub edges: Vec<Edge>,
    /// The edges that are calls of procedures with summaries.
    pub calls: BTreeMap<usize, usize>,
    /// The entry and exit of these procedures, if reachable.
    pub units: BTreeMap<usize, (LocationId, Option<LocationId>)>,
    /// One property for every claim, in the order of the text.
    pub properties: Vec<Property>,
}

impl<'s> Draft<'s> {
    /// A graph without locations.
    pub fn new(source: &'s Source) -> Draft<'s> {
        Draft {
            source,
            spans: Vec::new(),
            names: BTreeMap::new(),
            edges: Vec::new(),
            jumps: Vec::new(),
            assertions: BTreeMap::new(),
            several: false,
            units: BTreeMap::new(),
            weaker: false,
            termination: false,
        }
    }

    /// A new location; its position is set by the next statement there.
    pub fn place(&mut self) -> Point {
        self.spans.push(None);
        self.spans.len() - 1
    }

    /// A new location with a label.
    pub fn labelled(&mut self, name: &Name) -> Point {
        let place = self.place();
        self.names.insert(place, name.text.to_string());
        self.stand(place, name.span);
        place
    }

    /// Sets the position of a location, unless it is known.
    pub fn stand(&mut self, place: Point, span: Span) {
        self.spans[place].get_or_insert(span);
    }

    /// The piece of source at `span` as one line, without the `;` at its end.
    pub fn text(&self, span: Span) -> String {
        let text = one_line(self.source.slice(span));
        text.trim_end_matches(';').trim_end().to_string()
    }

    /// How many edges there are.
    pub fn size(&self) -> usize {
        self.edges.len() + self.jumps.len()
    }

    /// Adds a jump without an action.
    pub fn jump(&mut self, from: Point, to: Point) {
        self.jumps.push((from, to));
    }

    /// Adds an edge, unless its condition is false.
    pub fn edge(
        &mut self,
        (from, to): (Point, Point),
        name: impl Into<String>,
        span: Span,
        action: Action,
        terms: &Terms,
    ) {
        self.stand(from, span);
        if action.condition.is_none_or(|c| c != terms.ff()) {
            self.edges.push((from, to, name.into(), span, action));
        }
    }

    /// Splits steps that are not linear into cases.
    pub fn by_cases(&mut self, terms: &Terms, opaque: &[Opaque], values: &[Rat]) {
        if opaque.is_empty() {
            return;
        }
        for (from, to, name, span, action) in std::mem::take(&mut self.edges) {
            for case in nonlinear::cases(terms, opaque, values, action) {
                let mut here = from;
                if !case.opaque.is_empty() {
                    here = self.place();
                    self.stand(here, span);
                    let action = Action {
                        havoc: case.opaque.clone(),
                        ..Action::default()
                    };
                    let results = format!("results in {name}");
                    self.edges.push((from, here, results, span, action));
                }
                self.edges.push((here, to, name.clone(), span, case));
            }
        }
    }

    /// Adds to every step what the axioms say about the values in it.
    pub fn add_axioms(&mut self, terms: &Terms, axioms: &Known) {
        self.weaker = axioms.weaker;
        for (.., action) in &mut self.edges {
            let assigned = action.assigned.iter().map(|(_, value)| *value);
            let roots: Vec<Term> = assigned.chain(action.condition).collect();
            let more = instances(terms, &axioms.schemes, &roots);
            if !more.is_empty() {
                let all = more.into_iter().chain(action.condition);
                action.condition = Some(terms.and(all));
            }
        }
    }

    /// The location that the program reaches when the claim at `span` fails; `word` says what kind
    /// of claim it is.
    pub fn error(&mut self, word: &str, span: Span) -> Point {
        if let Some(known) = self.assertions.get(&span) {
            return known.error;
        }
        let line = self.source.position(span.start).line;
        let error = self.place();
        self.stand(error, span);
        let assertion = Assertion {
            name: format!("{word}_{line}"),
            line,
            error,
        };
        self.assertions.insert(span, assertion);
        error
    }

    /// The maps among these variables that influence no condition (neither on edges nor in
    /// `others`) and no other variable except such maps. Their contents are irrelevant, and not
    /// every kind of search supports maps. In each pair of `passed`, the first variable gets the
    /// value of the second without an edge that says so.
    pub fn idle_maps(
        &self,
        terms: &Terms,
        variables: impl Iterator<Item = Symbol>,
        passed: &[(Symbol, Symbol)],
        others: &[Term],
    ) -> BTreeSet<Symbol> {
        let is_map = |s: &Symbol| matches!(terms.symbol_sort(*s), Sort::Array(_));
        let mut sources: BTreeMap<Symbol, Vec<Term>> = BTreeMap::new();
        let mut matters: BTreeSet<Symbol> = BTreeSet::new();
        let mut work = others.to_vec();
        work.extend(self.edges.iter().filter_map(|(.., a)| a.condition));
        let assigned = self.edges.iter().flat_map(|(.., a)| &a.assigned).copied();
        let passed = passed.iter().map(|&(to, from)| (to, terms.var(from)));
        for (symbol, value) in assigned.chain(passed) {
            match is_map(&symbol) {
                true => sources.entry(symbol).or_default().push(value),
                false => work.push(value),
            }
        }
        while let Some(next) = work.pop() {
            for (symbol, _) in terms.free_vars(next) {
                if matters.insert(symbol) {
                    work.extend(sources.remove(&symbol).unwrap_or_default());
                }
            }
        }
        let idle = |s: &Symbol| is_map(s) && !matters.contains(s);
        variables.filter(idle).collect()
    }

    /// Removes jumps and unreachable locations, and numbers and names the rest in the order of the
    /// text.
    ///
    /// `fresh` lists the results and variables of a procedure, `variables` is everything that
    /// changes.
    pub fn finish(
        mut self,
        terms: &Terms,
        entry: Point,
        variables: &[Symbol],
        fresh: &dyn Fn(usize) -> Vec<Symbol>,
    ) -> Finished {
        let target = self.merge();
        let entry = target[entry];
        for (from, to, ..) in &mut self.edges {
            (*from, *to) = (target[*from], target[*to]);
        }
        let errors: BTreeSet<Point> = self.assertions.values().map(|a| a.error).collect();
        match self.termination {
            true => self.keep_circles(&target),
            false => self.drop_idle_entries(entry, &errors),
        }
        let reached = self.digraph().reachable_from([entry]);
        let mut order: Vec<Point> = (0..self.spans.len())
            .filter(|&p| (reached[p] && target[p] == p) || errors.contains(&p))
            .collect();
        order.sort_by_key(|&p| (errors.contains(&p), self.spans[p], p));
        let mut ids = vec![None; self.spans.len()];
        for (i, &place) in order.iter().enumerate() {
            ids[place] = Some(LocationId(i));
        }
        let locations = self.locations(&order);
        let id = |p: Point| ids[p].expect("reached locations have numbers");
        let properties = self.properties(&ids);
        let units = self.units.iter().filter_map(|(&p, &(entry, exit))| {
            let (entry, exit) = (ids[target[entry]]?, ids[target[exit]]);
            Some((p, (entry, exit)))
        });
        let units = units.collect();
        let mut drafts = self.edges;
        drafts.retain(|(from, ..)| reached[*from]);
        drafts.sort_by_key(|(from, ..)| id(*from));
        let mut edges = Vec::new();
        let mut calls = BTreeMap::new();
        for (from, to, name, span, action) in drafts {
            let loose = action.approximate || self.weaker && from == entry;
            calls.extend(action.summary.map(|callee| (edges.len(), callee)));
            let command = command(terms, variables, fresh, name, span, action);
            edges.push(Edge {
                loose,
                ..Edge::new(id(from), id(to), command)
            });
        }
        Finished {
            locations,
            entry: id(entry),
            edges,
            calls,
            units,
            properties,
        }
    }

    /// The final target of every location that only jumps. Labels move along.
    fn merge(&mut self) -> Vec<Point> {
        let count = self.spans.len();
        let mut next: Vec<Option<Point>> = vec![None; count];
        for &(from, to) in &self.jumps {
            next[from] = Some(to);
        }
        for (from, ..) in &self.edges {
            debug_assert!(next[*from].is_none(), "a jump is alone at its location");
        }
        let mut target: Vec<Option<Point>> = vec![None; count];
        for place in 0..count {
            let mut here = place;
            // Circular jumps end when a location repeats.
            let mut seen = BTreeSet::new();
            while let (None, Some(to)) = (target[here], next[here])
                && seen.insert(here)
            {
                here = to;
            }
            let end = target[here].unwrap_or(here);
            target[end] = Some(end);
            seen.into_iter().for_each(|p| target[p] = Some(end));
        }
        let target = target.into_iter().enumerate();
        let target: Vec<Point> = target.map(|(p, t)| t.unwrap_or(p)).collect();
        for (place, &end) in target.iter().enumerate() {
            if place != end {
                if let Some(name) = self.names.get(&place).cloned() {
                    self.names.entry(end).or_insert(name);
                }
                self.spans[end] = self.spans[end].or(self.spans[place]);
            }
        }
        target
    }

    /// Circular jumps become steps that loop forever.
    fn keep_circles(&mut self, target: &[Point]) {
        let jumps: BTreeSet<Point> = self.jumps.iter().map(|(from, _)| *from).collect();
        for place in (0..target.len()).filter(|p| target[*p] == *p && jumps.contains(p)) {
            let span = self.spans[place].unwrap_or_default();
            let action = Action::default();
            self.edges
                .push((place, place, "goto".to_string(), span, action));
        }
    }

    fn digraph(&self) -> Digraph {
        let mut graph = Digraph::new(self.spans.len());
        for (from, to, _, _, action) in &self.edges {
            graph.add_edge(*from, *to);
            let callee = action.summary.and_then(|p| self.units.get(&p));
            if let Some(&(entry, _)) = callee {
                graph.add_edge(*from, entry);
            }
        }
        graph
    }

    /// If several procedures are checked on their own, removes those in which nothing can fail,
    /// unless that applies to all of them.
    fn drop_idle_entries(&mut self, entry: Point, errors: &BTreeSet<Point>) {
        let failing = self.digraph().reversed();
        let failing = failing.reachable_from(errors.iter().copied());
        if self.several && failing[entry] {
            self.edges
                .retain(|(from, to, ..)| *from != entry || failing[*to]);
        }
    }

    /// Labels, or `L` and the line; copies get a number.
    fn locations(&self, order: &[Point]) -> Vec<Location> {
        let errors = self.assertions.values().map(|a| (a.error, a.line));
        let errors: BTreeMap<Point, usize> = errors.collect();
        let labels: BTreeSet<&str> = self.names.values().map(String::as_str).collect();
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut found = Vec::new();
        for &place in order {
            let span = self.spans[place].unwrap_or_default();
            let line = self.source.position(span.start).line;
            let label = self.names.get(&place);
            let base = match (errors.get(&place), label) {
                (Some(line), _) => format!("error_{line}"),
                (None, Some(label)) => label.replace('`', "'"),
                (None, None) => format!("L{line}"),
            };
            let count = used.entry(base.clone()).or_insert(0);
            let mut name;
            loop {
                *count += 1;
                name = match *count {
                    1 => base.clone(),
                    k => format!("{base}_{k}"),
                };
                let foreign = label.is_none() && labels.contains(name.as_str());
                if !foreign && taken.insert(name.clone()) {
                    break;
                }
            }
            found.push(Location::new(name, span));
        }
        found
    }

    fn properties(&self, ids: &[Option<LocationId>]) -> Vec<Property> {
        let mut found: Vec<Property> = Vec::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (&span, assertion) in &self.assertions {
            let count = counts.entry(assertion.name.as_str()).or_insert(0);
            *count += 1;
            let name = match *count {
                1 => assertion.name.clone(),
                k => format!("{}_{k}", assertion.name),
            };
            let error = ids[assertion.error].expect("error locations have numbers");
            found.push(Property {
                name,
                kind: PropertyKind::Unreachable(vec![error]),
                span,
            });
        }
        found
    }
}

fn command(
    terms: &Terms,
    variables: &[Symbol],
    fresh: &dyn Fn(usize) -> Vec<Symbol>,
    name: String,
    span: Span,
    action: Action,
) -> Command {
    let mut command = Command::new(name, span);
    command.guards = action.condition.map_or(Vec::new(), |c| guards(terms, c));
    let assigned: BTreeMap<Symbol, Term> = action.assigned.into_iter().collect();
    let mut free: BTreeSet<Symbol> = action.havoc.into_iter().collect();
    free.extend(action.fresh.into_iter().flat_map(fresh));
    for &symbol in variables {
        let value = match assigned.get(&symbol) {
            Some(&value) => value,
            None if free.contains(&symbol) => continue,
            None => terms.var(symbol),
        };
        command.updates.push(Update { symbol, value });
    }
    command
}
