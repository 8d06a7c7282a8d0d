//! The registry of engines and solvers. Front-ends register in their own crate.

use crate::check::BadRequest;
use sectile_engine::Engine;
use sectile_engine_ctl::{CtlZones, DecisionDiagrams, Plans, Poly};
use sectile_engine_horn::{Horn, Spacer, Trees};
use sectile_engine_induction::{Bmc, KInduction, Layers, PdKind};
use sectile_engine_kojak::{Elim, Impact, Kojak};
use sectile_engine_partial::Partial;
use sectile_engine_pdr::Pdr;
use sectile_engine_predabs::PredAbs;
use sectile_engine_slab::Slab;
use sectile_explicit::{Explicit, Walk};
use sectile_solver::Backend;
use sectile_solver_native::interpolate::Method;
use sectile_solver_native::{NativeBackend, TunedBackend};
use sectile_solver_process::{ProcessBackend, custom, dialect};

/// All engines, in the order in which `sectile engines` lists them.
pub fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(Explicit),
        Box::new(DecisionDiagrams),
        Box::new(Bmc),
        Box::new(KInduction),
        Box::new(PdKind),
        Box::new(Slab),
        Box::new(Kojak),
        Box::new(Impact),
        Box::new(Horn),
        Box::new(Spacer),
        Box::new(Trees),
        Box::new(Elim),
        Box::new(PredAbs),
        Box::new(Pdr),
        Box::new(Layers),
        Box::new(CtlZones),
        Box::new(Poly),
        Box::new(Plans),
        Box::new(partial()),
        Box::new(Walk),
    ]
}

/// Partial abstraction, with the engines that can decide abstract systems.
pub fn partial() -> Partial {
    Partial::new(vec![Box::new(CtlZones), Box::new(Poly)])
}

/// The engine with this name.
pub fn engine(name: &str) -> Option<Box<dyn Engine>> {
    engines().into_iter().find(|e| e.info().name == name)
}

/// The embedded solver with a choice of interpolation methods, which other solvers do not offer.
pub fn tuned_backend(text: &str, method: Method) -> Result<Box<dyn Backend>, BadRequest> {
    if text != "native" {
        return Err(BadRequest(format!(
            "--interpolation is about the embedded solver; it cannot be used with --solver {text}"
        )));
    }
    Ok(Box::new(TunedBackend(method)))
}

/// The solver for `--solver TEXT`: `native`, `z3`, `cvc5`, or a command line.
///
/// A process may use `memory` bytes; the embedded solver is part of our own process.
pub fn backend(text: &str, memory: Option<u64>) -> Result<Box<dyn Backend>, BadRequest> {
    if text == "native" {
        return Ok(Box::new(NativeBackend));
    }
    let found = match dialect(text) {
        Some(known) => known,
        None => custom(text).map_err(|e| BadRequest(e.to_string()))?,
    };
    let mut backend = ProcessBackend::new(found);
    if let Some(bytes) = memory {
        backend = backend.with_memory(bytes);
    }
    match backend.find_program() {
        Ok(_) => Ok(Box::new(backend)),
        Err(missing) => Err(BadRequest(missing.to_string())),
    }
}
