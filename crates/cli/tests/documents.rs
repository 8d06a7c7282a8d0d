//! What the documents show is true: every command in them is run, and its output compared.
//!
//! In Markdown, a block ```sh with `sectile ...` lines followed by a block ```text is a command
//! with its output. A block without output must at least succeed with a documented code, and where
//! a line of it ends with `# prints: a | b`, its output must have the lines `a` and `b`.

#![allow(clippy::print_stderr)]

use crate::common;

use common::{root, sectile};
use std::path::{Path, PathBuf};

/// A fenced block: its language and its lines.
struct Block {
    language: String,
    text: String,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in markdown.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                open = Some(Block {
                    language: language.trim().to_string(),
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

fn documents() -> Vec<PathBuf> {
    let mut files = vec![root().join("README.md"), root().join("models/README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("docs can be listed") {
            let path = entry.expect("docs can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The arguments of a `sectile` command line, without its comment.
pub fn arguments(line: &str) -> Option<Vec<String>> {
    let line = line.split(" #").next().unwrap_or("").trim();
    let rest = line
        .strip_prefix("sectile ")
        .or_else(|| line.strip_prefix("cargo run --release -- "))?;
    // What stands between double quotes is one argument.
    let mut found = Vec::new();
    for (i, piece) in rest.split('"').enumerate() {
        match i % 2 {
            0 => found.extend(piece.split_whitespace().map(ToString::to_string)),
            _ => found.push(piece.to_string()),
        }
    }
    Some(found)
}

/// What a comment says that the command of its line prints.
fn claims(line: &str) -> impl Iterator<Item = &str> {
    let comment = line.split_once("# prints: ").map_or("", |(_, c)| c);
    comment.split('|').map(str::trim).filter(|c| !c.is_empty())
}

/// What a command prints; `None` if it needs a program that is not installed.
fn run(path: &Path, line: &str, arguments: &[String]) -> Option<String> {
    let mut list: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // What is shown must end by itself; a limit keeps a mistake from hanging the tests.
    if ["check", "explore"].contains(&list[0]) && !list.contains(&"--timeout") {
        list.extend(["--timeout", "60s"]);
    }
    let ran = sectile(&list);
    if list[0] == "solidity" && ran.code == 2 && ran.err.contains("npm install solc") {
        eprintln!("skipped: `{line}`: {}", ran.err.trim());
        return None;
    }
    let known = [0, 10, 20].contains(&ran.code);
    assert!(
        known,
        "{}: `{line}` ends with {}: {}",
        path.display(),
        ran.code,
        ran.err
    );
    Some(ran.out)
}

#[test]
fn every_command_in_the_documents_does_what_they_say() {
    let mut commands = 0;
    for path in documents() {
        let markdown = std::fs::read_to_string(&path).expect("documents can be read");
        let blocks = blocks(&markdown);
        for (i, block) in blocks.iter().enumerate() {
            if block.language != "sh" {
                continue;
            }
            let mut output = String::new();
            let mut any = false;
            for line in block.text.lines() {
                // Placeholders in capitals are a synopsis, not a command.
                let Some(arguments) = arguments(line) else {
                    continue;
                };
                if arguments
                    .iter()
                    .any(|a| ["FILE", "CERTIFICATE", "OUT", "DIR"].contains(&a.as_str()))
                {
                    continue;
                }
                let Some(printed) = run(&path, line, &arguments) else {
                    any = false;
                    break;
                };
                for claim in claims(line) {
                    let shown = printed.lines().any(|l| l == claim);
                    assert!(shown, "{}: `{line}` prints\n{printed}", path.display());
                }
                // Offers repeat the options, and this test adds some.
                let is_offer = |l: &str| l.starts_with("  try: ") && l.contains("--forall");
                for text in printed.split_inclusive('\n').filter(|l| !is_offer(l)) {
                    output.push_str(text);
                }
                any = true;
                commands += 1;
            }
            let shown = blocks.get(i + 1).filter(|b| any && b.language == "text");
            if let Some(shown) = shown {
                assert_eq!(
                    output,
                    shown.text,
                    "{}: output of\n{}",
                    path.display(),
                    block.text
                );
            }
        }
    }
    assert!(commands >= 5, "the documents show commands: {commands}");
}

#[test]
fn the_tutorial_shows_its_files_and_the_book_has_all_documents() {
    let docs = root().join("docs");
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("documents can be read");
    let files: Vec<String> = sectile_testkit::files::files_in(&docs.join("tutorial"), &["sct"])
        .into_iter()
        .map(read)
        .collect();
    assert_eq!(files.len(), 3);
    let tutorial = read(docs.join("tutorial.md"));
    for block in blocks(&tutorial).iter().filter(|b| b.language == "sct") {
        let shown = files.iter().any(|f| f.contains(&block.text));
        assert!(shown, "no file of the tutorial has\n{}", block.text);
    }
    let summary = read(docs.join("SUMMARY.md"));
    for path in documents()
        .iter()
        .filter_map(|p| p.strip_prefix(&docs).ok())
    {
        let listed = summary.contains(&format!("({})", path.display()));
        assert!(
            listed || path.ends_with("SUMMARY.md"),
            "{} is not in the book",
            path.display()
        );
    }
}
