//! Memoised queries to the solver: conjunctions are split into independent pieces.

use rustc_hash::FxHashMap;
use sectile_base::Budget;
use sectile_engine::{Stop, connected, is_satisfiable, shape};
use sectile_solver::{Backend, Eliminator, Projection, Solver, scoped};
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// A solver and an eliminator with cached answers.
pub struct Queries<'t> {
    /// The store of the formulas.
    pub terms: &'t Terms,
    /// The limits.
    pub budget: Budget,
    solver: Box<dyn Solver + 't>,
    eliminator: Box<dyn Eliminator + 't>,
    known: FxHashMap<Vec<Term>, bool>,
}

impl<'t> Queries<'t> {
    /// An empty cache.
    pub fn new(
        terms: &'t Terms,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> Result<Queries<'t>, Stop> {
        Ok(Queries {
            terms,
            solver: backend.solver(terms)?,
            eliminator: backend.eliminator(terms)?,
            budget: budget.clone(),
            known: FxHashMap::default(),
        })
    }

    /// Whether a conjunction has a model.
    ///
    /// Conjuncts that share no variables are queried separately. Steps of many processes differ in
    /// few pieces, so most pieces are cached.
    pub fn satisfiable(&mut self, conjuncts: &[Term]) -> Result<bool, Stop> {
        self.budget.poll()?;
        for piece in pieces(self.terms, conjuncts) {
            let answer = match self.known.get(&piece) {
                Some(&known) => known,
                None => {
                    let answer = self.ask(&piece)?;
                    self.known.insert(piece, answer);
                    answer
                }
            };
            if !answer {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the premises imply a formula.
    pub fn implies(&mut self, premises: &[Term], conclusion: Term) -> Result<bool, Stop> {
        let mut all = premises.to_vec();
        all.push(self.terms.not(conclusion));
        Ok(!self.satisfiable(&all)?)
    }

    fn ask(&mut self, conjuncts: &[Term]) -> Result<bool, Stop> {
        let budget = &self.budget;
        scoped(self.solver.as_mut(), |solver| {
            for &conjunct in conjuncts {
                solver.assert(conjunct)?;
            }
            is_satisfiable(solver, &[], budget)
        })
    }

    /// All combinations of signs of the literals that are consistent with the conjuncts.
    pub fn signs(&mut self, conjuncts: &[Term], literals: &[Term]) -> Result<Vec<Vec<bool>>, Stop> {
        let mut found = Vec::new();
        let mut work: Vec<Vec<bool>> = vec![Vec::new()];
        while let Some(signs) = work.pop() {
            let mut query = conjuncts.to_vec();
            query.extend(signed(self.terms, literals, &signs));
            if !self.satisfiable(&query)? {
                continue;
            }
            if signs.len() == literals.len() {
                found.push(signs);
                continue;
            }
            for sign in [false, true] {
                let mut longer = signs.clone();
                longer.push(sign);
                work.push(longer);
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        Ok(found)
    }

    /// `exists variables. formula`.
    pub fn project(
        &mut self,
        formula: Term,
        variables: &[(Symbol, Stage)],
    ) -> Result<Projection, Stop> {
        let result = self.eliminator.project(formula, variables, &self.budget)?;
        Ok(result?)
    }
}

/// The first `signs.len()` literals, with these signs.
pub fn signed(terms: &Terms, literals: &[Term], signs: &[bool]) -> Vec<Term> {
    let pairs = literals.iter().zip(signs);
    let literal = |(&l, &sign): (&Term, &bool)| if sign { l } else { terms.not(l) };
    pairs.map(literal).collect()
}

/// Flattened conjuncts in sorted groups that share no variables.
fn pieces(terms: &Terms, conjuncts: &[Term]) -> Vec<Vec<Term>> {
    let mut flat = shape::conjuncts(terms, conjuncts.iter().copied());
    flat.sort_unstable();
    let slots: Vec<Vec<(Symbol, Stage)>> = flat
        .iter()
        .map(|&c| terms.free_vars(c).into_iter().collect())
        .collect();
    let groups = connected(&slots);
    let mut pieces: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
    for (&conjunct, &group) in flat.iter().zip(&groups) {
        pieces.entry(group).or_default().push(conjunct);
    }
    pieces.into_values().collect()
}
