//! `sectile solidity`: the model checker of the Solidity compiler, with Sectile as its Horn solver.
//!
//! | step | where |
//! |---|---|
//! | the compiler is found and run | `compiler.rs`, `compile.js`, `native.rs` |
//! | its clauses are decided | `query.rs` |
//! | derivations become transactions | `transactions.rs` |
//! | findings in words | `findings.rs` |

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
