//! What the paper prints: the ticket algorithm, the constraint CS, the two steps with r.

use crate::common;

use common::{model, partial, queries, run, same, zoo};
use sectile_engine_partial::{Abstraction, pair_imprecision};
use sectile_model::{Certificate, Command, Ctl, PropertyKind, Verdict};
use sectile_terms::{Stage, Substitution, Term, Terms};

/// `v' = v` for all variables of a predicate implies that its Boolean variable stays the same.
fn consistency(terms: &Terms, alpha: &Abstraction<'_>) -> Term {
    terms.and(alpha.predicates.iter().map(|p| {
        let scope = sectile_engine_partial::scope(terms, p.meaning);
        let kept = scope.iter().map(|&v| terms.eq(terms.next(v), terms.var(v)));
        let same = terms.iff(terms.next(p.symbol), terms.var(p.symbol));
        terms.implies(terms.and(kept), same)
    }))
}

/// Equation 3 as it is printed, by one elimination.
fn by_definition(
    read: &common::Read,
    alpha: &Abstraction<'_>,
    command: &Command,
    with_cs: bool,
) -> Term {
    let terms = &read.terms;
    let mut all = vec![read.system().step_formula(terms, command)];
    for p in &alpha.predicates {
        all.push(terms.iff(p.meaning, terms.var(p.symbol)));
        all.push(terms.iff(terms.prime(p.meaning), terms.next(p.symbol)));
    }
    if with_cs {
        all.push(consistency(terms, alpha));
    }
    let hidden = alpha.hidden.iter();
    let slots: Vec<_> = hidden
        .flat_map(|&s| [(s, Stage::Now), (s, Stage::Next)])
        .chain(command.inputs.iter().map(|&i| (i, Stage::Now)))
        .collect();
    let projection = queries(&read.terms).project(terms.and(all), &slots);
    let projection = projection.expect("it is decided");
    assert!(projection.exact);
    projection.formula
}

/// A3: the abstract entry step, modulo combinations of predicates that do not exist (E11).
#[test]
fn the_entry_step_of_the_ticket_algorithm_is_as_printed() {
    let read = zoo("ticket", &[]);
    let (terms, system) = (&read.terms, read.system());
    let alpha = Abstraction::new(terms, &read.formulas("z = 1; z < 1"));
    let mut queries = queries(&read.terms);
    let abstracted = alpha.system(system, &mut queries).expect("it is decided");
    assert!(abstracted.exact);
    let names: Vec<&str> = abstracted
        .system
        .variables
        .iter()
        .map(|&v| terms.name(v))
        .collect();
    assert!(
        !names.contains(&"z") && names.contains(&"s") && names.contains(&"P[0].a"),
        "{names:?}"
    );
    let (b1, b2) = (alpha.predicates[0].symbol, alpha.predicates[1].symbol);
    let now = |s| terms.var(s);
    let next = |s| terms.next(s);
    let no = |t| terms.not(t);
    let printed = terms.or([
        terms.and([now(b1), no(now(b2)), no(next(b1)), no(next(b2))]),
        terms.and([no(now(b1)), now(b2), terms.or2(next(b1), next(b2))]),
        terms.and([no(now(b1)), no(now(b2)), no(next(b1)), no(next(b2))]),
    ]);
    let possible = terms.and([
        no(terms.and2(now(b1), now(b2))),
        no(terms.and2(next(b1), next(b2))),
    ]);
    for (k, command) in system.commands().enumerate() {
        let step = abstracted
            .system
            .step_formula(terms, &abstracted.system.edges[k].command);
        for with_cs in [false, true] {
            let defined = by_definition(&read, &alpha, command, with_cs);
            assert!(same(&mut queries, step, defined), "{}", command.name);
        }
        if command.name.contains("r_cr") {
            let kept = command.guards.iter().copied();
            let updates = command
                .updates
                .iter()
                .filter(|u| terms.name(u.symbol) != "z");
            let updates = updates.map(|u| terms.eq(next(u.symbol), u.value));
            let printed = terms.and(kept.chain(updates).chain([printed, possible]));
            assert!(same(&mut queries, step, printed));
        }
    }
}

/// A3: the constraint for {a > b, c = 0}, and that exact elimination does not need it.
#[test]
fn consistency_follows_from_exact_elimination() {
    let read = model(
        "var a, b, c, d : int\nm1: a > d --> a := a + 1\nm2: c = 0 --> c := d, b := a\nm3: d > 0 --> havoc c\n",
        &[],
    );
    let (terms, system) = (&read.terms, read.system());
    let alpha = Abstraction::new(terms, &read.formulas("a > b; c = 0"));
    let mut queries = queries(&read.terms);
    let cs = consistency(terms, &alpha);
    let v = |name: &str| terms.symbol(name).expect("it is declared");
    let keeps = |name: &str| terms.eq(terms.next(v(name)), terms.var(v(name)));
    let same_b = |k: usize| {
        let b = alpha.predicates[k].symbol;
        terms.iff(terms.next(b), terms.var(b))
    };
    let printed = terms.and2(
        terms.implies(terms.and2(keeps("a"), keeps("b")), same_b(0)),
        terms.implies(keeps("c"), same_b(1)),
    );
    assert!(same(&mut queries, cs, printed));
    let abstracted = alpha.system(system, &mut queries).expect("it is decided");
    assert_eq!(abstracted.system.variables.len(), 3);
    for (k, command) in system.commands().enumerate() {
        let step = abstracted
            .system
            .step_formula(terms, &abstracted.system.edges[k].command);
        for with_cs in [false, true] {
            let defined = by_definition(&read, &alpha, command, with_cs);
            assert!(same(&mut queries, step, defined), "{}", command.name);
        }
    }
}

