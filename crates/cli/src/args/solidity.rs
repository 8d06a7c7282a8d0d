//! Arguments of `solidity` and of the query that it calls.

use clap::Args;
use sectile_base::quantity::{bytes, duration};
use std::time::Duration;

/// Arguments of `solidity`.
#[derive(Args, Debug)]
pub struct SolidityArgs {
    /// The contracts
    pub file: String,
    /// Time for each check
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub timeout: Duration,
    /// Memory for each check
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "4GiB")]
    pub memory: u64,
    /// What to check, such as assert, overflow, underflow, divByZero, outOfBounds, popEmptyArray,
    /// balance or constantCondition [default: what the compiler checks]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub targets: Vec<String>,
    /// A folder with `node_modules`, in addition to those near the file and the current folder
    #[arg(long, value_name = "DIR")]
    pub packages: Vec<String>,
    /// The compiler as an executable, instead of the npm package
    #[arg(long, value_name = "PROGRAM")]
    pub solc: Option<String>,
    /// The program that runs the compiler's npm package
    #[arg(long, value_name = "PROGRAM", default_value = "node")]
    pub node: String,
}

/// Arguments of `solidity-query`.
#[derive(Args, Debug)]
pub struct QueryArgs {
    /// The time limit
    #[arg(long, value_parser = duration)]
    pub timeout: Duration,
    /// The memory limit
    #[arg(long, value_parser = bytes)]
    pub memory: u64,
}
