//! Explanations of an engine's work in prose.

use crate::PropertyReport;
use crate::status::event_text;
use sectile_base::counted;
use sectile_engine::{Event, Interest, Observer};
use std::fmt::Write as _;

/// Listens to engines and describes the rounds of those that decide: the abstraction, its error
/// path, why no run takes that path, and the predicates that exclude it.
///
/// Paper: [Fr23, Sect. 5], [BeGrLa, Sect. 5.3] for the loop of abstraction refinement.
#[derive(Debug, Default)]
pub struct Narrator {
    /// One story for every engine and property.
    stories: Vec<Story>,
    /// The engine of the current events, among the stories.
    current: usize,
}

/// The work of one engine on one property.
#[derive(Debug, Default)]
struct Story {
    engine: String,
    property: String,
    text: String,
    commands: Vec<String>,
    /// The nodes of a path without further events so far.
    nodes: Vec<usize>,
    /// New predicates since the last abstraction, with their sources.
    born: Vec<(String, &'static str)>,
    /// Whether no predicates were reported yet.
    first: bool,
}

impl Narrator {
    /// The stories of the engines that answered, for the properties of a report. Engines without a
    /// story are not mentioned.
    pub fn text(mut self, properties: &[PropertyReport]) -> String {
        let mut out = String::new();
        for PropertyReport { name, engine, .. } in properties {
            let mut stories = self.stories.iter_mut();
            let story = stories.find(|s| s.property == *name && s.engine == *engine);
            let Some(story) = story else {
                continue;
            };
            story.tell_predicates();
            if !story.text.is_empty() {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "{name}, explained by {engine}");
                out.push_str(&story.text);
            }
        }
        out
    }

    /// An engine starts, possibly again.
    fn start(&mut self, engine: &str, property: &str) {
        let story = Story {
            engine: engine.to_string(),
            property: property.to_string(),
            first: true,
            ..Story::default()
        };
        let same = |s: &Story| s.engine == engine && s.property == property;
        self.current = begun(&mut self.stories, story, same);
    }
}

/// Replaces an earlier story of the same kind by a new one, or adds it; returns its position.
pub(crate) fn begun<S>(stories: &mut Vec<S>, story: S, same: impl Fn(&S) -> bool) -> usize {
    let place = stories.iter().position(same).unwrap_or(stories.len());
    match stories.get_mut(place) {
        Some(old) => *old = story,
        None => stories.push(story),
    }
    place
}

