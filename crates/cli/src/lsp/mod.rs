//! `sectile lsp`: the language server, over standard input and output.
//!
//! | what | where |
//! |---|---|
//! | texts open in the editor, positions in them, their errors and warnings | `document.rs` |
//! | hover, definition, references, rename, completion, symbols, formatting | `answers.rs` |
//! | checks in the background, verdicts as code lenses | `checks.rs` |
//!
//! One thread answers messages. A check runs in a thread of its own on the saved text, and is
//! cancelled when a newer version is saved. An invalid request is answered with an error; it never
//! ends the server.

mod answers;
mod checks;
mod document;
#[cfg(test)]
mod tests;

use crate::exit::Exit;
use crate::output;
use checks::{Checks, Settings};
use document::Document;
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, Response};
use lsp_types::notification::{
    self, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    CodeLensRequest, Completion, DocumentSymbolRequest, ExecuteCommand, Formatting, GotoDefinition,
    HoverRequest, PrepareRenameRequest, References, Rename, Request as _, Shutdown,
};
use lsp_types::{
    CodeLensOptions, CompletionOptions, ExecuteCommandOptions, HoverProviderCapability, OneOf,
    PublishDiagnosticsParams, RenameOptions, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the command.
pub fn run() -> anyhow::Result<Exit> {
    let (connection, threads) = Connection::stdio();
    let ended = match serve(connection) {
        Ok(ended) => ended,
        // A violation of the protocol is the editor's fault, not the server's. The editor may still
        // be sending, so do not wait for the end of its messages.
        Err(protocol) => {
            output::diagnostic(&format!("error: {protocol}"));
            return Ok(Exit::Abandoned);
        }
    };
    match threads.join() {
        Ok(()) => Ok(ended),
        Err(broken) => {
            output::diagnostic(&format!("error: the editor cannot be reached: {broken}"));
            Ok(Exit::Abandoned)
        }
    }
}

/// Serves one client until it ends the server or disconnects. LSP counts this as a success only after a
/// shutdown request.
fn serve(connection: Connection) -> Result<Exit, ProtocolError> {
    let (id, asked) = match connection.initialize_start() {
        Ok(begun) => begun,
        Err(e) if e.channel_is_disconnected() => return Ok(Exit::Abandoned),
        Err(e) => return Err(e),
    };
    let answer = json!({
        "capabilities": capabilities(),
        "serverInfo": {"name": "sectile", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, answer)?;
    let sender = connection.sender.clone();
    // A message to an editor that is gone is lost, which is not an error.
    let send = move |message| drop(sender.send(message));
    let mut server = Server {
        documents: BTreeMap::new(),
        checks: Checks::new(send, Settings::of(&asked)),
        unread: Vec::new(),
    };
    let mut ended = Exit::Abandoned;
    while let Ok(message) = connection.receiver.recv() {
        match message {
            Message::Request(request) => {
                let answer = match (ended, request.method.as_str()) {
                    (Exit::Success, _) => {
                        let message = "the server was asked to shut down".to_string();
                        Response::new_err(request.id, ErrorCode::InvalidRequest as i32, message)
                    }
                    (_, Shutdown::METHOD) => {
                        ended = Exit::Success;
                        server.checks.cancel_all();
                        Response::new_ok(request.id, Value::Null)
                    }
                    _ => server.answer(request),
                };
                drop(connection.sender.send(answer.into()));
            }
            Message::Notification(note) if note.method == notification::Exit::METHOD => break,
            Message::Notification(note) => server.notified(note),
            Message::Response(_) => {}
        }
        // Analyse texts only when no more messages are waiting.
        if connection.receiver.is_empty() && ended != Exit::Success {
            for note in server.changed_diagnostics() {
                drop(connection.sender.send(Message::Notification(note)));
            }
        }
    }
    server.checks.cancel_all();
    Ok(ended)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_string()]),
            ..CompletionOptions::default()
        }),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: [checks::CHECK, checks::EVIDENCE, checks::CANCEL]
                .map(str::to_string)
                .to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

