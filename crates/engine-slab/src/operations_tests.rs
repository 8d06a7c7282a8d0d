//! Every operation keeps an abstraction sound, and does what its definition says.
//!
//! Soundness is checked by definition on random finite systems: the abstraction has a
//! concretizable error path if and only if explicit search reaches the error.

use crate::abstraction::Arc;
use crate::config::{Bypass, Config};
use crate::live::{depend, enabling};
use crate::relation::{RelationId, Relations};
use crate::search::{Background, Counters, Search};
use sectile_base::Rng;
use sectile_engine::{NodeId, Run, Settings, violating_states};
use sectile_model::Model;
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};
use sectile_testkit::models::{Read, read, zoo};
use sectile_testkit::verdicts::run;
use std::collections::BTreeSet;

/// The states that violate the first property.
fn bad(read: &Read) -> Term {
    violating_states(&read.terms, &read.module().properties[0].kind).unwrap()
}

fn names(terms: &Terms, set: &BTreeSet<Symbol>) -> Vec<String> {
    let mut list: Vec<String> = set.iter().map(|&s| terms.name(s).to_string()).collect();
    list.sort();
    list
}

#[test]
fn dependence_and_enabling_of_the_elevator() {
    let elevator = zoo("elevator", &[]);
    let (terms, system) = (&elevator.terms, elevator.system());
    let mut relations = Relations::new(terms, system);
    let index = system.edge_named("moveUp").unwrap();
    let id = relations.command(index, &system.edges[index].command);
    let move_up = &relations.get(id).command;
    let current = BTreeSet::from([terms.symbol("current").unwrap()]);
    let all = ["current", "pc", "req"];
    assert_eq!(names(terms, &depend(terms, move_up, &current)), all);
    assert_eq!(names(terms, &depend(terms, move_up, &BTreeSet::new())), all);
    assert_eq!(names(terms, &enabling(terms, move_up)), all);
    let index = system.edge_named("ready").unwrap();
    let id = relations.command(index, &system.edges[index].command);
    let ready = &relations.get(id).command;
    assert_eq!(ready.relations.len(), 1, "input' <= Max is no assignment");
}

#[test]
fn a_composition_goes_through_the_label_between() {
    let elevator = zoo("elevator", &[]);
    let (terms, system) = (&elevator.terms, elevator.system());
    let mut relations = Relations::new(terms, system);
    let mut id = |name: &str| {
        let index = system.edge_named(name).unwrap();
        relations.command(index, &system.edges[index].command)
    };
    let (request, up) = (id("request"), id("up"));
    let req = terms.var(terms.symbol("req").unwrap());
    let max = terms.var(terms.symbol("Max").unwrap());
    let between = terms.le(req, max);
    let (parts, origin) = relations.compose(request, &[between], up);
    assert_eq!(parts.name, "request;up");
    assert_eq!(origin.len(), 2);
    let input = terms.var(terms.symbol("input").unwrap());
    // The label between is about what `request` assigned: the input.
    assert!(parts.guards.contains(&terms.le(input, max)));
    let current = terms.var(terms.symbol("current").unwrap());
    assert!(parts.guards.contains(&terms.gt(input, current)));
    let value = |v: &str| parts.update_of(terms.symbol(v).unwrap());
    assert_eq!(value("req"), Some(input));
    assert_eq!(value("pc"), Some(terms.int(2)));
    assert_eq!(value("input"), None, "it may take any value");
}

const CASES: u64 = 40;

/// A small random system over two Booleans and a number from 0 to 2.
fn random_system(rng: &mut Rng) -> String {
    let atom = |rng: &mut Rng| {
        let atoms = ["a", "not a", "b", "not b", "x = 0", "x <= 1", "x = 2"];
        atoms[rng.below(7) as usize].to_string()
    };
    let cube = |rng: &mut Rng| format!("{} and {}", atom(rng), atom(rng));
    let mut text = "var a, b : bool\nvar x : 0..2\n".to_string();
    text.push_str(&format!("init {}\n", cube(rng)));
    for k in 0..3 {
        let guard = format!("({}) or ({})", cube(rng), atom(rng));
        let effect = [
            "a := not a",
            "b := a, x := 0",
            "x := x + 1",
            "havoc b",
            "a := b, havoc x",
            "x := 2 - x, b := not b",
        ][rng.below(6) as usize];
        text.push_str(&format!("c{k}: {guard} --> {effect}\n"));
    }
    text.push_str(&format!(
        "error bad: {} and x = {}\n",
        cube(rng),
        rng.below(3)
    ));
    text
}

