//! Events of a check while it runs.

use sectile_engine::Interest;

/// How detailed the events for an observer are. More detail takes more time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Detail {
    /// Engines, phases, counters, sizes, and predicates as they are found.
    #[default]
    Progress,
    /// Every step, with its formulas.
    Steps,
    /// Every step with a picture of the abstraction.
    Pictures,
}

impl Detail {
    pub(crate) fn interest(self) -> Interest {
        match self {
            Detail::Progress => Interest::Counters,
            Detail::Steps => Interest::Steps,
            Detail::Pictures => Interest::Pictures,
        }
    }
}

/// An event with its time.
#[derive(Clone, Copy, Debug)]
pub struct Event<'e> {
    pub(crate) event: &'e sectile_engine::Event,
    pub(crate) seconds: f64,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What<'e> {
    /// An engine starts on a property.
    Started {
        /// The engine.
        engine: &'e str,
        /// The property.
        property: &'e str,
    },
    /// The following events are about this engine again, which was interrupted by others.
    Resumed {
        /// The engine.
        engine: &'e str,
    },
    /// A phase of the work begins.
    Phase {
        /// Its name.
        name: &'e str,
    },
    /// No violation has this many steps or fewer.
    BoundRefuted {
        /// The number of steps.
        depth: u64,
    },
    /// A counter of the engine has a new value.
    Counter {
        /// Its name, as in the statistics.
        name: &'e str,
        /// Its value.
        value: u64,
    },
    /// A predicate is used for the first time.
    Predicate {
        /// The predicate, in the language of the model.
        formula: &'e str,
        /// Its origin.
        source: &'e str,
    },
    /// A formula holds in all reachable states, or as long as the property does.
    Lemma {
        /// The formula, in the language of the model.
        formula: &'e str,
        /// Its origin.
        source: &'e str,
    },
    /// A property is decided, or given up.
    Decided {
        /// The property.
        property: &'e str,
        /// `holds`, `violated` or `unknown`.
        verdict: &'e str,
    },
    /// Another event; [`Event::to_json`] has its contents.
    Other,
}

impl<'e> Event<'e> {
    /// What happened.
    pub fn what(&self) -> What<'e> {
        use sectile_engine::Event as Told;
        match self.event {
            Told::Started { engine, property } => What::Started { engine, property },
            Told::Resumed { engine } => What::Resumed { engine },
            Told::Phase { name } => What::Phase { name },
            Told::BoundRefuted { depth } => What::BoundRefuted { depth: *depth },
            Told::Counter { name, value } => What::Counter {
                name,
                value: *value,
            },
            Told::PredicateBorn { predicate, source } => What::Predicate {
                formula: predicate,
                source,
            },
            Told::Lemma { formula, source } => What::Lemma { formula, source },
            Told::Decided {
                property, status, ..
            } => What::Decided {
                property,
                verdict: status,
            },
            _ => What::Other,
        }
    }

    /// The time since the check began, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The event as `sectile check --format events` writes it: one JSON object on a line of its own
    /// (`schemas/events.schema.json`).
    pub fn to_json(&self) -> String {
        sectile_report::event_line(self.event, self.seconds)
    }
}
