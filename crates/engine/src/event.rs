//! What engines tell while they work.

use std::collections::BTreeMap;

/// Something happened. Text, JSON, pictures and statistics are made from events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An engine starts on a property.
    Started {
        /// The engine.
        engine: &'static str,
        /// The property.
        property: String,
    },
    /// A phase of the work begins.
    Phase {
        /// What it is called.
        name: &'static str,
    },
    /// No violation has this many steps or fewer.
    BoundRefuted {
        /// The number of steps.
        depth: u64,
    },
    /// States were found.
    States {
        /// How many so far.
        count: u64,
        /// The depth of the last one.
        depth: u64,
    },
    /// A counter has a new value.
    Counter {
        /// Its name, as in the statistics.
        name: &'static str,
        /// Its value.
        value: u64,
    },
}

/// Listens to events.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: &Event);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: &Event) {}
}

/// Keeps the last value of every counter.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    counters: BTreeMap<&'static str, u64>,
}

impl Statistics {
    /// All counters, by name.
    pub fn counters(&self) -> &BTreeMap<&'static str, u64> {
        &self.counters
    }

    /// Sets a counter directly.
    pub fn set(&mut self, name: &'static str, value: u64) {
        self.counters.insert(name, value);
    }
}

impl Observer for Statistics {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Counter { name, value } => self.set(name, *value),
            Event::BoundRefuted { depth } => self.set("bound", *depth),
            Event::States { count, depth } => {
                self.set("states", *count);
                self.set("depth", *depth);
            }
            Event::Started { .. } | Event::Phase { .. } => {}
        }
    }
}