impl Story {
    fn line(&mut self, text: &str) {
        self.text.push_str("  ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The new predicates by source.
    fn tell_predicates(&mut self) {
        let born = std::mem::take(&mut self.born);
        let mut sources: Vec<&'static str> = Vec::new();
        for (_, source) in &born {
            if !sources.contains(source) {
                sources.push(source);
            }
        }
        for source in sources {
            let mine = born.iter().filter(|b| b.1 == source);
            let list: Vec<&str> = mine.map(|b| b.0.as_str()).collect();
            let word = if self.first { "first" } else { "new" };
            let plural = if list.len() == 1 { "" } else { "s" };
            let from = origin(source);
            let line = format!("{word} predicate{plural}, {from}: {}", list.join("; "));
            self.line(&capital(&line));
        }
        self.first = false;
    }

    /// The path as nodes and steps, if the engine does not report its states.
    fn tell_nodes(&mut self) {
        let nodes = std::mem::take(&mut self.nodes);
        let mut line = String::new();
        for (k, node) in nodes.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(line, "  n{node}");
            if let Some(command) = self.commands.get(k) {
                let _ = write!(line, "  {command}");
            }
        }
        if !line.is_empty() {
            self.line(&line);
        }
    }

    fn tell_path(&mut self, states: &[String], formula: &str) {
        let end = states.len().saturating_sub(1);
        for (k, state) in states.iter().enumerate() {
            self.line(&format!("  {k}: {state}"));
            if let Some(command) = self.commands.get(k).filter(|_| k < end) {
                let command = command.clone();
                self.line(&format!("     then {command}"));
            }
        }
        self.line("It is spurious exactly if this is valid:");
        self.line(&format!("  {formula}"));
    }

    fn tell_sets(&mut self, sets: &[(usize, String)]) {
        let end = sets.iter().map(|s| s.0).max();
        // A single interpolant has no direction.
        let is_backward = sets.len() > 1 && sets.first().map(|s| s.0) == end;
        self.line(match is_backward {
            true => "Going backwards from the error, these states lead to it along the path:",
            false => "These conditions separate what the path reaches from the error:",
        });
        for (position, set) in sets {
            self.line(&format!("  at {position}: {set}"));
        }
    }

    fn tell_emptied(&mut self, position: Option<usize>, loops: &[(usize, usize)]) {
        for &(first, last) in loops {
            let body = self.commands.get(first..last).unwrap_or(&[]).join("; ");
            self.line(&format!(
                "The loop {body} (from {first} to {last}) is taken any number of times at once."
            ));
        }
        let step = position.and_then(|k| self.commands.get(k).cloned());
        let why = match (position, step) {
            (Some(k), Some(command)) => format!(
                "No state at {k} leads on by {command} to the states at {}: the path is spurious.",
                k + 1
            ),
            (Some(k), None) => format!("There are no states at {k}: the path is spurious."),
            (None, _) => {
                "There are such states at 0, but none of them is initial: the path is spurious."
                    .to_string()
            }
        };
        self.line(&why);
    }
}

/// The description of a source of predicates.
fn origin(source: &str) -> &str {
    match source {
        "property" => "of the property",
        "prescribed" => "as given",
        "precondition" => "of these weakest preconditions",
        "accelerated" => "of these preconditions of any number of rounds",
        "guard" => "of the guards on the path",
        "interpolant" => "of interpolants of the path",
        "initial precondition" => "of weakest preconditions of the property",
        "sibling" => "the same about other processes",
        other => other,
    }
}

fn number(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

impl Observer for Narrator {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Started { engine, property } => self.start(engine, property),
            Event::Resumed { engine } => {
                // The newest one: earlier properties are decided.
                let found = self.stories.iter().rposition(|s| s.engine == *engine);
                self.current = found.unwrap_or(self.current);
            }
            Event::Decided { .. } => {}
            event => {
                if let Some(story) = self.stories.get_mut(self.current) {
                    story.hear(event);
                }
            }
        }
    }

    fn interest(&self) -> Interest {
        Interest::Steps
    }
}

impl Story {
    fn hear(&mut self, event: &Event) {
        if let Event::PathStates { states, formula } = event {
            self.nodes.clear();
            return self.tell_path(states, formula);
        }
        self.tell_nodes();
        match event {
            Event::PredicateBorn { predicate, source } => {
                self.born.push((predicate.clone(), source));
            }
            Event::Abstraction {
                step,
                nodes,
                predicates,
                ..
            } => {
                self.tell_predicates();
                let line = format!(
                    "Round {step}: with {}, {} reached.",
                    number(*predicates, "predicate", "predicates"),
                    number(*nodes, "abstract state is", "abstract states are"),
                );
                self.line(&line);
            }
            Event::PathFound { nodes, relations } => {
                self.commands = relations.clone();
                self.nodes = nodes.clone();
                self.line("An error is among them, on this path:");
            }
            Event::PathRefuted { interpolants, .. } => self.tell_sets(interpolants),
            Event::PathEmptied { position, loops } => self.tell_emptied(*position, loops),
            Event::PathConcretized { steps } => {
                let line = format!("It is real: a run of {} takes it.", counted(steps, "step"));
                self.line(&line);
            }
            Event::Phase { name } => self.line(&format!("{}.", capital(name))),
            Event::Counter { .. } | Event::SolverTime { .. } | Event::Picture(_) => {}
            other => {
                if let Some(text) = event_text(other) {
                    self.text.push_str(&text);
                    self.text.push('\n');
                }
            }
        }
    }
}
