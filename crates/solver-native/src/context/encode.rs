//! From terms to literals: walking over terms, children first, without recursion.

use super::NativeSolver;
use crate::sat::Lit;
use crate::theory;
use sectile_terms::Term;

/// The literal implies the term.
pub(crate) const POSITIVE: u8 = 1;
/// The term implies the literal.
pub(crate) const NEGATIVE: u8 = 2;
/// Both.
pub(crate) const BOTH: u8 = 3;

/// The polarity below a negation.
pub(crate) fn flipped(polarity: u8) -> u8 {
    (polarity & 1) << 1 | polarity >> 1
}

impl NativeSolver<'_> {
    /// The literal of an encoded Boolean term.
    pub(crate) fn literal(&self, t: Term) -> Lit {
        let (inner, negated) = self.terms.strip_not(t);
        let lit = self.literals.get(inner.index());
        let lit = lit.expect("the term was encoded before its literal is asked for");
        if negated { !lit } else { lit }
    }

    /// The literal of a truth value.
    pub(crate) fn constant_literal(&self, value: bool) -> Lit {
        if value {
            self.true_literal
        } else {
            !self.true_literal
        }
    }

    pub(crate) fn set_literal(&mut self, t: Term, lit: Lit) {
        self.literals.set(t.index(), Some(lit));
    }

    /// Ensures that a term and everything it depends on have literals and variables.
    pub(crate) fn encode(&mut self, root: Term) {
        if theory::is_encoded(self, root) {
            return;
        }
        self.walk.clear();
        self.walk.push(root);
        while let Some(&t) = self.walk.last() {
            if theory::is_encoded(self, t) {
                self.walk.pop();
                continue;
            }
            let before = self.walk.len();
            theory::push_arguments(self, t);
            if self.walk.len() == before {
                self.walk.pop();
                self.sat.theory.observe(self.terms, t);
                theory::encode(self, t);
            }
        }
    }

    /// Schedules a term, unless it is encoded.
    pub(crate) fn push_unencoded(&mut self, t: Term) {
        if !theory::is_encoded(self, t) {
            self.walk.push(t);
        }
    }

    /// Adds the clauses that define an encoded term's literal, for the required polarities.
    pub(crate) fn require(&mut self, root: Term, polarity: u8) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.push((root, polarity));
        while let Some((t, polarity)) = pending.pop() {
            let (t, negated) = self.terms.strip_not(t);
            let polarity = if negated { flipped(polarity) } else { polarity };
            let known = self.emitted.get(t.index());
            let missing = polarity & !known;
            if missing == 0 {
                continue;
            }
            self.emitted.set(t.index(), known | missing);
            theory::define(self, t, missing, &mut pending);
        }
        self.pending = pending;
    }
}
