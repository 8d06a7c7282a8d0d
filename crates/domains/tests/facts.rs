//! Facts at the heads of loops: what is found, and that every concrete run agrees.

#![allow(clippy::unwrap_used)]

use sectile_base::Budget;
use sectile_domains::facts::{location_facts, polyhedral_facts};
use sectile_engine::{PathFormulas, Run, Settings};
use sectile_explicit::{SimulationOptions, simulate};
use sectile_model::{LocationId, Model};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};
use sectile_testkit::models::{Read, read};
use sectile_testkit::verdicts;

fn facts(terms: &Terms, graph: &Model, seconds: u64) -> Vec<Term> {
    let settings = Settings::default();
    let run = Run {
        budget: verdicts::seconds(seconds),
        seed: 1,
        ..verdicts::run(&settings)
    };
    let formulas = PathFormulas::new(terms, graph);
    let facts = location_facts(&formulas, &run).unwrap();
    polyhedral_facts(&formulas, &facts, &run).unwrap()
}

/// Whether what is found at the only loop head of a program implies a condition.
fn head_implies(text: &str, condition: impl Fn(&Terms, &dyn Fn(&str) -> Term) -> Term) -> bool {
    let Read { terms, reading } = read("test.bpl", text, &[]);
    let graph = &reading.module.model;
    let heads = graph.loop_heads();
    assert_eq!(heads.len(), 1);
    let found = facts(&terms, graph, 100)[heads[0].0];
    let var = |name: &str| {
        let all = graph.variables.iter();
        let mut named = all.filter(|&&s| terms.name(s) == name);
        terms.var(*named.next().unwrap())
    };
    let mut solver = NativeBackend.solver(&terms).unwrap();
    solver.assert(found).unwrap();
    let not = terms.not(condition(&terms, &var));
    solver.assert(not).unwrap();
    let answer = solver.check(&[], &Budget::unlimited()).unwrap();
    answer.is_unsat()
}

#[test]
fn a_loop_with_two_phases_has_a_polyhedron_for_each() {
    let text = "procedure main() { var a, b: int; a := 0; b := 0;
        while (a < 900) { a := a + 1; if (a <= 300) { b := b + 2; } } assert b == 600; }";
    assert!(head_implies(text, |t, v| {
        let slope = t.eq(v("b"), t.scale(v("a"), &2.into()));
        let flat = t.eq(v("b"), t.int(600));
        t.or2(t.and2(t.le(v("a"), t.int(300)), slope), flat)
    }));
    // It is no invariant that the second phase is never reached.
    assert!(!head_implies(text, |t, v| t.lt(v("b"), t.int(600))));
}

/// Remainders by what is added, and by what the program divides by, also of differences.
#[test]
fn remainders_are_found() {
    let steps = "procedure main() { var a, n : int; a := 8; n := 4000;
        while (a < n) { if (*) { a := a + 12; } else { a := a + 20; } } assert a == 4000; }";
    assert!(head_implies(steps, |t, v| t.divides(&4.into(), v("a"))));
    assert!(!head_implies(steps, |t, v| t.divides(&8.into(), v("a"))));
    let wrapped = "procedure main() { var x, y : int; x := 0; y := 0;
        while (*) { x, y := x + 1, (y + 1) mod 300; } assert x != 7 || y == 7; }";
    assert!(head_implies(wrapped, |t, v| t.lt(v("y"), t.int(300))));
    assert!(head_implies(wrapped, |t, v| {
        t.divides(&300.into(), t.sub(v("y"), v("x")))
    }));
}

#[test]
fn a_loop_with_three_phases_has_a_polyhedron_for_each() {
    let text = "procedure main() { var a, b: int; a := 0; b := 0;
        while (a < 900) { if (a < 300) { b := b + 2; } else { if (a >= 600) { b := b - 1; } } a := a + 1; }
        assert b == 300; }";
    assert!(head_implies(text, |t, v| {
        let end = t.eq(v("b"), t.int(300));
        t.implies(t.eq(v("a"), t.int(900)), end)
    }));
}

#[test]
fn counters_that_wrap_around_have_phases() {
    let text = "procedure main() { var a, b, c: int; a := 0; b := 0; c := 0;
        while (*) { if (a < 200) { c := c + 3; } a := (a + 1) mod 600; b := b + 1; }
        assert a != 0 || b == c; }";
    assert!(head_implies(text, |t, v| {
        let same = t.eq(v("b"), v("c"));
        t.implies(t.eq(v("a"), t.int(0)), same)
    }));
}

#[test]
fn a_guard_that_never_fires_does_not_matter() {
    let text = "procedure main() { var p, q, u, w: int; assume p > q; u := 0; w := 50;
        while (*) { u := u + 1; if (p == q) { w := u; } w := w - 1; } assert u + w == 50; }";
    assert!(head_implies(text, |t, v| {
        t.eq(t.add(v("u"), v("w")), t.int(50))
    }));
}

#[test]
fn inequalities_between_numbers_with_factors_are_found() {
    let text = "procedure main() { var steps, way, more: int; var late: bool;
        steps := 0; way := 0; late := false;
        while (way < 1000) { steps := steps + 1; havoc more; if (more > 7) { late := true; }
          way := way + more; }
        assert late || 7 * steps >= way; }";
    assert!(head_implies(text, |t, v| {
        let fast = t.ge(t.scale(v("steps"), &7.into()), v("way"));
        t.or2(v("late"), fast)
    }));
}

#[test]
fn reals_have_polyhedra_as_well() {
    let text = "procedure main() { var level, sum: real; level := 0.0; sum := 1.5;
        while (*) { havoc level; assume 0.5 <= level && level <= 2.0; sum := sum + level; }
        assert sum >= 1.5; }";
    assert!(head_implies(text, |t, v| {
        let half = sectile_base::Rat::new(3.into(), 2.into());
        t.ge(v("sum"), t.number(half, sectile_terms::Sort::Real))
    }));
}

/// Random programs: no concrete run leaves what is known at a location.
#[test]
fn no_run_leaves_the_facts() {
    let mut visited = 0;
    for numbered in sectile_bench::generate::programs(40, 7) {
        let Read { terms, reading } = read("test.bpl", &numbered.text, &[]);
        let graph = &reading.module.model;
        // A tenth of the time is for the facts of one kind: half a second is enough for most.
        let found = facts(&terms, graph, 5);
        for seed in 0..4 {
            let options = SimulationOptions {
                steps: 300,
                seed,
                domain: None,
            };
            let run = simulate(&terms, graph, &options, &Budget::unlimited()).unwrap();
            for state in &run.trace.states {
                let LocationId(l) = state.location;
                let value = |symbol: Symbol, _: Stage| {
                    let place = |all: &[Symbol]| all.iter().position(|s| *s == symbol);
                    let constant = || place(&graph.rigid).map(|i| run.trace.rigid[i].clone());
                    let variable = place(&graph.variables).map(|i| state.values[i].clone());
                    variable.or_else(constant)
                };
                let truth = evaluate(&terms, found[l], &value);
                assert_eq!(truth, Ok(Value::Bool(true)), "{}", numbered.text);
                visited += usize::from(found[l] != terms.tt());
            }
        }
    }
    assert!(
        visited > 1000,
        "only {visited} states were compared with facts"
    );
}
