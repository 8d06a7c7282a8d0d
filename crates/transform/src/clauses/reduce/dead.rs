//! Removal of irrelevant arguments.
//!
//! An argument is relevant if a condition depends on it, or a relevant argument of a head does. The
//! others are dropped. Their values along a derivation are recomputed from the facts on: no
//! condition mentions them, so the conditions hold whatever these values are.

use super::without_arguments;
use crate::clauses::reduction::{Argument, PredicateFate, ReducedClause, Reduction};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_model::HornClauses;
use sectile_model::equations;
use sectile_model::horn::Clause;
use sectile_terms::{Node, Sort, Substitution, Symbol, Term, Terms};

/// Drops irrelevant arguments, and predicates that no query depends on.
pub(super) fn reduce(terms: &Terms, before: &HornClauses, sorts: &[Vec<Sort>]) -> Reduction {
    let asked = asked(before, sorts.len());
    let is_asked = |c: &Clause| c.head.as_ref().is_none_or(|h| asked[h.predicate]);
    let flows: Vec<Option<Flow>> = before
        .clauses
        .iter()
        .map(|c| is_asked(c).then(|| Flow::of(terms, c)))
        .collect();
    let needed = needed(before, &flows, sorts);
    let argument = |n: &bool| match n {
        true => Argument::Kept,
        false => Argument::Dead,
    };
    let standing = |p: usize| match asked[p] {
        true => PredicateFate::Used(needed[p].iter().map(argument).collect()),
        false => PredicateFate::Irrelevant,
    };
    let mut clauses = Vec::new();
    for (k, clause) in before.clauses.iter().enumerate() {
        if let Some(flow) = &flows[k] {
            clauses.push((flow.origin(terms, k, clause, &needed), clause.clone()));
        }
    }
    without_arguments(before, (0..sorts.len()).map(standing).collect(), clauses)
}

/// The predicates that a query depends on.
fn asked(clauses: &HornClauses, count: usize) -> Vec<bool> {
    let mut deriving: Vec<Vec<&Clause>> = vec![Vec::new(); count];
    let mut pending: Vec<&Clause> = Vec::new();
    for clause in &clauses.clauses {
        match &clause.head {
            Some(head) => deriving[head.predicate].push(clause),
            None => pending.push(clause),
        }
    }
    let mut asked = vec![false; count];
    while let Some(clause) = pending.pop() {
        for application in &clause.body {
            let p = application.predicate;
            if !std::mem::replace(&mut asked[p], true) {
                pending.append(&mut deriving[p]);
            }
        }
    }
    asked
}

/// The relevant arguments, propagated from the heads of the clauses to their bodies.
fn needed(clauses: &HornClauses, flows: &[Option<Flow>], sorts: &[Vec<Sort>]) -> Vec<Vec<bool>> {
    let mut needed: Vec<Vec<bool>> = sorts.iter().map(|s| vec![false; s.len()]).collect();
    loop {
        let mut changed = false;
        for (clause, flow) in clauses.clauses.iter().zip(flows) {
            let Some(flow) = flow else { continue };
            for (b, body) in clause.body.iter().enumerate() {
                for i in 0..body.arguments.len() {
                    if needed[body.predicate][i] {
                        continue;
                    }
                    let head = clause.head.as_ref().map(|h| needed[h.predicate].as_slice());
                    let matters = flow.matters(b, i, head.unwrap_or(&[]));
                    needed[body.predicate][i] = matters;
                    changed |= matters;
                }
            }
        }
        if !changed {
            return needed;
        }
    }
}

/// The dependencies between arguments in a clause.
struct Flow {
    /// For each argument of the body, its variable if no condition mentions it.
    unseen: Vec<Vec<Option<Symbol>>>,
    /// For each variable, the arguments of the head that depend on it.
    reaches: FxHashMap<Symbol, Vec<usize>>,
    /// The values of variables that equations define.
    values: Substitution,
}

impl Flow {
    fn of(terms: &Terms, clause: &Clause) -> Flow {
        let arguments = clause.body.iter().flat_map(|a| a.arguments.iter());
        let mut occurrences: FxHashMap<Symbol, usize> = FxHashMap::default();
        for &argument in arguments {
            for (symbol, _) in terms.free_vars(argument) {
                *occurrences.entry(symbol).or_default() += 1;
            }
        }
        let others = clause
            .variables
            .iter()
            .filter(|v| !occurrences.contains_key(v));
        let unknowns: FxHashSet<Term> = others.map(|&v| terms.var(v)).collect();
        let solved = equations::solve(terms, clause.constraint.clone(), &unknowns);
        let tested = terms.free_vars_of(&solved.conjuncts);
        let tested: FxHashSet<Symbol> = tested.into_iter().map(|v| v.0).collect();
        let unseen = |t: &Term| match terms.node(*t) {
            Node::Var(symbol, _) => {
                let plain = occurrences[symbol] == 1 && !tested.contains(symbol);
                plain.then_some(*symbol)
            }
            _ => None,
        };
        let unseen = clause
            .body
            .iter()
            .map(|a| a.arguments.iter().map(unseen).collect());
        let unseen = unseen.collect();
        let mut reaches: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        let head = clause.head.iter().flat_map(|h| h.arguments.iter());
        for (i, &argument) in head.enumerate() {
            let value = terms.substitute(argument, &solved.values);
            for (symbol, _) in terms.free_vars(value) {
                reaches.entry(symbol).or_default().push(i);
            }
        }
        Flow {
            unseen,
            reaches,
            values: solved.values,
        }
    }

    /// Whether an argument of the body is relevant, given the relevant arguments of the head.
    fn matters(&self, body: usize, argument: usize, head: &[bool]) -> bool {
        let Some(variable) = self.unseen[body][argument] else {
            return true;
        };
        let reached = self.reaches.get(&variable).into_iter().flatten();
        reached.into_iter().any(|&i| head[i])
    }

    /// How the values of dead arguments are recomputed.
    fn origin(
        &self,
        terms: &Terms,
        position: usize,
        clause: &Clause,
        needed: &[Vec<bool>],
    ) -> ReducedClause {
        let mut carried = Vec::new();
        let mut followed: FxHashSet<Symbol> = FxHashSet::default();
        let places: FxHashMap<Symbol, usize> = clause
            .variables
            .iter()
            .enumerate()
            .map(|(i, &v)| (v, i))
            .collect();
        for (b, body) in clause.body.iter().enumerate() {
            for (i, unseen) in self.unseen[b].iter().enumerate() {
                if let (false, Some(symbol)) = (needed[body.predicate][i], unseen) {
                    followed.insert(*symbol);
                    carried.push((places[symbol], b, i));
                }
            }
        }
        let mut computed = Vec::new();
        for (i, &variable) in clause.variables.iter().enumerate() {
            let Some(&value) = self.values.get(&terms.var(variable)) else {
                continue;
            };
            if terms
                .free_vars(value)
                .iter()
                .any(|v| followed.contains(&v.0))
            {
                computed.push((i, value));
            }
        }
        ReducedClause {
            clause: position,
            carried,
            computed,
        }
    }
}
