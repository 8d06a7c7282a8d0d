//! `cargo xtask gallery`: writes reports of a dozen checks, with pictures of some, to
//! `docs/gallery`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// A report: its name, the file under `models`, options, and a description.
type Exhibit = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

const EXHIBITS: &[Exhibit] = &[
    (
        "elevator",
        "elevator.sct",
        &["--engine", "slab", "--slab-paper"],
        "Slicing abstractions on the elevator of the paper: the graph grows by splits, shrinks by slices, and an empty graph is a proof",
    ),
    (
        "elevator-bug",
        "elevator.sct",
        &["-D", "bug=2"],
        "The same elevator with a mistake: a run of four steps beyond the top floor",
    ),
    (
        "bakery",
        "bakery.sct",
        &[],
        "Lamport's bakery with three customers: an invariant over unbounded tickets",
    ),
    (
        "bakery-bug",
        "bakery.sct",
        &["-D", "bug=1"],
        "Lower tickets are not waited for: lanes show who overtakes whom",
    ),
    (
        "fischer",
        "fischer.sct",
        &["--engine", "slab"],
        "Mutual exclusion by real time: clocks, and a proof by slicing",
    ),
    (
        "ticket",
        "ticket.sct",
        &[],
        "The ticket protocol: several properties on one page",
    ),
    (
        "deque",
        "deque.sct",
        &["--engine", "slab"],
        "A cyclic buffer that is never full: symmetry in the graph",
    ),
    (
        "sum",
        "sum.imp",
        &["--engine", "kojak"],
        "A program: path formulas on blocks between loops",
    ),
    (
        "lock",
        "lecture-c.imp",
        &["--engine", "impact"],
        "A lock that is released without being held: lazy abstraction finds the second round",
    ),
    (
        "readers",
        "rw.sct",
        &["--engine", "pdr"],
        "Readers and writers: two invariants, proved by property-directed reachability",
    ),
    (
        "lift",
        "protocols/lift.sct",
        &["--engine", "ctl", "--property", "served"],
        "Branching time: cells and rings for `AG` and `AF`",
    ),
    (
        "clauses",
        "twice.smt2",
        &["--engine", "horn"],
        "Horn clauses with two predicates in a body",
    ),
];

/// The exhibits that have pictures.
const PICTURES: &[&str] = &["elevator", "bakery-bug"];

/// Checks the models and writes the pages.
pub fn run(root: &Path) -> ExitCode {
    match write(root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("gallery: {why}");
            ExitCode::FAILURE
        }
    }
}

fn write(root: &Path) -> Result<(), String> {
    let folder = root.join("docs/gallery");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut table = String::from(
        "# Gallery\n\nReports of checks, as `sectile check --report` writes them: open one in a browser. `cargo xtask gallery` writes this \
         folder anew.\n\n| report | what there is to see | command |\n|---|---|---|\n",
    );
    for (name, model, options, what) in EXHIBITS {
        let (model, page) = (
            format!("models/{model}"),
            format!("docs/gallery/{name}.html"),
        );
        let status = Command::new(&cargo)
            .args([
                "run",
                "--quiet",
                "--package",
                "sectile",
                "--",
                "check",
                &model,
            ])
            .args(*options)
            .args([
                "--jobs",
                "1",
                "--quiet",
                "--timeout",
                "120s",
                "--report",
                &page,
            ])
            .current_dir(root)
            .stdout(Stdio::null())
            .status();
        let code = status.map_err(|e| e.to_string())?.code();
        if ![0, 10, 20].map(Some).contains(&code) {
            return Err(format!("{model}: exit code {code:?}"));
        }
        let typed = [&["sectile", "check", &model], *options].concat().join(" ");
        // Writing to a String cannot fail.
        let _ = writeln!(table, "| [{name}]({name}.html) | {what} | `{typed}` |");
    }
    for name in PICTURES {
        if picture(&folder, name) {
            let _ = write!(table, "\n![{name}]({name}.png)\n");
        }
    }
    let file = folder.join("README.md");
    std::fs::write(&file, table).map_err(|e| e.to_string())?;
    println!("gallery: {}", file.display());
    Ok(())
}

/// Takes a picture of a report with a browser; without a browser, an existing picture is kept.
fn picture(folder: &Path, name: &str) -> bool {
    let file = folder.join(format!("{name}.png"));
    let taken = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ])
        .args(["--disable-dev-shm-usage", "--window-size=1100,900"])
        .arg("--virtual-time-budget=4000")
        .arg(format!("--screenshot={}", file.display()))
        .arg(format!(
            "file://{}",
            folder.join(format!("{name}.html")).display()
        ))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !taken.is_ok_and(|s| s.success()) {
        eprintln!("gallery: no picture of {name}, there is no chromium");
    }
    file.is_file()
}
