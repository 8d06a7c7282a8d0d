//! The only place that writes to the standard streams.

use std::io::Write as _;

/// Writes a result to standard output. A closed pipe is not an error: nobody listens any more.
pub fn result(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Writes a message to standard error.
pub fn diagnostic(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "{}", text.trim_end());
}
