//! What Boogie programs mean: small programs, searched completely within a domain of numbers.
//!
//! Every program says in comments which of its claims fail: `// fails` on the line of the claim.

#![allow(clippy::unwrap_used)]

use crate::support;

use sectile_base::{Budget, Int, Source};
use sectile_explicit::{Answer, Domain, Options, Stop, explore};
use sectile_terms::Terms;
use support::read_source;

/// Reads a program, searches it, and compares what fails with the comments.
pub(crate) fn check(text: &str) {
    check_within(-4, 4, text);
}

fn check_within(low: i64, high: i64, text: &str) {
    let terms = Terms::new();
    let source = Source::new("test.bpl", text);
    let reading = read_source(&terms, &source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut module = reading.module;
    // Runs are followed where recursive calls are understood by contracts.
    if let Some(contracts) = module.model.contracts.take() {
        (module.model, module.properties) = (contracts.model, contracts.properties);
    }
    let options = Options {
        domain: Some(Domain::new(Int::from(low), Int::from(high)).unwrap()),
        max_depth: None,
        max_states: Some(2_000_000),
        stop: Stop::Never,
        keep_steps: false,
    };
    let found = explore(&terms, &module, &options, &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(found.states < 2_000_000, "the search is complete");
    for (property, result) in module.properties.iter().zip(&found.properties) {
        let line = source.position(property.span.start).line;
        let expected = source.line(line).contains("// fails");
        let violated = result.answer == Answer::Violated;
        assert_eq!(violated, expected, "{} of\n{text}", property.name);
    }
    let marks = text.matches("// fails").count();
    let violated = found.properties.iter();
    let violated = violated.filter(|p| p.answer == Answer::Violated).count();
    assert_eq!(marks, violated, "{text}");
}

/// The body of a procedure with some variables.
fn body(statements: &str) {
    check(&format!(
        "var g, h : int;\nprocedure main()\nmodifies g, h;\n{{\n  var x, y, z : int;\n  var b, c : bool;\n{statements}\n}}\n"
    ));
}

#[test]
fn variables_have_any_value_at_the_start() {
    body("assert x == 0; // fails");
    body("assert g == 0; // fails");
    body("assert b; // fails");
    body("assert b || !b; assert x >= 0 || x <= 0;");
}

#[test]
fn an_assertion_holds_behind_itself() {
    body("assert x == 1; // fails\nassert x >= 1;\nassert x == 2; // fails");
    body("assume x == 1;\nassert x == 1;");
    body("assume false;\nassert false;");
}

#[test]
fn assignments_are_simultaneous() {
    body("x, y := 1, 2;\nx, y := y, x;\nassert x == 2 && y == 1;\nassert x == 1; // fails");
}

#[test]
fn havoc_forgets_and_keeps_the_rest() {
    body("x, y := 1, 2;\nhavoc x;\nassert y == 2;\nassert x == 1; // fails");
    check(
        "procedure main() { var x : int where x > 0; var y : int;\n\
         assert x > 0;\nx := -1;\nassert x > 0; // fails\n}",
    );
    check(
        "procedure main() { var x : int where x > 0; var y : int;\n\
         y := -1; x := y;\nhavoc x;\nassert x > 0;\nassert x > 1; // fails\n}",
    );
    check("var g : int where g > 1;\nprocedure main() {\nassert g > 1;\nassert g > 2; // fails\n}");
}

#[test]
fn conditionals_take_one_branch() {
    body(
        "if (x > 0) { y := 1; } else if (x < 0) { y := -1; } else { y := 0; }\nassert y >= -1 && y <= 1;\nassert (y == 0) == (x == 0);\nassert y != 0; // fails",
    );
    body("y := 0; if (x > 3) { y := 1; }\nassert y == 1 ==> x == 4;\nassert y == 0; // fails");
    body(
        "y := 0; if (*) { y := 1; }\nassert y == 0 || y == 1;\nassert y == 0; // fails\nassert y == 1; // fails",
    );
    body("y := 0; z := 0; if (*) { y := 1; } else { z := 1; }\nassert y + z == 1;");
}

#[test]
fn loops_repeat_and_their_invariants_are_claims() {
    body("x := 0; while (x < 3) { x := x + 1; }\nassert x == 3;\nassert x == 2; // fails");
    body("x := 0; while (x < 3)\ninvariant x <= 3;\ninvariant x <= 2; // fails\n{ x := x + 1; }");
    body(
        "x := 0; while (*)\nfree invariant x <= 2;\n{ x := x + 1; }\nassert x <= 2;\nassert x == 0; // fails",
    );
    // The invariant is looked at before the first round, and where the loop is left.
    body("x := 5 - 4; while (false)\ninvariant x == 0; // fails\n{ }");
    body("x := 0; while (*) { x := x + 1; }\nassert x < 4; // fails\nassert x >= 0;");
    body("while (true) { }\nassert false;");
}

#[test]
fn break_leaves_the_right_statement() {
    body("x := 0; while (true) { if (x == 2) { break; } x := x + 1; }\nassert x == 2;");
    body(
        "x := 0; y := 0;\nouter: while (x < 3) { x := x + 1; while (true) { y := y + 1; break outer; } }\nassert x == 1 && y == 1;",
    );
    body(
        "x := 0;\nl: if (*) { x := 1; break l; x := 2; }\nassert x != 2;\nassert x == 0; // fails",
    );
}

#[test]
fn goto_and_return_jump() {
    body(
        "x := 0; goto a, b;\na: x := 1; goto end;\nb: x := 2; goto end;\nend: assert x == 1 || x == 2;\nassert x == 1; // fails",
    );
    body("assume x == 0;\na: c1: c2: assert x == 0; // fails\nx := 1; goto a;");
    body("x := 0; if (y > 0) { return; }\nassert y <= 0;\nassert x == 1; // fails");
    body("l: goto l;\nassert false;");
    body("x := 0; goto inside; while (x < 2) { inside: x := x + 1; }\nassert x == 2;");
}

#[test]
fn operators_have_their_meaning() {
    body(
        "assert (b ==> c) <==> (!b || c);\nassert (b <== c) <==> (b || !c);\nassert (b <==> c) == (b == c);",
    );
    body(
        "assert (b ==> c ==> b) <==> (b ==> (c ==> b));\nassert (b <== c <== b) <==> ((b <== c) <== b);",
    );
    body("assert b && c ==> b || c;\nassert !b == b; // fails");
    body("assert x - y - z == x - (y + z);\nassert x - y * 2 == x - 2 * y;\nassert -x == 0 - x;");
    body(
        "assert (if x < y then x else y) <= x;\nassert (if b then 1 else if c then 2 else 3) >= 1;",
    );
    body("assert x != y <==> !(x == y);\nassert x < y <==> y > x;\nassert x <= y <==> !(y < x);");
}

/// The remainder is never negative, whatever the signs.
#[test]
fn division_is_euclidean() {
    body("assert x == 3 * (x div 3) + x mod 3;\nassert 0 <= x mod 3 && x mod 3 < 3;");
    body("assert x == -3 * (x div -3) + x mod -3;\nassert 0 <= x mod -3 && x mod -3 < 3;");
    body(
        "assert -1 div 2 == -1 && -1 mod 2 == 1;\nassert -3 div -2 == 2 && -3 mod -2 == 1;\nassert 7 % 4 == 3 && 7 / 2 == 3;",
    );
}

#[test]
fn functions_are_abbreviations() {
    check(
        "function twice(x : int) returns (int) { x + x }\n\
         function small(x : int) : bool { -3 <= twice(x) && twice(x) <= 3 }\n\
         function scaled(k, x : int) returns (int) { k * x }\n\
         procedure main() { var x : int;\nassert twice(x) == scaled(2, x);\n\
         assert small(x); // fails\nassert x >= -1 && x <= 1;\n}",
    );
}

#[test]
fn reals_are_exact() {
    check(
        "procedure main() { var r : real; r := 0.1; r := r + 0.2;\nassert r == 0.3;\n\
         assert r / 3.0 == 0.1;\nassert r * 10.0 == 3.0;\nassert r == 3e-1;\n\
         assert int(r * 10.0) == 3 && int(r) == 0 && int(-r) == -1;\nassert real(2) == 2.0;\n}",
    );
}

#[test]
fn constants_stay_and_axioms_hold() {
    check(
        "const a : int;\nconst unique p, q : int;\naxiom a > 2;\n\
         procedure main() {\nassert a > 2;\nassert a == 3; // fails\nassert p != q;\nassert p < q; // fails\n}",
    );
}

const COUNTER: &str = "\
var g : int;
procedure up(by : int) returns (before : int)
  requires by >= 0;
  modifies g;
  ensures g == old(g) + by;
  ensures before == old(g);
{
  before := g;
  g := g + by;
}
";

#[test]
fn calls_are_inlined() {
    check(&format!(
        "{COUNTER}procedure ULTIMATE.start() modifies g; {{ var x, y : int;\n\
         g := 1; call x := up(1); call y := up(2);\n\
         assert g == 4 && x == 1 && y == 2;\nassert y == 1; // fails\n}}"
    ));
}

#[test]
fn requires_is_a_claim_about_callers() {
    check(&format!(
        "{}procedure ULTIMATE.start() modifies g; {{ var x : int;\ng := 0; call x := up(x);\nassert g >= 0;\n}}",
        COUNTER.replace("by >= 0;", "by >= 0; // fails")
    ));
}

#[test]
fn ensures_is_a_claim_about_the_body() {
    check(&format!(
        "{}procedure ULTIMATE.start() modifies g; {{ var x : int;\ng := 0; call x := up(1);\nassert g == 2;\n}}",
        COUNTER
            .replace("g := g + by", "g := g + by + 1")
            .replace("+ by;\n  ensures", "+ by; // fails\n  ensures")
    ));
}

/// Without `ULTIMATE.start` every procedure is on its own, with any globals and arguments.
#[test]
fn every_procedure_is_an_entry() {
    check(
        "var g : int;\nprocedure a() { assert g == 0; // fails\n}\n\
         procedure b(x : int) { assert x == 0; // fails\n}\n\
         procedure c(x : int) requires x == 0; { assert x == 0;\ncall b(0); }",
    );
    // With it nothing else is.
    check(
        "procedure b(x : int) { assert x == 0; }\n\
         procedure ULTIMATE.start() { call b(0); }",
    );
}

/// The variables of a procedure are new in every call.
#[test]
fn locals_are_forgotten_between_calls() {
    check(
        "procedure f() returns (r : int) { var x : int; r := x; x := 1; }\n\
         procedure ULTIMATE.start() { var a, b : int; call a := f(); call b := f();\n\
         assert b == 1; // fails\nassert a == b; // fails\n}",
    );
    check(
        "procedure f() returns (r : int) { }\n\
         procedure ULTIMATE.start() { var a : int; a := 1; call a := f();\nassert a == 1; // fails\n}",
    );
}

#[test]
fn arguments_may_mention_the_targets() {
    check(
        "procedure add(x, y : int) returns (r : int) { r := x + y; }\n\
         procedure ULTIMATE.start() { var x : int; x := 1; call x := add(x, x); call x := add(x, 1);\n\
         assert x == 3;\n}",
    );
    check(
        "procedure swap(x, y : int) returns (a, b : int) { a, b := y, x; }\n\
         procedure ULTIMATE.start() { var x, y : int; x, y := 1, 2; call x, y := swap(x, y);\n\
         assert x == 2 && y == 1;\n}",
    );
}

#[test]
fn procedures_without_bodies_do_what_their_contract_allows() {
    check(
        "var g, h : int;\n\
         procedure f(x : int) returns (r : int where r < 3);\n\
         requires x >= 0;\nmodifies g;\nensures r > x;\nfree ensures g == old(g) + 1;\n\
         procedure ULTIMATE.start() modifies g, h; { var x : int;\n\
         g, h, x := 0, 0, 0; call x := f(x);\nassert x > 0 && x < 3;\nassert x == 1; // fails\n\
         assert g == 1;\nassert h == 0;\n}",
    );
    check(
        "var g : int;\nprocedure f(x : int) returns (r : int); modifies g;\n\
         procedure ULTIMATE.start() modifies g; { var x : int; x, g := 0, 0; call x := f(x);\n\
         assert g == 0; // fails\nassert x == 0; // fails\n}",
    );
    check(
        "procedure f(x : int);\nrequires x > 0; // fails\n\
         procedure ULTIMATE.start() { call f(1); call f(0); }",
    );
}

/// The names of the implementation may differ from those of the declaration.
#[test]
fn implementations_have_their_own_names() {
    check(
        "procedure f(x : int) returns (y : int);\nrequires x >= 0;\nensures y == x + 1;\n\
         implementation f(a : int) returns (b : int) { b := a; b := b + 1; }\n\
         procedure ULTIMATE.start() { var y : int; call y := f(2);\nassert y == 3;\n}",
    );
}

#[test]
fn locals_hide_globals() {
    check(
        "var x : int;\nprocedure f() modifies x; { x := 1; }\n\
         procedure ULTIMATE.start() modifies x; { var x : int; x := 2; call f();\nassert x == 2;\n}",
    );
}

/// A call of a recursive procedure is understood by its contract, with its own arguments.
#[test]
fn recursive_calls_use_the_contract() {
    let text = "procedure sum(n : int) returns (r : int)\nrequires n >= 0;\nensures r >= n;\n\
        { var s : int; if (n == 0) { r := 0; } else { call s := sum(n - 1); r := s + 1; }\n\
          assert n >= 0;\n}\n\
        procedure ULTIMATE.start() { var r : int; call r := sum(2);\nassert r >= 2;\nassert r == 2; // fails\n}";
    check_within(-1, 3, text);
    let terms = Terms::new();
    let reading = read_source(&terms, &Source::new("t.bpl", text), &[]).unwrap();
    // Two calls, and the entry of the procedure on its own.
    let contracts = reading.module.model.contracts.expect("there is recursion");
    let loose = contracts.model.edges.iter().filter(|e| e.loose);
    assert_eq!(loose.count(), 3);
    assert!(reading.module.model.edges.iter().all(|e| !e.loose));
}

#[test]
fn old_is_the_value_at_the_entry() {
    check(
        "var g : int;\nprocedure main() modifies g;\nensures g == old(g) + 2;\nensures g == old(g); // fails\n\
         { g := g + 1; assert g == old(g) + 1; g := g + 1;\nassert old(g + 1) == g - 1; }",
    );
}

/// What is not reached need not be supported.
#[test]
fn unsupported_declarations_do_no_harm() {
    check(
        "type Ref; const null : Ref; var heap : [Ref]int; var m : [int]bool;\n\
         function f(int) returns (int); axiom (forall i : int :: f(i) > 0);\n\
         procedure unused(r : Ref) { assert heap[r] == f(heap[r]); fork 1 unused(r); }\n\
         procedure ULTIMATE.start() { var x : int; var a : [int]int; havoc a;\n\
         assert x == 0; // fails\n}",
    );
}

#[test]
fn types_may_be_abbreviated() {
    check(
        "type int32 = int; type number = int32;\n\
         procedure main(x : number) { var y : int32; y := x;\nassert y == x;\nassert y == 0; // fails\n}",
    );
}

#[test]
fn a_program_without_claims_is_right() {
    let terms = Terms::new();
    let source = Source::new("t.bpl", "procedure main() { var x : int; x := 1; }");
    let reading = read_source(&terms, &source, &[]).unwrap();
    assert_eq!(reading.module.properties.len(), 1);
    check(source.text());
}
