//! Sorts of terms.

/// Names an enumeration declared in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub(crate) u32);

/// Names an array sort declared in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub(crate) u32);

/// What kind of values a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Unbounded integers.
    Int,
    /// Exact reals (all values that arise are rational).
    Real,
    /// A finite enumeration.
    Enum(EnumId),
    /// Arrays from an index sort to an element sort.
    Array(ArrayId),
}

impl Sort {
    /// Whether terms of this sort can be added and compared.
    pub fn is_numeric(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }
}

/// A declared enumeration: its name and its variants in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumInfo {
    /// The name of the enumeration.
    pub name: String,
    /// The names of its values, in order.
    pub variants: Vec<String>,
}
