//! Finds constants that arguments of predicates may be, by a simple analysis.
//!
//! Two least fixpoints over all clauses: the arguments with which predicates are derived (forwards),
//! and those with which queries use them (backwards). A function of a contract is derived for all
//! inputs; the relevant inputs are those of its callers. The result is used only for guesses: missing
//! or wrong information does not affect soundness.

use super::opaque::Open;
use super::placeholders::Book;
use sectile_base::{Int, Rat};
use sectile_model::equations;
use sectile_model::horn::{Application, Clause};
use sectile_terms::{Node, Sort, Substitution, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers, as terms.
pub(super) type Values = BTreeSet<Term>;

/// Maximum number of values of an argument: with more, it counts as arbitrary.
const MOST_VALUES: usize = 16;

/// Maximum number of combinations of values that are tried.
const MOST_COMBINATIONS: usize = 64;

/// What is known about the arguments of predicates: in all derivations, and in all uses for
/// queries. `None` for predicates without a derivation or use.
pub(super) struct Constants {
    derived: Vec<Option<Arguments>>,
    needed: Vec<Option<Arguments>>,
}

/// What is known about the arguments of a predicate.
struct Arguments {
    /// Their values; `None` if they are arbitrary.
    values: Vec<Option<Values>>,
    /// For each argument, the first one that is equal to it.
    same: Vec<usize>,
}

/// What is known about the variables of a clause.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// Variables that are defined by equations.
    defined: Substitution,
    /// Variables with few values.
    pub few: BTreeMap<Term, Values>,
}

impl Constants {
    pub fn new(book: &Book<'_>, clauses: &[Clause], open: &[Open]) -> Constants {
        let count = book.predicates.len();
        let mut constants = Constants {
            derived: (0..count).map(|_| None).collect(),
            needed: (0..count).map(|_| None).collect(),
        };
        let own: Vec<Known> = clauses.iter().map(|c| Known::new(book.terms, c)).collect();
        constants.forwards(book, clauses, open, &own);
        constants.backwards(book, clauses, open, &own);
        constants
    }

    fn forwards(&mut self, book: &Book<'_>, clauses: &[Clause], open: &[Open], own: &[Known]) {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.derived.len()];
        for (k, clause) in clauses.iter().enumerate() {
            clause.body.iter().for_each(|b| users[b.predicate].push(k));
        }
        let mut pending: BTreeSet<usize> = (0..clauses.len()).collect();
        while let Some(k) = pending.pop_first() {
            let Some(head) = &clauses[k].head else {
                continue;
            };
            let Some(known) = self.reached(book, &clauses[k], &open[k], own[k].clone()) else {
                continue;
            };
            let new = known.arguments(book.terms, head);
            if join(&mut self.derived[head.predicate], new) {
                pending.extend(&users[head.predicate]);
            }
        }
    }

    fn backwards(&mut self, book: &Book<'_>, clauses: &[Clause], open: &[Open], own: &[Known]) {
        let mut makers: Vec<Vec<usize>> = vec![Vec::new(); self.needed.len()];
        for (k, clause) in clauses.iter().enumerate() {
            clause.head.iter().for_each(|h| makers[h.predicate].push(k));
        }
        let queries = clauses.iter().enumerate().filter(|(_, c)| c.head.is_none());
        let mut pending: BTreeSet<usize> = queries.map(|(k, _)| k).collect();
        while let Some(k) = pending.pop_first() {
            let Some(known) = self.used(book, &clauses[k], &open[k], own[k].clone()) else {
                continue;
            };
            for application in &clauses[k].body {
                let new = known.arguments(book.terms, application);
                if join(&mut self.needed[application.predicate], new) {
                    pending.extend(&makers[application.predicate]);
                }
            }
        }
    }

    /// What is known where a clause is used; `None` if it is never used.
    pub fn at(&self, book: &Book<'_>, clause: &Clause, open: &Open) -> Option<Known> {
        self.used(book, clause, open, Known::new(book.terms, clause))
    }

