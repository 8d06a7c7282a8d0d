//! How values are found where a model leaves a choice.

use crate::zoo;

use sectile_base::{Budget, Int, Rat};
use sectile_explicit::{Answer, Context, ExploreError, Extent, Limit, Options, Stop, explore};
use sectile_terms::{Sort, Terms};
use zoo::{Builder, Words, answer, domain, run, steps, try_run};

#[test]
fn bounds_are_propagated_through_several_constraints() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let (x, y) = (b.nat("x"), b.nat("y"));
    b.init(terms.le(terms.add(terms.var(x), terms.var(y)), w.n(10)));
    let found = run(&terms, &b.module(), &Options::default());
    assert_eq!((found.states, found.extent), (66, Extent::Exact));
}

#[test]
fn equations_determine_values_and_fail_where_these_are_no_integers() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let (x, y) = (b.range("x", 0, 9), b.int("y"));
    b.init(terms.eq(terms.scale(terms.var(y), &Rat::from(3)), w.plus(x, 1)));
    let found = run(&terms, &b.module(), &Options::default());
    // 3y = x + 1 for x = 2, 5, 8.
    assert_eq!((found.states, found.extent), (3, Extent::Exact));
}

#[test]
fn an_integer_equal_to_a_real_must_be_one() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let (x, r) = (b.int("x"), b.var("r", Sort::Real));
    let halves = terms.scale(terms.var(r), &Rat::from(2));
    b.init(terms.or2(terms.eq(halves, w.real(3)), terms.eq(halves, w.real(4))));
    b.init(terms.eq(terms.to_real(terms.var(x)), terms.var(r)));
    let found = run(&terms, &b.module(), &Options::default());
    assert_eq!((found.states, &found.extent), (1, &Extent::Exact));
    assert_eq!(found.state(0).values[0].as_rat(), Some(Rat::from(2)));
}

#[test]
fn cases_of_a_relation_need_no_domain() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let (x, p) = (b.int("x"), b.boolean("p"));
    b.init(w.is(x, 0));
    b.init(terms.not(terms.var(p)));
    let set = |k: i64| terms.eq(terms.next(x), w.n(k));
    let up = terms.and2(terms.next(p), set(5));
    let down = terms.and2(terms.not(terms.next(p)), set(7));
    let between = terms.and2(
        terms.ge(terms.next(x), w.n(20)),
        terms.le(terms.next(x), w.n(22)),
    );
    b.relation("r", &[terms.or([up, down, between])]);
    let found = run(&terms, &b.module(), &Options::default());
    // The start, two cases, and three numbers with both values of p.
    assert_eq!((found.states, &found.extent), (9, &Extent::Exact));
    assert_eq!(found.transitions, 9 * 8);
}

#[test]
fn the_missing_domain_is_named() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.int("x");
    b.init(w.is(x, 0));
    b.relation("jump", &[terms.ge(terms.next(x), w.n(3)), w.is(x, 0)]);
    let module = b.module();
    let error = try_run(&terms, &module, &Options::default()).err();
    let expected = ExploreError::NeedsDomain {
        variable: "x".into(),
        context: Context::Command("jump".into()),
    };
    assert_eq!(error, Some(expected.clone()));
    assert_eq!(
        expected.to_string(),
        "`x` can have infinitely many values in the step `jump`; the search needs a domain"
    );
    let found = run(&terms, &module, &domain(0, 5));
    assert_eq!(found.states, 4);
    assert!(!found.extent.is_exact());
    // A step that is never enabled needs no domain.
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.int("x");
    b.init(w.is(x, 0));
    b.relation("jump", &[w.is(x, 1)]);
    let found = run(&terms, &b.module(), &Options::default());
    assert_eq!((found.states, found.deadlocks.count), (1, 1));
}

#[test]
fn a_state_whose_steps_are_cut_off_is_no_deadlock() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.int("x");
    b.init(w.is(x, 0));
    b.command("up", &[], &[(x, w.plus(x, 1))]);
    let module = b.module();
    let found = run(&terms, &module, &domain(0, 4));
    assert_eq!((found.states, found.deadlocks.count), (5, 0));
    for limited in [
        Options {
            max_states: Some(5),
            ..Options::default()
        },
        Options {
            max_depth: Some(4),
            ..Options::default()
        },
    ] {
        let found = run(&terms, &module, &limited);
        assert_eq!((found.states, found.deadlocks.count), (5, 0));
        assert!(!found.extent.is_exact());
    }
}

#[test]
fn a_bound_that_is_not_reached_leaves_the_search_exact() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.range("x", 0, 4);
    b.init(w.is(x, 0));
    b.command("up", &[], &[(x, w.plus(x, 1))]);
    let module = b.module();
    let limited = Options {
        max_depth: Some(4),
        max_states: Some(5),
        ..domain(0, 1)
    };
    let found = run(&terms, &module, &limited);
    // The variable has its own range, so that the domain does not concern it.
    assert_eq!((found.states, &found.extent), (5, &Extent::Exact));
    assert_eq!((found.deadlocks.count, found.depth), (1, 4));
}

