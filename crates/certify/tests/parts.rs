//! Evidence about parts: what is missing is noticed, and proofs are conjoined only where that is right.

#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Span};
use sectile_certify::{Claim, Outcome, check, compose};
use sectile_model::*;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::*;

/// Two numbers, each of which counts to 3 in turns of the other; `p` says that both are at most 3.
struct Example {
    terms: Terms,
    model: Model,
    property: Property,
}

fn example() -> Example {
    let terms = Terms::new();
    let [x, y] = ["x", "y"].map(|n| terms.declare(n, Sort::Int, SymbolKind::State).unwrap());
    let (v, w) = (terms.var(x), terms.var(y));
    let three = terms.int(3);
    let step = |name: &str, first: Term, second: Term, guard: Term| {
        let mut command = Command::new(name.to_string(), Span::default());
        command.guards.push(guard);
        for (symbol, value) in [(x, first), (y, second)] {
            command.updates.push(Update { symbol, value });
        }
        command
    };
    let one = terms.int(1);
    let mut model = Model::system(vec![
        step("left", terms.add(v, one), w, terms.lt(v, three)),
        step("right", v, terms.add(w, one), terms.lt(w, three)),
    ]);
    model.variables = vec![x, y];
    model.init = vec![terms.eq(v, terms.int(0)), terms.eq(w, terms.int(0))];
    let property = Property {
        name: "p".into(),
        kind: PropertyKind::Invariant(terms.and([terms.le(v, three), terms.le(w, three)])),
        span: Span::default(),
    };
    Example {
        terms,
        model,
        property,
    }
}

fn part(conjuncts: &[usize], of: usize) -> Part {
    Part {
        conjuncts: conjuncts.to_vec(),
        of,
    }
}

#[test]
fn parts_are_the_whole_only_if_none_is_missing() {
    let example = example();
    let task = Task::new(&example.terms, &example.model, &example.property);
    let composed = |parts: &[&Part]| {
        let mut solver = NativeBackend.certifying_solver(&example.terms).unwrap();
        compose(&task, parts, solver.as_mut(), &Budget::unlimited()).unwrap()
    };
    let accepted = |parts: &[&Part]| matches!(composed(parts), Outcome::Accepted { .. });
    let (first, second, both) = (part(&[0], 2), part(&[1], 2), part(&[1, 0], 2));
    assert!(accepted(&[&first, &second]));
    assert!(accepted(&[&both]));
    assert!(!accepted(&[]));
    let Outcome::Refused(refusal) = composed(&[&first]) else {
        panic!("a conjunct is missing");
    };
    assert!(
        refusal.because.contains("1 have no proof"),
        "{}",
        refusal.because
    );
    // Parts of a property that has other parts.
    assert!(!accepted(&[&part(&[0], 1), &part(&[0, 1], 3)]));
    assert!(!accepted(&[&both, &part(&[2], 2)]));
}

#[test]
fn conjoined_proofs_prove_the_whole() {
    let example = example();
    let terms = &example.terms;
    let kinds = example.property.conjuncts(terms);
    let formula = |k: usize| match kinds[k] {
        PropertyKind::Invariant(p) => p,
        _ => panic!("the parts of an invariant are invariants"),
    };
    let proof = |at: Vec<Option<Term>>, depth| Invariants {
        at,
        depth,
        simple_paths: depth > 2,
    };
    let (p, q) = (formula(0), formula(1));
    let conjoined = |a: &Invariants, b: &Invariants| Invariants::conjoined(terms, &[a, b]);
    let whole = conjoined(&proof(vec![Some(p)], 1), &proof(vec![Some(q)], 3)).unwrap();
    assert_eq!(whole, proof(vec![Some(terms.and([p, q]))], 3));
    let task = Task::new(terms, &example.model, &example.property);
    let outcome = |proof: Invariants| {
        let mut solver = NativeBackend.certifying_solver(terms).unwrap();
        let certificate = Certificate::Invariants(proof);
        let budget = Budget::unlimited();
        check(&task, Claim::Holds, &certificate, solver.as_mut(), &budget).unwrap()
    };
    assert!(matches!(outcome(whole), Outcome::Accepted { .. }));
    assert!(matches!(
        outcome(proof(vec![Some(p)], 1)),
        Outcome::Refused(_)
    ));
    // Other cut points, other models, and induction over several steps with cut points.
    let cut = |t| proof(vec![Some(t), None], 1);
    assert_eq!(conjoined(&cut(p), &cut(q)), Some(cut(terms.and([p, q]))));
    assert_eq!(conjoined(&cut(p), &proof(vec![None, Some(q)], 1)), None);
    assert_eq!(conjoined(&cut(p), &proof(vec![Some(q)], 1)), None);
    assert_eq!(conjoined(&cut(p), &proof(vec![Some(q), None], 2)), None);
}
