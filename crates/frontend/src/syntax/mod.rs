//! Reading text: tokens, expressions and the parser that the input languages share.
//!
//! A [`Language`] is a set of tables: keywords, operators, comments, literals. The native language,
//! the while language and formulas about all models are [`Dialect`]s of one another; Boogie has
//! tables of its own. A language makes a [`Parser`] and reads its declarations or statements with
//! it; expressions are read by [`Parser::expression`] and, with temporal operators, by
//! [`Parser::temporal_formula`]. What names mean is decided in [`elaborate`](crate::elaborate).
//!
//! The tree of an expression is never deeper than a fixed number of brackets and prefix operators:
//! long chains of one operator are one node. Deeper input is refused, so that later passes may
//! recurse.

mod ast;
mod atom;
mod expression;
mod language;
mod lexer;
mod parser;

pub use crate::messages::Reported;
pub use ast::{
    Access, Arm, Binder, Builtin, Call, Claim, ClaimKind, Comparison, Connective, Construct, Expr,
    ExprKind, Factor, Name, NumberKind, Quantified, Quantifier, Reference, Sign, Temporal,
    TypeItem, Unbounded,
};
pub use atom::{INDICES_HELP, misplaced_prime};
pub use language::{Dialect, Help, Language, Level, Literals, Operator};
pub use lexer::{Lexer, Token, TokenKind};
pub use parser::{Parsed, Parser, describe};
