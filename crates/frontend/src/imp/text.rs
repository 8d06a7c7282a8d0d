//! Shortens pieces of source text for use as names of edges.

/// The maximum length of a name: longer texts are cut off.
const LONGEST: usize = 120;

/// A piece of source on one line, without comments and surplus blanks.
pub fn one_line(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut length = 0;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |n| &rest[n..]);
        } else if rest.starts_with("/*") {
            rest = rest[2..].find("*/").map_or("", |n| &rest[n + 4..]);
            push_blank(&mut out);
        } else if first.is_whitespace() {
            rest = rest.trim_start();
            push_blank(&mut out);
        } else {
            // Everything up to the second backquote belongs to the name.
            let quoted = rest.strip_prefix('`').and_then(|r| r.find('`'));
            let taken = quoted.map_or(first.len_utf8(), |n| n + 2);
            out.push_str(&rest[..taken]);
            rest = &rest[taken..];
            length += 1;
        }
        if length == LONGEST {
            out.push_str("...");
            break;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn push_blank(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_line_breaks_disappear() {
        assert_eq!(one_line("x  :=\n\t1 // one\n + /* two */ 2"), "x := 1 + 2");
        assert_eq!(one_line("`a // b` := 1"), "`a // b` := 1");
        assert_eq!(one_line("x /* open"), "x");
        assert_eq!(one_line("x // open"), "x");
        assert_eq!(one_line(""), "");
    }

    #[test]
    fn long_texts_are_cut() {
        let long = one_line(&"ä".repeat(1000));
        assert_eq!(long.chars().count(), LONGEST + 3);
    }
}
