//! Quoting of names in the native syntax.

use std::borrow::Cow;

/// The keywords of the native syntax.
const RESERVED: &str = "abs and any assume bool clock compose const ctl define div else enum error exists false \
    floor forall havoc if in init int invariant keep max min mod nat not or param process real \
    relation restrict skip stay then true var when where";

/// A name in the native syntax: in backquotes unless it is an identifier or an element such as
/// `P[1].pc` or `a[1,2]`.
pub fn native_name(name: &str) -> Cow<'_, str> {
    if is_plain(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("`{name}`"))
    }
}

/// Whether a name needs no quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    name.split('.').all(is_segment)
}

/// An identifier, possibly followed by constant indices.
fn is_segment(segment: &str) -> bool {
    match segment.split_once('[') {
        None => is_identifier(segment),
        Some((head, tail)) => {
            is_identifier(head)
                && tail
                    .strip_suffix(']')
                    .is_some_and(|list| list.split(',').all(is_index))
        }
    }
}

fn is_index(text: &str) -> bool {
    let text = text.trim_start();
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_identifier(text: &str) -> bool {
    let letter = |c: char| c.is_alphabetic() || c == '_';
    text.starts_with(letter)
        && text.chars().all(|c| letter(c) || c.is_ascii_digit())
        && RESERVED.split(' ').all(|word| word != text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_elements_stand_as_they_are() {
        for name in [
            "x", "_x1", "größe", "P[1].pc", "a[1,2]", "f[-1]", "Main.x", "a[1, 2]",
        ] {
            assert_eq!(native_name(name), name);
        }
    }

    #[test]
    fn all_other_names_are_quoted() {
        let names = [
            "", "and", "1x", "x!3", "P[1.pc", "P[i]", "a b", "P[].x", "x'", "a..b", "if.x",
        ];
        for name in names.into_iter().chain(RESERVED.split(' ')) {
            assert_eq!(native_name(name), format!("`{name}`"));
        }
    }
}
