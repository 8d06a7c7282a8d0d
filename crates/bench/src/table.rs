//! Tables as Markdown, text and CSV.

mod csv;
mod numbers;

pub use csv::csv;
pub use numbers::{megabytes, number, seconds};

use crate::suite::Suite;
use crate::summary::{Cell, Heading, Mark, Row, Summary};
use std::fmt::Write as _;

/// A column: its group, its name, and whether it is right-aligned.
#[derive(Clone, Debug)]
pub struct Column {
    /// The contender; empty for general columns.
    pub group: String,
    /// The name of the column.
    pub name: String,
    /// Whether it holds numbers.
    pub right: bool,
}

impl Column {
    fn new(group: &str, name: &str, right: bool) -> Column {
        Column {
            group: group.to_string(),
            name: name.to_string(),
            right,
        }
    }

    /// The name for formats with a single header line.
    fn flat(&self) -> String {
        match (self.group.as_str(), self.name.as_str()) {
            ("", name) => name.to_string(),
            (group, VERDICT) => group.to_string(),
            (group, name) => format!("{group} {name}"),
        }
    }
}

/// The column of verdicts.
const VERDICT: &str = "verdict";

/// A table of strings.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The head.
    pub head: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// The table of tasks. `strong` formats results that need attention.
pub fn tasks(summary: &Summary, suite: &Suite, strong: fn(&str) -> String) -> Table {
    let mut head = vec![
        Column::new("", "task", false),
        Column::new("", "expected", false),
    ];
    head.extend(suite.reference.iter().map(|c| Column::new("", c, true)));
    let counters: Vec<Vec<&String>> = (0..summary.headings.len())
        .map(|i| counters(i, summary, suite))
        .collect();
    for (heading, counters) in summary.headings.iter().zip(&counters) {
        let name = &heading.name;
        head.push(Column::new(name, VERDICT, false));
        head.extend(["s", "MB"].map(|c| Column::new(name, c, true)));
        head.extend(counters.iter().map(|c| Column::new(name, c, true)));
    }
    let rows = summary.rows.iter().map(|row| {
        let mut cells = vec![row.task.name.clone(), expected(row)];
        cells.extend(row.task.reference.iter().cloned());
        for (cell, counters) in row.cells.iter().zip(&counters) {
            let cell = cell.as_ref();
            cells.extend(result(cell, counters, summary.limit, strong));
        }
        cells
    });
    Table {
        rows: rows.collect(),
        head,
    }
}

fn expected(row: &Row) -> String {
    row.task.expected.map_or("", |v| v.word()).to_string()
}

/// The selected counters that a contender has.
fn counters<'s>(contender: usize, summary: &Summary, suite: &'s Suite) -> Vec<&'s String> {
    let has = |name: &&String| {
        let rows = summary.rows.iter();
        let mut cells = rows.filter_map(|r| r.cells.get(contender)?.as_ref());
        cells.any(|c| c.statistics.contains_key(*name))
    };
    suite.columns.iter().filter(has).collect()
}

/// The cells of one contender on one task: verdict, time, memory, counters.
fn result(
    cell: Option<&Cell>,
    counters: &[&String],
    limit: f64,
    strong: fn(&str) -> String,
) -> Vec<String> {
    let Some(cell) = cell else {
        return vec![String::new(); 3 + counters.len()];
    };
    let ran = cell.memory.is_some() || cell.seconds > 0.0;
    let time = ran.then(|| seconds(cell.seconds));
    let mut texts = vec![
        verdict(cell, limit, strong),
        time.unwrap_or_default(),
        cell.memory.map(megabytes).unwrap_or_default(),
    ];
    let counter = |name: &&String| {
        cell.statistics
            .get(*name)
            .map(|v| number(*v))
            .unwrap_or_default()
    };
    texts.extend(counters.iter().map(counter));
    texts
}

