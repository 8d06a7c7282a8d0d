//! VMT-LIB: transition systems in annotated SMT-LIB, documented in `docs/format/vmt.md`.
//!
//! Only annotated terms matter: `:next` pairs a variable with its next value, `:init` and `:trans`
//! mark the initial condition and the transition relation, `:invar-property` an invariant,
//! `:live-property` what holds from some time on. Variables without a next value are inputs.

mod annotations;
mod system;

use crate::chc::{DIALECT, names, no_parameters};
use crate::elaborate::NamedScope;
use crate::{Frontend, ReadOptions, Reading};
use sectile_base::{Diagnostics, Source};
use sectile_model::Module;
use sectile_terms::Terms;

/// VMT-LIB.
pub struct Vmt;

impl Frontend for Vmt {
    fn name(&self) -> &'static str {
        "vmt"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["vmt"]
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        no_parameters(options, "VMT files", &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let parts = annotations::read(terms, source)?;
        let (system, properties) = system::build(terms, crate::imp::stem(source.name()), parts)?;
        let names = names(terms, &system.variables);
        Ok(Reading {
            module: Module {
                model: system,
                properties,
                parameters: Vec::new(),
                expectations: Vec::new(),
                state_spaces: Vec::new(),
                contracts: None,
            },
            scope: Box::new(NamedScope::new(names, DIALECT)),
            warnings: diagnostics,
        })
    }
}
