//! All tests of this crate in one program, so that only one is linked.

mod bench;
mod benchexec;
mod boogie;
mod certificates;
mod chc;
mod chc_collection;
mod check_options;
mod common;
mod ctl_programs;
mod data_types;
mod deduction;
mod documents;
mod exit_codes;
mod export;
mod limits;
mod maps;
mod observers;
mod proof_scripts;
mod protocols;
mod saying;
mod schema;
mod select;
mod smt;
mod zoo;
mod zoo_auto;
