//! Meanings of predicates that were unfolded in the clauses that use them.
//!
//! The meaning of such a predicate is an interpolant between its definition and its uses.
//! Predicates that no other one depends on come first. A clause that uses a predicate several times
//! gives one interpolant for each occurrence, and the meaning is their conjunction.

use super::separated;
use sectile_base::Budget;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause, applied};
use sectile_solver::Backend;
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms};

/// Maximum size of a definition.
const LARGEST: usize = 200_000;

/// Gives every unfolded predicate a meaning; each predicate depends only on earlier ones.
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
    /// The definitions of the predicates that have no meaning yet, over their parameters and
    /// others.
    definitions: Vec<Option<Term>>,
    backend: &'f dyn Backend,
    budget: &'f Budget,
}

impl Finder<'_> {
    /// The definition of a predicate: the disjunction of its clauses.
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

    /// Equations between the parameters of a predicate and the arguments of an application.
    fn linked(&self, application: &Application) -> impl Iterator<Item = Term> {
        let parameters = &self.horn.predicates[application.predicate].parameters;
        let pairs = parameters.iter().zip(&application.arguments);
        pairs.map(|(&p, &a)| self.terms.eq(self.terms.var(p), a))
    }

    /// The formula of an application: the meaning of its predicate, or its definition.
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

    /// A definition with fresh variables, except for the parameters.
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

    /// The conjunction of the interpolants for all occurrences of a predicate.
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

    /// The premises and the negated head of a clause, over the arguments of the next occurrence of
    /// a predicate. Earlier occurrences have their interpolants.
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
