//! The report on the findings of the compiler.

use crate::exit::Exit;
use sectile_base::Int;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The code of the compiler's message about invariants.
const INVARIANTS: &str = "1180";

/// The kind of a message of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Error,
    Violated,
    Safe,
    Unknown,
    Invariants,
    /// The number of safe or unknown checks: not shown, because the checks themselves are.
    Count,
    Other,
}

/// A message of the compiler.
struct Finding<'a> {
    kind: Kind,
    message: &'a str,
    whole: &'a Value,
}

/// All messages of the compiler, with further information about them.
pub struct Findings<'a> {
    answer: &'a Value,
    list: Vec<Finding<'a>>,
    sources: &'a Path,
}

impl<'a> Findings<'a> {
    /// The findings in the output for a file in this folder.
    pub fn of(answer: &'a Value, sources: &'a Path) -> Findings<'a> {
        let all = answer["errors"].as_array().map(Vec::as_slice);
        let finding = |whole: &'a Value| {
            let message = whole["message"].as_str().unwrap_or_default();
            let kind = match whole["errorCode"].as_str().unwrap_or_default() {
                _ if whole["severity"] == "error" => Kind::Error,
                INVARIANTS => Kind::Invariants,
                _ if !message.starts_with("CHC: ") => Kind::Other,
                _ if message.contains(" happens here") => Kind::Violated,
                _ if message.contains(" check is safe") => Kind::Safe,
                _ if message.contains(" might happen here") => Kind::Unknown,
                _ if message.contains("verification condition") => Kind::Count,
                _ => Kind::Other,
            };
            Finding {
                kind,
                message,
                whole,
            }
        };
        Findings {
            answer,
            list: all.unwrap_or_default().iter().map(finding).collect(),
            sources,
        }
    }

    fn count(&self, kind: Kind) -> usize {
        self.list.iter().filter(|f| f.kind == kind).count()
    }

    /// The exit code for the most serious finding.
    pub fn exit(&self) -> Exit {
        let worst = [
            (Kind::Error, Exit::Input),
            (Kind::Violated, Exit::Violated),
            (Kind::Unknown, Exit::Unknown),
        ];
        let found = worst.into_iter().find(|(kind, _)| self.count(*kind) > 0);
        found.map_or(Exit::Success, |(_, exit)| exit)
    }

    /// Errors, violations with their transactions, unknown and safe checks, and invariants.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for kind in [
            Kind::Error,
            Kind::Violated,
            Kind::Unknown,
            Kind::Safe,
            Kind::Invariants,
            Kind::Other,
        ] {
            for finding in self.list.iter().filter(|f| f.kind == kind) {
                match kind {
                    Kind::Error | Kind::Other => out.push_str(formatted(finding.whole)),
                    Kind::Invariants => invariants(finding.message, &mut out),
                    _ => self.check(finding, &mut out),
                }
            }
        }
        if self.count(Kind::Error) == 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "{} violated, {} unknown, {} safe (solc {})",
                self.count(Kind::Violated),
                self.count(Kind::Unknown),
                self.count(Kind::Safe),
                version(self.answer)
            );
        }
        out
    }

    fn check(&self, finding: &Finding<'_>, out: &mut String) {
        let verdict = match finding.kind {
            Kind::Violated => "violated",
            Kind::Unknown => "unknown",
            _ => "safe",
        };
        let what = finding.message.trim_start_matches("CHC: ");
        let ends = [" happens here", " might happen here", " check is safe"];
        let ends = ends.iter().filter_map(|end| what.find(end));
        let what = &what[..ends.min().unwrap_or(what.len())];
        let what = what.split(" (").next().unwrap_or(what).to_lowercase();
        let no = if finding.kind == Kind::Safe {
            "no "
        } else {
            ""
        };
        let (place, text) = self.place(&finding.whole["sourceLocation"]);
        let _ = writeln!(out, "{place}: {verdict}: {text} ({no}{what})");
        if finding.kind == Kind::Violated {
            self.transactions(finding, out);
        }
    }

    /// The transactions that lead to a violation, one per line.
    fn transactions(&self, finding: &Finding<'_>, out: &mut String) {
        let all = self.answer["violations"].as_array().map(Vec::as_slice);
        let own = all.unwrap_or_default().iter().find(|v| {
            v["where"] == finding.whole["sourceLocation"] && v["code"] == finding.whole["errorCode"]
        });
        let calls = own.and_then(|v| v["transactions"].as_array());
        let calls = calls.map(Vec::as_slice).unwrap_or_default();
        for (k, transaction) in calls.iter().enumerate() {
            let call = transaction["call"].as_str().unwrap_or_default();
            let state = transaction["state"].as_str().unwrap_or_default();
            let _ = write!(out, "  {}. {call}", k + 1);
            let _ = match (k + 1 == calls.len(), state.is_empty()) {
                (true, true) => writeln!(out, " fails"),
                (true, false) => writeln!(out, " fails, with {state}"),
                (false, true) => writeln!(out),
                (false, false) => writeln!(out, ", then {state}"),
            };
        }
    }

    /// File, line and column of a location, and the text there.
    fn place(&self, location: &Value) -> (String, String) {
        let name = location["file"].as_str().unwrap_or("?");
        let file = self.sources.join(name);
        let text = std::fs::read(&file).unwrap_or_default();
        let offset = |key: &str| {
            let at = location[key]
                .as_u64()
                .and_then(|at| usize::try_from(at).ok());
            at.unwrap_or(0).min(text.len())
        };
        let (start, end) = (offset("start"), offset("end"));
        let before = &text[..start];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let begin = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |k| k + 1);
        let column = String::from_utf8_lossy(&before[begin..]).chars().count() + 1;
        let inside = String::from_utf8_lossy(&text[start..end.max(start)]);
        let first = inside.lines().next().unwrap_or_default().trim().to_string();
        (format!("{}:{line}:{column}", file.display()), first)
    }
}

