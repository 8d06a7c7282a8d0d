//! Splits a stream of bytes into s-expressions.

/// The state of the scanner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    Word,
    Comment,
    Bars,
    /// In a string, which the next quote ends.
    Quotes,
    /// After a quote that ends a string, unless another quote follows.
    AfterQuote,
}

/// Whether an expression has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    NotYet,
    /// With this byte.
    Here,
    /// Before this byte, which belongs to the next expression.
    Before,
}

/// Cuts a stream of bytes into whole s-expressions, incrementally.
///
/// Interactive input and answers of solver processes arrive in arbitrary pieces; this detects, in
/// time linear in the stream, when one expression is complete.
#[derive(Clone, Debug, Default)]
pub struct Balance {
    buffer: Vec<u8>,
    /// The start of the present expression, and the position of the scanner.
    begin: usize,
    scanned: usize,
    depth: usize,
    state: State,
    started: bool,
}

impl Balance {
    /// An empty stream.
    pub fn new() -> Balance {
        Balance::default()
    }

    /// Adds bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.begin);
        self.scanned -= self.begin;
        self.begin = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete expression without surrounding white space, if it has arrived.
    ///
    /// A word at the outermost level is complete when something else follows it, such as a line
    /// break. Bytes that are not UTF-8 are replaced.
    pub fn next_expression(&mut self) -> Option<String> {
        while let Some(&b) = self.buffer.get(self.scanned) {
            let end = self.step(b);
            if end != End::Before {
                self.scanned += 1;
            }
            if end != End::NotYet {
                let text = String::from_utf8_lossy(&self.buffer[self.begin..self.scanned]);
                let text = without_comments_before(&text).to_string();
                self.begin = self.scanned;
                self.state = State::Between;
                self.started = false;
                return Some(text);
            }
        }
        None
    }

    /// The incomplete rest of the stream.
    pub fn rest(&self) -> String {
        String::from_utf8_lossy(&self.buffer[self.begin..])
            .trim()
            .to_string()
    }

    /// Processes one byte.
    fn step(&mut self, b: u8) -> End {
        self.state = match (self.state, b) {
            (State::Comment, b'\n' | b'\r') => State::Between,
            (State::Bars, b'|') => State::Word,
            (State::Quotes, b'"') => State::AfterQuote,
            (State::AfterQuote, b'"') => State::Quotes,
            (State::Comment | State::Bars | State::Quotes, _) => self.state,
            (State::Between | State::Word | State::AfterQuote, _) => return self.between(b),
        };
        End::NotYet
    }

    fn between(&mut self, b: u8) -> End {
        let in_word = self.state != State::Between;
        let ends_word = matches!(b, b'(' | b')' | b';' | b'"') || b.is_ascii_whitespace();
        if in_word && ends_word && self.depth == 0 && self.started {
            return End::Before;
        }
        self.started |= b != b';' && !b.is_ascii_whitespace();
        self.state = match b {
            b';' => State::Comment,
            b'|' => State::Bars,
            b'"' => State::Quotes,
            b'(' | b')' => State::Between,
            _ if b.is_ascii_whitespace() => State::Between,
            _ => State::Word,
        };
        match b {
            b'(' => self.depth += 1,
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return End::Here;
                }
            }
            _ => {}
        }
        End::NotYet
    }
}

/// The text from its first expression on.
fn without_comments_before(text: &str) -> &str {
    let mut rest = text.trim();
    while rest.starts_with(';') {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        rest = rest[end..].trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> Vec<String> {
        let mut balance = Balance::new();
        let mut found = Vec::new();
        for piece in pieces {
            balance.feed(piece.as_bytes());
            while let Some(e) = balance.next_expression() {
                found.push(e);
            }
        }
        found
    }

    #[test]
    fn words_and_lists_are_cut_apart_wherever_the_pieces_end() {
        assert_eq!(
            split(&["sat\n((x", " 1)\n(|a)| \"(\"\"\")", ")\nunsat"]).len(),
            2
        );
        assert_eq!(
            split(&["; c (\nsat\n((x 1)) unknown\n"]),
            ["sat", "((x 1))", "unknown"]
        );
    }

    #[test]
    fn strings_end_at_the_last_quote_only() {
        assert_eq!(split(&["\"a\"", "\"b\" x\n"]), ["\"a\"\"b\"", "x"]);
        assert_eq!(
            split(&["(error \"a ) \"\" b\")"]),
            ["(error \"a ) \"\" b\")"]
        );
    }

    #[test]
    fn every_split_point_gives_the_same_pieces() {
        let text = "sat ; (\n(a |b)(| \")\" c) |x y| z\n";
        for cut in 0..text.len() {
            let (a, b) = text.split_at(cut);
            assert_eq!(
                split(&[a, b]),
                ["sat", "(a |b)(| \")\" c)", "|x y|", "z"],
                "cut at {cut}"
            );
        }
    }
}
