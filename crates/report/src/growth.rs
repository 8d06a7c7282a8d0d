//! How an abstraction grows: its size after every step.
//!
//! Paper: [BrDrFiWe07, Fig. 4]: abstract states over predicates.

use sectile_engine::{Event, Interest, Observer};
use std::fmt::Write as _;

/// The size of an abstraction after one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowthRow {
    /// The property that is checked.
    pub property: String,
    /// The engine that checks it.
    pub engine: &'static str,
    /// The part of the work, from 1.
    pub part: usize,
    /// The step of the refinement loop.
    pub step: u64,
    /// Different predicates in the labels.
    pub predicates: usize,
    /// Live nodes.
    pub nodes: usize,
    /// Live edges.
    pub edges: usize,
}

/// Keeps the sizes of all abstractions.
#[derive(Clone, Debug, Default)]
pub struct Growth {
    property: String,
    engine: &'static str,
    part: usize,
    rows: Vec<GrowthRow>,
}

impl Growth {
    /// All sizes, in the order they were told.
    pub fn rows(&self) -> &[GrowthRow] {
        &self.rows
    }

    /// The table for other programs.
    pub fn csv(&self) -> String {
        let mut out = String::from("step,predicates,nodes,edges,part,property,engine\n");
        for row in &self.rows {
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{}",
                row.step,
                row.predicates,
                row.nodes,
                row.edges,
                row.part,
                field(&row.property),
                row.engine
            );
        }
        out
    }
}

/// A field of a table: in quotes where commas or quotes would disturb.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

impl Observer for Growth {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Started { engine, property } => {
                self.engine = engine;
                self.property.clone_from(property);
                self.part = 1;
            }
            Event::Resumed { engine } => self.engine = engine,
            Event::Part { index, .. } => self.part = *index,
            Event::Abstraction {
                step,
                nodes,
                edges,
                predicates,
            } => self.rows.push(GrowthRow {
                property: self.property.clone(),
                engine: self.engine,
                part: self.part,
                step: *step,
                predicates: *predicates,
                nodes: *nodes,
                edges: *edges,
            }),
            _ => {}
        }
    }

    fn interest(&self) -> Interest {
        Interest::Counters
    }
}
