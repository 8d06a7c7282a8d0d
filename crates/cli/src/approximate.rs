//! What is said about models whose graph allows more than the file does.
//!
//! Recursion and clauses with several predicates in their bodies are no edges of a graph. Commands
//! that follow runs of the graph all the same say which edges allow more, and believe no run that
//! takes one.

use sectile_driver::Loaded;
use sectile_model::Trace;

/// The names of the edges that allow more, without repetition.
pub fn edges(loaded: &Loaded) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let edges = loaded.reading.module.model.edges.iter();
    for edge in edges.filter(|e| e.loose) {
        let name = edge.command.name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// How many edges are named before the rest is counted.
const NAMED: usize = 4;

/// A line that says which edges allow more, where some do.
pub fn note(loaded: &Loaded) -> Option<String> {
    let names = edges(loaded);
    let mut list = names[..names.len().min(NAMED)].join(", ");
    if names.len() > NAMED {
        list.push_str(&format!(" and {} more", names.len() - NAMED));
    }
    (!names.is_empty()).then(|| {
        format!("note: the graph allows more than the file does ({list}): some states and runs may not exist")
    })
}

/// Why a run is none of the file, if it is none: its first step that allows more.
pub fn doubt(loaded: &Loaded, trace: &Trace) -> Option<String> {
    let edges = &loaded.reading.module.model.edges;
    let steps = trace.steps.iter().map(|s| &edges[s.command]);
    let first = steps.enumerate().find(|(_, e)| e.loose);
    first.map(|(k, edge)| {
        let name = &edge.command.name;
        format!("step {} ({name}) allows more than the file does", k + 1)
    })
}
