//! The heuristics on the models of the paper: counts that were computed with another program too.

use crate::common;

use common::{Read, queries, zoo};
use sectile_engine_ctl::CtlZones;
use sectile_engine_partial::{
    Aim, Choice, Compatibility, Imprecision, KnownScores, Question, Ties, candidates,
    choose_compatible, choose_precise, compatibility, imprecision, imprecision_about, scope,
};
use sectile_model::Property;
use sectile_terms::{NativePrinter, Symbol, Term};
use sectile_testkit::verdicts::{run, settings};
use std::collections::BTreeSet;

/// The candidates of a model, with those of a property.
fn chosen_from(read: &Read, property: Option<&str>) -> Vec<Term> {
    let kind = property.map(|name| &read.property(name).kind);
    candidates(&read.terms, read.system(), kind)
}

fn scores(read: &Read, predicates: &[Term]) -> Imprecision {
    let scores = imprecision(
        &read.terms,
        read.system(),
        predicates,
        &mut KnownScores::default(),
        &mut queries(&read.terms),
    );
    scores.expect("it is decided")
}

fn scopes(read: &Read, predicates: &[Term]) -> Vec<BTreeSet<Symbol>> {
    predicates.iter().map(|&p| scope(&read.terms, p)).collect()
}

fn words(read: &Read, predicates: &[Term], choice: Option<&Choice>) -> Vec<String> {
    let printer = NativePrinter::new(&read.terms);
    let members = choice.map_or(&[][..], |c| &c.members);
    members
        .iter()
        .map(|&i| printer.print(predicates[i]))
        .collect()
}

fn compatible(read: &Read, property: &Property, predicates: &[Term], aim: Aim) -> Compatibility {
    let settings = settings(&[("nodes", "2000")]);
    let task = read.task_about(property);
    let question = Question {
        task: &task,
        system: read.system(),
        below: &CtlZones,
        settings: &settings,
    };
    compatibility(&question, predicates, aim, &mut run(&settings)).expect("it is decided")
}

/// A13.
#[test]
fn there_are_as_many_candidates_as_printed() {
    let count = |model: &str, property: &str| {
        let read = zoo(model, &[]);
        chosen_from(&read, Some(property)).len()
    };
    let airport = |model: &str| ["p2", "p1", "p3", "p4"].map(|p| count(model, p));
    assert_eq!(airport("airport-ticket"), [14, 15, 15, 15]);
    assert_eq!(airport("airport-bakery"), [15, 16, 16, 16]);
    assert_eq!(count("chardriver", "cdr"), 10);
}

/// A9, A10, A16: the four conditions X >= 0 are imprecise, and the choice is the printed one.
#[test]
fn imprecision_of_the_ticket_airport() {
    let read = zoo("airport-ticket", &[]);
    let base = chosen_from(&read, None);
    let found = scores(&read, &base);
    assert_eq!((found.individuals(), found.pairs()), (4, 44));
    let printer = NativePrinter::new(&read.terms);
    let mut imprecise: Vec<(String, u64)> = Vec::new();
    for (&p, &score) in base.iter().zip(&found.individual) {
        if score > 0 {
            imprecise.push((printer.print(p), score));
        }
    }
    let expected = ["numRW16R >= 0", "numC4 >= 0", "numB2A >= 0", "numB7A >= 0"];
    assert_eq!(imprecise, expected.map(|e| (e.to_string(), 2)));
    let choices = choose_precise(&scopes(&read, &base), &found, 2, Ties::Variables);
    assert_eq!(
        words(&read, &base, choices.chosen.as_ref()),
        ["t = AirplaneA[0].a", "s >= AirplaneA[1].a"]
    );
    // With the condition of the property.
    for (property, expected) in [("p3", (4, 48)), ("p1", (5, 57)), ("p4", (5, 57))] {
        let list = chosen_from(&read, Some(property));
        let found = scores(&read, &list);
        assert_eq!((found.individuals(), found.pairs()), expected, "{property}");
    }
}

