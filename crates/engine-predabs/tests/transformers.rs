//! POST, PRE and WP: by hand, and by enumeration on random finite systems; the rules of deduction.

use crate::common;

use common::{backend, formulas, model, read, system, zoo};
use sectile_base::{Budget, Rng};
use sectile_domains::bdd::Bdd;
use sectile_driver::Loaded;
use sectile_engine_predabs::{
    AbstractSystem, Backward, Discharge, Prover, Transformers, backward, discharge, inv,
};
use sectile_model::Model;
use sectile_terms::{Stage, Symbol, Term, Value, evaluate};
use sectile_testkit::texts::condition;
use std::collections::BTreeMap;

fn prover(loaded: &Loaded) -> Prover<'_> {
    Prover::new(&loaded.terms, backend(), &Budget::unlimited()).expect("a solver")
}

fn equivalent(loaded: &Loaded, a: Term, b: Term) -> bool {
    let same = loaded.terms.iff(a, b);
    prover(loaded)
        .implies(loaded.terms.tt(), same)
        .expect("it is decided")
}

/// I1: the examples of the definitions.
#[test]
fn weakest_preconditions_are_substitutions() {
    let loaded = read(
        "var x, y : int = 0\nup: true --> x := x + 1\nguarded: y > 0 --> x := y\n\
         choose: true --> x := any v where v > y\nerror e: x < 0\n",
    );
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut t = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
    let five = formulas(&loaded, "x <= 5")[0];
    let check = |found: Term, expected: &str| {
        let expected = formulas(&loaded, expected)[0];
        assert!(equivalent(&loaded, found, expected));
    };
    let wp = |t: &mut Transformers<'_>, k: usize| {
        t.wp(&concrete.edges[k].command, five)
            .expect("it is decided")
            .expect("it is exact")
    };
    check(wp(&mut t, 0), "x <= 4");
    check(wp(&mut t, 1), "y > 0 => y <= 5");
    check(wp(&mut t, 2), "false");
    let pre = t
        .pre(&concrete.edges[2].command, five)
        .expect("it is decided");
    check(pre.formula, "y < 5");
    let post = t
        .post(&concrete.edges[1].command, five)
        .expect("it is decided");
    check(post.formula, "y > 0 and x = y");
    let post = t
        .post(&concrete.edges[0].command, five)
        .expect("it is decided");
    check(post.formula, "x <= 6");
}

type State = BTreeMap<Symbol, Value>;

/// All states of a random system (see the declarations in `sectile_testkit::texts`).
fn states(loaded: &Loaded, concrete: &Model) -> Vec<State> {
    let terms = &loaded.terms;
    let mut all = vec![State::new()];
    for &symbol in &concrete.variables {
        let values: Vec<Value> = match Value::some_of(terms, terms.symbol_sort(symbol)) {
            Value::Bool(_) => vec![Value::Bool(false), Value::Bool(true)],
            Value::Enum(id, _) => (0..3).map(|k| Value::Enum(id, k)).collect(),
            _ => (0..4i64).map(|k| Value::Int(k.into())).collect(),
        };
        all = all
            .iter()
            .flat_map(|s| {
                values.iter().map(|v| {
                    let mut longer = s.clone();
                    longer.insert(symbol, v.clone());
                    longer
                })
            })
            .collect();
    }
    all
}

fn holds(loaded: &Loaded, formula: Term, now: &State, next: Option<&State>) -> bool {
    let value = |symbol: Symbol, stage: Stage| match stage {
        Stage::Now => now.get(&symbol).cloned(),
        Stage::Next => next.and_then(|n| n.get(&symbol).cloned()),
        Stage::At(_) => None,
    };
    let found = evaluate(&loaded.terms, formula, &value).expect("all variables have values");
    found.as_bool() == Some(true)
}

/// I1, Def. 7 with E5: states with a successor in the set, with all of them in it, and with a
/// predecessor in it.
#[test]
fn transformers_agree_with_enumeration() {
    for seed in 0..12 {
        let mut rng = Rng::new(8000 + seed);
        let text = model(&mut rng);
        let loaded = read(&text);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        let mut t = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
        let target = formulas(&loaded, &condition(&mut rng, 2))[0];
        let domain = concrete.restrict_formula(terms);
        let all = states(&loaded, &concrete);
        for command in concrete.commands() {
            let pre = t.pre(command, target).expect("it is decided");
            let post = t.post(command, target).expect("it is decided");
            let wp = t.wp(command, target).expect("it is decided");
            assert!(pre.exact && post.exact, "seed {seed}\n{text}");
            let wp = wp.expect("it is exact");
            let step = concrete.step_formula(terms, command);
            if terms
                .free_vars(step)
                .iter()
                .any(|v| command.inputs.contains(&v.0))
            {
                continue;
            }
            let sample: Vec<&State> = all.iter().filter(|_| rng.below(4) == 0).collect();
            for s in sample {
                if !holds(&loaded, domain, s, None) {
                    continue;
                }
                let successors: Vec<bool> = all
                    .iter()
                    .filter(|n| holds(&loaded, step, s, Some(n)))
                    .map(|n| holds(&loaded, target, n, None))
                    .collect();
                let name = &command.name;
                let some = successors.iter().any(|&b| b);
                assert_eq!(holds(&loaded, pre.formula, s, None), some, "{name}\n{text}");
                let every = successors.iter().all(|&b| b);
                assert_eq!(holds(&loaded, wp, s, None), every, "{name}\n{text}");
                let before = all
                    .iter()
                    .any(|p| holds(&loaded, target, p, None) && holds(&loaded, step, p, Some(s)));
                assert_eq!(
                    holds(&loaded, post.formula, s, None),
                    before,
                    "{name}\n{text}"
                );
            }
        }
    }
}

