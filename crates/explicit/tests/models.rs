//! The models of MODELS.md: sizes of state spaces, verdicts and lengths of shortest violations.

use crate::zoo;

use sectile_explicit::{Answer, ExploreError, Extent, Limit, Options};
use sectile_model::Certificate;
use sectile_terms::Terms;
use zoo::airport::{AirportBug, Tickets, airport, airport_bakery, airport_with};
use zoo::chardriver::{DriverBug, chardriver};
use zoo::mutual::{bakery, bakery_fine, fischer, relative_ticket, ticket};
use zoo::programs::{counter, lecture_ab, lecture_c, sum};
use zoo::small::{ElevatorBug, deque, deque_int, elevator, readers_writers};
use zoo::{answer, domain, run, steps, try_run};

#[test]
fn deque_has_n_times_n_minus_one_states() {
    for (n, states) in [(5, 20), (6, 30), (7, 42), (8, 56), (9, 72)] {
        let terms = Terms::new();
        let found = run(&terms, &deque(&terms, n, false), &Options::default());
        assert_eq!((found.states, found.deadlocks.count), (states, 0));
        assert_eq!(found.extent, Extent::Exact);
        assert_eq!(answer(&found, "safe"), Answer::Holds);
        let terms = Terms::new();
        let found = run(&terms, &deque_int(&terms, n), &Options::default());
        assert_eq!((found.states, &found.extent), (states, &Extent::Exact));
    }
}

#[test]
fn negative_deque_fails_in_n_minus_one_steps() {
    for n in 5..=9 {
        let terms = Terms::new();
        let found = run(&terms, &deque(&terms, n, true), &Options::default());
        assert_eq!(steps(&found, "safe"), n - 1);
    }
}

#[test]
fn chardriver_has_the_expected_states_and_deadlocks() {
    for (n, states, deadlocks) in [(2, 133, 3), (3, 590, 4), (4, 2441, 5)] {
        let terms = Terms::new();
        let found = run(
            &terms,
            &chardriver(&terms, n, DriverBug::None),
            &Options::default(),
        );
        assert_eq!((found.states, found.deadlocks.count), (states, deadlocks));
        for name in ["cdr", "mode1", "mode2", "sem1", "sem2"] {
            assert_eq!(answer(&found, name), Answer::Holds, "{name}");
        }
        assert_eq!(answer(&found, "nodeadlock"), Answer::Violated);
        let shortest = found.deadlocks.shortest.as_ref().unwrap();
        assert_eq!(shortest.steps.len(), steps(&found, "nodeadlock"));
    }
}

#[test]
fn chardriver_faults_are_found() {
    let terms = Terms::new();
    let limited = Options {
        max_states: Some(20_000),
        ..Options::default()
    };
    let found = run(&terms, &chardriver(&terms, 2, DriverBug::NoWait), &limited);
    assert_eq!(answer(&found, "cdr"), Answer::Violated);
    assert_eq!(answer(&found, "sem2"), Answer::Violated);
    let terms = Terms::new();
    let found = run(&terms, &chardriver(&terms, 2, DriverBug::NoCount), &limited);
    assert_eq!(answer(&found, "mode1"), Answer::Violated);
    assert_eq!(answer(&found, "mode2"), Answer::Violated);
    assert_ne!(answer(&found, "cdr"), Answer::Violated);
}

#[test]
fn elevator_is_safe_within_a_domain_and_its_faults_have_shortest_runs() {
    let terms = Terms::new();
    let found = run(&terms, &elevator(&terms, ElevatorBug::None), &domain(0, 3));
    assert_eq!(answer(&found, "safe"), Answer::NotViolatedWithinBounds);
    assert!(
        matches!(&found.extent, Extent::Bounded { by } if matches!(by[..], [Limit::Domain(_)]))
    );
    for (bug, length) in [(ElevatorBug::Init, 3), (ElevatorBug::MoveUp, 4)] {
        let terms = Terms::new();
        let found = run(&terms, &elevator(&terms, bug), &domain(0, 3));
        assert_eq!(steps(&found, "safe"), length);
    }
}

#[test]
fn elevator_without_a_domain_asks_for_one() {
    let terms = Terms::new();
    let error = try_run(
        &terms,
        &elevator(&terms, ElevatorBug::None),
        &Options::default(),
    );
    let Err(ExploreError::NeedsDomain { variable, .. }) = error else {
        panic!("the initial states are infinitely many");
    };
    assert!(["current", "req", "input", "Max"].contains(&variable.as_str()));
}

