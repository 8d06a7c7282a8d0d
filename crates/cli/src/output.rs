//! The only place that writes to the standard streams.

use std::io::{IsTerminal as _, Write as _};

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

/// Writes to the terminal behind standard error as it is, without a line break.
pub fn control(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Whether standard error is a terminal whose cursor can be moved.
pub fn is_screen() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|t| t.is_empty() || t == "dumb");
    std::io::stderr().is_terminal() && !dumb
}

/// Whether standard output is a terminal.
pub fn result_is_seen() -> bool {
    std::io::stdout().is_terminal()
}
