//! The front-end for VMT-LIB: transition systems in annotated SMT-LIB, documented in
//! `docs/format/vmt.md`.
//!
//! Only annotated terms matter: `:next` pairs a variable with its next value, `:init` and `:trans`
//! mark the initial condition and the transition relation, `:invar-property` an invariant,
//! `:live-property` a condition that holds from some time on, `:ltl-property` an LTL formula.
//! Variables without a next value are inputs.

mod annotations;
mod system;
mod temporal;

use crate::chc::{DIALECT, names};
use crate::linear::declare_added;
use crate::{Frontend, Info, ReadOptions, Reading};
use sectile_base::{Diagnostics, Source};
use sectile_terms::Terms;

/// The front-end for VMT-LIB.
pub struct Vmt;

impl Frontend for Vmt {
    fn info(&self) -> Info {
        Info {
            name: "vmt",
            ending: "vmt",
            texts: "VMT files",
            ..Info::default()
        }
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        _options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let parts = annotations::read(terms, source)?;
        let built = system::build(terms, crate::imp::stem(source.name()), parts)?;
        let model = built.model;
        let known = [&model.variables[..], &model.rigid].concat();
        let mut names = names(terms, &known);
        declare_added(terms, &mut names, &[], &built.monitors);
        let properties = built.properties;
        Ok(Reading::new(
            model,
            properties,
            names,
            DIALECT,
            Diagnostics::new(),
        ))
    }
}
