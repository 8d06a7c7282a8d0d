//! Boogie programs and random programs on the command line.

use crate::common;

use common::{sectile, sectile_with_input, temporary};

#[test]
fn what_is_not_supported_is_refused_with_its_place() {
    let text = "procedure main() { var a : <t>[t]int;\n  assert a[1] == 0; }\n";
    let ran = sectile_with_input(&["check", "-", "--input", "boogie"], text);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.out, "");
    let message = "maps with type parameters are not supported";
    assert!(ran.err.contains(message), "{}", ran.err);
    assert!(ran.err.contains("<stdin>:2:10"), "{}", ran.err);
}

/// What a contract allows need not happen: it is no violation. What happens without it is one.
#[test]
fn contracts_of_recursive_procedures_refute_nothing() {
    let program = |claim: &str| {
        format!(
            "procedure f(n : int) returns (r : int)\n  requires n >= 0;\n  ensures r >= 0;\n\
             {{ if (n == 0) {{ r := 0; }} else {{ call r := f(n - 1); }} }}\n\
             procedure ULTIMATE.start() {{ var r : int; call r := f(3);\n  assert {claim};\n}}\n"
        )
    };
    let check = |text: &str, more: &[&str]| {
        let file = temporary("contract.bpl", text);
        let name = file.to_string_lossy().into_owned();
        let mut args = vec!["check", &name, "--timeout", "60s"];
        args.extend(more);
        let ran = sectile(&args);
        std::fs::remove_file(file).expect("the file was there");
        ran
    };
    let strong = check(&program("r >= 0"), &["--engine", "kinduction"]);
    assert_eq!(strong.code, 0, "{}{}", strong.out, strong.err);
    let weak = check(
        &program("r == 0"),
        &["--engine", "bmc", "--property", "assert_6"],
    );
    assert_eq!(weak.code, 20, "{}{}", weak.out, weak.err);
    assert!(
        weak.out.contains("understood by a contract"),
        "{}",
        weak.out
    );
    let text = program("r == 0").replace("f(3)", "f(-1)");
    let real = check(&text, &["--engine", "bmc", "--property", "requires_2"]);
    assert_eq!(real.code, 10, "{}{}", real.out, real.err);
}

/// Calls of recursive procedures are followed where contracts do not decide.
#[test]
fn recursion_is_followed() {
    let file = common::root().join("models/recursive/addition-bug.bpl");
    let name = file.to_string_lossy().into_owned();
    let certificate = temporary("recursion.cert", "");
    let out = certificate.to_string_lossy().into_owned();
    let ran = sectile(&["check", &name, "--trace", "--certificate", &out]);
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    for line in [
        "requires_9: holds",
        "ensures_10: violated",
        "assert_25: holds",
        "assert_26: violated",
        "      call c := add(a, b - 1) -> add.call (line 15)",
        "assert c < 3 fails on line 26: main.c = 3",
    ] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
    let again = sectile(&["certify", &name, &out]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    let text = std::fs::read_to_string(&certificate).expect("the certificate was written");
    let forged = text.replacen("c = 3", "c = 2", 1);
    std::fs::write(&certificate, forged).expect("it can be written");
    let forged = sectile(&["certify", &name, &out]);
    assert_ne!(forged.code, 0, "{}", forged.out);
    std::fs::remove_file(certificate).expect("the file was there");
}

/// Proofs are summaries of procedures.
#[test]
fn summaries_are_shown() {
    let file = common::root().join("models/recursive/ninety-one.bpl");
    let name = file.to_string_lossy().into_owned();
    let ran = sectile(&["check", &name, "--property", "assert_23", "--model"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("at ninety_one.return"), "{}", ran.out);
}

#[test]
fn comments_may_be_in_other_encodings() {
    let file = temporary("latin.bpl", "");
    std::fs::write(
        &file,
        b"// R\xf3zsa P\xe9ter\nprocedure main() { assert true; }\n",
    )
    .expect("the temporary folder can be written");
    let ran = sectile(&["check", &file.to_string_lossy()]);
    std::fs::remove_file(file).expect("the file was there");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out, "assert_2: holds\n");
}

#[test]
fn a_program_that_claims_nothing_is_right() {
    let ran = sectile_with_input(
        &["check", "-", "--input", "boogie"],
        "procedure main() { }\n",
    );
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "no_assertion: holds\n"),
        "{}",
        ran.err
    );
}

