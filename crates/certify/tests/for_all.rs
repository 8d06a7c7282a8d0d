//! Invariants that hold for all values of a bound symbol: right ones pass, wrong ones do not.

#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Span};
use sectile_certify::{Claim, Obligation, Outcome, check};
use sectile_model::*;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::*;

/// `i := 0; while (*) { a[i] := 0; i := i + 1 }`, and an error where `0 <= j < i` and `a[j] != 0`.
struct Example {
    terms: Terms,
    model: Model,
    property: Property,
}

fn example() -> Example {
    let terms = Terms::new();
    let numbers = terms.array_sort(Sort::Int, Sort::Int);
    let a = terms.declare("a", numbers, SymbolKind::State).unwrap();
    let i = terms.declare("i", Sort::Int, SymbolKind::State).unwrap();
    let j = terms.declare("j", Sort::Int, SymbolKind::Input).unwrap();
    terms.declare("k", Sort::Int, SymbolKind::Bound).unwrap();
    let (array, counter, zero) = (terms.var(a), terms.var(i), terms.int(0));
    let edge = |from: usize, to: usize, guards: Vec<Term>, values: [Term; 2]| {
        let mut command = Command::new(format!("{from} to {to}"), Span::default());
        command.guards = guards;
        command.inputs = vec![j];
        let pairs = [a, i].into_iter().zip(values);
        command.updates = pairs
            .map(|(symbol, value)| Update { symbol, value })
            .collect();
        Edge::new(LocationId(from), LocationId(to), command)
    };
    let read = terms.var(j);
    let bad = vec![
        terms.ge(read, zero),
        terms.lt(read, counter),
        terms.neq(terms.select(array, read), zero),
    ];
    let written = terms.store(array, counter, zero);
    let edges = vec![
        edge(0, 1, vec![], [array, zero]),
        edge(1, 1, vec![], [written, terms.add(counter, terms.int(1))]),
        edge(1, 2, bad, [array, counter]),
    ];
    let location = |n: &&str| Location::new(n.to_string(), Span::default());
    let model = Model {
        name: "example".into(),
        variables: vec![a, i],
        locations: ["start", "head", "error"].iter().map(location).collect(),
        edges,
        ..Model::default()
    };
    let property = Property {
        name: "p".into(),
        kind: PropertyKind::Unreachable(vec![LocationId(2)]),
        span: Span::default(),
    };
    Example {
        terms,
        model,
        property,
    }
}

impl Example {
    fn var(&self, name: &str) -> Term {
        self.terms.var(self.terms.symbol(name).unwrap())
    }

    /// `k < 0 or k >= i + more or a[k] = 0`.
    fn visited(&self, more: i64) -> Term {
        let terms = &self.terms;
        let (a, i, k) = (self.var("a"), self.var("i"), self.var("k"));
        terms.or([
            terms.lt(k, terms.int(0)),
            terms.ge(k, terms.add(i, terms.int(more))),
            terms.eq(terms.select(a, k), terms.int(0)),
        ])
    }

    fn outcome(&self, head: Term, depth: u32) -> Outcome {
        let terms = &self.terms;
        let task = Task::new(terms, &self.model, &self.property);
        let certificate = Certificate::Invariants(Invariants {
            at: vec![Some(terms.tt()), Some(head), Some(terms.ff())],
            depth,
            simple_paths: false,
        });
        let mut solver = NativeBackend.certifying_solver(terms).unwrap();
        let budget = Budget::unlimited();
        check(&task, Claim::Holds, &certificate, solver.as_mut(), &budget).unwrap()
    }

    fn refused(&self, head: Term, depth: u32) -> Obligation {
        match self.outcome(head, depth) {
            Outcome::Refused(refusal) => refusal.obligation,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn all_visited_elements_are_zero() {
    let example = example();
    let outcome = example.outcome(example.visited(0), 1);
    assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
}

/// One element too many is not zero, and of one too few the next step needs more.
#[test]
fn wrong_bounds_are_refused() {
    let example = example();
    let first = example.refused(example.visited(1), 1);
    assert_eq!(
        first,
        Obligation::Consecution("start -> head (0 to 1)".into())
    );
    let last = example.refused(example.visited(-1), 1);
    assert_eq!(
        last,
        Obligation::Consecution("head -> head (1 to 1)".into())
    );
}

/// What holds for one value of the symbol only, or of it and nothing else, proves nothing.
#[test]
fn one_value_is_not_all() {
    let example = example();
    let terms = &example.terms;
    let (i, k) = (example.var("i"), example.var("k"));
    for claim in [terms.eq(k, terms.int(5)), terms.lt(i, k), terms.ff()] {
        let obligation = example.refused(claim, 1);
        assert_eq!(
            obligation,
            Obligation::Consecution("start -> head (0 to 1)".into())
        );
    }
    // It says something of every value, but nothing of the array.
    let nothing = terms.or([terms.lt(k, i), terms.ge(k, i)]);
    example.refused(nothing, 1);
    let some = terms.or([example.visited(0), terms.gt(k, terms.int(3))]);
    example.refused(some, 1);
}

/// Induction over several steps does not take bound symbols.
#[test]
fn depth_is_refused() {
    let example = example();
    assert_eq!(example.refused(example.visited(0), 2), Obligation::Shape);
}
