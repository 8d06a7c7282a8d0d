//! What engines tell while they work.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Something happened. Text, JSON, pictures and statistics are made from events.
///
/// Texts inside events are in the words of the input. They cost time to write, so engines tell
/// events beyond the counters only to observers whose [`Interest`] reaches that far. Their form as
/// JSON is a contract: `schemas/events.schema.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// An engine starts on a property.
    Started {
        /// The engine.
        engine: &'static str,
        /// The property.
        property: String,
    },
    /// A property is decided, or nothing more is done about it.
    Decided {
        /// The property.
        property: String,
        /// `holds`, `violated` or `unknown`.
        status: &'static str,
        /// Why it is not known, if it is not.
        #[serde(skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// What follows is again about this engine, which others had interrupted.
    Resumed {
        /// The engine.
        engine: &'static str,
    },
    /// A phase of the work begins.
    Phase {
        /// What it is called.
        name: &'static str,
    },
    /// One of several independent parts of the work begins.
    Part {
        /// Which one, from 1.
        index: usize,
        /// How many there are.
        of: usize,
        /// What it is about.
        name: String,
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
    /// So much time was spent in the solver since the engine began.
    SolverTime {
        /// The time.
        milliseconds: u64,
    },
    /// The abstraction has this size after a step of the refinement loop.
    Abstraction {
        /// The step; 1 is the initial abstraction.
        step: u64,
        /// Live nodes.
        nodes: usize,
        /// Live edges, one for each relation on them.
        edges: usize,
        /// Different predicates in the labels.
        predicates: usize,
    },
    /// An abstract error path was found.
    PathFound {
        /// Its nodes.
        nodes: Vec<usize>,
        /// The relations between them.
        relations: Vec<String>,
    },
    /// What the abstract states of the path say that was found last.
    PathStates {
        /// One text for each.
        states: Vec<String>,
        /// The formula that is valid exactly if no run takes the path to an error.
        formula: String,
    },
    /// Read backwards, the path that was found last comes to states that have no predecessor.
    PathEmptied {
        /// No state at this position leads along the rest of the path; `None` if some do, but no
        /// initial one.
        position: Option<usize>,
        /// The parts of the path, by their positions, that were taken any number of times.
        loops: Vec<(usize, usize)>,
    },
    /// The path has no concrete run: this part of it has none.
    PathRefuted {
        /// Position of the first node of the part.
        first: usize,
        /// Position of its last node.
        last: usize,
        /// The interpolants that refute it, with the positions they belong to.
        #[serde(serialize_with = "positions")]
        interpolants: Vec<(usize, String)>,
    },
    /// The path has a concrete run.
    PathConcretized {
        /// The number of its steps.
        steps: usize,
    },
    /// A predicate is used for the first time.
    PredicateBorn {
        /// The predicate.
        predicate: String,
        /// Where it comes from: `interpolant`, `prescribed`, `control`, ...
        source: &'static str,
    },
    /// A node was split.
    Split {
        /// The node.
        node: usize,
        /// The halves: where the predicate holds and where it does not.
        halves: [usize; 2],
        /// The predicate.
        predicate: String,
    },
    /// Something was removed from the abstraction, or made smaller.
    Sliced {
        /// What.
        #[serde(flatten)]
        what: Sliced,
        /// Why.
        reason: SliceReason,
    },
    /// A formula was found to hold in all reachable states, or while the property does.
    Lemma {
        /// The formula.
        formula: String,
        /// Where it comes from: `seed`, `transfer`, `intervals`, ...
        source: &'static str,
    },
    /// A formula of another engine was proved here, and is used.
    Adopted {
        /// The formula.
        formula: String,
        /// The other engine.
        from: &'static str,
    },
    /// A formula that would prove the property if steps did not leave it, with a step that does.
    NotInductive {
        /// The formula.
        candidate: String,
        /// How many states of the formula come before the step.
        depth: u64,
        /// The values before the step.
        #[serde(serialize_with = "value_map")]
        before: Vec<(String, String)>,
        /// What is done.
        step: String,
        /// The values that the step changes.
        #[serde(serialize_with = "value_map")]
        after: Vec<(String, String)>,
    },
    /// A vertex of a tree is covered by another one.
    Covered {
        /// The vertex.
        vertex: usize,
        /// The one that covers it.
        by: usize,
    },
    /// The whole abstraction, for a picture.
    Picture(Box<Picture>),
}

/// What a slice removes or rewrites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Sliced {
    /// A node with its edges.
    Node {
        /// The node.
        node: usize,
    },
    /// One relation of an edge.
    Relation {
        /// The source node.
        from: usize,
        /// The target node.
        to: usize,
        /// The relation.
        #[serde(rename = "relation")]
        name: String,
    },
}

