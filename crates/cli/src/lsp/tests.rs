//! The server over channels in memory.

use super::serve;
use crate::exit::Exit;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, ResponseError,
};
use sectile_base::Rng;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const URI: &str = "file:///models/t.sct";

const MODEL: &str = "// expect: small holds
param n = 2
enum Mode = {slow, fast}
process P[i : 0..n-1] {
  var pc : {idle, busy} = idle
  var x  : int = 0
  go:   pc = idle and (forall j in 0..n-1: P[j].x <= 3) --> pc := busy, x := 1
  stop: pc = busy --> pc := idle, x := 0
}
invariant small: forall i in 0..n-1: P[i].x <= 1
invariant none:  P[0].x = 0
";

/// An editor.
struct Client {
    connection: Connection,
    server: Option<std::thread::JoinHandle<Result<Exit, ProtocolError>>>,
    next: i32,
    version: i32,
    /// What the server has said without being asked.
    notes: Vec<Notification>,
}

impl Client {
    fn new(options: Value) -> Client {
        let (connection, other) = Connection::memory();
        let server = std::thread::spawn(move || serve(other));
        let mut client = Client {
            connection,
            server: Some(server),
            next: 0,
            version: 0,
            notes: Vec::new(),
        };
        let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
        let params = json!({"capabilities": capabilities, "initializationOptions": options});
        let answer = client.ask("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "sectile");
        client.tell("initialized", json!({}));
        client
    }

    fn tell(&self, method: &str, params: Value) {
        let note = Notification::new(method.to_string(), params);
        self.connection
            .sender
            .send(note.into())
            .expect("it listens");
    }

    fn response(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request::new(id.clone(), method.to_string(), params);
        self.connection
            .sender
            .send(request.into())
            .expect("it listens");
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => {
                    return response.response_result;
                }
                Message::Notification(note) => self.notes.push(note),
                _ => {}
            }
        }
    }

    fn receive(&mut self) -> Message {
        let wait = Duration::from_secs(60);
        self.connection
            .receiver
            .recv_timeout(wait)
            .expect("it answers")
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, params);
        response.unwrap_or_else(|e| panic!("{method}: {}", e.message))
    }

    fn open(&mut self, text: &str) {
        let item = json!({"uri": URI, "languageId": "sct", "version": 0, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": item}));
    }

    fn change(&mut self, change: Value) {
        self.version += 1;
        let document = json!({"uri": URI, "version": self.version});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        self.tell("textDocument/didChange", params);
    }

    fn save(&mut self) {
        self.tell(
            "textDocument/didSave",
            json!({"textDocument": {"uri": URI}}),
        );
    }

    /// The messages about the latest version of the text.
    fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            let version = self.version;
            let latest = self
                .notes
                .iter()
                .rposition(|n| n.params["version"] == version);
            if let Some(at) = latest {
                let list = self.notes[at].params["diagnostics"].as_array();
                return list.expect("there is a list").clone();
            }
            if let Message::Notification(note) = self.receive() {
                self.notes.push(note);
            }
        }
    }

    /// Asks about the `nth` place where `text` stands in the model.
    fn about(&mut self, method: &str, text: &str, nth: usize, more: &Value) -> Value {
        let at = MODEL.match_indices(text).nth(nth).expect("it is there").0;
        let before = &MODEL[..at];
        let line = before.matches('\n').count();
        let character = before.len() - before.rfind('\n').map_or(0, |n| n + 1);
        let mut params = json!({
            "textDocument": {"uri": URI},
            "position": {"line": line, "character": character},
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.ask(method, params)
    }

    fn titles(&mut self) -> Vec<String> {
        let lenses = self.ask(
            "textDocument/codeLens",
            json!({"textDocument": {"uri": URI}}),
        );
        let lenses = lenses.as_array().expect("there is a list").clone();
        let title = |l: &Value| l["command"]["title"].as_str().unwrap_or("").to_string();
        lenses.iter().map(title).collect()
    }

    /// Waits for lenses.
    fn titles_with(&mut self, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
        let start = Instant::now();
        loop {
            let titles = self.titles();
            if wanted(&titles) {
                return titles;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{titles:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn run(&mut self, command: &str, arguments: Value) -> Value {
        let params = json!({"command": command, "arguments": arguments});
        self.ask("workspace/executeCommand", params)
    }

    fn shut_down(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.ended(), Exit::Success);
    }

    /// How the server ends when nothing more is said.
    fn ended(mut self) -> Exit {
        let server = self.server.take().expect("it runs");
        drop(self.connection);
        server.join().expect("no panic").expect("no error")
    }
}

/// LSP: 0 after `shutdown`, and otherwise 1, whether the editor says `exit` or is just gone.
#[test]
fn the_end_of_an_editor_is_told_by_how_the_server_ends() {
    assert_eq!(quiet().ended(), Exit::Abandoned);
    let client = quiet();
    client.tell("exit", Value::Null);
    assert_eq!(client.ended(), Exit::Abandoned);
    let mut client = quiet();
    client.ask("shutdown", Value::Null);
    let late = client.response("textDocument/hover", json!({}));
    let code = late.expect_err("it is refused").code;
    assert_eq!(code, ErrorCode::InvalidRequest as i32);
    assert_eq!(client.ended(), Exit::Success);
}

fn quiet() -> Client {
    Client::new(json!({"checkOnSave": false}))
}

#[test]
fn an_error_appears_and_goes() {
    let mut client = quiet();
    client.open(MODEL);
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    let line = json!({"line": 2, "character": 0});
    client.change(json!({"range": {"start": line, "end": line}, "text": "var größe : itn\n"}));
    let found = client.diagnostics();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0]["range"]["start"],
        json!({"line": 2, "character": 12})
    );
    assert_eq!(found[0]["severity"], 1);
    let message = found[0]["message"].as_str().expect("it is a text");
    assert!(
        message.contains("itn") && message.contains('\n'),
        "{message}"
    );
    let end = json!({"line": 3, "character": 0});
    client.change(json!({"range": {"start": line, "end": end}, "text": ""}));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    client.shut_down();
}

#[test]
fn names_are_known() {
    let mut client = quiet();
    client.open(MODEL);
    let hover = client.about("textDocument/hover", "x <= 1", 0, &json!({}));
    let text = hover["contents"]["value"].as_str().expect("it is a text");
    for part in [
        "var x  : int = 0",
        "variable `x` : `int` of process `P`",
        "`go` (line 7), `stop` (line 8)",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let place = client.about("textDocument/definition", "x <= 1", 0, &json!({}));
    assert_eq!(place["range"]["start"], json!({"line": 5, "character": 6}));
    let context = json!({"context": {"includeDeclaration": true}});
    let uses = client.about("textDocument/references", "x  :", 0, &context);
    assert_eq!(uses.as_array().map(Vec::len), Some(6));
    // The index of the quantifier is another one than that of the process.
    let uses = client.about("textDocument/references", "i].x <= 1", 0, &context);
    assert_eq!(uses.as_array().map(Vec::len), Some(2));
    let symbols = client.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": URI}}),
    );
    let names: Vec<&str> = symbols
        .as_array()
        .expect("there is a list")
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    assert_eq!(names, ["n", "Mode", "P", "small", "none"]);
    let inside = symbols[2]["children"].as_array().expect("there is a list");
    assert_eq!(inside.len(), 4);
    let completion = client.about("textDocument/completion", "x = 0\n", 0, &json!({}));
    let labels = |v: &Value| -> Vec<String> {
        let items = v.as_array().expect("there is a list").iter();
        items
            .filter_map(|i| Some(i["label"].as_str()?.to_string()))
            .collect()
    };
    assert_eq!(labels(&completion), ["pc", "x", "go", "stop"]);
    let completion = labels(&client.about("textDocument/completion", "pc = busy", 0, &json!({})));
    for known in ["n", "i", "x", "busy", "forall", "P"] {
        assert!(completion.iter().any(|l| l == known), "{completion:?}");
    }
    assert!(!completion.iter().any(|l| l == "j"), "{completion:?}");
    client.shut_down();
}

/// Applies edits of the server to a text.
fn applied(text: &str, edits: &Value) -> String {
    let offset = |p: &Value| {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let line = p["line"].as_u64().expect("a number") as usize;
        let character = p["character"].as_u64().expect("a number") as usize;
        lines[..line].iter().map(|l| l.len()).sum::<usize>() + character
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .expect("there is a list")
        .iter()
        .map(|e| {
            (
                offset(&e["range"]["start"]),
                offset(&e["range"]["end"]),
                e["newText"].as_str().expect("a text"),
            )
        })
        .collect();
    edits.sort_unstable();
    let mut out = text.to_string();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

#[test]
fn names_are_changed_everywhere_or_not_at_all() {
    let mut client = quiet();
    client.open(MODEL);
    let new = json!({"newName": "count"});
    let edit = client.about("textDocument/rename", "x := 1", 0, &new);
    let text = applied(MODEL, &edit["changes"][URI]);
    assert_eq!(text.matches("count").count(), 6);
    assert!(!text.contains("x "), "{text}");
    client.change(json!({"text": text}));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    client.change(json!({"text": MODEL}));
    let edit = client.about(
        "textDocument/rename",
        "small:",
        0,
        &json!({"newName": "tiny"}),
    );
    let text = applied(MODEL, &edit["changes"][URI]);
    assert!(
        text.contains("// expect: tiny holds") && text.contains("invariant tiny:"),
        "{text}"
    );
    for (name, why) in [
        ("pc", "already"),
        ("forall", "keyword"),
        ("a b", "not a name"),
    ] {
        let params = json!({
            "textDocument": {"uri": URI},
            "position": {"line": 5, "character": 6},
            "newName": name,
        });
        let response = client.response("textDocument/rename", params);
        let error = response.expect_err("it is refused");
        assert!(error.message.contains(why), "{}", error.message);
    }
    client.shut_down();
}

#[test]
fn texts_are_formatted() {
    let mut client = quiet();
    let untidy = MODEL.replace(" := ", ":=");
    client.open(&untidy);
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let params = json!({"textDocument": {"uri": URI}, "options": options});
    let edits = client.ask("textDocument/formatting", params);
    assert_eq!(applied(&untidy, &edits), MODEL);
    client.shut_down();
}

#[test]
fn verdicts_appear_when_a_text_is_saved() {
    let mut client = Client::new(json!({}));
    client.open(MODEL);
    let decided = |titles: &[String]| titles.len() == 4;
    let titles = client.titles_with(decided);
    assert!(titles[0].starts_with("small: holds in "), "{titles:?}");
    assert_eq!(titles[1], "show proof");
    assert!(titles[2].starts_with("none: violated in "), "{titles:?}");
    assert_eq!(titles[3], "show trace");
    let trace = client.run("sectile.evidence", json!([URI, "none"]));
    let trace = trace.as_str().expect("it is a text");
    assert!(trace.contains("P[0].go"), "{trace}");
    // Another text: the verdicts are those of the text before, until it is saved.
    client.change(json!({"text": MODEL.replace("x <= 1", "x <= 0")}));
    let titles = client.titles();
    assert!(
        titles[0].ends_with("(before the last changes)"),
        "{titles:?}"
    );
    client.save();
    let titles = client.titles_with(decided);
    assert!(titles[0].starts_with("small: violated"), "{titles:?}");
    // The header expects something else, and that is told at its line.
    let start = Instant::now();
    while !client
        .notes
        .iter()
        .any(|n| n.params.to_string().contains("expectation"))
    {
        assert!(start.elapsed() < Duration::from_secs(60));
        let _ = client.titles();
        std::thread::sleep(Duration::from_millis(20));
    }
    client.shut_down();
}

#[test]
fn a_check_is_cancelled_by_hand_and_by_the_next_one() {
    let hard = include_str!("../../../../models/fischer.sct").replace("param n = 2", "param n = 7");
    let mut client = Client::new(json!({"timeout": "600s"}));
    client.open(&hard);
    let running = |t: &[String]| t.iter().any(|t| t == "mutex: checking ... (stop)");
    client.titles_with(running);
    client.run("sectile.cancel", json!([URI]));
    assert_eq!(client.titles(), ["check mutex"]);
    client.run("sectile.check", json!([URI]));
    client.titles_with(running);
    client.change(json!({"text": MODEL}));
    client.save();
    client.titles_with(|t| t.len() == 4 && t[0].starts_with("small: holds"));
    client.shut_down();
}

#[test]
fn nonsense_is_refused_and_nothing_else_happens() {
    let mut client = quiet();
    client.open(MODEL);
    let response = client.response("no/such", json!({}));
    let error = response.expect_err("it is refused");
    assert_eq!(error.code, ErrorCode::MethodNotFound as i32);
    let response = client.response("textDocument/hover", json!({"textDocument": {"uri": URI}}));
    assert!(response.is_err());
    let response = client.response("textDocument/hover", json!([1]));
    assert!(response.is_err());
    client.tell("textDocument/didChange", json!({"textDocument": 3}));
    assert_eq!(client.titles(), ["check small", "check none"]);
    client.shut_down();
}

/// Pieces of text that people type, and that hurt.
const TYPED: &[&str] = &[
    "",
    " ",
    "\n",
    "x",
    "var y : int\n",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    "'",
    "`",
    "..",
    "--> ",
    "forall i in 0..n-1: ",
    "/*",
    "*/",
    "// ",
    "=",
    "P[0].",
    "😀",
    "é",
    "invariant q: ",
    "process Q {\n",
    "define d(a) = a + ",
    "99999999999999999999",
    "record {",
    "while (",
    "\r\n",
    "\0",
    "if ",
    "else ",
];

#[test]
fn ten_thousand_random_edits_do_no_harm() {
    let mut rng = Rng::new(7);
    let mut client = quiet();
    client.open(MODEL);
    let mut text: Vec<u16> = MODEL.encode_utf16().collect();
    let place = |text: &[u16], at: usize| {
        let before = &text[..at];
        let newline = u16::from(b'\n');
        let line = before.iter().filter(|&&u| u == newline).count();
        let start = before
            .iter()
            .rposition(|&u| u == newline)
            .map_or(0, |n| n + 1);
        json!({"line": line, "character": at - start})
    };
    for step in 0..10_000_u32 {
        if text.len() > 3_000 || step % 500 == 499 {
            client.change(json!({"text": MODEL}));
            text = MODEL.encode_utf16().collect();
        }
        // Not in the middle of a character.
        let whole = |text: &[u16], at: usize| match text.get(at) {
            Some(0xDC00..=0xDFFF) => at - 1,
            _ => at,
        };
        let start = whole(&text, rng.below(text.len() as u64 + 1) as usize);
        let length = rng.below(4).saturating_sub(1) as usize * rng.below(12) as usize;
        let end = whole(&text, (start + length).min(text.len())).max(start);
        let new = *rng.pick(TYPED).expect("there are some");
        let (from, to) = (place(&text, start), place(&text, end));
        client.change(json!({"range": {"start": from, "end": to}, "text": new}));
        text.splice(start..end, new.encode_utf16());
        if step % 2 == 0 {
            let methods = [
                "textDocument/hover",
                "textDocument/definition",
                "textDocument/completion",
                "textDocument/documentSymbol",
                "textDocument/formatting",
                "textDocument/codeLens",
                "textDocument/prepareRename",
            ];
            let params = json!({
                "textDocument": {"uri": URI},
                "position": from,
                "options": {"tabSize": 2, "insertSpaces": true},
            });
            let method = *rng.pick(&methods).expect("there are some");
            let response = client.response(method, params);
            let error = response.err().map(|e| e.message);
            assert_eq!(
                error,
                None,
                "{method} in\n{}",
                String::from_utf16_lossy(&text)
            );
        }
    }
    // What the server has is what the editor has: an end that fits is found.
    let text = String::from_utf16_lossy(&text);
    client.change(json!({"text": MODEL}));
    assert_eq!(client.diagnostics(), Vec::<Value>::new(), "after\n{text}");
    client.shut_down();
}
