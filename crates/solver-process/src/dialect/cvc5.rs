//! cvc5.

use super::{COMMON, Cores, Dialect, LogicChoice, MemoryLimit, TimeLimit};

/// cvc5 1.0 and later.
///
/// It takes a time limit on its command line only, and has no memory limit of its own.
pub(super) fn dialect() -> Dialect {
    Dialect {
        name: "cvc5".to_string(),
        program: "cvc5".to_string(),
        arguments: ["--lang=smt2", "--incremental", "--quiet"]
            .map(String::from)
            .to_vec(),
        install: Some("Debian package cvc5"),
        preamble: COMMON,
        logic: LogicChoice::Fitted,
        memory: MemoryLimit::Watched,
        time: TimeLimit::KilledOnly,
        cores: Cores::UnsatAssumptions,
    }
}