type StateOf = [Value; 3];

fn states() -> Vec<StateOf> {
    let mut all = Vec::new();
    for a in [false, true] {
        for b in [false, true] {
            for x in 0..3 {
                all.push([Value::Bool(a), Value::Bool(b), Value::Int(x.into())]);
            }
        }
    }
    all
}

fn holds(terms: &Terms, system: &Model, formula: Term, now: &StateOf, next: &StateOf) -> bool {
    let of = |symbol: Symbol, stage: Stage| {
        let position = system.variables.iter().position(|v| *v == symbol)?;
        let state = if stage == Stage::Next { next } else { now };
        Some(state[position].clone())
    };
    evaluate(terms, formula, &of) == Ok(Value::Bool(true))
}

/// Whether a step of the relation leads from one state to the other, for some inputs.
fn steps(
    terms: &Terms,
    system: &Model,
    relations: &Relations<'_>,
    id: RelationId,
    from: &StateOf,
    to: &StateOf,
) -> bool {
    let relation = &relations.get(id).command;
    let mut formulas = vec![relation.formula(terms)];
    for &input in &relation.inputs {
        let values: Vec<Value> = match terms.symbol_sort(input) {
            sectile_terms::Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            _ => (-1..4).map(|k: i64| Value::Int(k.into())).collect(),
        };
        let with = |formula: Term, value: &Value| {
            let map = [(terms.var(input), value.to_term(terms))];
            terms.substitute(formula, &map.into_iter().collect())
        };
        let longer = formulas.iter();
        formulas = longer
            .flat_map(|&f| values.iter().map(move |v| with(f, v)))
            .collect();
    }
    formulas
        .into_iter()
        .any(|f| holds(terms, system, f, from, to))
}

/// Whether some concrete run follows an error path of the abstraction.
fn has_concretizable_error_path(search: &Search<'_, '_>, system: &Model) -> bool {
    let terms = search.terms;
    let all = states();
    let inside = |n: NodeId, s: &StateOf| {
        let label = search.full_label(n);
        label.iter().all(|&p| holds(terms, system, p, s, s))
    };
    let initial = search.graph.nodes();
    let initial = initial.filter(|&n| search.graph.node(n).own.role.initial);
    let mut work: Vec<(NodeId, usize)> = initial
        .flat_map(|n| (0..all.len()).map(move |i| (n, i)))
        .filter(|&(n, i)| inside(n, &all[i]))
        .collect();
    let mut seen: BTreeSet<(NodeId, usize)> = work.iter().copied().collect();
    while let Some((n, i)) = work.pop() {
        if search.graph.node(n).own.role.error {
            return true;
        }
        for (m, arcs) in search.graph.edges_from(n) {
            for (j, s) in all.iter().enumerate() {
                let reaches =
                    |a: &Arc| steps(terms, system, search.relations, a.relation, &all[i], s);
                if !seen.contains(&(m, j)) && inside(m, s) && arcs.iter().any(reaches) {
                    seen.insert((m, j));
                    work.push((m, j));
                }
            }
        }
    }
    false
}

