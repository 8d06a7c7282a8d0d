//! `cargo xtask playground [DIR]`: writes the playground as a folder of static files.
//!
//! The page needs no server: the program is embedded as text in a script, because pages opened as
//! local files may load only scripts.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The compilation target for the browser. Its `std` supports clocks, arguments and files, so that
/// the program is the unchanged command line.
const TARGET: &str = "wasm32-wasip1";

/// Builds the program and writes the folder.
pub fn run(root: &Path, folder: Option<String>) -> ExitCode {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| root.join("target"));
    let folder = folder.map_or_else(|| target.join("playground"), PathBuf::from);
    match build(root, &target).and_then(|program| write(root, &folder, &program)) {
        Ok(()) => {
            println!("playground: {}", folder.join("index.html").display());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("playground: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles the command line for the browser.
fn build(root: &Path, target: &Path) -> Result<Vec<u8>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--locked", "--package", "sectile"])
        .args(["--target", TARGET])
        .env("CARGO_PROFILE_RELEASE_STRIP", "true")
        .current_dir(root)
        .status();
    if !status.is_ok_and(|s| s.success()) {
        let help = format!("is the target there? `rustup target add {TARGET}`");
        return Err(format!("the program cannot be built; {help}"));
    }
    let program = target.join(TARGET).join("release/sectile.wasm");
    std::fs::read(&program).map_err(|e| format!("{}: {e}", program.display()))
}

fn write(root: &Path, folder: &Path, program: &[u8]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let pages = root.join("contrib/playground");
    std::fs::create_dir_all(folder).map_err(failed)?;
    for name in ["index.html", "style.css", "app.js"] {
        std::fs::copy(pages.join(name), folder.join(name)).map_err(failed)?;
    }
    let worker = std::fs::read_to_string(pages.join("worker.js")).map_err(failed)?;
    let worker = format!("window.sectileWorker = {};\n", quoted(&worker));
    let program = format!("window.sectileProgram = \"{}\";\n", base64(program));
    let examples = examples(&root.join("models"));
    for (name, text) in [
        ("worker-source.js", worker),
        ("sectile.js", program),
        ("examples.js", examples),
    ] {
        std::fs::write(folder.join(name), text).map_err(failed)?;
    }
    Ok(())
}

/// The models of the zoo, as a script.
fn examples(models: &Path) -> String {
    let mut text = String::from("window.sectileExamples = [\n");
    let mut folders = vec![models.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|e| e.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if ["sct", "imp", "bpl", "smt2", "vmt"]
                .map(Some)
                .contains(&ending)
            {
                files.push(path);
            }
        }
    }
    // Files of the folder itself come first.
    files.sort_by_key(|f| (f.parent() != Some(models), f.clone()));
    for file in files {
        let name = file.strip_prefix(models).unwrap_or(&file);
        let content = std::fs::read_to_string(&file).unwrap_or_default();
        // Scripts for SMT solvers are not models.
        if content.contains("(set-logic ") && !content.contains("HORN") {
            continue;
        }
        let (name, content) = (quoted(&name.to_string_lossy()), quoted(&content));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {{ name: {name}, text: {content} }},");
    }
    text + "];\n"
}

/// A JavaScript string literal.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' || c == '\u{2028}' || c == '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i > three.len() {
                '='
            } else {
                char::from(digit)
            });
        }
    }
    out
}
