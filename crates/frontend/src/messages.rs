//! Collects errors, and suggests names that may have been meant.

use sectile_base::{Diagnostic, Diagnostics, Span};

/// An error that has been added to the diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported;

/// Collects the errors of a text.
pub trait Report {
    /// Adds a message.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported;

    /// Adds an error. An empty `help` means that there is none.
    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        let help: String = help.into();
        self.report(Diagnostic {
            help: (!help.is_empty()).then_some(help),
            ..Diagnostic::error(code, span, message)
        })
    }

    /// Adds a warning.
    fn warning(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(code, span, message));
    }
}

impl Report for Diagnostics {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.push(diagnostic);
        Reported
    }
}

/// Collects all results. A failure counts only after all results have been computed, so that every
/// error is reported.
pub fn all<T, C: FromIterator<T>>(
    results: impl Iterator<Item = Result<T, Reported>>,
) -> Result<C, Reported> {
    let results: Vec<_> = results.collect();
    results.into_iter().collect()
}

/// Asks whether a similar candidate was meant; if there is none, returns `otherwise`.
pub fn did_you_mean<'c>(
    wanted: &str,
    candidates: impl Iterator<Item = &'c str>,
    otherwise: &str,
) -> String {
    match closest(wanted, candidates) {
        Some(close) => format!("did you mean `{close}`?"),
        None => otherwise.to_string(),
    }
}

/// The candidate that is most similar to `wanted`, if it is similar enough for a typing error.
pub fn closest<'c>(wanted: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    // Short names are similar to everything: only the case of letters may differ.
    let limit = wanted.chars().count() / 3;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = distance(wanted, candidate, limit);
        if distance <= limit.max(usize::from(same_letters(wanted, candidate)))
            && best.is_none_or(|(d, _)| distance < d)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Whether two names differ only in the case of letters.
fn same_letters(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// The number of letters to insert, delete, replace or swap with a neighbour; names that differ
/// only in case have distance one. The result may be any larger number if it exceeds `limit`.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    if same_letters(a, b) {
        return usize::from(a != b);
    }
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = replaced.min(row[j] + 1).min(next[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let names = ["current", "count", "req", "Max"];
        let find = |wanted| closest(wanted, names.iter().copied());
        assert_eq!(find("curent"), Some("current"));
        assert_eq!(find("max"), Some("Max"));
        assert_eq!(find("rqe"), Some("req"));
        assert_eq!(find("lock"), None);
        assert_eq!(find("x"), None);
    }
}
