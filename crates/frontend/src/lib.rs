//! The front-ends for all input languages.
//!
//! A [`Frontend`] reads a source text into a [`Module`] and provides its [`Scope`], in which
//! further texts (predicates, invariants, certificates) are read later with the names of the file.
//! All errors in a text are collected as diagnostics with their positions.
//!
//! | module | what |
//! |---|---|
//! | `syntax` | tokens, expressions, and the parser shared by all languages |
//! | `elaborate` | names and types: elaborates expressions to terms |
//! | `format` | the formatter |
//! | [`outline`] | declarations and uses of names, for editors |
//! | [`sct`] | the native language, documented in `docs/format/sct.md` |
//! | [`imp`] | the while language, documented in `docs/format/imp.md` |
//! | [`boogie`] | Boogie programs, documented in `docs/format/boogie.md` |
//! | [`chc`] | constrained Horn clauses, documented in `docs/format/chc.md` |
//! | [`vmt`] | VMT-LIB, documented in `docs/format/vmt.md` |
//!
//! [`input`] reads files; [`load`] combines the contents of a file with the store of its terms.
//!
//! A new language is a new module with a [`Frontend`], and one line in [`frontends`].

pub mod boogie;
pub mod certificate;
mod certificate_ctl;
mod certificate_diagram;
mod certificate_unrolled;
pub mod chc;
mod elaborate;
mod format;
mod header;
pub mod imp;
pub mod input;
mod linear;
pub mod load;
mod messages;
pub mod outline;
mod parameters;
pub mod sct;
mod syntax;
pub mod vmt;

pub use crate::elaborate::Scope;

use crate::elaborate::Names;
use crate::outline::Outline;
use crate::syntax::Dialect;
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::{Model, Module, Property};
use sectile_smtlib::export::Signature;
use sectile_terms::Terms;

/// Options for reading a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Values of parameters, `-D NAME=VALUE`, as typed.
    pub parameters: Vec<(String, String)>,
    /// Whether to prove termination: then nothing may be omitted because it cannot fail.
    pub termination: bool,
    /// Whether to ignore fairness assumptions in the file, which gives more paths.
    pub unfair: bool,
}

/// The result of reading a file.
pub struct Reading {
    /// The contents.
    pub module: Module,
    /// The names, for reading further texts.
    pub scope: Scope,
    /// Warnings.
    pub warnings: Diagnostics,
    /// The arguments of the predicates of Horn clauses, if their types differ from ours.
    pub signatures: Vec<Signature>,
}

impl Reading {
    /// A model without parameters.
    fn new(
        model: Model,
        properties: Vec<Property>,
        names: Names,
        dialect: Dialect,
        warnings: Diagnostics,
    ) -> Reading {
        Reading {
            module: Module {
                model,
                properties,
                parameters: Vec::new(),
                expectations: Vec::new(),
                state_spaces: Vec::new(),
            },
            scope: Scope { names, dialect },
            warnings,
            signatures: Vec::new(),
        }
    }

    /// Adds the contents of the header comments.
    fn with_headers(mut self, source: &Source, comments: &[Span]) -> Reading {
        header::read(source, comments, &mut self.module, &mut self.warnings);
        self
    }
}

/// Fails if there are errors.
fn stop_at_errors(diagnostics: &mut Diagnostics) -> Result<(), Diagnostics> {
    match diagnostics.has_errors() {
        true => Err(std::mem::take(diagnostics)),
        false => Ok(()),
    }
}

/// A description of an input language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Info {
    /// Its name on the command line.
    pub name: &'static str,
    /// The extension of its files, without the dot.
    pub ending: &'static str,
    /// The plural noun for its texts in messages.
    pub texts: &'static str,
    /// Whether its texts may have parameters, `-D NAME=VALUE`.
    pub parameters: bool,
    /// Whether comments may contain bytes that are not UTF-8.
    pub other_encodings: bool,
    /// Whether its users expect `sat` and `unsat` instead of verdicts about properties.
    pub satisfiability: bool,
}

/// The front-end for an input language.
pub trait Frontend: Sync {
    /// The description of the language.
    fn info(&self) -> Info;

    /// Reads a text; returns all errors if there are any.
    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics>;

    /// The declarations of a text and the uses of its names, if editors are supported.
    fn outline(&self, source: &Source) -> Option<Outline> {
        let _ = source;
        None
    }

    /// The formatted text, if the language has a formatter. Only blanks and line ends change.
    fn format(&self, source: &Source) -> Option<Result<String, Diagnostics>> {
        let _ = source;
        None
    }
}

/// All input languages.
pub fn frontends() -> &'static [&'static dyn Frontend] {
    &[&sct::Sct, &imp::Imp, &boogie::Boogie, &chc::Chc, &vmt::Vmt]
}
