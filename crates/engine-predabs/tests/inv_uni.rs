//! Rule (Inv-Uni): weak simulation, what follows from partitions, and rule (Inv) as an instance.

use crate::common;

use common::{abstracted, backend, formulas, model, read, system, zoo};
use sectile_base::{Budget, Rng};
use sectile_domains::bdd::Bdd;
use sectile_driver::Loaded;
use sectile_engine_predabs::{
    AbstractSystem, Alpha, Discharge, InvUni, Obligation, Parts, Prover, discharge, inv,
    is_abstraction, simulation,
};
use sectile_model::Model;
use sectile_testkit::texts::condition;

fn prover(loaded: &Loaded) -> Prover<'_> {
    Prover::new(&loaded.terms, backend(), &Budget::unlimited()).expect("a solver")
}

fn all_valid<'t>(prover: &mut Prover<'t>, system: &Model, list: &[Obligation]) -> bool {
    list.iter().all(|o| {
        let answer = discharge(prover, system, o).expect("it is decided");
        answer == Discharge::Valid
    })
}

/// I16: P of the readers and writers, with Q = (nw = 0 or nr = 0) and with phi^C other than true.
#[test]
fn readers_and_writers_by_weak_simulation() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(&loaded);
    let phi_c = formulas(&loaded, "nr > 0 => nw = 0")[0];
    let strong = formulas(&loaded, "nw = 0 or nr = 0 and nw <= 1")[0];
    let q = formulas(&loaded, "nw = 0 or nr = 0")[0];
    let mut alpha = Alpha::new();
    for (k, p) in formulas(&loaded, "nw = 0; nr = 0").into_iter().enumerate() {
        alpha.add_predicate(terms, &format!("a{}", k + 1), p);
    }
    let weak = AbstractSystem::new(terms, &concrete, alpha, phi_c, &mut prover);
    let mut weak = weak.expect("it is computed");
    // Where somebody reads and somebody writes no step is needed, and there is none.
    let fourth = weak.alpha.space().tuple(&mut weak.manager, &[0, 0], false);
    assert!((0..4).all(|k| weak.post(fourth, k) == Bdd::FALSE));
    let relative = is_abstraction(terms, &concrete, &mut weak, phi_c, &mut prover);
    assert_eq!(relative.expect("it is decided"), Ok(()));
    let strongly = is_abstraction(terms, &concrete, &mut weak, terms.tt(), &mut prover);
    assert!(strongly.expect("it is decided").is_err());
    let reach = weak.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    for parts in [Parts::Whole, Parts::Apart, Parts::States] {
        let rule = InvUni {
            relative: phi_c,
            weaker: Some(q),
            parts,
            ..InvUni::new(terms, strong, Some(strong))
        };
        let list = rule.obligations(&mut weak, &reach);
        let names: Vec<&str> = list.iter().map(|o| o.name.as_str()).collect();
        let expected = ["reachable", "initial", "property"];
        assert_eq!(names[..3], expected);
        assert!(all_valid(&mut prover, &concrete, &list), "{parts:?}");
    }
    // A Q that the reachable states do not imply is refused, and so is one that is too weak for an
    // invariant that needs it.
    let wrong = InvUni {
        weaker: Some(formulas(&loaded, "nw = 0")[0]),
        ..InvUni::new(terms, strong, None)
    };
    let list = wrong.obligations(&mut weak, &reach);
    assert_eq!(list[0].name, "reachable");
    assert!(!all_valid(&mut prover, &concrete, &list[..1]));
}

/// Fig. 6 without the premise about initial states would prove that a system stays where it never
/// was: phi^C has to hold at first.
#[test]
fn initial_states_have_to_be_inside() {
    let loaded = read("var x : int = 0\nup: true --> x := x + 1\nerror e: x < 0\n");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(&loaded);
    let phi_c = formulas(&loaded, "x >= 5")[0];
    let weak = AbstractSystem::new(terms, &concrete, Alpha::new(), phi_c, &mut prover);
    let mut weak = weak.expect("it is computed");
    let reach = weak.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let rule = InvUni {
        relative: phi_c,
        ..InvUni::new(terms, terms.tt(), None)
    };
    let list = rule.obligations(&mut weak, &reach);
    let failed = list.iter().filter(|o| {
        let answer = discharge(&mut prover, &concrete, o).expect("it is decided");
        answer != Discharge::Valid
    });
    let failed: Vec<&str> = failed.map(|o| o.name.as_str()).collect();
    assert_eq!(failed, ["initial"]);
}