/// Twice the printed scores: 4 on the pairs of X >= 0 among themselves, 2 with others. The
/// printed table counts one of the two orders of processes.
#[test]
fn pairwise_scores_are_twice_the_printed_ones() {
    let read = zoo("airport-ticket", &[]);
    let base = chosen_from(&read, None);
    let found = scores(&read, &base);
    let printer = NativePrinter::new(&read.terms);
    let is_bound = |i: usize| printer.print(base[i]).ends_with(">= 0");
    let mut counts = std::collections::BTreeMap::new();
    for i in 0..base.len() {
        for j in 0..i {
            let kind = usize::from(is_bound(i)) + usize::from(is_bound(j));
            *counts.entry((kind, found.pairwise[i][j])).or_insert(0) += 1;
        }
    }
    let expected = [
        ((0, 0), 43),
        ((0, 1), 2),
        ((1, 0), 4),
        ((1, 4), 36),
        ((2, 8), 6),
    ];
    assert_eq!(counts, expected.into_iter().collect());
}

#[test]
fn imprecision_of_the_bakery_airport_and_the_driver() {
    // Two planes add one to the ticket of the other one, unless they are to draw any higher ticket.
    for (any, pairs) in [("0", 78), ("1", 80)] {
        let read = zoo("airport-bakery", &[("anyTicket", any)]);
        let base = chosen_from(&read, None);
        let found = scores(&read, &base);
        assert_eq!((found.individuals(), found.pairs()), (8, pairs));
    }
    let read = zoo("chardriver", &[]);
    let base = chosen_from(&read, Some("cdr"));
    let found = scores(&read, &base);
    assert_eq!((found.individuals(), found.pairs()), (8, 40));
    // Nothing is eligible: the imprecise predicates share variables with all others.
    let choices = choose_precise(&scopes(&read, &base), &found, 4, Ties::Variables);
    assert_eq!(choices.chosen, None);
}

/// A11, A12, A15, A16.
#[test]
fn compatibility_of_the_ticket_airport() {
    let read = zoo("airport-ticket", &[]);
    // An abstract plane may wait for ever for a taxiway that nobody is on: then a path ends.
    let expected = [
        ("p1", (105, 0)),
        ("p2", (36, 55)),
        ("p3", (28, 77)),
        ("p4", (49, 56)),
    ];
    for (property, counts) in expected {
        let list = chosen_from(&read, Some(property));
        let found = compatible(&read, read.property(property), &list, Aim::Abstractly);
        assert_eq!(found.counts(), counts, "{property}");
        if property == "p2" {
            let choices =
                choose_compatible(&scopes(&read, &list), &found.table, 2, Ties::Variables);
            let chosen = choices.chosen.as_ref();
            assert_eq!(words(&read, &list, chosen), ["numRW16R = 0", "numC3 = 0"]);
            let deep = choose_compatible(&scopes(&read, &list), &found.table, 4, Ties::Variables);
            let counters = ["numRW16R = 0", "numC3 = 0", "numC4 = 0", "numB2A = 0"];
            assert_eq!(words(&read, &list, deep.chosen.as_ref()), counters);
            let predicted = found.predicted_by(&scores(&read, &list));
            let percent = |x: Option<f64>| x.map(|x| (x * 1000.0).round() as u64);
            assert_eq!(
                (percent(predicted.0), percent(predicted.1)),
                (Some(500), Some(400))
            );
        }
    }
}

/// A state without a step may hide among the states of an abstract one; such proofs do not count.
#[test]
fn fewer_pairs_are_conclusive_about_what_has_to_happen() {
    let read = zoo("airport-ticket", &[]);
    let list = chosen_from(&read, Some("p4"));
    let found = compatible(&read, read.property("p4"), &list, Aim::Conclusively);
    assert_eq!(found.counts(), (28, 77));
    let choices = choose_compatible(&scopes(&read, &list), &found.table, 2, Ties::Variables);
    let chosen = choices.chosen.as_ref();
    assert_eq!(words(&read, &list, chosen), ["numRW16R = 0", "numC3 = 0"]);
}