/// Names and values as one JSON object.
pub fn value_map<S: Serializer>(list: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(list.iter().map(|(name, value)| (name, value)))
}

/// Formulas at the positions of a path.
fn positions<S: Serializer>(list: &[(usize, String)], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct At<'f> {
        position: usize,
        formula: &'f str,
    }
    to.collect_seq(list.iter().map(|(position, formula)| At {
        position: *position,
        formula,
    }))
}

/// Why a slice is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SliceReason {
    /// Nothing satisfies the formula.
    Inconsistent,
    /// No path from an initial node leads here.
    ForwardUnreachable,
    /// No path to an error node starts here.
    BackwardUnreachable,
    /// Composed with what follows it.
    Bypassed,
    /// Conjuncts about dead variables were dropped.
    Simplified,
}

impl SliceReason {
    /// The reason as users see it.
    pub fn word(self) -> &'static str {
        match self {
            SliceReason::Inconsistent => "inconsistent",
            SliceReason::ForwardUnreachable => "unreachable from an initial node",
            SliceReason::BackwardUnreachable => "no error node reachable",
            SliceReason::Bypassed => "bypassed",
            SliceReason::Simplified => "simplified",
        }
    }
}

/// An abstraction graph, with what the slice removes from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// The step of the refinement loop.
    pub step: u64,
    /// What was done, such as `split n2 by pc = 1`.
    pub title: String,
    /// The nodes, by number.
    pub nodes: Vec<PictureNode>,
    /// The edges, one for each relation.
    pub edges: Vec<PictureEdge>,
}

/// A node of a picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PictureNode {
    /// Its number; the same node has the same number in all pictures.
    pub id: usize,
    /// The predicates of its label.
    pub label: Vec<String>,
    /// Whether paths start here.
    pub initial: bool,
    /// Whether it is an error node.
    pub error: bool,
    /// Whether the part of a formula that the step is about is known to hold here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub labelled: bool,
    /// Why the slice removes it, if it does.
    pub removed: Option<SliceReason>,
}

/// An edge of a picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PictureEdge {
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The relation.
    pub relation: String,
    /// Why the slice removes it, if it does.
    pub removed: Option<SliceReason>,
}

/// How much an observer wants to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// Counters, phases, sizes, and predicates when they are born.
    Counters,
    /// Every step, with its formulas.
    Steps,
    /// Pictures of every step as well.
    Pictures,
}

/// Listens to events.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: &Event);

    /// How much it wants to hear.
    fn interest(&self) -> Interest;
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: &Event) {}

    fn interest(&self) -> Interest {
        Interest::Counters
    }
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

    /// Keeps the larger of the old and the new value.
    fn raise(&mut self, name: &'static str, value: u64) {
        let counter = self.counters.entry(name).or_insert(0);
        *counter = value.max(*counter);
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
            Event::Abstraction { nodes, .. } => {
                self.raise("nodes_max", *nodes as u64);
            }
            _ => {}
        }
    }

    fn interest(&self) -> Interest {
        Interest::Counters
    }
}
