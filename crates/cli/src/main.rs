//! The command line of Sectile.
fn main() {}
