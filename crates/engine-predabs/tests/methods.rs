//! The methods of computing an abstraction: what they give, and how many questions they ask.

use crate::common;

use common::{backend, formulas, model, read, system, zoo};
use sectile_base::{Budget, Rng};
use sectile_domains::bdd::Bdd;
use sectile_driver::Loaded;
use sectile_engine_predabs::{AbstractSystem, Alpha, Method, Prover, Recipe, is_abstraction};
use sectile_model::Model;
use sectile_terms::Term;
use std::collections::BTreeSet;

/// An abstract system made by a recipe, and the questions it took.
fn made<'t>(
    loaded: &'t Loaded,
    concrete: &'t Model,
    predicates: &str,
    recipe: &Recipe,
    within: Term,
    most: Option<u64>,
) -> (AbstractSystem<'t>, Prover<'t>, u64) {
    let terms = &loaded.terms;
    let mut alpha = Alpha::new();
    for (k, p) in formulas(loaded, predicates).into_iter().enumerate() {
        alpha.add_predicate(terms, &format!("a{}", k + 1), p);
    }
    alpha.add_copies(terms, concrete);
    let prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
    let mut prover = prover.limited(most);
    let made = AbstractSystem::by(recipe, terms, concrete, alpha, within, &mut prover);
    let made = made.expect("it can be computed");
    let calls = prover.calls();
    (made, prover.limited(None), calls)
}

/// The related pairs of abstract states that are consistent, for every command.
fn pairs(
    loaded: &Loaded,
    concrete: &Model,
    found: &mut AbstractSystem<'_>,
) -> BTreeSet<(usize, Vec<usize>, Vec<usize>)> {
    let terms = &loaded.terms;
    let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
    let domain = concrete.restrict_formula(terms);
    let valid = found.valid;
    let mut consistent = Bdd::FALSE;
    for state in found.states(valid, 1000) {
        let meaning = terms.and2(domain, found.alpha.meaning(terms, &state));
        if prover.satisfiable(meaning).expect("it is decided") {
            let one = found.alpha.space().tuple(&mut found.manager, &state, false);
            consistent = found.manager.or(consistent, one);
        }
    }
    let mut all = BTreeSet::new();
    for state in found.states(consistent, 1000) {
        for k in 0..found.transitions.len() {
            let source = found.alpha.space().tuple(&mut found.manager, &state, false);
            let after = found.post(source, k);
            let after = found.manager.and(after, consistent);
            for target in found.states(after, 1000) {
                all.insert((k, state.clone(), target));
            }
        }
    }
    all
}

/// I8: 2^(2n) questions for each transition and 2^n for the initial states, and the least
/// abstraction; I9: every speed-up gives the same with fewer questions.
#[test]
fn elimination_asks_as_many_questions_as_the_paper_says() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let text = "nw = 0; nr = 0; nw = 1";
    let everything = terms.tt();
    let plain = Recipe::plain(Method::Elimination);
    let (mut least, _, calls) = made(&loaded, &concrete, text, &plain, everything, None);
    assert_eq!(calls, 4 * 64 + 8);
    let expected = pairs(&loaded, &concrete, &mut least);
    let auto = Recipe::new(Method::Auto);
    let (mut same, _, few) = made(&loaded, &concrete, text, &auto, everything, None);
    assert_eq!(pairs(&loaded, &concrete, &mut same), expected);
    assert!(few < 30, "{few}");
    for name in ["independence", "dependences", "constants", "sets"] {
        let mut recipe = plain.clone();
        match name {
            "independence" => recipe.independence = true,
            "dependences" => recipe.dependences = true,
            "constants" => recipe.constants = true,
            _ => recipe.sets = true,
        }
        let (mut found, _, fewer) = made(&loaded, &concrete, text, &recipe, everything, None);
        assert!(fewer < calls, "{name}: {fewer}");
        assert_eq!(pairs(&loaded, &concrete, &mut found), expected, "{name}");
    }
    let all = Recipe::new(Method::Elimination);
    let (mut found, _, fewest) = made(&loaded, &concrete, text, &all, everything, None);
    assert_eq!(pairs(&loaded, &concrete, &mut found), expected);
    assert!(fewest * 2 < calls, "{fewest}");
}

/// I9 c: `x := 0` makes `x > 0` false whatever was before, and I9 a: what is not assigned stays.
#[test]
fn the_speed_ups_see_what_the_paper_names() {
    let loaded = read("var x, y : int = 1\nreset: true --> x := 0\nerror e: y < 0\n");
    let concrete = system(&loaded);
    let mut recipe = Recipe::plain(Method::Elimination);
    recipe.constants = true;
    recipe.independence = true;
    let (found, _, _) = made(
        &loaded,
        &concrete,
        "x > 0; y > 0",
        &recipe,
        loaded.terms.tt(),
        None,
    );
    use sectile_engine_predabs::Effect::{Keep, Value};
    assert_eq!(found.transitions[0].effects, [Value(0), Keep]);
}

