//! Waiting for a thread that works, without the interpreter lock.

use pyo3::exceptions::{PyRuntimeError, PyTimeoutError};
use pyo3::prelude::*;
use sectile::Cancel;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Interval between looks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// Grace period for a check that was cancelled. Whatever still works afterwards is left behind.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// As large as that of the main thread of most programs, and more.
const STACK: usize = 16 << 20;

/// What the worker tells.
pub enum Message {
    /// The model is read: from now on the check looks at the limits itself.
    Read,
    /// Something happened, as JSON.
    Event(String),
    /// This is the result.
    Done(String),
}

/// Has `work` done by a thread of its own, and gives its result.
///
/// Ctrl-C and exceptions of `on_event` cancel it, and so does a text that is still being read when the
/// time is over.
pub fn watched(
    py: Python<'_>,
    cancel: &Cancel,
    time: Option<Duration>,
    on_event: Option<Py<PyAny>>,
    work: impl FnOnce(&dyn Fn(Message)) -> String + Send + 'static,
) -> PyResult<String> {
    let (sender, mut receiver) = channel();
    let worker = std::thread::Builder::new().name("sectile".to_string());
    let worker = worker.stack_size(STACK).spawn(move || {
        // Nobody listens any more after an exception.
        let result = work(&|message| _ = sender.send(message));
        let _ = sender.send(Message::Done(result));
    });
    worker
        .map_err(|e| PyRuntimeError::new_err(format!("there is no thread for the check: {e}")))?;
    let mut watcher = Watcher {
        deadline: time.map(|t| Instant::now() + t),
        on_event,
    };
    loop {
        let message;
        (receiver, message) = py.detach(move || {
            let message = receiver.recv_timeout(SIGNAL_INTERVAL);
            (receiver, message)
        });
        let heard = watcher.hear(py, message);
        match heard.and_then(|heard| py.check_signals().map(|()| heard)) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(result)) => return Ok(result),
            Err(error) => {
                cancel.cancel();
                py.detach(move || wait_for_end(&receiver));
                return Err(error);
            }
        }
    }
}

/// The one who called.
struct Watcher {
    /// When the text must have been read.
    deadline: Option<Instant>,
    on_event: Option<Py<PyAny>>,
}

impl Watcher {
    fn hear(
        &mut self,
        py: Python<'_>,
        message: Result<Message, RecvTimeoutError>,
    ) -> PyResult<ControlFlow<String>> {
        match message {
            Ok(Message::Done(result)) => return Ok(ControlFlow::Break(result)),
            Ok(Message::Read) => self.deadline = None,
            Ok(Message::Event(line)) => {
                if let Some(callback) = &self.on_event {
                    callback.call1(py, (line,))?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let why = "internal error: the check ended without a result; please report this";
                return Err(PyRuntimeError::new_err(why));
            }
        }
        match self.deadline.is_some_and(|d| d <= Instant::now()) {
            true => Err(PyTimeoutError::new_err("the text was still being read")),
            false => Ok(ControlFlow::Continue(())),
        }
    }
}

/// Waits for a worker that was told to stop.
fn wait_for_end(receiver: &Receiver<Message>) {
    let end = Instant::now() + GRACE_PERIOD;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(Message::Done(_)) | Err(_) => return,
            Ok(Message::Read | Message::Event(_)) => {}
        }
    }
}