fn verdict(cell: &Cell, limit: f64, strong: fn(&str) -> String) -> String {
    let word = cell.outcome.word();
    match cell.mark {
        Mark::Unsolved if cell.starved(limit) => format!("{word} (wall)"),
        Mark::Right | Mark::Unsolved => word.to_string(),
        Mark::Unchecked => format!("{word} ?"),
        Mark::Wrong => format!("{} {word}", strong("WRONG")),
        Mark::Uncertified => format!("{} {word}", strong("UNCERTIFIED")),
        Mark::Disagree => format!("{} {word}", strong("DISAGREE")),
        Mark::Failed => strong("FAILED"),
    }
}

/// The table of totals.
pub fn totals(summary: &Summary) -> Table {
    let first = summary.headings.first().map_or("", |h| h.name.as_str());
    let head = [
        Column::new("", "contender", false),
        Column::new("", "solved", true),
        Column::new("", "wrong", true),
        Column::new("", "s on solved", true),
        Column::new("", "PAR-2", true),
        Column::new("", &format!("time / {first}"), true),
        Column::new("", "version", false),
    ];
    let pairs = summary.headings.iter().zip(&summary.totals);
    let rows = pairs.map(|(heading, total)| {
        let ratio = total.ratio.map(|(r, n)| format!("{} ({n})", seconds(r)));
        let Heading { name, version, .. } = heading;
        vec![
            name.clone(),
            format!("{} of {}", total.solved, total.tasks),
            total.alarms.to_string(),
            seconds(total.seconds),
            seconds(total.par2),
            ratio.unwrap_or_default(),
            version.clone(),
        ]
    });
    Table {
        rows: rows.collect(),
        head: head.to_vec(),
    }
}

/// The totals of every family: for each contender the number of solved tasks and the PAR-2 score.
pub fn families(summary: &Summary) -> Table {
    let mut head = vec![
        Column::new("", "family", false),
        Column::new("", "tasks", true),
    ];
    for heading in &summary.headings {
        head.extend(["solved", "PAR-2"].map(|c| Column::new(&heading.name, c, true)));
    }
    let rows = summary.families.iter().map(|(name, totals)| {
        let tasks = totals.iter().map(|t| t.tasks).max().unwrap_or(0);
        let mut row = vec![name.clone(), tasks.to_string()];
        row.extend(totals.iter().flat_map(|t| match t.tasks {
            0 => [String::new(), String::new()],
            _ => [t.solved.to_string(), seconds(t.par2)],
        }));
        row
    });
    Table {
        rows: rows.collect(),
        head,
    }
}

impl Table {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        let escaped = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
        let mut out = String::new();
        let line = |out: &mut String, cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.collect();
            // Writing to a String cannot fail.
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        };
        line(&mut out, &mut self.head.iter().map(|c| escaped(&c.flat())));
        let rule = |c: &Column| if c.right { "---:" } else { "---" };
        line(&mut out, &mut self.head.iter().map(|c| rule(c).to_string()));
        for row in &self.rows {
            line(&mut out, &mut row.iter().map(|t| escaped(t)));
        }
        out
    }

    /// As text with aligned columns, with the names of the groups above them.
    pub fn text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|r| r.get(column));
            let lengths = cells.map(|t| t.chars().count());
            let name = self.head[column].name.chars().count();
            lengths.fold(name, usize::max)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &[String]| {
            let columns = cells.iter().zip(&widths).zip(&self.head);
            let padded = columns.map(|((text, &width), column)| match column.right {
                true => format!("{text:>width$}"),
                false => format!("{text:<width$}"),
            });
            let text = padded.collect::<Vec<_>>().join(GAP);
            text.trim_end().to_string() + "\n"
        };
        let head: Vec<String> = self.head.iter().map(|c| c.name.clone()).collect();
        let mut out = self.groups(&widths);
        out.push_str(&line(&head));
        let rule: Vec<String> = widths.iter().map(|&w| "-".repeat(w)).collect();
        out.push_str(&line(&rule));
        for row in &self.rows {
            out.push_str(&line(row));
        }
        out
    }

    /// The line with the names of the groups, each at its first column; empty if there are no
    /// groups.
    fn groups(&self, widths: &[usize]) -> String {
        let mut out = String::new();
        let mut place = 0;
        let mut last = "";
        for (column, width) in self.head.iter().zip(widths) {
            if column.group != last {
                last = &column.group;
                let used = out.chars().count();
                out.push_str(&" ".repeat(place.max(used + 1) - used));
                out.push_str(last);
            }
            place += width + GAP.len();
        }
        match out.trim_end() {
            "" => String::new(),
            line => line.to_string() + "\n",
        }
    }
}

