//! The insides of the Python package: requests as dictionaries in, results as JSON out.
//!
//! The work is done by a thread of its own. The thread that called waits without the interpreter
//! lock, calls back with events, and looks for signals, so that Ctrl-C ends a check.

mod answers;
mod watch;

use pyo3::prelude::*;
use sectile::{Cancel, Certificate, Certify, Check, Detail, Error, Language, Model, Reader};
use std::str::FromStr as _;
use std::time::Duration;
use watch::{Message, watched};

/// A model as text, and how it is to be read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Source {
    text: String,
    language: String,
    name: String,
    define: Vec<(String, String)>,
    termination: bool,
    infinite_paths: bool,
}

impl Source {
    fn read(self) -> Result<Model, Error> {
        let mut reader = Reader::new(Language::from_str(&self.language)?).name(self.name);
        for (name, value) in self.define {
            reader = reader.define(name, value);
        }
        if self.termination {
            reader = reader.termination();
        }
        if self.infinite_paths {
            reader = reader.infinite_paths();
        }
        reader.read(self.text)
    }
}

/// The limits of a check.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
struct Limits {
    timeout: Option<f64>,
    memory: Option<u64>,
    solver: String,
}

impl Limits {
    /// The time; a year, where it is none that a clock knows.
    fn time(&self) -> Option<Duration> {
        let year = Duration::from_secs(365 * 24 * 3600);
        let time = |t: f64| Duration::try_from_secs_f64(t).unwrap_or(year).min(year);
        self.timeout.map(time)
    }
}

/// What is asked of a model.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Request {
    properties: Vec<String>,
    engines: Vec<String>,
    settings: Vec<(String, String)>,
    predicates: Vec<String>,
    jobs: usize,
    seed: u64,
    short_proofs: bool,
    detail: String,
}

impl Request {
    fn on<'c>(&self, model: &'c Model, limits: &Limits, cancel: &Cancel) -> Check<'c> {
        let mut check = Check::new(model)
            .jobs(self.jobs)
            .seed(self.seed)
            .solver(limits.solver.as_str())
            .short_proofs(self.short_proofs)
            .cancel(cancel)
            .detail(match self.detail.as_str() {
                "steps" => Detail::Steps,
                "pictures" => Detail::Pictures,
                _ => Detail::Progress,
            });
        for name in &self.properties {
            check = check.property(name);
        }
        for name in &self.engines {
            check = check.engine(name);
        }
        for (name, value) in &self.settings {
            check = check.set(name, value);
        }
        for text in &self.predicates {
            check = check.predicates(text);
        }
        if let Some(time) = limits.time() {
            check = check.timeout(time);
        }
        match limits.memory {
            Some(bytes) => check.memory(bytes),
            None => check,
        }
    }
}

/// Checks a model; the result is JSON.
#[pyfunction]
fn check(
    py: Python<'_>,
    source: Source,
    limits: Limits,
    request: Request,
    on_event: Option<Py<PyAny>>,
) -> PyResult<String> {
    let cancel = Cancel::new();
    let (handle, time) = (cancel.clone(), limits.time());
    let wants_events = on_event.is_some();
    watched(py, &cancel, time, on_event, move |tell| {
        let outcome = source.read().and_then(|model| {
            tell(Message::Read);
            let mut check = request.on(&model, &limits, &handle);
            if wants_events {
                check = check.observe(|event| tell(Message::Event(event.to_json())));
            }
            check.run()
        });
        answers::of_check(&outcome)
    })
}

/// Checks a certificate; the result is JSON.
#[pyfunction]
fn certify(
    py: Python<'_>,
    source: Source,
    limits: Limits,
    certificate: String,
) -> PyResult<String> {
    let cancel = Cancel::new();
    let (handle, time) = (cancel.clone(), limits.time());
    watched(py, &cancel, time, None, move |tell| {
        let certified = source.read().and_then(|model| {
            tell(Message::Read);
            let certificate = Certificate::from(certificate);
            let mut certify = Certify::new(&model, &certificate)
                .solver(limits.solver.as_str())
                .cancel(&handle);
            if let Some(time) = limits.time() {
                certify = certify.timeout(time);
            }
            if let Some(bytes) = limits.memory {
                certify = certify.memory(bytes);
            }
            certify.run()
        });
        answers::of_certify(&certified)
    })
}

/// The module.
#[pymodule]
mod _sectile {
    #[pymodule_export]
    use super::{certify, check};
}
