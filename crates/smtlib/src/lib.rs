//! SMT-LIB: s-expressions, commands, and the printer and parser of terms.
//!
//! - [`read`] parses a text into an arena of s-expressions, [`Balance`] finds them in a stream;
//! - [`read_script`] turns them into commands, [`declare`] executes declarations;
//! - [`print_term`] and [`parse_term`] translate terms, sharing sub-terms by `let`;
//! - [`Vocabulary`] tracks the declarations that were sent to a solver, [`script`] writes whole
//!   queries.
//!
//! Printing and parsing a term gives the same term, except that `abs`, `min` and `max` become
//! conditionals. Values of enumerations are printed as integers; in a scope with their variables
//! they come back as values. [`naming`] describes the names of variables.
//!
//! No function here recurses on the depth of terms or texts. [`export`] writes whole models for
//! other tools.

mod balance;
mod command;
mod declare;
pub mod export;
pub mod naming;
mod operators;
mod parse;
mod print;
mod reader;
mod scope;
mod sexp;
mod sharing;
mod vocabulary;

pub use balance::Balance;
pub use command::{Command, CommandKind, Script, read_command, read_script};
pub use declare::{declare, refuse_second_sort};
pub use naming::quote;
pub use parse::{
    Extension, Quantifier, annotations, parse_extended, parse_sort, parse_term, parse_term_of,
};
pub use print::{print_number, print_sort, print_term, print_value, print_variable, range};
pub use reader::read;
pub use scope::{Meaning, Scope, Undeclared};
pub use sexp::{Atom, Sexp, Tree, View};
pub use vocabulary::{Logic, NotPortable, Vocabulary, check_portable, declaration, script};
