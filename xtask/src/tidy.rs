//! `cargo xtask tidy`: checks the rules of ARCHITECTURE.md that can be checked by reading the tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The maximum number of lines of a file; longer ones need a first line `// long: REASON`.
const LONGEST_FILE: usize = 1000;

/// The maximum number of crates, for the sake of overview.
const MOST_CRATES: usize = 28;

/// The files allowed in the root; others are there by accident.
const ROOT_FILES: &[&str] = &[
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
];

/// Crates with restricted dependencies, and the crates on which they must not depend.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "certify",
        &["engine", "transform", "domains", "frontend", "driver"],
    ),
    ("frontend", &["solver", "engine", "driver"]),
    ("proof", &["solver", "engine", "model", "driver"]),
    ("model", &["solver", "engine", "driver"]),
    (
        "bench",
        &["model", "solver", "engine", "frontend", "driver"],
    ),
    ("terms", &["model", "solver", "engine", "driver"]),
];

/// Runs all checks and prints the problems.
pub fn run() -> ExitCode {
    let root = root();
    let mut problems = Vec::new();
    crate_dependencies(&root, &mut problems);
    for path in tracked_files(&root) {
        root_file(&root, &path, &mut problems);
        source_file(&root, &path, &mut problems);
        test_file(&root, &path, &mut problems);
        silent_test(&root, &path, &mut problems);
        crate::links::check(&root, &path, &mut problems);
    }
    paper_keys(&root, &mut problems);
    for problem in &problems {
        eprintln!("tidy: {problem}");
    }
    if problems.is_empty() {
        println!("tidy: the tree keeps its rules");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The folder of the project.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Files that are tracked, or new and not ignored.
fn tracked_files(root: &Path) -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output();
    let Ok(output) = listed else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(PathBuf::from).collect()
}

/// The Sectile crates on which each crate depends, from the manifests.
fn manifests(root: &Path) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(root.join("crates")) else {
        return found;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(entry.path().join("Cargo.toml")) else {
            continue;
        };
        let normal = text.split("[dev-dependencies]").next().unwrap_or("");
        let uses = normal.lines().filter_map(|line| {
            let rest = line.strip_prefix("sectile-")?;
            let end = rest.find([' ', '=', '.'])?;
            Some(rest[..end].to_string())
        });
        found.insert(name, uses.collect());
    }
    found
}

fn crate_dependencies(root: &Path, problems: &mut Vec<String>) {
    let manifests = manifests(root);
    let count = manifests.len();
    if count > MOST_CRATES {
        problems.push(format!(
            "{count} crates, more than {MOST_CRATES}: join some"
        ));
    }
    for (name, uses) in &manifests {
        for used in uses {
            if used == "testkit" {
                problems.push(format!("crate {name} needs testkit outside of its tests"));
            }
            if name.starts_with("engine-") && used.starts_with("engine-") {
                problems.push(format!(
                    "engine crate {name} depends on engine crate {used}"
                ));
            }
        }
        let rules = FORBIDDEN.iter().filter(|(who, _)| who == name);
        for banned in rules.flat_map(|(_, list)| list.iter()) {
            let kin = |used: &&String| *used == banned || used.starts_with(&format!("{banned}-"));
            for used in uses.iter().filter(kin) {
                problems.push(format!("crate {name} must not depend on {used}"));
            }
        }
    }
}

fn root_file(root: &Path, path: &Path, problems: &mut Vec<String>) {
    let in_root = path.components().count() == 1 && root.join(path).is_file();
    if in_root && !ROOT_FILES.iter().any(|known| Path::new(known) == path) {
        let shown = path.display();
        problems.push(format!("`{shown}` does not belong in the root"));
    }
}

fn source_file(root: &Path, path: &Path, problems: &mut Vec<String>) {
    if path.extension().is_none_or(|e| e != "rs") {
        return;
    }
    let Ok(text) = std::fs::read_to_string(root.join(path)) else {
        return;
    };
    let shown = path.display();
    let lines = text.lines().count();
    if lines > LONGEST_FILE && !text.starts_with("// long:") {
        problems.push(format!("{shown} has {lines} lines; split it, or say why"));
    }
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for banned in ["static mut", "lazy_static!", "OnceLock"] {
            // This list itself is the only place where these words are allowed.
            if code.contains(banned) && !path.starts_with("xtask") {
                problems.push(format!("{shown}:{} uses {banned}", number + 1));
            }
        }
    }
    let library = path.starts_with("crates") && path.ends_with("src/lib.rs");
    if library && !text.trim_start().starts_with("//!") && !text.starts_with("// long:") {
        problems.push(format!("{shown} does not begin with its documentation"));
    }
}

/// Checks that `main.rs` lists a file of tests: the tests of a crate are one program, and unlisted
/// files never run.
fn test_file(root: &Path, path: &Path, problems: &mut Vec<String>) {
    let in_tests = path.parent().is_some_and(|p| p.ends_with("tests"));
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if !in_tests || path.extension().is_none_or(|e| e != "rs") || name == "main" {
        return;
    }
    let main = root.join(path).with_file_name("main.rs");
    let listed = std::fs::read_to_string(main).unwrap_or_default();
    let manifest = root.join(path).with_file_name("../Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap_or_default();
    let alone = format!("path = \"tests/{name}.rs\"");
    if !listed.lines().any(|l| l == format!("mod {name};")) && !manifest.contains(&alone) {
        let shown = path.display();
        problems.push(format!("{shown} is no module of the `main.rs` beside it"));
    }
}

/// Checks that libraries without tests or examples in their source declare that, which saves a
/// compilation; tests and examples in a library that declares it would not run.
fn silent_test(root: &Path, path: &Path, problems: &mut Vec<String>) {
    let Some(source) = path.ancestors().find(|p| p.ends_with("src")) else {
        return;
    };
    if path.extension().is_none_or(|e| e != "rs") {
        return;
    }
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let manifest = read(root.join(source).with_file_name("Cargo.toml"));
    let text = read(root.join(path));
    for (setting, what, mark) in [
        ("\ntest = false", "a test", "#[test]"),
        ("\ndoctest = false", "an example", "//! ```"),
        ("\ndoctest = false", "an example", "/// ```"),
    ] {
        let has_mark = text.lines().any(|l| l.trim_start().starts_with(mark));
        if manifest.contains(setting) && has_mark {
            let shown = path.display();
            problems.push(format!("{shown} has {what}, which its manifest turns off"));
        }
    }
}

/// Checks that every key in a `Paper: [KEY, ...]` line is in the bibliography.
fn paper_keys(root: &Path, problems: &mut Vec<String>) {
    let bibliography = std::fs::read_to_string(root.join("docs/papers.bib")).unwrap_or_default();
    for path in tracked_files(root) {
        if path.extension().is_none_or(|e| e != "rs") || path.starts_with("xtask") {
            continue;
        }
        let text = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
        for (number, line) in text.lines().enumerate() {
            let Some((_, rest)) = line.split_once("Paper: [") else {
                continue;
            };
            let key: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            if !bibliography.contains(&format!("{{{key},")) {
                let shown = path.display();
                problems.push(format!(
                    "{shown}:{}: no entry {key} in papers.bib",
                    number + 1
                ));
            }
        }
    }
}
