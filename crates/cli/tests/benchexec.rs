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

#[test]
fn the_tool_is_found_and_its_answers_are_read() {
    let Some(python) = python() else { return };
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
        let ran = tool_info(&python, &["--tool-output", &log.to_string_lossy()]);
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
