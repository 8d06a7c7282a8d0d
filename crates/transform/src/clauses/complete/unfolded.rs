//! The meaning of predicates that were put into the clauses that use them.
//!
//! Such a predicate means something between what derives it and what it is used for: it is an
//! interpolant. Those on which no other one depends are done first. A clause that uses a predicate
//! several times gives one interpolant for each place, and the meaning is all of them.

use super::separated;
use sectile_base::Budget;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause, applied};
use sectile_solver::Backend;
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms};

/// Definitions larger than this are not written out.
const LARGEST: usize = 200_000;

/// Gives every unfolded predicate a meaning; each of them depends on those before it only.
pub(super) fn meanings(
    terms: &Terms,
    horn: &HornClauses,
    unfolded: &[usize],
    known: &mut [Term],
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<(), String> {
    let mut finder = Finder {
        terms,
        horn,
        known,
        definitions: vec![None; horn.predicates.len()],
        backend,
        budget,
    };
    for &p in unfolded {
        let definition = finder.definition(p)?;
        finder.definitions[p] = Some(definition);
    }
    for &p in unfolded.iter().rev() {
        let meaning = finder.meaning(p)?;
        finder.known[p] = meaning;
        finder.definitions[p] = None;
    }
    Ok(())
}

struct Finder<'f> {
    terms: &'f Terms,
    horn: &'f HornClauses,
    known: &'f mut [Term],
    /// What derives the predicates that have no meaning yet, over their parameters and others.
    definitions: Vec<Option<Term>>,
    backend: &'f dyn Backend,
    budget: &'f Budget,
}

impl Finder<'_> {
    /// What the clauses derive a predicate from.
    fn definition(&self, predicate: usize) -> Result<Term, String> {
        let terms = self.terms;
        let clauses = self.horn.clauses.iter();
        let ways = clauses.filter_map(|clause| {
            let head = clause.head.as_ref().filter(|h| h.predicate == predicate)?;
            let body = clause.body.iter().map(|a| self.standing(a));
            let parts = body.chain(self.linked(head));
            Some(terms.and(parts.chain(clause.constraint.iter().copied())))
        });
        let definition = terms.or(ways.collect::<Vec<_>>());
        match terms.size(definition) <= LARGEST {
            true => Ok(definition),
            false => Err("a definition is too large".to_string()),
        }
    }

    /// That the parameters of a predicate are the arguments of an application.
    fn linked(&self, application: &Application) -> impl Iterator<Item = Term> {
        let parameters = &self.horn.predicates[application.predicate].parameters;
        let pairs = parameters.iter().zip(&application.arguments);
        pairs.map(|(&p, &a)| self.terms.eq(self.terms.var(p), a))
    }

    /// What stands for an application: the meaning of its predicate, or what derives it.
    fn standing(&self, application: &Application) -> Term {
        match self.definitions[application.predicate] {
            None => applied(self.terms, self.horn, self.known, application),
            Some(definition) => {
                let parameters = &self.horn.predicates[application.predicate].parameters;
                let own = self.with_own_variables(definition, parameters);
                let pairs = parameters.iter().zip(&application.arguments);
                let map: Substitution = pairs.map(|(&p, &a)| (self.terms.var(p), a)).collect();
                self.terms.substitute(own, &map)
            }
        }
    }

    /// A definition in which everything but the parameters is new.
    fn with_own_variables(&self, definition: Term, parameters: &[Symbol]) -> Term {
        let terms = self.terms;
        let variables = terms.free_vars(definition);
        let others = variables.iter().filter(|v| !parameters.contains(&v.0));
        let map: Substitution = others
            .map(|v| {
                let sort = terms.symbol_sort(v.0);
                let copy = terms.fresh("unfolded", sort, SymbolKind::Input);
                (terms.var_at(v.0, v.1), terms.var(copy))
            })
            .collect();
        terms.substitute(definition, &map)
    }

    /// The interpolants of all places at which a predicate is used.
    fn meaning(&self, predicate: usize) -> Result<Term, String> {
        let terms = self.terms;
        let uses = |c: &Clause| c.body.iter().filter(|a| a.predicate == predicate).count();
        let most = self.horn.clauses.iter().map(uses).max().unwrap_or(0);
        let definition = self.definitions[predicate].ok_or("a definition is missing")?;
        let parameters = &self.horn.predicates[predicate].parameters;
        let before = self.with_own_variables(definition, parameters);
        let mut found: Vec<Term> = Vec::new();
        for place in 0..most {
            let clauses = self.horn.clauses.iter();
            let ways = clauses.filter(|&c| uses(c) > place);
            let ways = ways.map(|c| self.used(c, predicate, &found));
            let after = terms.or(ways.collect::<Vec<_>>());
            let between = separated(terms, self.backend, [before, after], self.budget)?;
            found.push(between.ok_or("the meanings of loops are not inductive")?);
        }
        Ok(terms.simplify(terms.and(found)))
    }

    /// What a clause needs at the next place of a predicate; earlier places are done.
    fn used(&self, clause: &Clause, predicate: usize, done: &[Term]) -> Term {
        let terms = self.terms;
        let mut parts = clause.constraint.clone();
        let mut place = 0;
        for application in &clause.body {
            if application.predicate != predicate {
                parts.push(self.standing(application));
                continue;
            }
            match done.get(place) {
                Some(&meaning) => {
                    let mut known = vec![terms.tt(); self.horn.predicates.len()];
                    known[predicate] = meaning;
                    parts.push(applied(terms, self.horn, &known, application));
                }
                None if place == done.len() => parts.extend(self.linked(application)),
                None => parts.push(self.standing(application)),
            }
            place += 1;
        }
        let head = clause.head.iter();
        parts.extend(head.map(|h| terms.not(applied(terms, self.horn, self.known, h))));
        terms.and(parts)
    }
}