/// Random splits, slices, simplifications and bypasses, with the definition checked after each.
#[test]
fn every_operation_keeps_the_abstraction_sound() {
    let mut verdicts = [0, 0];
    for seed in 0..CASES {
        let mut rng = Rng::new(seed);
        let text = random_system(&mut rng);
        let read = read("random", &text, &[]);
        let (terms, system, bad) = (&read.terms, read.system(), bad(&read));
        let mut relations = Relations::new(terms, system);
        let commands = system.commands().enumerate();
        let mut all: Vec<RelationId> = commands.map(|(i, c)| relations.command(i, c)).collect();
        all.push(relations.idle());
        let config = Config {
            bypass: Bypass::Profitable,
            ..Config::paper()
        };
        let mut counters = Counters::default();
        let settings = Settings::default();
        let run = &mut run(&settings);
        let background = Background {
            all: system
                .restrict
                .iter()
                .flat_map(|&r| terms.conjuncts(r))
                .collect(),
            inner: vec![],
        };
        let search = Search::new(&mut relations, &config, background, &mut counters, run);
        let mut search = search.unwrap();
        search.add_four_nodes(system, bad, &all);
        let truth = has_concretizable_error_path(&search, system);
        verdicts[usize::from(truth)] += 1;
        for round in 0..12 {
            operate(&mut search, system, &mut rng, run);
            let now = has_concretizable_error_path(&search, system);
            assert_eq!(now, truth, "seed {seed}, operation {round}\n{text}");
        }
    }
    assert!(verdicts[0] > 5 && verdicts[1] > 5, "{verdicts:?}");
}

/// One random operation.
fn operate(search: &mut Search<'_, '_>, system: &Model, rng: &mut Rng, run: &mut Run<'_>) {
    let terms = search.terms;
    let nodes: Vec<NodeId> = search.graph.nodes().collect();
    let Some(&n) = rng.pick(&nodes) else {
        return;
    };
    match rng.below(4) {
        0 | 1 => {
            let [a, b, x] = [0, 1, 2].map(|i| terms.var(system.variables[i]));
            let candidates = [
                a,
                b,
                terms.le(x, terms.int(0)),
                terms.le(x, terms.int(1)),
                terms.eq(x, terms.int(1)),
            ];
            let q = candidates[rng.below(5) as usize];
            let copy = search.split(n, q, "test", run);
            if rng.below(2) == 0 {
                search.slice(&BTreeSet::from([n, copy]), run).unwrap();
            }
        }
        2 => {
            let all: BTreeSet<NodeId> = nodes.into_iter().collect();
            search.slice(&all, run).unwrap();
        }
        _ => {
            let all: BTreeSet<NodeId> = nodes.into_iter().collect();
            search.slice(&all, run).unwrap();
            search.bypass_and_slice(run).unwrap();
        }
    }
}

/// The interpolant of the first spurious path of the elevator, by its definition.
#[test]
fn the_first_spurious_path_of_the_elevator_is_minimal() {
    let elevator = zoo("elevator", &[]);
    let (terms, system, bad) = (&elevator.terms, elevator.system(), bad(&elevator));
    let mut relations = Relations::new(terms, system);
    let commands = system.commands().enumerate();
    let all: Vec<RelationId> = commands.map(|(i, c)| relations.command(i, c)).collect();
    let config = Config::paper();
    let mut counters = Counters::default();
    let settings = Settings::default();
    let run = &mut run(&settings);
    let background = Background::default();
    let search = Search::new(&mut relations, &config, background, &mut counters, run);
    let mut search = search.unwrap();
    search.add_four_nodes(system, bad, &all);
    let nodes = search.graph.nodes().collect();
    search.slice(&nodes, run).unwrap();
    let path = search.error_path().unwrap();
    let names: Vec<&str> = path
        .relations
        .iter()
        .map(|&r| search.relations.get(r).command.name.as_str())
        .collect();
    assert_eq!(names, ["request", "moveUp#"]);
    let simplified = &search.relations.get(path.relations[1]).command;
    let dropped = terms.symbol("req").unwrap();
    assert_eq!(simplified.update_of(dropped), None);
    assert_eq!(simplified.guards.len(), 2);
    assert_eq!(search.infeasible_part(&path).unwrap(), Some((0, 2)));
    // Γ1 implies the predicate of the split and Γ2 contradicts it: the edge to the error node
    // is gone in the half that the path reaches.
    let halves = search.refute(&path, 0, 2, run).unwrap();
    search.slice(&halves, run).unwrap();
    let again = search.error_path();
    assert!(again.is_none_or(|p| p.nodes.len() > 3));
}
