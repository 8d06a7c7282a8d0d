//! Systems as guarded assignments over explicit control and sets of numbers.
//!
//! Discrete variables have one value each; the numbers are described by a set of a domain: zones or
//! polyhedra. Commands are split into cases without disjunctions, each with tests of discrete
//! variables, constraints, and one simultaneous assignment.
//!
//! | what | where |
//! |---|---|
//! | formulas as cubes | [`cubes`] |
//! | systems, commands as cases | [`program`], [`command`] |
//! | images and preimages | `steps` |
//! | concrete runs | [`run`] |

pub mod command;
pub mod cubes;
pub mod program;
pub mod run;
pub mod steps;
