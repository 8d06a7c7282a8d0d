//! A running solver process, and communication with it under the limits.

use crate::dialect::Dialect;
use sectile_base::{Budget, Exhausted};
use sectile_smtlib::Balance;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The longest wait between two checks of the limits.
const LIMIT_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Number of bytes of error output that are kept.
const MOST_ERROR_BYTES: usize = 2000;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A limit was reached; the process must be killed.
    Exhausted(Exhausted),
    /// The process ended or could not be started; the text says how.
    Died(String),
}

enum Event {
    Output(Vec<u8>),
    Complaint(Vec<u8>),
}

/// A process with its pipes. Dropping it kills the process and waits for its end.
pub(crate) struct Session {
    child: Child,
    input: Sender<String>,
    events: Receiver<Event>,
    balance: Balance,
    complaints: String,
    memory: Option<u64>,
}

impl Session {
    /// Starts the program of a dialect, with at most this many bytes of memory.
    pub(crate) fn start(dialect: &Dialect, memory: Option<u64>) -> Result<Session, Failure> {
        let mut command = Command::new(&dialect.program);
        command.args(&dialect.arguments);
        if let (Some(argument), Some(bytes)) = (dialect.memory, memory) {
            let mebibytes = (bytes >> 20).max(1);
            command.arg(format!("{argument}{mebibytes}"));
        }
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| match e.kind() {
            ErrorKind::NotFound => Failure::Died(dialect.missing()),
            _ => Failure::Died(format!("{} cannot be started: {e}", dialect.program)),
        })?;
        let (event_sender, events) = channel();
        if let Some(pipe) = child.stdout.take() {
            forward(pipe, event_sender.clone(), Event::Output);
        }
        if let Some(pipe) = child.stderr.take() {
            forward(pipe, event_sender, Event::Complaint);
        }
        let (input, texts) = channel();
        if let Some(pipe) = child.stdin.take() {
            feed(pipe, texts);
        }
        Ok(Session {
            child,
            input,
            events,
            balance: Balance::new(),
            complaints: String::new(),
            memory,
        })
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends commands. They are written by a thread of their own, so this never blocks.
    pub(crate) fn send(&self, text: String) {
        // If the writer is gone, so is the process, and the next wait for an answer says so.
        let _ = self.input.send(text);
    }

    /// The next s-expression that the process prints.
    pub(crate) fn receive(&mut self, budget: &Budget) -> Result<String, Failure> {
        loop {
            if let Some(expression) = self.balance.next_expression() {
                return Ok(expression);
            }
            budget.check().map_err(Failure::Exhausted)?;
            let left = budget.remaining().unwrap_or(LIMIT_CHECK_INTERVAL);
            match self.events.recv_timeout(left.min(LIMIT_CHECK_INTERVAL)) {
                Ok(Event::Output(bytes)) => self.balance.feed(&bytes),
                Ok(Event::Complaint(bytes)) => self.complain(&bytes),
                Err(RecvTimeoutError::Timeout) => self.check_memory()?,
                Err(RecvTimeoutError::Disconnected) => return self.last_words(),
            }
        }
    }

    fn complain(&mut self, bytes: &[u8]) {
        if self.complaints.len() < MOST_ERROR_BYTES {
            self.complaints.push_str(&String::from_utf8_lossy(bytes));
        }
    }

    fn check_memory(&self) -> Result<(), Failure> {
        match (self.memory, resident(self.id())) {
            (Some(limit), Some(used)) if used > limit => Err(Failure::Exhausted(Exhausted::Memory)),
            _ => Ok(()),
        }
    }

    /// The pipes are closed: either a word without a line break is left, or the process is dead.
    fn last_words(&mut self) -> Result<String, Failure> {
        self.balance.feed(b"\n");
        if let Some(expression) = self.balance.next_expression() {
            return Ok(expression);
        }
        let status = self.child.wait();
        let status = status.map_or_else(|e| e.to_string(), |s| s.to_string());
        let complaints = self.complaints.trim();
        let text = if complaints.is_empty() {
            format!("the process ended ({status})")
        } else {
            format!("the process ended ({status}): {complaints}")
        };
        Err(Failure::Died(text))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Both fail only if the process has been waited for already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends everything that comes out of a pipe to the channel, until one of them closes.
fn forward(mut pipe: impl Read + Send + 'static, to: Sender<Event>, wrap: fn(Vec<u8>) -> Event) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) if to.send(wrap(buffer[..count].to_vec())).is_ok() => {}
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return,
            }
        }
    });
}

/// Writes everything that comes out of the channel to the pipe, until one of them closes.
fn feed(mut pipe: ChildStdin, texts: Receiver<String>) {
    std::thread::spawn(move || {
        for text in texts {
            let written = pipe.write_all(text.as_bytes());
            if written.and_then(|()| pipe.flush()).is_err() {
                return;
            }
        }
    });
}

/// Resident memory of a process in bytes, if the system reports it.
fn resident(id: u32) -> Option<u64> {
    let statm = std::fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    // The kernel counts pages; 4 KiB is the page size of every platform we support.
    Some(pages * 4096)
}
