//! The names of a file and their meanings.

use crate::syntax::{Expr, Name};
use sectile_base::Int;
use sectile_model::LocationId;
use sectile_terms::{EnumId, Sort, Symbol, Term, Terms};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The declared names of a file.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The global names.
    pub entities: BTreeMap<Arc<str>, Entity>,
    pub processes: Vec<Process>,
    elements: BTreeMap<String, Symbol>,
    /// For each name, the enumerations with a value of this name, and its position.
    pub variants: BTreeMap<String, Vec<(EnumId, u32)>>,
    bounds: BTreeMap<Symbol, Bounds>,
    /// Whether there are records or channels.
    pub aggregates: bool,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Entity {
    /// An integer that is known when the file is read.
    Parameter(Int),
    /// A variable or a symbolic constant, or a family of them.
    Family(Family),
    Definition(Arc<Definition>),
    /// An uninterpreted function or predicate.
    Function(Symbol),
    /// A process, by its position among the processes.
    Process(usize),
    Type(EnumId),
    Location(LocationId),
    Aggregate(Arc<Aggregate>),
}

/// Several variables under one name. Those of a record `m` are families called `m.kind`.
#[derive(Clone, Debug)]
pub enum Aggregate {
    /// The names of the fields, with dots for fields of records inside.
    Record(Vec<Arc<str>>),
    Channel(Channel),
}

/// A channel. A bounded one has a length, and one slot for every message; an unbounded one has an
/// array, and the positions of the oldest message and after the newest one.
#[derive(Clone, Debug)]
pub struct Channel {
    pub capacity: Option<i64>,
    /// The variables of a slot, with their values in empty slots. If messages are not records,
    /// there is only one, with an empty name.
    pub held: Vec<(Arc<str>, Expr)>,
    /// For an unbounded channel, the minimum and maximum of each variable, if any: array elements
    /// have no ranges.
    pub ranges: Vec<(Option<Expr>, Option<Expr>)>,
}

/// Variables or constants that differ in their indices; a single one has no indices.
#[derive(Clone, Debug)]
pub struct Family {
    /// The ranges of the indices; those of the process come first.
    pub ranges: Vec<IndexRange>,
    /// The elements; the last index varies fastest.
    pub symbols: Vec<Symbol>,
}

/// The values of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    pub low: i64,
    /// The maximum; smaller than `low` if the range is empty.
    pub high: i64,
}

/// The minimum and maximum of a variable, if any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub low: Option<Int>,
    pub high: Option<Int>,
}

/// `define name(parameters) = body`.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: Name,
    pub parameters: Vec<Name>,
    /// The expression that it abbreviates.
    pub body: Expr,
}

/// A process with its indices and members.
#[derive(Clone, Debug)]
pub struct Process {
    pub name: Arc<str>,
    pub indices: Vec<Arc<str>>,
    pub ranges: Vec<IndexRange>,
    /// Its variables and definitions.
    pub members: BTreeMap<Arc<str>, Member>,
}

/// The meaning of a name inside of a process.
#[derive(Clone, Debug)]
pub enum Member {
    /// A variable of every instance; the indices of the process come first.
    Family(Family),
    Definition(Arc<Definition>),
    Aggregate(Arc<Aggregate>),
}

/// One instance of a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// The position of the process.
    pub process: usize,
    pub indices: Vec<i64>,
}

impl Bounds {
    /// The bounds of `nat`.
    pub fn natural() -> Bounds {
        Bounds {
            low: Some(Int::ZERO),
            high: None,
        }
    }

    /// The conditions that a value lies between the bounds.
    pub fn conditions(&self, terms: &Terms, value: Term) -> Vec<Term> {
        let number = |i: &Int| terms.number(i.into(), Sort::Int);
        let low = self.low.iter().map(|low| terms.ge(value, number(low)));
        let high = self.high.iter().map(|high| terms.le(value, number(high)));
        low.chain(high).collect()
    }
}

impl IndexRange {
    /// The number of values.
    pub fn count(self) -> u64 {
        match self.low > self.high {
            true => 0,
            false => self.high.abs_diff(self.low).saturating_add(1),
        }
    }

