//! Paths between cut points against enumeration: with joins, inputs, free values and arrays.
#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Span};
use sectile_certify::{Claim, Outcome, check};
use sectile_model::*;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::*;

/// A generator of small numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

/// The first and the last location have invariants.
const LAST: usize = 4;

struct Example<'t> {
    terms: &'t Terms,
    flags: Vec<Symbol>,
    array: Symbol,
    input: Symbol,
    dice: Dice,
}

impl Example<'_> {
    fn variables(&self) -> Vec<Symbol> {
        let mut all = self.flags.clone();
        all.push(self.array);
        all
    }

    fn flag(&mut self) -> Term {
        let place = self.dice.roll(3) as usize;
        self.terms.var(self.flags[place])
    }

    fn value(&mut self) -> Term {
        let (terms, flag) = (self.terms, self.flag());
        match self.dice.roll(6) {
            0 => terms.tt(),
            1 => terms.not(flag),
            2 => terms.var(self.input),
            3 => terms.select(terms.var(self.array), flag),
            _ => flag,
        }
    }

    fn command(&mut self, name: String) -> Command {
        let terms = self.terms;
        let mut command = Command::new(name, Span::default());
        command.inputs = vec![self.input];
        if self.dice.roll(3) == 0 {
            command.guards.push(self.value());
        }
        for symbol in self.flags.clone() {
            let value = match self.dice.roll(5) {
                0 => self.value(),
                1 if self.dice.roll(3) == 0 => continue,
                _ => terms.var(symbol),
            };
            command.updates.push(Update { symbol, value });
        }
        let array = terms.var(self.array);
        let value = match self.dice.roll(3) {
            0 => terms.store(array, self.flag(), self.value()),
            _ => array,
        };
        let symbol = self.array;
        command.updates.push(Update { symbol, value });
        command
    }

    /// What may be true of a state.
    fn formula(&mut self) -> Term {
        let terms = self.terms;
        let element = terms.select(terms.var(self.array), self.flag());
        let [a, b] = [self.flag(), self.flag()];
        match self.dice.roll(4) {
            0 => terms.or([a, terms.not(element)]),
            1 => terms.iff(element, b),
            2 => terms.or([terms.not(a), b, element]),
            _ => terms.or([element, a]),
        }
    }
}

fn arrays(terms: &Terms, id: ArrayId) -> Vec<Value> {
    let filled = |b: bool| ArrayValue::filled(id, Value::Bool(b));
    let [no, yes] = [Value::Bool(false), Value::Bool(true)];
    let mixed = |at: &Value| filled(false).with(terms, at.clone(), yes.clone());
    let all = [filled(false), filled(true), mixed(&no), mixed(&yes)];
    all.into_iter().map(|a| Value::Array(Box::new(a))).collect()
}

/// Everything that a step may lead to.
fn successors(graph: &Example<'_>, command: &Command, state: &[Value]) -> Vec<Vec<Value>> {
    let (terms, variables) = (graph.terms, graph.variables());
    let mut found = Vec::new();
    for chosen in [false, true] {
        let find = |s: Symbol, _: Stage| match variables.iter().position(|&v| v == s) {
            Some(i) => Some(state[i].clone()),
            None => Some(Value::Bool(chosen)),
        };
        let value = |t: Term| evaluate(terms, t, &find).unwrap();
        if command
            .guards
            .iter()
            .any(|&g| value(g) == Value::Bool(false))
        {
            continue;
        }
        let mut all = vec![Vec::new()];
        for &v in &variables {
            let values = match command.update_of(v) {
                Some(t) => vec![value(t)],
                None => [false, true].map(Value::Bool).to_vec(),
            };
            let longer = |prefix: &Vec<Value>| {
                let prefix = prefix.clone();
                { values.clone().into_iter() }.map(move |v| [prefix.clone(), vec![v]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        found.extend(all);
    }
    found
}

fn holds(graph: &Example<'_>, formula: Term, state: &[Value]) -> bool {
    let variables = graph.variables();
    let find = |s: Symbol, _: Stage| {
        let place = variables.iter().position(|&v| v == s);
        place.map(|i| state[i].clone())
    };
    evaluate(graph.terms, formula, &find) == Ok(Value::Bool(true))
}

/// Whether all paths lead from the one invariant to the other, and whether the checker says so.
fn compared(seed: u64) -> (bool, bool) {
    let terms = Terms::new();
    let sort = terms.array_sort(Sort::Bool, Sort::Bool);
    let Sort::Array(id) = sort else { panic!() };
    let state = |n: &str, s: Sort| terms.declare(n, s, SymbolKind::State).unwrap();
    let mut graph = Example {
        terms: &terms,
        flags: ["p", "q", "r"].map(|n| state(n, Sort::Bool)).to_vec(),
        array: state("a", sort),
        input: terms.declare("in", Sort::Bool, SymbolKind::Input).unwrap(),
        dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
    };
    let mut edges = Vec::new();
    for to in 1..=LAST {
        for from in 0..to {
            if from + 1 == to || graph.dice.roll(3) == 0 {
                let command = graph.command(format!("{from} to {to}"));
                let (from, to) = (LocationId(from), LocationId(to));
                edges.push(Edge::new(from, to, command));
            }
        }
    }
    let (before, after) = (graph.formula(), graph.formula());
    let location = |k: usize| Location::new(format!("L{k}"), Span::default());
    let mut reached: Vec<Vec<Vec<Value>>> = vec![Vec::new(); LAST + 1];
    for k in 0..8_u8 {
        for array in arrays(&terms, id) {
            let flags = (0..3).map(|bit| Value::Bool(k >> bit & 1 == 1));
            let state: Vec<Value> = flags.chain([array]).collect();
            if holds(&graph, before, &state) {
                reached[0].push(state);
            }
        }
    }
    for edge in &edges {
        let here = reached[edge.from.0].clone();
        let next = here
            .iter()
            .flat_map(|s| successors(&graph, &edge.command, s));
        let known = &mut reached[edge.to.0];
        known.extend(next);
        known.sort();
        known.dedup();
    }
    let expected = reached[LAST].iter().all(|s| holds(&graph, after, s));
    let model = Model {
        name: "random".into(),
        variables: graph.variables(),
        init: vec![before],
        locations: (0..=LAST).map(location).collect(),
        edges,
        ..Model::default()
    };
    let property = Property {
        name: "p".into(),
        kind: PropertyKind::AtLocation(LocationId(LAST), after),
        span: Span::default(),
    };
    let task = Task {
        terms: &terms,
        model: &model,
        property: &property,
    };
    let mut list = vec![None; LAST + 1];
    (list[0], list[LAST]) = (Some(before), Some(after));
    let mut solver = NativeBackend.certifying_solver(&terms).unwrap();
    let certificate = Certificate::cut_points(list);
    let budget = Budget::unlimited();
    let outcome = check(&task, Claim::Holds, &certificate, solver.as_mut(), &budget).unwrap();
    (expected, matches!(outcome, Outcome::Accepted { .. }))
}

#[test]
fn cut_points_are_accepted_exactly_if_all_paths_lead_from_one_to_the_next() {
    let mut right = [0, 0];
    for seed in 1..400 {
        let (expected, accepted) = compared(seed);
        assert_eq!(expected, accepted, "seed {seed}");
        right[usize::from(expected)] += 1;
    }
    assert!(right.iter().all(|&n| n > 20), "{right:?}");
}
