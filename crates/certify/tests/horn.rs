//! Evidence about Horn clauses, which are edges with premises: right ones pass, and every way to make
//! them wrong is seen.
#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Int, Span};
use sectile_certify::{Claim, Obligation, Outcome, check};
use sectile_model::horn::{Derivation, Instance};
use sectile_model::*;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms, Value};

const START: LocationId = LocationId(0);
const P: LocationId = LocationId(1);
const ERROR: LocationId = LocationId(2);

/// `P(0)`, `P(x) => P(x + 2)`, `P(x) and P(y) and x + y = bad => false`.
struct Example {
    terms: Terms,
    model: Model,
    property: Property,
    parameter: Symbol,
    other: Symbol,
}

impl Example {
    fn new(bad: i64) -> Example {
        let terms = Terms::new();
        let declare = |name, kind| terms.declare(name, Sort::Int, kind).unwrap();
        let parameter = declare("p", SymbolKind::State);
        let other = declare("y", SymbolKind::Input);
        let (x, y) = (terms.var(parameter), terms.var(other));
        let edge = |name: &str, from, to, value: Option<Term>| {
            let mut command = Command::new(name, Span::default());
            let update = |value| Update {
                symbol: parameter,
                value,
            };
            command.updates.extend(value.map(update));
            Edge::new(from, to, command)
        };
        let mut query = edge("clause 3", P, ERROR, None);
        query.command.inputs.push(other);
        let sum = terms.eq(terms.add(x, y), terms.int(bad));
        query.command.guards.push(sum);
        query.premises.push(Premise {
            location: P,
            values: vec![(parameter, y)],
        });
        let location = |name: &str, variables: &[Symbol]| Location {
            variables: Some(variables.to_vec()),
            ..Location::new(name, Span::default())
        };
        let model = Model {
            name: "example".to_string(),
            variables: vec![parameter],
            locations: vec![
                location("start", &[]),
                location("P", &[parameter]),
                location("error", &[]),
            ],
            edges: vec![
                edge("clause 1", START, P, Some(terms.int(0))),
                edge("clause 2", P, P, Some(terms.add(x, terms.int(2)))),
                query,
            ],
            ..Model::default()
        };
        Example {
            model,
            property: Property {
                name: "satisfiable".to_string(),
                kind: PropertyKind::Unreachable(vec![ERROR]),
                span: Span::default(),
            },
            parameter,
            other,
            terms,
        }
    }

    fn check(&self, claim: Claim, certificate: &Certificate) -> Outcome {
        let task = Task {
            terms: &self.terms,
            model: &self.model,
            property: &self.property,
        };
        let mut solver = NativeBackend.certifying_solver(&self.terms).unwrap();
        let budget = Budget::unlimited();
        check(&task, claim, certificate, solver.as_mut(), &budget).unwrap()
    }

    /// Whether a meaning of the predicate is accepted, where it is refused.
    fn means(&self, formula: Term) -> Option<Obligation> {
        let (tt, ff) = (self.terms.tt(), self.terms.ff());
        let certificate = Certificate::invariants(vec![tt, formula, ff]);
        refused_at(self.check(Claim::Holds, &certificate))
    }

    fn even(&self) -> Term {
        let p = self.terms.var(self.parameter);
        self.terms.divides(&Int::from(2), p)
    }
}

