//! Reading text: tokens, expressions and the parser that the input languages share.
//!
//! A language makes a [`Parser`] with its [`Dialect`] and reads its own declarations or statements
//! with it; expressions are read by [`Parser::expression`] and, with temporal operators,
//! by [`Parser::temporal_formula`]. Nothing here knows what a name means: that is the business of
//! [`elaborate`](crate::elaborate).
//!
//! The tree of an expression is never deeper than [`NESTING`] brackets and prefix operators: long
//! chains of one operator are one node. Deeper input is refused, so that nobody has to think about
//! the stack afterwards.

mod ast;
mod atom;
mod expression;
mod lexer;
mod parser;
mod token;

pub use ast::{
    Access, Binder, Builtin, Call, Comparison, Connective, Expr, ExprKind, Factor, IndexType, Name,
    NumberKind, Quantified, Quantifier, Reference, Sign, Temporal,
};
pub use atom::misplaced_prime;
pub use lexer::Lexer;
pub use parser::{NESTING, Parser, Reported};
pub use token::{Dialect, Token, TokenKind, Word, is_identifier};
