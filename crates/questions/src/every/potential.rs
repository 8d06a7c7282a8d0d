//! Shared numbers that count processes: `numC3` is the number of planes on C3.
//!
//! If every step from one location to another changes a number by the same amount wherever it
//! happens, locations have a *potential*, and the number is the sum of the potentials of all
//! processes. That is an equation between the number and counters. By how much a step changes a
//! number is asked under clauses that are known to be invariant: `readers := copy - 1` takes one
//! away where `copy = readers` is known.

use super::family::Counter;
use super::search::Large;
use super::words::Words;
use sectile_base::Budget;
use sectile_model::Field;
use sectile_solver::{Answer, Solver, SolverError, scoped};
use sectile_terms::{Sort, Symbol, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers are changed by at most so much, and start with at most so much.
const LARGEST: i64 = 9;

/// An equation between a shared number and counters.
pub struct Equation {
    pub counters: Vec<Counter>,
    pub clause: String,
    /// The number.
    pub number: Symbol,
}

/// The equations of shared numbers, under clauses that hold in every state.
pub fn equations(
    large: &Large<'_>,
    known: &[Term],
    size: &str,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Vec<Equation>, SolverError> {
    let loaded = &large.read.loaded;
    let terms = &loaded.terms;
    let words = Words::of(loaded, &large.qualified, &[]);
    let low = large.qualified.low;
    let texts = words.main.iter();
    let at = texts.map(|c| large.formula(&c.text.replace('@', &low.to_string())));
    let numbers = words.shared_numbers.iter().filter(|n| n.sort == Sort::Int);
    let numbers = numbers.filter_map(|n| terms.symbol(&n.text));
    let numbers: Vec<Symbol> = numbers.collect();
    let Some(at) = at.collect::<Option<Vec<Term>>>() else {
        return Ok(Vec::new());
    };
    if at.is_empty() || numbers.is_empty() {
        return Ok(Vec::new());
    }
    let graph = Graph {
        terms,
        large,
        at,
        known,
        numbers: &numbers,
    };
    let (Some(first), starts) = graph.start(solver, budget)? else {
        return Ok(Vec::new());
    };
    let Some(edges) = graph.edges(solver, budget)? else {
        return Ok(Vec::new());
    };
    let high = match large.qualified.shift {
        0 => size.to_string(),
        shift => format!("{size} + ({shift})"),
    };
    let mut found = Vec::new();
    for (k, &number) in numbers.iter().enumerate() {
        let (Some(start), Some(potentials)) = (starts[k], potentials(first, &edges, k)) else {
            continue;
        };
        let mut sum = Vec::new();
        let mut counters = Vec::new();
        for (value, potential) in potentials.into_iter().filter(|p| p.1 != 0) {
            let text = &words.main[value].text;
            let named = text.rsplit(' ').next().unwrap_or("");
            let counter = format!("at_{named}");
            sum.push((potential, counter.clone()));
            counters.push(Counter {
                name: counter,
                text: format!("count i in {low}..{high}: {}", text.replace('@', "i")),
                witnesses: 1,
            });
        }
        found.push(Equation {
            counters,
            clause: format!("{} = {}", terms.name(number), written(start, &sum)),
            number,
        });
    }
    Ok(found)
}

/// A sum as a text.
fn written(constant: i64, sum: &[(i64, String)]) -> String {
    let mut text = match constant {
        0 => String::new(),
        _ => constant.to_string(),
    };
    for (factor, counter) in sum {
        text += match (*factor < 0, text.is_empty()) {
            (true, true) => "-",
            (true, false) => " - ",
            (false, true) => "",
            (false, false) => " + ",
        };
        if factor.abs() != 1 {
            text += &format!("{} * ", factor.abs());
        }
        text += counter;
    }
    match text.is_empty() {
        true => "0".to_string(),
        false => text,
    }
}

/// What steps of the first process from one location to another do.
struct Edge {
    from: usize,
    to: usize,
    /// By how much each number changes, where that is always the same.
    by: Vec<Option<i64>>,
}

struct Graph<'g> {
    terms: &'g Terms,
    large: &'g Large<'g>,
    /// That the first process is at its locations, one by one.
    at: Vec<Term>,
    known: &'g [Term],
    numbers: &'g [Symbol],
}

impl Graph<'_> {
    /// The location at the start, if there is only one, and the values of the numbers there.
    #[allow(clippy::type_complexity)]
    fn start(
        &self,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<(Option<usize>, Vec<Option<i64>>), SolverError> {
        let terms = self.terms;
        scoped(solver, |solver| {
            solver.assert(self.large.model().init_formula(terms))?;
            let shown: Vec<Term> = self.numbers.iter().map(|n| terms.var(*n)).collect();
            let Some((place, _, values)) = self.model(&[], &shown, &|t| t, solver, budget)? else {
                return Ok((None, Vec::new()));
            };
            let elsewhere = terms.not(self.at[place]);
            if !solver.check(&[elsewhere], budget)?.is_unsat() {
                return Ok((None, Vec::new()));
            }
            let values = self.constant(&shown, values, &[], solver, budget)?;
            Ok((Some(place), values))
        })
    }

    /// The steps between locations; none if that is not found out.
    fn edges(
        &self,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Vec<Edge>>, SolverError> {
        let (terms, model) = (self.terms, self.large.model());
        let low = self.large.qualified.low;
        let changes = self.numbers.iter();
        let changes = changes.map(|&n| terms.sub(terms.next(n), terms.var(n)));
        let changes: Vec<Term> = changes.collect();
        let own = |f: &Field| f.indices().any(|k| k == low);
        let is_shared = |f: &Field| f.process.is_none();
        let mut edges = Vec::new();
        for command in model.commands() {
            if !command.parts.iter().any(|f| own(f) || is_shared(f)) {
                // What another process does is what the first one does.
                continue;
            }
            let found = scoped(solver, |solver| {
                self.known.iter().try_for_each(|&t| solver.assert(t))?;
                solver.assert(model.step_formula(terms, command))?;
                let mut seen: Vec<Term> = Vec::new();
                let mut found = Vec::new();
                let after = |t| terms.prime(t);
                while let Some((from, to, values)) =
                    self.model(&seen, &changes, &after, solver, budget)?
                {
                    let here = [self.at[from], terms.prime(self.at[to])];
                    let by = self.constant(&changes, values, &here, solver, budget)?;
                    found.push(Edge { from, to, by });
                    seen.push(terms.not(terms.and(here)));
                    if seen.len() > self.at.len() * self.at.len() {
                        return Ok(None);
                    }
                }
                Ok::<_, SolverError>(Some(found))
            })?;
            let Some(found) = found else {
                return Ok(None);
            };
            edges.extend(found);
        }
        Ok(Some(edges))
    }

    /// The locations before and after in some model, and the values of terms there.
    #[allow(clippy::type_complexity)]
    fn model(
        &self,
        assumed: &[Term],
        shown: &[Term],
        after: &dyn Fn(Term) -> Term,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<(usize, usize, Vec<i64>)>, SolverError> {
        let terms = self.terms;
        let Answer::Sat(model) = solver.check(assumed, budget)? else {
            return Ok(None);
        };
        let is = |t: Term| model.eval(terms, t) == Ok(Value::Bool(true));
        let from = self.at.iter().position(|&a| is(a));
        let to = self.at.iter().position(|&a| is(after(a)));
        let number = |t: &Term| model.eval(terms, *t).ok()?.as_rat()?.to_i64();
        let values = shown.iter().map(number).collect::<Option<Vec<i64>>>();
        Ok(from.zip(to).zip(values).map(|((f, t), v)| (f, t, v)))
    }

    /// Which of the values are the only ones.
    fn constant(
        &self,
        shown: &[Term],
        values: Vec<i64>,
        assumed: &[Term],
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Vec<Option<i64>>, SolverError> {
        let terms = self.terms;
        let mut found = Vec::new();
        for (&term, value) in shown.iter().zip(values) {
            let number = terms.number(value.into(), Sort::Int);
            let other = terms.not(terms.eq(term, number));
            let all: Vec<Term> = assumed.iter().copied().chain([other]).collect();
            let only = value.abs() <= LARGEST && solver.check(&all, budget)?.is_unsat();
            found.push(only.then_some(value));
        }
        Ok(found)
    }
}

/// The potentials of the locations that are reached from the first one, for one of the numbers.
fn potentials(first: usize, edges: &[Edge], number: usize) -> Option<BTreeMap<usize, i64>> {
    let mut found = BTreeMap::from([(first, 0)]);
    let mut open = BTreeSet::from([first]);
    while let Some(from) = open.pop_first() {
        let here = *found.get(&from)?;
        for edge in edges.iter().filter(|e| e.from == from) {
            let by = edge.by[number]?;
            match found.get(&edge.to) {
                Some(&there) if there != here + by => return None,
                Some(_) => {}
                None => {
                    found.insert(edge.to, here + by);
                    open.insert(edge.to);
                }
            }
        }
    }
    Some(found)
}