    /// What is known where the clause is used for a query.
    fn used(&self, book: &Book<'_>, clause: &Clause, open: &Open, own: Known) -> Option<Known> {
        let mut known = self.reached(book, clause, open, own)?;
        if let Some(head) = &clause.head {
            let needed = self.needed[head.predicate].as_ref()?;
            known.learn(book.terms, head, needed);
        }
        known.learn_results(book, open);
        Some(known)
    }

    /// What is known where the body of the clause is derived.
    fn reached(&self, book: &Book<'_>, clause: &Clause, open: &Open, own: Known) -> Option<Known> {
        let mut known = own;
        for application in &clause.body {
            let derived = self.derived[application.predicate].as_ref()?;
            known.learn(book.terms, application, derived);
        }
        known.learn_results(book, open);
        Some(known)
    }
}

/// Adds values of arguments, and removes equalities that no longer hold. Returns whether there was
/// a change.
fn join(known: &mut Option<Arguments>, new: Arguments) -> bool {
    let Some(old) = known else {
        *known = Some(new);
        return true;
    };
    let mut changed = false;
    for (old, new) in old.values.iter_mut().zip(new.values) {
        let Some(list) = old else { continue };
        let before = list.len();
        match new {
            Some(new) => list.extend(new),
            None => *old = None,
        }
        match old {
            Some(list) if list.len() > MOST_VALUES => *old = None,
            Some(list) if list.len() == before => continue,
            _ => {}
        }
        changed = true;
    }
    let mut first: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let pairs = old.same.iter().zip(new.same).enumerate();
    let same = pairs.map(|(k, (&old, new))| *first.entry((old, new)).or_insert(k));
    let same: Vec<usize> = same.collect();
    changed |= same != old.same;
    old.same = same;
    changed
}

impl Known {
    /// What follows from the conditions of a clause alone.
    fn new(terms: &Terms, clause: &Clause) -> Known {
        let conjuncts = clause.constraint.clone();
        let (left, defined) = equations::eliminate(terms, conjuncts, &|_| true, &|_, _| true);
        let few = ranges(terms, &left);
        Known { defined, few }
    }

    /// What is known about the arguments of an application.
    fn arguments(&self, terms: &Terms, application: &Application) -> Arguments {
        let list = { application.arguments.iter() }.map(|&t| self.put(terms, t));
        let list: Vec<Term> = list.collect();
        let mut first: BTreeMap<Term, usize> = BTreeMap::new();
        let numbered = list.iter().enumerate();
        Arguments {
            same: { numbered.map(|(k, &t)| *first.entry(t).or_insert(k)) }.collect(),
            values: list.iter().map(|&t| self.values(terms, t)).collect(),
        }
    }

    /// Adds what is known about the arguments of an application.
    fn learn(&mut self, terms: &Terms, application: &Application, arguments: &Arguments) {
        let is_variable = |t: Term| matches!(terms.node(t), Node::Var(..));
        for (k, &first) in arguments.same.iter().enumerate() {
            let [one, other] = [k, first].map(|k| self.put(terms, application.arguments[k]));
            let is_number = terms.sort(one) == Sort::Int;
            if is_number && one != other && is_variable(one) && is_variable(other) {
                let values = self.few.remove(&one);
                if let Some(values) = values {
                    self.few.entry(other).or_insert(values);
                }
                let equal = Substitution::from_iter([(one, other)]);
                for value in self.defined.values_mut() {
                    *value = terms.substitute(*value, &equal);
                }
                self.defined.insert(one, other);
            }
        }
        for (&argument, values) in application.arguments.iter().zip(&arguments.values) {
            let argument = self.put(terms, argument);
            if let (true, Some(values)) = (is_variable(argument), values) {
                let entry = self.few.entry(argument);
                let list = entry.or_insert_with(|| values.clone());
                list.retain(|v| values.contains(v));
            }
        }
    }