#[test]
fn readers_and_writers() {
    let terms = Terms::new();
    let found = run(&terms, &readers_writers(&terms), &domain(0, 10));
    // nw = 0 with nr from 0 to 10, and the single writer.
    assert_eq!(found.states, 12);
    assert_eq!(answer(&found, "exclusive"), Answer::NotViolatedWithinBounds);
    assert_eq!(answer(&found, "strong"), Answer::NotViolatedWithinBounds);
    assert_eq!(steps(&found, "printed"), 1);
    // Without a domain the readers increase for ever; a bound stops that.
    let limited = Options {
        max_depth: Some(7),
        ..Options::default()
    };
    let found = run(&terms, &readers_writers(&terms), &limited);
    assert_eq!((found.states, found.depth), (9, 7));
    assert_eq!(
        found.extent,
        Extent::Bounded {
            by: vec![Limit::Depth(7)]
        }
    );
}

#[test]
fn bakery_needs_its_ticket_test() {
    let terms = Terms::new();
    let found = run(&terms, &bakery(&terms, 2, true), &domain(0, 6));
    assert_eq!(answer(&found, "mutex"), Answer::NotViolatedWithinBounds);
    assert_eq!(found.deadlocks.count, 0);
    for n in [2, 3] {
        let terms = Terms::new();
        let found = run(&terms, &bakery(&terms, n, false), &domain(0, 4));
        assert_eq!(steps(&found, "mutex"), 6);
    }
    let terms = Terms::new();
    let error = try_run(&terms, &bakery(&terms, 2, true), &Options::default());
    assert!(
        matches!(error, Err(ExploreError::NeedsDomain { variable, .. }) if variable == "v" || variable == "num[0]")
    );
}

#[test]
fn fine_bakery_needs_its_choosing_test() {
    for (n, length) in [(2, 10), (3, 12)] {
        let terms = Terms::new();
        let found = run(&terms, &bakery_fine(&terms, n, false), &domain(0, 4));
        assert_eq!(steps(&found, "mutex"), length);
        let terms = Terms::new();
        let found = run(&terms, &bakery_fine(&terms, n, true), &domain(0, 4));
        assert_eq!(answer(&found, "mutex"), Answer::NotViolatedWithinBounds);
    }
}

#[test]
fn fischer_needs_the_longer_delay() {
    for n in [2, 3] {
        let terms = Terms::new();
        let found = run(&terms, &fischer(&terms, n, 1, 2), &domain(0, 5));
        assert_eq!(answer(&found, "mutex"), Answer::NotViolatedWithinBounds);
        for (c1, c2) in [(1, 1), (2, 2), (2, 1)] {
            let terms = Terms::new();
            let found = run(&terms, &fischer(&terms, n, c1, c2), &domain(0, 5));
            assert_eq!(steps(&found, "mutex"), 8);
        }
    }
}

#[test]
fn fischer_in_half_steps_finds_the_same() {
    let terms = Terms::new();
    let mut options = domain(0, 3);
    let half = sectile_base::Rat::from_ratio(1, 2);
    options.domain = options.domain.map(|d| d.with_step(half).unwrap());
    let fine = run(&terms, &fischer(&terms, 2, 1, 2), &options);
    assert_eq!(answer(&fine, "mutex"), Answer::NotViolatedWithinBounds);
    let coarse = run(&terms, &fischer(&terms, 2, 1, 2), &domain(0, 3));
    assert!(fine.states > coarse.states);
}

#[test]
fn tickets_are_live_and_safe() {
    let terms = Terms::new();
    let found = run(&terms, &ticket(&terms, 2, 0), &domain(0, 12));
    assert_eq!(answer(&found, "zbound"), Answer::NotViolatedWithinBounds);
    assert_eq!(answer(&found, "mutex"), Answer::NotViolatedWithinBounds);
    assert_eq!(answer(&found, "live"), Answer::Undecided);
    for (n, states) in [(2, 9), (3, 31), (4, 129)] {
        let terms = Terms::new();
        let found = run(&terms, &relative_ticket(&terms, n), &Options::default());
        assert_eq!((found.states, &found.extent), (states, &Extent::Exact));
        for name in ["zbound", "mutex", "live"] {
            assert_eq!(answer(&found, name), Answer::Holds, "{name}");
        }
    }
}

#[test]
fn tickets_beyond_machine_integers_behave_as_small_ones() {
    // The same bounded prefix of the state space, far below and across the edge of 64 bits.
    let limited = Options {
        max_depth: Some(12),
        ..Options::default()
    };
    let terms = Terms::new();
    let small = run(&terms, &ticket(&terms, 2, 100), &limited);
    for first in [(1 << 30) - 2, (1 << 62) - 3, i64::MAX - 2] {
        let terms = Terms::new();
        let large = run(&terms, &ticket(&terms, 2, first), &limited);
        assert_eq!(
            (large.states, large.transitions),
            (small.states, small.transitions)
        );
        assert_eq!(large.properties, small.properties);
    }
}