/// I11: with a partition into blocks of sizes n1 and n2 there are 2^(2 n1) + 2^(2 n2) questions for
/// each transition.
#[test]
fn a_partition_asks_as_many_questions_as_the_paper_says() {
    let loaded = zoo("rw.sct");
    let concrete = system(&loaded);
    let recipe = Recipe::plain(Method::Partition(vec![vec![0, 2], vec![1]]));
    let text = "nw = 0; nr = 0; nw = 1";
    let (_, _, calls) = made(&loaded, &concrete, text, &recipe, loaded.terms.tt(), None);
    assert_eq!(calls, 4 * (16 + 4) + 8);
}

/// All methods give abstractions; elimination, models and substitution give the least one.
#[test]
fn all_methods_simulate_and_some_are_least() {
    for seed in 0..25 {
        let text = model(&mut Rng::new(3000 + seed));
        let loaded = read(&text);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        let predicates = "x < y; x = 0";
        let least = Recipe::new(Method::Models);
        let (mut found, _, _) = made(&loaded, &concrete, predicates, &least, terms.tt(), None);
        let expected = pairs(&loaded, &concrete, &mut found);
        for recipe in [
            Recipe::new(Method::Elimination),
            Recipe::new(Method::Substitution),
            Recipe::new(Method::Auto),
            Recipe::new(Method::Literals),
            Recipe::new(Method::Partition(vec![vec![0, 1], vec![2, 3], vec![4]])),
        ] {
            let everything = terms.tt();
            let (mut found, mut prover, _) =
                made(&loaded, &concrete, predicates, &recipe, everything, None);
            let simulates = is_abstraction(terms, &concrete, &mut found, everything, &mut prover);
            let simulates = simulates.expect("it is decided");
            assert_eq!(simulates, Ok(()), "seed {seed} {recipe:?}\n{text}");
            let here = pairs(&loaded, &concrete, &mut found);
            match recipe.method {
                Method::Literals | Method::Partition(_) => {
                    assert!(
                        here.is_superset(&expected),
                        "seed {seed} {recipe:?}\n{text}"
                    );
                }
                _ => assert_eq!(here, expected, "seed {seed} {recipe:?}\n{text}"),
            }
        }
    }
}

/// I10: the states that the construction by literals reaches contain all that are reachable, and
/// from reachable states no transition is missing.
#[test]
fn literals_reach_at_least_what_is_reachable() {
    let mut larger = 0;
    for seed in 0..25 {
        let text = model(&mut Rng::new(4000 + seed));
        let loaded = read(&text);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        let mut reached = Vec::new();
        for method in [Method::Models, Method::Literals] {
            let recipe = Recipe::new(method);
            let (mut found, mut prover, _) = made(
                &loaded,
                &concrete,
                "x < y; x = 0",
                &recipe,
                terms.tt(),
                None,
            );
            let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
            let states = found.states(reach.all, 1000);
            reached.push(states.into_iter().collect::<BTreeSet<_>>());
        }
        assert!(reached[1].is_superset(&reached[0]), "seed {seed}\n{text}");
        larger += usize::from(reached[1] != reached[0]);
    }
    assert!(larger > 0, "single values lose something somewhere");
}

/// I8: any prefix of the work is an abstraction, and more questions never add a transition.
#[test]
fn any_prefix_of_the_work_is_an_abstraction() {
    for seed in 0..8 {
        let text = model(&mut Rng::new(5000 + seed));
        let loaded = read(&text);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        for method in [
            Method::Auto,
            Method::Elimination,
            Method::Literals,
            Method::Substitution,
            Method::Models,
            Method::Partition(vec![vec![0], vec![1, 2], vec![3, 4]]),
        ] {
            let recipe = Recipe::new(method);
            for most in [0, 1, 3, 10, 30, 100, 300] {
                let everything = terms.tt();
                let (mut found, mut prover, calls) = made(
                    &loaded,
                    &concrete,
                    "x < y; x = 0",
                    &recipe,
                    everything,
                    Some(most),
                );
                assert!(calls <= most, "{recipe:?} asked {calls} of {most}");
                let simulates =
                    is_abstraction(terms, &concrete, &mut found, everything, &mut prover);
                let simulates = simulates.expect("it is decided");
                assert_eq!(simulates, Ok(()), "seed {seed} {recipe:?} {most}\n{text}");
            }
        }
    }
}

