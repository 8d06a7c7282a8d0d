//! Merges the assignments of a guarded command, and finds those that conflict.

use crate::messages::Report as _;
use sectile_base::{Diagnostics, Rat, Span};
use sectile_terms::{Node, Substitution, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The assignments so far, by variable.
#[derive(Default)]
pub(super) struct Assignments {
    by_symbol: BTreeMap<Symbol, Vec<Assignment>>,
}

/// A value that is assigned to a variable under a condition.
pub(super) struct Assignment {
    /// The condition; `None` if it is always assigned.
    pub condition: Option<Term>,
    pub value: Term,
    pub span: Span,
    /// Whether the variable was selected by an index.
    pub indexed: bool,
}

/// The result of merging the assignments of a command.
pub(super) enum Merged {
    Updates(BTreeMap<Symbol, Term>),
    /// The command never happens, and assigns some variable more than once.
    Never,
}

impl Assignments {
    pub fn add(&mut self, symbol: Symbol, assignment: Assignment) {
        self.by_symbol.entry(symbol).or_default().push(assignment);
    }

    /// Computes one value for each variable. It is an error if a variable is assigned more than
    /// once while the guards hold.
    pub fn merge(self, terms: &Terms, guards: &[Term]) -> Result<Merged, Diagnostics> {
        let mut updates = BTreeMap::new();
        let mut mistakes = Diagnostics::new();
        let mut reported = BTreeSet::new();
        for (symbol, mut list) in self.by_symbol {
            if list.len() > 1 {
                if contradict(terms, guards, &[]) {
                    return Ok(Merged::Never);
                }
                list.retain(|a| !contradict(terms, guards, &[a]));
            }
            if let Some(second) = clash(terms, guards, &list) {
                if reported.insert(second.span) {
                    mistake(terms.name(symbol), second, &mut mistakes);
                }
                continue;
            }
            let old = terms.var(symbol);
            let value = list.iter().rev().fold(old, |rest, a| match a.condition {
                None => a.value,
                Some(condition) => terms.ite(condition, a.value, rest),
            });
            updates.insert(symbol, value);
        }
        match mistakes.has_errors() {
            true => Err(mistakes),
            false => Ok(Merged::Updates(updates)),
        }
    }
}

/// The second of two assignments that may happen together.
fn clash<'a>(terms: &Terms, guards: &[Term], list: &'a [Assignment]) -> Option<&'a Assignment> {
    let mut pairs = list.iter().enumerate();
    pairs.find_map(|(k, second)| {
        let together = |first: &Assignment| !contradict(terms, guards, &[first, second]);
        list[..k].iter().any(together).then_some(second)
    })
}

fn mistake(name: &str, second: &Assignment, mistakes: &mut Diagnostics) {
    let message = match second.condition {
        None => format!("`{name}` is assigned twice"),
        Some(_) => format!("`{name}` may be assigned twice"),
    };
    let help = match second.indexed {
        true => "all assignments of a command happen at once; a guard such as `i != j` excludes it",
        false => "all assignments of a command happen at once",
    };
    mistakes.error("assignment", second.span, message, help);
}

/// Whether the guards and the conditions of some assignments contradict each other by a syntactic
/// test: known values of variables are substituted everywhere; then a contradiction is a condition
/// with its negation, or a disjunction with the negations of all its parts.
fn contradict(terms: &Terms, guards: &[Term], assignments: &[&Assignment]) -> bool {
    let conditions = assignments.iter().filter_map(|a| a.condition);
    let conditions = conditions.chain(guards.iter().copied());
    let conjuncts: Vec<Term> = conditions.flat_map(|c| parts(terms, c)).collect();
    let mut values = Substitution::default();
    for &conjunct in &conjuncts {
        if let Some((variable, value)) = equation(terms, conjunct)
            && *values.entry(variable).or_insert(value) != value
        {
            return true;
        }
    }
    let replaced = conjuncts.iter().map(|&c| terms.substitute(c, &values));
    let known: BTreeSet<Term> = replaced.flat_map(|c| parts(terms, c)).collect();
    let refuted = |t: Term| t == terms.ff() || known.contains(&terms.not(t));
    known.iter().any(|&t| match terms.node(t) {
        Node::Or(_) => refuted(t) || terms.disjuncts(t).into_iter().all(refuted),
        _ => refuted(t),
    })
}

/// The conjuncts of a condition; `false` is a conjunct as well.
fn parts(terms: &Terms, condition: Term) -> Vec<Term> {
    match terms.as_bool(condition) {
        Some(false) => vec![condition],
        _ => terms.conjuncts(condition),
    }
}

/// The variable and the constant of an equation.
fn equation(terms: &Terms, condition: Term) -> Option<(Term, Term)> {
    let variable = |t: Term| matches!(terms.node(t), Node::Var(..));
    let constant = |t: Term| matches!(terms.node(t), Node::Variant(..) | Node::Bool(_));
    match terms.node(condition) {
        Node::Var(..) => Some((condition, terms.tt())),
        Node::Not(inner) if variable(*inner) => Some((*inner, terms.ff())),
        Node::Eq(a, b) if variable(*a) && constant(*b) => Some((*a, *b)),
        Node::Eq(a, b) if variable(*b) && constant(*a) => Some((*b, *a)),
        Node::Zero(inner) if variable(*inner) => {
            Some((*inner, terms.number(Rat::ZERO, terms.sort(*inner))))
        }
        Node::Zero(inner) => match terms.node(*inner) {
            Node::Sum(sum) => match sum.monomials() {
                [(t, factor)] if variable(*t) => {
                    let value = -(sum.constant() / factor);
                    Some((*t, terms.number(value, terms.sort(*t))))
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
