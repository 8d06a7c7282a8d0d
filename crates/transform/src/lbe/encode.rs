//! Encodes the edges between kept locations as formulas.
//!
//! From a kept location, the locations inside blocks are visited in topological order. Each one has
//! a condition under which it is reached and values for the variables, both over the values at the
//! start and inputs. Where several branches meet, a value in which they differ becomes a new input,
//! and the conditions become a disjunction.

use super::cut::Cuts;
use sectile_model::{Command, LocationId, Model, Update};
use sectile_terms::{Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Length from which lists of conditions get a name before they are used twice.
const LONGEST_SHARED: usize = 8;

/// A block: all paths from one kept location to another, or one of them.
pub(super) struct Block {
    pub from: LocationId,
    pub to: LocationId,
    pub command: Command,
    /// The last edges of the paths.
    pub arrivals: Vec<Arrival>,
}

/// The last edge of some paths from a kept location.
#[derive(Clone)]
pub(super) struct Arrival {
    pub edge: usize,
    pub from: LocationId,
    /// The conditions of this path.
    pub tests: Vec<Term>,
    /// The inputs of the edge, in order, as inputs of the block.
    pub inputs: Vec<Symbol>,
    /// Variables that the edge does not assign, with the inputs for their new values.
    pub free: Vec<(usize, Symbol)>,
    /// The values of the relevant variables after the edge.
    values: Vec<Option<Term>>,
}

/// All blocks of a graph.
pub(super) struct Blocks {
    pub list: Vec<Block>,
    /// For each kept location, the arrivals at the locations inside its blocks.
    pub inside: BTreeMap<LocationId, BTreeMap<LocationId, Vec<Arrival>>>,
}

/// The blocks between the kept locations.
pub(super) fn blocks(
    terms: &Terms,
    graph: &Model,
    cuts: &Cuts,
    live: &[Vec<bool>],
    join: bool,
) -> Blocks {
    let mut blocks = Blocks {
        list: Vec::new(),
        inside: BTreeMap::new(),
    };
    let order = order_inside(graph, cuts);
    let leaving = leaving(graph, cuts);
    for start in cuts.kept() {
        let mut region = Region {
            terms,
            graph,
            cuts,
            live,
            definitions: BTreeMap::new(),
            pending: BTreeMap::new(),
        };
        let inside = region.explore(start, &order, &leaving);
        for (to, arrivals) in std::mem::take(&mut region.pending) {
            let groups: Vec<Vec<Arrival>> = match join {
                true => vec![arrivals],
                false => arrivals.into_iter().map(|a| vec![a]).collect(),
            };
            for group in groups {
                blocks.list.extend(region.block(start, to, group));
            }
        }
        blocks.inside.insert(start, inside);
    }
    blocks
}

/// The locations inside blocks, in topological order.
fn order_inside(graph: &Model, cuts: &Cuts) -> Vec<LocationId> {
    let order = graph.order_inside(|l| cuts.matters(l) && !cuts.is_kept(l));
    order.expect("kept locations cut every cycle")
}

/// The edges that leave each location towards an error.
fn leaving(graph: &Model, cuts: &Cuts) -> Vec<Vec<usize>> {
    let mut leaving = vec![Vec::new(); graph.locations.len()];
    for (i, edge) in graph.edges.iter().enumerate() {
        if cuts.follows(edge) {
            leaving[edge.from.0].push(i);
        }
    }
    leaving
}

/// The condition and values at a location.
struct Point {
    conditions: Vec<Term>,
    values: Vec<Option<Term>>,
}

/// The region between one kept location and the next ones.
struct Region<'r> {
    terms: &'r Terms,
    graph: &'r Model,
    cuts: &'r Cuts,
    live: &'r [Vec<bool>],
    /// Names of lists of conditions.
    definitions: BTreeMap<Symbol, Vec<Term>>,
    /// Arrivals at unvisited locations, and at kept ones.
    pending: BTreeMap<LocationId, Vec<Arrival>>,
}

