//! Abstraction by relations: values that overlap, and blocks that do.

use crate::common;

use common::{backend, formulas, model, read, system};
use sectile_base::{Budget, Rng};
use sectile_domains::bdd::Bdd;
use sectile_driver::Loaded;
use sectile_engine_predabs::{
    AbstractSystem, Alpha, Discharge, Method, Prover, Recipe, is_abstraction,
};
use sectile_model::Model;
use sectile_terms::{Term, display_value};

fn prover(loaded: &Loaded) -> Prover<'_> {
    Prover::new(&loaded.terms, backend(), &Budget::unlimited()).expect("a solver")
}

/// `r` with conditions that may overlap, then predicates `a1`, `a2`, ...
fn alpha(loaded: &Loaded, cases: &str, predicates: &str) -> Alpha {
    let mut alpha = Alpha::new();
    let cases = formulas(loaded, cases).into_iter().enumerate();
    let cases: Vec<(String, Term)> = cases.map(|(k, t)| (format!("v{k}"), t)).collect();
    alpha.add_relation("r", &cases);
    for (k, p) in formulas(loaded, predicates).into_iter().enumerate() {
        alpha.add_predicate(&loaded.terms, &format!("a{}", k + 1), p);
    }
    alpha
}

fn made<'t>(
    loaded: &'t Loaded,
    concrete: &'t Model,
    alpha: Alpha,
    recipe: &Recipe,
    prover: &mut Prover<'t>,
) -> AbstractSystem<'t> {
    let terms = &loaded.terms;
    AbstractSystem::by(recipe, terms, concrete, alpha, terms.tt(), prover).expect("it is computed")
}

/// The model of the examples: `x` becomes 1 or 2; `low` and `high` both have 1.
const OVERLAP: &str = "var x : 0..2 = 0\nvar y : 0..1 = 0\n\
                       go: x = 0 --> x := any v where v = 1 or v = 2, y := 1 - y\nerror e: x > 2\n";

/// I11, Lemma 2 and the text after it: the engine finds blocks that share a variable whose values
/// overlap, each of them an abstraction, and their product is none.
#[test]
fn overlapping_blocks_of_a_relation_are_unsound() {
    let loaded = read(OVERLAP);
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let cases = "x <= 1; x >= 1";
    let predicates = "x = 2; y = 0";
    let fewest = |blocks: Vec<Vec<usize>>| Recipe {
        fewest: true,
        ..Recipe::new(Method::Partition(blocks))
    };
    let check = |recipe: &Recipe| {
        let mut prover = prover(&loaded);
        let alpha = alpha(&loaded, cases, predicates);
        let mut found = made(&loaded, &concrete, alpha, recipe, &mut prover);
        is_abstraction(terms, &concrete, &mut found, terms.tt(), &mut prover).expect("decided")
    };
    // Each block alone, with the other variables free, is an abstraction.
    for block in [vec![0, 1], vec![0, 2]] {
        assert_eq!(check(&fewest(vec![block])), Ok(()));
    }
    // A partition of the variables is sound, and so are blocks that overlap if no choice is made.
    assert_eq!(check(&fewest(vec![vec![0, 1], vec![2]])), Ok(()));
    let all = Recipe::new(Method::Partition(vec![vec![0, 1], vec![0, 2]]));
    assert_eq!(check(&all), Ok(()));
    // With overlapping blocks and choices it is not: for x = 1 the first block keeps `low` and the
    // second one `high`.
    let (obligation, answer) = check(&fewest(vec![vec![0, 1], vec![0, 2]])).expect_err("unsound");
    assert!(obligation.name.contains("go"), "{}", obligation.name);
    let Discharge::Fails(step) = answer else {
        panic!("a step shows it");
    };
    let x = terms.symbol("x").expect("it is declared");
    let after = step
        .iter()
        .find(|((s, stage), _)| *s == x && *stage == sectile_terms::Stage::Next);
    let after = after.map(|(_, v)| display_value(terms, v));
    assert_eq!(after.as_deref(), Some("1"));
}

