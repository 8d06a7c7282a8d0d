//! Files of the project and beside it, and optional programs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the model zoo; a name without an ending is one in the native language.
pub fn model_file(name: &str) -> PathBuf {
    let ending = if name.contains('.') { "" } else { ".sct" };
    root().join("models").join(format!("{name}{ending}"))
}

/// The text of a file of the model zoo.
pub fn model_text(name: &str) -> String {
    let file = model_file(name);
    std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The files of the model zoo with one of these endings, in order.
pub fn zoo_files(endings: &[&str]) -> Vec<PathBuf> {
    files_in(&root().join("models"), endings)
}

/// The files of a folder with one of these endings, in order.
pub fn files_in(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|p| {
        p.extension()
            .is_some_and(|e| endings.iter().any(|k| e == *k))
    });
    files.sort();
    files
}

/// A file or folder in the folder `shared` beside the project; if it is missing, a test says so and
/// passes.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = root().join("../shared").join(path);
    if !found.exists() {
        eprintln!("skipped: there is no ../shared/{path}");
        return None;
    }
    Some(found)
}

/// Whether a program is installed; if not, a test says so and passes.
pub fn installed(program: &str) -> bool {
    let mut command = Command::new(program);
    let command = command.arg("--version").stdin(Stdio::null());
    let found = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        eprintln!("skipped: {program} is not installed");
    }
    found.is_ok()
}

/// The output of a program for an input text; `None`, with a message, if it is not installed.
pub fn ask(program: &str, arguments: &[&str], text: &str) -> Option<String> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: {program} is not installed");
        return None;
    };
    let mut input = child.stdin.take().expect("the pipe was asked for");
    let text = text.to_string();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    // A program may end before it has read everything.
    let _ = writer.join().expect("the writer does not panic");
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}
