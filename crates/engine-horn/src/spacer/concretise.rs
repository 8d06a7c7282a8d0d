//! Bounds in the place of sums whose factors never come to an end.
//!
//! Paper: [HariChenShohamGurfinkel20, Sect. 4.3]. Where lemmas about the same variables differ in their factors, the
//! sums say too much about the way in which they came about. An obligation with such a sum is made smaller: one
//! bound for each variable, as the values of the model have it. The lemma that excludes it has no sum then. The
//! obligation that it was made for is asked about again, so nothing is lost.

use super::search::{Search, no_value};
use super::steps::about;
use sectile_base::Rat;
use sectile_engine::Stop;
use sectile_model::horn::Application;
use sectile_solver::Assignment;
use sectile_terms::{Linear, Node, Term, Terms, evaluate};
use std::collections::{BTreeMap, BTreeSet};

/// So many sums over the same variables are too many.
const MOST_SUMS: usize = 4;

/// The factors of sums over the same terms, for each predicate.
#[derive(Default)]
pub(super) struct Sums {
    seen: BTreeMap<(usize, Vec<Term>), BTreeSet<Vec<Rat>>>,
}

impl Sums {
    /// Notes the sums of a lemma.
    pub fn note(&mut self, terms: &Terms, predicate: usize, cube: &[Term]) {
        for sum in cube.iter().filter_map(|&l| inequality(terms, l)) {
            let monomials = sum.monomials().iter().cloned();
            let (over, factors) = monomials.unzip();
            self.seen
                .entry((predicate, over))
                .or_default()
                .insert(factors);
        }
    }

    fn are_many(&self, predicate: usize, sum: &Linear) -> bool {
        let over = sum.monomials().iter().map(|m| m.0).collect();
        let seen = self.seen.get(&(predicate, over));
        seen.is_some_and(|s| s.len() >= MOST_SUMS)
    }
}

/// The sum of an inequality over two terms or more.
fn inequality(terms: &Terms, literal: Term) -> Option<Linear> {
    match *terms.node(literal) {
        Node::NonPos(sum) | Node::Neg(sum) => {
            Some(terms.linear(sum)).filter(|l| l.monomials().len() > 1)
        }
        _ => None,
    }
}

impl Search<'_> {
    /// The cube with bounds for sums that never come to an end; the values are in it, as before.
    pub fn concretised(
        &self,
        cube: Vec<Term>,
        goal: &Application,
        values: &Assignment,
    ) -> Result<Vec<Term>, Stop> {
        let terms = self.rules.terms;
        let mut parts = Vec::new();
        for literal in cube {
            let sum = inequality(terms, literal);
            let Some(sum) = sum.filter(|s| self.sums.are_many(goal.predicate, s)) else {
                parts.push(literal);
                continue;
            };
            for (term, factor) in sum.monomials() {
                let here = about(self.rules, goal, *term);
                let value = evaluate(terms, here, values).map_err(no_value)?;
                let value = value.to_term(terms);
                parts.push(match factor.is_negative() {
                    true => terms.ge(*term, value),
                    false => terms.le(*term, value),
                });
            }
        }
        parts.sort();
        parts.dedup();
        Ok(parts)
    }
}
