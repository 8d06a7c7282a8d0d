//! The atoms that are relevant to the current check.
//!
//! A long-lived solver knows many atoms over the same forms. Propagating all of them whenever a
//! bound is asserted would make every check pay for every formula ever seen. So the theory only
//! propagates atoms *of interest*: those below an assertion of an open scope or below an
//! assumption. For each literal the literals below it are kept; interest is spread along these
//! edges, with the outermost scope that needs a variable as its level.

use super::NativeSolver;
use crate::sat::{DecisionProcedure as _, Lit, Var};

const NONE: u32 = u32::MAX;

/// Interest in variables, with undo information.
#[derive(Default)]
pub(crate) struct Interest {
    /// By variable: the variables directly below.
    below: Vec<Vec<Var>>,
    /// By variable: the outermost scope that is interested.
    level: Vec<u32>,
    /// For each open scope (and last, for the assumptions): variables and their level before.
    undo: Vec<(Var, u32)>,
    scope_start: Vec<usize>,
    stack: Vec<Var>,
    /// The assumptions whose interest is marked, and the start of their part of `undo`.
    assumed: Vec<Lit>,
    assumed_start: Option<usize>,
}

impl Interest {
    fn grow(&mut self, v: Var) {
        if self.below.len() <= v.index() {
            self.below.resize_with(v.index() + 1, Vec::new);
            self.level.resize(v.index() + 1, NONE);
        }
    }

    /// Declares that `below` belongs to the meaning of `above`.
    pub fn add(&mut self, above: Lit, below: impl IntoIterator<Item = Lit>) {
        self.grow(above.var());
        let list = &mut self.below[above.var().index()];
        for lit in below {
            if !list.contains(&lit.var()) {
                list.push(lit.var());
            }
        }
    }
}

impl NativeSolver<'_> {
    pub(super) fn push_interest(&mut self) {
        self.withdraw_assumed();
        self.interest.scope_start.push(self.interest.undo.len());
    }

    /// Closes the innermost scope of interest.
    pub(super) fn pop_interest(&mut self) {
        self.withdraw_assumed();
        let start = self.interest.scope_start.pop().unwrap_or(0);
        self.withdraw(start);
    }

    fn withdraw(&mut self, start: usize) {
        for (v, level) in self.interest.undo.drain(start..).rev() {
            self.interest.level[v.index()] = level;
            if level == NONE {
                self.sat.theory.set_interest(v, false);
            }
        }
    }

    fn withdraw_assumed(&mut self) {
        if let Some(start) = self.interest.assumed_start.take() {
            self.withdraw(start);
        }
        self.interest.assumed.clear();
    }

    /// Marks everything below an asserted literal as interesting while the scope is open.
    pub(crate) fn assert_interest(&mut self, lit: Lit) {
        self.withdraw_assumed();
        let scope = self.interest.scope_start.len() as u32;
        self.spread(lit.var(), scope);
    }

    /// Marks everything below the assumptions of a check as interesting until the next one.
    pub(super) fn assume_interest(&mut self) {
        let first = self.scopes.len();
        if self.interest.assumed == self.assumption_literals[first..] {
            return;
        }
        self.withdraw_assumed();
        self.interest.assumed_start = Some(self.interest.undo.len());
        let scope = self.interest.scope_start.len() as u32 + 1;
        for i in first..self.assumption_literals.len() {
            let lit = self.assumption_literals[i];
            self.interest.assumed.push(lit);
            // An assumed atom is assigned anyway.
            let below = self.interest.below.get(lit.var().index());
            if below.is_some_and(|list| !list.is_empty()) {
                self.spread(lit.var(), scope);
            }
        }
    }

    fn spread(&mut self, root: Var, scope: u32) {
        self.interest.stack.push(root);
        while let Some(v) = self.interest.stack.pop() {
            self.interest.grow(v);
            let old = self.interest.level[v.index()];
            if old <= scope {
                continue;
            }
            self.interest.level[v.index()] = scope;
            // Interest of the outermost scope is permanent.
            if scope > 0 {
                self.interest.undo.push((v, old));
            }
            self.sat.theory.set_interest(v, true);
            let Interest { below, stack, .. } = &mut self.interest;
            stack.extend(&below[v.index()]);
        }
    }
}
