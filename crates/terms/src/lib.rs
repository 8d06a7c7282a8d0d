//! Terms: the language in which systems, properties, queries and certificates are written.
//!
//! A [`Term`] is a `Copy` index into a [`Terms`] store, which only grows and is used through
//! `&Terms`. Equal terms have the same index. Terms belong to the store, not to a solver: solvers
//! translate them.
//!
//! Construction normalises locally, so that later stages see few shapes:
//!
//! - numeric terms are linear sums ([`Linear`]) over variables and a few operators;
//! - arithmetic atoms are `t = 0`, `t <= 0` and (for reals) `t < 0`, where `t` has coprime
//!   integer coefficients and a positive leading one. `x >= 3` over the integers is therefore
//!   `not (x - 2 <= 0)`: a bound and its complement are one atom with two signs;
//! - integer atoms are tightened: `2*x <= 5` becomes `x - 2 <= 0`, `2*x = 5` becomes `false`;
//! - conjunctions and disjunctions keep the order in which they were written, without repetitions
//!   and complements. Short ones inside a longer one are merged into it.
//!
//! Rebuilding a term from its own arguments gives the same term. Builders do not relate the parts
//! of a formula to each other; [`Terms::simplify`] does, for readers of the result.
//!
//! No function here recurses on the depth of a term, and none is quadratic in it.

mod arith;
mod atom;
mod blocks;
mod boolean;
mod copy;
mod eval;
mod function;
mod linear;
mod names;
mod native;
mod node;
mod simplify;
mod sorts;
mod store;
mod term_map;
mod traverse;

pub use copy::{Copier, Different};
pub use eval::{EvalError, Valuation, evaluate};
pub use linear::Linear;
pub use names::native_name;
pub use native::NativePrinter;
pub use node::{Node, Term};
pub use sorts::{
    ArrayId, ArrayValue, EnumId, EnumInfo, Sort, Syntax, Value, display_sort, display_value,
};
pub use store::{Mark, NameTaken, Stage, Symbol, SymbolKind, Terms};
pub use traverse::{Rewriter, Substitution};
