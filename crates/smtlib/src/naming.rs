//! Names of variables in SMT-LIB.
//!
//! A variable keeps its own name wherever possible. Stages are suffixes: `x!next` for the primed
//! variable, `x!at3` for step 3. Names that start with `$` are reserved for shared sub-terms and
//! helpers. The mapping is injective and [`decode`] is its inverse, whatever users call their
//! variables: a name that would clash with a reserved one or an operator of SMT-LIB, or that is not
//! a valid symbol, is escaped in a unique way.

use crate::reader::is_symbol_byte;
use sectile_terms::Stage;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The reserved words of SMT-LIB.
const RESERVED: &str =
    "! _ as BINARY DECIMAL exists HEXADECIMAL forall let match NUMERAL par STRING";

/// Names with a meaning in some theory, command language or widespread extension.
///
/// Some solvers refuse to redeclare them (cvc5 refuses most), others overload them.
const TAKEN: &str = "* + - / < <= = => > >= ^ Array Bool Int RegLan Real String RNE RNA RTP RTN RTZ \
    abs and assert char check-sat choice concat const cos cot csc distinct div divisible echo exit \
    exp extract false fp iand if iff implies is is_int ite max min mod nand nor not or pi pop pow \
    power push rem reset sec select sep sin sqrt store tan to_fp to_int to_real true tuple update \
    wand xor";

/// Prefixes that solvers use for operators of further theories.
const TAKEN_PREFIXES: &str = "arc bag. bv declare- define- fp. get- int. int2 nat2 re. real. rel. \
    seq. set- set. str. table. tuple. ubv_";

/// The SMT-LIB symbol of a variable at a stage, with bars where it needs them.
pub fn encode(name: &str, stage: Stage) -> String {
    quote(&encode_bare(name, stage)).into_owned()
}

/// The SMT-LIB symbol of a variable at a stage, without bars.
fn encode_bare(name: &str, stage: Stage) -> String {
    let mut text = escape(name);
    match stage {
        Stage::Now if split_suffix(&text).is_some() || is_taken(&text) => text.push_str("!now"),
        Stage::Now => {}
        Stage::Next => text.push_str("!next"),
        Stage::At(k) => {
            // Writing to a String cannot fail.
            let _ = write!(text, "!at{k}");
        }
    }
    text
}

/// The name and stage that [`encode`] turned into this symbol (given without its bars).
///
/// `None` for all other symbols, such as operators.
pub fn decode(symbol: &str) -> Option<(String, Stage)> {
    let (base, stage) = split_suffix(symbol).unwrap_or((symbol, Stage::Now));
    let name = unescape(base);
    (encode_bare(&name, stage) == symbol).then_some((name, stage))
}

/// A symbol with bars around it, unless it is a simple one.
///
/// The text must not contain bars or backslashes; [`encode`] takes care of that.
pub fn quote(symbol: &str) -> Cow<'_, str> {
    let simple = !symbol.is_empty()
        && symbol.bytes().all(is_symbol_byte)
        && !symbol.as_bytes()[0].is_ascii_digit()
        && !is_reserved(symbol);
    if simple {
        Cow::Borrowed(symbol)
    } else {
        Cow::Owned(format!("|{symbol}|"))
    }
}

fn is_reserved(name: &str) -> bool {
    RESERVED.split(' ').any(|r| r == name)
}

fn is_taken(name: &str) -> bool {
    is_reserved(name)
        || TAKEN.split(' ').any(|t| t == name)
        || TAKEN_PREFIXES.split(' ').any(|p| name.starts_with(p))
}

/// Splits `!now`, `!next` or `!atK` off a name.
fn split_suffix(name: &str) -> Option<(&str, Stage)> {
    let (base, suffix) = name.rsplit_once('!')?;
    let stage = match suffix {
        "now" => Stage::Now,
        "next" => Stage::Next,
        _ => {
            let digits = suffix.strip_prefix("at")?;
            let canonical = digits == "0" || !digits.starts_with('0');
            if !canonical || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            Stage::At(digits.parse().ok()?)
        }
    };
    Some((base, stage))
}

/// Replaces invalid characters by `!xHEX!`, and also `!x` itself.
fn escape(name: &str) -> String {
    if name.is_empty() {
        return "!x!".to_string();
    }
    let mut text = String::with_capacity(name.len());
    for (i, c) in name.char_indices() {
        // Solvers reserve names with a leading `.` or `@`, and we reserve those with `$`.
        let leading = i == 0 && matches!(c, '.' | '@' | '$' | '!');
        let ambiguous = c == '!' && name[i + 1..].starts_with('x');
        if leading || ambiguous || matches!(c, '|' | '\\') || c.is_control() {
            let _ = write!(text, "!x{:x}!", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// The inverse of `escape`.
fn unescape(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("!x") {
        name.push_str(&rest[..at]);
        let tail = &rest[at + 2..];
        let Some((digits, behind)) = tail.split_once('!') else {
            name.push_str("!x");
            rest = tail;
            continue;
        };
        match u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
        {
            Some(c) => name.push(c),
            None if digits.is_empty() => {}
            None => {
                name.push_str("!x");
                rest = tail;
                continue;
            }
        }
        rest = behind;
    }
    name.push_str(rest);
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const NAMES: &str = "x x' x!next x!now x!at3 x!at03 x!3 P[1].pc a,b a:b and let 3 é a|b a\\b ! !x \
        !x! !x21! a!x7c!b $1 .x @y x!next!next x!now!now and!now true x!x _ !x!now";

    #[test]
    fn names_come_back() {
        let mut seen = BTreeMap::new();
        for name in NAMES.split(' ').chain(["", "a b", "line\nbreak"]) {
            for stage in [Stage::Now, Stage::Next, Stage::At(0), Stage::At(17)] {
                let symbol = encode(name, stage);
                let bare = symbol.trim_matches('|');
                assert!(!bare.contains(['|', '\\', '\n']), "{symbol}");
                assert!(!bare.starts_with('$'), "{symbol}");
                assert_eq!(decode(bare), Some((name.to_string(), stage)), "{symbol}");
                let old = seen.insert(symbol.clone(), (name, stage));
                assert_eq!(old, None, "{symbol} has two meanings");
            }
        }
    }

    #[test]
    fn symbols_of_others_are_no_names() {
        for symbol in ["and", "let", "$1", "x!now", "!x!!x!", ".a", "x!x7a!"] {
            assert_eq!(decode(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn simple_names_stay_simple() {
        assert_eq!(encode("x", Stage::Now), "x");
        assert_eq!(encode("x", Stage::Next), "x!next");
        assert_eq!(encode("x", Stage::At(3)), "x!at3");
        assert_eq!(encode("P[1].pc", Stage::Now), "|P[1].pc|");
        assert_eq!(encode("and", Stage::Now), "and!now");
        assert_eq!(encode("x'", Stage::Next), "|x'!next|");
        assert_eq!(encode("$1", Stage::Now), "!x24!1");
    }
}
