//! Numbers in sentences.

/// A number with its noun, in the plural where that is due: `1 state`, `2 states`.
pub fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
