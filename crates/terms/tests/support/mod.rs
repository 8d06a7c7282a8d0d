//! What the tests share: a second, naive language of terms with its own evaluator, random terms in
//! it, and a reader of the native syntax.

#![allow(dead_code)] // every test file uses another part

pub mod grammar;
pub mod random;
pub mod reference;
pub mod world;
