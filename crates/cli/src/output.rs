//! Output: the only place that writes to the standard streams.

use anyhow::Context as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a part of the result could not be written.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes a result to standard output. A closed pipe is not an error: the reader has gone. Any
/// other error is reported once, and the program ends with exit code 4.
pub fn result(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
        && !LOST.swap(true, Ordering::Relaxed)
    {
        diagnostic(&format!("error: the result cannot be written: {error}"));
    }
}

/// Whether a part of the result could not be written.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes a file atomically: the old or the complete new contents, never a part.
pub fn file(path: &Path, text: &str) -> anyhow::Result<()> {
    let written = sectile_base::files::write(path, text);
    written.with_context(|| format!("cannot write `{}`", path.display()))
}

/// Writes a message to standard error.
pub fn diagnostic(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "{}", text.trim_end());
}

/// Writes to the terminal on standard error as is, without a line break.
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
