//! What the tests of the command line share.
#![allow(dead_code, unused_imports)]

pub mod clauses;
pub mod schema;

use sectile_testkit::files::zoo_files;
pub use sectile_testkit::files::{installed, root};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run of the program gave.
#[derive(Debug)]
pub struct Ran {
    pub out: String,
    pub err: String,
    pub code: i32,
}

/// Runs `sectile` in the project's folder.
pub fn sectile(args: &[&str]) -> Ran {
    sectile_with_input(args, "")
}

/// Runs `sectile` with a text on standard input.
pub fn sectile_with_input(args: &[&str], input: &str) -> Ran {
    use std::io::Write as _;
    let mut child = Command::new(env!("CARGO_BIN_EXE_sectile"))
        .args(args)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it has an input");
    // A program that does not read its input closes the pipe: not a failure.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    finished(child)
}

/// Starts `sectile` in the project's folder by a command that names it, for those who wait or kill.
pub fn started(mut command: Command, args: &[&str]) -> Child {
    command
        .args(args)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// What a program gave when it has ended.
pub fn finished(child: Child) -> Ran {
    let output = child.wait_with_output().expect("the program ends");
    Ran {
        out: String::from_utf8(output.stdout).expect("the output is text"),
        err: String::from_utf8(output.stderr).expect("the messages are text"),
        code: output.status.code().expect("it was not killed"),
    }
}

/// The zoo's files, in order.
pub fn zoo() -> Vec<PathBuf> {
    let files = zoo_files(&["sct", "imp", "bpl"]);
    assert!(files.len() >= 17, "the zoo is complete");
    files
}

/// A file in the system's temporary folder with this text.
pub fn temporary(name: &str, text: &str) -> PathBuf {
    // All tests run in one process, several at a time.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let unique = format!("sectile-test-{}-{count}-{name}", std::process::id());
    let path = std::env::temp_dir().join(unique);
    std::fs::write(&path, text).expect("the temporary folder can be written");
    path
}

/// Checks a file, which must give these verdicts, and has the evidence read back and accepted.
pub fn decided_and_certified(name: &str, options: &[&str], expected: &[String]) {
    let certificate = temporary("evidence.cert", "");
    let out = certificate.to_string_lossy().into_owned();
    let asked = ["check", name, "--certificate", &out, "--timeout", "120s"];
    let ran = sectile(&[&asked, options].concat());
    let verdicts: Vec<&str> = ran.out.lines().collect();
    assert_eq!(verdicts, expected, "{name} {options:?}\n{}", ran.err);
    let again = sectile(&["certify", name, &out]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert_eq!(again.out.matches("accepted").count(), expected.len());
    std::fs::remove_file(certificate).expect("the file was there");
}

/// Holds what the search of all states says against a header; whether it decides the property.
pub fn search_agrees(
    found: &sectile_explicit::Exploration,
    expectation: &sectile_model::Expectation,
    what: &str,
) -> bool {
    use sectile_explicit::Answer;
    use sectile_model::Expected;
    let mut results = found.properties.iter();
    let result = results.find(|p| p.name == expectation.property);
    let result = result.unwrap_or_else(|| panic!("{what}: there is no such property"));
    match (expectation.expected, result.answer) {
        (Expected::Holds, Answer::Violated) => panic!("{what} is violated"),
        (Expected::Violated(_), Answer::Holds) => panic!("{what} holds"),
        (Expected::Violated(Some(length)), Answer::Violated) => {
            let run = result.evidence.as_ref().expect("a violation has a run");
            assert_eq!(run.steps.len(), length, "{what}: length");
            true
        }
        (_, answer) => matches!(answer, Answer::Holds | Answer::Violated),
    }
}
