//! Events that engines emit while they work.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// An event. Text, JSON, pictures and statistics are made from events.
///
/// Texts inside events are in the words of the input. They cost time to write, so engines emit
/// events beyond the counters only to observers whose [`Interest`] includes them. Their JSON form
/// is a contract: `schemas/events.schema.json`.
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
    /// A property is decided, or its check ends without a verdict.
    Decided {
        /// The property.
        property: String,
        /// `holds`, `violated` or `unknown`.
        status: &'static str,
        /// The reason, if it is unknown.
        #[serde(skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The following events are again about this engine, after others had interrupted it.
    Resumed {
        /// The engine.
        engine: &'static str,
    },
    /// A phase of the work begins.
    Phase {
        /// Its name.
        name: &'static str,
    },
    /// One of several independent parts of the work begins.
    Part {
        /// Its number, from 1.
        index: usize,
        /// The number of parts.
        of: usize,
        /// Its description.
        name: String,
    },
    /// No violation has this many steps or fewer.
    BoundRefuted {
        /// The number of steps.
        depth: u64,
    },
    /// States were found.
    States {
        /// Their number so far.
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
    /// Time spent in the solver since the engine started.
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
    /// The states of the abstract path that was found last.
    PathStates {
        /// One text for each.
        states: Vec<String>,
        /// The formula that is valid exactly if no run takes the path to an error.
        formula: String,
    },
    /// The last path, read backwards, reaches states without a predecessor.
    PathEmptied {
        /// No state at this position leads along the rest of the path; `None` if some do, but no
        /// initial one.
        position: Option<usize>,
        /// The loops of the path, by their positions, that were accelerated.
        loops: Vec<(usize, usize)>,
    },
    /// The path is spurious: this part of it has no concrete run.
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
        /// The removed part.
        #[serde(flatten)]
        what: Sliced,
        /// The reason.
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
    /// A candidate that would prove the property if it were inductive, with a step that leaves it.
    NotInductive {
        /// The formula.
        candidate: String,
        /// The number of states of the candidate before the step.
        depth: u64,
        /// The values before the step.
        #[serde(serialize_with = "value_map")]
        before: Vec<(String, String)>,
        /// The step.
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

/// What slicing removes or rewrites.
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

/// The reason for a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SliceReason {
    /// Unsatisfiable.
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
    /// The name of the reason for users.
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

/// An abstraction graph, with the parts that slicing removes.
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
    /// Whether the part of the formula that the step is about is known to hold here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub labelled: bool,
    /// The reason, if slicing removes it.
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
    /// The reason, if slicing removes it.
    pub removed: Option<SliceReason>,
}

/// The level of detail that an observer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// Counters, phases, sizes, and new predicates.
    Counters,
    /// Every step, with its formulas.
    Steps,
    /// Pictures of every step as well.
    Pictures,
}

/// Receives events.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: &Event);

    /// The level of detail it wants.
    fn interest(&self) -> Interest;
}

/// Ignores all events.
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
