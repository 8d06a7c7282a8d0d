//! Unrolled loops: right bounds pass, and every way to be wrong is noticed.

#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Span};
use sectile_certify::{Claim, Obligation, Outcome, check};
use sectile_model::*;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::*;

/// ```text
/// start:  y := 7
/// head:   x >= 0: middle, y := y + x, x := -1, head again
///         x = 0: after, where y must be 7
///         x = 0: idle, from where an edge leads to the error that nobody can take
/// ```
///
/// `y` does not stay 7 in the loop, but nobody who has made a round leaves it.
struct Example {
    terms: Terms,
    model: Model,
    property: Property,
}

const HEAD: LocationId = LocationId(1);
const MIDDLE: LocationId = LocationId(2);
const AFTER: LocationId = LocationId(3);
const ERROR: LocationId = LocationId(4);
const IDLE: LocationId = LocationId(5);

fn example() -> Example {
    let terms = Terms::new();
    let declare = |name| terms.declare(name, Sort::Int, SymbolKind::State).unwrap();
    let (x, y) = (declare("x"), declare("y"));
    let (vx, vy) = (terms.var(x), terms.var(y));
    let edge = |from: usize, to: usize, guard: Term, new_x: Term, new_y: Term| {
        let mut command = Command::new(format!("{from} to {to}"), Span::default());
        command.guards.push(guard);
        command.updates.push(Update {
            symbol: x,
            value: new_x,
        });
        command.updates.push(Update {
            symbol: y,
            value: new_y,
        });
        Edge::new(LocationId(from), LocationId(to), command)
    };
    let (zero, seven) = (terms.int(0), terms.int(7));
    let edges = vec![
        edge(0, 1, terms.tt(), vx, seven),
        edge(1, 2, terms.ge(vx, zero), vx, vy),
        edge(2, 1, terms.tt(), terms.int(-1), terms.add(vy, vx)),
        edge(1, 3, terms.eq(vx, zero), vx, vy),
        edge(3, 4, terms.not(terms.eq(vy, seven)), vx, vy),
        // A place from which nothing leads on, though that is seen only by looking at the guard.
        edge(1, 5, terms.eq(vx, zero), vx, vy),
        edge(5, 4, terms.and2(terms.lt(vx, vy), terms.lt(vy, vx)), vx, vy),
    ];
    let location = |n: &&str| Location::new(n.to_string(), Span::default());
    let names = ["start", "head", "middle", "after", "error", "idle"];
    let graph = Model {
        name: "example".into(),
        variables: vec![x, y],
        locations: names.iter().map(location).collect(),
        edges,
        ..Model::default()
    };
    Example {
        model: graph,
        property: Property {
            name: "p".into(),
            kind: PropertyKind::Unreachable(vec![ERROR]),
            span: Span::default(),
        },
        terms,
    }
}

fn unrolling(after: u32, idle: u32) -> Unrolling {
    Unrolling {
        head: HEAD,
        body: vec![MIDDLE],
        exits: vec![(AFTER, after), (IDLE, idle)],
    }
}

fn idle_is_harmless() -> GraphChange {
    GraphChange::Cut {
        kept: vec![LocationId(0), HEAD, ERROR, IDLE],
        unreached: Vec::new(),
        harmless: vec![IDLE],
    }
}

impl Example {
    fn outcome(&self, changes: Vec<GraphChange>, invariants: Vec<Option<Term>>) -> Outcome {
        let task = Task {
            terms: &self.terms,
            model: &self.model,
            property: &self.property,
        };
        let mut solver = NativeBackend.certifying_solver(&self.terms).unwrap();
        let certificate = Certificate::Unrolled(Box::new(UnrolledProof {
            changes,
            invariants,
        }));
        let budget = Budget::unlimited();
        check(&task, Claim::Holds, &certificate, solver.as_mut(), &budget).unwrap()
    }

    fn accepted(&self, changes: Vec<GraphChange>, invariants: Vec<Option<Term>>) -> bool {
        matches!(self.outcome(changes, invariants), Outcome::Accepted { .. })
    }

    fn refused(&self, changes: Vec<GraphChange>, locations: usize) -> Obligation {
        match self.outcome(changes, self.cut_points(locations)) {
            Outcome::Refused(refusal) => refusal.obligation,
            other => panic!("{other:?}"),
        }
    }

    /// `y = 7` at the head, and nothing elsewhere: right once the loop is gone.
    fn cut_points(&self, locations: usize) -> Vec<Option<Term>> {
        let y = self.terms.var(self.terms.symbol("y").unwrap());
        let mut list = vec![None; locations];
        list[HEAD.0] = Some(self.terms.eq(y, self.terms.int(7)));
        list
    }
}

#[test]
fn bounds_that_hold_pass() {
    let example = example();
    // One round gets a copy of `middle`; it leads nowhere.
    let once = vec![GraphChange::Unroll(unrolling(1, 1))];
    assert!(example.accepted(once, example.cut_points(7)));
    // A larger bound is right as well.
    let more = vec![GraphChange::Unroll(unrolling(2, 1))];
    assert!(example.accepted(more, example.cut_points(9)));
    let both = vec![idle_is_harmless(), GraphChange::Unroll(unrolling(1, 1))];
    assert!(example.accepted(both, example.cut_points(7)));
}

