//! A few lines of a terminal that are written again and again in the same place.

/// Keeps track of what stands on the terminal.
///
/// The cursor stays behind the last line. Whoever interrupts the program finds the lines complete
/// and the prompt below them.
#[derive(Debug, Default)]
pub struct Screen {
    rows: usize,
}

/// Whether text may be coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// It may.
    Yes,
    /// The user or the terminal does not want it.
    No,
}

impl Screen {
    /// What to write so that the lines stand where the last ones stood.
    ///
    /// Wrapping is switched off meanwhile: a line that is too long for the terminal is cut by it,
    /// and the number of rows is always the number of lines.
    pub fn frame(&mut self, lines: &[String], colour: Colour) -> String {
        let mut out = self.clear();
        if lines.is_empty() {
            return out;
        }
        out.push_str("\x1b[?7l");
        for (i, line) in lines.iter().enumerate() {
            if i > 0 {
                out.push_str("\r\n");
            }
            match (i, colour) {
                (0, Colour::Yes) => out.push_str(&format!("\x1b[1m{line}\x1b[0m")),
                _ => out.push_str(line),
            }
        }
        out.push_str("\x1b[?7h");
        self.rows = lines.len();
        out
    }

    /// What to write so that nothing of the last lines is left.
    pub fn clear(&mut self) -> String {
        let out = match self.rows {
            0 => String::new(),
            1 => "\r\x1b[J".to_string(),
            rows => format!("\r\x1b[{}A\x1b[J", rows - 1),
        };
        self.rows = 0;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As much of a terminal as the screen needs: rows of text and a cursor.
    #[derive(Default)]
    struct Terminal {
        rows: Vec<String>,
        row: usize,
        column: usize,
    }

    impl Terminal {
        fn write(&mut self, text: &str) {
            let mut rest = text;
            while let Some(c) = rest.chars().next() {
                if let Some(code) = rest.strip_prefix("\x1b[") {
                    let end = code.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                    self.control(&code[..end], &code[end..=end]);
                    rest = &code[end + 1..];
                    continue;
                }
                match c {
                    '\r' => self.column = 0,
                    '\n' => self.row += 1,
                    c => self.put(c),
                }
                rest = &rest[c.len_utf8()..];
            }
        }

        fn put(&mut self, c: char) {
            self.rows
                .resize(self.rows.len().max(self.row + 1), String::new());
            let row = &mut self.rows[self.row];
            assert_eq!(
                row.chars().count(),
                self.column,
                "text is never overwritten"
            );
            row.push(c);
            self.column += 1;
        }

        fn control(&mut self, argument: &str, command: &str) {
            match command {
                "A" => self.row -= argument.parse::<usize>().unwrap(),
                "J" => {
                    self.rows.truncate(self.row + 1);
                    let kept: String = match self.rows.get(self.row) {
                        Some(row) => row.chars().take(self.column).collect(),
                        None => return,
                    };
                    self.rows[self.row] = kept;
                }
                "l" | "h" => assert_eq!(argument, "?7"),
                "m" => {}
                other => panic!("unknown control {other}"),
            }
        }
    }

    fn lines(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn frames_replace_each_other_and_nothing_is_left() {
        let mut terminal = Terminal::default();
        let mut screen = Screen::default();
        terminal.write("before\r\n");
        for shown in [
            &["slab: safe, 0.3 s", "  iteration 12, 17 nodes"][..],
            &[
                "slab: safe, 0.4 s",
                "  iteration 13",
                "  last predicate x <= 3",
            ],
            &["bmc"],
        ] {
            terminal.write(&screen.frame(&lines(shown), Colour::Yes));
            assert_eq!(terminal.rows[1..], *shown);
        }
        terminal.write(&screen.clear());
        assert_eq!(terminal.rows, ["before", ""]);
        assert_eq!((terminal.row, terminal.column), (1, 0));
        assert_eq!(screen.clear(), "");
    }

    #[test]
    fn without_colour_there_is_none() {
        let mut screen = Screen::default();
        let frame = screen.frame(&lines(&["a", "b"]), Colour::No);
        assert!(
            !frame.contains("[1m") && !frame.contains("[0m"),
            "{frame:?}"
        );
    }
}
