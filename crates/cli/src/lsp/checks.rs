//! Checks in the background, and their verdicts.

use super::document::Document;
use lsp_server::{Message, Notification, Request, RequestId};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::request::{CodeLensRefresh, Request as _};
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticSeverity, NumberOrString, Position,
    PublishDiagnosticsParams, Range, Uri,
};
use sectile::{Check, Model};
use sectile_base::quantity::duration;
use sectile_base::{Budget, Span, Stopper};
use sectile_driver::{CheckOptions, Progress, load_text};
use sectile_engine::Silent;
use sectile_frontend::Frontend;
use sectile_report::{PropertyReport, Status, TextOptions, Warning, property_text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The command that checks a text.
pub const CHECK: &str = "sectile.check";
/// The command that stops the check of a text.
pub const CANCEL: &str = "sectile.cancel";
/// The command that gives the proof or the run of a property as text.
pub const EVIDENCE: &str = "sectile.evidence";

/// Memory limit of the server, including checks: the default of the command line.
const MEMORY: u64 = 4 << 30;

/// The settings of the client, from `initializationOptions`.
pub struct Settings {
    /// Whether texts are checked when they are opened and saved.
    on_save: bool,
    /// Time for each property.
    timeout: Duration,
    /// Whether the client requests lenses again when asked to.
    refreshes: bool,
}

impl Settings {
    /// Reads them from the parameters of the initialize request.
    pub fn of(asked: &Value) -> Settings {
        let options = &asked["initializationOptions"];
        let timeout = options["timeout"].as_str().and_then(|t| duration(t).ok());
        let workspace = &asked["capabilities"]["workspace"];
        Settings {
            on_save: options["checkOnSave"].as_bool().unwrap_or(true),
            timeout: timeout.unwrap_or(Duration::from_secs(10)),
            refreshes: workspace["codeLens"]["refreshSupport"].as_bool() == Some(true),
        }
    }
}

/// Sends a message to the editor.
type Send = Arc<dyn Fn(Message) + std::marker::Send + Sync>;

/// All checks and their results.
pub struct Checks {
    send: Send,
    settings: Settings,
    known: Known,
}

/// The state of all texts, by URI.
type Known = Arc<Mutex<BTreeMap<String, Found>>>;

/// The state of one text.
#[derive(Default)]
struct Found {
    /// Counts the checks, so that results of old ones are ignored.
    turn: u64,
    running: Option<Stopper>,
    /// The version of the text that was checked.
    version: i32,
    verdicts: BTreeMap<String, PropertyReport>,
    /// The errors and warnings from reading the text, with the version that was read.
    judged: (i32, Vec<Diagnostic>),
    /// The warnings from checks.
    odd: Vec<Diagnostic>,
}

fn locked(known: &Known) -> MutexGuard<'_, BTreeMap<String, Found>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Checks {
    /// No checks yet.
    pub fn new(
        send: impl Fn(Message) + std::marker::Send + Sync + 'static,
        settings: Settings,
    ) -> Checks {
        Checks {
            send: Arc::new(send),
            settings,
            known: Known::default(),
        }
    }

    /// Checks a text that was opened or saved, if the client wants that.
    pub fn start_if_wanted(&self, document: &Document) {
        if self.settings.on_save {
            self.start(document);
        }
    }

    /// Checks a text in a new thread; an older check of it ends.
    pub fn start(&self, document: &Document) {
        let budget = Budget::unlimited();
        let uri = document.uri.as_str().to_string();
        let mut known = locked(&self.known);
        let found = known.entry(uri).or_default();
        if let Some(older) = found.running.replace(budget.stopper()) {
            older.stop();
        }
        found.turn += 1;
        found.version = document.version;
        found.verdicts.clear();
        found.odd.clear();
        let work = Work {
            uri: document.uri.clone(),
            name: document.source.name().to_string(),
            text: document.source.text().to_string(),
            frontend: document.frontend,
            turn: found.turn,
            timeout: self.settings.timeout,
            budget,
            known: Arc::clone(&self.known),
            send: Arc::clone(&self.send),
            refreshes: self.settings.refreshes,
        };
        drop(known);
        let thread = std::thread::Builder::new().name("check".to_string());
        // Without a thread there is no check; the lenses offer it again.
        if thread.spawn(move || work.run()).is_err() {
            self.cancel(document.uri.as_str());
        }
    }

    /// Ends the check of a text.
    pub fn cancel(&self, uri: &str) {
        if let Some(found) = locked(&self.known).get_mut(uri)
            && let Some(running) = found.running.take()
        {
            running.stop();
        }
    }

    /// Ends all checks.
    pub fn cancel_all(&self) {
        let all: Vec<String> = locked(&self.known).keys().cloned().collect();
        all.iter().for_each(|uri| self.cancel(uri));
    }

    /// Removes a text that was closed.
    pub fn forget(&self, uri: &str) {
        self.cancel(uri);
        locked(&self.known).remove(uri);
    }

    /// Stores the errors and warnings of a text; returns them with the warnings from checks of the
    /// same version.
    pub fn with_findings(&self, document: &Document, judged: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let mut known = locked(&self.known);
        let found = known.entry(document.uri.as_str().to_string()).or_default();
        found.judged = (document.version, judged);
        found.diagnostics()
    }

    /// The verdict of every property, or an offer to check it, at its position.
    pub fn lenses(&self, document: &Document) -> Vec<CodeLens> {
        let known = locked(&self.known);
        let found = known.get(document.uri.as_str());
        let properties = document.properties.iter();
        let lenses = properties.flat_map(|(name, span)| lenses(document, found, name, *span));
        lenses.collect()
    }

    /// The proof or the run of a property, as text.
    pub fn evidence(&self, uri: &str, name: &str) -> Result<String, String> {
        let known = locked(&self.known);
        let report = known.get(uri).and_then(|f| f.verdicts.get(name));
        let report = report.ok_or_else(|| format!("`{name}` was not decided"))?;
        Ok(property_text(
            report,
            TextOptions {
                trace: true,
                model: true,
                stats: false,
            },
        ))
    }
}