/// I11, Lemma 2 and Lemma 4: products of blocks have at least the transitions of the whole, and
/// finer partitions have more.
#[test]
fn finer_partitions_have_more_transitions() {
    let mut strict = 0;
    for seed in 0..20 {
        let text = model(&mut Rng::new(6000 + seed));
        let loaded = read(&text);
        let concrete = system(&loaded);
        let mut previous: Option<BTreeSet<_>> = None;
        for blocks in [
            vec![vec![0, 1, 2, 3, 4]],
            vec![vec![0, 1, 2], vec![3, 4]],
            vec![vec![0, 1], vec![2], vec![3, 4]],
            vec![vec![0], vec![1], vec![2], vec![3], vec![4]],
        ] {
            let mut recipe = Recipe::plain(Method::Partition(blocks));
            recipe.sets = true;
            let (mut found, _, _) = made(
                &loaded,
                &concrete,
                "x < y; x = 0",
                &recipe,
                loaded.terms.tt(),
                None,
            );
            let here = pairs(&loaded, &concrete, &mut found);
            if let Some(coarser) = previous {
                assert!(here.is_superset(&coarser), "seed {seed}\n{text}");
                strict += usize::from(here.len() > coarser.len());
            }
            previous = Some(here);
        }
    }
    assert!(strict > 0);
}

/// I11, Lemma 3: where the system and the abstraction decompose, the product is exact.
#[test]
fn partitions_along_independent_variables_are_exact() {
    let text = "var x, y : 0..3 = 0\n\
                both: x < 3 and y > 0 --> x := x + 1, y := y - 1\n\
                left: x = 3 --> x := 0\nright: y < 3 --> y := y + 1\nerror e: x > 3\n";
    let loaded = read(text);
    let concrete = system(&loaded);
    let predicates = "x = 0; x <= 2; y = 0; y <= 2";
    let mut results = Vec::new();
    for blocks in [vec![vec![0, 1, 2, 3]], vec![vec![0, 1], vec![2, 3]]] {
        let recipe = Recipe::plain(Method::Partition(blocks));
        let (mut found, _, _) = made(
            &loaded,
            &concrete,
            predicates,
            &recipe,
            loaded.terms.tt(),
            None,
        );
        results.push(pairs(&loaded, &concrete, &mut found));
    }
    assert_eq!(results[0], results[1]);
}

/// I7: successors of states outside the property are not needed; I6: with them, they are.
#[test]
fn transitions_from_outside_the_property_do_not_matter() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let good = formulas(&loaded, "nr > 0 => nw = 0")[0];
    let recipe = Recipe::new(Method::Elimination);
    let (mut found, mut prover, _) = made(
        &loaded,
        &concrete,
        "nw = 0; nr = 0",
        &recipe,
        terms.tt(),
        None,
    );
    // No outgoing edges for the fourth state, in which somebody reads and somebody writes.
    let fourth = found
        .alpha
        .space()
        .tuple(&mut found.manager, &[0, 0], false);
    for transition in &mut found.transitions {
        transition.relation = found.manager.minus(transition.relation, fourth);
    }
    let weak = is_abstraction(terms, &concrete, &mut found, good, &mut prover);
    assert_eq!(weak.expect("it is decided"), Ok(()));
    let strong = is_abstraction(terms, &concrete, &mut found, terms.tt(), &mut prover);
    assert!(strong.expect("it is decided").is_err());
    // Built relative to the property, they are gone by themselves, and the proof is the same.
    let (mut relative, mut prover, _) =
        made(&loaded, &concrete, "nw = 0; nr = 0", &recipe, good, None);
    let fourth = relative
        .alpha
        .space()
        .tuple(&mut relative.manager, &[0, 0], false);
    for k in 0..4 {
        assert_eq!(relative.post(fourth, k), Bdd::FALSE);
    }
    let reach = relative
        .reach(Bdd::FALSE, &mut prover)
        .expect("it is finite");
    assert!(
        !relative
            .alpha
            .space()
            .contains(&relative.manager, reach.all, &[0, 0])
    );
}

/// I7, Theorem 2: where the abstraction relative to a property satisfies it, so does the system.
#[test]
fn weak_simulation_preserves_what_it_is_relative_to() {
    let mut proved = 0;
    for seed in 0..40 {
        let text = model(&mut Rng::new(7000 + seed));
        let loaded = read(&text);
        let (terms, (concrete, good)) = (&loaded.terms, common::asked(&loaded, "bad"));
        let recipe = Recipe::new(Method::Models);
        let (mut found, mut prover, _) = made(
            &loaded,
            &concrete,
            "x < y; x = 0; x = 3",
            &recipe,
            good,
            None,
        );
        let init = concrete.init_formula(terms);
        if !prover.implies(init, good).expect("it is decided") {
            continue;
        }
        let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
        let set = found.concrete(terms, reach.all);
        let domain = concrete.restrict_formula(terms);
        if prover
            .implies(terms.and2(domain, set), good)
            .expect("it is decided")
        {
            proved += 1;
            let report = common::run(&loaded, "bad", &[]);
            assert_eq!(
                report.status,
                sectile_report::Status::Holds,
                "seed {seed}\n{text}"
            );
        }
    }
    assert!(proved > 3, "{proved}");
}

