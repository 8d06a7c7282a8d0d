//! Models of Horn clauses, put to other solvers as the validators of CHC-COMP do it: the predicates
//! are defined, and the negation of every clause of the file must be unsatisfiable. The variables
//! of a clause are constants then: that is the same question, and cvc5 spends minutes on what it
//! does to quantified formulas before it solves them.

use super::temporary;
use sectile_smtlib::{Sexp, Tree, read};
use std::process::Command;

/// What another solver says of a model.
#[derive(Debug, PartialEq, Eq)]
pub enum Said {
    Accepted,
    /// It has a counterexample to some clause, or does not understand the model.
    Refused(String),
    /// It cannot tell.
    Open,
}

/// The formulas that a script asserts.
fn assertions(tree: &Tree<'_>) -> Vec<Sexp> {
    let asserted = |e: &Sexp| match *tree.list(*e)? {
        [head, formula] if tree.symbol(head) == Some("assert") => Some(formula),
        _ => None,
    };
    tree.roots().iter().filter_map(asserted).collect()
}

/// The declarations of data types in a script.
fn data_types<'t>(tree: &'t Tree<'_>) -> impl Iterator<Item = String> + use<'t> {
    let declares = |e: &&Sexp| {
        let head = tree.list(**e).and_then(|list| tree.symbol(*list.first()?));
        head.is_some_and(|name| name.starts_with("declare-datatype"))
    };
    let all = tree.roots().iter().filter(declares);
    all.map(|&e| format!("{}\n", tree.source(e)))
}

/// The names that a model defines.
fn definitions_of<'t>(model: &'t Tree<'_>) -> Vec<&'t str> {
    let list = model.list(model.roots()[0]).unwrap_or_default().iter();
    let name = |d: &Sexp| model.list(*d)?.get(1).map(|&n| model.source(n));
    list.filter_map(name).collect()
}

/// The commands that assert the negation of a formula.
///
/// Its variables become constants, unless one of them hides a predicate.
fn negated(tree: &Tree<'_>, formula: Sexp, defined: &[&str]) -> String {
    let plain = format!("(assert (not {}))", tree.source(formula));
    let Some([head, variables, body]) = tree.list(formula) else {
        return plain;
    };
    let Some(variables) = tree.list(*variables) else {
        return plain;
    };
    let pairs = variables.iter().filter_map(|&v| tree.list(v));
    let pairs: Vec<&[Sexp]> = pairs.filter(|pair| pair.len() == 2).collect();
    let hides = |pair: &&[Sexp]| defined.contains(&tree.source(pair[0]));
    if tree.symbol(*head) != Some("forall") || pairs.iter().any(hides) {
        return plain;
    }
    let constants = pairs.iter().map(|pair| {
        let (name, sort) = (tree.source(pair[0]), tree.source(pair[1]));
        format!("(declare-const {name} {sort})")
    });
    let constants: String = constants.collect();
    format!("{constants}(assert (not {}))", tree.source(*body))
}

/// Asks a solver about a model, for this many seconds at most.
pub fn ask(solver: &str, script: &str, model: &str, name: &str, seconds: u32) -> Said {
    let tree = read(script).expect("the script can be read");
    let definitions = read(model).expect("the model can be read");
    let list = definitions.list(definitions.roots()[0]);
    let list = list.expect("a model is a list of definitions").iter();
    let mut text = String::from("(set-logic ALL)\n");
    text.extend(data_types(&tree));
    text.extend(list.map(|&d| definitions.source(d)));
    let defined: Vec<&str> = definitions_of(&definitions);
    let assertions = assertions(&tree);
    for &assertion in &assertions {
        text.push_str(&format!(
            "(push 1){}(check-sat)(pop 1)\n",
            negated(&tree, assertion, &defined)
        ));
    }
    let file = temporary(name, &text);
    let limit = match solver {
        "cvc5" => vec![
            "--incremental".to_string(),
            format!("--tlimit={seconds}000"),
        ],
        _ => vec![format!("-T:{seconds}")],
    };
    let output = Command::new(solver).args(limit).arg(&file).output();
    let output = output.expect("the solver was found before");
    std::fs::remove_file(file).expect("the file can be removed");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = answers
        .lines()
        .position(|l| l == "sat" || l.contains("error"));
    if let Some(k) = wrong {
        let line = answers.lines().nth(k).unwrap_or_default();
        return Said::Refused(format!("clause {}: {line}", k + 1));
    }
    let proved = answers.lines().filter(|l| *l == "unsat").count();
    match proved == assertions.len() {
        true => Said::Accepted,
        false => Said::Open,
    }
}
