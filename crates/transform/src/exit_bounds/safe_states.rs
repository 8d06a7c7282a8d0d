//! The states from which every path satisfies the next invariant.

use crate::pass::Lost;
use sectile_model::{LocationId, Model};
use sectile_terms::{Sort, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum size of formulas worth checking.
const LARGEST: usize = 30_000;

/// Maximum number of choices that are expanded into cases.
const MOST_CHOICES: usize = 6;

/// The condition and the values at a location, over the values at the start.
#[derive(Clone)]
struct Point {
    conditions: Vec<Term>,
    values: Vec<Term>,
}

/// The states at `start` from which every acyclic path satisfies the first invariant that it
/// reaches.
///
/// Values are functions of the values at the start: exclusive branches are joined by a case
/// distinction, so that nothing is duplicated. A free choice has to be expanded.
pub(super) fn safe_states(
    terms: &Terms,
    graph: &Model,
    invariants: &[Option<Term>],
    start: LocationId,
) -> Result<Term, Lost> {
    let mut execution = Execution {
        terms,
        graph,
        invariants,
        arrivals: BTreeMap::new(),
        safe: Vec::new(),
        choices: Vec::new(),
    };
    let values = graph.variables.iter().map(|&v| terms.var(v)).collect();
    let here = Point {
        conditions: Vec::new(),
        values,
    };
    execution.leave(start, &here)?;
    let order = graph.order_inside(|l| invariants[l.0].is_none() && l != start);
    for location in order.ok_or_else(|| Lost("a cycle has no invariant".into()))? {
        if let Some(arrivals) = execution.arrivals.remove(&location) {
            let point = execution.meet(arrivals);
            execution.leave(location, &point)?;
        }
    }
    let safe = terms.and(execution.safe);
    for_all(terms, safe, &execution.choices)
}

struct Execution<'e> {
    terms: &'e Terms,
    graph: &'e Model,
    invariants: &'e [Option<Term>],
    arrivals: BTreeMap<LocationId, Vec<Point>>,
    safe: Vec<Term>,
    choices: Vec<Symbol>,
}

