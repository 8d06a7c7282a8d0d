//! The while language: locations and edges, properties, parameters, and what is refused.

#![allow(clippy::unwrap_used)]

use crate::support;

use sectile_base::{Rng, Source};
use sectile_frontend::imp::{Detail, print_graph};
use sectile_frontend::{Reading, Scope};
use sectile_model::*;
use sectile_terms::*;
use sectile_testkit::files::model_text;
use sectile_testkit::models::parameters;
use support::{edges, files, graph, read_source, seconds, snapshot};

const EXAMPLE: &str = "\
// expect: end violated in 2 steps
l0: i := N;
l1: while (0 <= x < N) {
l2:   i := i - 1;
l3:   x := x + 1;
    }
l4:
always end: l4 => 0 <= i
";

fn reading(terms: &Terms, text: &str) -> Reading {
    let source = Source::new("dir/test.imp", text);
    read_source(terms, &source, &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn given(terms: &Terms, text: &str, parameters: &[(&str, &str)]) -> Result<Reading, String> {
    let source = Source::new("test.imp", text);
    read_source(terms, &source, &self::parameters(parameters))
}

fn names(reading: &Reading) -> Vec<&str> {
    let locations = graph(reading).locations.iter();
    locations.map(|l| l.name.as_str()).collect()
}

#[test]
fn example_1_has_the_edges_of_the_lecture() {
    let terms = Terms::new();
    for text in [EXAMPLE.to_string(), model_text("lecture-a.imp")] {
        let reading = reading(&terms, &text);
        assert_eq!(names(&reading), ["l0", "l1", "l2", "l3", "l4"]);
        assert_eq!(
            edges(&reading),
            [
                "l0->l1 i := N",
                "l1->l2 ?0 <= x < N",
                "l1->l4 ?not (0 <= x < N)",
                "l2->l3 i := i - 1",
                "l3->l1 x := x + 1",
            ]
        );
    }
}

#[test]
fn labels_may_be_left_out() {
    let terms = Terms::new();
    let text = "i := N; while (0 <= x < N) { i := i - 1; x := x + 1 }";
    let plain = reading(&terms, text);
    assert_eq!(edges(&plain), edges(&reading(&terms, EXAMPLE)));
    // `l1` is a variable and `l3` a label: both are left out.
    let mixed = reading(
        &terms,
        "l1 := 0; start: l1 := 1; l1 := 2; l3: l1 := 3; l1 := 4",
    );
    assert_eq!(names(&mixed), ["l0", "start", "l2", "l3", "l4", "l5"]);
}

#[test]
fn example_c_has_the_edges_of_the_lecture() {
    let terms = Terms::new();
    let reading = reading(&terms, &model_text("lecture-c.imp"));
    assert_eq!(
        names(&reading),
        [
            "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l8", "l9", "l10", "l13"
        ]
    );
    assert_eq!(
        edges(&reading),
        [
            "l0->l1 L := 0",
            "l1->l2 C := 0",
            "l2->l3 ?t > 0",
            "l2->l13 ?not (t > 0)",
            "l3->l4 b := *",
            "l4->l5 ?b >= 0",
            "l4->l8 ?not (b >= 0)",
            "l5->l6 L := 1",
            "l6->l8 C := C + 1",
            "l8->l9 ?C > 0",
            "l8->l10 ?not (C > 0)",
            "l9->l10 L := 0",
            "l10->l2 t := t - 1",
        ]
    );
}

#[test]
fn edges_are_commands_with_all_frames() {
    let terms = Terms::new();
    let reading = reading(&terms, &model_text("lecture-c.imp"));
    let graph = graph(&reading);
    let name = |s: &Symbol| terms.name(*s).to_string();
    let variables: Vec<String> = graph.variables.iter().map(name).collect();
    assert_eq!(variables, ["L", "C", "t", "b"]);
    assert!(graph.rigid.is_empty());
    for edge in &graph.edges {
        assert!(edge.command.unassigned(&graph.variables).is_empty());
        assert!(edge.command.relations.is_empty());
    }
    let havoc = &graph.edges[4].command;
    assert_eq!(havoc.inputs.len(), 1);
    assert_eq!(terms.symbol_kind(havoc.inputs[0]), SymbolKind::Input);
    assert_eq!(
        havoc.update_of(graph.variables[3]),
        Some(terms.var(havoc.inputs[0]))
    );
    assert_eq!(
        havoc.update_of(graph.variables[0]),
        Some(terms.var(graph.variables[0]))
    );
}

#[test]
fn what_is_never_assigned_is_constant() {
    let terms = Terms::new();
    let reading = reading(&terms, EXAMPLE);
    let graph = graph(&reading);
    assert_eq!(graph.name, "test");
    assert_eq!(terms.name(graph.rigid[0]), "N");
    assert_eq!(terms.symbol_kind(graph.rigid[0]), SymbolKind::Rigid);
    assert_eq!(graph.variables.len(), 2);
    assert!(graph.init.is_empty() && graph.restrict.is_empty());
}

#[test]
fn guards_are_lists_of_conjuncts() {
    let terms = Terms::new();
    let reading = reading(
        &terms,
        "?(a > 0 && b > 0); while (a > 0 || b > 0) a := a - 1",
    );
    let counts: Vec<usize> = graph(&reading)
        .edges
        .iter()
        .map(|e| e.command.guards.len())
        .collect();
    assert_eq!(counts, [2, 1, 2, 0]);
}

#[test]
fn properties_are_those_of_the_text() {
    let terms = Terms::new();
    let text = "
        l0: x := 0;
        assert x = 0;
        while (x < 3) { x := x + 1; assert small: x <= 3; assert x > 0 }
        l9: assert x = 3; skip
        always x3: l9 => x = 3
        always l0 => x = x
        always both: l0, l9 => x >= 0
        invariant low: x > -5
        error high: x > 5
        ctl ends: AF l9 and AG (l9 -> x = 3)";
    let reading = reading(&terms, text);
    let properties = &reading.module.properties;
    let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "assert1", "small", "assert2", "assert3", "x3", "l0", "both", "low", "high", "ends"
        ]
    );
    let at = |name: &str| match reading.module.property(name).unwrap().kind {
        PropertyKind::AtLocation(l, _) => l,
        ref other => panic!("{other:?}"),
    };
    // Every assertion has a location of its own, even at the end of a loop's body.
    let asserted: Vec<LocationId> = ["assert1", "small", "assert2", "assert3"].map(at).to_vec();
    let distinct: std::collections::BTreeSet<_> = asserted.iter().collect();
    assert_eq!(distinct.len(), 4);
    assert_eq!(at("x3"), at("assert3"));
    assert_eq!(at("l0"), LocationId(0));
    let kind = |name: &str| &reading.module.property(name).unwrap().kind;
    assert!(matches!(kind("both"), PropertyKind::Ctl(Ctl::Ag(_))));
    assert!(matches!(kind("low"), PropertyKind::Invariant(_)));
    assert!(matches!(kind("high"), PropertyKind::Error(_)));
    assert!(matches!(kind("ends"), PropertyKind::Ctl(Ctl::And(..))));
}