#[test]
fn numbers_grow_beyond_machine_integers() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.int("x");
    b.init(w.is(x, 1));
    let tripled = terms.scale(terms.var(x), &Rat::from(3));
    b.command("triple", &[], &[(x, tripled)]);
    let limit = terms.number(Rat::from(Int::from(3).pow(100)), Sort::Int);
    b.invariant("small", terms.lt(terms.var(x), limit));
    let limited = Options {
        stop: Stop::AllViolated,
        ..Options::default()
    };
    let found = run(&terms, &b.module(), &limited);
    assert_eq!(steps(&found, "small"), 100);
    assert_eq!(
        found.extent,
        Extent::Bounded {
            by: vec![Limit::AllViolated]
        }
    );
}

#[test]
fn large_choices_are_exact_too() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.int("x");
    let v = b.input("v", Sort::Int);
    let big = terms.number(Rat::from(Int::from(10).pow(30)), Sort::Int);
    b.init(terms.eq(terms.var(x), big));
    let guards = [
        terms.gt(terms.var(v), terms.var(x)),
        terms.le(terms.var(v), w.plus(x, 2)),
        terms.le(terms.var(v), terms.add(big, w.n(3))),
    ];
    b.command_with("up", &[v], &guards, &[(x, terms.var(v))]);
    let found = run(&terms, &b.module(), &Options::default());
    assert_eq!((found.states, found.extent), (4, Extent::Exact));
}

#[test]
fn an_input_on_which_nothing_depends_is_not_enumerated() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.range("x", 0, 3);
    let v = b.input("v", Sort::Int);
    b.init(w.is(x, 0));
    let either = terms.or2(w.is(x, 0), terms.eq(terms.next(x), terms.var(v)));
    b.command_with("idle", &[v], &[], &[]);
    b.relation("maybe", &[either]);
    let last = b.system.edges.len() - 1;
    b.system.edges[last].command.inputs.push(v);
    let found = run(&terms, &b.module(), &Options::default());
    assert_eq!((found.states, found.extent), (4, Extent::Exact));
}

#[test]
fn the_budget_ends_the_search_and_what_was_found_stays() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.int("x");
    b.init(w.is(x, 0));
    b.command("up", &[], &[(x, w.plus(x, 1))]);
    b.invariant("low", terms.le(terms.var(x), w.n(3)));
    b.invariant("any", terms.ge(terms.var(x), w.n(0)));
    let module = b.module();
    let budget = Budget::unlimited().with_steps(50);
    let found = explore(&terms, &module, &Options::default(), &budget).unwrap();
    assert!(found.states >= 40 && found.states <= 60);
    assert_eq!(steps(&found, "low"), 4);
    assert_eq!(answer(&found, "any"), Answer::NotViolatedWithinBounds);
    let limit = Limit::Budget(sectile_base::Exhausted::Steps);
    assert_eq!(found.extent, Extent::Bounded { by: vec![limit] });
}

#[test]
fn deep_formulas_are_compiled_without_recursion() {
    let terms = Terms::new();
    let (mut b, w) = (Builder::new(&terms), Words(&terms));
    let x = b.range("x", 0, 1);
    let mut deep = terms.var(x);
    for k in 0..100_000_i64 {
        let next = w.n(k % 2);
        deep = terms.ite(terms.eq(deep, next), terms.var(x), terms.add(deep, w.n(k)));
    }
    b.init(w.is(x, 0));
    b.command("deep", &[], &[(x, terms.modulo(deep, &Int::from(2)))]);
    b.invariant("deep", terms.ge(terms.abs(deep), w.n(0)));
    let found = run(&terms, &b.module(), &Options::default());
    assert_eq!(answer(&found, "deep"), Answer::Holds);
}

#[test]
fn arrays_that_nothing_determines_are_refused_unless_they_are_few() {
    let terms = Terms::new();
    let mut b = Builder::new(&terms);
    let sort = terms.array_sort(Sort::Int, Sort::Int);
    b.var("a", sort);
    let error = try_run(&terms, &b.module(), &Options::default()).err();
    let initially = Context::Initial;
    assert!(
        matches!(error, Some(ExploreError::AnyArray { variable, context })
            if variable == "a" && context == initially)
    );
    // With an equation there is one; of arrays of truth values with two places there are four.
    let mut b = Builder::new(&terms);
    let a = b.var("a", sort);
    let Sort::Array(id) = sort else {
        panic!("it is an array");
    };
    b.init(terms.eq(terms.var(a), terms.filled(id, terms.int(7))));
    b.var("few", terms.array_sort(Sort::Bool, Sort::Bool));
    let seven = terms.eq(terms.select(terms.var(a), terms.int(3)), terms.int(7));
    b.invariant("seven", seven);
    let found = run(&terms, &b.module(), &Options::default());
    assert_eq!((found.states, found.initial_states), (4, 4));
    assert_eq!(answer(&found, "seven"), Answer::Holds);
}
