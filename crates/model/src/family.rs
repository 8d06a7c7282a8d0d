//! Families of processes: which variable is which field of which process.

use sectile_terms::Symbol;
use std::collections::BTreeMap;

/// Processes that run the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// What the source calls them.
    pub name: String,
    /// The indices of the processes: from the first to the last of them.
    pub range: (i64, i64),
}

/// A variable of a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// The position of the family.
    pub family: usize,
    /// The index of the process.
    pub index: i64,
    /// What the source calls the variable inside the process.
    pub name: String,
}

/// The families of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Families {
    /// The families, in the order of the source.
    pub list: Vec<Family>,
    /// The variables of processes.
    pub fields: BTreeMap<Symbol, Field>,
}

impl Family {
    /// How many processes there are.
    pub fn size(&self) -> usize {
        let (first, last) = self.range;
        usize::try_from(last - first + 1).unwrap_or(0)
    }
}

impl Families {
    /// Which field of which process a variable is.
    pub fn field(&self, symbol: Symbol) -> Option<&Field> {
        self.fields.get(&symbol)
    }
}
