//! Arrays: what builders simplify, values in one representation, evaluation, printing.

use sectile_base::Int;
use sectile_terms::{
    ArrayId, ArrayValue, NativePrinter, Node, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value,
    display_sort, display_value, evaluate,
};

fn var(terms: &Terms, name: &str, sort: Sort) -> Term {
    terms.var(
        terms
            .declare(name, sort, SymbolKind::State)
            .expect("a new name"),
    )
}

fn id(sort: Sort) -> ArrayId {
    match sort {
        Sort::Array(id) => id,
        _ => panic!("the sort is one of arrays"),
    }
}

fn int(k: i64) -> Value {
    Value::Int(Int::from(k))
}

#[test]
fn reads_look_through_writes_elsewhere() {
    let terms = Terms::new();
    let sort = terms.array_sort(Sort::Int, Sort::Int);
    let (a, i, x) = (
        var(&terms, "a", sort),
        var(&terms, "i", Sort::Int),
        var(&terms, "x", Sort::Int),
    );
    let next = terms.add(i, terms.int(1));
    let written = terms.store(a, i, x);
    assert_eq!(terms.select(written, i), x);
    assert_eq!(terms.select(written, next), terms.select(a, next));
    let at_x = terms.select(written, x);
    assert!(matches!(terms.node(at_x), Node::Select(array, _) if *array == written));
    assert_eq!(terms.store(written, i, next), terms.store(a, i, next));
    assert_eq!(terms.store(a, i, terms.select(a, i)), a);
    assert_eq!(terms.select(terms.filled(id(sort), x), i), x);
}

#[test]
fn equal_arrays_have_equal_values() {
    let terms = Terms::new();
    let numbers = id(terms.array_sort(Sort::Int, Sort::Int));
    let zeros = ArrayValue::filled(numbers, int(0));
    let there_and_back = zeros.clone().with(&terms, int(3), int(7));
    assert_ne!(there_and_back, zeros);
    assert_eq!(there_and_back.get(&int(3)), &int(7));
    assert_eq!(there_and_back.with(&terms, int(3), int(0)), zeros);
    // Few places: whichever element was the usual one.
    let pairs = id(terms.array_sort(Sort::Bool, Sort::Int));
    let place = |b: bool| Value::Bool(b);
    let mixed = |usual: i64, at: bool, element: i64| {
        ArrayValue::filled(pairs, int(usual)).with(&terms, place(at), int(element))
    };
    assert_eq!(mixed(1, true, 2), mixed(2, false, 1));
    assert_eq!(
        mixed(1, true, 2).with(&terms, place(false), int(2)),
        ArrayValue::filled(pairs, int(2))
    );
}

#[test]
fn arrays_differ_where_they_are_said_to() {
    let terms = Terms::new();
    let numbers = id(terms.array_sort(Sort::Int, Sort::Int));
    let filled = |k: i64| ArrayValue::filled(numbers, int(k));
    let hidden = filled(0)
        .with(&terms, int(0), int(5))
        .with(&terms, int(1), int(5));
    for (a, b) in [
        (filled(0), filled(1)),
        (hidden.clone(), filled(0)),
        (hidden.clone(), filled(5)),
        (hidden.clone(), filled(5).with(&terms, int(2), int(0))),
    ] {
        let place = a.difference(&b, &terms);
        assert_ne!(a.get(&place), b.get(&place), "{a:?} {b:?}");
    }
}

#[test]
fn values_are_evaluated_written_and_read_back() {
    let terms = Terms::new();
    let row = terms.array_sort(Sort::Int, Sort::Int);
    let table = terms.array_sort(Sort::Int, row);
    let (m, i) = (var(&terms, "m", table), var(&terms, "i", Sort::Int));
    let changed = terms.store(m, i, terms.store(terms.select(m, i), terms.int(1), i));
    let empty = Value::some_of(&terms, table);
    let valuation = |s: Symbol, _: Stage| match terms.symbol_sort(s) {
        Sort::Int => Some(int(4)),
        _ => Some(empty.clone()),
    };
    let value = evaluate(&terms, changed, &valuation).expect("all variables have values");
    let element = terms.select(terms.select(changed, terms.int(4)), terms.int(1));
    assert_eq!(evaluate(&terms, element, &valuation), Ok(int(4)));
    assert_eq!(
        display_value(&terms, &value),
        "[int -> [int -> 0]][4 := [int -> 0][1 := 4]]"
    );
    assert_eq!(Value::from_term(&terms, value.to_term(&terms)), Some(value));
    assert_eq!(display_sort(&terms, table), "[int][int]int");
    let text = NativePrinter::new(&terms).print(terms.eq(changed, m));
    assert_eq!(text, "m = m[i := m[i][1 := i]]");
}
