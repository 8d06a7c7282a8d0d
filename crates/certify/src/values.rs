//! Values as numbers, so that states are short lists that compare quickly.

use crate::plan::Function;
use rustc_hash::FxHashMap;
use sectile_terms::{Terms, Value};

/// The number of a value. Equal values have equal numbers.
pub type Code = u32;

/// All values so far.
pub struct Values<'s> {
    pub terms: &'s Terms,
    list: Vec<Value>,
    codes: FxHashMap<Value, Code>,
}

impl<'s> Values<'s> {
    /// No values yet.
    pub fn new(terms: &'s Terms) -> Values<'s> {
        Values {
            terms,
            list: Vec::new(),
            codes: FxHashMap::default(),
        }
    }

    /// The number of a value.
    pub fn code(&mut self, value: Value) -> Code {
        let next = Code::try_from(self.list.len()).expect("there are fewer than 2^32 values");
        let list = &mut self.list;
        *self.codes.entry(value).or_insert_with_key(|value| {
            list.push(value.clone());
            next
        })
    }

    /// The value of a number.
    pub fn value(&self, code: Code) -> &Value {
        &self.list[code as usize]
    }

    /// Executes assignments, none of which reads the target of another one.
    pub fn assign(&mut self, updates: &mut [(usize, Function)], frame: &mut [Code]) -> Option<()> {
        for (slot, function) in updates {
            frame[*slot] = function.value(self, frame)?;
        }
        Some(())
    }
}
