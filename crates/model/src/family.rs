//! Families of processes, and the variables that belong to each process.

use sectile_terms::Symbol;
use std::collections::BTreeMap;

/// Processes that run the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The name in the source.
    pub name: String,
    /// The indices of the processes: from the first to the last of them.
    pub range: (i64, i64),
}

/// A variable or a command as written in the source: `P[3].x`, `turn[2]`, `P[3].ask[2]` or `link[1,
/// 2]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// Its process, if any: the position of the family, and the index.
    pub process: Option<(usize, i64)>,
    /// Its name inside the process.
    pub name: String,
    /// Its own indices, if it is declared for index ranges.
    pub elements: Vec<i64>,
}

/// The families of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Families {
    /// The families, in the order of the source.
    pub list: Vec<Family>,
    /// The variables and constants with an index. Some of them may no longer be in the model.
    pub fields: BTreeMap<Symbol, Field>,
}

impl Family {
    /// The number of processes.
    pub fn size(&self) -> usize {
        let (first, last) = self.range;
        usize::try_from(last - first + 1).unwrap_or(0)
    }
}

impl Field {
    /// All indices, that of the process first.
    pub fn indices(&self) -> impl Iterator<Item = i64> {
        let process = self.process.map(|(_, index)| index);
        process.into_iter().chain(self.elements.iter().copied())
    }

    /// The name inside the process, with its own indices.
    pub fn own_name(&self) -> String {
        let elements: Vec<String> = self.elements.iter().map(i64::to_string).collect();
        match elements.is_empty() {
            true => self.name.clone(),
            false => format!("{}[{}]", self.name, elements.join(", ")),
        }
    }

    /// The same with other indices.
    pub fn with_indices(&self, image: impl Fn(i64) -> i64) -> Field {
        Field {
            process: self.process.map(|(family, index)| (family, image(index))),
            name: self.name.clone(),
            elements: self.elements.iter().map(|&e| image(e)).collect(),
        }
    }
}

impl Families {
    /// The field of a variable.
    pub fn field(&self, symbol: Symbol) -> Option<&Field> {
        self.fields.get(&symbol)
    }

    /// The first index of a variable: usually the process that it belongs to.
    pub fn index(&self, symbol: Symbol) -> Option<i64> {
        self.field(symbol)?.indices().next()
    }

    /// The variables by their fields.
    pub fn symbols(&self) -> BTreeMap<&Field, Symbol> {
        self.fields.iter().map(|(s, f)| (f, *s)).collect()
    }
}
