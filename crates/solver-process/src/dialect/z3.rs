//! Z3.

use super::{COMMON, Cores, Dialect, LogicChoice, MemoryLimit, TimeLimit};

/// Z3 4.8 and later.
pub(super) fn dialect() -> Dialect {
    Dialect {
        name: "z3".to_string(),
        program: "z3".to_string(),
        arguments: vec!["-in".to_string(), "-smt2".to_string()],
        install: Some("Debian package z3"),
        preamble: COMMON,
        logic: LogicChoice::Always("ALL"),
        memory: MemoryLimit::Argument("-memory:"),
        time: TimeLimit::Option(":timeout", "4294967295"),
        cores: Cores::UnsatAssumptions,
    }
}
