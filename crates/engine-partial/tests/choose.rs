//! The searches over sets of candidates: what is excluded, and how ties are broken.

use sectile_engine_partial::{Choice, Imprecision, Ties, choose_compatible, choose_precise};
use sectile_terms::{Sort, Symbol, SymbolKind, Terms};
use std::collections::BTreeSet;

/// Scopes by the names of their variables.
fn scopes(lists: &[&str]) -> Vec<BTreeSet<Symbol>> {
    let terms = Terms::new();
    let symbol = |name: char| {
        let symbol = terms.declare(&name.to_string(), Sort::Int, SymbolKind::State);
        symbol.expect("names have one sort")
    };
    let lists = lists.iter();
    lists
        .map(|names| names.chars().map(symbol).collect())
        .collect()
}

/// A symmetric table with these pairs.
fn table(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut table = vec![vec![false; count]; count];
    for &(i, j) in pairs {
        table[i][j] = true;
        table[j][i] = true;
    }
    table
}

fn choice(members: &[usize], variables: usize, score: u64) -> Option<Choice> {
    Some(Choice {
        members: members.to_vec(),
        variables,
        score,
    })
}

/// A10: imprecise candidates are excluded, and all that share a variable with them.
#[test]
fn the_most_precise_set_is_chosen() {
    let scopes = scopes(&["x", "xy", "y", "z", "uv", "w"]);
    let mut scores = Imprecision {
        individual: vec![1, 0, 0, 0, 0, 0],
        pairwise: vec![vec![0; 6]; 6],
    };
    for (i, j, score) in [(2, 4, 1), (4, 5, 3)] {
        scores.pairwise[i][j] = score;
        scores.pairwise[j][i] = score;
    }
    let found = choose_precise(&scopes, &scores, 2, Ties::Variables);
    // Candidate 1 shares x with candidate 0. The most variables without imprecision win.
    assert_eq!(found.best, [choice(&[4], 2, 0), choice(&[3, 4], 3, 0)]);
    assert_eq!(found.chosen, choice(&[3, 4], 3, 0));
    // With three, the sets without imprecision have no more variables: fewer predicates win.
    let deeper = choose_precise(&scopes, &scores, 3, Ties::Variables);
    assert_eq!(deeper.best[2], choice(&[2, 3, 5], 3, 0));
    assert_eq!(deeper.chosen, choice(&[3, 4], 3, 0));
    scores.individual = vec![1; 6];
    assert_eq!(
        choose_precise(&scopes, &scores, 3, Ties::Variables).chosen,
        None
    );
}

/// A12, E12: disjoint abstractions inherit failures, others may not.
#[test]
fn failures_of_disjoint_abstractions_are_inherited() {
    let compatible = table(3, &[(0, 1)]);
    let disjoint = choose_compatible(&scopes(&["x", "y", "z"]), &compatible, 3, Ties::Variables);
    assert_eq!(
        disjoint.best,
        [choice(&[0], 1, 0), choice(&[0, 1], 2, 1), None]
    );
    let shared = choose_compatible(&scopes(&["x", "x", "x"]), &compatible, 3, Ties::Variables);
    assert_eq!(shared.best[2], choice(&[0, 1, 2], 1, 1));
    assert_eq!(shared.chosen, choice(&[0, 1], 1, 1));
}

/// Ties: more variables, then fewer predicates, then the order of the candidates.
#[test]
fn ties_are_broken_by_variables_and_order() {
    let all = table(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    let found = choose_compatible(&scopes(&["x", "y", "z", "u"]), &all, 2, Ties::Variables);
    assert_eq!(found.chosen, choice(&[0, 1], 2, 1));
    let found = choose_compatible(&scopes(&["x", "y", "zv", "u"]), &all, 2, Ties::Variables);
    assert_eq!(found.chosen, choice(&[0, 2], 3, 1));
    let found = choose_compatible(&scopes(&["x", "y", "z", "u"]), &all, 4, Ties::Variables);
    assert_eq!(found.chosen, choice(&[0, 1, 2, 3], 4, 6));
}

/// The paper's TRLIMP has a switch for the number of variables: without it fewer predicates win.
#[test]
fn the_number_of_variables_may_be_ignored() {
    let scopes = scopes(&["x", "uv", "zw"]);
    let scores = Imprecision {
        individual: vec![0; 3],
        pairwise: vec![vec![0; 3]; 3],
    };
    let most = choose_precise(&scopes, &scores, 2, Ties::Variables);
    assert_eq!(most.chosen, choice(&[1, 2], 4, 0));
    let least = choose_precise(&scopes, &scores, 2, Ties::Predicates);
    assert_eq!(least.chosen, choice(&[0], 1, 0));
}