/// I16, Theorem 2 and Fig. 6 on random systems: what the rule proves by a weak abstraction holds.
#[test]
fn what_weak_simulation_proves_holds() {
    let mut proved = 0;
    for seed in 0..80 {
        let mut rng = Rng::new(12_000 + seed);
        let text = model(&mut rng);
        let loaded = read(&text);
        let (terms, (concrete, good)) = (&loaded.terms, common::asked(&loaded, "bad"));
        let phi_c = terms.or2(good, formulas(&loaded, &condition(&mut rng, 1))[0]);
        let mut prover = prover(&loaded);
        let mut alpha = Alpha::new();
        for (name, p) in [("a1", "x < y"), ("a2", "x = 0"), ("a3", "x = 3")] {
            alpha.add_predicate(terms, name, formulas(&loaded, p)[0]);
        }
        alpha.add_copies(terms, &concrete);
        let weak = AbstractSystem::new(terms, &concrete, alpha, phi_c, &mut prover);
        let mut weak = weak.expect("it is computed");
        let reach = weak.reach(Bdd::FALSE, &mut prover).expect("it is finite");
        for parts in [Parts::Whole, Parts::Apart] {
            let rule = InvUni {
                relative: phi_c,
                parts,
                ..InvUni::new(terms, good, Some(good))
            };
            let list = rule.obligations(&mut weak, &reach);
            if all_valid(&mut prover, &concrete, &list) {
                proved += 1;
                let report = common::run(&loaded, "bad", &[]);
                let holds = sectile_report::Status::Holds;
                assert_eq!(report.status, holds, "seed {seed}\n{text}");
            }
        }
    }
    assert!(proved > 5, "{proved}");
}

/// The most parts of a transition, after a look at all of them.
fn most_parts<'t>(loaded: &'t Loaded, found: &mut AbstractSystem<'t>, concrete: &Model) -> usize {
    let terms = &loaded.terms;
    let mut prover = prover(loaded);
    let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let mut most = 0;
    for (k, command) in concrete.commands().enumerate() {
        let whole = found.parts(reach.all, k, Parts::Whole);
        assert_eq!(whole.len(), 1);
        for how in [Parts::Apart, Parts::States] {
            let parts = found.parts(reach.all, k, how);
            let (mut starts, mut ends) = (Bdd::FALSE, Bdd::FALSE);
            for &(before, after) in &parts {
                assert_eq!(found.manager.and(starts, before), Bdd::FALSE, "a partition");
                if how == Parts::Apart {
                    assert_eq!(found.manager.and(ends, after), Bdd::FALSE, "apart");
                }
                starts = found.manager.or(starts, before);
                ends = found.manager.or(ends, after);
                let step = concrete.step_formula(terms, command);
                let before = found.concrete(terms, before);
                let after = terms.prime(found.concrete(terms, after));
                let fact = prover.implies(terms.and2(before, step), after);
                assert!(fact.expect("it is decided"), "{} {how:?}", command.name);
            }
            assert_eq!((starts, ends), whole[0]);
            most = most.max(parts.len());
        }
    }
    most
}

/// I17: what is added for every part is a tautology, the parts are a partition, and with `Apart`
/// their successors have nothing in common.
#[test]
fn parts_of_transitions_are_tautologies() {
    let mut several = 0;
    for (file, predicates) in [
        ("rw.sct", "nw = 0; nr = 0"),
        ("bakery-001.sct", "y1 = 0; y2 = 0; y1 <= y2"),
    ] {
        let loaded = zoo(file);
        let concrete = system(&loaded);
        let mut prover = prover(&loaded);
        let mut found = abstracted(&loaded, &concrete, predicates, &mut prover);
        several += usize::from(most_parts(&loaded, &mut found, &concrete) > 1);
    }
    assert_eq!(several, 2);
    for seed in 0..10 {
        let text = model(&mut Rng::new(13_000 + seed));
        let loaded = read(&text);
        let concrete = system(&loaded);
        let mut prover = prover(&loaded);
        let mut found = abstracted(&loaded, &concrete, "x < y; x = 0", &mut prover);
        most_parts(&loaded, &mut found, &concrete);
    }
}