/// A4: AG(b1 or b2) means AG(z <= 1), and the other way round.
#[test]
fn properties_are_abstracted_and_made_concrete() {
    let read = zoo("ticket", &[]);
    let terms = &read.terms;
    let alpha = Abstraction::new(terms, &read.formulas("z = 1; z < 1"));
    let mut queries = queries(&read.terms);
    let b = |k: usize| terms.var(alpha.predicates[k].symbol);
    let either = terms.or2(b(0), b(1));
    let always = |p: Term| PropertyKind::Ctl(Ctl::Ag(Box::new(Ctl::State(p))));
    let PropertyKind::Ctl(Ctl::Ag(concrete)) = alpha.concrete_property(&always(either)) else {
        panic!("the operator stays");
    };
    let Ctl::State(concrete) = *concrete else {
        panic!("the state formula stays");
    };
    assert!(same(&mut queries, concrete, read.formula("z <= 1")));
    let property = always(read.formula("z <= 1"));
    let abstracted = alpha
        .property(&property, &[], &mut queries)
        .expect("it is decided");
    let PropertyKind::Ctl(Ctl::Ag(inner)) = abstracted else {
        panic!("the operator stays");
    };
    assert!(matches!(*inner, Ctl::State(p) if same(&mut queries, p, either)));
}

/// AG(z <= 1) of the ticket algorithm, by abstraction; the evidence is about z again.
#[test]
fn the_ticket_algorithm_is_verified_by_abstraction() {
    for n in ["2", "3"] {
        let read = zoo("ticket", &[("n", n)]);
        let predicates = read.formulas("z = 1; z < 1");
        let verdict = run(&partial(), &read.task("zbound"), &predicates, 60);
        let Verdict::Holds(Certificate::Ctl(proof)) = verdict else {
            panic!("{verdict:?}");
        };
        let slots = |t: Term| read.terms.free_vars(t);
        let z = read.terms.symbol("z").expect("it is declared");
        assert!(
            proof
                .cells
                .iter()
                .any(|c| slots(c.formula).contains(&(z, Stage::Now)))
        );
    }
}

/// A9: two steps that cannot follow each other seem to with r <= 1, but not with r = 0, r = 1.
#[test]
fn one_predicate_is_imprecise_for_the_two_steps_and_two_are_not() {
    let read = model(
        "var r : int\nvar pc1, pc2 : {a, c}\nt1: pc1 = a and r = 0 --> r := r + 1, pc1 := c\nt2: pc2 = a and r = 0 --> r := r + 1, pc2 := c\n",
        &[],
    );
    let (terms, system) = (&read.terms, read.system());
    let mut queries = queries(&read.terms);
    let mut score = |text: &str, first: usize, second: usize| {
        let (first, second) = (&system.edges[first].command, &system.edges[second].command);
        let predicates = read.formulas(text);
        let score = pair_imprecision(terms, &predicates, first, second, &mut queries);
        score.expect("it is decided")
    };
    assert_eq!(score("r <= 1", 0, 1), 1);
    assert_eq!(score("r <= 1", 1, 0), 1);
    assert_eq!(score("r <= 1", 0, 0), 0);
    assert_eq!(score("r = 0; r = 1", 0, 1), 0);
    assert_eq!(score("r = 0; r = 1", 1, 0), 0);
}

/// Lemma 1: disjoint abstractions, one after the other in either order, are the abstraction for
/// all their predicates.
#[test]
fn disjoint_abstractions_compose() {
    let read = zoo("airport-ticket", &[]);
    let (terms, system) = (&read.terms, read.system());
    let (one, two) = ("numRW16R = 0; numRW16R = 1", "numC3 = 0; numC3 < 2");
    let mut queries = queries(&read.terms);
    let both = Abstraction::new(terms, &read.formulas(&format!("{one}; {two}")));
    let whole = both
        .system(system, &mut queries)
        .expect("it is decided")
        .system;
    for (first, second) in [(one, two), (two, one)] {
        let first = Abstraction::new(terms, &read.formulas(first));
        let second = Abstraction::new(terms, &read.formulas(second));
        let between = first
            .system(system, &mut queries)
            .expect("it is decided")
            .system;
        let steps = second
            .system(&between, &mut queries)
            .expect("it is decided")
            .system;
        // The same predicate has another Boolean variable in each abstraction.
        let mut names = Substitution::default();
        for p in first.predicates.iter().chain(&second.predicates) {
            let twin = both.predicates.iter().find(|q| q.meaning == p.meaning);
            let twin = twin.expect("it is among all").symbol;
            names.insert(terms.var(p.symbol), terms.var(twin));
            names.insert(terms.next(p.symbol), terms.next(twin));
        }
        let renamed = |t: Term| terms.substitute(t, &names);
        let init = renamed(steps.init_formula(terms));
        assert!(same(&mut queries, init, whole.init_formula(terms)));
        for (a, b) in steps.commands().zip(whole.commands()) {
            let step = renamed(steps.step_formula(terms, a));
            assert!(
                same(&mut queries, step, whole.step_formula(terms, b)),
                "{}",
                a.name
            );
        }
    }
}
