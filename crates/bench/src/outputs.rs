//! The output files of a session: tables and plots.

use crate::command::line;
use crate::execute::MEASURES;
use crate::plan::Task;
use crate::plot;
use crate::record::{Outcome, Record};
use crate::suite::{Limits, Suite};
use crate::summary::{Cell, Summary};
use crate::table;
use sectile_base::files;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Information about a session besides its results.
pub struct About<'s> {
    /// The suite.
    pub suite: &'s Suite,
    /// The limits of the runs.
    pub limits: Limits,
    /// The number of repetitions.
    pub repeat: u32,
    /// The machine, in one line.
    pub machine: String,
    /// The command that made the table.
    pub command: Vec<String>,
    /// The missing parts of the suite.
    pub skipped: Vec<String>,
}

/// A name that is valid on every file system.
pub fn slug(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.=".contains(c);
    // A part of dots only could name a folder.
    let telling = |p: &&str| !p.trim_matches('.').is_empty();
    let parts: Vec<&str> = name.split(|c| !plain(c)).filter(telling).collect();
    match parts.join("-").trim_start_matches('.') {
        "" => "unnamed".to_string(),
        slug => slug.to_string(),
    }
}

/// Writes all files.
pub fn write(
    folder: &Path,
    about: &About<'_>,
    summary: &Summary,
    tasks: &[&Task],
    records: &[Record],
) -> io::Result<()> {
    let plots = plot::all(summary, &about.suite.plots);
    for (name, svg) in &plots {
        files::write(&folder.join(name), svg)?;
    }
    let names: Vec<String> = plots.into_iter().map(|(name, _)| name).collect();
    files::write(&folder.join("table.md"), markdown(about, summary, &names))?;
    files::write(&folder.join("runs.csv"), table::csv(tasks, records))
}

/// The printed output: the table of tasks, the totals, and the alarms.
pub fn text(about: &About<'_>, summary: &Summary) -> String {
    let mut out = format!("{}\n\n", about.suite.title);
    out += &table::tasks(summary, about.suite, ToString::to_string).text();
    out.push('\n');
    out += &table::totals(summary).text();
    if !summary.families.is_empty() {
        out.push('\n');
        out += &table::families(summary).text();
    }
    for skipped in &about.skipped {
        let _ = writeln!(out, "skipped: {skipped}");
    }
    for alarm in summary.alarms() {
        let _ = writeln!(out, "{alarm}");
    }
    out
}

fn markdown(about: &About<'_>, summary: &Summary, plots: &[String]) -> String {
    let mut out = format!("# {}\n\n", about.suite.title);
    if !about.suite.note.is_empty() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}\n", about.suite.note.trim());
    }
    out += &list("## Look at these", &summary.alarms());
    out += &table::tasks(summary, about.suite, |t| format!("**{t}**")).markdown();
    out += "\nTimes are CPU seconds, memory is the peak of resident memory in millions of bytes. `holds ?` is a verdict where none is expected, `timeout (wall)` a run that the wall clock ended before its CPU time was up.\n";
    out += "\n## Sums\n\n";
    out += &table::totals(summary).markdown();
    out += "\nThe ratio is the geometric mean over the tasks that both solved (their number in brackets); above 1 is slower. PAR-2 is the mean time over all tasks, where one that is not solved counts twice the limit.\n";
    if !summary.families.is_empty() {
        out += "\n## Families\n\n";
        out += &table::families(summary).markdown();
    }
    out += &list("\n## Remarks", &remarks(summary));
    out += &list("\n## Skipped", &about.skipped);
    out += "\n## How it was measured\n\n";
    out += &measured(about);
    if !plots.is_empty() {
        out += "\n## Plots\n\n";
        for plot in plots {
            let _ = writeln!(out, "![{plot}]({plot})");
        }
    }
    out
}

fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: Vec<String> = items.iter().map(|i| format!("- {i}\n")).collect();
    format!("{title}\n\n{}\n", items.concat())
}

/// Explanations of missing verdicts, except for exceeded limits.
fn remarks(summary: &Summary) -> Vec<String> {
    const MOST: usize = 100;
    let mut found = Vec::new();
    for row in &summary.rows {
        for (heading, cell) in summary.headings.iter().zip(&row.cells) {
            let Some(Cell {
                outcome, detail, ..
            }) = cell
            else {
                continue;
            };
            let told = matches!(
                outcome,
                Outcome::Decided(_) | Outcome::Memory | Outcome::NotFound | Outcome::Timeout
            );
            if !told && !detail.is_empty() {
                let (task, word) = (&row.task.name, outcome.word());
                found.push(format!("{task}, {}: {word}: {detail}", heading.name));
            }
        }
    }
    if found.len() > MOST {
        let more = found.len() - MOST;
        found.truncate(MOST);
        found.push(format!("and {more} more, see runs.csv"));
    }
    found
}

fn measured(about: &About<'_>) -> String {
    let limits = about.limits;
    let mut out = format!("- Machine: {}\n", about.machine);
    let _ = writeln!(
        out,
        "- Limits of every run: {} s of CPU time, {:.1} GiB of memory, {} s of wall-clock time",
        limits.cpu.as_secs_f64(),
        limits.memory as f64 / f64::from(1 << 30),
        limits.wall().as_secs_f64()
    );
    if !MEASURES {
        out += "- CPU time and memory are not measured on this system: times are wall-clock times, and only they are limited\n";
    }
    if about.repeat > 1 {
        let _ = writeln!(
            out,
            "- Every run was made {} times: medians are shown, and the worst outcome",
            about.repeat
        );
    }
    out += "- Every run is a process of its own; contenders take turns. The time to export a task is not counted\n";
    let _ = writeln!(out, "- To repeat: `{}`", line(&about.command));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("Bakery 3 (n=2)"), "Bakery-3-n=2");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("ε"), "unnamed");
    }
}
