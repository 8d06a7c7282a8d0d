//! What steps of Boogie programs say exactly, and where they allow more: quantifiers, axioms about
//! functions, and arithmetic that is not linear.

#![allow(clippy::unwrap_used)]

use crate::boogie_semantics::check;
use crate::support;

use sectile_base::Source;
use sectile_frontend::Reading;
use sectile_terms::{SymbolKind, Terms};
use support::read_source;

fn read(terms: &Terms, text: &str) -> Reading {
    let source = Source::new("test.bpl", text);
    read_source(terms, &source, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// How many steps allow more than the program does.
fn loose(text: &str) -> usize {
    let reading = read(&Terms::new(), text);
    reading
        .module
        .model
        .edges
        .iter()
        .filter(|e| e.loose)
        .count()
}

#[test]
fn a_value_that_is_assumed_to_exist_is_another_one_each_time() {
    check(
        "procedure main() { var x, y, i : int; i := 0;\n\
         while (i < 2) { havoc x; assume -2 <= x && x <= 2;\n\
         assume (exists k : int :: x == 2 * k);\nassert x != 1;\n\
         if (i == 0) { y := x; } i := i + 1; }\n\
         assert x == y; // fails\n}",
    );
}

#[test]
fn each_use_of_a_function_has_its_own_values() {
    check(
        "function even(x : int) returns (bool) { (exists k : int :: x == 2 * k) }\n\
         procedure main() { var x, y : int; assume 0 <= x && x <= 2 && 0 <= y && y <= 2;\n\
         assume even(x) && even(y);\n\
         assert x == y; // fails\n\
         assert x != 1;\nassert y != 1;\n}",
    );
}

#[test]
fn conditions_of_statements_may_have_quantifiers() {
    check(
        "procedure main() { var x : int; var b : bool; assume 0 <= x && x <= 3; b := false;\n\
         if ((exists k : int :: x == 2 * k)) { b := true;\nassert x == 0 || x == 2;\n }\n\
         assert !b; // fails\n}",
    );
}

#[test]
fn a_claim_about_all_values_fails_for_one() {
    check(
        "procedure main() { var x : int; x := 2;\n\
         assert x == 2 && (forall k : int :: k > x ==> k > 1);\n\
         assert x == 2 && (forall k : int :: k > x ==> k > 3); // fails\n}",
    );
}

#[test]
fn quantifiers_over_truth_values_are_exact() {
    let text = "procedure main() { var b, c : bool;\n\
                assume (forall p : bool :: p ==> b);\nassert b;\n\
                assert (exists p : bool :: p == c && !p); // fails\n}";
    assert_eq!(loose(text), 0);
    check(text);
}

/// What is assumed of all values is assumed of some: no violation behind it is believed.
#[test]
fn what_is_assumed_of_all_values_allows_more() {
    let text = |e: &str| {
        format!(
            "procedure main() {{ var a : [int]int; var n : int;\n assume {e};\nassert a[n] == 0;\n}}"
        )
    };
    assert_eq!(loose(&text("(forall k : int :: k < n ==> a[k] == 0)")), 1);
    assert_eq!(loose(&text("!(exists k : int :: a[k] > 0)")), 1);
    assert_eq!(loose(&text("(exists k : int :: a[k] > 0)")), 0);
    assert_eq!(loose(&text("n == 0 <==> (exists k : int :: a[k] > n)")), 1);
    // All elements of a map are the same: it is a map that has these.
    assert_eq!(loose(&text("(forall k : int :: a[k] == n)")), 0);
    assert_eq!(loose(&text("(forall k : int :: a[k] == k)")), 1);
    assert_eq!(loose(&text("!(exists k : int :: a[k] != 0)")), 0);
}

#[test]
fn values_that_are_chosen_again_are_variables() {
    let terms = Terms::new();
    let text = "procedure main() { var x : int;\n assume (exists k : int :: x == 2 * k);\n\
                assert (forall k : int :: k > x);\n}";
    let model = read(&terms, text).module.model;
    let named = |list: &[sectile_terms::Symbol], kind| {
        list.iter()
            .filter(|&&s| terms.symbol_kind(s) == kind)
            .map(|&s| terms.name(s).to_string())
            .collect::<Vec<_>>()
    };
    assert!(named(&model.variables, SymbolKind::State).contains(&"exists.k".to_string()));
    assert_eq!(named(&model.rigid, SymbolKind::Rigid), ["x", "forall.k"]);
}

#[test]
fn an_axiom_that_says_what_a_function_is_defines_it() {
    let text = "function inc(int) returns (int); axiom (forall i : int :: { inc(i) } inc(i) == i + 1);\n\
                function twice(x : int, y : bool) returns (int);\n\
                axiom (forall b : bool, i : int :: inc(i) + (if b then i else 0) == twice(i, b));\n\
                function small(int) returns (bool); axiom (forall i : int :: small(i) <==> i < 3);\n\
                procedure main() { var x : int; x := inc(2);\nassert x == 3;\nassert !small(x);\n\
                assert twice(x, true) == 7;\nassert twice(x, false) == 5; // fails\n}";
    assert_eq!(loose(text), 0);
    check(text);
}

/// Two functions that are defined by each other have no bodies.
#[test]
fn axioms_do_not_define_functions_by_themselves() {
    let text = "function f(int) returns (int); function g(int) returns (int);\n\
                axiom (forall i : int :: f(i) == g(i)); axiom (forall i : int :: g(i) == f(i));\n\
                function h(int) returns (int); axiom (forall i : int :: h(i) == h(i + 1));\n\
                procedure main() { assert f(1) == g(1); assert h(0) == 0; }";
    assert!(loose(text) > 0);
}

#[test]
fn a_program_without_bodies_is_right() {
    let terms = Terms::new();
    let reading = read(
        &terms,
        "procedure p(x : int) returns (y : int); ensures y > x;",
    );
    assert_eq!(reading.module.properties[0].name, "no_assertion");
    assert!(
        reading
            .warnings
            .iter()
            .any(|d| d.message.contains("nothing to check"))
    );
}

/// With a few numbers in the place of a factor a product is exact.
#[test]
fn products_are_exact_where_a_factor_is_known() {
    let small = |claims: &str| {
        let known = "assume 1 <= x && x <= 2 && 1 <= y && y <= 2;";
        check(&format!(
            "procedure main() {{ var x, y : int; {known}\n{claims}\n}}"
        ));
    };
    small("assert x * y <= 4;\nassert x * y != 2; // fails");
    small("assert x * y * x <= 8;\nassert x * x == 1; // fails");
    small("assert (x * y) div x == y;");
    small("assert (x + y) mod y == x mod y;");
    // The same, inside of a function and for negative numbers.
    check(
        "function square(x : int) returns (int) { x * x }\n\
         procedure main() { var x : int; assume 0 <= x && x <= 2; x := square(x) - square(x - 1);\n\
         assert x == -1 || x == 1 || x == 3;\nassert x != 3; // fails\n}",
    );
}

/// One step for each number that is tried, one for all others, and its result before it.
#[test]
fn other_factors_allow_more() {
    let text = "procedure main() { var x, y, z : int;\n z := x * y;\nassert z == 0;\n}";
    let model = read(&Terms::new(), text).module.model;
    let (loose, exact): (Vec<_>, Vec<_>) = model.edges.iter().partition(|e| e.loose);
    assert_eq!(loose.len(), 1);
    assert_eq!(exact.len(), 4 + 1 + 2);
}