#[test]
fn bounds_that_are_too_small_are_refused() {
    let example = example();
    for (after, idle) in [(0, 1), (1, 0), (0, 0)] {
        let change = GraphChange::Unroll(unrolling(after, idle));
        let refusal = example.refused(vec![change], 7);
        assert!(matches!(refusal, Obligation::Consecution(_)), "{refusal:?}");
    }
    // An exit that is not named has the bound 0.
    let mut forgotten = unrolling(1, 1);
    forgotten.exits.pop();
    let refusal = example.refused(vec![GraphChange::Unroll(forgotten)], 7);
    assert_eq!(
        refusal,
        Obligation::Consecution("head -> idle after 0 rounds".to_string())
    );
}

#[test]
fn the_parts_of_a_loop_must_fit() {
    let example = example();
    let with = |change: &dyn Fn(&mut Unrolling)| {
        let mut unrolling = unrolling(1, 1);
        change(&mut unrolling);
        example.refused(vec![GraphChange::Unroll(unrolling)], 7)
    };
    assert_eq!(with(&|u| u.body.push(MIDDLE)), Obligation::Shape);
    assert_eq!(with(&|u| u.body.push(HEAD)), Obligation::Shape);
    assert_eq!(with(&|u| u.body.push(ERROR)), Obligation::Shape);
    assert_eq!(with(&|u| u.body.push(LocationId(99))), Obligation::Shape);
    assert_eq!(with(&|u| u.head = LocationId(99)), Obligation::Shape);
    assert_eq!(with(&|u| u.head = ERROR), Obligation::Shape);
    // Without its body the loop has another exit, which is reached at once.
    let refusal = with(&|u| u.body.clear());
    assert!(matches!(refusal, Obligation::Consecution(_)), "{refusal:?}");
}

#[test]
fn what_is_reached_is_not_cut() {
    let example = example();
    let cut = |kept: &[LocationId], unreached: &[LocationId], harmless: &[LocationId]| {
        let change = GraphChange::Cut {
            kept: kept.to_vec(),
            unreached: unreached.to_vec(),
            harmless: harmless.to_vec(),
        };
        example.refused(vec![change, GraphChange::Unroll(unrolling(1, 1))], 7)
    };
    let start = LocationId(0);
    let all = [start, HEAD, AFTER, ERROR, IDLE];
    let steps = |o: Obligation| assert!(matches!(o, Obligation::Consecution(_)), "{o:?}");
    steps(cut(&all, &[IDLE], &[]));
    steps(cut(&all, &[HEAD], &[]));
    steps(cut(&all, &[], &[AFTER]));
    steps(cut(&all, &[], &[HEAD]));
    // A cycle without a kept location, errors that are not kept, an entry that is not reached.
    assert_eq!(cut(&[start, ERROR, IDLE], &[], &[IDLE]), Obligation::Shape);
    assert_eq!(cut(&[start, HEAD, IDLE], &[], &[IDLE]), Obligation::Shape);
    assert_eq!(cut(&[HEAD, ERROR, IDLE], &[], &[IDLE]), Obligation::Shape);
    assert_eq!(cut(&all, &[start], &[]), Obligation::Shape);
    assert_eq!(cut(&all, &[], &[ERROR]), Obligation::Shape);
    assert_eq!(cut(&[start, HEAD, ERROR], &[], &[IDLE]), Obligation::Shape);
}

#[test]
fn what_is_left_must_be_safe() {
    let example = example();
    let change = || vec![GraphChange::Unroll(unrolling(1, 1))];
    // Nothing is known about y; too few entries; no unrolling, so that the invariant is wrong.
    let mut unknown = vec![None; 7];
    unknown[HEAD.0] = Some(example.terms.tt());
    assert!(!example.accepted(change(), unknown));
    assert_eq!(example.refused(change(), 6), Obligation::Shape);
    assert!(!example.accepted(Vec::new(), example.cut_points(6)));
}

#[test]
fn a_property_without_error_locations_gets_one() {
    let mut example = example();
    let y = example.terms.var(example.terms.symbol("y").unwrap());
    let seven = example.terms.eq(y, example.terms.int(7));
    let unroll = || vec![GraphChange::Unroll(unrolling(1, 0))];
    // From `idle` no violation is reached, so the way there does not count.
    example.property.kind = PropertyKind::AtLocation(AFTER, seven);
    assert!(example.accepted(unroll(), example.cut_points(8)));
    assert_eq!(example.refused(unroll(), 7), Obligation::Shape);
    assert!(!example.accepted(Vec::new(), example.cut_points(7)));
    // Now a round may be left for the error.
    example.property.kind = PropertyKind::AtLocation(MIDDLE, seven);
    assert!(!example.accepted(unroll(), example.cut_points(8)));
}
