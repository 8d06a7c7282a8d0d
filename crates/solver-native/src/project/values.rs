//! The values of terms under one model.

use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_solver::{ModelView, SolverError};
use sectile_terms::{Linear, Node, Term, Terms};

/// A model with the values of terms, memoised.
///
/// A value is kept as a constant term: evaluating an operator then means rebuilding it over
/// constants, which the builders fold. Don't-cares have the default of their sort.
pub(super) struct Values<'a> {
    terms: &'a Terms,
    model: &'a dyn ModelView,
    known: FxHashMap<Term, Term>,
}

impl<'a> Values<'a> {
    pub(super) fn new(terms: &'a Terms, model: &'a dyn ModelView) -> Values<'a> {
        Values {
            terms,
            model,
            known: FxHashMap::default(),
        }
    }

    /// The value of a term, as a constant.
    pub(super) fn constant(&mut self, root: Term) -> Result<Term, SolverError> {
        if let Some(&known) = self.known.get(&root) {
            return Ok(known);
        }
        let known = |t| self.known.contains_key(&t);
        for t in self.terms.post_order_unless(&[root], known) {
            let value = self.step(t)?;
            self.known.insert(t, value);
        }
        Ok(self.known[&root])
    }

    /// The value of a term, given those of its arguments.
    fn step(&self, t: Term) -> Result<Term, SolverError> {
        let terms = self.terms;
        let value = match *terms.node(t) {
            Node::Var(symbol, stage) => {
                let sort = terms.symbol_sort(symbol);
                let value = self.model.completed(terms, symbol, stage);
                if value.sort() != sort {
                    let name = terms.name(symbol);
                    let what = format!("the model gives `{name}` a value of another sort");
                    return Err(SolverError::Broken(what));
                }
                value.to_term(terms)
            }
            Node::Select(..) | Node::Store(..) | Node::Filled(..) | Node::Difference(..) => {
                return Err(unsupported());
            }
            _ => terms.rebuild(t, |c| self.known[&c]),
        };
        match terms.node(value) {
            Node::Bool(_) | Node::Number(_) | Node::Variant(..) => Ok(value),
            _ => Err(unsupported()),
        }
    }

    pub(super) fn truth(&mut self, t: Term) -> Result<bool, SolverError> {
        let value = self.constant(t)?;
        self.terms.as_bool(value).ok_or_else(unsupported)
    }

    pub(super) fn number(&mut self, t: Term) -> Result<Rat, SolverError> {
        let value = self.constant(t)?;
        self.terms.as_number(value).cloned().ok_or_else(unsupported)
    }

    pub(super) fn sum(&mut self, sum: &Linear) -> Result<Rat, SolverError> {
        let mut total = sum.constant().clone();
        for (leaf, c) in sum.monomials() {
            total.add_mul_assign(&self.number(*leaf)?, c);
        }
        Ok(total)
    }
}

/// The error for terms that cannot be projected.
pub(super) fn unsupported() -> SolverError {
    SolverError::Unsupported("projection of formulas over arrays".to_string())
}
