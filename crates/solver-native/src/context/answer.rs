//! Models and cores.

use super::NativeSolver;
use sectile_base::Rat;
use sectile_solver::{ModelView, RefutationView};
use sectile_terms::{Sort, Stage, Symbol, Term, Value};

impl NativeSolver<'_> {
    pub(super) fn numeric_value(&self, variable: Term, sort: Sort) -> Option<Value> {
        let expansion = self.leaves.get(&variable)?;
        let (v, _) = expansion.monomials.first()?;
        let arith = &self.sat.theory;
        let delta: &Rat = self.delta.get_or_init(|| arith.concrete_delta());
        let value = arith.concrete_value(*v, delta);
        Some(match sort {
            Sort::Int => Value::Int(value.numer()),
            _ => Value::Real(value),
        })
    }

    pub(super) fn enum_value(&self, variable: Term, sort: Sort) -> Option<Value> {
        let Sort::Enum(id) = sort else { return None };
        let list = self.enum_values.get(&variable)?;
        let holds = |wanted: Option<bool>| {
            list.iter()
                .position(|lit| lit.and_then(|l| self.sat.value(l)) == wanted)
        };
        // Without a value that is true, any value that is not excluded will do.
        let k = holds(Some(true)).or_else(|| holds(None))?;
        Some(Value::Enum(id, k as u32))
    }
}

impl ModelView for NativeSolver<'_> {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        let variable = self.terms.var_at(symbol, stage);
        match self.terms.sort(variable) {
            Sort::Bool => {
                let lit = self.literals.get(variable.index())?;
                self.sat.value(lit).map(Value::Bool)
            }
            sort @ (Sort::Int | Sort::Real) => self.numeric_value(variable, sort),
            sort @ Sort::Enum(_) => self.enum_value(variable, sort),
            Sort::Array(_) => self.arrays.value(variable).cloned(),
        }
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