#[test]
fn an_assertion_before_a_loop_is_not_checked_in_it() {
    let terms = Terms::new();
    let reading = reading(
        &terms,
        "x := 0; a: assert x = 0; l: while (x < 3) x := x + 1",
    );
    assert_eq!(
        edges(&reading),
        [
            "l0->a x := 0",
            "a->l assert x = 0",
            "l->l1 ?x < 3",
            "l->l2 ?not (x < 3)",
            "l1->l x := x + 1",
        ]
    );
}

#[test]
fn free_choices_and_stars_are_pairs_of_tests() {
    let terms = Terms::new();
    let reading = reading(
        &terms,
        "a: if (*) x := 1 else x := 2; b: { x := 3 }* c: while (*) { }",
    );
    assert_eq!(
        edges(&reading),
        [
            "a->l0 ?true",
            "a->l1 ?true",
            "l0->b x := 1",
            "l1->b x := 2",
            "b->l2 ?true",
            "b->c ?true",
            "l2->b x := 3",
            "c->c ?true",
            "c->l3 ?true",
        ]
    );
}

#[test]
fn chains_of_conditions_test_one_after_the_other() {
    let terms = Terms::new();
    let text = "a: if (x = 1) y := 1 else if (x = 2) { } else { z: y := 3 } e:";
    assert_eq!(
        edges(&reading(&terms, text)),
        [
            "a->l0 ?x = 1",
            "a->l1 ?not (x = 1)",
            "l0->e y := 1",
            "l1->e ?x = 2",
            "l1->z ?not (x = 2)",
            "z->e y := 3",
        ]
    );
}

