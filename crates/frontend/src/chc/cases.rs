//! Case splits of clauses with opaque numbers.
//!
//! If a heuristic analysis of all clauses finds that an argument of an operation has few values,
//! the clause becomes one clause for each value, in which the operation is arithmetic, and one for
//! all other values, in which it stays opaque. Soundness does not depend on the analysis: together,
//! the clauses mean the same as the original. If an argument may be any number, a few small numbers
//! and those with which it is compared become cases, because violations are often found with them.
//! Clauses in which an operation stays opaque get facts about it (`facts.rs`).

use super::bounds::Bounds;
use super::constants::{Constants, Known, Values, alternatives};
use super::facts::facts;
use super::opaque::Open;
use super::placeholders::Book;
use sectile_base::Rat;
use sectile_model::horn::Clause;
use sectile_terms::{Node, Sort, Term, Terms};

/// Maximum number of cases of a clause.
const MOST_CASES: usize = 48;

/// The values that are tried for an unrestricted argument.
const SAMPLES: [i64; 3] = [0, 1, 2];

/// How many of the numbers with which the argument is compared are tried in addition.
const BOUNDS: usize = 2;

/// The maximum number of opaque numbers in a clause for which values are sampled: with more, a few
/// values of one achieve little.
const MOST_SAMPLED: usize = 2;

/// The origin of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The number of the clause in the file, from 0.
    pub number: usize,
    /// Whether it allows more than the file does.
    pub loose: bool,
}

/// Splits clauses. Returns the origin of each resulting clause.
pub(super) fn split(book: &Book<'_>, clauses: &mut Vec<Clause>, open: Vec<Open>) -> Vec<Origin> {
    let exact = |number| Origin {
        number,
        loose: false,
    };
    if open.iter().all(Vec::is_empty) {
        return (0..clauses.len()).map(exact).collect();
    }
    let guesses = Guesses {
        constants: Constants::new(book, clauses, &open),
        bounds: Bounds::new(book.terms, clauses),
    };
    let mut origins = Vec::new();
    let mut all = Vec::new();
    let pairs = std::mem::take(clauses).into_iter().zip(open);
    for (number, (clause, open)) in pairs.enumerate() {
        for (case, loose) in cases(book, &guesses, number, clause, open) {
            all.push(case);
            origins.push(Origin { number, loose });
        }
    }
    *clauses = all;
    origins
}

/// The results of a heuristic analysis of all clauses.
struct Guesses {
    constants: Constants,
    bounds: Bounds,
}

/// The cases of one clause, each with whether it is still opaque.
fn cases(
    book: &Book<'_>,
    guesses: &Guesses,
    number: usize,
    clause: Clause,
    open: Open,
) -> Vec<(Clause, bool)> {
    let terms = book.terms;
    // Cases that are not exact get the facts about all operations, even about those that are exact
    // there.
    let facts = facts(terms, &guesses.bounds, number, &open);
    let tell = |clause: &mut Clause| facts.iter().for_each(|&fact| book.require(clause, fact));
    let mut done = Vec::new();
    let mut pending = vec![(clause, open)];
    while let Some((mut clause, open)) = pending.pop() {
        let room = MOST_CASES.saturating_sub(done.len() + pending.len());
        let choice = choice(book, guesses, number, &clause, &open);
        let Some((variable, values)) = choice.filter(|c| c.1.len() < room) else {
            let is_loose = !open.is_empty();
            if is_loose {
                tell(&mut clause);
            }
            done.push((clause, is_loose));
            continue;
        };
        let mut others = clause.clone();
        tell(&mut others);
        for &value in values.iter().rev() {
            let is_this = terms.eq(variable, value);
            book.require(&mut others, terms.not(is_this));
            let (mut case, mut open) = (clause.clone(), open.clone());
            book.require(&mut case, is_this);
            // A variable is solved by the first equation about it.
            case.constraint.rotate_right(1);
            book.resolve(&mut case, &mut open);
            pending.push((case, open));
        }
        done.push((others, true));
    }
    done
}

/// A variable on which an opaque operation depends, and the few values that it has.
fn choice(
    book: &Book<'_>,
    guesses: &Guesses,
    number: usize,
    clause: &Clause,
    open: &Open,
) -> Option<(Term, Values)> {
    if open.is_empty() {
        return None;
    }
    let known = guesses.constants.at(book, clause, open)?;
    for (operation, _) in open {
        for place in [1, 0] {
            if (place == 1 || operation.is_symmetric())
                && let Some(found) = few(book.terms, &known, operation.arguments[place])
            {
                return Some(found);
            }
        }
    }
    match open.len() <= MOST_SAMPLED {
        true => samples(book.terms, guesses, number, &known, open),
        false => None,
    }
}

/// A variable that determines an argument, if it has few values.
fn few(terms: &Terms, known: &Known, written: Term) -> Option<(Term, Values)> {
    let argument = known.put(terms, written);
    let is_variable = matches!(terms.node(written), Node::Var(..));
    if let (true, Some(list)) = (is_variable, alternatives(terms, argument)) {
        return Some((written, list));
    }
    let variables = terms.free_vars(argument);
    let mut variables = variables.iter().map(|v| terms.var_at(v.0, v.1));
    let first = variables.next()?;
    let values = |v: Term| known.few.get(&v).filter(|list| !list.is_empty());
    let list = values(first)?;
    variables
        .all(|v| values(v).is_some())
        .then(|| (first, list.clone()))
}

/// An argument that may be any number, and the values to try.
fn samples(
    terms: &Terms,
    guesses: &Guesses,
    number: usize,
    known: &Known,
    open: &Open,
) -> Option<(Term, Values)> {
    let integers = open.iter().filter(|(o, _)| o.width().is_none());
    let arguments = integers.map(|(o, _)| (o.arguments[1], known.put(terms, o.arguments[1])));
    let mut variables = arguments.filter(|&(_, a)| matches!(terms.node(a), Node::Var(..)));
    let (argument, variable) = variables.next()?;
    let bounds = guesses.bounds.of(terms, number, argument);
    let bounds = bounds.into_iter().rev().take(BOUNDS);
    let samples = SAMPLES.into_iter().map(Rat::from).chain(bounds);
    let samples = samples.map(|n| terms.number(n, Sort::Int)).collect();
    Some((variable, samples))
}
