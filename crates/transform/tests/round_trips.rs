//! Every pass, on random finite models: same verdict, same states, certificates that come back.

#![allow(clippy::unwrap_used)]

use crate::enumeration;
use crate::random_models;

use enumeration::*;
use random_models::{Maker, property};
use sectile_model::*;
use sectile_terms::*;
use sectile_transform::*;
use std::collections::BTreeSet;

const MODELS: u64 = 120;

/// The number of tasks of each verdict, so that a test cannot pass by seeing only one.
#[derive(Default)]
struct Seen {
    holds: usize,
    violated: usize,
    refused: usize,
}

impl Seen {
    fn is_varied(&self) -> bool {
        self.holds >= 10 && self.violated >= 10
    }
}

/// Applies a pass and compares verdicts; translates certificates back and checks them.
fn check_safety(
    pass: &dyn Pass,
    terms: &Terms,
    model: &Model,
    property: &Property,
    seen: &mut Seen,
) {
    let Ok(applied) = pass.apply(&Task::new(terms, model, property)) else {
        seen.refused += 1;
        return;
    };
    let holds = verdict(terms, model, property);
    assert_eq!(verdict(terms, &applied.model, &applied.property), holds);
    for found in certificates(terms, &applied.model, &applied.property) {
        let checked = check(terms, &applied.model, &applied.property, &found);
        assert_eq!(checked, Ok(holds), "the certificate of the new task");
        let back = applied.back.certificate(terms, &found).unwrap();
        assert_eq!(check(terms, model, property, &back), Ok(holds));
    }
    if holds {
        seen.holds += 1;
    } else {
        seen.violated += 1;
    }
}

/// Runs of the new model come back as runs of the old one and reach the same states.
fn check_states(pass: &dyn Pass, terms: &Terms, model: &Model) {
    let trivial = property(PropertyKind::Invariant(terms.tt()));
    let Ok(applied) = pass.apply(&Task::new(terms, model, &trivial)) else {
        return;
    };
    for (old, new) in worlds(terms, model)
        .iter()
        .zip(worlds(terms, &applied.model))
    {
        assert_eq!(old.rigid, new.rigid);
        let mut reached = BTreeSet::new();
        for run in new.runs().into_values() {
            let run = Certificate::Trace(run);
            let Certificate::Trace(run) = applied.back.certificate(terms, &run).unwrap() else {
                panic!("a trace comes back as a trace")
            };
            assert_eq!(replay(old, &run), Ok(()));
            reached.insert(run.states.last().unwrap().clone());
        }
        let expected: BTreeSet<State> = old.runs().into_keys().collect();
        assert_eq!(reached, expected);
    }
}

fn check_ctl(pass: &dyn Pass, terms: &Terms, model: &Model, property: &Property, seen: &mut Seen) {
    let Ok(applied) = pass.apply(&Task::new(terms, model, property)) else {
        seen.refused += 1;
        return;
    };
    let holds = verdict(terms, model, property);
    assert_eq!(verdict(terms, &applied.model, &applied.property), holds);
    if holds {
        seen.holds += 1;
    } else {
        seen.violated += 1;
    }
}

/// The pass takes graphs with at least this many locations, and refuses the others.
fn on_graphs(pass: impl Fn(&Maker) -> Box<dyn Pass>, ctl: bool, fewest: usize) {
    let (mut safety, mut branching) = (Seen::default(), Seen::default());
    for seed in 0..MODELS {
        let mut maker = Maker::new(seed);
        let model = maker.graph();
        let size = model.locations.len();
        let property = maker.safety(size);
        let formula = maker.ctl(size);
        let pass = pass(&maker);
        if size < fewest {
            assert!(
                pass.apply(&Task::new(&maker.terms, &model, &property))
                    .is_err()
            );
            continue;
        }
        check_safety(&*pass, &maker.terms, &model, &property, &mut safety);
        if ctl {
            check_ctl(&*pass, &maker.terms, &model, &formula, &mut branching);
            check_states(&*pass, &maker.terms, &model);
        }
    }
    assert!(safety.is_varied() && safety.refused == 0);
    assert!(!ctl || (branching.is_varied() && branching.refused == 0));
}

