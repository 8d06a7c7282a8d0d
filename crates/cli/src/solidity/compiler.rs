//! Finds the compiler and runs it.

use super::native;
use crate::args::SolidityArgs;
use crate::commands::{bad, refused};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DRIVER: &str = include_str!("compile.js");

/// The maximum number of violations that are reported with their transactions.
const MOST_VIOLATIONS: usize = 25;

/// The complete output of the compiler for a file, in the form of `compile.js`.
///
/// Unless the user chooses a compiler, the npm package is used, and if it is missing, a `solc` on the
/// path.
pub fn run(args: &SolidityArgs) -> anyhow::Result<Value> {
    if let Some(program) = &args.solc {
        return native::run(args, program);
    }
    match packaged(args)? {
        Ok(answer) => Ok(answer),
        Err(_) if native::is_there("solc") => native::run(args, "solc"),
        Err(missing) => Err(bad(missing)),
    }
}

/// The folder of the file, and its name there.
pub fn located(args: &SolidityArgs) -> anyhow::Result<(PathBuf, String)> {
    let file = Path::new(&args.file);
    if !file.is_file() {
        return Err(refused("input", format!("cannot read `{}`", args.file)));
    }
    let root = file.parent().filter(|p| !p.as_os_str().is_empty());
    let name = file.file_name().and_then(|n| n.to_str());
    let name = name.ok_or_else(|| bad("the file name is not valid UTF-8"))?;
    let root = root.unwrap_or(Path::new("."));
    Ok((absolute(root), name.to_string()))
}

/// The output of the npm package; if it is missing, advice on what to install.
fn packaged(args: &SolidityArgs) -> anyhow::Result<Result<Value, String>> {
    let (root, name) = located(args)?;
    let order = json!({
        "file": name,
        "root": root,
        "folders": folders(args, &root),
        "solver": solver(args)?,
        "timeout": args.timeout.as_millis(),
        "targets": args.targets,
        "most": MOST_VIOLATIONS,
    });
    let node = Command::new(&args.node)
        .args(["-e", DRIVER, "--"])
        .arg(order.to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let output = match node {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Err(format!(
                "error: the Solidity compiler runs on Node.js, and there is no `{}`\n  \
                 install it with: apt install nodejs npm && npm install solc",
                args.node
            )));
        }
        other => other.context("the compiler could not be started")?,
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let answer: Value =
        serde_json::from_str(&text).context("the compiler ended without an answer")?;
    if answer["missing"] == true {
        let missing =
            "error: the Solidity compiler is not installed\n  install it with: npm install solc";
        return Ok(Err(missing.to_string()));
    }
    if let Some(why) = answer["broken"].as_str() {
        return Err(refused("solidity", why));
    }
    Ok(Ok(answer))
}

/// The command that decides clauses: this program itself.
fn solver(args: &SolidityArgs) -> anyhow::Result<Vec<String>> {
    let own = std::env::current_exe().context("cannot find the path of this program")?;
    let mut line = vec![own.to_string_lossy().into_owned()];
    line.push("solidity-query".to_string());
    line.push("--timeout".to_string());
    line.push(format!("{}ms", args.timeout.as_millis()));
    line.push("--memory".to_string());
    line.push(args.memory.to_string());
    Ok(line)
}

/// The folders in which packages are searched, along with their parents.
pub fn folders(args: &SolidityArgs, root: &Path) -> Vec<PathBuf> {
    let given = args.packages.iter().map(PathBuf::from);
    let usual = [root.to_path_buf(), PathBuf::from(".")];
    given.chain(usual).map(|p| absolute(&p)).collect()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