/// Where it is refused; `None` if it is accepted.
fn refused_at(outcome: Outcome) -> Option<Obligation> {
    match outcome {
        Outcome::Refused(refusal) => Some(refusal.obligation),
        Outcome::Accepted { .. } => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn interpretations() {
    let example = Example::new(7);
    let terms = &example.terms;
    assert_eq!(example.means(example.even()), None);
    let clause = |edge: &str, k: usize| {
        let name = format!("{edge} (clause {k})");
        Some(Obligation::Consecution(name))
    };
    let p = terms.var(example.parameter);
    let wrong = [
        // Too strong for the fact, not closed, too weak for the query.
        (
            terms.and2(example.even(), terms.gt(p, terms.int(0))),
            clause("start -> P", 1),
        ),
        (
            terms.and2(example.even(), terms.le(p, terms.int(4))),
            clause("P -> P", 2),
        ),
        (terms.tt(), clause("P -> error", 3)),
        (terms.ff(), clause("start -> P", 1)),
    ];
    for (formula, obligation) in wrong {
        assert_eq!(example.means(formula), obligation);
    }
    // Variables of clauses are no parameters.
    let foreign = terms.eq(terms.var(example.other), terms.int(0));
    assert_eq!(example.means(foreign), Some(Obligation::Shape));
    let none = example.check(Claim::Holds, &Certificate::invariants(Vec::new()));
    assert_eq!(refused_at(none), Some(Obligation::Shape));
}

/// Definitions without an invariant are put in place of their uses, but not into themselves.
#[test]
fn invariants_of_some_predicates() {
    let mut example = Example::new(7);
    let outcome = |example: &Example, at: Vec<Option<Term>>| {
        refused_at(example.check(Claim::Holds, &Certificate::cut_points(at)))
    };
    let (tt, ff) = (example.terms.tt(), example.terms.ff());
    let even = example.even();
    assert_eq!(outcome(&example, vec![None, Some(even), None]), None);
    assert_eq!(
        outcome(&example, vec![None, None, Some(ff)]),
        Some(Obligation::Shape),
        "P is defined by itself"
    );
    let query = Some(Obligation::Consecution("P -> error (clause 3)".to_string()));
    assert_eq!(outcome(&example, vec![None, Some(tt), None]), query);
    // Without the recursive clause P is 0: its sums are 0 and nothing else.
    example.model.edges.remove(1);
    assert_eq!(outcome(&example, vec![Some(tt), None, Some(ff)]), None);
    let mut zero = Example::new(0);
    zero.model.edges.remove(1);
    let (tt, ff) = (zero.terms.tt(), zero.terms.ff());
    assert_eq!(outcome(&zero, vec![Some(tt), None, Some(ff)]), query);
    assert_eq!(outcome(&zero, vec![None, None, None]), query);
}

fn int(n: i64) -> Value {
    Value::Int(Int::from(n))
}

fn state(location: LocationId, value: i64) -> State {
    State {
        location,
        values: vec![int(value)],
    }
}

fn step(command: usize, inputs: &[i64], rests_on: &[usize]) -> Step {
    Step {
        command,
        inputs: inputs.iter().map(|&n| int(n)).collect(),
        rests_on: rests_on.to_vec(),
    }
}

#[test]
fn derivations() {
    let example = Example::new(6);
    let replay = |states: &[State], steps: Vec<Step>| {
        let trace = Trace {
            rigid: Vec::new(),
            states: states.to_vec(),
            steps,
            back_to: None,
        };
        refused_at(example.check(Claim::Violated, &Certificate::Trace(trace)))
    };
    let states = [
        state(START, 0),
        state(P, 0),
        state(P, 2),
        state(P, 4),
        state(ERROR, 0),
    ];
    let right = vec![
        step(0, &[], &[]),
        step(1, &[], &[1]),
        step(1, &[], &[]),
        step(2, &[4], &[2, 3]),
    ];
    assert_eq!(replay(&states, right.clone()), None);
    let changed = |k: usize, new: Step| {
        let mut list = right.clone();
        list[k] = new;
        replay(&states, list)
    };
    assert_eq!(changed(3, step(2, &[2], &[3, 2])), None, "the other way");
    let wrong = [
        (3, step(2, &[2], &[2, 2]), "the condition is false"),
        (3, step(2, &[4], &[2, 2]), "another premise"),
        (3, step(2, &[4], &[2]), "a premise is missing"),
        (3, step(2, &[4], &[2, 3, 3]), "a premise too many"),
        (3, step(2, &[4], &[]), "no premise"),
        (2, step(1, &[], &[3]), "it rests on itself"),
        (1, step(1, &[], &[3]), "it rests on a later one"),
        (2, step(1, &[], &[1]), "it starts in another state"),
        (0, step(9, &[], &[]), "there is no such clause"),
        (3, step(2, &[], &[2, 3]), "a value is missing"),
    ];
    for (k, new, why) in wrong {
        assert_eq!(changed(k, new), Some(Obligation::Step(k + 1)), "{why}");
    }
    let mut elsewhere = states.clone();
    elsewhere[3].location = ERROR;
    let refused = replay(&elsewhere, right.clone());
    assert_eq!(refused, Some(Obligation::Step(3)), "no such place");
    let end = Some(Obligation::End);
    assert_eq!(replay(&states[..4], right[..3].to_vec()), end, "no query");
    let nothing = Some(Obligation::Shape);
    assert_eq!(replay(&[], Vec::new()), nothing, "nothing");
}

/// What allows more than the file does shows nothing.
#[test]
fn loose_steps_are_refused() {
    let mut example = Example::new(0);
    let trace = Certificate::Trace(Trace {
        rigid: Vec::new(),
        states: vec![state(START, 0), state(P, 0), state(ERROR, 0)],
        steps: vec![step(0, &[], &[]), step(2, &[0], &[1, 1])],
        back_to: None,
    });
    assert_eq!(refused_at(example.check(Claim::Violated, &trace)), None);
    example.model.edges[2].loose = true;
    let refused = refused_at(example.check(Claim::Violated, &trace));
    assert_eq!(refused, Some(Obligation::Step(2)));
}

/// What is derived twice is derived once, and what nothing rests on is gone.
#[test]
fn a_shared_derivation_is_shorter_and_still_one() {
    let example = Example::new(4);
    let view = ClauseView::new(&example.terms, &example.model, &[ERROR]);
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
        let trace = view.trace(&example.terms, d);
        trace.is_some_and(|trace| {
            let certificate = Certificate::Trace(trace);
            refused_at(example.check(Claim::Violated, &certificate)).is_none()
        })
    };
    assert!(accepted(&derivation));
    let shared = derivation.shared(&example.terms, &view.clauses);
    assert!(accepted(&shared), "{shared:?}");
    assert_eq!(shared.instances.len(), 3);
    assert_eq!(shared.instances[2].premises, [1, 1]);
    // What is wrong stays wrong.
    derivation.instances[5].premises = vec![1, 9];
    let shared = derivation.shared(&example.terms, &view.clauses);
    assert!(!accepted(&shared), "{shared:?}");
}
