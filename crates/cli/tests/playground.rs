//! The playground in a real browser. Without chromium, or without the site that `cargo xtask playground`
//! builds, these tests say so and pass.

use crate::common;

use common::{installed, root, sectile};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The folder of the site, if it was built.
fn site() -> Option<PathBuf> {
    if !installed("chromium") {
        return None;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_sectile"));
    let target = program.parent().and_then(Path::parent)?;
    let folder = std::env::var_os("SECTILE_TEST_PLAYGROUND").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| target.join("playground"));
    let built = folder.join("sectile.js").is_file();
    if !built {
        eprintln!("skipped: no playground in {}", folder.display());
    }
    built.then_some(folder)
}

/// Serves the site until the page says what it has seen.
fn visit(folder: &Path, script: &str, patience: Duration) -> Value {
    let server = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    server.set_nonblocking(true).expect("it can wait");
    let address = server.local_addr().expect("it has one");
    let profile = std::env::temp_dir().join(format!("sectile-chromium-{}", address.port()));
    let mut browser = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .arg("--window-size=1200,1000")
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("http://{address}/"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromium starts");
    let start = Instant::now();
    let seen = loop {
        match server.accept() {
            Ok((stream, _)) => {
                if let Some(seen) = answer(stream, folder, script) {
                    break Some(seen);
                }
            }
            Err(_) if start.elapsed() > patience => break None,
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let _ = (browser.kill(), browser.wait());
    let _ = std::fs::remove_dir_all(&profile);
    let seen = seen.expect("the page says what it has seen");
    assert_eq!(
        seen["failures"],
        json!([]),
        "nothing goes wrong in the page"
    );
    seen
}

/// Answers one request; gives what the page has sent, if it has.
fn answer(stream: TcpStream, folder: &Path, script: &str) -> Option<Value> {
    stream.set_nonblocking(false).ok()?;
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1)?.to_string();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut stream = reader.into_inner();
    if path == "/done" {
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        return serde_json::from_slice(&body).ok();
    }
    let name = if path == "/" {
        "index.html"
    } else {
        &path[1..]
    };
    let mut content = std::fs::read(folder.join(name)).unwrap_or_default();
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        _ => "text/javascript; charset=utf-8",
    };
    if name == "index.html" {
        let page = String::from_utf8_lossy(&content).into_owned();
        let watch = "<script>window.failures = [];\
            addEventListener('error', (e) => failures.push(String(e.message)));\
            addEventListener('unhandledrejection', (e) => failures.push(String(e.reason)));\
            console.error = (...a) => failures.push(a.join(' '));</script>";
        let test = format!(
            "<script>(async () => {{ const seen = {{}}; const one = (id) => document.getElementById(id);\
             const set = (id, value) => {{ one(id).value = value; }};\
             try {{ await playground.ready; {script} }} catch (e) {{ failures.push(String(e.stack || e)); }}\
             seen.failures = failures; await fetch('/done', {{ method: 'POST', body: JSON.stringify(seen) }}); }})();</script></body>"
        );
        let page = page.replacen("<head>", &format!("<head>{watch}"), 1);
        content = page.replacen("</body>", &test, 1).into_bytes();
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        content.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&content);
    None
}

#[test]
fn models_are_checked_certified_and_cancelled_in_the_browser() {
    let Some(folder) = site() else { return };
    let script = "
        playground.choose('bakery.sct');
        const bakery = await playground.check();
        seen.bakery = [bakery.checked, bakery.certified, one('status').textContent, one('report').hidden];
        seen.report = bakery.files['report.html'].includes('<html');
        set('parameters', 'bug=1');
        const bug = await playground.check();
        seen.bug = [bug.checked.out, bug.checked.code, bug.certified.code, one('status').textContent];
        playground.choose('fischer.sct');
        set('parameters', 'n=7');
        const running = playground.check();
        setTimeout(() => one('stop').click(), 1500);
        const stopped = await running;
        seen.stopped = [stopped.stopped, one('status').textContent];
        set('parameters', 'n=2');
        seen.after = (await playground.check()).checked.out;
        set('text', 'var x:int=0\\nstep:x<3-->x:=x+1 // größer\\n');
        set('name', 'mine.sct');
        set('parameters', '');
        await playground.format();
        seen.formatted = one('text').value;
        set('text', one('text').value + 'invariant i: y = 0\\n');
        const wrong = await playground.check();
        seen.wrong = [wrong.checked.code, wrong.checked.err, one('status').textContent];
        const text = one('text').value;
        set('parameters', 'k=2');
        set('engine', 'bmc');
        const link = await playground.link();
        playground.choose('bakery.sct');
        set('engine', 'auto');
        location.hash = new URL(link).hash;
        await playground.follow();
        seen.link = [one('text').value === text, one('name').value, one('parameters').value, one('engine').value];
    ";
    let seen = visit(&folder, script, Duration::from_secs(240));
    let bakery = &seen["bakery"];
    // What is offered besides is no verdict.
    let verdicts = |out: &serde_json::Value| {
        let lines = out.as_str().unwrap_or("").lines();
        let lines = lines.filter(|l| !l.starts_with("  try: "));
        lines.collect::<Vec<&str>>().join("\n")
    };
    assert_eq!(verdicts(&bakery[0]["out"]), "mutex: holds", "{bakery}");
    assert_eq!(
        (&bakery[1]["code"], &bakery[3]),
        (&json!(0), &json!(false)),
        "{bakery}"
    );
    let out = bakery[1]["out"].as_str().unwrap_or("");
    assert!(out.contains("accepted"), "{bakery}");
    let status = bakery[2].as_str().unwrap_or("");
    assert!(
        status.starts_with("Every property holds, and the evidence was accepted"),
        "{status}"
    );
    assert_eq!(seen["report"], true);
    let bug = &seen["bug"];
    assert!(
        bug[0]
            .as_str()
            .unwrap_or("")
            .starts_with("mutex: violated\n"),
        "{bug}"
    );
    assert_eq!((&bug[1], &bug[2]), (&json!(10), &json!(0)), "{bug}");
    assert_eq!(seen["stopped"][0], true);
    assert_eq!(verdicts(&seen["after"]), "mutex: holds");
    assert_eq!(
        seen["formatted"],
        "var x : int = 0\nstep: x < 3 --> x := x + 1 // größer\n"
    );
    assert_eq!(seen["wrong"][0], 3);
    assert!(
        seen["wrong"][1]
            .as_str()
            .unwrap_or("")
            .contains("mine.sct:3:14"),
        "{}",
        seen["wrong"]
    );
    assert_eq!(seen["link"], json!([true, "mine.sct", "k=2", "bmc"]));
}

/// The lines of verdicts.
fn verdicts(out: &str) -> Vec<&str> {
    let words = ["sat", "unsat", "unknown"];
    let is_verdict = |l: &&str| {
        let told = [": holds", ": violated", ": unknown"]
            .iter()
            .any(|v| l.contains(v));
        !l.starts_with(' ') && told || words.contains(l)
    };
    out.lines().filter(is_verdict).collect()
}

#[test]
fn the_browser_agrees_with_the_command_line_on_the_zoo() {
    let Some(folder) = site() else { return };
    let folders = [
        "",
        "channels",
        "functions",
        "maps",
        "protocols",
        "recursive",
    ];
    let mut asked = Vec::new();
    let mut expected = Vec::new();
    for sub in folders {
        let models = root().join("models").join(sub);
        for file in sectile_testkit::files::files_in(&models, &["sct", "imp", "bpl", "smt2", "vmt"])
        {
            let text = std::fs::read_to_string(&file).expect("the zoo can be read");
            // The smallest size that the file expects something of.
            let small = if text.contains("expect(n=2)") {
                "n=2"
            } else {
                ""
            };
            let name = file
                .strip_prefix(root().join("models"))
                .expect("it is inside");
            let shown = format!("models/{}", name.display());
            let mut args = vec!["check", &shown, "--timeout", "10s", "--quiet"];
            if !small.is_empty() {
                args.extend(["-D", small]);
            }
            let start = Instant::now();
            let ran = sectile(&args);
            // What takes long here takes too long for a test there; a script for solvers is no model.
            if start.elapsed() > Duration::from_secs(3) || ran.code == 3 {
                continue;
            }
            asked.push(json!([name.to_string_lossy(), small]));
            expected.push((shown.clone(), verdicts(&ran.out).join("\n")));
        }
    }
    assert!(
        asked.len() >= 40,
        "most of the zoo is easy: {}",
        asked.len()
    );
    let script = format!(
        "seen.all = []; set('limit', '600s');\
         for (const [name, parameters] of {}) {{ playground.choose(name); set('parameters', parameters);\
           const answer = await playground.check(); seen.all.push([answer.checked.out, answer.certified.code, answer.failed ?? null, answer.seconds]); }}",
        Value::Array(asked)
    );
    let seen = visit(&folder, &script, Duration::from_secs(1500));
    let all = seen["all"].as_array().expect("a list");
    assert_eq!(all.len(), expected.len());
    for ((name, expected), answer) in expected.iter().zip(all) {
        assert_eq!(answer[2], Value::Null, "{name}");
        let out = answer[0].as_str().unwrap_or("");
        assert_eq!(&verdicts(out).join("\n"), expected, "{name}");
        if !expected.contains("unknown") {
            assert_eq!(answer[1], 0, "{name}: the evidence is accepted");
        }
    }
}
