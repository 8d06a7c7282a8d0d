//! The current status in a few lines.

use crate::text::cut;
use sectile_base::counted;
use sectile_engine::{Event, Interest, Observer, Sliced};

/// Maximum length of formulas.
const FORMULA: usize = 100;

/// The state of a check, according to its events.
#[derive(Clone, Debug, Default)]
pub struct LiveStatus {
    engine: &'static str,
    property: String,
    phase: Option<&'static str>,
    part: Option<(usize, usize, String)>,
    size: Option<Size>,
    states: Option<(u64, u64)>,
    bound: Option<u64>,
    predicate: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Size {
    step: u64,
    nodes: usize,
    edges: usize,
    predicates: usize,
}

impl LiveStatus {
    /// A few lines: the engine, the property, the progress, and the latest finding.
    pub fn lines(&self, seconds: f64) -> Vec<String> {
        if self.engine.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![self.title(seconds)];
        let reached = self.reached();
        if !reached.is_empty() {
            lines.push(format!("  {reached}"));
        }
        if let Some(predicate) = &self.predicate {
            lines.push(format!("  last predicate {predicate}"));
        }
        lines
    }

    /// The same on one line.
    pub fn line(&self, seconds: f64) -> String {
        let pieces = self.lines(seconds);
        let pieces: Vec<&str> = pieces.iter().map(|l| l.trim_start()).collect();
        pieces.join("; ")
    }

    /// `slab: mutex, part 2 of 6 (P[0], P[1]), 12.3 s`.
    fn title(&self, seconds: f64) -> String {
        let mut text = format!("{}: {}", self.engine, self.property);
        if let Some((index, of, name)) = &self.part {
            text.push_str(&format!(", part {index} of {of}"));
            if !name.is_empty() {
                text.push_str(&format!(" ({})", shortened(name)));
            }
        }
        if let Some(phase) = self.phase {
            text.push_str(&format!(", {phase}"));
        }
        text.push_str(&format!(", {seconds:.1} s"));
        text
    }

    fn reached(&self) -> String {
        let mut pieces = Vec::new();
        if let Some(size) = self.size {
            pieces.push(format!("iteration {}", size.step));
            pieces.push(counted(size.nodes, "node"));
            pieces.push(counted(size.edges, "edge"));
            pieces.push(counted(size.predicates, "predicate"));
        }
        if let Some((count, depth)) = self.states {
            pieces.push(format!("{} up to depth {depth}", counted(count, "state")));
        }
        if let Some(depth) = self.bound {
            pieces.push(format!("no violation in {}", counted(depth, "step")));
        }
        pieces.join(", ")
    }
}

/// One line of limited length.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), FORMULA)
}

impl Observer for LiveStatus {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Started { engine, property } => {
                *self = LiveStatus {
                    engine,
                    property: property.clone(),
                    ..LiveStatus::default()
                };
            }
            Event::Resumed { engine } => {
                *self = LiveStatus {
                    engine,
                    property: std::mem::take(&mut self.property),
                    ..LiveStatus::default()
                };
            }
            Event::Phase { name } => self.phase = Some(name),
            Event::Part { index, of, name } => {
                self.part = Some((*index, *of, name.clone()));
                self.size = None;
            }
            Event::BoundRefuted { depth } => self.bound = Some(*depth),
            Event::States { count, depth } => self.states = Some((*count, *depth)),
            Event::Abstraction {
                step,
                nodes,
                edges,
                predicates,
            } => {
                self.size = Some(Size {
                    step: *step,
                    nodes: *nodes,
                    edges: *edges,
                    predicates: *predicates,
                });
            }
            Event::PredicateBorn { predicate, .. } | Event::Split { predicate, .. } => {
                self.predicate = Some(shortened(predicate));
            }
            _ => {}
        }
    }

    fn interest(&self) -> Interest {
        Interest::Counters
    }
}

/// One event as a line of text, for verbose output.
pub fn event_text(event: &Event) -> Option<String> {
    Some(match event {
        Event::Started { engine, property } => format!("{engine}: checking {property}"),
        Event::Decided {
            property, status, ..
        } => format!("{property}: {status}"),
        Event::Resumed { engine } => format!("{engine}:"),
        Event::Phase { name } => format!("  {name}"),
        Event::Part { index, of, name } => format!("  part {index} of {of}: {}", shortened(name)),
        Event::BoundRefuted { depth } => format!("  no violation in {}", counted(depth, "step")),
        Event::States { count, depth } => {
            format!("  {} up to depth {depth}", counted(count, "state"))
        }
        Event::Counter { name, value } => format!("  {name} {value}"),
        Event::SolverTime { .. } => return None,
        Event::Abstraction {
            step,
            nodes,
            edges,
            predicates,
        } => format!(
            "  step {step}: {}, {}, {}",
            counted(nodes, "node"),
            counted(edges, "edge"),
            counted(predicates, "predicate")
        ),
        Event::PathFound { nodes, .. } => format!("  path {}", arrows(nodes)),
        Event::PathStates { .. } => return None,
        Event::PathEmptied { position, .. } => match position {
            Some(k) => format!("  no state at position {k} leads along the path"),
            None => "  no initial state leads along the path".to_string(),
        },
        Event::PathRefuted { first, last, .. } => {
            format!("  no run takes the path from position {first} to {last}")
        }
        Event::PathConcretized { steps } => {
            format!("  a run of {} takes the path", counted(steps, "step"))
        }
        Event::PredicateBorn { predicate, source } => {
            format!("  predicate {} ({source})", shortened(predicate))
        }
        Event::Split {
            node,
            halves: [yes, no],
            predicate,
        } => format!(
            "  n{node} split into n{yes}, n{no} by {}",
            shortened(predicate)
        ),
        Event::Sliced { what, reason } => format!("  {} sliced: {}", sliced(what), reason.word()),
        Event::Lemma { formula, source } => format!("  lemma {} ({source})", shortened(formula)),
        Event::Adopted { formula, from } => format!("  uses {} of {from}", shortened(formula)),
        Event::NotInductive {
            candidate, step, ..
        } => format!("  not inductive: {} ({step})", shortened(candidate)),
        Event::Covered { vertex, by } => format!("  v{vertex} covered by v{by}"),
        Event::Picture(_) => return None,
    })
}

fn sliced(what: &Sliced) -> String {
    match what {
        Sliced::Node { node } => format!("n{node}"),
        Sliced::Relation { from, to, name } => format!("n{from} -> n{to} {name}"),
    }
}

fn arrows(nodes: &[usize]) -> String {
    let names: Vec<String> = nodes.iter().map(|n| format!("n{n}")).collect();
    names.join(" -> ")
}
