//! Notes about models whose graph has more runs than the file.
//!
//! Recursion and clauses with several predicates in their bodies cannot be expressed as edges of a
//! graph. Commands that follow runs of the graph anyway name the edges that over-approximate, and
//! do not trust a run that takes one.

use sectile_driver::Loaded;
use sectile_model::Trace;

/// The names of the over-approximating edges, without duplicates.
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

/// The number of edges that are named; the others are only counted.
const NAMED: usize = 4;

/// A line that names the over-approximating edges, if there are any.
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

/// Why a run may not exist in the file: its first over-approximating step, if it has one.
pub fn doubt(loaded: &Loaded, trace: &Trace) -> Option<String> {
    let edges = &loaded.reading.module.model.edges;
    let steps = trace.steps.iter().map(|s| &edges[s.command]);
    let first = steps.enumerate().find(|(_, e)| e.loose);
    first.map(|(k, edge)| {
        let name = &edge.command.name;
        format!("step {} ({name}) allows more than the file does", k + 1)
    })
}
