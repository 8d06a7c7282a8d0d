//! The tool-info module in `contrib`, tried by BenchExec itself.
#![allow(clippy::print_stderr)]

use crate::common;

use common::root;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A Python with BenchExec; `None`, said aloud, where it cannot be had.
fn python() -> Option<PathBuf> {
    let has = |python: &Path| {
        let tried = Command::new(python)
            .args(["-c", "import benchexec"])
            .output();
        tried.is_ok_and(|o| o.status.success())
    };
    let own = PathBuf::from("python3");
    if has(&own) {
        return Some(own);
    }
    let folder = std::env::temp_dir().join(format!("sectile-benchexec-{}", std::process::id()));
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&folder)
        .output();
    let python = folder.join("bin/python");
    if made.is_ok_and(|o| o.status.success()) {
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--timeout",
            "20",
            "benchexec",
        ];
        let _ = Command::new(&python).args(pip).output();
        if has(&python) {
            return Some(python);
        }
    }
    eprintln!("skipped: BenchExec cannot be installed");
    None
}

fn tool_info(python: &Path, more: &[&str]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_sectile"));
    let folder = program.parent().expect("programs lie in folders");
    Command::new(python)
        .args([
            "-m",
            "benchexec.test_tool_info",
            "tools.sectile",
            "--no-container",
        ])
        .arg("--tool-directory")
        .arg(folder)
        .args(more)
        .env("PYTHONPATH", root().join("contrib/benchexec"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(root())
        .output()
        .expect("Python runs")
}

/// One test, so that BenchExec is installed once.
#[test]
fn benchexec_runs_the_tool_and_its_definitions() {
    let Some(python) = python() else { return };
    the_tool_is_found_and_its_answers_are_read(&python);
    the_definitions_run(&python);
}

/// The definitions are given to BenchExec as they are, beside two files of clauses. Limits that need
/// control groups are left out.
fn the_definitions_run(python: &Path) {
    let folder = std::env::temp_dir().join(format!("sectile-definitions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let definitions = ["sectile-chc.xml", "sectile-chc-model.xml"];
    let copied = definitions.iter().chain(&["clauses.set"]);
    let copied = copied.map(|n| root().join("contrib/benchexec").join(n));
    let clauses = ["countdown.smt2", "twice.smt2"].map(|n| root().join("models").join(n));
    for file in copied.chain(clauses) {
        let name = file.file_name().expect("it has a name");
        std::fs::copy(&file, folder.join(name)).expect("it can be copied");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_sectile"));
    for definition in definitions {
        let limits =
            "--no-container --timelimit 60s --walltimelimit 120s --memorylimit -1 --limitCores -1";
        let ran = Command::new(python)
            .args(["-m", "benchexec.benchexec"])
            .args(limits.split(' '))
            .arg("--tool-directory")
            .arg(program.parent().expect("programs lie in folders"))
            .arg("--outputpath")
            .arg(format!("{}/", folder.join("results").display()))
            .arg(folder.join(definition))
            .env("PYTHONPATH", root().join("contrib/benchexec"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .expect("Python runs");
        let out = String::from_utf8_lossy(&ran.stdout).into_owned();
        let err = String::from_utf8_lossy(&ran.stderr).into_owned();
        if !ran.status.success() && err.to_lowercase().contains("cgroup") {
            eprintln!("skipped: BenchExec cannot measure here: {}", err.trim());
            break;
        }
        for (file, answer) in [("countdown.smt2", "false"), ("twice.smt2", "true")] {
            let mut lines = out.lines();
            let line = lines.find(|l| l.contains(file)).unwrap_or_default();
            assert!(line.contains(answer), "{definition}: {out}{err}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

fn the_tool_is_found_and_its_answers_are_read(python: &Path) {
    let logs = std::env::temp_dir();
    let cases = [
        ("sat\n", "true"),
        ("unsat\n", "false"),
        ("unknown\n", "unknown"),
        ("mutex: holds\nfair: holds\n", "true"),
        ("mutex: holds\nfair: violated\n", "false"),
        ("mutex: unknown (timeout)\nfair: holds\n", "unknown"),
        ("nothing that is an answer\n", "ERROR"),
    ];
    for (k, (text, answer)) in cases.iter().enumerate() {
        let log = logs.join(format!("sectile-log-{}-{k}", std::process::id()));
        // BenchExec writes six lines before the output of the tool.
        let whole = format!("command\n\n\n--------\n\n\n{text}");
        std::fs::write(&log, whole).expect("the log can be written");
        let ran = tool_info(python, &["--tool-output", &log.to_string_lossy()]);
        std::fs::remove_file(&log).expect("the log can be removed");
        let whole = [ran.stdout, ran.stderr].concat();
        let whole = String::from_utf8_lossy(&whole);
        assert!(ran.status.success(), "{whole}");
        let plain: String = whole
            .chars()
            .filter(|c| !c.is_control() || *c == '\n')
            .collect();
        assert!(plain.contains("Sectile"), "{plain}");
        assert!(plain.contains(env!("CARGO_PKG_VERSION")), "{plain}");
        let read = plain.lines().rev().find(|l| !l.trim().is_empty());
        let read = read.unwrap_or_default();
        assert!(read.contains(answer), "{text}: {read}\n{plain}");
    }
}