fn on_systems(pass: impl Fn(&Maker) -> Box<dyn Pass>, ctl: bool, all: bool) {
    let (mut safety, mut branching) = (Seen::default(), Seen::default());
    for seed in 0..MODELS {
        let mut maker = Maker::new(1000 + seed);
        let model = maker.system();
        let property = maker.safety(0);
        let formula = maker.ctl(0);
        let pass = pass(&maker);
        check_safety(&*pass, &maker.terms, &model, &property, &mut safety);
        if ctl {
            check_ctl(&*pass, &maker.terms, &model, &formula, &mut branching);
            check_states(&*pass, &maker.terms, &model);
        }
    }
    assert!(safety.is_varied());
    assert!(!ctl || branching.is_varied());
    assert!(!all || safety.refused + branching.refused == 0);
}

#[test]
fn pc_encoding_keeps_verdicts_states_and_certificates() {
    on_graphs(|_| Box::new(PcEncoding), true, 2);
}

#[test]
fn error_location_keeps_verdicts_and_certificates() {
    on_graphs(|_| Box::new(ErrorLocation), false, 1);
    on_systems(|_| Box::new(ErrorLocation), false, true);
}

#[test]
fn control_split_by_any_variable_keeps_verdicts_states_and_certificates() {
    let first = |m: &Maker| ControlSplit::on(m.variables[..1].to_vec());
    on_systems(|m| Box::new(first(m)), true, true);
}

#[test]
fn control_split_by_all_variables_keeps_verdicts_states_and_certificates() {
    let all = |m: &Maker| ControlSplit::on(m.variables.clone());
    on_systems(|m| Box::new(all(m)), true, true);
}

#[test]
fn automatic_control_split_keeps_verdicts_states_and_certificates() {
    on_systems(|_| Box::new(ControlSplit::automatic()), true, false);
}

#[test]
fn from_graph_to_system_and_back_to_graph() {
    on_graphs(
        |_| Box::new(Pipeline::new().then(PcEncoding).then(ErrorLocation)),
        false,
        2,
    );
}

#[test]
fn splitting_by_the_counter_gives_the_graph_back() {
    for seed in 0..MODELS {
        let mut maker = Maker::new(seed);
        let terms = &maker.terms;
        let trivial = property(PropertyKind::Invariant(terms.tt()));
        let graph = maker.graph();
        let terms = &maker.terms;
        if graph.init.contains(&terms.ff()) {
            continue; // There is no initial location then, but an entry without a way on.
        }
        if graph.is_system() {
            continue; // There is no counter.
        }
        let encoded = PcEncoding
            .apply(&Task::new(terms, &graph, &trivial))
            .unwrap();
        let counter = encoded.model.variables[0];
        let split = ControlSplit::on(vec![counter]);
        let split = split
            .apply(&Task::new(terms, &encoded.model, &trivial))
            .unwrap();
        let again = &split.model;
        assert_eq!(again.variables, graph.variables);
        assert_eq!(again.restrict, graph.restrict);
        // Locations that the edges do not reach are gone, and edges with a false guard.
        assert!(again.locations.len() <= graph.locations.len());
        for edge in &again.edges {
            let old = |l: LocationId| {
                let name = again.location_name(l).trim_end_matches('_');
                graph.location(name).unwrap()
            };
            let same = |e: &&Edge| {
                (e.from, e.to) == (old(edge.from), old(edge.to))
                    && e.command.updates == edge.command.updates
                    && e.command.relations.len() >= edge.command.relations.len()
            };
            assert!(graph.edges.iter().any(|e| same(&e)));
        }
        check_states(
            &Pipeline::new().then(PcEncoding).then(split_on(counter)),
            terms,
            &graph,
        );
    }
}

fn split_on(counter: Symbol) -> ControlSplit {
    ControlSplit::on(vec![counter])
}

#[test]
fn pipelines_fold_backwards_over_all_passes() {
    on_systems(
        |m| {
            let split = ControlSplit::on(m.variables[..1].to_vec());
            let there = Pipeline::new().then(ErrorLocation).then(PcEncoding);
            Box::new(there.then(split).then(ErrorLocation))
        },
        false,
        true,
    );
}

#[test]
fn an_empty_pipeline_changes_nothing() {
    on_systems(|_| Box::new(Pipeline::new()), true, true);
}