    /// Computes the results of operations whose arguments have few values.
    fn learn_results(&mut self, book: &Book<'_>, open: &Open) {
        let terms = book.terms;
        for (operation, number) in open {
            let number = self.put(terms, *number);
            let [a, b] = operation.arguments.map(|t| self.values(terms, t));
            let (Some(a), Some(b), Node::Var(..)) = (a, b, terms.node(number)) else {
                continue;
            };
            let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| [a, b]));
            let results: Option<Values> = pairs.map(|p| book.resolved(operation, p)).collect();
            let is_number = |t: &Term| terms.as_number(*t).is_some();
            if let Some(results) = results.filter(|r| r.iter().all(is_number)) {
                self.few.insert(number, results);
            }
        }
    }

    /// A term with defined variables eliminated.
    pub fn put(&self, terms: &Terms, t: Term) -> Term {
        terms.substitute(t, &self.defined)
    }

    /// The values of a term; `None` if there are many, or it is not an integer.
    fn values(&self, terms: &Terms, t: Term) -> Option<Values> {
        if terms.sort(t) != Sort::Int {
            return None;
        }
        let t = self.put(terms, t);
        if let Some(values) = alternatives(terms, t) {
            return Some(values);
        }
        let mut results = Values::from([t]);
        for (symbol, stage) in terms.free_vars(t) {
            let variable = terms.var_at(symbol, stage);
            let values = self.few.get(&variable)?;
            if results.len() * values.len() > MOST_COMBINATIONS {
                return None;
            }
            let with = |&t: &Term| {
                let at =
                    move |&v: &Term| terms.substitute(t, &Substitution::from_iter([(variable, v)]));
                values.iter().map(at).collect::<Vec<_>>()
            };
            results = results.iter().flat_map(with).collect();
        }
        let is_number = |t: &Term| terms.as_number(*t).is_some();
        (results.len() <= MOST_VALUES && results.iter().all(is_number)).then_some(results)
    }
}

/// The numbers that a nested conditional chooses between; `None` if a branch is not a number, or there is no choice.
pub(super) fn alternatives(terms: &Terms, t: Term) -> Option<Values> {
    let mut values = Values::new();
    let mut open = vec![t];
    while let Some(t) = open.pop() {
        match *terms.node(t) {
            Node::Ite(_, a, b) => open.extend([a, b]),
            Node::Number(_) => {
                values.insert(t);
            }
            _ => return None,
        }
        if values.len() > MOST_VALUES || open.len() > MOST_VALUES {
            return None;
        }
    }
    (values.len() > 1).then_some(values)
}

/// The integer variables whose bounds leave few values.
fn ranges(terms: &Terms, conjuncts: &[Term]) -> BTreeMap<Term, Values> {
    let mut lower: BTreeMap<Term, Int> = BTreeMap::new();
    let mut upper: BTreeMap<Term, Int> = BTreeMap::new();
    for &conjunct in conjuncts {
        let (atom, negated) = terms.strip_not(conjunct);
        let Node::NonPos(sum) = *terms.node(atom) else {
            continue;
        };
        let linear = terms.linear(sum);
        let [(variable, factor)] = linear.monomials() else {
            continue;
        };
        if terms.sort(sum) != Sort::Int || !matches!(terms.node(*variable), Node::Var(..)) {
            continue;
        }
        // factor * variable <= limit, or the opposite.
        let limit = -linear.constant();
        let (limit, factor) = match negated {
            false => (limit, factor.clone()),
            true => (&-limit - &Rat::ONE, -factor),
        };
        let bound = &limit / &factor;
        if factor.is_negative() {
            let bound = bound.ceil();
            let known = lower.entry(*variable).or_insert_with(|| bound.clone());
            *known = bound.max(known.clone());
        } else {
            let bound = bound.floor();
            let known = upper.entry(*variable).or_insert_with(|| bound.clone());
            *known = bound.min(known.clone());
        }
    }
    let mut few = BTreeMap::new();
    for (variable, low) in lower {
        let Some(high) = upper.get(&variable) else {
            continue;
        };
        let count = high - &low;
        let count = count
            .to_i64()
            .filter(|&c| usize::try_from(c).is_ok_and(|c| c < MOST_VALUES));
        if let Some(count) = count {
            let value = |k: i64| terms.number(Rat::from(&(&low + &Int::from(k))), Sort::Int);
            few.insert(variable, (0..=count).map(value).collect());
        }
    }
    few
}