#[test]
fn labels_at_ends_are_further_names() {
    let terms = Terms::new();
    let text = "l1: while (x > 0) { if (x = 1) { x := 5; l7: } l8: x := x - 1; l9: } l10: l11:
                always a: l7 => x > 0 always b: l8 => x > 0 always c: l9 => x > 1
                always d: l11 => x <= 0";
    let reading = reading(&terms, text);
    let at = |name: &str| match reading.module.property(name).unwrap().kind {
        PropertyKind::AtLocation(l, _) => graph(&reading).location_name(l).to_string(),
        ref other => panic!("{other:?}"),
    };
    assert_eq!(["a", "b", "c", "d"].map(at), ["l8", "l8", "l1", "l10"]);
}

#[test]
fn parameters_have_defaults_and_can_be_given() {
    let terms = Terms::new();
    let text = "param n = 2 param m = n + 1; if (n > m) x := 1 else x := m;";
    let default = given(&terms, text, &[]).unwrap();
    let value = |r: &Reading| -> Vec<String> {
        r.module
            .parameters
            .iter()
            .map(|p| p.1.to_string())
            .collect()
    };
    assert_eq!(value(&default), ["2", "3"]);
    let three = given(&terms, text, &[("m", "-7")]).unwrap();
    assert_eq!(value(&three), ["2", "-7"]);
    // What can never be taken is no edge.
    assert_eq!(edges(&default).len(), 3);
    assert_eq!(edges(&default)[0], "l0->l2 ?not (n > m)");
    assert_eq!(edges(&three)[0], "l0->l1 ?n > m");
    for (name, value) in [("k", "1"), ("n", "x"), ("n", "")] {
        let refused = given(&terms, text, &[(name, value)]).err().unwrap();
        assert!(refused.contains("error[parameter]"), "{refused}");
    }
}

#[test]
fn declared_types_restrict_and_init_starts() {
    let terms = Terms::new();
    let text = "var k : 0..3, n : nat, b : bool, r, s : real, m : {idle, busy};
                init k = 1 and m = idle; init not b;
                k := k + 1; b := !b; r := r / 2 + 1.5; m := busy; n := *; s := r;";
    let reading = reading(&terms, text);
    let graph = graph(&reading);
    assert_eq!(graph.variables.len(), 6);
    assert_eq!(graph.restrict.len(), 3);
    assert_eq!(graph.init.len(), 3);
    let sorts: Vec<Sort> = graph
        .variables
        .iter()
        .map(|&s| terms.symbol_sort(s))
        .collect();
    assert_eq!(
        sorts[..5],
        [Sort::Int, Sort::Int, Sort::Bool, Sort::Real, Sort::Real]
    );
}

#[test]
fn expectations_are_read() {
    let terms = Terms::new();
    let reading = reading(&terms, EXAMPLE);
    assert_eq!(
        reading.module.expectations,
        [Expectation {
            parameters: vec![],
            property: "end".into(),
            expected: Expected::Violated(Some(2)),
        }]
    );
    assert!(reading.warnings.is_empty());
}

#[test]
fn formulas_and_values_are_read_in_the_scope() {
    let terms = Terms::new();
    let reading = reading(&terms, EXAMPLE);
    let scope: &Scope = &reading.scope;
    let formula = |text: &str| scope.formula(&terms, &Source::new("p", text));
    let printed = NativePrinter::new(&terms).print(formula("i >= 0 && x <= 3").unwrap());
    assert_eq!(printed, "i >= 0 and x <= 3");
    assert!(formula("i >= 0 and").is_err());
    assert!(formula("unknown >= 0").is_err());
    assert!(formula("l1").is_err());
    let i = graph(&reading).variables[0];
    let value = scope.value(&terms, i, &Source::new("v", "-3"));
    assert_eq!(value.unwrap(), Value::Int((-3).into()));
    assert!(scope.value(&terms, i, &Source::new("v", "true")).is_err());
}

#[test]
fn graphs_print_as_text() {
    let terms = Terms::new();
    let reading = reading(&terms, EXAMPLE);
    let text = print_graph(&terms, graph(&reading), Detail::Names);
    assert_eq!(
        text,
        "graph test
variables i : int, x : int
constants N : int
l0 (entry)
  -> l1: i := N
l1
  -> l2: ?0 <= x < N
  -> l4: ?not (0 <= x < N)
l2
  -> l3: i := i - 1
l3
  -> l1: x := x + 1
l4
"
    );
    let text = "var k : 0..3; init k = 0; k := *; ?k > 1 and k < 3";
    let reading = self::reading(&terms, text);
    let text = print_graph(&terms, graph(&reading), Detail::Formulas);
    assert_eq!(
        text,
        "graph test
variables k : int
restrict k >= 0
restrict k <= 3
init k = 0
l0 (entry)
  -> l1: k := *
       any k_any
       k := k_any
l1
  -> l2: ?k > 1 and k < 3
       k >= 2
       k <= 2
l2
"
    );
}

