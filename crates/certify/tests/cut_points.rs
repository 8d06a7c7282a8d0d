//! Invariants of loop heads: right ones pass, and every way to be wrong is noticed.

#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Span};
use sectile_certify::{Claim, Obligation, Outcome, check};
use sectile_model::*;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::*;

/// `x := 0; head: while (x < n) { middle: x := x + 1 } after: ...` with `n = 10` at the end.
struct Example {
    terms: Terms,
    model: Model,
    property: Property,
}

const NAMES: [&str; 4] = ["start", "head", "middle", "after"];

fn example(step: i64) -> Example {
    let terms = Terms::new();
    let x = terms.declare("x", Sort::Int, SymbolKind::State).unwrap();
    let v = terms.var(x);
    let edge = |from: usize, to: usize, guard: Option<Term>, value: Term| {
        let mut command = Command::new(format!("{from} to {to}"), Span::default());
        command.guards.extend(guard);
        command.updates.push(Update { symbol: x, value });
        Edge::new(LocationId(from), LocationId(to), command)
    };
    let ten = terms.int(10);
    let edges = vec![
        edge(0, 1, None, terms.int(0)),
        edge(1, 2, Some(terms.lt(v, ten)), v),
        edge(2, 1, None, terms.add(v, terms.int(step))),
        edge(1, 3, Some(terms.ge(v, ten)), v),
    ];
    let location = |n: &&str| Location::new(n.to_string(), Span::default());
    let graph = Model {
        name: "example".into(),
        variables: vec![x],
        locations: NAMES.iter().map(location).collect(),
        edges,
        ..Model::default()
    };
    let property = Property {
        name: "p".into(),
        kind: PropertyKind::AtLocation(LocationId(3), terms.eq(v, ten)),
        span: Span::default(),
    };
    Example {
        model: graph,
        property,
        terms,
    }
}

impl Example {
    fn at_most(&self, bound: i64) -> Term {
        let x = self.terms.var(self.terms.symbol("x").unwrap());
        self.terms.le(x, self.terms.int(bound))
    }

    fn outcome(&self, list: Vec<Option<Term>>) -> Outcome {
        let task = Task {
            terms: &self.terms,
            model: &self.model,
            property: &self.property,
        };
        let mut solver = NativeBackend.certifying_solver(&self.terms).unwrap();
        let certificate = Certificate::cut_points(list);
        let budget = Budget::unlimited();
        check(&task, Claim::Holds, &certificate, solver.as_mut(), &budget).unwrap()
    }

    fn refused(&self, list: Vec<Option<Term>>) -> Obligation {
        match self.outcome(list) {
            Outcome::Refused(refusal) => refusal.obligation,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_invariant_of_the_loop_head_is_enough() {
    let e = example(1);
    let bound = Some(e.at_most(10));
    let outcome = e.outcome(vec![None, bound, None, None]);
    assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
    // With the entry as a cut point, too, and with all of them.
    let any = Some(e.terms.tt());
    let outcome = e.outcome(vec![any, bound, None, None]);
    assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
    let outcome = e.outcome(vec![any, bound, Some(e.at_most(9)), bound.and(None)]);
    assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
}

#[test]
fn a_cycle_without_an_invariant_is_refused() {
    let e = example(1);
    let any = Some(e.terms.tt());
    assert_eq!(e.refused(vec![any, None, None, any]), Obligation::Shape);
    assert_eq!(e.refused(vec![None; 4]), Obligation::Shape);
    assert_eq!(e.refused(vec![any]), Obligation::Shape);
}

#[test]
fn invariants_that_are_not_kept_are_refused() {
    let e = example(1);
    let refused = e.refused(vec![None, Some(e.at_most(-1)), None, None]);
    assert!(matches!(refused, Obligation::Consecution(_)), "{refused:?}");
    let refused = e.refused(vec![None, Some(e.at_most(9)), None, None]);
    assert!(matches!(refused, Obligation::Consecution(_)), "{refused:?}");
    let refused = e.refused(vec![Some(e.at_most(3)), Some(e.at_most(10)), None, None]);
    assert_eq!(refused, Obligation::Initiation);
    // By two at a time it steps over the bound.
    let e = example(3);
    let refused = e.refused(vec![None, Some(e.at_most(10)), None, None]);
    assert!(matches!(refused, Obligation::Consecution(_)), "{refused:?}");
}

#[test]
fn invariants_that_do_not_imply_the_property_are_refused() {
    let e = example(1);
    // The property is looked at between cut points, too.
    for bound in [e.at_most(11), e.terms.tt()] {
        let refused = e.refused(vec![None, Some(bound), None, None]);
        assert_eq!(refused, Obligation::Property(Some("after".into())));
    }
}

#[test]
fn invariants_over_other_variables_are_refused() {
    let e = example(1);
    let other = e.terms.fresh("other", Sort::Bool, SymbolKind::State);
    let refused = e.refused(vec![None, Some(e.terms.var(other)), None, None]);
    assert_eq!(refused, Obligation::Shape);
}
