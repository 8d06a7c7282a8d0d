//! Observers of engines: the event stream, pictures, the HTML report, and the status on a terminal.

pub mod bar;
mod live;
mod page;
mod pictures;
mod stream;

pub use live::{Beside, Live, StepLines};
pub use page::Page;
pub use pictures::Pictures;
pub use stream::EventStream;

use sectile_engine::{Event, Interest, Observer};

/// Passes every event on to several observers.
#[derive(Default)]
pub struct Observers<'o> {
    list: Vec<&'o mut dyn Observer>,
}

impl<'o> Observers<'o> {
    /// Adds an observer, if there is one.
    pub fn add<O: Observer>(&mut self, observer: Option<&'o mut O>) {
        if let Some(observer) = observer {
            self.list.push(observer);
        }
    }
}

impl Observer for Observers<'_> {
    fn event(&mut self, event: &Event) {
        for observer in &mut self.list {
            observer.event(event);
        }
    }

    fn interest(&self) -> Interest {
        let all = self.list.iter().map(|o| o.interest());
        all.max().unwrap_or(Interest::Counters)
    }
}
