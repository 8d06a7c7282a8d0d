//! What there is: engines and solvers. Front-ends register in their own crate.

use sectile_engine::Engine;
use sectile_engine_induction::{Bmc, KInduction};
use sectile_explicit::ExplicitEngine;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_solver_process::ProcessBackend;

/// All engines, in the order in which `sectile engines` lists them.
pub fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(ExplicitEngine),
        Box::new(Bmc),
        Box::new(KInduction),
    ]
}

/// The engine with this name.
pub fn engine(name: &str) -> Option<Box<dyn Engine>> {
    engines().into_iter().find(|e| e.info().name == name)
}

/// The solver that `--solver TEXT` means: `native`, `z3`, `cvc5`, or a command line.
pub fn backend(text: &str) -> Box<dyn Backend> {
    match text {
        "native" => Box::new(NativeBackend),
        _ => Box::new(ProcessBackend::from_text(text)),
    }
}
