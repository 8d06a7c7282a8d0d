//! Random finite programs: evidence about cells comes back through the program counter, and is
//! checked against the edges of the graph.
#![allow(clippy::unwrap_used)]

use sectile_base::{Rng, Span};
use sectile_certify::Claim;
use sectile_engine_ctl::{CtlZones, Poly};
use sectile_model::{
    Certificate, Ctl, Edge, Location, LocationId, Model, Property, PropertyKind, Task, Verdict,
};
use sectile_testkit::systems::{Example, checked, example, verdict_of};
use sectile_testkit::verdicts::accepted;
use sectile_transform::{Pass, PcEncoding};

const LOCATIONS: u64 = 3;

fn somewhere(rng: &mut Rng) -> LocationId {
    LocationId(rng.below(LOCATIONS) as usize)
}

/// The commands of a system as edges between random locations.
fn graph_of(system: &Model, rng: &mut Rng) -> Model {
    let location = |k| Location::new(format!("l{k}"), Span::default());
    let mut edges: Vec<Edge> = Vec::new();
    for _ in 0..2 {
        edges.extend(
            system
                .commands()
                .map(|command| Edge::new(somewhere(rng), somewhere(rng), command.clone())),
        );
    }
    Model {
        locations: (0..LOCATIONS).map(location).collect(),
        edges,
        ..system.without_edges()
    }
}

/// The formula, with locations in some of its state formulas.
fn placed(formula: &Ctl, rng: &mut Rng) -> Ctl {
    let mut go = |f: &Ctl| Box::new(placed(f, rng));
    match formula {
        Ctl::State(p) => {
            let at = Box::new(Ctl::At(somewhere(rng)));
            let p = Box::new(Ctl::State(*p));
            match rng.below(4) {
                0 => *at,
                1 => Ctl::Or(p, at),
                2 => Ctl::And(Box::new(Ctl::Not(at)), p),
                _ => *p,
            }
        }
        Ctl::At(l) => Ctl::At(*l),
        Ctl::Not(a) => Ctl::Not(go(a)),
        Ctl::And(a, b) => Ctl::And(go(a), go(b)),
        Ctl::Or(a, b) => Ctl::Or(go(a), go(b)),
        Ctl::Ex(a) => Ctl::Ex(go(a)),
        Ctl::Ax(a) => Ctl::Ax(go(a)),
        Ctl::Ef(a) => Ctl::Ef(go(a)),
        Ctl::Af(a) => Ctl::Af(go(a)),
        Ctl::Eg(a) => Ctl::Eg(go(a)),
        Ctl::Ag(a) => Ctl::Ag(go(a)),
        Ctl::Eu(a, b) => Ctl::Eu(go(a), go(b)),
        Ctl::Au(a, b) => Ctl::Au(go(a), go(b)),
        Ctl::Ew(a, b) => Ctl::Ew(go(a), go(b)),
        Ctl::Aw(a, b) => Ctl::Aw(go(a), go(b)),
    }
}

/// An example whose model is a graph.
fn program(seed: u64) -> Example {
    let mut example = example(seed, false);
    let model = graph_of(&example.model, &mut example.rng);
    let PropertyKind::Ctl(formula) = &example.property.kind else {
        panic!("examples have formulas")
    };
    let kind = match example.rng.below(8) {
        0 => PropertyKind::Unreachable(vec![LocationId(2)]),
        _ => PropertyKind::Ctl(placed(formula, &mut example.rng)),
    };
    Example::new(example.terms, model, kind, example.rng)
}

fn about_the_graph(example: &Example, poly: bool) -> Verdict {
    let read = Task::new(&example.terms, &example.model, &example.property);
    let applied = PcEncoding.apply(&read).unwrap();
    let task = applied.task(&example.terms);
    let verdict = match poly {
        true => verdict_of(&Poly, &task, &[]),
        false => verdict_of(&CtlZones, &task, &[]),
    };
    let is_open = matches!(verdict, Verdict::Unknown(_));
    let told = applied.verdict(&example.terms, verdict);
    assert_eq!(matches!(told, Verdict::Unknown(_)), is_open, "{told:?}");
    told
}

#[test]
fn evidence_comes_back_to_the_graph() {
    let (mut holds, mut violated, mut cells) = (0, 0, 0);
    for seed in 0..400 {
        let mut example = program(seed);
        let verdict = about_the_graph(&example, seed % 8 == 7);
        let (Verdict::Holds(c) | Verdict::Violated(c)) = &verdict else {
            continue;
        };
        cells += usize::from(matches!(c, Certificate::Ctl(_)));
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => panic!("seed {seed}: the verdict is lost"),
        }
    }
    assert!(
        holds > 100 && violated > 50 && cells > 100,
        "{holds} hold, {violated} are violated, {cells} with cells"
    );
}

#[test]
fn cells_at_other_locations_are_refused() {
    let mut refused = 0;
    for seed in 0..120 {
        let example = program(seed);
        let Verdict::Holds(Certificate::Ctl(proof)) = about_the_graph(&example, false) else {
            continue;
        };
        if proof.cells.is_empty() {
            continue;
        }
        let task = example.task();
        // Cells that are at no location of the program are no evidence about it.
        let nothing = LocationId(LOCATIONS as usize);
        let mut nowhere = proof.clone();
        nowhere.cells.iter_mut().for_each(|c| c.location = nothing);
        let nowhere = Certificate::Ctl(nowhere);
        assert!(!accepted(&task, Claim::Holds, &nowhere), "seed {seed}");
        let mut outside = proof.clone();
        outside.cells[0].location = nothing;
        let outside = Certificate::Ctl(outside);
        assert!(!accepted(&task, Claim::Holds, &outside), "seed {seed}");
        // Initial cells that are not at the entry contain no initial state.
        if example.states > 0 {
            let mut elsewhere = proof.clone();
            let initial = |c: &mut sectile_model::Cell| c.location = LocationId(1);
            elsewhere.cells.iter_mut().for_each(initial);
            let elsewhere = Certificate::Ctl(elsewhere);
            assert!(!accepted(&task, Claim::Holds, &elsewhere), "seed {seed}");
            refused += 1;
        }
    }
    assert!(refused > 20, "{refused} were refused");
}

/// The property is not read anywhere else than at the location of a cell.
#[test]
fn a_location_is_no_state_formula_of_a_system() {
    let example = example(0, false);
    let property = Property {
        name: "f".to_string(),
        kind: PropertyKind::Ctl(Ctl::Af(Box::new(Ctl::At(LocationId(0))))),
        span: Span::default(),
    };
    let task = Task {
        terms: &example.terms,
        model: &example.model,
        property: &property,
    };
    let proof = sectile_model::CtlProof {
        cells: Vec::new(),
        renamings: Vec::new(),
        images: Vec::new(),
        claims: Vec::new(),
        initial: sectile_model::Initial::All(Vec::new()),
    };
    let certificate = Certificate::Ctl(Box::new(proof));
    assert!(!accepted(&task, Claim::Holds, &certificate));
}