/// I3: backward analysis of Figure 10 removes x + i = y for one i after the other.
#[test]
fn the_backward_procedure_diverges_without_acceleration() {
    let loaded = zoo("fig10.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(&loaded);
    let mut t = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
    let safe = formulas(&loaded, "pc != l2")[0];
    for bound in [1, 3, 6] {
        let end = backward(terms, &concrete, safe, bound, &mut prover, &mut t);
        let Backward::Open(set) = end.expect("it is decided") else {
            panic!("it does not converge");
        };
        // After the first iteration, every one removes one more value of y - x.
        let last = format!("pc = l1 => x + {} != y", bound - 1);
        let last = formulas(&loaded, &last)[0];
        assert!(prover.implies(set, last).expect("it is decided"));
        let next = formulas(&loaded, &format!("pc = l1 => x + {bound} != y"))[0];
        assert!(!prover.implies(set, next).expect("it is decided"));
    }
}

/// I18: starting inside what an abstraction knows needs fewer iterations.
#[test]
fn a_known_invariant_shortens_the_backward_procedure() {
    let text = "var x, y : int = 0\nvar p : {a, b, c, d} = a\n\
                s: p = a and x = 0 --> p := b, y := y + 1\nt: p = b and x != 0 --> p := c\n\
                u: p = c --> p := d\nv: p = b and x = 0 --> p := a\nerror e: p = d\n";
    let loaded = read(text);
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(&loaded);
    let mut t = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
    let safe = formulas(&loaded, "p != d")[0];
    let mut count = |start: Term, prover: &mut Prover<'_>| {
        let mut p = self::prover(&loaded);
        assert!(prover.satisfiable(start).expect("it is decided"));
        match backward(terms, &concrete, start, 20, &mut p, &mut t).expect("it is decided") {
            Backward::Fixpoint { iterations, .. } => iterations,
            Backward::Open(_) => panic!("it converges"),
        }
    };
    let alone = count(safe, &mut prover);
    let mut alpha = sectile_engine_predabs::Alpha::new();
    alpha.add_predicate(terms, "a1", formulas(&loaded, "x = 0")[0]);
    alpha.add_copies(terms, &concrete);
    let abstracted = AbstractSystem::new(terms, &concrete, alpha, terms.tt(), &mut prover);
    let mut abstracted = abstracted.expect("it can be computed");
    let reach = abstracted
        .reach(Bdd::FALSE, &mut prover)
        .expect("it is finite");
    let known = abstracted.concrete(terms, reach.all);
    let together = count(terms.and2(safe, known), &mut prover);
    assert!(together < alone, "{together} {alone}");
}

/// I2, I4: what is inductive, what is not, and a state that shows it.
#[test]
fn inductive_invariants_are_told_from_others() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(&loaded);
    let mut failures = |psi: &str| -> Vec<String> {
        let psi = formulas(&loaded, psi)[0];
        let list = inv(terms, &concrete, psi, None);
        let fails = list.iter().filter(|o| {
            let answer = discharge(&mut prover, &concrete, o).expect("it is decided");
            matches!(answer, Discharge::Fails(_))
        });
        fails.map(|o| o.name.clone()).collect()
    };
    assert_eq!(failures("nw = 0 or nr = 0 and nw <= 1"), [""; 0]);
    assert_eq!(failures("nw <= 1"), [""; 0]);
    assert_eq!(failures("nr <= 3"), ["startR"]);
    assert_eq!(failures("nw = 1"), ["initial", "endW"]);
    // True, but not inductive: it needs strengthening.
    let loaded = zoo("bakery-001.sct");
    let concrete = system(&loaded);
    let mut prover = self::prover(&loaded);
    let mutex = formulas(&loaded, "not (pc1 = l13 and pc2 = l23)")[0];
    let list = inv(&loaded.terms, &concrete, mutex, None);
    let fails = list.iter().any(|o| {
        let answer = discharge(&mut prover, &concrete, o).expect("it is decided");
        matches!(answer, Discharge::Fails(_))
    });
    assert!(fails);
}
