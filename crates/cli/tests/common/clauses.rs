//! Models of Horn clauses, put to other solvers as the validators of CHC-COMP do it: the predicates
//! are defined, and the negation of every clause of the file must be unsatisfiable.

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

/// The commands of a script with this name.
pub fn commands<'t>(tree: &'t Tree<'_>, name: &str) -> Vec<&'t str> {
    let is = |e: &&Sexp| {
        let head = tree.list(**e).and_then(|l| l.first().copied());
        head.and_then(|h| tree.symbol(h)) == Some(name)
    };
    let found = tree.roots().iter().filter(is);
    found.map(|&e| tree.source(e)).collect()
}

/// Asks a solver about a model, for so many seconds at most.
pub fn ask(solver: &str, script: &str, model: &str, name: &str, seconds: u32) -> Said {
    let tree = read(script).expect("the script can be read");
    let definitions = read(model).expect("the model can be read");
    let list = definitions.list(definitions.roots()[0]);
    let list = list.expect("a model is a list of definitions").iter();
    let mut text = String::from("(set-logic ALL)\n");
    text.extend(list.map(|&d| definitions.source(d)));
    let assertions = commands(&tree, "assert");
    for assertion in &assertions {
        let formula = assertion.trim_start_matches("(assert").trim();
        let formula = &formula[..formula.len() - 1];
        text.push_str(&format!(
            "(push 1)(assert (not {formula}))(check-sat)(pop 1)\n"
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
