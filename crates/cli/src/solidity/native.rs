//! Runs a separate compiler program. It calls Horn solvers by name, so we are put first on its path under
//! their names.

use super::compiler::{folders, located};
use crate::args::SolidityArgs;
use crate::commands::refused;
use anyhow::Context as _;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// As `z3` we are asked for proofs, from which the compiler derives transactions. Older compilers have z3
/// built in, and call only `eld`.
const NAMES: [&str; 2] = ["z3", "eld"];

/// Whether a program can be started.
pub fn is_there(program: &str) -> bool {
    version(program).is_some()
}

/// The version of a compiler.
fn version(program: &str) -> Option<String> {
    let ran = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let text = String::from_utf8_lossy(&ran.ok()?.stdout).into_owned();
    let line = text.lines().find_map(|l| l.strip_prefix("Version: "));
    line.map(|l| l.trim().to_string())
}

/// The complete output of the compiler for a file.
pub fn run(args: &SolidityArgs, program: &str) -> anyhow::Result<Value> {
    let version = version(program);
    let version = version.ok_or_else(|| {
        refused(
            "solidity",
            format!("`{program}` is not a Solidity compiler"),
        )
    })?;
    let name = format!("sectile-solidity-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).context("there is no folder for temporary files")?;
    let answer = with_solvers(args, program, &folder);
    // Failing to remove the folder must not lose the answer.
    let _ = std::fs::remove_dir_all(&folder);
    let errors = answer?;
    Ok(json!({ "version": version, "violations": violations(&errors), "errors": errors }))
}

/// The messages of the compiler, with Sectile as its solver.
fn with_solvers(args: &SolidityArgs, program: &str, folder: &Path) -> anyhow::Result<Value> {
    let own = std::env::current_exe().context("cannot find the path of this program")?;
    let asked = folder.join("asked");
    for name in NAMES {
        let text = format!(
            "#!/bin/sh\n: > '{}'\nexec '{}' --as {name} \"$@\"\n",
            asked.display(),
            own.display()
        );
        executable(&folder.join(name), &text).context("a solver cannot be written")?;
        let errors = messages(args, program, folder, name)?;
        let list = errors.as_array().map(Vec::as_slice).unwrap_or_default();
        let decides = |e: &Value| {
            e["message"]
                .as_str()
                .is_some_and(|m| m.starts_with("CHC: "))
        };
        if asked.exists() || !list.iter().any(decides) {
            return Ok(errors);
        }
    }
    let why = format!("`{program}` calls no solver by its name: a newer version is needed");
    Err(refused("solidity", why))
}

#[cfg(unix)]
fn executable(file: &Path, text: &str) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(file, text)?;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path, _: &str) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The messages of the compiler when it uses the solver of this name.
fn messages(
    args: &SolidityArgs,
    program: &str,
    folder: &Path,
    solver: &str,
) -> anyhow::Result<Value> {
    let (root, name) = located(args)?;
    let mut checker = json!({
        "engine": "chc",
        "solvers": [solver],
        "invariants": ["contract", "reentrancy"],
        "showProvedSafe": true,
        "showUnproved": true,
        "showUnsupported": true,
        "timeout": args.timeout.as_millis(),
    });
    if !args.targets.is_empty() {
        checker["targets"] = json!(args.targets);
    }
    let text = std::fs::read_to_string(&args.file).context("the contracts cannot be read")?;
    let input = json!({
        "language": "Solidity",
        "sources": { (name): { "content": text } },
        "settings": { "modelChecker": checker },
    });
    let mut path = folder.as_os_str().to_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new(program);
    command.arg("--standard-json").arg("--base-path").arg(&root);
    for at in folders(args, &root) {
        let packages = at.ancestors().map(|a| a.join("node_modules"));
        for packages in packages.filter(|p| p.is_dir()) {
            command.arg("--include-path").arg(packages);
        }
    }
    let started = command
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = started.context("the compiler could not be started")?;
    let mut pipe = child.stdin.take().context("the compiler does not listen")?;
    // If writing fails, the compiler itself reports why.
    let _ = pipe.write_all(input.to_string().as_bytes());
    drop(pipe);
    let output = child.wait_with_output().context("the compiler failed")?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let mut answer: Value =
        serde_json::from_str(&answer).context("the compiler ended without an answer")?;
    Ok(answer["errors"].take())
}

/// The transactions in the compiler's messages about violations.
fn violations(errors: &Value) -> Vec<Value> {
    let all = errors.as_array().map(Vec::as_slice).unwrap_or_default();
    let told = all.iter().filter_map(|error| {
        let message = error["message"].as_str()?;
        let (_, trace) = message.split_once("Transaction trace:\n")?;
        let mut calls: Vec<(&str, &str)> = Vec::new();
        for line in trace.lines().filter(|l| !l.trim().is_empty()) {
            match (line.strip_prefix("State: "), calls.last_mut()) {
                (Some(state), Some(call)) => call.1 = state,
                // Indented lines are calls inside of a transaction.
                _ if line.starts_with(' ') => {}
                _ => calls.push((line, "")),
            }
        }
        let calls = calls.iter();
        let calls = calls.map(|(call, state)| json!({ "call": call, "state": state }));
        Some(json!({
            "where": error["sourceLocation"],
            "code": error["errorCode"],
            "transactions": calls.collect::<Vec<_>>(),
        }))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::violations;
    use serde_json::json;

    #[test]
    fn transactions_are_those_of_the_message() {
        let message = "CHC: Assertion violation happens here.\nCounterexample:\nx = 1\n\n\
                       Transaction trace:\nC.constructor()\nState: x = 0\nC.f(1)\n    C.g() -- internal call";
        let found = violations(&json!([
            { "message": "CHC: Underflow happens here.", "errorCode": "3944" },
            { "message": message, "errorCode": "6328", "sourceLocation": { "start": 5 } },
        ]));
        let calls = json!([{ "call": "C.constructor()", "state": "x = 0" }, { "call": "C.f(1)", "state": "" }]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["transactions"], calls);
        assert_eq!(found[0]["where"]["start"], 5);
    }
}
