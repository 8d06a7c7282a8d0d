//! `--format events`: all events as JSON lines on standard output.

use crate::output;
use sectile_driver::{Loaded, check::summary};
use sectile_engine::{Event, Interest, Observer};
use sectile_report::{CheckReport, event_line, first_line, last_line};
use std::time::Instant;

/// Writes the stream.
pub struct EventStream<'l> {
    loaded: &'l Loaded,
    started: Instant,
    begun: bool,
}

impl<'l> EventStream<'l> {
    /// A stream about this input. The first line is written with the first event, so that an
    /// invalid request leaves standard output empty.
    pub fn new(loaded: &'l Loaded) -> EventStream<'l> {
        EventStream {
            loaded,
            started: Instant::now(),
            begun: false,
        }
    }

    fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            output::result(&first_line(&summary(self.loaded)));
        }
    }

    /// Writes the last line.
    pub fn finish(mut self, report: &CheckReport) {
        self.begin();
        output::result(&last_line(report));
    }
}

impl Observer for EventStream<'_> {
    fn event(&mut self, event: &Event) {
        self.begin();
        let seconds = self.started.elapsed().as_secs_f64();
        output::result(&event_line(event, seconds));
    }

    fn interest(&self) -> Interest {
        Interest::Pictures
    }
}
