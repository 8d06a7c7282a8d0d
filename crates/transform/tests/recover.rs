//! The program counter comes back from Booleans, with the evidence.
#![allow(clippy::unwrap_used)]

use crate::enumeration;
use crate::random_models;

use enumeration::{certificates, check, verdict};
use random_models::{Maker, property};
use sectile_base::Span;
use sectile_model::*;
use sectile_terms::*;
use sectile_transform::*;

/// Enough for the locations of random graphs.
const BITS: usize = 4;

/// The same program with its counter in Booleans: one location, all edges loops at it.
fn folded(terms: &Terms, graph: &Model, errors: &[LocationId]) -> (Model, Property) {
    let bit = |k: usize| terms.declare(&format!("pc{k}"), Sort::Bool, SymbolKind::State);
    let bits: Vec<Symbol> = (0..BITS).map(|k| bit(k).unwrap()).collect();
    let value = |l: LocationId, k: usize| terms.bool(l.0 >> k & 1 == 1);
    let at = |l: LocationId| {
        let parts = bits.iter().enumerate();
        let parts: Vec<Term> = parts
            .map(|(k, &b)| terms.eq(terms.var(b), value(l, k)))
            .collect();
        parts
    };
    let (run, error) = (LocationId(0), LocationId(1));
    let mut edges: Vec<Edge> = Vec::new();
    for edge in &graph.edges {
        let mut command = edge.command.clone();
        command.guards.extend(at(edge.from));
        let to = bits.iter().enumerate();
        command.updates.extend(to.map(|(k, &symbol)| Update {
            symbol,
            value: value(edge.to, k),
        }));
        edges.push(Edge::new(run, run, command));
    }
    for &e in errors {
        let mut command = Command::new("error", Span::default());
        command.guards.extend(at(e));
        let all = graph.variables.iter().chain(&bits);
        command.updates.extend(all.map(|&symbol| Update {
            symbol,
            value: terms.var(symbol),
        }));
        edges.push(Edge::new(run, error, command));
    }
    let location = |name: &str| Location::new(name, Span::default());
    let mut init = graph.init.clone();
    init.extend(at(graph.entry));
    let mut variables = graph.variables.clone();
    variables.extend(&bits);
    let model = Model {
        variables,
        init,
        locations: vec![location("run"), location("error")],
        entry: run,
        edges,
        ..graph.clone()
    };
    (model, property(PropertyKind::Unreachable(vec![error])))
}

#[test]
fn verdicts_and_certificates_come_back() {
    let (mut holds, mut violated, mut refused) = (0, 0, 0);
    let small = RecoverControl {
        fewest_locations: 1,
        ..RecoverControl::default()
    };
    for seed in 0..250 {
        let mut maker = Maker::new(seed);
        let graph = maker.graph();
        let last = LocationId(graph.locations.len() - 1);
        let terms = &maker.terms;
        let (model, property) = folded(terms, &graph, &[last]);
        let Ok(applied) = small.apply(&Task::new(terms, &model, &property)) else {
            refused += 1;
            continue;
        };
        let expected = verdict(terms, &model, &property);
        assert_eq!(verdict(terms, &applied.model, &applied.property), expected);
        for found in certificates(terms, &applied.model, &applied.property) {
            let back = applied.back.certificate(terms, &found).unwrap();
            assert_eq!(check(terms, &model, &property, &back), Ok(expected));
        }
        match expected {
            true => holds += 1,
            false => violated += 1,
        }
    }
    assert!(holds >= 5 && violated >= 5, "{holds} {violated} {refused}");
}

/// Between cut points, what the steps need is found by substitution.
#[test]
fn blocks_of_recovered_programs_prove_the_relation() {
    let terms = Terms::new();
    let x = terms.declare("x", Sort::Int, SymbolKind::State).unwrap();
    let locations: Vec<Location> = (0..6)
        .map(|k| Location::new(format!("l{k}"), Span::default()))
        .collect();
    let step = |from: usize, to: usize, guard: Term, value: Term| {
        let mut command = Command::new(format!("{from}{to}"), Span::default());
        command.guards.push(guard);
        command.updates.push(Update { symbol: x, value });
        Edge::new(LocationId(from), LocationId(to), command)
    };
    let (now, one) = (terms.var(x), terms.int(1));
    let graph = Model {
        name: "loop".into(),
        variables: vec![x],
        init: vec![terms.eq(now, terms.int(0))],
        locations,
        // A loop of four steps around x, left when x is above 8 and wrong when it is below 0.
        edges: vec![
            step(0, 1, terms.tt(), now),
            step(1, 2, terms.le(now, terms.int(8)), terms.add(now, one)),
            step(2, 3, terms.tt(), terms.add(now, one)),
            step(3, 1, terms.tt(), terms.sub(now, one)),
            step(1, 4, terms.gt(now, terms.int(8)), now),
            step(4, 5, terms.lt(now, terms.int(0)), now),
        ],
        ..Model::default()
    };
    let (model, property) = folded(&terms, &graph, &[LocationId(5)]);
    let applied = ErrorGraph::default()
        .apply(&Task::new(&terms, &model, &property))
        .unwrap();
    let blocks = &applied.model;
    assert!(
        blocks.locations.len() < 6,
        "locations inside blocks are gone"
    );
    // At the loop head, x is not negative; nowhere else anything is said.
    let invariant = |l: &Location| match l.name.as_str() {
        name if name.starts_with("error") => terms.ff(),
        name if name == blocks.locations[blocks.entry.0].name => terms.eq(now, terms.int(0)),
        _ => terms.ge(now, terms.int(0)),
    };
    let list = blocks.locations.iter().map(invariant).collect();
    let found = Certificate::invariants(list);
    let back = applied.back.certificate(&terms, &found).unwrap();
    let Certificate::Invariants(proof) = back else {
        panic!("invariants come back as invariants");
    };
    let list = proof.at_all().expect("every location has an invariant");
    // Every point of the loop is there with its own values of the Booleans.
    assert_eq!(list.len(), 2);
    assert!(terms.disjuncts(list[0]).len() >= 4);
}
