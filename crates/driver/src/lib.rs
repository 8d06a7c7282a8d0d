//! From a file to a verdict.
//!
//! [`load()`], of the crate of front-ends, reads a file. [`check()`] runs engines on its
//! properties, translates their certificates back through the passes and has each one checked
//! before a verdict leaves. The registries of front-ends, engines and solvers are lists in
//! [`registry`]: adding one is one line.

pub mod certificates;
pub mod check;
pub mod classify;
mod lower;
pub mod portfolio;
pub mod registry;
mod session;
pub mod small;
mod tables;
mod worker;

pub use check::{BadRequest, CheckOptions, Checked, Progress, check, check_each};
pub use sectile_frontend::input::InputError;
pub use sectile_frontend::load::{
    Loaded, load, load_for_termination, load_text, load_text_for_termination, load_text_with,
};
pub use tables::{Attempt, EQUATIONS, LIFTED, PLAIN_PROVER, PROVERS, READABLE};
pub use worker::panic_text;
