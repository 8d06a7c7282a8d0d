//! Simplification for readers: smaller equivalent formulas.
//!
//! Builders normalise each operator alone. Here the parts of a formula simplify each other: inside
//! a conjunction every conjunct may assume the others, inside a disjunction every disjunct may
//! assume the negation of the others, and the branches of a conditional may assume its condition.
//!
//! - [`literals`] merges the literals of one conjunction about one sum or one enumeration;
//! - [`facts`] is the context at a position in a formula, and decides literals by it;
//! - [`context`] walks over a formula and rewrites every part under its context.
//!
//! The cost is bounded: a few walks, each over a few times as many positions as there are terms.

mod context;
mod facts;
mod literals;

use crate::node::{Node, Term};
use crate::store::Terms;
use crate::term_map::TermMap;
use context::Walk;
use facts::Facts;

/// Number of walks: a fact found about a later part may help an earlier one.
const WALKS: usize = 3;

impl Terms {
    /// An equivalent term of the same or a smaller [`size`](Terms::size), for people to read.
    ///
    /// Conjuncts and disjuncts that the others imply are dropped, bounds of the same sum and values
    /// of the same enumeration are merged, and every part is simplified under its context.
    pub fn simplify(&self, t: Term) -> Term {
        let mut best = t;
        let mut size = self.size(t);
        let mut is_better = |candidate: Term| {
            let candidate_size = self.size(candidate);
            let better = candidate_size <= size;
            if better {
                size = candidate_size;
            }
            better
        };
        let local = self.simplify_junctions(t);
        if is_better(local) {
            best = local;
        }
        for _ in 0..WALKS {
            let walked = Walk::new(self, best).run();
            if walked == best || !is_better(walked) {
                break;
            }
            best = walked;
        }
        best
    }

    /// Simplifies every conjunction and disjunction by itself, from the inside out.
    ///
    /// Linear in the number of terms, even if they are shared.
    fn simplify_junctions(&self, t: Term) -> Term {
        let mut nothing = Facts::new(self);
        let mut done: TermMap<Term> = TermMap::default();
        for s in self.post_order(&[t]) {
            let rebuilt = self.renew(s, |c| done[c]);
            let unit = match self.node(rebuilt) {
                Node::And(_) => Some(true),
                Node::Or(_) => Some(false),
                _ => None,
            };
            let simplified = unit.map_or(rebuilt, |unit| {
                let parts = self.parts(rebuilt, unit);
                let merged = nothing.merge(parts, unit);
                self.joined(merged, unit)
            });
            done.insert(s, simplified);
        }
        done[t]
    }

    /// The conjunction or disjunction of parts; none means that they contradict each other.
    fn joined(&self, parts: Option<Vec<Term>>, unit: bool) -> Term {
        match parts {
            None => self.bool(!unit),
            Some(list) if unit => self.and(list),
            Some(list) => self.or(list),
        }
    }
}
