//! `sectile solidity`, where Node.js and the npm package `solc` are installed, and what it says where
//! they are not. `NODE_PATH` may say where the package is.
#![allow(clippy::print_stderr)]

use crate::common;

use common::{Ran, root, sectile, temporary};
use std::process::Command;

/// What the command gives; `None` where the compiler is not installed.
fn checked(arguments: &[&str]) -> Option<Ran> {
    let ran = sectile(&[&["solidity"], arguments].concat());
    if ran.code == 2 && ran.err.contains("npm install solc") {
        eprintln!("skipped: {}", ran.err.trim());
        return None;
    }
    Some(ran)
}

#[test]
fn a_token_with_bugs_and_without() {
    let Some(ran) = checked(&["models/solidity/token-bug.sol"]) else {
        return;
    };
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("2 violated, 0 unknown, 0 safe"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains(
        "violated: assert(supply <= CAP) (assertion violation)\n  1. Token.constructor()"
    ));
    assert!(
        ran.out
            .contains("Token.check() fails, with CAP = 1000, supply = ")
    );
    let Some(ran) = checked(&["models/solidity/token.sol"]) else {
        return;
    };
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("0 violated, 0 unknown, 2 safe"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("invariant of Token: "), "{}", ran.out);
}

#[test]
fn inputs_that_are_arrays_and_records_keep_their_places() {
    let contract = "// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0;
contract Box {
    struct Size { uint width; bool open; }
    function put(uint[] memory list, Size memory size, uint limit) public pure {
        require(list.length == 2 && list[1] == 7 && size.width > 3 && limit == 5);
        assert(size.open);
    }
}
";
    let file = temporary("box.sol", contract);
    let name = file.to_string_lossy().into_owned();
    let ran = checked(&[&name, "--targets", "assert"]);
    std::fs::remove_file(file).expect("the file was there");
    let Some(ran) = ran else { return };
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    let call = ran.out.lines().find(|l| l.contains("Box.put("));
    let call = call.expect("the call that fails");
    assert!(call.contains(", 7], ("), "{call}");
    assert!(call.contains(", false), 5) fails"), "{call}");
}

#[test]
fn transactions_have_inputs_and_states() {
    let contract = "// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0;
contract Door {
    uint code; bool open; int8 tries;
    constructor(uint first) { require(first > 5); code = first; }
    function knock(uint number, bool twice) public returns (uint left) {
        if (number == code + 2 && twice) open = true;
        tries -= 1;
        return 3;
    }
    function check() public view { assert(!open || tries > -2); }
}
";
    let file = temporary("door.sol", contract);
    let name = file.to_string_lossy().into_owned();
    let ran = checked(&[&name, "--targets", "assert"]);
    std::fs::remove_file(file).expect("the file was there");
    let Some(ran) = ran else { return };
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    let calls: Vec<&str> = ran.out.lines().filter(|l| l.starts_with("  ")).collect();
    assert_eq!(calls.len(), 4, "{}", ran.out);
    assert!(
        calls[0].starts_with("  1. Door.constructor("),
        "{}",
        ran.out
    );
    assert!(calls[0].contains("open = false, tries = 0"), "{}", ran.out);
    assert!(calls[1].starts_with("  2. Door.knock("), "{}", ran.out);
    assert!(
        calls[3].contains("Door.check() fails, with code = "),
        "{}",
        ran.out
    );
    assert!(calls[3].contains("open = true, tries = -2"), "{}", ran.out);
}

#[test]
fn mistakes_in_contracts_are_those_of_the_compiler() {
    let file = temporary(
        "mistake.sol",
        "contract C { function f() public { x = 1; } }\n",
    );
    let name = file.to_string_lossy().into_owned();
    let ran = checked(&[&name]);
    std::fs::remove_file(file).expect("the file was there");
    let Some(ran) = ran else { return };
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("Undeclared identifier"), "{}", ran.out);
}

