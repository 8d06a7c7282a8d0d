//! Hash-consing, declarations, and values.

use crate::support;

use proptest::prelude::*;
use sectile_base::{Int, Rat};
use sectile_terms::{EvalError, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use support::random::choices;
use support::world::World;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_same_term_is_made_once(choices in choices()) {
        let world = World::new();
        let ast = choices.with_primes().any_term();
        let first = ast.build(&world);
        let len = world.terms.len();
        prop_assert_eq!(ast.build(&world), first);
        prop_assert_eq!(world.terms.len(), len);
    }
}

#[test]
fn the_store_grows_with_what_is_new() {
    let world = World::new();
    let t = &world.terms;
    let (x, y) = (world.var("x"), world.var("y"));
    let grow = |from: i64, to: i64| {
        let before = t.len();
        let mut all = Vec::new();
        for k in from..to {
            all.push(t.le(t.add(x, y), t.int(k)));
            all.push(t.gt(t.add(x, y), t.int(k)));
        }
        t.and(all.chunks(5).map(|c| t.or(c.iter().copied())));
        t.len() - before
    };
    let (first, second) = (grow(0, 1000), grow(1000, 2000));
    assert!(second <= first && first < 8000, "{first} and {second}");
    assert_eq!(grow(0, 1000), 0);
}

#[test]
fn integers_and_reals_are_told_apart() {
    let t = Terms::new();
    let one = |sort| t.number(Rat::ONE, sort);
    assert_ne!(one(Sort::Int), one(Sort::Real));
    assert_eq!(t.int(1), one(Sort::Int));
    assert_eq!(t.sort(t.to_real(t.int(1))), Sort::Real);
    assert_eq!(t.to_real(t.int(1)), one(Sort::Real));
    assert!(!t.is_empty());
    assert_eq!(t.len(), Terms::default().len() + 2);
}

#[test]
fn names_are_declared_once() {
    let t = Terms::new();
    let x = t.declare("x", Sort::Int, SymbolKind::State).expect("new");
    assert_eq!(t.declare("x", Sort::Int, SymbolKind::State), Ok(x));
    let error = t
        .declare("x", Sort::Bool, SymbolKind::State)
        .expect_err("another sort");
    assert!(error.to_string().contains("`x`"));
    assert!(t.declare("x", Sort::Int, SymbolKind::Rigid).is_err());
    let fresh = t.fresh("x", Sort::Int, SymbolKind::Input);
    assert_ne!(fresh, x);
    assert_ne!(t.name(fresh), "x");
    assert_eq!(t.symbol(t.name(fresh)), Some(fresh));
    assert_eq!(t.name(t.fresh("y", Sort::Real, SymbolKind::State)), "y");
    assert_eq!(t.symbol_kind(fresh), SymbolKind::Input);
    assert_eq!(t.symbol("unknown"), None);
}

#[test]
fn values_become_terms_and_come_back() {
    let t = Terms::new();
    let id = t.declare_enum("E", &["a".into(), "b".into()]);
    let values = [
        Value::Bool(true),
        Value::Int(Int::from(-7)),
        Value::Int(&Int::from(i64::MAX) + &Int::ONE),
        Value::Real(Rat::from_ratio(3, 4)),
        Value::Real(Rat::from(2)),
        Value::Enum(id, 1),
    ];
    for value in values {
        let term = value.to_term(&t);
        assert_eq!(t.sort(term), value.sort());
        assert_eq!(Value::from_term(&t, term), Some(value));
    }
    let array = t.array_sort(Sort::Int, Sort::Bool);
    for sort in [Sort::Bool, Sort::Int, Sort::Real, Sort::Enum(id), array] {
        assert_eq!(Value::some_of(&t, sort).sort(), sort);
        // The values that are counted differ, and end where the sort ends.
        let count = sort.cardinality(&t);
        let values: Vec<Value> = (0..5).map_while(|k| sort.nth_value(&t, k)).collect();
        let different: std::collections::BTreeSet<&Value> = values.iter().collect();
        assert_eq!(different.len(), values.len());
        assert!(count.is_none_or(|n| values.len() == n as usize), "{sort:?}");
    }
    assert_eq!(t.enums().collect::<Vec<_>>(), [id]);
}

#[test]
fn evaluation_says_what_is_missing() {
    let world = World::new();
    let t = &world.terms;
    let x = t.symbol("x").expect("declared");
    let term: Term = t.add(world.var("x"), world.var("y"));
    let only_x = |s: Symbol, _: Stage| (s == x).then(|| Value::Int(Int::ONE));
    let y = t.symbol("y").expect("declared");
    let missing = Err(EvalError::Unassigned(y, Stage::Now));
    assert_eq!(evaluate(t, term, &only_x), missing);
    let wrong = |_: Symbol, _: Stage| Some(Value::Bool(true));
    let at = Err(EvalError::Unsupported(world.var("x")));
    assert_eq!(evaluate(t, world.var("x"), &wrong), at);
}
