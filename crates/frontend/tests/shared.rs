//! Definitions that use each other: shared where that is possible, refused in short time where the
//! formula is really large.

use crate::support;

use sectile_base::Source;
use sectile_terms::{NativePrinter, Terms};
use support::{read_source, seconds};

/// `f0` with this body, and `f1` to `f29`, which are made of the one before.
fn definitions(native: bool, body: &str, step: fn(usize) -> String) -> String {
    let define = |k: usize, body: &str| match native {
        true => format!("define f{k}(x) = {body}\n"),
        false => format!("function f{k}(x : int) returns (int) {{ {body} }}\n"),
    };
    let later = (1..30).map(|k| define(k, &step(k - 1)));
    std::iter::once(define(0, body)).chain(later).collect()
}

fn twice(k: usize) -> String {
    format!("f{k}(f{k}(x))")
}

fn doubled(k: usize) -> String {
    format!("f{k}(x) + f{k}(x)")
}

/// The text of both languages, whose only step assigns `value` to `y`.
fn texts(body: &str, step: fn(usize) -> String, value: &str) -> [(&'static str, String); 2] {
    let native = definitions(true, body, step);
    let boogie = definitions(false, body, step);
    [
        (
            "t.sct",
            format!("{native}var y : int\nstep: true --> y := {value}\n"),
        ),
        (
            "t.bpl",
            format!(
                "{boogie}var y : int;\nprocedure main() modifies y; {{ y := {value}; assert y > y; }}"
            ),
        ),
    ]
}

/// What the only step that changes something assigns, or the messages.
fn assigned(name: &str, text: &str) -> Result<String, String> {
    let start = seconds();
    let terms = Terms::new();
    let source = Source::new(name, text);
    let result = read_source(&terms, &source, &[]);
    let used = seconds() - start;
    let limit = if result.is_ok() { 0.5 } else { 20.0 };
    assert!(used < limit, "{name} took {used} s");
    let model = result?.module.model;
    let mut updates = model.commands().flat_map(|c| &c.updates);
    let changed = updates.find(|u| u.value != terms.var(u.symbol));
    let value = changed.expect("one step assigns").value;
    Ok(NativePrinter::new(&terms).print(value))
}

#[test]
fn definitions_that_are_applied_twice_are_shared() {
    for (name, text) in texts("x + 1", twice, "f29(y)") {
        assert_eq!(
            assigned(name, &text),
            Ok("y + 536870912".to_string()),
            "{name}"
        );
    }
    for (name, text) in texts("x", doubled, "f29(y)") {
        assert_eq!(
            assigned(name, &text),
            Ok("536870912 * y".to_string()),
            "{name}"
        );
    }
}

#[test]
fn a_formula_that_is_too_large_is_refused_soon() {
    for (name, text) in texts("if x > 0 then x - 1 else x + 1", twice, "f29(y)") {
        let messages = assigned(name, &text).expect_err("it has a billion nodes");
        assert!(messages.starts_with("error[size]"), "{messages}");
    }
}

/// A divisor must be a number, so that this body has no meaning before its argument is known.
#[test]
fn arguments_that_must_be_numbers_stay_numbers() {
    let sum: Vec<String> = (1..=200).map(|k| format!("f0({k})")).collect();
    for (name, text) in texts(
        "(1000 div x) * x - (1000 div x) * x + x",
        doubled,
        &sum.join(" + "),
    ) {
        assert_eq!(assigned(name, &text), Ok("20100".to_string()), "{name}");
    }
}

#[test]
fn values_of_enumerations_are_passed_on() {
    let text = "var c : {red, green}\ndefine is(a) = c = a\ndefine both(a, b) = is(a) or is(b)\n\
                var y : int\nstep: both(red, green) --> y := 1\n";
    assert_eq!(assigned("t.sct", text), Ok("1".to_string()));
}
