//! Evidence about Horn clauses: right ones pass, and every way to make them wrong is seen.

use sectile_base::{Budget, Int, Span};
use sectile_certify::horn::{check_derivation, check_interpretation};
use sectile_certify::{Obligation, Outcome};
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause, Derivation, Instance, Predicate};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms, Value};

/// `P(0)`, `P(x) => P(x + 2)`, `P(x) and P(y) and x + y = bad => false`.
struct Example {
    terms: Terms,
    clauses: HornClauses,
    parameter: Symbol,
}

impl Example {
    fn new(bad: i64) -> Example {
        let terms = Terms::new();
        let input = |name: &str| terms.fresh(name, Sort::Int, SymbolKind::Input);
        let (x, y) = (input("x"), input("y"));
        let parameter = terms.fresh("p", Sort::Int, SymbolKind::State);
        let of = |t: Term| Application {
            predicate: 0,
            arguments: vec![t],
        };
        let clause = |variables: &[Symbol], body, constraint, head| Clause {
            span: Span::default(),
            variables: variables.to_vec(),
            names: variables.iter().map(|_| "v".to_string()).collect(),
            body,
            constraint,
            head,
        };
        let (vx, vy) = (terms.var(x), terms.var(y));
        let sum = terms.eq(terms.add(vx, vy), terms.int(bad));
        let next = terms.add(vx, terms.int(2));
        let list = vec![
            clause(&[], Vec::new(), Vec::new(), Some(of(terms.int(0)))),
            clause(&[x], vec![of(vx)], Vec::new(), Some(of(next))),
            clause(&[x, y], vec![of(vx), of(vy)], vec![sum], None),
        ];
        let clauses = HornClauses {
            name: "example".to_string(),
            predicates: vec![Predicate {
                name: "P".to_string(),
                parameters: vec![parameter],
                span: Span::default(),
            }],
            clauses: list,
        };
        Example {
            terms,
            clauses,
            parameter,
        }
    }

    fn check(&self, formula: Term) -> Outcome {
        let mut solver = NativeBackend
            .certifying_solver(&self.terms)
            .expect("the solver is there");
        let budget = Budget::unlimited();
        let list = [formula];
        check_interpretation(&self.terms, &self.clauses, &list, solver.as_mut(), &budget)
            .expect("the solver works")
    }

    fn even(&self) -> Term {
        let p = self.terms.var(self.parameter);
        self.terms.divides(&Int::from(2), p)
    }
}

fn refused_at(outcome: Outcome) -> Option<Obligation> {
    match outcome {
        Outcome::Refused(refusal) => Some(refusal.obligation),
        _ => None,
    }
}

#[test]
fn interpretations() {
    let example = Example::new(7);
    let terms = &example.terms;
    assert_eq!(
        example.check(example.even()),
        Outcome::Accepted { obligations: 3 }
    );
    let clause = |k: usize| Some(Obligation::Consecution(format!("clause {k}")));
    let p = terms.var(example.parameter);
    let wrong = [
        // Too strong for the fact, not closed, too weak for the query.
        (
            terms.and2(example.even(), terms.gt(p, terms.int(0))),
            clause(1),
        ),
        (
            terms.and2(example.even(), terms.le(p, terms.int(4))),
            clause(2),
        ),
        (terms.tt(), clause(3)),
        (terms.ff(), clause(1)),
    ];
    for (formula, obligation) in wrong {
        assert_eq!(refused_at(example.check(formula)), obligation);
    }
    // Variables of clauses are no parameters.
    let foreign = terms.eq(
        terms.var(example.clauses.clauses[1].variables[0]),
        terms.int(0),
    );
    assert_eq!(refused_at(example.check(foreign)), Some(Obligation::Shape));
    let terms = &example.terms;
    let mut solver = NativeBackend
        .certifying_solver(terms)
        .expect("the solver is there");
    let none = check_interpretation(
        terms,
        &example.clauses,
        &[],
        solver.as_mut(),
        &Budget::unlimited(),
    );
    assert_eq!(
        refused_at(none.expect("the solver works")),
        Some(Obligation::Shape)
    );
}

fn instance(clause: usize, values: &[i64], premises: &[usize]) -> Instance {
    let values = values.iter().map(|&v| Value::Int(Int::from(v)));
    Instance {
        clause,
        values: values.collect(),
        premises: premises.to_vec(),
    }
}

#[test]
fn derivations() {
    let example = Example::new(6);
    let replay = |instances: Vec<Instance>| {
        check_derivation(&example.terms, &example.clauses, &Derivation { instances })
    };
    let right = vec![
        instance(0, &[], &[]),
        instance(1, &[0], &[0]),
        instance(1, &[2], &[1]),
        instance(2, &[2, 4], &[1, 2]),
    ];
    assert_eq!(replay(right.clone()), Outcome::Accepted { obligations: 5 });
    let changed = |k: usize, new: Instance| {
        let mut list = right.clone();
        list[k] = new;
        refused_at(replay(list))
    };
    let step = |k: usize| Some(Obligation::Step(k));
    assert_eq!(
        changed(3, instance(2, &[2, 2], &[1, 1])),
        step(4),
        "the condition is false"
    );
    assert_eq!(
        changed(3, instance(2, &[2, 4], &[1, 1])),
        step(4),
        "another premise"
    );
    assert_eq!(
        changed(3, instance(2, &[2, 4], &[1])),
        step(4),
        "a premise is missing"
    );
    assert_eq!(
        changed(2, instance(1, &[2], &[2])),
        step(3),
        "it rests on itself"
    );
    assert_eq!(
        changed(1, instance(1, &[0], &[3])),
        step(2),
        "it rests on a later one"
    );
    assert_eq!(
        changed(0, instance(9, &[], &[])),
        step(1),
        "there is no such clause"
    );
    assert_eq!(
        changed(1, instance(1, &[], &[0])),
        step(2),
        "a value is missing"
    );
    let end = Some(Obligation::End);
    assert_eq!(refused_at(replay(right[..3].to_vec())), end, "no query");
    assert_eq!(refused_at(replay(Vec::new())), end, "nothing");
}

/// What is derived twice is derived once, and what nothing rests on is gone.
#[test]
fn a_shared_derivation_is_shorter_and_still_one() {
    let example = Example::new(4);
    let int = |n: i64| Value::Int(Int::from(n));
    let instance = |clause: usize, values: &[i64], premises: &[usize]| Instance {
        clause,
        values: values.iter().map(|&n| int(n)).collect(),
        premises: premises.to_vec(),
    };
    let mut derivation = Derivation {
        instances: vec![
            instance(0, &[], &[]),
            instance(1, &[0], &[0]),
            instance(0, &[], &[]),
            instance(1, &[0], &[2]),
            instance(1, &[2], &[3]),
            instance(2, &[2, 2], &[1, 3]),
        ],
    };
    let accepted = |d: &Derivation| {
        let outcome = check_derivation(&example.terms, &example.clauses, d);
        matches!(outcome, Outcome::Accepted { .. })
    };
    assert!(accepted(&derivation));
    let shared = derivation.shared(&example.terms, &example.clauses);
    assert!(accepted(&shared), "{shared:?}");
    assert_eq!(shared.instances.len(), 3);
    assert_eq!(shared.instances[2].premises, [1, 1]);
    // What is wrong stays wrong.
    derivation.instances[5].premises = vec![1, 9];
    let shared = derivation.shared(&example.terms, &example.clauses);
    assert!(!accepted(&shared), "{shared:?}");
}
