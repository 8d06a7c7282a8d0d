//! Clauses of what was asserted or assumed.

use crate::meaning::{Clause, Meanings};
use sectile_terms::{Node, Term};
use std::collections::HashSet;

/// The clauses that a formula consists of: every conjunct, however nested, as one literal, and as
/// the list of its disjuncts.
pub(crate) struct InputClauses(HashSet<Clause>);

impl InputClauses {
    /// Takes a formula apart.
    pub fn new(meanings: &mut Meanings<'_>, formula: Term) -> InputClauses {
        let terms = meanings.terms;
        let mut clauses = HashSet::new();
        let mut seen = HashSet::new();
        let mut stack = vec![formula];
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match terms.node(t) {
                Node::And(list) => stack.extend(list.iter()),
                Node::Or(list) => {
                    let disjuncts = list.iter().map(|&d| meanings.of_term(d));
                    clauses.insert(Clause::new(disjuncts.collect()));
                }
                _ => {}
            }
            clauses.insert(Clause::new(vec![meanings.of_term(t)]));
        }
        InputClauses(clauses)
    }

    /// Whether one of the clauses implies the given one, literal by literal.
    pub fn imply(&self, clause: &Clause) -> bool {
        let stronger = |own: &Clause| clause.covers(own.lits());
        // Most clauses are taken over as they are.
        self.0.contains(clause) || self.0.iter().any(stronger)
    }
}
