//! Translates formulas to clauses.
//!
//! The negation of the formula is decomposed: into conjuncts, and into cases where a disjunction
//! contains predicates. The remaining conjuncts of a case are the body of a clause, with the
//! negated predicate, if there is one, as its head. Conditions without predicates are not
//! decomposed.

use super::placeholders::{Book, Meaning};
use rustc_hash::FxHashSet;
use sectile_base::{Diagnostic, Span};
use sectile_model::horn::{Application, Clause};
use sectile_smtlib::Quantifier;
use sectile_terms::{Node, Term, Terms};

/// Maximum number of clauses and cases of one formula.
const MOST_CASES: usize = 20_000;

/// The clauses that are equivalent to a universally quantified formula.
pub(super) fn clauses(
    book: &Book<'_>,
    formula: Term,
    span: Span,
) -> Result<Vec<Clause>, Diagnostic> {
    let marked = marked(book, formula);
    let mut cases = vec![Case {
        pending: vec![(formula, false)],
        ..Case::default()
    }];
    let mut clauses = Vec::new();
    while let Some(case) = cases.pop() {
        let before = cases.len();
        if let Some(done) = take_apart(book, &marked, case, &mut cases)? {
            clauses.extend(clause(book, done, span)?);
        }
        // Process the first case first.
        cases[before..].reverse();
        if cases.len() + clauses.len() > MOST_CASES {
            let message = "this formula becomes too many clauses";
            return Err(Diagnostic::error("chc-clause", span, message));
        }
    }
    Ok(clauses)
}

/// One case: a conjunction.
#[derive(Clone, Default)]
struct Case {
    /// Formulas that still have to be decomposed, each with its truth value.
    pending: Vec<(Term, bool)>,
    constraint: Vec<Term>,
    body: Vec<(Application, Span)>,
    heads: Vec<(Application, Span)>,
}

impl Case {
    /// The case with more formulas and their truth values.
    fn with(&self, more: impl IntoIterator<Item = (Term, bool)>) -> Case {
        let mut other = self.clone();
        other.pending.extend(more);
        other
    }
}

/// The terms in which predicates or quantifiers occur.
fn marked(book: &Book<'_>, formula: Term) -> FxHashSet<Term> {
    let terms = book.terms;
    let mut roots = vec![formula];
    let mut marked = FxHashSet::default();
    while let Some(root) = roots.pop() {
        for t in terms.post_order(&[root]) {
            let mut has = false;
            if let Node::Var(symbol, _) = terms.node(t)
                && let Some(meaning) = book.meaning(*symbol)
            {
                has = true;
                if let Meaning::Quantified(_, body, _) = meaning
                    && !marked.contains(&t)
                {
                    roots.push(*body);
                }
            }
            terms.node(t).for_each_child(|c| has |= marked.contains(&c));
            if has {
                marked.insert(t);
            }
        }
    }
    marked
}

/// Decomposes a case until nothing is pending, or it is split into other cases.
fn take_apart(
    book: &Book<'_>,
    marked: &FxHashSet<Term>,
    mut case: Case,
    cases: &mut Vec<Case>,
) -> Result<Option<Case>, Diagnostic> {
    let terms = book.terms;
    while let Some((t, holds)) = case.pending.pop() {
        if !marked.contains(&t) {
            let condition = if holds { t } else { terms.not(t) };
            match terms.as_bool(condition) {
                Some(true) => {}
                Some(false) => return Ok(None),
                None => case.constraint.push(condition),
            }
            continue;
        }
        match terms.node(t) {
            Node::Not(inner) => case.pending.push((*inner, !holds)),
            Node::And(list) if holds => case.pending.extend(list.iter().rev().map(|&c| (c, true))),
            Node::Or(list) if !holds => case.pending.extend(list.iter().rev().map(|&c| (c, false))),
            Node::And(list) | Node::Or(list) => {
                split(terms, marked, &case, list, holds, cases);
                return Ok(None);
            }
            &Node::Ite(c, a, b) => {
                let then = case.with([(a, holds), (c, true)]);
                cases.extend([then, case.with([(b, holds), (c, false)])]);
                return Ok(None);
            }
            &Node::Eq(a, b) => {
                let both = |value| case.with([(b, value == holds), (a, value)]);
                cases.extend([true, false].map(both));
                return Ok(None);
            }
            Node::Var(symbol, _) => match book.meaning(*symbol) {
                Some(Meaning::Predicate(a, span)) => {
                    refuse_nested(book, marked, a, *span)?;
                    let list = match holds {
                        true => &mut case.body,
                        false => &mut case.heads,
                    };
                    if !list.iter().any(|(known, _)| known == a) {
                        list.push((a.clone(), *span));
                    }
                }
                Some(Meaning::Quantified(quantifier, body, span)) => {
                    if (*quantifier == Quantifier::Exists) != holds {
                        return Err(alternation(*quantifier, *span));
                    }
                    case.pending.push((*body, holds));
                }
                None => unreachable!("only placeholders are marked"),
            },
            _ => return Err(inside(book, marked, t)),
        }
    }
    Ok(Some(case))
}

