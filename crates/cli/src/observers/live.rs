//! The status of a check on standard error: a few lines updated in place on a terminal, otherwise
//! single lines from time to time.

use super::bar::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use crate::output;
use sectile_engine::{Event, Interest, Observer};
use sectile_report::{LiveStatus, event_text};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Checks that end before this show no status.
const FIRST_FRAME: Duration = Duration::from_millis(300);

/// Interval between updates of a terminal.
const FRAME: Duration = Duration::from_millis(100);

/// Interval between lines elsewhere.
const LINE: Duration = Duration::from_secs(1);

/// Shows the status as long as it lives.
///
/// It is written by a thread of its own, so that the time advances while an engine waits for its
/// solver.
pub struct Live {
    status: Arc<Mutex<LiveStatus>>,
    stop: Option<Sender<()>>,
    painter: Option<JoinHandle<()>>,
    announce: bool,
    bar: Option<ProgressBar>,
}

impl Live {
    /// A few lines that are updated in place. `NO_COLOR` is respected.
    pub fn on_terminal() -> Live {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let painted = bar.clone();
        let mut live = Live::start(move |status, stop| paint(&painted, &status, &stop), false);
        live.bar = Some(bar);
        live
    }

    /// At most one line a second, and one for every engine that starts.
    pub fn as_lines() -> Live {
        Live::start(|status, stop| write_lines(&status, &stop), true)
    }

    fn start<P>(painter: P, announce: bool) -> Live
    where
        P: FnOnce(Arc<Mutex<LiveStatus>>, Receiver<()>) + Send + 'static,
    {
        let status = Arc::new(Mutex::new(LiveStatus::default()));
        let (stop, stopped) = channel();
        let shared = Arc::clone(&status);
        Live {
            status,
            stop: Some(stop),
            // Without the thread there is no status; the check continues.
            painter: std::thread::Builder::new()
                .name("status".to_string())
                .spawn(move || painter(shared, stopped))
                .ok(),
            announce,
            bar: None,
        }
    }
}

/// Writes other output while a status is shown.
pub struct Beside(Option<ProgressBar>);

impl Beside {
    /// With a status, if there is one.
    pub fn new(live: Option<&Live>) -> Beside {
        Beside(live.and_then(|l| l.bar.clone()))
    }

    /// Runs a function that writes, with the status hidden.
    pub fn write(&self, write: impl FnOnce()) {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Observer for Live {
    fn event(&mut self, event: &Event) {
        if let (true, Event::Started { .. }) = (self.announce, event)
            && let Some(text) = event_text(event)
        {
            output::diagnostic(&text);
        }
        if let Ok(mut status) = self.status.lock() {
            status.event(event);
        }
    }

    fn interest(&self) -> Interest {
        Interest::Counters
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(painter) = self.painter.take() {
            let _ = painter.join();
        }
    }
}

/// Waits for an interval; false if the status was stopped.
fn wait(stop: &Receiver<()>, interval: Duration) -> bool {
    stop.recv_timeout(interval) == Err(RecvTimeoutError::Timeout)
}

fn paint(bar: &ProgressBar, status: &Mutex<LiveStatus>, stop: &Receiver<()>) {
    let started = Instant::now();
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        bar.set_style(style);
    }
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let mut interval = FIRST_FRAME;
    while wait(stop, interval) {
        interval = FRAME;
        let Ok(status) = status.lock() else { break };
        let mut lines = status.lines(started.elapsed().as_secs_f64());
        drop(status);
        if !no_colour && let Some(title) = lines.first_mut() {
            *title = format!("\x1b[1m{title}\x1b[0m");
        }
        bar.set_message(lines.join("\n"));
    }
    bar.finish_and_clear();
}

fn write_lines(status: &Mutex<LiveStatus>, stop: &Receiver<()>) {
    let started = Instant::now();
    while wait(stop, LINE) {
        let Ok(status) = status.lock() else { break };
        let line = status.line(started.elapsed().as_secs_f64());
        drop(status);
        if !line.is_empty() {
            output::diagnostic(&line);
        }
    }
}

/// Writes a line for every step.
pub struct StepLines;

impl Observer for StepLines {
    fn event(&mut self, event: &Event) {
        if let Some(text) = event_text(event) {
            output::diagnostic(&text);
        }
    }

    fn interest(&self) -> Interest {
        Interest::Steps
    }
}