#[test]
fn airports() {
    let terms = Terms::new();
    let limited = Options {
        max_states: Some(5_000),
        ..Options::default()
    };
    let found = run(&terms, &airport(&terms, 2, AirportBug::None), &limited);
    for name in ["p1", "p2", "p3"] {
        assert_eq!(
            answer(&found, name),
            Answer::NotViolatedWithinBounds,
            "{name}"
        );
    }
    assert_eq!(answer(&found, "p4"), Answer::Undecided);
    // A plane that stays on C3 while the other cycles through C4 uses no tickets: the lasso is
    // inside every bound.
    assert_eq!(answer(&found, "noc3starve"), Answer::Violated);
    assert_eq!(found.deadlocks.count, 0);
    let terms = Terms::new();
    let found = run(&terms, &airport(&terms, 2, AirportBug::NoTicket), &limited);
    assert_eq!(
        (answer(&found, "p2"), answer(&found, "p3")),
        (Answer::Violated, Answer::Violated)
    );
    let terms = Terms::new();
    let found = run(
        &terms,
        &airport(&terms, 2, AirportBug::NoRunwayTest),
        &limited,
    );
    assert_eq!(steps(&found, "p1"), 2);
    let terms = Terms::new();
    let found = run(&terms, &airport_bakery(&terms, 2), &domain(0, 4));
    for name in ["p1", "p2", "p3"] {
        assert_eq!(
            answer(&found, name),
            Answer::NotViolatedWithinBounds,
            "{name}"
        );
    }
    assert_eq!(answer(&found, "noc3starve"), Answer::Violated);
    let lasso = zoo::result(&found, "noc3starve").evidence.clone().unwrap();
    let back = lasso.back_to.unwrap();
    assert_eq!(lasso.states[back], *lasso.states.last().unwrap());
}

#[test]
fn airports_with_relative_tickets_are_finite() {
    for (n, states) in [(2, 73), (3, 537), (4, 3609)] {
        let terms = Terms::new();
        let module = airport_with(&terms, n, AirportBug::None, Tickets::Relative);
        let found = run(&terms, &module, &Options::default());
        assert_eq!((found.states, found.deadlocks.count), (states, 0));
        assert_eq!(found.extent, Extent::Exact);
        for name in ["p1", "p2", "p3", "p4", "c3live"] {
            assert_eq!(answer(&found, name), Answer::Holds, "{name}");
        }
        assert_eq!(answer(&found, "noc3starve"), Answer::Violated);
    }
}

#[test]
fn lecture_programs() {
    let terms = Terms::new();
    let found = run(&terms, &lecture_ab(&terms, false), &domain(-2, 2));
    assert_eq!(steps(&found, "end"), 2);
    let terms = Terms::new();
    let found = run(&terms, &lecture_ab(&terms, true), &domain(-3, 3));
    assert_eq!(answer(&found, "end"), Answer::NotViolatedWithinBounds);
    let terms = Terms::new();
    let found = run(&terms, &lecture_c(&terms), &domain(-1, 2));
    assert_eq!(answer(&found, "take"), Answer::NotViolatedWithinBounds);
    assert_eq!(answer(&found, "release"), Answer::Violated);
}

#[test]
fn blocks_of_disjunctions_need_no_domain_for_their_intermediate_values() {
    let terms = Terms::new();
    let found = run(&terms, &sum(&terms, false), &domain(-3, 3));
    assert_eq!(answer(&found, "safe"), Answer::NotViolatedWithinBounds);
    let terms = Terms::new();
    let found = run(&terms, &sum(&terms, true), &domain(-3, 3));
    assert_eq!(steps(&found, "safe"), 3);
}

#[test]
fn an_exact_search_of_a_program_gives_an_invariant_for_every_location() {
    let terms = Terms::new();
    let module = counter(&terms);
    let found = run(&terms, &module, &Options::default());
    assert_eq!((found.states, &found.extent), (8, &Extent::Exact));
    let Some(Certificate::Invariants(proof)) = found.invariant(&terms, 20_000) else {
        panic!("the search is exact");
    };
    let list = proof.at_all().unwrap();
    let expected = found.reachable_states();
    for state in expected {
        let formula = list[state.location.0];
        let (rigid, none) = (found.rigid(0), (&[][..], &[][..]));
        let inside = zoo::check::holds(&terms, &module.model, formula, &rigid, &state, None, none);
        assert!(inside);
    }
    assert_eq!(list[3], terms.ff());
    assert!(found.invariant(&terms, 7).is_none());
}