#[test]
fn what_is_missing_is_told() {
    let file = "models/solidity/token.sol";
    let ran = sectile(&["solidity", file, "--node", "no such program"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("npm install solc"), "{}", ran.err);
    let ran = sectile(&["solidity", "no such file.sol"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.contains("cannot read `no such file.sol`"),
        "{}",
        ran.err
    );
}

/// The client of the npm package finds us on the path, under the names that it looks for.
#[cfg(unix)]
#[test]
fn the_client_of_the_compiler_shows_our_invariants() {
    if checked(&["models/solidity/token.sol"]).is_none() {
        return;
    }
    let script = "const solc = require('solc');
const checker = require('solc/smtchecker'), solvers = require('solc/smtsolver');
const found = solvers.availableSolvers.find(s => s.command === process.argv[2]);
const content = require('fs').readFileSync(process.argv[1], 'utf8');
const modelChecker = { engine: 'chc', solvers: ['smtlib2'], invariants: ['contract'], timeout: 20000 };
const input = { language: 'Solidity', sources: { token: { content } }, settings: { modelChecker } };
const smtSolver = checker.smtCallback(solvers.smtSolver, found);
for (const e of JSON.parse(solc.compile(JSON.stringify(input), { smtSolver })).errors || [])
  console.log(e.formattedMessage);";
    let folder = temporary("path", "").with_extension("d");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.display());
    for name in ["eld", "z3"] {
        let link = folder.join(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sectile"), link).expect("it can be linked");
        let output = Command::new("node")
            .args(["-e", script, "models/solidity/token.sol", name])
            .current_dir(root())
            .env("PATH", &path)
            .output();
        let output = output.expect("node was there before");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        if errors.contains("Cannot find module 'solc'") {
            eprintln!("skipped: the package is not on NODE_PATH");
            break;
        }
        assert!(
            text.contains("Contract invariant(s) for token:Token"),
            "{name}: {text}{errors}"
        );
        assert!(!text.contains("might happen"), "{name}: {text}");
    }
    std::fs::remove_dir_all(folder).expect("the folder was there");
}

/// A compiler that is a program of its own is spoken to as its documentation says: standard JSON on standard
/// input, Horn solvers called by name. The npm package stands in for it here.
#[cfg(unix)]
#[test]
fn a_native_compiler_calls_us_by_name() {
    use std::os::unix::fs::PermissionsExt as _;
    if checked(&["models/solidity/token.sol"]).is_none() {
        return;
    }
    let compiler = "#!/usr/bin/env node
const fs = require('fs'), run = require('child_process').spawnSync;
const folders = (process.env.NODE_PATH || '').split(':').concat(['.', 'target/solidity']);
const solc = require(require.resolve('solc', { paths: folders.map(f => fs.realpathSync(f || '.')) }));
if (process.argv[2] === '--version') {
  console.log('solc, a stand-in\\nVersion: ' + solc.version());
  process.exit(0);
}
const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const checker = input.settings.modelChecker, solver = checker.solvers[0];
checker.solvers = ['smtlib2'];
const smtSolver = (query) => {
  if (!/HORN/.test(query) || OLD === solver) return { contents: 'unknown' };
  fs.writeFileSync(__filename + '.smt2', query);
  const limit = solver === 'z3' ? '-T:20' : '-t:20';
  return { contents: run(solver, [limit, __filename + '.smt2'], { encoding: 'utf8' }).stdout };
};
console.log(solc.compile(JSON.stringify(input), { smtSolver }));
";
    let file = temporary("solc", "");
    let name = file.to_string_lossy().into_owned();
    // An older one has z3 built in, and calls only `eld`.
    for old in ["none", "z3"] {
        let text = compiler.replace("OLD", &format!("'{old}'"));
        std::fs::write(&file, text).expect("it can be written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&file, mode).expect("it is ours");
        let ran = sectile(&["solidity", "models/solidity/token.sol", "--solc", &name]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(
            ran.out.contains("0 violated, 0 unknown, 2 safe (solc "),
            "{}",
            ran.out
        );
        let invariant = "invariant of Token: (supply <= 1000)";
        assert!(ran.out.contains(invariant), "{}", ran.out);
    }
    let ran = sectile(&["solidity", "models/solidity/token.sol", "--solc", "cat"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains("`cat` is not a Solidity compiler"),
        "{}",
        ran.err
    );
    std::fs::remove_file(&file).expect("the file was there");
    let _ = std::fs::remove_file(format!("{name}.smt2"));
}

/// A sample of the compiler's own tests: every set of clauses is decided by us and by z3.
#[test]
fn a_sample_of_the_compilers_tests_contradicts_nobody() {
    let folder = root().join("target/solidity");
    let tests = folder.join("smtCheckerTests");
    if !tests.is_dir() || !common::installed("z3") {
        eprintln!(
            "skipped: bench/solidity/fetch.sh downloads what this test needs, and z3 is needed"
        );
        return;
    }
    let path = |p: &std::path::Path| p.to_string_lossy().into_owned();
    let (contracts, packages) = (path(&tests), path(&folder));
    let output = Command::new("node")
        .arg("bench/solidity/run.js")
        .args(["--contracts", &contracts, "--packages", &packages])
        .args(["--sectile", env!("CARGO_BIN_EXE_sectile"), "--z3", "z3"])
        .args(["--sample", "60", "--timeout", "5"])
        .current_dir(root())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: node: {error}");
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\"contradictions\": 0"), "{text}");
    assert!(text.contains("\"internal\": 0"), "{text}");
    let count = |key: &str| {
        let at = text.find(key).map_or("", |k| &text[k + key.len()..]);
        let digits: String = at.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().unwrap_or(0)
    };
    let decided = count("\"sat\": ") + count("\"unsat\": ");
    let queries = count("\"queries\": ");
    assert!(queries >= 60, "{text}");
    assert!(decided * 10 >= queries * 8, "{text}");
}
