//! Runs are real whatever the seed, and the person at the keyboard gets what there is.

use crate::zoo;

use sectile_base::Budget;
use sectile_explicit::{RunEnd, SimulationOptions, Simulator, simulate};
use sectile_model::Module;
use sectile_terms::{Sort, Terms};
use zoo::airport::{AirportBug, airport, airport_bakery};
use zoo::chardriver::{DriverBug, chardriver};
use zoo::mutual::{bakery, fischer, ticket};
use zoo::programs::{lecture_c, sum};
use zoo::small::{ElevatorBug, deque, elevator, readers_writers};
use zoo::{Builder, Words, check, domain};

fn options(seed: u64) -> SimulationOptions {
    SimulationOptions {
        steps: 40,
        seed,
        domain: None,
    }
}

#[test]
fn random_runs_are_runs() {
    let makes: [fn(&Terms) -> Module; 10] = [
        |t| deque(t, 5, false),
        |t| elevator(t, ElevatorBug::None),
        readers_writers,
        |t| bakery(t, 3, true),
        |t| fischer(t, 3, 1, 2),
        |t| ticket(t, 3, i64::MAX - 3),
        |t| airport(t, 3, AirportBug::None),
        |t| airport_bakery(t, 3),
        lecture_c,
        |t| sum(t, false),
    ];
    for make in makes {
        let terms = Terms::new();
        let module = make(&terms);
        for seed in 0..5 {
            let run =
                simulate(&terms, &module.model, &options(seed), &Budget::unlimited()).unwrap();
            check::trace(&terms, &module.model, &run.trace);
            let again = simulate(&terms, &module.model, &options(seed), &Budget::unlimited());
            assert_eq!(run, again.unwrap());
            if run.end == RunEnd::Complete {
                assert_eq!(run.trace.steps.len(), 40);
            }
        }
    }
}

#[test]
fn a_deadlock_ends_the_run() {
    let terms = Terms::new();
    let module = chardriver(&terms, 2, DriverBug::None);
    let mut ends = 0;
    for seed in 0..20 {
        let options = SimulationOptions {
            steps: 2_000,
            seed,
            domain: None,
        };
        let run = simulate(&terms, &module.model, &options, &Budget::unlimited()).unwrap();
        check::trace(&terms, &module.model, &run.trace);
        ends += usize::from(run.end == RunEnd::Deadlock);
    }
    assert!(ends > 0);
}

#[test]
fn no_initial_state_is_a_deadlock_at_once() {
    let terms = Terms::new();
    let mut b = Builder::new(&terms);
    b.init(terms.ff());
    let model = b.system;
    let run = simulate(&terms, &model, &options(0), &Budget::unlimited()).unwrap();
    assert_eq!(run.end, RunEnd::Deadlock);
    assert!(run.trace.states.is_empty());
}

#[test]
fn a_domain_limits_a_run() {
    let terms = Terms::new();
    let module = readers_writers(&terms);
    let options = SimulationOptions {
        steps: 200,
        seed: 1,
        domain: domain(0, 2).domain,
    };
    let run = simulate(&terms, &module.model, &options, &Budget::unlimited()).unwrap();
    let largest = run.trace.states.iter().flat_map(|s| s.values.iter());
    let largest = largest.map(|v| v.as_rat().unwrap()).max().unwrap();
    assert_eq!(largest, sectile_base::Rat::from(2));
}

#[test]
fn stepping_by_hand() {
    let terms = Terms::new();
    let module = readers_writers(&terms);
    let budget = Budget::unlimited();
    let mut simulator = Simulator::new(&terms, &module.model, None, &Budget::unlimited()).unwrap();
    let start = simulator.options(10, &budget).unwrap();
    assert_eq!((start.list.len(), start.complete), (1, true));
    assert_eq!(start.list[0].command, None);
    assert!(!simulator.choose(1));
    assert!(simulator.choose(0));
    let next = simulator.options(10, &budget).unwrap();
    let commands: Vec<Option<usize>> = next.list.iter().map(|c| c.command).collect();
    assert_eq!(commands, [Some(0), Some(2)]);
    assert!(next.complete);
    assert!(simulator.choose(1));
    check::trace(&terms, &module.model, simulator.trace());
    assert_eq!(simulator.trace().steps.len(), 1);
    assert!(simulator.back() && simulator.back() && !simulator.back());
    assert!(simulator.trace().states.is_empty() && simulator.trace().steps.is_empty());
}

#[test]
fn options_say_when_they_are_not_all() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.int("x");
    let v = b.input("v", Sort::Int);
    b.init(w.is(x, 0));
    let higher = terms.gt(terms.var(v), terms.var(x));
    b.command_with("up", &[v], &[higher], &[(x, terms.var(v))]);
    let model = b.system;
    let budget = Budget::unlimited();
    let mut simulator = Simulator::new(&terms, &model, None, &Budget::unlimited()).unwrap();
    simulator.options(3, &budget).unwrap();
    assert!(simulator.choose(0));
    let next = simulator.options(3, &budget).unwrap();
    assert_eq!((next.list.len(), next.complete), (3, false));
    let next = simulator.options(1_000, &budget).unwrap();
    assert!(next.list.len() > 3 && !next.complete);
}
