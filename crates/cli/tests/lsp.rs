//! `sectile lsp`, driven by a client of the Python registry.

use crate::common;

use common::{root, sectile_with_input};
use std::process::Command;

#[test]
fn a_client_from_the_registry_works_with_the_server() {
    let python = std::env::var("SECTILE_TEST_PYTHON").unwrap_or("python3".to_string());
    let there = Command::new(&python)
        .args(["-c", "import pygls.lsp.client"])
        .output();
    if !there.is_ok_and(|o| o.status.success()) {
        println!("skipped: {python} has no pygls");
        return;
    }
    let script = root().join("crates/cli/tests/lsp_client.py");
    let ran = Command::new(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_sectile"))
        .output()
        .expect("Python starts");
    let (out, err) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(
        ran.status.success() && out.contains("the client is content"),
        "{out}{err}"
    );
}

/// An editor that is gone before it has said anything, in the middle of a message, or after `shutdown`.
#[test]
fn the_end_of_the_input_is_no_internal_error() {
    let framed = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    let begin = framed(
        r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}"#,
    ) + &framed(r#"{"jsonrpc": "2.0", "method": "initialized", "params": {}}"#);
    let end = framed(r#"{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}"#);
    let code = |input: &str| sectile_with_input(&["lsp"], input).code;
    assert_eq!(code(""), 1);
    assert_eq!(code(&begin), 1);
    assert_eq!(code(&(begin.clone() + &end[..end.len() - 5])), 1);
    assert_eq!(code(&(begin + &end)), 0);
}

#[test]
fn the_grammars_of_the_extension_know_all_keywords() {
    let extension = root().join("contrib/vscode");
    let read = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(extension.join(name)).expect("it is there");
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let package = read("package.json");
    read("language-configuration.json");
    for grammar in package["contributes"]["grammars"]
        .as_array()
        .expect("a list")
    {
        let language = grammar["language"].as_str().expect("a name");
        let patterns = read(grammar["path"].as_str().expect("a path"))["patterns"].to_string();
        let known: Vec<&str> = patterns.split(|c: char| !c.is_alphanumeric()).collect();
        let frontend = sectile_frontend::input::frontend_for("", Some(language));
        let frontend = frontend.unwrap_or_else(|e| panic!("{e}"));
        let empty = sectile_base::Source::new("", "");
        let outline = frontend.outline(&empty).expect("it has outlines");
        assert!(outline.keywords.len() > 20, "there are keywords");
        for word in outline.keywords {
            // In the text of JSON, a word may follow the `b` of `\\b`.
            let begins = format!("b{word}");
            assert!(
                known.contains(&word) || known.contains(&begins.as_str()),
                "{language}: {word}"
            );
        }
    }
}