#[test]
fn random_programs_are_written_and_read_again() {
    let one = sectile(&["generate", "--seed", "4"]);
    assert_eq!(one.code, 0);
    assert_eq!(one.out, sectile(&["generate", "--seed", "4"]).out);
    assert_ne!(one.out, sectile(&["generate", "--seed", "5"]).out);
    let shown = sectile_with_input(&["show", "-", "--input", "boogie"], &one.out);
    assert_eq!(shown.code, 0, "{}", shown.err);
    // Several programs do not go to one stream.
    assert_eq!(sectile(&["generate", "--programs", "3"]).code, 2);
    let folder = std::env::temp_dir().join(format!("sectile-generate-{}", std::process::id()));
    let name = folder.to_string_lossy().into_owned();
    let ran = sectile(&["generate", "--programs", "12", "--seed", "1", "-o", &name]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let files = std::fs::read_dir(&folder).expect("the folder was made");
    assert_eq!(files.count(), 12);
    let last = folder.join("random-011.bpl");
    let shown = sectile(&["show", &last.to_string_lossy()]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    std::fs::remove_dir_all(folder).expect("the folder was there");
}

/// Who relies on free clauses: the body on what is required, callers on what is ensured.
#[test]
fn free_clauses_bind_whom_boogie_binds() {
    let check = |text: &str| sectile_with_input(&["check", "-", "--input", "boogie"], text).out;
    // By its contract only: nothing is learnt from what is freely required.
    let known = "procedure P(x : int) returns (y : int);\n  free requires x > 0;\n  free ensures y > x;\n\
                 procedure main() { var a, b : int;\n  call b := P(a);\n  assert a > 0;\n  assert b > a; }\n";
    assert_eq!(check(known), "assert_6: violated\nassert_7: holds\n");
    // No clause that is checked rests on a free one of the same contract.
    let ensured = "procedure Q(x : int) returns (y : int)\n  free ensures false;\n  ensures y > x;\n\
                   { y := x; }\n";
    assert_eq!(check(ensured), "ensures_3: violated\n");
    let required = "procedure R(x : int)\n  free requires x > 4;\n  requires x > 3;\n\
                    { assert x > 4; }\nprocedure main() { call R(1); }\n";
    assert_eq!(check(required), "requires_3: violated\nassert_4: holds\n");
}

/// What the engines say of programs, `// fails` on the lines of the claims that are violated and
/// `// open` where nothing is shown.
fn decide(text: &str) {
    let arguments = ["check", "-", "--input", "boogie", "--timeout", "60s"];
    let ran = sectile_with_input(&arguments, text);
    let mut claims = 0;
    for line in ran.out.lines().filter(|l| !l.starts_with(' ')) {
        let Some((name, verdict)) = line.split_once(": ") else {
            continue;
        };
        let place = name.split('_').nth(1).and_then(|n| n.parse::<usize>().ok());
        let claim = text
            .lines()
            .nth(place.expect("claims are named by lines") - 1);
        let claim = claim.expect("the line is there");
        let expected = match (claim.contains("// fails"), claim.contains("// open")) {
            (true, _) => "violated",
            (_, true) => "unknown",
            _ => "holds",
        };
        assert!(
            verdict.starts_with(expected),
            "{}{}\n{text}",
            ran.out,
            ran.err
        );
        claims += 1;
    }
    assert_eq!(
        claims,
        text.matches("assert ").count(),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn axioms_about_functions_count() {
    decide(
        "function f(int) returns (int); axiom f(0) == 3;
procedure main(x : int) {
assert f(x) == 3; // fails
}
procedure zero(x : int) { assume x == 0;
assert f(x) == 3;
}
",
    );
    // Also where the function stands in the body of another, and behind other axioms.
    decide(
        "function f(int) returns (int); function g(x : int) returns (int) { f(x) + 1 }
const c : int; axiom g(1) == c; axiom c == 2;
procedure main() {
assert f(1) == 1;
assert f(2) == 1; // fails
}
",
    );
}

/// `(forall i :: f(i) > 0)` says something of every `f(e)` that occurs; what it leaves open stays open.
#[test]
fn axioms_about_all_values_are_used_where_they_apply() {
    decide(
        "function f(int, int) returns (int); axiom (forall i, j : int :: f(j, i) > i);
function sum(int, int) returns (int); axiom (forall a, b : int :: sum(b, a) == a + b);
procedure main(x : int) {
assert f(x, 2) > 2;
assert f(2, x) > x;
assert sum(x, 2) > x;
assert f(x, 2) > 3; // open
}
procedure other(x : int) {
assert sum(x, 2) > 2; // open
}
",
    );
}

#[test]
fn types_without_a_definition_have_any_number_of_values() {
    decide(
        "type T; type U; const unique a, b : T; const c : T; function f(T) returns (U);
procedure main() { var t : T; var m : [T]U; t := a; m[t] := f(t);
assert t != b;
assert m[a] == f(a);
assert c == a || c == b; // fails
assert f(a) != f(b); // fails
}
",
    );
}

#[test]
fn claims_and_contracts_may_speak_of_all_elements() {
    decide(
        "function sorted(a : [int]int, n : int) returns (bool)
{ (forall i : int :: 0 <= i && i + 1 < n ==> a[i] <= a[i + 1]) }
procedure main() { var a : [int]int; var b : [int]bool; a[0] := 1; a[1] := 5; a[2] := 2;
assert sorted(a, 2) && !b[0] ==> (exists k : int :: a[k] > 3 && !b[k - 1]);
assert sorted(a, 3); // fails
}
procedure fill(n : int) { var a : [int]int; var i : int; i := 0;
while (i < n) { a[i] := i; i := i + 1; }
assert (forall k : int :: 0 <= k && k < n ==> a[k] == k);
}
procedure none(t, u : int) { var lock : [int]bool; assume (forall k : int :: !lock[k]);
assert !lock[t];
lock[t] := true;
assert !lock[u]; // fails
}
",
    );
}

#[test]
fn functions_of_solvers_are_refused() {
    let text = "function {:builtin \"bvand\"} both(int, int) returns (int);
procedure main() {\n  assert both(1, 2) == 3; }\n";
    let ran = sectile_with_input(&["check", "-", "--input", "boogie"], text);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("<stdin>:3:10"), "{}", ran.err);
}

#[test]
fn products_of_variables_are_decided_where_a_factor_is_known() {
    decide(
        "procedure main() { var x, y, z : int; x := 3; y := x * x; z := 50 div y;
assert y == 9;
assert z != 5; // fails
}
procedure signs(x : int, y : int) { assume x >= 1 && y >= 1;
assert x * y >= 1;
assert x * y >= x + y - 1; // open
}
procedure any(x : int, y : int) { assume y > 5;
assert x mod y >= 0 && x mod y < y;
assert x * y != 12; // fails
}
",
    );
}
