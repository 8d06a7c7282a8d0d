//! What the papers print: the bakery, readers and writers, the loop of Figure 10, the lecture.

use crate::common;

use common::{abstracted, backend, formulas, run, system, zoo};
use sectile_base::Budget;
use sectile_domains::bdd::Bdd;
use sectile_engine_predabs::{
    AbstractSystem, Analysis, Discharge, Effect, InvUni, Prover, Question, Transformers, backward,
    bdd2f, discharge, inv, is_abstraction,
};
use sectile_report::Status;

fn prover<'t>(terms: &'t sectile_terms::Terms) -> Prover<'t> {
    Prover::new(terms, backend(), &Budget::unlimited()).expect("the solver is there")
}

fn texts(system: &mut AbstractSystem<'_>, set: Bdd) -> Vec<String> {
    let states = system.states(set, 1000);
    let variables = system.alpha.variables();
    let text = |state: &Vec<usize>| {
        let parts = state.iter().zip(variables);
        let parts = parts.map(|(&k, v)| v.labels[k].as_str());
        parts.collect::<Vec<_>>().join(" ")
    };
    states.iter().map(text).collect()
}

/// CAPABILITIES I14, I15, I20, I22 of Abstraction as the Key, Example 1 and 2.
#[test]
fn the_bakery_is_abstracted_as_printed() {
    let loaded = zoo("bakery-001.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(terms);
    let mut found = abstracted(&loaded, &concrete, "y1 = 0; y2 = 0; y1 <= y2", &mut prover);
    use Effect::{Copy, Keep, Value};
    let expected = [
        [Value(0), Keep, Value(0), Value(1), Keep],
        [Keep, Keep, Keep, Value(2), Keep],
        [Value(1), Keep, Value(1), Value(0), Keep],
        [Keep, Value(0), Value(1), Keep, Value(1)],
        [Keep, Keep, Keep, Keep, Value(2)],
        [Keep, Value(1), Copy(0), Keep, Value(0)],
    ];
    for (transition, effects) in found.transitions.iter().zip(&expected) {
        assert_eq!(transition.effects, effects, "{}", transition.name);
        // Substitution is enough but for the last one, where a3 needs elimination.
        let open: &[usize] = if transition.name == "tau6" { &[2] } else { &[] };
        assert_eq!(transition.open, open, "{}", transition.name);
        assert!(transition.exact_guard && transition.complete);
    }
    let guards = [
        "pc1 = l11",
        "pc1 = l12 and (y2 = 0 or y1 <= y2)",
        "pc1 = l13",
        "pc2 = l21",
        "pc2 = l22 and (y1 = 0 or not y1 <= y2)",
        "pc2 = l23",
    ];
    for (k, guard) in guards.iter().enumerate() {
        let guard = formulas(&loaded, guard)[0];
        let exact = found.alpha.exact(terms, &mut found.manager, guard);
        assert_eq!(exact, Some(found.transitions[k].guard));
    }
    let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    assert_eq!(found.states(reach.all, 100).len(), 9);
    let formula = bdd2f(&found.alpha, &mut found.manager, reach.all);
    assert_eq!(
        formula.text(&found.alpha),
        "(a1 => (a2 => a3 and pc1 = l11 and pc2 = l21) and (not a2 => a3 and pc1 = l11 and pc2 != l21)) \
         and (not a1 => (a2 => not a3 and pc1 != l11 and pc2 = l21) \
         and (not a2 => (a3 => pc1 != l11 and pc2 = l22) and (not a3 => pc1 = l12 and pc2 != l21)))"
    );
    assert_eq!(formula.cases().len(), 5);
    let printed = formulas(
        &loaded,
        "y1 = 0 and y2 = 0 => pc1 = l11 and pc2 = l21; y1 = 0 and y2 > 0 => pc1 = l11 and pc2 != l21;
         y1 != 0 and y2 = 0 => pc1 != l11 and pc2 = l21;
         y1 != 0 and y2 != 0 and y1 <= y2 => pc1 != l11 and pc2 = l22;
         y1 != 0 and y2 != 0 and y1 > y2 => pc1 = l12 and pc2 != l21",
    );
    assert_eq!(printed.len(), 5);
    let mutex = formulas(&loaded, "not (pc1 = l13 and pc2 = l23)")[0];
    for obligation in inv(terms, &concrete, terms.and(printed), Some(mutex)) {
        let answer = discharge(&mut prover, &concrete, &obligation).expect("it is decided");
        assert_eq!(answer, Discharge::Valid, "{}", obligation.name);
    }
    let everything = is_abstraction(terms, &concrete, &mut found, terms.tt(), &mut prover);
    assert_eq!(everything.expect("it is decided"), Ok(()));
    // One transition less is no abstraction any more.
    found.transitions[5].relation = Bdd::FALSE;
    let less = is_abstraction(terms, &concrete, &mut found, terms.tt(), &mut prover);
    assert!(less.expect("it is decided").is_err());
}

/// I27, I16, I17, I3 of Abstraction as the Key, Section 4.1.
#[test]
fn readers_and_writers_exclude_each_other() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(terms);
    let mut found = abstracted(&loaded, &concrete, "nw = 0; nr = 0", &mut prover);
    let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let states = texts(&mut found, reach.all);
    assert_eq!(states, ["false true", "true false", "true true"]);
    // Successors of endR from reachable states satisfy nw = 0.
    let after = found.post(reach.all, 3);
    let nw = formulas(&loaded, "nw = 0")[0];
    let nw = found.exact(terms, nw).expect("it is a predicate");
    assert!(found.manager.is_subset(after, nw));
    let strong = formulas(&loaded, "nw = 0 or nr = 0 and nw <= 1")[0];
    let rule = InvUni::new(terms, strong, None);
    for obligation in rule.obligations(&mut found, &reach) {
        let answer = discharge(&mut prover, &concrete, &obligation).expect("it is decided");
        assert_eq!(answer, Discharge::Valid, "{}", obligation.name);
    }
    // The refined abstraction.
    let mut finer = abstracted(&loaded, &concrete, "nw = 0; nr = 0; nw = 1", &mut prover);
    let reach = finer.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let set = finer.concrete(terms, reach.all);
    let domain = concrete.restrict_formula(terms);
    let same = terms.iff(set, strong);
    assert!(prover.implies(domain, same).expect("it is decided"));
    // The printed property, with nw < 1, is no invariant.
    let printed = formulas(&loaded, "nw = 0 or nr = 0 and nw < 1")[0];
    let failed = inv(terms, &concrete, printed, None).iter().any(|o| {
        let answer = discharge(&mut prover, &concrete, o).expect("it is decided");
        matches!(answer, Discharge::Fails(_))
    });
    assert!(failed);
    let mut transformers = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
    let end = backward(terms, &concrete, strong, 5, &mut prover, &mut transformers);
    assert!(matches!(
        end.expect("it is decided"),
        sectile_engine_predabs::Backward::Fixpoint { .. }
    ));
}