/// If only endless paths count, as in the paper, all pairs prove the fourth property; the other ones
/// keep what they have.
#[test]
fn compatibility_on_endless_paths() {
    let mut read = zoo("airport-ticket", &[]);
    let module = &mut read.reading.module;
    module.use_infinite_paths(&read.terms);
    let expected = [
        ("p1", (105, 0)),
        ("p2", (36, 55)),
        ("p3", (28, 77)),
        ("p4", (105, 0)),
    ];
    for (property, counts) in expected {
        let list = chosen_from(&read, Some(property));
        let found = compatible(&read, read.property(property), &list, Aim::Abstractly);
        assert_eq!(found.counts(), counts, "{property}");
    }
}

#[test]
fn compatibility_of_the_bakery_airport() {
    let read = zoo("airport-bakery", &[]);
    for (property, counts) in [("p1", (120, 0)), ("p2", (36, 69)), ("p3", (28, 92))] {
        let list = chosen_from(&read, Some(property));
        assert_eq!(
            compatible(&read, read.property(property), &list, Aim::Abstractly).counts(),
            counts,
            "{property}"
        );
    }
}

#[test]
fn compatibility_of_the_driver() {
    let read = zoo("chardriver", &[]);
    let list = chosen_from(&read, Some("cdr"));
    assert_eq!(
        compatible(&read, read.property("cdr"), &list, Aim::Abstractly).counts(),
        (11, 34)
    );
}

/// Scores are about steps, so they are computed once for all properties of a model.
#[test]
fn scores_are_reused_for_other_properties() {
    let read = zoo("airport-ticket", &[]);
    let mut known = KnownScores::default();
    let mut queries = queries(&read.terms);
    for (property, reused) in [("p2", 0), ("p3", 14 + 91), ("p1", 2 * (14 + 91))] {
        let list = chosen_from(&read, Some(property));
        let found = imprecision(&read.terms, read.system(), &list, &mut known, &mut queries);
        let found = found.expect("it is decided");
        assert_eq!(known.reused, reused, "{property}");
        assert_eq!(found, scores(&read, &list), "{property}");
    }
}

/// With respect to the property: its own condition makes `numRW16R = 0` a precise counter, while the
/// choice of predicates stays the same.
#[test]
fn imprecision_about_a_property() {
    let read = zoo("airport-ticket", &[]);
    for (property, counts) in [("p2", (4, 44)), ("p3", (4, 48)), ("p4", (3, 38))] {
        let list = chosen_from(&read, Some(property));
        let kind = &read.property(property).kind;
        let mut queries = queries(&read.terms);
        let found = imprecision_about(&read.terms, read.system(), kind, &list, &mut queries);
        let found = found.expect("it is decided");
        assert_eq!((found.individuals(), found.pairs()), counts, "{property}");
        let choices = choose_precise(&scopes(&read, &list), &found, 2, Ties::Variables);
        assert_eq!(
            words(&read, &list, choices.chosen.as_ref()),
            ["t = AirplaneA[0].a", "s >= AirplaneA[1].a"]
        );
    }
}

/// The published switch: without the number of variables the first predicate that is precise wins.
#[test]
fn without_the_number_of_variables_one_predicate_is_chosen() {
    let read = zoo("airport-ticket", &[]);
    let list = chosen_from(&read, Some("p2"));
    let choices = choose_precise(
        &scopes(&read, &list),
        &scores(&read, &list),
        2,
        Ties::Predicates,
    );
    assert_eq!(words(&read, &list, choices.chosen.as_ref()), ["numC3 = 0"]);
}
