//! Arguments of `generate`.

use clap::Args;

/// Arguments of `generate`.
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub programs: u32,
    /// The seed of all choices; the same seed gives the same programs
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// The folder to write them to, as random-000.bpl and so on; a single program may also go to
    /// standard output
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<String>,
}
