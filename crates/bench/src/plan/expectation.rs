//! Expected verdicts of tasks.

use super::{CODE, Description};
use crate::Verdict;
use crate::suite::{Expect, Located, VerdictTable};
use sectile_base::{Diagnostic, Span};
use std::collections::BTreeMap;
use std::path::Path;

/// The expectations of an entry, with their tables read.
pub(super) enum Expectations {
    Header,
    Always(Verdict, Span),
    /// From a table, by file name.
    Table(BTreeMap<String, Line>),
    Words(String, String),
}

/// The line of a table about one file.
#[derive(Default)]
pub(super) struct Line {
    verdict: Option<Verdict>,
    /// The names of the columns, with their cells.
    cells: Vec<(String, String)>,
}

/// The number of lines at the start of a file in which words are searched.
const HEAD: usize = 40;

impl Expectations {
    /// Reads the table, if there is one.
    pub fn new(expect: &Expect, folder: &Path) -> Result<Expectations, Diagnostic> {
        Ok(match expect {
            Expect::Header => Expectations::Header,
            Expect::Always(verdict, span) => Expectations::Always(*verdict, *span),
            Expect::Table(table) => Expectations::Table(read_table(table, folder)?),
            Expect::Words(holds, violated) => Expectations::Words(holds.clone(), violated.clone()),
        })
    }

    /// The expected verdict for these properties together.
    pub fn of(
        &self,
        file: &str,
        properties: &[String],
        description: &Description,
    ) -> Result<Option<Verdict>, Diagnostic> {
        let header = from_header(properties, description);
        match self {
            Expectations::Header => Ok(header),
            Expectations::Always(verdict, span) => match header {
                Some(other) if other != *verdict => {
                    let message = format!("the header of {file} expects `{}`", other.word());
                    let error = Diagnostic::error(CODE, *span, message);
                    Err(error
                        .help("correct the one that is wrong; without `expect` the header counts"))
                }
                _ => Ok(Some(*verdict)),
            },
            Expectations::Table(_) => Ok(self.line(file).and_then(|line| line.verdict)),
            Expectations::Words(holds, violated) => {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                Ok(from_words(&text, holds, violated))
            }
        }
    }

    /// The cells of the table's line about a file, with their columns.
    pub fn cells(&self, file: &str) -> &[(String, String)] {
        self.line(file).map_or(&[], |line| &line.cells)
    }

    /// Rejects conditions on columns that the table does not have.
    pub fn has_columns(&self, rows: &[(Located, Vec<String>)]) -> Result<(), Diagnostic> {
        let head: &[_] = match self {
            Expectations::Table(table) => table.values().next().map_or(&[], |line| &line.cells),
            _ => &[],
        };
        match rows.iter().find(|r| head.iter().all(|c| c.0 != r.0.text)) {
            Some((column, _)) => {
                let message = format!("no table of verdicts has a column `{}`", column.text);
                let names: Vec<&str> = head.iter().map(|c| c.0.as_str()).collect();
                Err(
                    Diagnostic::error(CODE, column.span, message).help(match names.is_empty() {
                        true => "name one: expect = { table = \"verdicts.tsv\", ... }".to_string(),
                        false => format!("it has {}", names.join(", ")),
                    }),
                )
            }
            None => Ok(()),
        }
    }

    /// Whether the line of a file has one of the given words in each of the columns.
    pub fn wants(&self, file: &str, rows: &[(Located, Vec<String>)]) -> bool {
        let cells = self.cells(file);
        rows.iter().all(|(column, words)| {
            let cell = cells.iter().find(|c| c.0 == column.text);
            cell.is_some_and(|c| words.contains(&c.1))
        })
    }

    fn line(&self, file: &str) -> Option<&Line> {
        let Expectations::Table(table) = self else {
            return None;
        };
        let name = Path::new(file).file_name().unwrap_or_default();
        table.get(&*name.to_string_lossy())
    }
}

/// Violated if one property is expected to be violated; holds if each is expected to hold.
fn from_header(properties: &[String], description: &Description) -> Option<Verdict> {
    let of = |name: &String| {
        let mut list = description.expected.iter();
        list.find(|(n, _)| n == name).map(|(_, v)| *v)
    };
    let verdicts: Vec<Option<Verdict>> = properties.iter().map(of).collect();
    if verdicts.contains(&Some(Verdict::Violated)) {
        return Some(Verdict::Violated);
    }
    let all = !verdicts.is_empty() && verdicts.iter().all(Option::is_some);
    all.then_some(Verdict::Holds)
}

/// The word that occurs first decides; at the same position, the longer one does.
fn from_words(text: &str, holds: &str, violated: &str) -> Option<Verdict> {
    for line in text.lines().take(HEAD) {
        let at = |word: &str| line.find(word).map(|i| (i, usize::MAX - word.len()));
        match (at(holds), at(violated)) {
            (None, None) => {}
            (Some(h), Some(v)) if v < h => return Some(Verdict::Violated),
            (Some(_), _) => return Some(Verdict::Holds),
            (None, Some(_)) => return Some(Verdict::Violated),
        }
    }
    None
}

fn read_table(table: &VerdictTable, folder: &Path) -> Result<BTreeMap<String, Line>, Diagnostic> {
    let path = folder.join(&table.file.text);
    let text = std::fs::read_to_string(&path).map_err(|e| {
        let message = format!("the table of verdicts cannot be read: {e}");
        Diagnostic::error(CODE, table.file.span, message)
            .help("files are relative to the folder of the suite")
    })?;
    let mut lines = text.lines().map(|l| l.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let column = |wanted: &Located| {
        let found = head.iter().position(|c| c.trim() == wanted.text);
        found.ok_or_else(|| {
            let message = format!("the table has no column `{}`", wanted.text);
            Diagnostic::error(CODE, wanted.span, message)
                .help(format!("it has {}", head.join(", ")))
        })
    };
    let (key, verdict) = (column(&table.key)?, column(&table.verdict)?);
    let of_word = |word: &str| match word.trim() {
        w if w == table.holds => Some(Verdict::Holds),
        w if w == table.violated => Some(Verdict::Violated),
        // Other words mean that the verdict is not known.
        _ => None,
    };
    let rows = lines.filter_map(|row| {
        let name = (*row.get(key)?).trim().to_string();
        let cells = head.iter().zip(&row);
        let line = Line {
            verdict: of_word(row.get(verdict)?),
            cells: cells
                .map(|(column, cell)| (column.trim().to_string(), cell.trim().to_string()))
                .collect(),
        };
        Some((name, line))
    });
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_decides() {
        let of = |text: &str| from_words(text, "#Safe", "#Unsafe");
        assert_eq!(of("//#Safe\n//#Unsafe"), Some(Verdict::Holds));
        assert_eq!(of("x\n//#Unsafe was #Safe"), Some(Verdict::Violated));
        assert_eq!(of("nothing"), None);
        assert_eq!(
            from_words("unsafe", "safe", "unsafe"),
            Some(Verdict::Violated)
        );
    }

    #[test]
    fn several_properties_are_judged_together() {
        let description = Description {
            expected: vec![
                ("a".to_string(), Verdict::Holds),
                ("b".to_string(), Verdict::Violated),
            ],
            ..Description::default()
        };
        let of = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            from_header(&list, &description)
        };
        assert_eq!(of(&["a"]), Some(Verdict::Holds));
        assert_eq!(of(&["a", "b"]), Some(Verdict::Violated));
        assert_eq!(of(&["a", "c"]), None);
        assert_eq!(of(&[]), None);
    }
}