/// I12: one abstract transition for each concrete one, and each depends on its command only.
#[test]
fn transitions_are_abstracted_one_by_one() {
    let loaded = zoo("bakery-001.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let text = "y1 = 0; y2 = 0; y1 <= y2";
    let recipe = Recipe::new(Method::Auto);
    let (whole, _, _) = made(&loaded, &concrete, text, &recipe, terms.tt(), None);
    for (k, edge) in concrete.edges.iter().enumerate() {
        let mut alone = concrete.clone();
        alone.edges = vec![edge.clone()];
        let (single, _, _) = made(&loaded, &alone, text, &recipe, terms.tt(), None);
        assert_eq!(single.transitions[0].name, whole.transitions[k].name);
        assert_eq!(single.transitions[0].effects, whole.transitions[k].effects);
    }
}

/// I13, I14: substitution alone is enough for five of the six transitions of the bakery.
#[test]
fn substitution_needs_no_elimination_but_for_one_variable() {
    let loaded = zoo("bakery-001.sct");
    let concrete = system(&loaded);
    let recipe = Recipe::new(Method::Substitution);
    let text = "y1 = 0; y2 = 0; y1 <= y2";
    let (found, _, _) = made(&loaded, &concrete, text, &recipe, loaded.terms.tt(), None);
    let open: Vec<&[usize]> = found.transitions.iter().map(|t| &t.open[..]).collect();
    assert_eq!(open, [&[][..], &[], &[], &[], &[], &[2]]);
}

/// I13 step 1: values that the guard fixes are put into the assigned expressions.
#[test]
fn constants_of_the_guard_are_substituted() {
    let loaded = read("var x, y : int = 0\ns: x = 2 --> y := x + 1\nerror e: y < 0\n");
    let concrete = system(&loaded);
    let recipe = Recipe::new(Method::Substitution);
    let (found, _, _) = made(
        &loaded,
        &concrete,
        "y = 3; x = 2",
        &recipe,
        loaded.terms.tt(),
        None,
    );
    use sectile_engine_predabs::Effect::{Keep, Value};
    assert_eq!(found.transitions[0].effects, [Value(1), Keep]);
}

/// I28: variables with several values, none of them a copy.
#[test]
fn data_abstraction_has_values_of_its_own() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let cases = formulas(&loaded, "nr + nw = 0; nr + nw = 1; nr + nw >= 2");
    let names = ["none", "one", "many"].map(str::to_string);
    let mut alpha = Alpha::new();
    let cases: Vec<(String, Term)> = names.into_iter().zip(cases).collect();
    alpha.add_data("busy", &cases);
    alpha.add_predicate(terms, "a1", formulas(&loaded, "nw = 0")[0]);
    let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
    let found = AbstractSystem::new(terms, &concrete, alpha, terms.tt(), &mut prover);
    let mut found = found.expect("it can be computed");
    let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let states = found.states(reach.all, 100);
    assert_eq!(states, [[0, 1], [1, 0], [1, 1], [2, 1]]);
    let simulates = is_abstraction(terms, &concrete, &mut found, terms.tt(), &mut prover);
    assert_eq!(simulates.expect("it is decided"), Ok(()));
}

/// I21: the cases together are the reachable set, and each is about its own guards only.
#[test]
fn splitting_on_guards_loses_nothing() {
    let loaded = zoo("bakery-001.sct");
    let concrete = system(&loaded);
    let recipe = Recipe::new(Method::Auto);
    let text = "y1 = 0; y2 = 0; y1 <= y2";
    let (mut found, mut prover, _) =
        made(&loaded, &concrete, text, &recipe, loaded.terms.tt(), None);
    let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let guards = formulas(&loaded, "pc1 = l12 and (y2 = 0 or y1 <= y2); pc2 = l22");
    let split = found
        .split_on_guards(reach.all, &guards)
        .expect("they are exact");
    assert_eq!(split.len(), 4);
    let valid = found.valid;
    for state in found.states(valid, 1000) {
        let truth = found
            .alpha
            .space()
            .contains(&found.manager, reach.all, &state);
        let mut said = false;
        for (literals, formula) in &split {
            let mut inside = true;
            for &literal in literals {
                let set = found.exact(&loaded.terms, literal).expect("it is exact");
                inside &= found.alpha.space().contains(&found.manager, set, &state);
            }
            said |= inside && formula.holds(&state);
        }
        assert_eq!(said, truth, "{state:?}");
    }
    let outside = formulas(&loaded, "y1 = 7");
    assert_eq!(
        found.split_on_guards(reach.all, &outside).err(),
        Some(outside[0])
    );
}