impl Execution<'_> {
    fn leave(&mut self, from: LocationId, point: &Point) -> Result<(), Lost> {
        let graph = self.graph;
        for index in graph.edges_from(from) {
            let Some(next) = self.step(point, index)? else {
                continue;
            };
            let to = graph.edges[index].to;
            match self.invariants[to.0] {
                None => self.arrivals.entry(to).or_default().push(next),
                Some(invariant) => {
                    let after = self.terms.substitute(invariant, &self.map(&next.values));
                    let path = self.terms.and(next.conditions);
                    self.safe.push(self.terms.implies(path, after));
                }
            }
        }
        Ok(())
    }

    fn map(&self, values: &[Term]) -> Substitution {
        let pairs = self.graph.variables.iter().zip(values);
        pairs.map(|(&v, &t)| (self.terms.var(v), t)).collect()
    }

    fn step(&mut self, point: &Point, index: usize) -> Result<Option<Point>, Lost> {
        let terms = self.terms;
        let command = &self.graph.edges[index].command;
        if !command.relations.is_empty() {
            return Err(Lost("a step is given by a relation".into()));
        }
        let mut map = self.map(&point.values);
        for &input in &command.inputs {
            let new = self.choice(input);
            map.insert(terms.var(input), new);
        }
        let mut values = Vec::new();
        for &v in &self.graph.variables {
            values.push(match command.update_of(v) {
                Some(value) => terms.substitute(value, &map),
                None => self.choice(v),
            });
        }
        let mut conditions = point.conditions.clone();
        let after = self.map(&values);
        let restrict = self
            .graph
            .restrict
            .iter()
            .map(|&r| terms.substitute(r, &after));
        let guards = command.guards.iter().map(|&g| terms.substitute(g, &map));
        for part in terms.conjuncts(terms.and(guards.chain(restrict))) {
            if terms.as_bool(part) == Some(false) || conditions.contains(&terms.not(part)) {
                return Ok(None);
            }
            if !conditions.contains(&part) {
                conditions.push(part);
            }
        }
        Ok(Some(Point { conditions, values }))
    }

    fn choice(&mut self, like: Symbol) -> Term {
        let terms = self.terms;
        let new = terms.fresh(terms.name(like), terms.symbol_sort(like), SymbolKind::Input);
        self.choices.push(new);
        terms.var(new)
    }

    /// Joins the branches at a location pairwise, most similar ones first.
    fn meet(&mut self, mut list: Vec<Point>) -> Point {
        while list.len() > 1 {
            let pairs = (0..list.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
            let rated = pairs.map(|(i, j)| {
                let (common, switch) = compare(self.terms, &list[i], &list[j]);
                (switch.is_some(), common.len(), i, j)
            });
            let (_, _, i, j) = rated.max().expect("there are two");
            let second = list.swap_remove(j);
            let joined = self.join(&list[i], &second);
            list[i] = joined;
        }
        list.swap_remove(0)
    }

    fn join(&mut self, a: &Point, b: &Point) -> Point {
        let terms = self.terms;
        let (mut conditions, switch) = compare(terms, a, b);
        let own = |p: &Point| {
            let own = p.conditions.iter().filter(|t| !conditions.contains(t));
            terms.and(own.copied())
        };
        let (mine, theirs) = (own(a), own(b));
        let switch = switch.unwrap_or_else(|| {
            let new = terms.fresh("choice", Sort::Bool, SymbolKind::Input);
            self.choices.push(new);
            terms.var(new)
        });
        let path = terms.ite(switch, mine, theirs);
        if terms.as_bool(path) != Some(true) {
            conditions.push(path);
        }
        let pairs = a.values.iter().zip(&b.values);
        let values = pairs.map(|(&x, &y)| terms.ite(switch, x, y)).collect();
        Point { conditions, values }
    }
}

/// The common part of two points, and a condition of the first that excludes the second.
fn compare(terms: &Terms, a: &Point, b: &Point) -> (Vec<Term>, Option<Term>) {
    let set = |p: &Point| -> BTreeSet<Term> { p.conditions.iter().copied().collect() };
    let (mine, theirs) = (set(a), set(b));
    let common = a.conditions.iter().filter(|t| theirs.contains(t)).copied();
    let contradicts = |t: Term, others: &BTreeSet<Term>| {
        let parts = terms.conjuncts(terms.not(t));
        parts.iter().all(|p| others.contains(p))
    };
    let first = a.conditions.iter().find(|&&t| contradicts(t, &theirs));
    let second = || b.conditions.iter().find(|&&t| contradicts(t, &mine));
    let switch = first.copied().or_else(|| second().map(|&t| terms.not(t)));
    (common.collect(), switch)
}

/// The formula for all values of the choices, if it can be expanded.
fn for_all(terms: &Terms, formula: Term, choices: &[Symbol]) -> Result<Term, Lost> {
    let used = terms.free_vars(formula);
    let left = choices.iter().filter(|c| used.iter().any(|u| u.0 == **c));
    let left: Vec<Symbol> = left.copied().collect();
    let is_free = |c: &Symbol| terms.symbol_sort(*c) == Sort::Bool;
    if left.len() > MOST_CHOICES || !left.iter().all(is_free) {
        return Err(Lost(
            "free choices inside a loop would have to be written out".into(),
        ));
    }
    let mut formula = formula;
    for choice in left {
        let case = |value: Term| {
            let map = Substitution::from_iter([(terms.var(choice), value)]);
            terms.substitute(formula, &map)
        };
        formula = terms.and2(case(terms.tt()), case(terms.ff()));
    }
    if terms.size(formula) > LARGEST {
        return Err(Lost(
            "what is safe at a loop head is too large to be checked".into(),
        ));
    }
    Ok(formula)
}
