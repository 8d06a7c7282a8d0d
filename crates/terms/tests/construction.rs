//! What is simplified while a term is made means the same: every builder against definitions.

use crate::support;

use proptest::prelude::*;
use sectile_base::{Int, Rat, Rng};
use sectile_terms::{Node, Sort, SymbolKind, Terms};
use support::random::{Choices, choices, rng};
use support::world::{Assignment, World};

/// Builds one random term and compares its values with those of the definitions.
fn check(choices: Choices, mut rng: Rng) {
    let world = World::new();
    let ast = choices.with_primes().any_term();
    let term = ast.build(&world);
    for _ in 0..4 {
        let state = Assignment::random(&mut rng);
        assert_eq!(world.eval(term, &state), ast.eval(&state), "{ast:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_term_has_the_value_of_its_definition(choices in choices(), rng in rng()) {
        check(choices, rng);
    }
}

/// By hand: `SECTILE_CASES=1000000 cargo test --release -p sectile-terms -- --ignored million`.
#[test]
#[ignore = "a long run, by hand"]
fn a_million_terms_have_the_values_of_their_definitions() {
    let cases = std::env::var("SECTILE_CASES").ok();
    let cases: u64 = cases.and_then(|c| c.parse().ok()).unwrap_or(1_000_000);
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        check(Choices::from_rng(&mut rng), rng);
    }
}

/// A sum of multiples of a number is divided term by term; what is left of the constant is lost.
#[test]
fn quotients_of_multiples() {
    let t = Terms::new();
    let x = t.var(t.fresh("x", Sort::Int, SymbolKind::State));
    let sixteen = Int::from(16);
    let times = |k: i64, more: i64| t.add(t.scale(x, &Rat::from(k)), t.int(more));
    assert_eq!(t.div(times(16, 0), &sixteen), x);
    assert_eq!(t.div(times(16, 15), &sixteen), x);
    assert_eq!(t.div(times(-32, 16), &sixteen), times(-2, 1));
    assert_eq!(t.div(times(16, -1), &sixteen), times(1, -1));
    assert_eq!(t.div(times(16, 0), &Int::from(-16)), times(-1, 0));
    assert!(matches!(
        t.node(t.div(times(8, 0), &sixteen)),
        Node::Div(..)
    ));
    assert!(matches!(
        t.node(t.div(times(24, 0), &sixteen)),
        Node::Div(..)
    ));
}