    /// Whether a value belongs to the range.
    pub fn contains(self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The number of elements of a family with these ranges.
pub fn count_elements(ranges: &[IndexRange]) -> u64 {
    let counts = ranges.iter().map(|r| r.count());
    counts.fold(1, u64::saturating_mul)
}

/// All choices of indices; the last one varies fastest. The caller must limit their number.
pub fn each_choice(ranges: &[IndexRange]) -> Vec<Vec<i64>> {
    combinations(ranges.iter().map(|r| r.low..=r.high))
}

/// All combinations of one element of each list; the last one varies fastest.
pub fn combinations<T: Clone, L: IntoIterator<Item = T> + Clone>(
    lists: impl Iterator<Item = L>,
) -> Vec<Vec<T>> {
    lists.fold(vec![Vec::new()], |found, list| {
        let longer = |prefix: Vec<T>| {
            let extended = list.clone().into_iter();
            extended.map(move |v| prefix.iter().cloned().chain([v]).collect())
        };
        found.into_iter().flat_map(longer).collect()
    })
}

/// The name of an element: `name[1,2]`. Without indices it is the name itself.
pub fn element_name(name: &str, indices: &[i64]) -> String {
    if indices.is_empty() {
        return name.to_string();
    }
    let list: Vec<String> = indices.iter().map(i64::to_string).collect();
    format!("{name}[{}]", list.join(","))
}

impl Family {
    /// A single variable or constant.
    pub fn single(symbol: Symbol) -> Family {
        Family {
            ranges: Vec::new(),
            symbols: vec![symbol],
        }
    }

    /// The element with these indices.
    pub fn element(&self, indices: &[i64]) -> Option<Symbol> {
        if indices.len() != self.ranges.len() {
            return None;
        }
        let mut position = 0;
        for (range, &index) in self.ranges.iter().zip(indices) {
            if !range.contains(index) {
                return None;
            }
            let offset = usize::try_from(index.abs_diff(range.low)).ok()?;
            let count = usize::try_from(range.count()).ok()?;
            position = position * count + offset;
        }
        self.symbols.get(position).copied()
    }
}

impl Names {
    /// Declares a global name; a second declaration replaces the first.
    pub fn declare(&mut self, name: &str, entity: Entity) {
        self.entities.insert(Arc::from(name), entity);
    }

    /// Declares a variable by its full name, such as `P[1].pc`.
    pub fn declare_element(&mut self, terms: &Terms, symbol: Symbol, bounds: Bounds) {
        let name = terms.name(symbol).to_string();
        self.elements.insert(name, symbol);
        if bounds != Bounds::default() {
            self.bounds.insert(symbol, bounds);
        }
    }

    /// The variable or constant with this full name.
    pub fn element(&self, name: &str) -> Option<Symbol> {
        self.elements.get(name).copied()
    }

    /// The bounds of a symbol.
    pub fn bounds(&self, symbol: Symbol) -> Bounds {
        self.bounds.get(&symbol).cloned().unwrap_or_default()
    }

    /// Declares the values of an enumeration.
    pub fn declare_variants(&mut self, terms: &Terms, id: EnumId) {
        for (k, variant) in terms.enum_info(id).variants.iter().enumerate() {
            let entry = self.variants.entry(variant.clone()).or_default();
            let position = u32::try_from(k).expect("an enumeration has fewer than 2^32 values");
            if !entry.contains(&(id, position)) {
                entry.push((id, position));
            }
        }
    }

    /// The enumerations with a value of this name, and its position.
    pub fn variants(&self, name: &str) -> &[(EnumId, u32)] {
        self.variants.get(name).map_or(&[], Vec::as_slice)
    }
}

/// An enumeration with these values: an existing one of the store, or a new one.
///
/// Equal lists of values are the same type. A new enumeration is named `hint`, with a number added
/// if the name is taken.
pub fn enumeration(terms: &Terms, hint: &str, variants: &[String]) -> EnumId {
    let same = |id: &EnumId| terms.enum_info(*id).variants == variants;
    if let Some(id) = terms.enums().find(same) {
        return id;
    }
    let free = |name: &str| terms.enums().all(|id| terms.enum_info(id).name != name);
    terms.declare_enum(&free_name(hint, "", free), variants)
}

/// The hint, with the smallest number from 2 on appended if it is not free.
pub fn free_name(hint: &str, separator: &str, mut is_free: impl FnMut(&str) -> bool) -> String {
    let numbered = (2..).map(|k| format!("{hint}{separator}{k}"));
    let mut candidates = std::iter::once(hint.to_string()).chain(numbered);
    let found = candidates.find(|name| is_free(name));
    found.expect("there are more numbers than names")
}