#[test]
fn names_of_edges_are_on_one_line() {
    let terms = Terms::new();
    let reading = reading(&terms, "x :=\n  x // first\n  + /* one */ 1; `a b` := x");
    assert_eq!(edges(&reading), ["l0->l1 x := x + 1", "l1->l2 `a b` := x"]);
    let source = Source::new("t", "x :=\n  x // first\n  + /* one */ 1; `a b` := x");
    let span = graph(&reading).edges[1].command.span;
    assert_eq!(source.slice(span), "`a b` := x");
}

#[test]
fn reading_twice_gives_the_same() {
    for name in ["lecture-a.imp", "lecture-b.imp", "lecture-c.imp", "sum.imp"] {
        let (one, two) = (Terms::new(), Terms::new());
        let text = model_text(name);
        let a = reading(&one, &text);
        let b = reading(&two, &text);
        assert_eq!(format!("{:?}", a.module), format!("{:?}", b.module));
        assert!(!a.module.expectations.is_empty());
        let again = reading(&one, &text);
        assert_eq!(a.module.model, again.module.model);
    }
}

/// Every file under `tests/bad_imp` has its messages beside it.
#[test]
fn mistakes_are_explained() {
    let all = files("bad_imp", "imp");
    assert!(all.len() >= 15);
    for path in all {
        let terms = Terms::new();
        let started = seconds();
        let messages = match support::read(&terms, &path, &[]) {
            Ok(_) => panic!("{path:?} was accepted"),
            Err(messages) => messages,
        };
        assert!(seconds() - started < 1.0, "{path:?}");
        snapshot(&path.with_extension("txt"), &messages);
    }
}

#[test]
fn huge_texts_are_refused_quickly() {
    let million = 1_000_000;
    let texts = [
        "(".repeat(10 * million),
        "{".repeat(10 * million),
        "if (x) ".repeat(million),
        "while (*) ".repeat(million),
        "l: ".repeat(million),
        "x := -".repeat(million),
        format!("x := {}1", "-".repeat(million)),
        ";".repeat(million),
        "}".repeat(million),
        "always ".repeat(million),
        "var ".repeat(million),
        "\0".repeat(million),
        format!("x := 1{}", " + ".repeat(million)),
    ];
    for text in texts {
        let terms = Terms::new();
        let start: String = text.chars().take(20).collect();
        let started = seconds();
        assert!(given(&terms, &text, &[]).is_err(), "{start}");
        assert!(seconds() - started < 3.0, "{start}");
    }
}

#[test]
fn long_programs_are_read() {
    let terms = Terms::new();
    let text = "x := x + 1; ".repeat(2000);
    assert_eq!(edges(&reading(&terms, &text)).len(), 2000);
    let terms = Terms::new();
    let chain = format!("if (x = 0) skip{}", " else if (x = 1) skip".repeat(2000));
    assert_eq!(edges(&reading(&terms, &chain)).len(), 3 * 2001);
    let terms = Terms::new();
    let nested = format!("{}x := 1{}", "while (x > 0) {".repeat(100), "}".repeat(100));
    assert_eq!(names(&reading(&terms, &nested)).len(), 102);
}

/// Texts with random damage are read or refused; nothing panics.
#[test]
fn damaged_texts_do_no_harm() {
    let pieces = [
        "{", "}", "(", ")", ";", ":", ":=", "*", "?", "if", "else", "while", "loop", "l1", "x",
        "0", "always", "ctl", "AG", "assert", "=>", "and", "..", "var", "param", "`", "/*", "//",
        "'", "\u{0}", "é", "-", "1.5",
    ];
    let sources = [
        EXAMPLE.to_string(),
        model_text("lecture-c.imp"),
        model_text("sum.imp"),
    ];
    let mut rng = Rng::new(17);
    for round in 0..3000 {
        let mut text = sources[round % sources.len()].clone();
        for _ in 0..=rng.below(4) {
            let mut at = rng.below(text.len() as u64 + 1) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if rng.chance(1, 3) {
                let mut end = (at + rng.below(30) as usize).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                text.replace_range(at..end, "");
            } else {
                text.insert_str(at, rng.pick(&pieces).unwrap());
            }
        }
        let terms = Terms::new();
        let _ = given(&terms, &text, &[]);
    }
}
