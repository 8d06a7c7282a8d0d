//! The input languages.
//!
//! A [`Frontend`] reads a source text into a [`Module`] and keeps its [`Scope`], in which further
//! texts (predicates, invariants, certificates) are read later with the names of the file. All
//! mistakes of a text are collected as diagnostics with their places.
//!
//! | module | what |
//! |---|---|
//! | `syntax` | tokens, expressions, the parser that all languages share |
//! | `elaborate` | names and types: from expressions to terms |
//! | `format` | the formatter |
//! | [`outline`] | declarations and uses of names, for editors |
//! | [`sct`] | the native language, documented in `docs/format/sct.md` |
//! | [`imp`] | the while language, documented in `docs/format/imp.md` |
//! | [`boogie`] | Boogie programs, documented in `docs/format/boogie.md` |
//! | [`chc`] | constrained Horn clauses, documented in `docs/format/chc.md` |
//! | [`vmt`] | VMT-LIB, documented in `docs/format/vmt.md` |
//!
//! [`input`] reads the files, [`load`] has what they say together with its terms.
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

/// What the user says besides the file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Values of parameters, `-D NAME=VALUE`, as typed.
    pub parameters: Vec<(String, String)>,
    /// Whether the question is if all runs end: then nothing may be left out because it cannot fail.
    pub termination: bool,
    /// Whether nothing is fair, whatever the file says: there are more paths then.
    pub unfair: bool,
}

/// A file that was understood.
pub struct Reading {
    /// What it says.
    pub module: Module,
    /// Its names, for reading further texts.
    pub scope: Scope,
    /// What it probably does not mean.
    pub warnings: Diagnostics,
    /// The arguments of the predicates of Horn clauses, where they have types that ours do not.
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

    /// Adds what the header comments say.
    fn with_headers(mut self, source: &Source, comments: &[Span]) -> Reading {
        header::read(source, comments, &mut self.module, &mut self.warnings);
        self
    }
}

/// Gives up where there are errors.
fn stop_at_errors(diagnostics: &mut Diagnostics) -> Result<(), Diagnostics> {
    match diagnostics.has_errors() {
        true => Err(std::mem::take(diagnostics)),
        false => Ok(()),
    }
}

/// What is known of an input language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Info {
    /// The name by which users choose it.
    pub name: &'static str,
    /// The ending of its files, without the dot.
    pub ending: &'static str,
    /// What its texts are called in messages.
    pub texts: &'static str,
    /// Whether its texts may have parameters, `-D NAME=VALUE`.
    pub parameters: bool,
    /// Whether bytes that are no UTF-8 may stand in comments.
    pub other_encodings: bool,
    /// Whether its users ask for `sat` and `unsat` instead of the verdicts of properties.
    pub satisfiability: bool,
}

/// An input language.
pub trait Frontend: Sync {
    /// What is known of the language without reading a text.
    fn info(&self) -> Info;

    /// Reads a text. All its mistakes are given where there are any.
    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics>;

    /// What a text declares and where its names are used, where editors can be told.
    fn outline(&self, source: &Source) -> Option<Outline> {
        let _ = source;
        None
    }

    /// A text in its usual form, where the language has one. Only blanks and line ends change.
    fn format(&self, source: &Source) -> Option<Result<String, Diagnostics>> {
        let _ = source;
        None
    }
}

/// All input languages.
pub fn frontends() -> &'static [&'static dyn Frontend] {
    &[&sct::Sct, &imp::Imp, &boogie::Boogie, &chc::Chc, &vmt::Vmt]
}