/// I25, I26 of Abstraction as the Key, Figure 10.
#[test]
fn acceleration_ends_what_diverges_without_it() {
    let loaded = zoo("fig10.sct");
    for rounds in 1..4 {
        let text = rounds.to_string();
        let settings = [("acceleration", "false"), ("rounds", text.as_str())];
        let report = run(&loaded, "safe", &settings);
        assert_eq!(report.status, Status::Unknown);
        let mut expected = vec!["x = y".to_string()];
        expected.extend((1..=rounds).map(|k| format!("x + {k} = y")));
        let reached = &report.reached;
        assert!(
            reached.contains(&format!("are {}", expected.join("; "))),
            "{reached}"
        );
    }
    let report = run(&loaded, "safe", &[]);
    assert_eq!(report.status, Status::Holds);
    assert_eq!(report.statistics["iterations"], 1);
    assert_eq!(report.statistics["predicates"], 2);
}

/// L5, E14: every edge of the first example, and no other.
#[test]
fn the_lecture_has_these_edges() {
    let loaded = zoo("lecture-a.imp");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = prover(terms);
    let mut found = abstracted(&loaded, &concrete, "0 <= i", &mut prover);
    let mut edges = Vec::new();
    let valid = found.valid;
    for state in found.states(valid, 100) {
        for k in 0..found.transitions.len() {
            let source = found.alpha.space().tuple(&mut found.manager, &state, false);
            let after = found.post(source, k);
            for target in found.states(after, 100) {
                let name = |s: &[usize]| {
                    let truth = if s[0] == 1 { "T" } else { "F" };
                    format!("{}{truth}", found.alpha.variables()[1].labels[s[1]])
                };
                edges.push(format!("{}-{}", name(&state), name(&target)));
            }
        }
    }
    edges.sort();
    assert_eq!(
        edges,
        [
            "l0F-l1F", "l0F-l1T", "l0T-l1F", "l0T-l1T", "l1F-l2F", "l1F-l4F", "l1T-l2T", "l1T-l4T",
            "l2F-l3F", "l2T-l3F", "l2T-l3T", "l3F-l1F", "l3T-l1T",
        ]
    );
}

