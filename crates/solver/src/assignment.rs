//! Satisfying assignments as values.

use sectile_terms::{Stage, Symbol, Valuation, Value};
use std::collections::BTreeMap;

/// A satisfying assignment that outlives the solver that found it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    values: BTreeMap<(Symbol, Stage), Value>,
}

impl Assignment {
    /// Sets the value of a variable.
    pub fn set(&mut self, symbol: Symbol, stage: Stage, value: Value) {
        self.values.insert((symbol, stage), value);
    }

    /// The value of a variable.
    pub fn get(&self, symbol: Symbol, stage: Stage) -> Option<&Value> {
        self.values.get(&(symbol, stage))
    }

    /// All values, in the order of their variables.
    pub fn iter(&self) -> impl Iterator<Item = (&(Symbol, Stage), &Value)> {
        self.values.iter()
    }
}

impl Valuation for Assignment {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        self.get(symbol, stage).cloned()
    }
}

impl crate::ModelView for Assignment {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        self.get(symbol, stage).cloned()
    }
}
