//! All tests of this crate in one program, so that only one is linked.

mod bad;
mod boogie;
mod boogie_maps;
mod boogie_quantifiers;
mod boogie_semantics;
mod chc;
mod chc_broken;
mod format;
mod good;
mod imp;
mod outline;
mod robust;
mod sct;
mod shared;
mod support;
mod vmt;
