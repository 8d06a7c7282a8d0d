//! Removal of arguments that are constant, or equal to others, whenever a predicate is derived.
//!
//! The strongest such equations are the least fixpoint of the clauses: it starts with nothing
//! derived and drops equations that a clause contradicts. They are inductive, so a meaning of the
//! remaining arguments together with them is a meaning of the whole.

use super::without_arguments;
use crate::clauses::derived::is_constant;
use crate::clauses::reduction::{Argument, PredicateFate, ReducedClause, Reduction};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_model::HornClauses;
use sectile_model::equations;
use sectile_model::horn::{Application, Clause};
use sectile_terms::{Node, Sort, Substitution, Term, Terms};

/// A predicate that lost equations this often keeps all its arguments.
const MOST_LOSSES: usize = 12;

/// A known fact about an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Constant(Term),
    /// Equal to the argument at this position, the first of its class.
    Like(usize),
}

/// The known facts about the arguments of a predicate; `None` if it is not derived.
type Known = Option<Vec<Shape>>;

/// Drops arguments that are constant or equal to earlier ones.
pub(super) fn reduce(terms: &Terms, before: &HornClauses, sorts: &[Vec<Sort>]) -> Reduction {
    let prepared: Vec<Prepared> = before.clauses.iter().map(|c| prepare(terms, c)).collect();
    let known = fixpoint(terms, &prepared, sorts);
    let mut clauses = Vec::new();
    for (k, clause) in before.clauses.iter().enumerate() {
        if image(terms, &prepared[k], &known).is_none() {
            continue;
        }
        let facts = clause
            .body
            .iter()
            .flat_map(|a| equations_of(terms, a, &known));
        let all = clause.constraint.iter().copied().chain(facts);
        let constraint = terms.and(all.collect::<Vec<_>>());
        let origin = ReducedClause {
            clause: k,
            carried: Vec::new(),
            computed: Vec::new(),
        };
        let constraint = terms.conjuncts(constraint);
        clauses.push((
            origin,
            Clause {
                constraint,
                ..clause.clone()
            },
        ));
    }
    without_arguments(before, known.iter().map(standing).collect(), clauses)
}

fn standing(known: &Known) -> PredicateFate {
    let Some(shapes) = known else {
        return PredicateFate::Never;
    };
    let argument = |(i, shape): (usize, &Shape)| match *shape {
        Shape::Constant(value) => Argument::Constant(value),
        Shape::Like(j) if j == i => Argument::Kept,
        Shape::Like(j) => Argument::Same(j),
    };
    PredicateFate::Used(shapes.iter().enumerate().map(argument).collect())
}

/// A clause whose own equations are solved.
struct Prepared {
    clause: Clause,
    unknowns: FxHashSet<Term>,
}

fn prepare(terms: &Terms, clause: &Clause) -> Prepared {
    let unknowns: FxHashSet<Term> = clause.variables.iter().map(|&v| terms.var(v)).collect();
    let mut clause = clause.clone();
    let constraint = std::mem::take(&mut clause.constraint);
    let (conjuncts, values) = solved(terms, constraint, &unknowns);
    put_in(terms, &mut clause, &values);
    clause.constraint = conjuncts;
    Prepared { clause, unknowns }
}

/// Solves equations. Values of arrays and enumerations are restricted to variables and constants.
fn solved(
    terms: &Terms,
    conjuncts: Vec<Term>,
    unknowns: &FxHashSet<Term>,
) -> (Vec<Term>, Substitution) {
    let is_unknown = |t: Term| unknowns.contains(&t);
    let is_definition = |x: Term, value: Term| match terms.sort(x) {
        Sort::Array(_) | Sort::Enum(_) => {
            matches!(terms.node(value), Node::Var(..)) || is_constant(terms, value)
        }
        _ => true,
    };
    equations::eliminate(terms, conjuncts, &is_unknown, &is_definition)
}