/// I16: (Inv) is the instance of (Inv-Uni) with the system of two states: where the premises of the
/// first are valid, so are those of the second. The converse does not hold.
#[test]
fn inv_is_derived_from_inv_uni() {
    let derived = |loaded: &Loaded, psi: &str, phi: &str| -> (bool, bool) {
        let (terms, concrete) = (&loaded.terms, system(loaded));
        let mut prover = prover(loaded);
        let (psi, phi) = (formulas(loaded, psi)[0], formulas(loaded, phi)[0]);
        let direct = inv(terms, &concrete, psi, Some(phi));
        let direct = all_valid(&mut prover, &concrete, &direct);
        let mut two = AbstractSystem::two_states(terms, &concrete, psi);
        let reach = two.reach(Bdd::FALSE, &mut prover).expect("it is finite");
        let mut list = simulation(terms, &concrete, &mut two, terms.tt());
        let rule = InvUni::new(terms, phi, Some(phi));
        list.extend(rule.obligations(&mut two, &reach));
        (direct, all_valid(&mut prover, &concrete, &list))
    };
    let rw = zoo("rw.sct");
    let strong = "nw = 0 or nr = 0 and nw <= 1";
    assert_eq!(derived(&rw, strong, "nr > 0 => nw = 0"), (true, true));
    assert_eq!(derived(&rw, strong, strong), (true, true));
    assert_eq!(derived(&rw, "nw = 0", "nw = 0"), (false, false));
    // Q need not imply the property: it is enough that the property is kept inside Q.
    assert_eq!(derived(&rw, "nw = 0 or nr = 0", "nw <= 1"), (false, true));
    let mut both = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(14_000 + seed);
        let text = model(&mut rng);
        let loaded = read(&text);
        let (psi, phi) = (condition(&mut rng, 2), condition(&mut rng, 2));
        let weaker = format!("({psi}) or ({phi})");
        for (psi, phi) in [(psi.as_str(), weaker.as_str()), (&weaker, &phi)] {
            let (direct, uni) = derived(&loaded, psi, phi);
            assert!(!direct || uni, "seed {seed} {psi} {phi}\n{text}");
            both += usize::from(direct);
        }
    }
    assert!(both > 2, "{both}");
}

/// F4: a known invariant, used while an abstraction is computed, makes it smaller, and it stays an
/// abstraction relative to the invariant.
#[test]
fn known_invariants_make_abstractions_smaller() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let known = formulas(&loaded, "nw = 0 or nr = 0 and nw <= 1")[0];
    let mut inside = concrete.clone();
    inside.restrict.push(known);
    let mut prover = prover(&loaded);
    let count = |system: &Model, prover: &mut Prover<'_>| {
        let mut alpha = Alpha::new();
        alpha.add_predicate(terms, "a1", formulas(&loaded, "nw != 2")[0]);
        let mut fresh = self::prover(&loaded);
        let mut found = AbstractSystem::new(terms, system, alpha, terms.tt(), &mut fresh)
            .expect("it is computed");
        let reach = found.reach(Bdd::FALSE, &mut fresh).expect("it is finite");
        let set = found.concrete(terms, reach.all);
        let set = terms.and2(system.restrict_formula(terms), set);
        assert!(prover.satisfiable(set).expect("it is decided"));
        let weak = is_abstraction(terms, &concrete, &mut found, known, &mut fresh);
        (
            found.states(reach.all, 10).len(),
            weak.expect("it is decided").is_ok(),
        )
    };
    let alone = count(&concrete, &mut prover);
    let with = count(&inside, &mut prover);
    assert_eq!((alone, with), ((2, true), (1, true)));
}