impl Region<'_> {
    /// Visits all inner locations; afterwards only arrivals at kept locations are pending.
    fn explore(
        &mut self,
        start: LocationId,
        order: &[LocationId],
        leaving: &[Vec<usize>],
    ) -> BTreeMap<LocationId, Vec<Arrival>> {
        let variables = self.graph.variables.iter();
        let here = Point {
            conditions: Vec::new(),
            values: variables.map(|&v| Some(self.terms.var(v))).collect(),
        };
        let mut inside = BTreeMap::new();
        self.leave(start, here, &leaving[start.0]);
        for &location in order {
            let Some(mut arrivals) = self.pending.remove(&location) else {
                continue;
            };
            let point = self.meet(location, &mut arrivals);
            inside.insert(location, arrivals);
            self.leave(location, point, &leaving[location.0]);
        }
        inside
    }

    /// Follows all edges that leave a location.
    fn leave(&mut self, from: LocationId, mut point: Point, edges: &[usize]) {
        if edges.len() > 1 && point.conditions.len() > LONGEST_SHARED {
            self.share(&mut point);
        }
        for &edge in edges {
            if let Some(arrival) = self.arrive(from, &point, edge) {
                let to = self.graph.edges[edge].to;
                self.pending.entry(to).or_default().push(arrival);
            }
        }
    }

    /// Gives the conditions a name.
    ///
    /// Paper: [ErHoPoSc11, Sect. 4]: a formula that is used several times becomes a Boolean
    /// variable with a definition. One direction is enough because the name is never negated.
    fn share(&mut self, point: &mut Point) {
        let name = self.terms.fresh("block", Sort::Bool, SymbolKind::Input);
        let list = std::mem::replace(&mut point.conditions, vec![self.terms.var(name)]);
        self.definitions.insert(name, list);
    }

    /// The state after one more edge; none if its conditions are trivially false.
    ///
    /// Paper: [ErHoPoSc11, Transf. 1]: sequential composition, by substitution.
    fn arrive(&self, from: LocationId, point: &Point, index: usize) -> Option<Arrival> {
        let terms = self.terms;
        let edge = &self.graph.edges[index];
        let command = &edge.command;
        let mut map = Substitution::default();
        for (&v, value) in self.graph.variables.iter().zip(&point.values) {
            map.extend(value.map(|value| (terms.var(v), value)));
        }
        let copy =
            |&s: &Symbol| terms.fresh(terms.name(s), terms.symbol_sort(s), SymbolKind::Input);
        let inputs: Vec<Symbol> = command.inputs.iter().map(copy).collect();
        for (&old, &new) in command.inputs.iter().zip(&inputs) {
            map.insert(terms.var(old), terms.var(new));
        }
        let mut free = Vec::new();
        let values = self.values_behind(edge.to, command, &map, &mut free);
        for (&v, value) in self.graph.variables.iter().zip(&values) {
            map.extend(value.map(|value| (terms.next(v), value)));
        }
        let steps = command.guards.iter().chain(&command.relations);
        let mut new: Vec<Term> = steps.map(|&t| terms.substitute(t, &map)).collect();
        // Kept locations have the restriction in the graph of blocks itself.
        if !self.cuts.is_kept(edge.to) {
            let after = self.graph.restrict.iter().map(|&r| terms.prime(r));
            new.extend(after.map(|r| terms.substitute(r, &map)));
        }
        let mut conditions = point.conditions.clone();
        let mut known: BTreeSet<Term> = conditions.iter().copied().collect();
        for part in terms.conjuncts(terms.and(new)) {
            if terms.as_bool(part) == Some(false) || known.contains(&terms.not(part)) {
                return None;
            }
            if known.insert(part) {
                conditions.push(part);
            }
        }
        let live = &self.live[edge.to.0];
        let kept = values
            .into_iter()
            .zip(live)
            .map(|(v, live)| v.filter(|_| *live));
        Some(Arrival {
            edge: index,
            from,
            tests: conditions,
            inputs,
            free,
            values: kept.collect(),
        })
    }

    /// The values after an edge of variables that are relevant there or in its relations.
    fn values_behind(
        &self,
        to: LocationId,
        command: &Command,
        map: &Substitution,
        free: &mut Vec<(usize, Symbol)>,
    ) -> Vec<Option<Term>> {
        let terms = self.terms;
        let assigned: BTreeMap<Symbol, Term> = command
            .updates
            .iter()
            .map(|u| (u.symbol, u.value))
            .collect();
        let related = terms.free_vars_of(&command.relations);
        let mut value = |(i, &v): (usize, &Symbol)| {
            if !self.live[to.0][i] && !related.contains(&(v, Stage::Next)) {
                return None;
            }
            Some(match assigned.get(&v) {
                Some(&value) => terms.substitute(value, map),
                None => {
                    let new = terms.fresh(terms.name(v), terms.symbol_sort(v), SymbolKind::Input);
                    free.push((i, new));
                    terms.var(new)
                }
            })
        };
        self.graph
            .variables
            .iter()
            .enumerate()
            .map(&mut value)
            .collect()
    }

    /// Joins the branches that meet inside a block.
    ///
    /// Paper: [ErHoPoSc11, Transf. 2]: disjunctive composition of the parts that are not common.
    fn meet(&self, location: LocationId, arrivals: &mut [Arrival]) -> Point {
        let terms = self.terms;
        let join = |i: usize| {
            let v = self.graph.variables[i];
            terms.var(terms.fresh(terms.name(v), terms.symbol_sort(v), SymbolKind::Input))
        };
        let values = self.join_values(&self.live[location.0], arrivals, join);
        Point {
            conditions: self.join_conditions(arrivals),
            values,
        }
    }

    /// If branches differ in a value, each one defines its value of the joined one.
    fn join_values(
        &self,
        live: &[bool],
        arrivals: &mut [Arrival],
        join: impl Fn(usize) -> Term,
    ) -> Vec<Option<Term>> {
        let terms = self.terms;
        let mut joined = vec![None; live.len()];
        let mut ways: Option<Vec<Term>> = None;
        for i in (0..live.len()).filter(|&i| live[i]) {
            let first = arrivals[0].values[i];
            if arrivals.iter().all(|a| a.values[i] == first) {
                joined[i] = first;
                continue;
            }
            if matches!(terms.symbol_sort(self.graph.variables[i]), Sort::Array(_)) {
                let ways = ways.get_or_insert_with(|| self.tell_ways_apart(arrivals));
                let values = arrivals.iter().map(|a| a.values[i]);
                let values = values.map(|v| v.expect("values that matter are known"));
                joined[i] = Some(self.by_way(ways, values.collect()));
                continue;
            }
            let name = join(i);
            for arrival in &mut *arrivals {
                let value = arrival.values[i].expect("values that matter are known");
                arrival.tests.push(terms.eq(name, value));
            }
            joined[i] = Some(name);
        }
        joined
    }

    /// Adds choice conditions: every branch but the last has a Boolean that is true in it and false
    /// in all later branches.
    ///
    /// Arrays are joined by conditionals over these choices, so that their elements can be read
    /// without equalities of whole arrays.
    fn tell_ways_apart(&self, arrivals: &mut [Arrival]) -> Vec<Term> {
        let terms = self.terms;
        let way = |_: &Arrival| terms.var(terms.fresh("way", Sort::Bool, SymbolKind::Input));
        let ways: Vec<Term> = arrivals[1..].iter().map(way).collect();
        for (k, arrival) in arrivals.iter_mut().enumerate() {
            let before = ways.iter().take(k).map(|&w| terms.not(w));
            arrival.tests.extend(before);
            arrival.tests.extend(ways.get(k));
        }
        ways
    }

    /// The value of the branch that is taken.
    fn by_way(&self, ways: &[Term], values: Vec<Term>) -> Term {
        let mut values = values.into_iter().rev();
        let last = values.next().expect("some edge arrives");
        let others = ways.iter().rev().zip(values);
        others.fold(last, |rest, (&way, value)| self.terms.ite(way, value, rest))
    }

    fn join_conditions(&self, arrivals: &[Arrival]) -> Vec<Term> {
        let (first, rest) = arrivals.split_first().expect("some edge arrives");
        let others: Vec<BTreeSet<Term>> = rest
            .iter()
            .map(|a| a.tests.iter().copied().collect())
            .collect();
        let is_common = |t: &Term| others.iter().all(|o| o.contains(t));
        let mut conditions: Vec<Term> = first.tests.iter().copied().filter(is_common).collect();
        if rest.is_empty() {
            return conditions;
        }
        let common: BTreeSet<Term> = conditions.iter().copied().collect();
        let branch = |a: &Arrival| {
            let own = a.tests.iter().copied().filter(|t| !common.contains(t));
            self.terms.and(own)
        };
        let choice = self.terms.or(arrivals.iter().map(branch));
        if self.terms.as_bool(choice) != Some(true) {
            conditions.push(choice);
        }
        conditions
    }

    /// The block with the given arrivals at a kept location.
    fn block(&self, from: LocationId, to: LocationId, mut arrivals: Vec<Arrival>) -> Option<Block> {
        let terms = self.terms;
        let next = |i: usize| terms.next(self.graph.variables[i]);
        let values = self.join_values(&self.live[to.0], &mut arrivals, next);
        let mut conditions = self.join_conditions(&arrivals);
        self.add_definitions(&mut conditions);
        if conditions.iter().any(|&t| terms.as_bool(t) == Some(false)) {
            return None;
        }
        let mut command = Command::new(self.name(from, to, &arrivals), self.span(&arrivals));
        for (i, value) in values.into_iter().enumerate() {
            let symbol = self.graph.variables[i];
            if let Some(value) = value.filter(|&v| v != next(i)) {
                command.updates.push(Update { symbol, value });
            }
        }
        let is_relation = |t: &Term| terms.free_vars(*t).iter().any(|v| v.1 == Stage::Next);
        (command.relations, command.guards) = conditions.into_iter().partition(is_relation);
        let used = terms.free_vars_of(&command.conjuncts(terms));
        let inputs = used.iter().map(|v| v.0);
        command.inputs = inputs
            .filter(|&s| terms.symbol_kind(s) == SymbolKind::Input)
            .collect();
        Some(Block {
            from,
            to,
            command,
            arrivals,
        })
    }

    /// Adds the definitions of the names in a list of conditions, recursively.
    fn add_definitions(&self, conditions: &mut Vec<Term>) {
        let terms = self.terms;
        let mut done = BTreeSet::new();
        let mut next = 0;
        while next < conditions.len() {
            let t = conditions[next];
            next += 1;
            for (symbol, _) in terms.free_vars(t) {
                let Some(list) = self.definitions.get(&symbol) else {
                    continue;
                };
                if done.insert(symbol) {
                    let name = terms.not(terms.var(symbol));
                    conditions.push(terms.or2(name, terms.and(list.iter().copied())));
                }
            }
        }
    }

    fn name(&self, from: LocationId, to: LocationId, arrivals: &[Arrival]) -> String {
        match arrivals {
            [only] if only.from == from => self.graph.edges[only.edge].command.name.clone(),
            _ => {
                let name = |l| self.graph.location_name(l);
                format!("{} -> {}", name(from), name(to))
            }
        }
    }

    fn span(&self, arrivals: &[Arrival]) -> sectile_base::Span {
        arrivals
            .first()
            .map_or_else(Default::default, |a| self.graph.edges[a.edge].command.span)
    }
}