/// I11: for a function, blocks may overlap; I6: what is missing is noticed.
#[test]
fn all_methods_simulate_by_relations() {
    let cases = [
        "x <= 1; x >= 1",
        "x < 3; x > 0; y = 0",
        "x <= y; x >= y; true",
    ];
    for seed in 0..15 {
        let text = model(&mut Rng::new(9000 + seed));
        let loaded = read(&text);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        for cases in cases {
            // What no condition has is one more value.
            let rest = formulas(&loaded, cases);
            let rest = terms.not(terms.or(rest));
            let mut recipes = vec![
                Recipe::new(Method::Auto),
                Recipe::new(Method::Elimination),
                Recipe::new(Method::Substitution),
                Recipe::new(Method::Literals),
                Recipe::new(Method::Models),
                Recipe::new(Method::Partition(vec![vec![0], vec![1, 2]])),
                Recipe::new(Method::Partition(vec![vec![0, 1], vec![0, 2]])),
            ];
            for method in [
                Method::Elimination,
                Method::Partition(vec![vec![0, 1], vec![2]]),
            ] {
                recipes.push(Recipe {
                    fewest: true,
                    ..Recipe::new(method)
                });
            }
            for recipe in &recipes {
                let mut prover = prover(&loaded);
                let mut alpha = Alpha::new();
                let values = formulas(&loaded, cases).into_iter().chain([rest]);
                let values = values.enumerate().map(|(k, t)| (format!("v{k}"), t));
                alpha.add_relation("r", &values.collect::<Vec<_>>());
                for (name, p) in [("a1", "x < y"), ("a2", "x = 0")] {
                    alpha.add_predicate(terms, name, formulas(&loaded, p)[0]);
                }
                let mut found = made(&loaded, &concrete, alpha, recipe, &mut prover);
                let all = terms.tt();
                let simulates = is_abstraction(terms, &concrete, &mut found, all, &mut prover);
                let simulates = simulates.expect("it is decided");
                assert_eq!(simulates, Ok(()), "seed {seed} {recipe:?}\n{text}");
                // What is reachable is an invariant: every step leads from it into it.
                let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
                let set = found.concrete(terms, reach.all);
                for o in sectile_engine_predabs::inv(terms, &concrete, set, None) {
                    let answer = sectile_engine_predabs::discharge(&mut prover, &concrete, &o);
                    let answer = answer.expect("it is decided");
                    assert_eq!(answer, Discharge::Valid, "seed {seed} {recipe:?}\n{text}");
                }
                // An abstract step less, where there was one, is noticed.
                let lost = (0..found.transitions.len()).find(|&k| {
                    found.transitions[k].relation != Bdd::FALSE && {
                        let command = &concrete.edges[k].command;
                        let step = concrete.step_formula(terms, command);
                        prover.satisfiable(step).expect("it is decided")
                    }
                });
                if let Some(k) = lost {
                    found.transitions[k].relation = Bdd::FALSE;
                    let less = is_abstraction(terms, &concrete, &mut found, all, &mut prover);
                    assert!(less.expect("it is decided").is_err());
                }
            }
        }
    }
}

/// Def. 9, condition 1: a state without a value is no abstraction.
#[test]
fn relations_have_to_be_total() {
    let loaded = read("var x : 0..3 = 0\nup: x < 3 --> x := x + 1\nerror e: x > 3\n");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(&loaded);
    let alpha = alpha(&loaded, "x <= 1; x = 1 or x = 2", "");
    let recipe = Recipe::new(Method::Elimination);
    let mut found = made(&loaded, &concrete, alpha, &recipe, &mut prover);
    let all = terms.tt();
    let partial = is_abstraction(terms, &concrete, &mut found, all, &mut prover);
    let (obligation, _) = partial.expect("it is decided").expect_err("3 has no value");
    assert!(obligation.name.contains("total"), "{}", obligation.name);
    // Relative to the states that have one it is an abstraction [BeGrLa, Def. 10].
    let inside = formulas(&loaded, "x <= 1")[0];
    let weak = is_abstraction(terms, &concrete, &mut found, inside, &mut prover);
    assert_eq!(weak.expect("it is decided"), Ok(()));
}
