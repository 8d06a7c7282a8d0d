//! `sectile solidity`: the model checker of the Solidity compiler, with Sectile as its Horn solver.
//!
//! | step | where |
//! |---|---|
//! | finding and running the compiler | `compiler.rs`, `compile.js`, `native.rs` |
//! | deciding its clauses | `query.rs` |
//! | transactions from derivations | `transactions.rs` |
//! | the report on findings | `findings.rs` |

mod compiler;
mod findings;
mod native;
pub mod query;
mod transactions;

use crate::args::SolidityArgs;
use crate::exit::Exit;
use crate::output;
use findings::Findings;
use std::path::Path;

/// Runs the command.
pub fn run(args: &SolidityArgs) -> anyhow::Result<Exit> {
    let answer = compiler::run(args)?;
    let folder = Path::new(&args.file).parent().unwrap_or(Path::new(""));
    let findings = Findings::of(&answer, folder);
    output::result(&findings.text());
    Ok(findings.exit())
}