/// Bounds of types with fewer bits are shown as numbers.
const FEWEST_BITS: u32 = 64;

/// A formula in which bounds of types are replaced by their names.
fn with_types(line: &str) -> String {
    let mut bounds: BTreeMap<String, String> = BTreeMap::new();
    for bits in (FEWEST_BITS..=256).step_by(8) {
        let (half, whole) = (Int::from(2).pow(bits - 1), Int::from(2).pow(bits));
        let most = |n: &Int| (n - &Int::ONE).to_string();
        bounds.insert(most(&whole), format!("type(uint{bits}).max"));
        bounds.insert(most(&half), format!("type(int{bits}).max"));
        bounds.insert(format!("-{half}"), format!("type(int{bits}).min"));
    }
    let mut out = String::new();
    let is_number = |c: char| c.is_ascii_digit();
    let mut rest = line;
    while let Some(begin) = rest.find(is_number) {
        let (before, number) = rest.split_at(begin);
        let end = number.find(|c| !is_number(c)).unwrap_or(number.len());
        out.push_str(before);
        out.push_str(&number[..end]);
        let known = bounds.iter().find(|(bound, _)| {
            out.strip_suffix(bound.as_str())
                .is_some_and(|before| !before.ends_with(is_number))
        });
        if let Some((bound, name)) = known {
            out.truncate(out.len() - bound.len());
            out.push_str(name);
        }
        rest = &number[end..];
    }
    out + rest
}

/// The invariants of contracts, one per line, in the notation of the contract.
fn invariants(message: &str, out: &mut String) {
    let mut about = "";
    for line in message.lines().map(str::trim).filter(|l| !l.is_empty()) {
        match line.strip_suffix(':') {
            Some(head) => about = head,
            None if line.starts_with('<') => {
                let _ = writeln!(out, "  where {line}");
            }
            None => {
                let what = match about.starts_with("Reentrancy") {
                    true => "reentrancy property",
                    false => "invariant",
                };
                let contract = about.rsplit_once(':').map_or(about, |(_, name)| name);
                let _ = writeln!(out, "{what} of {contract}: {}", with_types(line));
            }
        }
    }
}

fn formatted(whole: &Value) -> &str {
    let text = whole["formattedMessage"].as_str();
    text.or(whole["message"].as_str()).unwrap_or_default()
}

/// The version without build information.
fn version(answer: &Value) -> &str {
    let whole = answer["version"].as_str().unwrap_or("?");
    whole.split('+').next().unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::with_types;

    #[test]
    fn bounds_of_types_have_names() {
        let line =
            "(x <= 115792089237316195423570985008687907853269984665640564039457584007913129639935)";
        assert_eq!(with_types(line), "(x <= type(uint256).max)");
        let line = "(y >= -9223372036854775808) && (z[18446744073709551615] < 1000)";
        let named = "(y >= type(int64).min) && (z[type(uint64).max] < 1000)";
        assert_eq!(with_types(line), named);
        assert_eq!(
            with_types("x184467440737095516150 = 3"),
            "x184467440737095516150 = 3"
        );
    }
}
