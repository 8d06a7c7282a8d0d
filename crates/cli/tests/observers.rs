//! What is written while engines work: pictures, the event stream, the status.

use crate::common;

use common::{Ran, installed, root, sectile};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of our own for one test.
fn folder(name: &str) -> PathBuf {
    let unique = format!("sectile-test-{}-{name}", std::process::id());
    let path = std::env::temp_dir().join(unique);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("it can be listed").file_name();
    let mut names: Vec<String> = entries
        .map(|e| name(e).into_string().expect("names are text"))
        .collect();
    names.sort();
    names
}

fn draw(folder: &Path, args: &[&str]) -> Ran {
    let mut all = vec!["check", "--engine", "slab", "--dot", text(folder)];
    all.extend(args);
    sectile(&all)
}

#[test]
fn every_step_has_a_picture_and_a_row() {
    let folder = folder("pictures");
    let ran = draw(&folder, &["models/elevator-dom.sct", "--slab-paper"]);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("safe: holds\n", 0),
        "{}",
        ran.err
    );
    let names = files(&folder);
    let steps: Vec<&String> = names.iter().filter(|n| n.starts_with("step-")).collect();
    assert!(steps.len() > 2, "{names:?}");
    assert_eq!(*steps[0], "step-001.dot");
    for name in &steps {
        let dot = read(&folder, name);
        assert!(
            dot.contains("digraph abstraction {") && dot.ends_with("}\n"),
            "{dot}"
        );
    }
    let first = read(&folder, steps[0]);
    assert!(
        first.contains("start") && first.contains("peripheries=2"),
        "{first}"
    );
    // Something is sliced somewhere, and says why.
    let dashed = |name: &&&String| read(&folder, name).contains("dashed");
    let some = steps.iter().find(dashed).expect("slices are drawn");
    assert!(read(&folder, some).contains("tooltip="));
    let csv = read(&folder, "abstraction.csv");
    let mut rows = csv.lines();
    let head = rows.next().expect("there is a head");
    assert_eq!(head, "step,predicates,nodes,edges,part,property,engine");
    let last = rows.next_back().expect("there are rows");
    assert!(
        last.ends_with(",0,0,1,safe,slab"),
        "the last slice is empty: {last}"
    );
    let svg = read(&folder, "abstraction.svg");
    roxmltree::Document::parse(&svg).expect("the plot is well-formed");
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn pictures_of_an_earlier_run_go_and_other_files_stay() {
    let folder = folder("older");
    draw(&folder, &["models/elevator.sct"]);
    let count = files(&folder).len() - 2;
    let (ours, other) = (
        format!("step-{:03}.dot", count + 1),
        format!("step-{:03}.dot", count + 2),
    );
    let header = sectile_report::DOT_HEADER;
    std::fs::write(folder.join(&ours), format!("{header}\ndigraph {{}}\n")).expect("written");
    std::fs::write(folder.join(&other), "digraph mine {}\n").expect("written");
    draw(&folder, &["models/elevator.sct"]);
    let names = files(&folder);
    assert!(!names.contains(&ours), "{names:?}");
    assert!(names.contains(&other), "{names:?}");
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn an_engine_that_draws_nothing_is_told_of() {
    let folder = folder("nothing");
    let args = [
        "check",
        "models/rw.sct",
        "--engine",
        "kinduction",
        "--dot",
        text(&folder),
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.err, "warning: no engine drew a picture for --dot\n");
    assert!(files(&folder).is_empty());
    let quiet: Vec<&str> = args.iter().copied().chain(["--quiet"]).collect();
    assert_eq!(sectile(&quiet).err, "");
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn a_folder_that_cannot_be_made_is_wrong_usage() {
    let ran = sectile(&["check", "models/rw.sct", "--dot", "models/rw.sct/pictures"]);
    assert_eq!((ran.out.as_str(), ran.code), ("", 2));
    assert!(ran.err.contains("models/rw.sct/pictures"), "{}", ran.err);
}

/// Something that goes on until its time is up.
const ENDLESS: &[&str] = &["check", "models/elevator.sct", "--engine", "kinduction"];

fn endless(args: &[&str]) -> Ran {
    let all: Vec<&str> = ENDLESS.iter().chain(args).copied().collect();
    sectile(&all)
}

#[test]
fn without_a_terminal_there_is_a_line_a_second_if_wanted() {
    let ran = endless(&["--timeout", "2500ms", "-v"]);
    assert_eq!(ran.code, 20);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines[0], "kinduction: checking safe");
    assert!((2..=6).contains(&lines.len()), "{}", ran.err);
    assert!(lines[1].contains("no violation in"), "{}", ran.err);
    assert!(!ran.err.contains('\x1b'), "{}", ran.err);
    let silent = endless(&["--timeout", "1200ms"]);
    assert_eq!(silent.err, "");
    let quiet = endless(&["--timeout", "1200ms", "-v", "--quiet"]);
    assert_eq!(quiet.err, "");
}

#[test]
fn who_asks_twice_hears_every_step() {
    let args = ["check", "models/elevator.sct", "--engine", "slab", "-vv"];
    let ran = sectile(&args);
    assert_eq!(ran.out, "safe: holds\n");
    for word in [
        "slab: checking safe",
        "path n",
        "split into",
        "predicate",
        "sliced: ",
    ] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
}

/// What a terminal shows of a shell command that begins with `sectile`.
fn on_terminal(command: &str, environment: &[(&str, &str)]) -> Option<String> {
    if !installed("script") {
        return None;
    }
    let program = env!("CARGO_BIN_EXE_sectile");
    let command = command.replacen("sectile", program, 1);
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]);
    script
        .current_dir(root())
        .env_remove("NO_COLOR")
        .env("TERM", "xterm");
    script.envs(environment.iter().copied());
    let output = script.output().expect("script runs");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The rows of a terminal on which this was written, down to the verdict.
