//! Tools shared by the tests of several crates. Only ever a dev-dependency.
//!
//! | what | where |
//! |---|---|
//! | files of the project and beside it, optional programs | [`files`] |
//! | models read from the zoo or from a text | [`models`] |
//! | running engines, and checking their claims | [`verdicts`] |
//! | random program graphs, engines compared with explicit search on them | [`programs`] |
//! | random systems with CTL formulas, and damaged evidence | [`systems`] |
//! | random systems as texts | [`texts`] |
//! | checks through the whole driver (feature `driver`) | [`driven`] |

#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[cfg(feature = "driver")]
pub mod driven;
pub mod files;
pub mod models;
pub mod programs;
pub mod systems;
pub mod texts;
pub mod verdicts;
