//! Sixty files: half from the zoo, half from Horn clauses.

use crate::race::{Outcome, Who, competitor, run as race, z3_version};
use crate::zoo::{Loaded, Subject};
use crate::{horn, root};
use std::time::Duration;

/// How many files of each kind.
const FROM_HORN: usize = 30;

macro_rules! subject {
    ($file:literal, $property:literal $(, $name:literal = $value:literal)*) => {
        Subject { file: $file, parameters: &[$(($name, $value)),*], property: $property }
    };
}

/// Three files of each: an unrolling, inductiveness, and the commands one by one.
const ZOO: &[(Subject, u32, u32)] = &[
    (subject!("bakery", "mutex", "n" = "3"), 10, 3),
    (subject!("bakery-fine", "mutex", "n" = "2"), 12, 4),
    (subject!("fischer", "mutex", "n" = "3"), 9, 3),
    (subject!("fischer", "mutex", "n" = "2", "bug" = "2"), 8, 5),
    (subject!("elevator", "safe"), 12, 4),
    (subject!("deque", "safe", "n" = "6"), 12, 3),
    (subject!("rw", "strong"), 12, 4),
    (subject!("ticket", "mutex", "n" = "3"), 10, 4),
    (subject!("airport-ticket", "p3", "n" = "3"), 7, 2),
    (subject!("chardriver", "cdr", "bug" = "1"), 10, 3),
];

/// A script with a name.
pub struct File {
    /// Shown where something is remarkable.
    pub name: String,
    /// The group it is counted in.
    pub group: &'static str,
    /// SMT-LIB.
    pub text: String,
}

fn from_zoo() -> anyhow::Result<Vec<File>> {
    let mut files = Vec::new();
    for (subject, depth, k) in ZOO {
        let loaded: Loaded = subject.load()?;
        let name = subject.name();
        let mut add = |group, what: String, text| {
            let name = format!("{name}, {what}");
            files.push(File { name, group, text });
        };
        let p = subject.property;
        let what = format!("{depth} steps");
        add("zoo, unrolled", what, loaded.violation(p, *depth)?);
        let what = format!("induction over {k}");
        add("zoo, inductiveness", what, loaded.induction(p, *k)?);
        add("zoo, edges", "edges".to_string(), loaded.edges(p)?);
    }
    Ok(files)
}

/// Sums over a group.
#[derive(Default)]
struct Row {
    group: &'static str,
    files: usize,
    ours: Duration,
    theirs: Duration,
    cpu: [Duration; 2],
    stopped: [usize; 2],
}

impl Row {
    fn add(&mut self, ours: &Outcome, theirs: Option<&Outcome>) {
        self.files += 1;
        self.ours += ours.time;
        self.cpu[0] += ours.cpu.unwrap_or_default();
        self.stopped[0] += usize::from(ours.stopped);
        if let Some(theirs) = theirs {
            self.theirs += theirs.time;
            self.cpu[1] += theirs.cpu.unwrap_or_default();
            self.stopped[1] += usize::from(theirs.stopped);
        }
    }

    fn print(&self, z3: bool) {
        let shown = |time: Duration, k: usize| {
            let (wall, cpu) = (time.as_secs_f64(), self.cpu[k].as_secs_f64());
            format!("{wall:.2} s ({cpu:.2} CPU) | {}", self.stopped[k])
        };
        let ours = shown(self.ours, 0);
        let theirs = if z3 {
            shown(self.theirs, 1)
        } else {
            "- | -".to_string()
        };
        println!("| {} | {} | {ours} | {theirs} |", self.group, self.files);
    }
}

/// Prints the tables. `limit` holds for each solver on each file.
pub fn run(limit: Duration) -> anyhow::Result<()> {
    let z3 = z3_version();
    let mut files = from_zoo()?;
    let clauses = root().join("../shared/bench/chc/dev");
    let horn = horn::files(&clauses, FROM_HORN)?;
    println!("{}", competitor(z3.as_deref()));
    if horn.is_empty() {
        println!("skipped: there are no Horn clauses beside the project; the zoo alone.");
    }
    files.extend(horn);
    let mut rows: Vec<Row> = Vec::new();
    let mut remarks = Vec::new();
    for file in &files {
        let ours = race(Who::Ours, &file.text, limit)?;
        let theirs = z3.as_ref().map(|_| race(Who::Z3, &file.text, limit));
        let theirs = theirs.transpose()?;
        remarks.extend(theirs.as_ref().and_then(|t| remark(file, &ours, t)));
        let place = rows.iter().position(|r| r.group == file.group);
        let place = place.unwrap_or_else(|| {
            rows.push(Row {
                group: file.group,
                ..Row::default()
            });
            rows.len() - 1
        });
        rows[place].add(&ours, theirs.as_ref());
    }
    print_rows(&rows, z3.is_some());
    if !remarks.is_empty() {
        println!("\nMore than twice as slow as z3, or worse:\n");
    }
    for remark in &remarks {
        println!("- {remark}");
    }
    Ok(())
}

/// What is to be said about a file besides the sums.
fn remark(file: &File, ours: &Outcome, theirs: &Outcome) -> Option<String> {
    if !ours.agrees(theirs) {
        return Some(format!("{}: THE ANSWERS DIFFER", file.name));
    }
    let slow = ours.time > 2 * theirs.time + Duration::from_millis(100);
    slow.then(|| {
        let (a, b) = (ours.time.as_secs_f64(), theirs.time.as_secs_f64());
        format!("{}: {a:.2} s, z3 {b:.2} s", file.name)
    })
}

fn print_rows(rows: &[Row], z3: bool) {
    println!("\n| files | number | ours | ours at the limit | z3 | z3 at the limit |");
    println!("|---|---|---|---|---|---|");
    let mut total = Row {
        group: "all",
        ..Row::default()
    };
    for row in rows {
        row.print(z3);
        total.files += row.files;
        total.ours += row.ours;
        total.theirs += row.theirs;
        for k in 0..2 {
            total.stopped[k] += row.stopped[k];
            total.cpu[k] += row.cpu[k];
        }
    }
    total.print(z3);
}