fn put_in(terms: &Terms, clause: &mut Clause, values: &Substitution) {
    let applications = clause.body.iter_mut().chain(&mut clause.head);
    for argument in applications.flat_map(|a| &mut a.arguments) {
        *argument = terms.substitute(*argument, values);
    }
}

/// The known facts about an application, as equations.
fn equations_of(terms: &Terms, application: &Application, known: &[Known]) -> Vec<Term> {
    let arguments = &application.arguments;
    let shapes = known[application.predicate].iter().flatten();
    let equation = |(i, shape): (usize, &Shape)| match *shape {
        Shape::Constant(value) => Some(terms.eq(arguments[i], value)),
        Shape::Like(j) => (j != i).then(|| terms.eq(arguments[i], arguments[j])),
    };
    shapes.enumerate().filter_map(equation).collect()
}

/// The facts a clause derives from the known ones; `None` if it does not apply.
///
/// For a query the list is empty.
fn image(terms: &Terms, prepared: &Prepared, known: &[Known]) -> Known {
    let Prepared { clause, unknowns } = prepared;
    if clause.body.iter().any(|a| known[a.predicate].is_none()) {
        return None;
    }
    let facts = clause
        .body
        .iter()
        .flat_map(|a| equations_of(terms, a, known));
    let all = terms.and(
        facts
            .chain(clause.constraint.iter().copied())
            .collect::<Vec<_>>(),
    );
    let (conjuncts, values) = solved(terms, terms.conjuncts(all), unknowns);
    if conjuncts.contains(&terms.ff()) {
        return None;
    }
    let head = clause.head.iter().flat_map(|h| h.arguments.iter());
    let values: Vec<Term> = head.map(|&a| terms.substitute(a, &values)).collect();
    let mut first: FxHashMap<(Term, Sort), usize> = FxHashMap::default();
    let shape = |(i, &value): (usize, &Term)| match value {
        _ if is_constant(terms, value) => Shape::Constant(value),
        _ => Shape::Like(*first.entry((value, terms.sort(value))).or_insert(i)),
    };
    Some(values.iter().enumerate().map(shape).collect())
}

fn fixpoint(terms: &Terms, clauses: &[Prepared], sorts: &[Vec<Sort>]) -> Vec<Known> {
    let mut known: Vec<Known> = vec![None; sorts.len()];
    let mut changes = vec![0_usize; sorts.len()];
    let mut using: Vec<Vec<usize>> = vec![Vec::new(); sorts.len()];
    for (k, prepared) in clauses.iter().enumerate() {
        for application in &prepared.clause.body {
            using[application.predicate].push(k);
        }
    }
    let mut waiting = vec![true; clauses.len()];
    let mut pending: Vec<usize> = (0..clauses.len()).rev().collect();
    while let Some(k) = pending.pop() {
        waiting[k] = false;
        let Some(head) = &clauses[k].clause.head else {
            continue;
        };
        let p = head.predicate;
        let Some(derived) = image(terms, &clauses[k], &known) else {
            continue;
        };
        let mut joined = match &known[p] {
            None => derived,
            Some(old) => join(old, &derived),
        };
        if known[p].as_ref() == Some(&joined) {
            continue;
        }
        changes[p] += 1;
        if changes[p] > MOST_LOSSES {
            joined = (0..joined.len()).map(Shape::Like).collect();
        }
        known[p] = Some(joined);
        for &user in &using[p] {
            if !std::mem::replace(&mut waiting[user], true) {
                pending.push(user);
            }
        }
    }
    known
}

/// The facts that hold of both.
fn join(a: &[Shape], b: &[Shape]) -> Vec<Shape> {
    let mut first: FxHashMap<(Shape, Shape), usize> = FxHashMap::default();
    let pairs = a.iter().zip(b).enumerate();
    let shape = |(i, (&x, &y)): (usize, (&Shape, &Shape))| match x == y {
        true if matches!(x, Shape::Constant(_)) => x,
        _ => Shape::Like(*first.entry((x, y)).or_insert(i)),
    };
    pairs.map(shape).collect()
}
