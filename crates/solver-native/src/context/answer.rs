//! Models and cores.

use super::NativeSolver;
use crate::theory;
use sectile_solver::{ModelView, RefutationView};
use sectile_terms::{Stage, Symbol, Term, Value};

impl ModelView for NativeSolver<'_> {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        theory::value(self, self.terms.var_at(symbol, stage))
    }
}

impl NativeSolver<'_> {
    /// The positions of the assumptions in the last core, each literal once.
    pub(super) fn core_positions(&self) -> Vec<usize> {
        let core = &self.sat.core;
        let lit = |i: usize| self.assumed[i].1;
        let is_new = |i: usize| (0..i).all(|j| lit(j) != lit(i));
        let all = 0..self.assumed.len();
        all.filter(|&i| core.contains(&lit(i)) && is_new(i))
            .collect()
    }
}

impl RefutationView for NativeSolver<'_> {
    fn core(&self) -> Vec<Term> {
        let core = self.core_positions();
        core.into_iter().map(|i| self.assumed[i].0).collect()
    }
}