/// One case for each alternative with predicates, and one for all other alternatives together.
fn split(
    terms: &Terms,
    marked: &FxHashSet<Term>,
    case: &Case,
    list: &[Term],
    holds: bool,
    cases: &mut Vec<Case>,
) {
    let (with, without): (Vec<Term>, Vec<Term>) = list.iter().partition(|t| marked.contains(t));
    let plain = match holds {
        true => terms.or(without),
        false => terms.not(terms.and(without)),
    };
    let alternatives = with.into_iter().map(|t| (t, holds)).chain([(plain, true)]);
    for alternative in alternatives {
        if terms.as_bool(alternative.0) != Some(false) {
            cases.push(case.with([alternative]));
        }
    }
}

fn alternation(quantifier: Quantifier, span: Span) -> Diagnostic {
    let message = match quantifier {
        Quantifier::Forall => "`forall` cannot stand in the body of a clause",
        Quantifier::Exists => "`exists` cannot stand in the head of a clause",
    };
    Diagnostic::error("chc-quantifier", span, message)
        .help("the variables of a clause are all universal; `exists` may stand in bodies")
}

fn refuse_nested(
    book: &Book<'_>,
    marked: &FxHashSet<Term>,
    application: &Application,
    span: Span,
) -> Result<(), Diagnostic> {
    let is_meant = |t: Term| match book.terms.node(t) {
        Node::Var(symbol, _) => book.meaning(*symbol).is_some(),
        _ => false,
    };
    let nested = book.terms.post_order(&application.arguments);
    if nested.iter().any(|t| marked.contains(t) || is_meant(*t)) {
        let message = "a predicate or quantifier stands in an argument of this predicate";
        return Err(Diagnostic::error("chc-clause", span, message));
    }
    Ok(())
}

/// The error for a predicate inside an operator that is not a connective.
fn inside(book: &Book<'_>, marked: &FxHashSet<Term>, t: Term) -> Diagnostic {
    let found = book.terms.post_order(&[t]).into_iter().find_map(|s| {
        let Node::Var(symbol, _) = book.terms.node(s) else {
            return None;
        };
        marked.contains(&s).then(|| book.meaning(*symbol)).flatten()
    });
    let span = match found {
        Some(Meaning::Predicate(_, span) | Meaning::Quantified(_, _, span)) => *span,
        None => Span::default(),
    };
    let message = "this cannot stand inside arithmetic";
    Diagnostic::error("chc-clause", span, message)
}

/// The clause of a case; `None` if it is trivially true.
fn clause(book: &Book<'_>, case: Case, span: Span) -> Result<Option<Clause>, Diagnostic> {
    let terms = book.terms;
    let mut heads = case.heads.into_iter();
    let head = heads.next().map(|h| h.0);
    if let Some((_, second)) = heads.next() {
        let message = "this is a second head: a Horn clause has at most one";
        return Err(Diagnostic::error("chc-clause", second, message)
            .help("a clause looks like (=> (and P Q ... condition) R)"));
    }
    let body: Vec<Application> = case.body.into_iter().map(|b| b.0).collect();
    let applications = body.iter().chain(&head);
    let mut all: Vec<Term> = applications.flat_map(|a| a.arguments.clone()).collect();
    let whole = terms.and(case.constraint.iter().copied());
    if terms.as_bool(whole) == Some(false) {
        return Ok(None);
    }
    all.push(whole);
    let variables: Vec<_> = terms.free_vars_of(&all).iter().map(|v| v.0).collect();
    let names = variables.iter().map(|&v| book.name(v).to_string());
    Ok(Some(Clause {
        span,
        names: names.collect(),
        variables,
        body,
        constraint: terms.conjuncts(whole),
        head,
    }))
}