/// The space between two columns.
const GAP: &str = "  ";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::record::Outcome;
    use crate::record::tests::example;
    use crate::summary::tests::{headings, task};
    use sectile_base::Source;

    fn summary() -> (Summary, Suite) {
        let text = "title = \"T\"\nreference = [\"paper | s\"]\n\n[[task]]\nfile = \"m.sct\"\n";
        let suite = crate::suite::read(Source::new("s.toml", text)).unwrap();
        let (a, b) = (
            task("Bakery 2", Some(Verdict::Holds)),
            task("Bakery 10", None),
        );
        let mut first = example("Bakery 2", "slab", Outcome::Decided(Verdict::Holds), 0.123);
        first.certified = Some(true);
        first.statistics = [("splits", 7.0), ("iterations", 12.0)]
            .map(|(name, value)| (name.to_string(), value))
            .into();
        let records = [
            first,
            example("Bakery 2", "z3", Outcome::Decided(Verdict::Violated), 12.34),
            example("Bakery 10", "slab", Outcome::Timeout, 60.2),
            example("Bakery 10", "z3", Outcome::Decided(Verdict::Holds), 123.4),
        ];
        let summary = Summary::new(headings(), &[&a, &b], &records, 60.0);
        (summary, suite)
    }

    #[test]
    fn the_markdown_table() {
        let (summary, suite) = summary();
        let table = tasks(&summary, &suite, |t| format!("**{t}**"));
        assert_eq!(
            table.markdown(),
            "\
| task | expected | paper \\| s | slab | slab s | slab MB | slab iterations | slab splits | z3 | z3 s | z3 MB |
| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |
| Bakery 2 | holds | 42 | holds | 0.12 | 12 | 12 | 7 | **WRONG** violated | 12.3 | 12 |
| Bakery 10 |  | 42 | timeout | 60.2 | 12 |  |  | holds ? | 123 | 12 |
"
        );
    }

    #[test]
    fn a_timeout_by_the_wall_clock_is_named() {
        let (_, suite) = summary();
        let task = task("t", None);
        let records = [example("t", "slab", Outcome::Timeout, 20.0)];
        let summary = Summary::new(headings(), &[&task], &records, 60.0);
        let table = tasks(&summary, &suite, ToString::to_string);
        assert_eq!(table.rows[0][3..5], ["timeout (wall)", "20.0"]);
    }

    #[test]
    fn the_text_table() {
        let (summary, suite) = summary();
        assert_eq!(
            format!("\n{}", tasks(&summary, &suite, ToString::to_string).text()),
            "
                                slab                                   z3
task       expected  paper | s  verdict     s  MB  iterations  splits  verdict            s  MB
---------  --------  ---------  -------  ----  --  ----------  ------  --------------  ----  --
Bakery 2   holds            42  holds    0.12  12          12       7  WRONG violated  12.3  12
Bakery 10                   42  timeout  60.2  12                      holds ?          123  12
"
        );
        assert_eq!(
            totals(&summary).text(),
            "\
contender  solved  wrong  s on solved  PAR-2  time / slab  version
---------  ------  -----  -----------  -----  -----------  -------
slab       1 of 2      0         0.12   60.1     1.00 (1)  slab 1
z3         1 of 2      1          123    122               z3 1
"
        );
    }
}
