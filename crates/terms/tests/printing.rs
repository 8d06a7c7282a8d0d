//! The native printer: readable, and read back as the same term.

use crate::support;

use proptest::prelude::*;
use sectile_base::{Int, Rat};
use sectile_terms::{NativePrinter, Sort, Stage, SymbolKind, Term, Terms, Value, display_value};
use support::grammar::read;
use support::random::choices;
use support::reference::Ast;
use support::world::World;

fn print(world: &World, t: Term) -> String {
    NativePrinter::new(&world.terms).print(t)
}

/// Reads each text, prints it, and compares with what is expected.
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let world = World::new();
        let term = read(&world, text, Sort::Bool);
        let printed = print(&world, term);
        assert_eq!(&printed, expected, "for {text}");
        assert_eq!(read(&world, &printed, Sort::Bool), term, "for {text}");
    }
}

/// The same for texts that are already as the printer writes them.
fn check_fixed(cases: &[&str]) {
    let pairs: Vec<(&str, &str)> = cases.iter().map(|c| (*c, *c)).collect();
    check(&pairs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn what_is_printed_is_read_back_as_the_same(choices in choices()) {
        let world = World::new();
        let ast: Ast = choices.with_primes().any_term();
        let term = ast.build(&world);
        let text = print(&world, term);
        let back = read(&world, &text, world.terms.sort(term));
        prop_assert_eq!(back, term, "{} came back as {}", text, print(&world, back));
    }
}

#[test]
fn operators_get_brackets_where_they_need_them() {
    check_fixed(&[
        "p",
        "not p",
        "p and q or r",
        "(p or q) and r",
        "not (p and q)",
        "not (p or q)",
        "not p and not q",
        "p <=> q",
        "r <=> p or q",
        "not (p <=> q)",
        "(p <=> q) and r",
        "(p <=> q) or r",
        "p <=> (q <=> r)",
        "if p then q else r",
        "not (if p then q else r)",
        "(if p then q else r) and ok",
        "if p then q else if ok then r else q",
        "if p then (if ok then r else q) else r",
        "if p and q then r else p <=> q",
        "p' and not q'",
    ]);
}

#[test]
fn implications_are_disjunctions_and_keep_their_order() {
    check(&[
        ("p => q", "not p or q"),
        ("p and q => r", "not (p and q) or r"),
        ("(p => q) and r", "(not p or q) and r"),
        ("p => q => r", "not p or not q or r"),
        ("x > 0 => y > 0", "x <= 0 or y > 0"),
    ]);
}

#[test]
fn comparisons_stand_as_people_write_them() {
    check_fixed(&[
        "x < y",
        "x <= y",
        "x > y",
        "x >= y",
        "x = y",
        "x != y",
        "x >= 0",
        "x > 0",
        "x < 0",
        "x <= 0",
        "x <= 3",
        "x >= 3",
        "x <= -3",
        "x >= -3",
        "x = -3",
        "x + 5 <= y",
        "x <= y + 5",
        "x + y <= 7",
        "2 * x + 3 * y < n",
        "x' = x + 1",
        "u < v",
        "u < 1/2",
        "u >= -1/2",
        "2 * u + 1/3 <= v",
        "u = 3",
        "c = red",
        "c != red",
        "c = d",
        "c' = (if p then red else d)",
        "x' = x",
        "x' != x",
        "x' <= x + 3",
        "x' > x",
        "x = x' + y'",
        "c' = c",
        "p' <=> p",
        "s = on",
        "u >= real(x)",
    ]);
    check(&[
        ("x < 3", "x <= 2"),
        ("not x < 3", "x >= 3"),
        ("y > x", "x < y"),
        ("0 = x - y", "x = y"),
        ("2 * x < 2 * y", "x < y"),
        ("real(x) < 1/2", "x <= 0"),
        ("not c = red", "c != red"),
        ("red = c", "c = red"),
    ]);
}

#[test]
fn sums_read_back_as_they_are() {
    for (text, sort) in [
        ("x + y", Sort::Int),
        ("y - x", Sort::Int),
        ("3 - x", Sort::Int),
        ("-x", Sort::Int),
        ("-x - y", Sort::Int),
        ("-x - 1", Sort::Int),
        ("-2 * x - 1", Sort::Int),
        ("2 * y - 3 * x + 1", Sort::Int),
        ("2/3 * u", Sort::Real),
        ("-2/3 * u", Sort::Real),
        ("u - 2/3 * v + 1/2", Sort::Real),
        ("x mod 3 + 1", Sort::Int),
        ("-(x mod 3)", Sort::Int),
        ("y - x mod 3", Sort::Int),
        ("2 * (x mod 3)", Sort::Int),
        ("(x + y) div 2", Sort::Int),
        ("(2 * x) div 3", Sort::Int),
        ("(-x) div 2", Sort::Int),
        ("(x div 2) mod 3", Sort::Int),
        ("(if p then x else y) + 1", Sort::Int),
        ("x - (if p then 1 else -1)", Sort::Int),
        ("-(if p then x else y)", Sort::Int),
        ("if p then x + 1 else x - 1", Sort::Int),
        ("min(x, y + 1)", Sort::Int),
        ("abs(x - y) div 2", Sort::Int),
        ("max(if p then x else y, 0)", Sort::Int),
        ("floor(u + 1/2)", Sort::Int),
        ("u + real(x)", Sort::Real),
        ("if p then 1.0 else 2", Sort::Real),
        ("if p then 1/2 else 2", Sort::Real),
        ("if p then -1 else if q then 1.0 else 2", Sort::Real),
        ("-5", Sort::Int),
        ("-5/3", Sort::Real),
        ("18446744073709551616 * x", Sort::Int),
    ] {
        let world = World::new();
        let term = read(&world, text, sort);
        assert_eq!(print(&world, term), text);
    }
}

#[test]
fn differences_of_differences_are_one_sum() {
    let world = World::new();
    let term = read(&world, "x - (y - z)", Sort::Int);
    assert_eq!(print(&world, term), "x - y + z");
}

#[test]
fn stages_names_and_renamings() {
    let terms = Terms::new();
    let names = ["P[1].pc", "a[1,2]", "and", "x!3", "odd name"];
    let declare = |n: &str| terms.declare(n, Sort::Bool, SymbolKind::State);
    let symbols = names.map(|n| declare(n).expect("a new name"));
    let printer = NativePrinter::new(&terms);
    let texts = symbols.map(|s| printer.print(terms.next(s)));
    assert_eq!(
        texts,
        ["P[1].pc'", "a[1,2]'", "`and`'", "`x!3`'", "`odd name`'"]
    );
    let at = terms.var_at(symbols[0], Stage::At(7));
    assert_eq!(printer.print(at), "P[1].pc@7");
    let rename = |s| (s == symbols[0]).then(|| "`P[1].pc`".to_string());
    let printer = NativePrinter::renaming(&terms, &rename);
    let both = terms.and2(terms.next(symbols[0]), terms.var(symbols[1]));
    assert_eq!(printer.print(both), "`P[1].pc`' and a[1,2]");
}

#[test]
fn values_are_written_like_constants() {
    let terms = Terms::new();
    let id = terms.declare_enum("E", &["idle".into(), "if".into()]);
    let shown = |v: Value| display_value(&terms, &v);
    assert_eq!(shown(Value::Bool(true)), "true");
    assert_eq!(shown(Value::Int(Int::from(-4))), "-4");
    assert_eq!(shown(Value::Real(Rat::from_ratio(-1, 2))), "-1/2");
    assert_eq!(shown(Value::Enum(id, 0)), "idle");
    assert_eq!(shown(Value::Enum(id, 1)), "`if`");
}
