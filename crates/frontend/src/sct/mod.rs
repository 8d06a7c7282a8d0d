//! The front-end for the native language, `.sct`.
//!
//! The reference is `docs/format/sct.md`. A text goes through these stages:
//!
//! | stage | file |
//! |---|---|
//! | text to declarations | `parse.rs`, `ast.rs` |
//! | the order in which declarations are processed | `read.rs` |
//! | parameters, enumerations, definitions, processes | `declare.rs` |
//! | records and channels as plain variables | `aggregates.rs`, `channels.rs` |
//! | variables, constants, clocks and their types | `symbols.rs` |
//! | commands and relations to parts of steps | `commands.rs`, `actions.rs`, `assignments.rs` |
//! | frames, synchronous composition, clocks | `compose.rs` |
//! | expectations of the author | `../header.rs` |
//! | back to text | [`print_module`] |
//! | counters in place of processes | [`counter_system`] |

mod actions;
mod aggregates;
mod assignments;
mod ast;
mod channels;
mod commands;
mod compose;
mod counters;
mod declare;
mod fair;
mod outline;
mod parse;
mod print;
mod read;
mod scheme;
mod symbols;

pub use counters::{CounterSystem, counter_system};
pub use print::{print_ctl, print_module};
pub use scheme::{scheme, scheme_formula};

use crate::format::{Form, format};
use crate::outline::Outline;
use crate::{Frontend, Info, ReadOptions, Reading, stop_at_errors};
use sectile_base::{Diagnostics, Source};
use sectile_terms::Terms;

/// The front-end for the native language.
pub struct Sct;

impl Frontend for Sct {
    fn info(&self) -> Info {
        Info {
            name: "sct",
            ending: "sct",
            texts: "systems",
            parameters: true,
            ..Info::default()
        }
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        read::read(terms, source, options)
    }

    fn format(&self, source: &Source) -> Option<Result<String, Diagnostics>> {
        let mut text = parse::parse(source);
        let form = Form {
            language: parse::DIALECT.into(),
            starts: text.starts,
            labels: false,
        };
        let sound = stop_at_errors(&mut text.diagnostics);
        Some(sound.map(|()| format(source, &form)))
    }

    fn outline(&self, source: &Source) -> Option<Outline> {
        Some(outline::outline(source))
    }
}