/// Whether the property holds in the abstraction, and if not, whether the path is real.
fn lecture(file: &str, property: &str, predicates: &str) -> Option<bool> {
    let loaded = zoo(file);
    let (terms, (concrete, good)) = (&loaded.terms, common::asked(&loaded, property));
    let mut prover = prover(terms);
    let mut found = abstracted(&loaded, &concrete, predicates, &mut prover);
    let bad = terms.not(good);
    // A property that is no predicate is violated where some concrete state violates it.
    let mut set = Bdd::FALSE;
    let valid = found.valid;
    for state in found.states(valid, 10_000) {
        let meaning = found.alpha.meaning(terms, &state);
        let violated = prover.satisfiable(terms.and2(meaning, bad));
        if violated.expect("it is decided") {
            let one = found.alpha.space().tuple(&mut found.manager, &state, false);
            set = found.manager.or(set, one);
        }
    }
    let reach = found.reach(set, &mut prover).expect("it is finite");
    let path = found.path(&reach, set)?;
    let question = Question {
        terms,
        system: &concrete,
        bad,
    };
    let analysis = question.analyse(&path, backend(), &Budget::unlimited());
    Some(matches!(
        analysis.expect("it is decided"),
        Analysis::Real(_)
    ))
}

/// L6, L7, L9, E15.
#[test]
fn the_lecture_counterexamples_are_as_told() {
    let (a0, a1) = ("i >= abs(N) - abs(x)", "i > abs(N) - abs(x)");
    let (a2, a3) = ("0 <= x and x <= N", "0 <= x and x < N");
    assert_eq!(lecture("lecture-a.imp", "end", "0 <= i"), Some(true));
    assert_eq!(lecture("lecture-b.imp", "end", "0 <= i"), Some(false));
    let one_more = lecture("lecture-b.imp", "end", "0 <= i; i = abs(N) + 1");
    assert_eq!(one_more, Some(false));
    let all = format!("0 <= i; {a0}; {a1}; {a2}; {a3}");
    assert_eq!(lecture("lecture-b.imp", "end", &all), None);
    let some = format!("0 <= i; {a0}; {a1}; {a3}");
    assert_eq!(lecture("lecture-b.imp", "end", &some), None);
    let some = format!("0 <= i; {a0}; {a1}; {a2}");
    assert_eq!(lecture("lecture-b.imp", "end", &some), None);
    // Without 0 <= i they are not enough: initially x may be outside 0..N.
    let fewer = format!("{a0}; {a1}; {a2}; {a3}");
    assert_eq!(lecture("lecture-b.imp", "end", &fewer), Some(false));
    let take = run(&zoo("lecture-c.imp"), "take", &[]);
    assert_eq!(take.status, Status::Holds);
    let release = run(&zoo("lecture-c.imp"), "release", &[]);
    assert_eq!(release.status, Status::Violated);
}
