//! Exploration of the reachable values of Booleans, and the edges between them.

use sectile_model::{Command, Edge, Location, LocationId, Model};
use sectile_terms::{Node, Stage, Substitution, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// A location with values of the Booleans.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub location: LocationId,
    pub values: Vec<bool>,
}

/// The result of the exploration.
pub(super) struct Found {
    /// The points; the first is the start.
    pub points: Vec<Point>,
    /// The initial condition without Booleans.
    init: Vec<Term>,
    pub steps: Vec<PointStep>,
}

/// An edge between points.
pub(super) struct PointStep {
    from: usize,
    to: usize,
    /// The edge of the given graph.
    pub edge: usize,
    conjuncts: Vec<Term>,
}

/// The residual formula for some values of Booleans.
type Leaf = (Vec<bool>, Vec<Term>);

/// Explores the values of the Booleans, breadth first.
pub(super) fn explore(
    terms: &Terms,
    graph: &Model,
    booleans: &[Symbol],
    most: usize,
) -> Result<Found, String> {
    let init = terms.and(graph.init.iter().copied());
    let starts = leaves(terms, init, booleans, Stage::Now, most)?;
    let Ok([(values, init)]) = <[Leaf; 1]>::try_from(starts) else {
        return Err("the Booleans have several values at the start".to_string());
    };
    let start = Point {
        location: graph.entry,
        values,
    };
    let mut found = Found {
        points: vec![start.clone()],
        init,
        steps: Vec::new(),
    };
    // There are no more points than values, and never too many.
    let values = 1_usize.checked_shl(u32::try_from(booleans.len()).unwrap_or(u32::MAX));
    let all = values.map_or(most, |v| v.saturating_mul(graph.locations.len()));
    let bound = most.min(all);
    let mut known: BTreeMap<Point, usize> = BTreeMap::from([(start, 0)]);
    let mut next = 0;
    while next < found.points.len() {
        let point = found.points[next].clone();
        for e in graph.edges_from(point.location) {
            let edge = &graph.edges[e];
            let step = specialised(terms, &edge.command, booleans, &point.values);
            for (values, conjuncts) in leaves(terms, step, booleans, Stage::Next, most)? {
                let target = Point {
                    location: edge.to,
                    values,
                };
                let fresh = found.points.len();
                let to = *known.entry(target.clone()).or_insert(fresh);
                if to == fresh {
                    found.points.push(target);
                }
                found.steps.push(PointStep {
                    from: next,
                    to,
                    edge: e,
                    conjuncts,
                });
            }
        }
        if found.points.len() > bound || found.steps.len() > few_steps(bound) {
            return Err("too many values of the Booleans are reached".to_string());
        }
        next += 1;
    }
    Ok(found)
}

impl Found {
    /// Fails unless most points have few successors, as for a program counter.
    pub fn is_worth_it(&self, fewest: usize) -> Result<(), String> {
        match self.points.len() >= fewest && self.steps.len() <= few_steps(self.points.len()) {
            true => Ok(()),
            false => Err("the Booleans do not behave like a program counter".to_string()),
        }
    }
}

/// The number of steps between this many points that still counts as few.
fn few_steps(points: usize) -> usize {
    5 * points / 2 + 8
}

/// The step for given values of the Booleans before it.
fn specialised(terms: &Terms, command: &Command, booleans: &[Symbol], values: &[bool]) -> Term {
    let pairs = booleans.iter().zip(values);
    let map: Substitution = pairs
        .map(|(&b, &v)| (terms.var(b), terms.bool(v)))
        .collect();
    terms.substitute(command.formula(terms), &map)
}

/// All values of the Booleans at a stage for which a formula may hold, each with the residual
/// formula. Free values are refused.
fn leaves(
    terms: &Terms,
    formula: Term,
    booleans: &[Symbol],
    stage: Stage,
    most: usize,
) -> Result<Vec<Leaf>, String> {
    let variables: Vec<Term> = booleans.iter().map(|&b| terms.var_at(b, stage)).collect();
    let mut found = Vec::new();
    let mut open = vec![(formula, vec![None; booleans.len()])];
    let mut splits = 0;
    while let Some((formula, mut values)) = open.pop() {
        let formula = propagated(terms, formula, &variables, &mut values);
        if terms.as_bool(formula) == Some(false) {
            continue;
        }
        let occurring = terms.free_vars(formula);
        let undecided = (0..booleans.len())
            .find(|&i| values[i].is_none() && occurring.contains(&(booleans[i], stage)));
        match undecided {
            Some(i) => {
                for value in [false, true] {
                    let map = Substitution::from_iter([(variables[i], terms.bool(value))]);
                    let mut values = values.clone();
                    values[i] = Some(value);
                    open.push((terms.substitute(formula, &map), values));
                }
            }
            None => {
                let all: Option<Vec<bool>> = values.into_iter().collect();
                let all = all.ok_or("the value of a Boolean is free")?;
                // Conditions of the step decide many of its cases.
                let left = terms.simplify(formula);
                if terms.as_bool(left) != Some(false) {
                    found.push((all, terms.conjuncts(left)));
                }
            }
        }
        splits += 1;
        if splits > 8 * most {
            return Err("a step has too many cases".to_string());
        }
    }
    Ok(found)
}

/// Substitutes the Booleans that are conjuncts themselves, until there are none.
fn propagated(
    terms: &Terms,
    mut formula: Term,
    variables: &[Term],
    values: &mut [Option<bool>],
) -> Term {
    loop {
        let mut map = Substitution::default();
        for c in terms.conjuncts(formula) {
            let (atom, negated) = terms.strip_not(c);
            if let Node::Var(..) = terms.node(atom)
                && let Some(i) = variables.iter().position(|v| *v == atom)
            {
                values[i] = Some(!negated);
                map.insert(atom, terms.bool(!negated));
            }
        }
        if map.is_empty() {
            return formula;
        }
        formula = terms.substitute(formula, &map);
    }
}

/// The graph of the points.
pub(super) fn graph(terms: &Terms, graph: &Model, booleans: &[Symbol], found: &Found) -> Model {
    let data = graph.variables.iter().copied();
    let location = |point: &Point| {
        let old = &graph.locations[point.location.0];
        let bits: String = point
            .values
            .iter()
            .map(|&v| if v { '1' } else { '0' })
            .collect();
        Location::new(format!("{}.{bits}", old.name), old.span)
    };
    let edge = |step: &PointStep| {
        let old = &graph.edges[step.edge].command;
        let mut command = Command::new(old.name.clone(), old.span);
        command.inputs.clone_from(&old.inputs);
        command.relations.clone_from(&step.conjuncts);
        command.normalise(terms);
        Edge::new(LocationId(step.from), LocationId(step.to), command)
    };
    Model {
        variables: data.filter(|v| !booleans.contains(v)).collect(),
        init: found.init.clone(),
        locations: found.points.iter().map(location).collect(),
        entry: LocationId(0),
        edges: found.steps.iter().map(edge).collect(),
        ..graph.without_edges()
    }
}
