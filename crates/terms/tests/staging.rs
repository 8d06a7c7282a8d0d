//! Substitution, priming and steps of an unrolling.

use crate::support;

use proptest::prelude::*;
use sectile_terms::{Node, Rewriter, Sort, Stage, Substitution, SymbolKind, Term};
use support::grammar::read;
use support::random::{choices, rng};
use support::world::{Assignment, VARIABLES, World};

/// Whether no rigid symbol has a stage and all others have one of the given stages.
fn stages_are(world: &World, t: Term, allowed: &[Stage]) -> bool {
    let terms = &world.terms;
    terms
        .free_vars(t)
        .iter()
        .all(|(symbol, stage)| match terms.symbol_kind(*symbol) {
            SymbolKind::Rigid => *stage == Stage::Now,
            _ => allowed.contains(stage),
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn priming_is_undone_by_unpriming(mut choices in choices()) {
        let world = World::new();
        let t = &world.terms;
        let state = choices.any_term().build(&world);
        let primed = t.prime(state);
        prop_assert!(stages_are(&world, primed, &[Stage::Next]));
        prop_assert_eq!(t.unprime(primed), state);
        prop_assert_eq!(t.prime(primed), primed);
        prop_assert_eq!(t.unprime(state), state);
    }

    #[test]
    fn a_primed_formula_speaks_about_the_next_state(mut choices in choices(), mut rng in rng()) {
        let world = World::new();
        let ast = choices.any_term();
        let primed = world.terms.prime(ast.build(&world));
        let state = Assignment::random(&mut rng);
        prop_assert_eq!(world.eval(primed, &state), ast.eval(&state.of_next()));
    }

    #[test]
    fn steps_are_undone(choices in choices(), k in 0u32..1000) {
        let world = World::new();
        let t = &world.terms;
        let relation = choices.with_primes().any_term().build(&world);
        let at = t.at_step(relation, k);
        prop_assert!(stages_are(&world, at, &[Stage::At(k), Stage::At(k + 1)]));
        prop_assert_eq!(t.from_step(at, k), relation);
        let other = t.from_step(at, k + 2);
        prop_assert_eq!(other, at);
        // One step later the variables after this step are those before it.
        let later = t.from_step(at, k + 1);
        prop_assert!(stages_are(&world, later, &[Stage::At(k), Stage::Now]));
    }

    #[test]
    fn substitution_commutes_with_evaluation(
        choices in choices(),
        images in prop::collection::vec(support::random::choices(), VARIABLES.len()),
        mut rng in rng(),
    ) {
        let world = World::new();
        let term = choices.with_primes().any_term().build(&world);
        let asts: Vec<_> = images
            .into_iter()
            .zip(VARIABLES)
            .map(|(image, (_, kind, _))| image.with_primes().term(kind, 3))
            .collect();
        let map: Substitution = world
            .symbols
            .iter()
            .zip(&asts)
            .map(|(symbol, ast)| (world.terms.var(*symbol), ast.build(&world)))
            .collect();
        let replaced = world.terms.substitute(term, &map);
        let state = Assignment::random(&mut rng);
        let now = asts.iter().map(|ast| ast.eval(&state)).collect();
        let moved = Assignment { now, next: state.next.clone() };
        prop_assert_eq!(world.eval(replaced, &state), world.eval(term, &moved));
    }
}

#[test]
fn substitution_is_simultaneous() {
    let world = World::new();
    let t = &world.terms;
    let (x, y) = (world.var("x"), world.var("y"));
    let swap: Substitution = [(x, y), (y, x)].into_iter().collect();
    let formula = read(&world, "x <= 2 * y + 1 and c = red", Sort::Bool);
    let swapped = read(&world, "y <= 2 * x + 1 and c = red", Sort::Bool);
    assert_eq!(t.substitute(formula, &swap), swapped);
    assert_eq!(t.substitute(swapped, &swap), formula);
    assert_eq!(t.substitute(formula, &Substitution::default()), formula);
}

#[test]
fn substitution_replaces_any_term_from_the_outside() {
    let world = World::new();
    let t = &world.terms;
    let formula = read(&world, "x mod 3 = 1 or x < 5", Sort::Bool);
    let part = read(&world, "x mod 3", Sort::Int);
    let map: Substitution = [(part, world.var("y")), (world.var("x"), t.int(4))]
        .into_iter()
        .collect();
    let expected = read(&world, "y = 1 or true", Sort::Bool);
    assert_eq!(t.substitute(formula, &map), expected);
    let map: Substitution = [(part, world.var("y"))].into_iter().collect();
    let expected = read(&world, "y = 1 or x < 5", Sort::Bool);
    assert_eq!(t.substitute(formula, &map), expected);
}

#[test]
fn rigid_symbols_have_no_stages() {
    let world = World::new();
    let t = &world.terms;
    let n = t.symbol("n").expect("declared");
    assert_eq!(t.next(n), t.var(n));
    assert_eq!(t.var_at(n, Stage::At(3)), t.var(n));
    let formula = read(&world, "n <= 3 and ok", Sort::Bool);
    assert_eq!(t.prime(formula), formula);
    assert_eq!(t.at_step(formula, 5), formula);
    let input = t.symbol("z").expect("declared");
    assert_ne!(t.next(input), t.var(input));
}

#[test]
fn a_rewriter_remembers_what_it_did() {
    let world = World::new();
    let t = &world.terms;
    let mut asked = 0;
    let formula = read(&world, "x + y <= 3 and x >= 0", Sort::Bool);
    let mut rewriter = Rewriter::new(t, |s| {
        asked += 1;
        match t.node(s) {
            Node::Var(symbol, Stage::Now) => Some(t.next(*symbol)),
            _ => None,
        }
    });
    let first = rewriter.apply(formula);
    assert_eq!(rewriter.apply(formula), first);
    assert_eq!(first, t.prime(formula));
    assert!(asked <= t.size(formula));
}
