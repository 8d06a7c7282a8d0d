//! All tests of this crate in one program, so that only one is linked.

mod bdd;
mod evidence;
mod fair_linear;
mod infinite;
mod liveness;
mod liveness_zoo;
mod pictures;
mod plans;
mod poly_graphs;
mod poly_random;
mod poly_sets;
mod random;
mod runs;
mod symmetric_systems;
mod symmetry;
mod zoo;