impl Found {
    fn diagnostics(&self) -> Vec<Diagnostic> {
        let (version, judged) = &self.judged;
        let odd = self.odd.iter().filter(|_| *version == self.version);
        judged.iter().chain(odd).cloned().collect()
    }
}

fn lenses(document: &Document, found: Option<&Found>, name: &str, span: Span) -> Vec<CodeLens> {
    let uri = document.uri.as_str();
    let lens = |title: String, command: &str, arguments: Vec<Value>| CodeLens {
        range: document.range(span),
        command: Some(Command::new(title, command.to_string(), Some(arguments))),
        data: None,
    };
    let report = found.and_then(|f| f.verdicts.get(name));
    match (report, found) {
        (Some(report), Some(found)) => {
            let stale = match found.version == document.version {
                true => "",
                false => " (before the last changes)",
            };
            let title = format!("{}{stale}", verdict(report));
            let more = match report.status {
                Status::Holds => "show proof",
                Status::Violated => "show trace",
                Status::Unknown => "why",
            };
            vec![
                lens(title, CHECK, vec![json!(uri)]),
                lens(more.to_string(), EVIDENCE, vec![json!(uri), json!(name)]),
            ]
        }
        (None, Some(found)) if found.running.is_some() => {
            let title = format!("{name}: checking ... (stop)");
            vec![lens(title, CANCEL, vec![json!(uri)])]
        }
        _ => vec![lens(format!("check {name}"), CHECK, vec![json!(uri)])],
    }
}

/// `mutex: holds in 0.01 s`.
fn verdict(report: &PropertyReport) -> String {
    let (name, seconds) = (&report.name, report.seconds);
    match report.status {
        Status::Holds => format!("{name}: holds in {seconds:.2} s"),
        Status::Violated => format!("{name}: violated in {seconds:.2} s"),
        Status::Unknown => format!("{name}: unknown ({})", report.reason),
    }
}

/// One check of one text.
struct Work {
    uri: Uri,
    name: String,
    text: String,
    frontend: &'static dyn Frontend,
    turn: u64,
    timeout: Duration,
    budget: Budget,
    known: Known,
    send: Send,
    refreshes: bool,
}

impl Work {
    fn run(self) {
        // A panic is a bug of ours; the editor sees that there is no verdict.
        let odd = catch_unwind(AssertUnwindSafe(|| self.check())).unwrap_or_default();
        self.note(|found| {
            found.running = None;
            found.odd = odd;
        });
        self.refresh();
        self.publish();
    }

    /// Checks the properties one after the other; returns the other warnings.
    fn check(&self) -> Vec<Diagnostic> {
        let loaded = load_text(&self.name, self.text.clone(), self.frontend, &[]);
        // Errors in the text have already been reported.
        let Some(model) = loaded.ok().and_then(|l| Model::of(l).ok()) else {
            return Vec::new();
        };
        let options = CheckOptions {
            timeout: Some(self.timeout),
            memory: Some(MEMORY),
            minimise: true,
            budget: self.budget.clone(),
            ..CheckOptions::default()
        };
        let mut tell = |progress: Progress<'_>| {
            let Progress::Decided(report) = progress else {
                return;
            };
            if self.budget.check().is_err() {
                return;
            }
            let (name, report) = (report.name.clone(), report.clone());
            self.note(|found| _ = found.verdicts.insert(name, report));
            self.refresh();
        };
        let Ok(checked) = Check::with(&model, options).told(&mut Silent, &mut tell) else {
            return Vec::new();
        };
        let known = model.loaded().reading.warnings.iter().count();
        let model = checked.report.warnings.iter().skip(known);
        let properties = checked.report.properties.iter().flat_map(|p| &p.warnings);
        model.chain(properties).map(finding).collect()
    }

    /// Changes the state of the text, unless a newer check has begun.
    fn note(&self, change: impl FnOnce(&mut Found)) {
        if let Some(found) = locked(&self.known).get_mut(self.uri.as_str())
            && found.turn == self.turn
        {
            change(found);
        }
    }

    /// Asks the editor to request the lenses again.
    fn refresh(&self) {
        if self.refreshes {
            let id = RequestId::from(format!("lenses-{}", self.turn));
            let method = CodeLensRefresh::METHOD.to_string();
            (self.send)(Message::Request(Request::new(id, method, Value::Null)));
        }
    }

    /// Sends the warnings of the check to the editor.
    fn publish(&self) {
        let mut params = None;
        self.note(|found| {
            if found.odd.is_empty() || found.judged.0 != found.version {
                return;
            }
            params = Some(PublishDiagnosticsParams {
                uri: self.uri.clone(),
                diagnostics: found.diagnostics(),
                version: Some(found.version),
            });
        });
        if let Some(params) = params {
            let method = PublishDiagnostics::METHOD.to_string();
            (self.send)(Message::Notification(Notification::new(method, params)));
        }
    }
}

/// A warning of a check, at its line.
fn finding(warning: &Warning) -> Diagnostic {
    let line = warning.line.map_or(0, |line| line - 1);
    let line = u32::try_from(line).unwrap_or(0);
    Diagnostic {
        range: Range::new(Position::new(line, 0), Position::new(line, 1000)),
        severity: Some(DiagnosticSeverity::WARNING),
        code: Some(NumberOrString::String(warning.code.to_string())),
        source: Some("sectile".to_string()),
        message: warning.message.clone(),
        ..Diagnostic::default()
    }
}
