//! Horn clauses: both dialects, what is accepted, what is refused, and how long it takes.
#![allow(clippy::print_stderr)]

use crate::support;

use sectile_base::Source;
use sectile_frontend::chc::Chc;
use sectile_frontend::vmt::Vmt;
use sectile_frontend::{Frontend, ReadOptions, Reading};
use sectile_model::{Edge, Expected, LocationId, Model, PropertyKind};
use sectile_terms::Terms;
use sectile_testkit::files::{files_in, shared};
use std::path::Path;
use support::{files, seconds, snapshot};

fn read(terms: &Terms, text: &str) -> Result<Reading, String> {
    let source = Source::new("test.smt2", text);
    let reading = Chc.read(terms, &source, &ReadOptions::default());
    reading.map_err(|d| d.render(&source))
}

fn good(terms: &Terms, text: &str) -> Reading {
    read(terms, text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

fn graph(reading: &Reading) -> &Model {
    let model = &reading.module.model;
    assert!(!model.is_system(), "clauses have locations");
    model
}

/// For each clause: the predicates of the body, the number of conjuncts, the predicate of the head.
fn shapes(reading: &Reading) -> Vec<(Vec<String>, usize, Option<String>)> {
    let model = graph(reading);
    let last = model.locations.len() - 1;
    // The entry and the error location are no predicates.
    let name = |l: LocationId| {
        let is_predicate = l != model.entry && l.0 != last;
        is_predicate.then(|| model.location_name(l).to_string())
    };
    let shape = |e: &Edge| {
        let premises = e.premises.iter().map(|p| p.location);
        let body = [e.from].into_iter().chain(premises).filter_map(name);
        let conjuncts = e.command.guards.len() + e.command.relations.len();
        (body.collect(), conjuncts, name(e.to))
    };
    model.edges.iter().map(shape).collect()
}

fn shape(
    body: &[&str],
    conjuncts: usize,
    head: Option<&str>,
) -> (Vec<String>, usize, Option<String>) {
    let body = body.iter().map(ToString::to_string).collect();
    (body, conjuncts, head.map(ToString::to_string))
}

const DECLARED: &str = "(set-logic HORN)\n(declare-fun P (Int) Bool)\n(declare-fun |Q| (Int Int) Bool)\n(declare-fun R () Bool)\n";

fn of(terms: &Terms, assertion: &str) -> Vec<(Vec<String>, usize, Option<String>)> {
    shapes(&good(
        terms,
        &format!("{DECLARED}(assert {assertion})\n(check-sat)\n"),
    ))
}

/// The predicates of a body, the number of conjuncts, the predicate of the head.
type Shape<'a> = (&'a [&'a str], usize, Option<&'a str>);

#[test]
fn clauses_are_found_in_all_shapes() {
    let cases: &[(&str, &[Shape<'_>])] = &[
        (
            "(forall ((x Int)) (=> (and (P x) (> x 3)) (P (+ x 1))))",
            &[(&["P"], 1, Some("P"))],
        ),
        // A clause as a disjunction of literals.
        (
            "(forall ((x Int)) (or (not (|P| x)) (< x 0) (Q x x)))",
            &[(&["P"], 1, Some("Q"))],
        ),
        (
            "(not (exists ((x Int)) (and (P x) (< x 0))))",
            &[(&["P"], 1, None)],
        ),
        ("(forall ((x Int)) (=> (P x) false))", &[(&["P"], 0, None)]),
        ("(=> R false)", &[(&["R"], 0, None)]),
        ("R", &[(&[], 0, Some("R"))]),
        ("(P 3)", &[(&[], 0, Some("P"))]),
        (
            "(forall ((x Int)) (=> (> x 0) (=> (P x) R)))",
            &[(&["P"], 1, Some("R"))],
        ),
        (
            "(forall ((x Int)) (let ((a (P x)) (b (> x 0))) (=> (and a b) R)))",
            &[(&["P"], 1, Some("R"))],
        ),
        (
            "(let ((q R)) (forall ((x Int)) (=> q (P x))))",
            &[(&["R"], 0, Some("P"))],
        ),
        // Disjunctions in bodies are clauses of their own, as far as predicates force that.
        (
            "(forall ((x Int)) (=> (or (P x) R (> x 0) (< x 9)) (Q x x)))",
            &[
                (&["P"], 0, Some("Q")),
                // Nothing but the condition that they are equal says what the arguments are.
                (&["R"], 1, Some("Q")),
                (&[], 2, Some("Q")),
            ],
        ),
        (
            "(forall ((x Int)) (=> (exists ((y Int)) (and (Q x y) (> y x))) (P x)))",
            &[(&["Q"], 1, Some("P"))],
        ),
        // The same name bound twice means two variables.
        (
            "(forall ((x Int)) (=> (exists ((x Int)) (and (P x) (> x 5))) (P x)))",
            &[(&["P"], 1, Some("P"))],
        ),
        (
            "(forall ((x Int)) (=> (ite (> x 0) (P x) R) (Q x x)))",
            &[(&["R"], 2, Some("Q")), (&["P"], 1, Some("Q"))],
        ),
        // A conjunction of heads is a clause each.
        (
            "(forall ((x Int)) (=> (> x 0) (and (P x) R)))",
            &[(&[], 1, Some("P")), (&[], 1, Some("R"))],
        ),
        (
            "(forall ((x Int)) (=> (and (P x) (xor (> x 0) (> x 1)) (distinct x 4) (= (mod x 3) 1) (= (div x 2) 1)) R))",
            &[(&["P"], 4, Some("R"))],
        ),
        // True anyway.
        ("(forall ((x Int)) (=> (and (P x) false) R))", &[]),
        ("(forall ((x Int)) (=> (P x) (P x)))", &[]),
    ];
    for (text, expected) in cases {
        let terms = Terms::new();
        let expected: Vec<_> = expected.iter().map(|(b, n, h)| shape(b, *n, *h)).collect();
        assert_eq!(of(&terms, text), expected, "{text}");
    }
}

#[test]
fn names_bound_twice_are_two_variables() {
    let terms = Terms::new();
    let text = format!(
        "{DECLARED}(assert (forall ((x Int)) (=> (exists ((x Int)) (and (P x) (> x 5))) (P x))))"
    );
    let reading = good(&terms, &text);
    let [(first, a), (second, b)] = &graph(&reading).edges[0].legend[..] else {
        panic!("there are two variables");
    };
    assert_eq!((first.as_str(), second.as_str()), ("x", "x"));
    assert_ne!(a, b);
}

/// Products, quotients and bit operations on variables say little, unless other conditions of the clause
/// give one of the variables a value.
#[test]
fn what_is_not_linear_is_opaque() {
    let cases = [
        ("(= y (* x z))", true),
        ("(and (= z 3) (= y (* x z)))", false),
        ("(= y (div x z))", true),
        ("(and (= z w) (= w 4) (= y (+ (div x z) (mod x z))))", false),
        ("(and (= z 0) (= y (mod x z)))", true),
        // What is not used is not needed, and what was just written is known.
        ("(and (= z 0) (= y (ite (= z 0) 1 (mod x z))))", false),
        (
            "(and (= a (store b x 3)) (= w x) (= z (select a w)) (= y (* x z)))",
            false,
        ),
        (
            "(and (= a (store b x 3)) (= z (select a w)) (= y (* x z)))",
            true,
        ),
        ("(= y (* z (* x x)))", true),
        ("(and (= x 2) (= y (* z (* x x))))", false),
        (
            "(= y (ubv_to_int (bvor ((_ int_to_bv 8) x) ((_ int_to_bv 8) z))))",
            true,
        ),
        (
            "(and (= x 5) (= z 2) (= y (ubv_to_int (bvor ((_ int_to_bv 8) x) ((_ int_to_bv 8) z)))))",
            false,
        ),
        (
            "(and (= z 1) (= y (ubv_to_int (bvshl ((_ int_to_bv 8) x) ((_ int_to_bv 8) z)))))",
            false,
        ),
        ("(= y (+ x z))", false),
    ];
    for (condition, loose) in cases {
        let terms = Terms::new();
        let text = format!(
            "{DECLARED}(assert (forall ((x Int) (y Int) (z Int) (w Int) (a (Array Int Int)) (b (Array Int Int)))
              (=> {condition} (P y))))"
        );
        let reading = good(&terms, &text);
        assert_eq!(graph(&reading).edges[0].loose, loose, "{condition}");
    }
}

/// An operation whose argument has few values is exact for each of them; for all others it stays opaque.
#[test]
fn few_values_are_cases() {
    let cases = [
        // All values, and two that matter.
        ("true", "", vec![true]),
        ("true", "(= k 1)", vec![true, false]),
        ("true", "(and (= k 3) (= x 1))", vec![true, false]),
        // Bounds leave few.
        ("(and (< 0 k) (< k 3))", "", vec![true, false, false]),
        ("(and (< 0 k) (< k 300))", "", vec![true]),
        ("(= k 3)", "", vec![false]),
    ];
    for (condition, query, expected) in cases {
        let terms = Terms::new();
        let text = format!(
            "(declare-fun F (Int Int Int) Bool)
(assert (forall ((x Int) (k Int) (y Int))
  (=> (and {condition} (= y (ubv_to_int (bvshl ((_ int_to_bv 8) x) ((_ int_to_bv 8) k)))))
      (F x k y))))
(assert (forall ((x Int) (k Int) (y Int)) (=> (and (F x k y) (> y 5) {query}) false)))"
        );
        let reading = good(&terms, &text);
        let edges = graph(&reading).edges.iter().zip(shapes(&reading));
        let derive = edges.filter(|(_, shape)| shape.2.is_some());
        let loose: Vec<bool> = derive.map(|(e, _)| e.loose).collect();
        assert_eq!(loose, expected, "{text}");
    }
}

/// An argument that may be any number is tried with small ones, as far as they make the operation exact.
#[test]
fn small_numbers_are_cases_of_any_number() {
    let cases = [
        ("(* x k)", vec![true, false, false, false]),
        ("(div x k)", vec![true, true, false, false]),
        ("(ite (= k 0) 9 (mod x k))", vec![true, false, false, false]),
        ("(* (* x x) (* k k))", vec![true]),
    ];
    for (result, expected) in cases {
        let terms = Terms::new();
        let text = format!(
            "(declare-fun F (Int Int Int) Bool)
(assert (forall ((x Int) (k Int) (y Int)) (=> (= y {result}) (F x k y))))
(assert (forall ((x Int) (k Int) (y Int)) (=> (and (F x k y) (> y 5)) false)))"
        );
        let reading = good(&terms, &text);
        let edges = graph(&reading).edges.iter().zip(shapes(&reading));
        let derive = edges.filter(|(_, shape)| shape.2.is_some());
        let loose: Vec<bool> = derive.map(|(e, _)| e.loose).collect();
        assert_eq!(loose, expected, "{text}");
    }
}

const RULES: &str = "
(declare-rel Loop (Int Int))
(declare-rel Bad ())
(declare-var i Int)
(declare-var j Int)
(rule (=> (= i 0) (Loop i i)) start)
(rule (=> (and (Loop i j) (< i 10)) (Loop (+ i 1) (+ j 2))))
(rule (=> (and (Loop i j) (> j 20)) Bad))
(query Bad)
";

const ASSERTIONS: &str = "
(set-logic HORN)
(declare-fun Loop (Int Int) Bool)
(declare-fun Bad () Bool)
(assert (forall ((i Int)) (=> (= i 0) (Loop i i))))
(assert (forall ((i Int) (j Int)) (=> (and (Loop i j) (< i 10)) (Loop (+ i 1) (+ j 2)))))
(assert (forall ((i Int) (j Int)) (=> (and (Loop i j) (> j 20)) Bad)))
(assert (not Bad))
(check-sat)
(get-model)
(exit)
";

#[test]
fn both_dialects_say_the_same() {
    let (first, second) = (Terms::new(), Terms::new());
    let (rules, assertions) = (good(&first, RULES), good(&second, ASSERTIONS));
    assert_eq!(shapes(&rules), shapes(&assertions));
    let (a, b) = (graph(&rules), graph(&assertions));
    assert_eq!(a.locations.len(), 4);
    assert_eq!(a.edges.len(), b.edges.len());
}

#[test]
fn a_query_names_a_predicate_or_applies_it() {
    for query in [
        "(query Loop)",
        "(query (Loop i 3))",
        "(query (exists ((k Int)) (Loop k k)))",
        "(query Loop :print-certificate true)",
    ] {
        let terms = Terms::new();
        let text = RULES.replace("(query Bad)", query);
        let reading = good(&terms, &text);
        let shapes = shapes(&reading);
        let (body, _, head) = shapes.last().expect("there are clauses");
        assert_eq!(*head, None, "{query}");
        assert_eq!(*body, ["Loop"], "{query}");
    }
}

#[test]
fn clauses_become_edges_with_assignments() {
    let terms = Terms::new();
    let reading = good(&terms, ASSERTIONS);
    let graph = graph(&reading);
    // Both arguments of the only predicate with arguments, by their own names.
    let names: Vec<&str> = graph.variables.iter().map(|&v| terms.name(v)).collect();
    assert_eq!(names, ["i", "j"]);
    let step = &graph.edges[1].command;
    assert_eq!(step.updates.len(), 2);
    assert!(step.relations.is_empty() && step.inputs.is_empty());
    let property = &reading.module.properties[0];
    assert!(matches!(&property.kind, PropertyKind::Unreachable(list) if list.len() == 1));
}

#[test]
fn wires_disappear() {
    let terms = Terms::new();
    let text = "(declare-fun S (Int Bool) Bool)
(assert (forall ((x Int) (b Bool) (w Int) (v Int) (y Int) (c Bool))
  (=> (and (S x b) (= w (+ x 1)) (= v (+ w 1)) (= y v) (not (= c b))) (S y c))))
(assert (S 0 true))
(assert (forall ((x Int) (b Bool)) (=> (and (S x b) b (> x 7)) false)))";
    let reading = good(&terms, text);
    let command = &graph(&reading).edges[0].command;
    assert!(command.inputs.is_empty() && command.relations.is_empty());
    assert_eq!(command.updates.len(), 2);
}

#[test]
fn predicates_share_variables() {
    let terms = Terms::new();
    let text = "(declare-fun A (Int Int Bool) Bool)\n(declare-fun B (Bool Int Int) Bool)
(assert (forall ((x Int) (y Int) (b Bool)) (A x y b)))
(assert (forall ((x Int) (y Int) (b Bool)) (=> (A x y b) (B b y x))))
(assert (forall ((x Int) (y Int) (b Bool)) (=> (and (B b y x) b (< x y)) false)))";
    let reading = good(&terms, text);
    let graph = graph(&reading);
    assert_eq!(graph.variables.len(), 3);
    let [a, b] = ["A", "B"].map(|p| graph.variables_at(graph.location(p).expect("a predicate")));
    assert_eq!(
        [a[0], a[1], a[2]],
        [b[2], b[1], b[0]],
        "copies stay where they are"
    );
}

#[test]
fn functions_that_are_called_are_premises() {
    let terms = Terms::new();
    let text = "(declare-fun Inc (Int Int) Bool)\n(declare-fun L (Int) Bool)
(assert (forall ((x Int)) (Inc x (+ x 1))))
(assert (L 0))
(assert (forall ((x Int) (y Int)) (=> (and (L x) (Inc x y)) (L y))))
(assert (forall ((x Int)) (=> (and (L x) (< x 0)) false)))";
    let reading = good(&terms, text);
    let expected = [
        shape(&[], 1, Some("Inc")),
        shape(&[], 0, Some("L")),
        shape(&["Inc", "L"], 0, Some("L")),
        shape(&["L"], 1, None),
    ];
    assert_eq!(shapes(&reading), expected);
}

#[test]
fn recursion_twice_has_a_premise() {
    let terms = Terms::new();
    let text = "(declare-fun F (Int Int) Bool)
(assert (forall ((x Int)) (=> (<= x 1) (F x 1))))
(assert (forall ((x Int) (a Int) (b Int)) (=> (and (> x 1) (F (- x 1) a) (F (- x 2) b)) (F x (+ a b)))))
(assert (forall ((x Int) (a Int)) (=> (and (F x a) (< a 1)) false)))";
    let reading = good(&terms, text);
    let expected = [
        shape(&[], 1, Some("F")),
        shape(&["F", "F"], 1, Some("F")),
        shape(&["F"], 1, None),
    ];
    assert_eq!(shapes(&reading), expected);
    assert!(graph(&reading).edges.iter().all(|e| !e.loose));
}

#[test]
fn the_status_is_an_expectation() {
    for (status, expected) in [
        ("sat", Expected::Holds),
        ("unsat", Expected::Violated(None)),
    ] {
        let terms = Terms::new();
        let text = format!("(set-info :status {status})\n{ASSERTIONS}");
        let reading = good(&terms, &text);
        assert_eq!(reading.module.expectations[0].expected, expected);
    }
}

#[test]
fn mistakes_get_the_messages_of_the_snapshots() {
    for path in files("bad_chc", "smt2") {
        snapshot(&path.with_extension("txt"), &messages(&Chc, &path));
    }
    for path in files("bad_vmt", "vmt") {
        snapshot(&path.with_extension("txt"), &messages(&Vmt, &path));
    }
}

fn messages(frontend: &dyn Frontend, path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("the test file can be read");
    let name = path
        .file_name()
        .expect("a file has a name")
        .to_string_lossy();
    let source = Source::new(name, text);
    let terms = Terms::new();
    match frontend.read(&terms, &source, &ReadOptions::default()) {
        Err(diagnostics) => diagnostics.render(&source),
        Ok(_) => "nothing is wrong\n".to_string(),
    }
}

fn timed(what: &str, text: &str) -> Result<(), String> {
    let terms = Terms::new();
    let start = seconds();
    let result = read(&terms, text).map(|_| ());
    let used = seconds() - start;
    let limit = if cfg!(debug_assertions) { 4.0 } else { 1.0 };
    assert!(used < limit, "{what}: {used} s");
    result
}

#[test]
fn deep_nesting_is_no_problem() {
    const DEPTH: usize = 100_000;
    let deep = |open: &str, inner: &str, close: &str| {
        format!(
            "{DECLARED}(assert {}{inner}{})",
            open.repeat(DEPTH),
            close.repeat(DEPTH)
        )
    };
    assert!(timed("not", &deep("(not ", "R", ")")).is_ok());
    assert!(timed("and", &deep("(and true ", "R", ")")).is_ok());
    assert!(timed("let", &deep("(let ((x 1)) ", "R", ")")).is_ok());
    assert!(timed("forall", &deep("(forall ((x Int)) ", "R", ")")).is_ok());
    assert!(timed("implies", &deep("(=> R ", "R", ")")).is_ok());
    assert!(timed("brackets", &deep("(", "R", ")")).is_err());
    let unclosed = format!("{DECLARED}(assert {}", "(or R ".repeat(DEPTH));
    assert!(timed("unclosed", &unclosed).is_err());
}

#[test]
fn a_megabyte_takes_less_than_a_second() {
    let mut text = DECLARED.to_string();
    let mut k = 0;
    while text.len() < 1_000_000 {
        k += 1;
        text.push_str(&format!(
            "(assert (forall ((a Int) (b Int) (c Int)) (=> (and (Q a b) (= c (+ a {k})) (or (< a {k}) (> b (* 3 c))) (<= (+ a b c) {k})) (Q c b))))\n"
        ));
    }
    text.push_str(
        "(assert (Q 0 1))\n(assert (forall ((a Int) (b Int)) (=> (and (Q a b) (< a b)) false)))\n",
    );
    assert!(timed("many clauses", &text).is_ok());
    // One clause with one long chain of definitions.
    let count = 12_000;
    let bound: Vec<String> = (0..count).map(|i| format!("(x{i} Int)")).collect();
    let chain: Vec<String> = (1..count)
        .map(|i| format!("(= x{i} (+ x{} 1))", i - 1))
        .collect();
    let last = count - 1;
    let text = format!(
        "{DECLARED}(assert (P 0))(assert (forall ((x Int)) (=> (and (P x) (< x 0)) false)))
(assert (forall ({}) (=> (and (P x0) {}) (P x{last}))))",
        bound.join(" "),
        chain.join(" ")
    );
    assert!(timed("a long chain", &text).is_ok());
}

/// Every file of the collection is read.
#[test]
fn the_collection_is_read() {
    let Some(folder) = shared("bench/chc") else {
        return;
    };
    for part in ["tiny", "dev"] {
        for path in files_in(&folder.join(part), &["smt2"]) {
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            let read = read(&Terms::new(), &text);
            assert!(read.is_ok(), "{path:?}: {:?}", read.err());
        }
    }
}

const RECORDS: &str =
    "(declare-datatypes ((R 0) (E 0)) (((r (x Int) (a (Array Int Bool)))) ((e0) (e1))))\n";

/// The sorts of the arguments of the first predicate.
fn sorts(text: &str) -> Vec<String> {
    let terms = Terms::new();
    let reading = good(&terms, &format!("(set-logic HORN)\n{RECORDS}{text}"));
    let own = graph(&reading).variables_at(LocationId(1)).iter();
    own.map(|&v| sectile_smtlib::print_sort(&terms, terms.symbol_sort(v)))
        .collect()
}

#[test]
fn types_become_their_leaves() {
    for (declared, expected) in [
        ("R", vec!["Int", "(Array Int Bool)"]),
        (
            "(Array Int R)",
            vec!["(Array Int Int)", "(Array Int (Array Int Bool))"],
        ),
        (
            "(Array R Int)",
            vec!["(Array Int (Array (Array Int Bool) Int))"],
        ),
        ("E", vec!["Int"]),
        ("(_ BitVec 7)", vec!["Int"]),
        (
            "(Array (Array Int Int) Real)",
            vec!["(Array (Array Int Int) Real)"],
        ),
    ] {
        let text = format!("(declare-fun P ({declared}) Bool)");
        assert_eq!(sorts(&text), expected, "{declared}");
    }
}

#[test]
fn values_of_other_types_are_refused() {
    let terms = Terms::new();
    for (claim, message) in [
        (
            "(P (r 1 e0) e0)",
            "`a` of `r` must be of sort (Array Int Bool)",
        ),
        ("(P e0 e0)", "argument 1 of `P` must be of sort R"),
        (
            "(forall ((q R)) (=> (= q e0) (P q e0)))",
            "the arguments of `=` have different sorts",
        ),
        (
            "(forall ((q R)) (=> (> q 1) (P q e0)))",
            "`>` is not an operator on data types",
        ),
        (
            "(forall ((q R)) (=> q (P q e0)))",
            "`=>` is not an operator on data types",
        ),
        (
            "(forall ((q R)) (P q (x q)))",
            "argument 2 of `P` must be of sort E",
        ),
        (
            "(forall ((q R)) (P q (e0 q)))",
            "`e0` needs 0 arguments and has 1",
        ),
        (
            "(forall ((q R)) (P q ((_ is e1) q)))",
            "`e1` needs a value of sort E",
        ),
        (
            "(forall ((q R)) (=> (bvult #x1 #x01) (P q e0)))",
            "bit-vectors of different widths",
        ),
    ] {
        let text = format!("{RECORDS}(declare-fun P (R E) Bool)\n(assert {claim})");
        let wrong = read(&terms, &text).err().unwrap_or_default();
        assert!(wrong.contains(message), "{claim}: {wrong}");
    }
}