fn screen(text: &str) -> Vec<String> {
    let (mut rows, mut row) = (vec![String::new()], 0);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\x1b' => {
                let end = rest
                    .find(|c: char| c.is_ascii_alphabetic())
                    .expect("it ends");
                match &rest[end..=end] {
                    "A" => row -= rest[1..end].parse::<usize>().expect("a number"),
                    "B" => row += rest[1..end].parse::<usize>().expect("a number"),
                    "K" => rows[row].clear(),
                    "m" => {}
                    other => panic!("unknown control {other}: {text:?}"),
                }
                rest = &rest[end + 1..];
            }
            // Whoever goes to the left clears the row before something else is written.
            '\r' => {}
            '\n' => {
                row += 1;
                rows.resize(rows.len().max(row + 1), String::new());
            }
            c => {
                // What is wider than the terminal goes on in the next row.
                if rows[row].chars().count() == 80 {
                    row += 1;
                    rows.resize(rows.len().max(row + 1), String::new());
                }
                rows[row].push(c);
            }
        }
    }
    let end = rows.iter().position(|r| r.contains("(timeout)"));
    rows.truncate(end.expect("there is a verdict") + 1);
    rows
}

#[test]
fn a_terminal_shows_the_status_in_place_and_nothing_of_it_stays() {
    let run = "sectile check models/elevator.sct --engine kinduction --timeout 1s";
    let Some(shown) = on_terminal(run, &[]) else {
        return;
    };
    assert!(shown.contains("kinduction: safe, 0."), "{shown:?}");
    assert!(shown.contains("no violation in"), "{shown:?}");
    assert!(shown.contains("\x1b[1m"), "{shown:?}");
    // At most one frame in a tenth of a second, each with the title once.
    assert!(
        shown.matches("kinduction: safe, ").count() <= 12,
        "{shown:?}"
    );
    assert_eq!(screen(&shown), ["safe: unknown (timeout)"], "{shown:?}");
    let plain = on_terminal(run, &[("NO_COLOR", "1")]).expect("script is there");
    assert!(
        plain.contains("kinduction: safe, 0.") && !plain.contains("\x1b[1m"),
        "{plain:?}"
    );
    for (more, environment) in [(" --quiet", None), ("", Some(("TERM", "dumb")))] {
        let command = format!("{run}{more}");
        let environment: Vec<(&str, &str)> = environment.into_iter().collect();
        let shown = on_terminal(&command, &environment).expect("script is there");
        assert!(!shown.contains('\x1b'), "{shown:?}");
    }
}

#[test]
fn the_status_is_not_part_of_the_result() {
    let folder = folder("result");
    std::fs::create_dir_all(&folder).expect("it can be made");
    let file = folder.join("out");
    let run = "sectile check models/elevator.sct --engine kinduction --timeout 1s";
    let Some(shown) = on_terminal(&format!("{run} > {}", text(&file)), &[]) else {
        return;
    };
    assert!(shown.contains("kinduction: safe, 0."), "{shown:?}");
    let result = read(&folder, "out");
    assert!(result.starts_with("safe: unknown (timeout)\n"), "{result}");
    assert!(!result.contains('\x1b'), "{result:?}");
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn statistics_have_the_names_of_the_contract() {
    let args = [
        "check",
        "models/elevator.sct",
        "--engine",
        "slab",
        "--format",
        "json",
    ];
    let ran = sectile(&args);
    let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let statistics = &document["properties"][0]["statistics"];
    for name in [
        "iterations",
        "splits",
        "nodes_max",
        "predicates",
        "solver_calls",
        "solver_seconds",
    ] {
        assert!(statistics[name].is_number(), "{name}: {statistics}");
    }
    assert!(statistics["nodes_max"].as_u64() >= Some(3), "{statistics}");
}
