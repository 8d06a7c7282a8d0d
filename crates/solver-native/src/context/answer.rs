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

impl RefutationView for NativeSolver<'_> {
    fn core(&self) -> Vec<Term> {
        let core = self.sat.core();
        let mut found = Vec::new();
        for (i, (t, lit)) in self.assumed.iter().enumerate() {
            let repeated = self.assumed[..i].iter().any(|(_, l)| l == lit);
            if !repeated && core.contains(lit) {
                found.push(*t);
            }
        }
        found
    }
}