struct Server {
    /// The open texts, by URI.
    documents: BTreeMap<String, Document>,
    checks: Checks,
    /// URIs of texts that have changed since they were last analysed.
    unread: Vec<Uri>,
}

impl Server {
    /// Answers a request. A panic is a bug of ours, but must not end the server.
    fn answer(&mut self, request: Request) -> Response {
        let (id, method) = (request.id.clone(), request.method.clone());
        let work = AssertUnwindSafe(|| self.answer_to(&request.method, request.params));
        match catch_unwind(work) {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err(Failed::Unknown)) => {
                let message = format!("there is no request `{method}`");
                Response::new_err(id, ErrorCode::MethodNotFound as i32, message)
            }
            Ok(Err(Failed::Refused(why))) => {
                Response::new_err(id, ErrorCode::RequestFailed as i32, why)
            }
            Err(_) => {
                let message = format!("internal error in `{method}`");
                Response::new_err(id, ErrorCode::InternalError as i32, message)
            }
        }
    }

    fn answer_to(&mut self, method: &str, params: Value) -> Result<Value, Failed> {
        match method {
            HoverRequest::METHOD => self.about::<HoverRequest>(params, |d, p| {
                answers::hover(d, p.text_document_position_params.position)
            }),
            GotoDefinition::METHOD => self.about::<GotoDefinition>(params, |d, p| {
                answers::definition(d, p.text_document_position_params.position)
            }),
            References::METHOD => self.about::<References>(params, |d, p| {
                let whole = p.context.include_declaration;
                answers::references(d, p.text_document_position.position, whole)
            }),
            PrepareRenameRequest::METHOD => self.about::<PrepareRenameRequest>(params, |d, p| {
                answers::prepare_rename(d, p.position)
            }),
            Rename::METHOD => {
                let params = read::<Rename>(params)?;
                let document = self.document(&params.text_document_position.text_document.uri)?;
                let at = params.text_document_position.position;
                let edit = answers::rename(document, at, &params.new_name);
                written(edit.map_err(Failed::Refused)?)
            }
            Completion::METHOD => self.about::<Completion>(params, |d, p| {
                answers::completion(d, p.text_document_position.position)
            }),
            DocumentSymbolRequest::METHOD => {
                self.about::<DocumentSymbolRequest>(params, |d, _| answers::symbols(d))
            }
            Formatting::METHOD => self.about::<Formatting>(params, |d, _| answers::formatted(d)),
            CodeLensRequest::METHOD => {
                let params = read::<CodeLensRequest>(params)?;
                let document = self.document(&params.text_document.uri)?;
                written(Some(self.checks.lenses(document)))
            }
            ExecuteCommand::METHOD => {
                let params = read::<ExecuteCommand>(params)?;
                self.execute(&params.command, &params.arguments)
            }
            _ => Err(Failed::Unknown),
        }
    }

    /// Answers a request about one text.
    fn about<R: lsp_types::request::Request>(
        &self,
        params: Value,
        answer: impl FnOnce(&Document, R::Params) -> R::Result,
    ) -> Result<Value, Failed>
    where
        R::Params: serde::de::DeserializeOwned,
        R::Result: serde::Serialize,
    {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or("");
        let Some(document) = self.documents.get(uri) else {
            return Err(Failed::Refused(format!("`{uri}` is not open")));
        };
        written(answer(document, read::<R>(params)?))
    }

    fn document(&self, uri: &Uri) -> Result<&Document, Failed> {
        let missing = || Failed::Refused(format!("`{}` is not open", uri.as_str()));
        self.documents.get(uri.as_str()).ok_or_else(missing)
    }

    fn execute(&mut self, command: &str, arguments: &[Value]) -> Result<Value, Failed> {
        let text = |i: usize| arguments.get(i).and_then(Value::as_str).unwrap_or("");
        let missing = || Failed::Refused(format!("`{}` is not open", text(0)));
        let document = self.documents.get(text(0)).ok_or_else(missing)?;
        match command {
            checks::CHECK => {
                self.checks.start(document);
                Ok(Value::Null)
            }
            checks::CANCEL => {
                self.checks.cancel(text(0));
                Ok(Value::Null)
            }
            checks::EVIDENCE => {
                let evidence = self.checks.evidence(text(0), text(1));
                evidence.map(Value::String).map_err(Failed::Refused)
            }
            _ => Err(Failed::Refused(format!("there is no command `{command}`"))),
        }
    }

    /// Handles a notification. Notifications that cannot be understood are ignored.
    fn notified(&mut self, note: Notification) {
        let work = AssertUnwindSafe(|| self.handle_notification(&note.method, note.params));
        let _ = catch_unwind(work);
    }

    fn handle_notification(&mut self, method: &str, params: Value) {
        match method {
            DidOpenTextDocument::METHOD => {
                if let Ok(p) = parsed::<DidOpenTextDocument>(params) {
                    let opened = p.text_document;
                    let uri = opened.uri.clone();
                    if let Some(document) = Document::open(opened) {
                        self.checks.start_if_wanted(&document);
                        self.documents.insert(uri.as_str().to_string(), document);
                        self.unread.push(uri);
                    }
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(p) = parsed::<DidChangeTextDocument>(params) {
                    let uri = p.text_document.uri;
                    if let Some(document) = self.documents.get_mut(uri.as_str()) {
                        document.change(p.text_document.version, p.content_changes);
                        self.unread.push(uri);
                    }
                }
            }
            DidSaveTextDocument::METHOD => {
                if let Ok(p) = parsed::<DidSaveTextDocument>(params)
                    && let Some(document) = self.documents.get(p.text_document.uri.as_str())
                {
                    self.checks.start_if_wanted(document);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(p) = parsed::<DidCloseTextDocument>(params) {
                    let uri = p.text_document.uri;
                    self.checks.forget(uri.as_str());
                    self.documents.remove(uri.as_str());
                    self.unread.push(uri);
                }
            }
            _ => {}
        }
    }

    /// The errors and warnings of the texts that have changed.
    fn changed_diagnostics(&mut self) -> Vec<Notification> {
        let mut notes = Vec::new();
        let mut unread = std::mem::take(&mut self.unread);
        unread.dedup();
        for uri in unread {
            let document = self.documents.get_mut(uri.as_str());
            let judged = document.map(|d| {
                // A panic while reading is a bug of ours; the text then has no messages.
                let read = catch_unwind(AssertUnwindSafe(|| d.diagnose())).unwrap_or_default();
                let read = self.checks.with_findings(d, read);
                (read, Some(d.version))
            });
            let (diagnostics, version) = judged.unwrap_or_default();
            let params = PublishDiagnosticsParams {
                uri,
                diagnostics,
                version,
            };
            let method = PublishDiagnostics::METHOD.to_string();
            notes.push(Notification::new(method, params));
        }
        notes
    }
}

/// Why a request failed.
enum Failed {
    /// The method is unknown.
    Unknown,
    /// The request cannot be carried out; the editor shows the reason.
    Refused(String),
}

fn read<R: lsp_types::request::Request>(params: Value) -> Result<R::Params, Failed>
where
    R::Params: serde::de::DeserializeOwned,
{
    serde_json::from_value(params).map_err(|e| Failed::Refused(e.to_string()))
}

fn parsed<N: lsp_types::notification::Notification>(
    params: Value,
) -> Result<N::Params, serde_json::Error>
where
    N::Params: serde::de::DeserializeOwned,
{
    serde_json::from_value(params)
}

fn written(answer: impl serde::Serialize) -> Result<Value, Failed> {
    serde_json::to_value(answer).map_err(|e| Failed::Refused(e.to_string()))
}
