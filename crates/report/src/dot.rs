//! Pictures of abstractions for Graphviz.
//!
//! Paper: [BrDrFiWe07, Figs 2 and 3]: a picture for every step, dashed what the slice removes.

use sectile_engine::{Picture, PictureEdge, PictureNode, SliceReason};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The first line of every picture: it tells our files from those of others.
pub const DOT_HEADER: &str = "// sectile: an abstraction, one step";

/// Lists of relations are broken at this many characters.
const WIDTH: usize = 40;

/// Relations of one edge beyond this many are counted, not named.
const NAMED: usize = 60;

/// A picture as DOT. `title` stands above it.
pub fn picture_dot(picture: &Picture, title: &str) -> String {
    let mut out = format!("{DOT_HEADER}\ndigraph abstraction {{\n");
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "  label={};", quoted(title));
    out.push_str("  labelloc=t;\n  rankdir=LR;\n  fontname=\"Helvetica\";\n");
    out.push_str("  node [fontname=\"Helvetica\", shape=box, style=rounded];\n");
    out.push_str("  edge [fontname=\"Helvetica\"];\n");
    for node in &picture.nodes {
        draw_node(&mut out, node);
    }
    for ((from, to, removed), relations) in grouped(&picture.edges) {
        let label = quoted(&wrapped(&relations));
        let look = removed.map(dashed_edge).unwrap_or_default();
        let _ = writeln!(out, "  n{from} -> n{to} [label={label}{look}];");
    }
    out.push_str("}\n");
    out
}

/// A node; an arrow from nowhere marks an initial one, a second frame an error.
fn draw_node(out: &mut String, node: &PictureNode) {
    let id = node.id;
    let mut label = format!("n{id}");
    for predicate in &node.label {
        label.push('\n');
        label.push_str(predicate);
    }
    let mut look = String::new();
    if node.error {
        look.push_str(", peripheries=2");
    }
    match (node.removed, node.error) {
        (Some(reason), _) => look.push_str(&dashed_node(reason)),
        (None, true) => look.push_str(", color=red"),
        (None, false) => {}
    }
    if node.labelled {
        look.push_str(", style=\"rounded,filled\", fillcolor=palegreen");
    }
    let _ = writeln!(out, "  n{id} [label={}{look}];", quoted(&label));
    if node.initial {
        let style = if node.removed.is_some() {
            " [style=dashed, color=gray50]"
        } else {
            ""
        };
        let _ = writeln!(out, "  start{id} [shape=point, style=filled];");
        let _ = writeln!(out, "  start{id} -> n{id}{style};");
    }
}

fn dashed_node(reason: SliceReason) -> String {
    let why = quoted(reason.word());
    format!(", style=\"rounded,dashed\", color=gray50, fontcolor=gray40, tooltip={why}")
}

fn dashed_edge(reason: SliceReason) -> String {
    let why = quoted(reason.word());
    format!(", style=dashed, color=gray50, fontcolor=gray40, tooltip={why}, labeltooltip={why}")
}

type Between = (usize, usize, Option<SliceReason>);

/// The relations between two nodes that share their fate, in the order they were told.
fn grouped(edges: &[PictureEdge]) -> BTreeMap<Between, Vec<&str>> {
    let mut groups: BTreeMap<Between, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        let key = (edge.from, edge.to, edge.removed);
        groups.entry(key).or_default().push(&edge.relation);
    }
    groups
}

/// A list with commas, broken into lines.
fn wrapped(names: &[&str]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for (i, name) in names.iter().take(NAMED).enumerate() {
        let width = name.chars().count();
        if i > 0 {
            text.push(',');
            let fits = column + width < WIDTH;
            text.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 2 } else { 0 };
        }
        text.push_str(name);
        column += width;
    }
    if names.len() > NAMED {
        let _ = write!(text, ",\nand {} more", names.len() - NAMED);
    }
    text
}

/// A string of DOT; line breaks become those of labels.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: usize, label: &[&str]) -> PictureNode {
        PictureNode {
            id,
            label: label.iter().map(ToString::to_string).collect(),
            initial: false,
            error: false,
            labelled: false,
            removed: None,
        }
    }

    fn edge(from: usize, to: usize, relation: &str, removed: Option<SliceReason>) -> PictureEdge {
        PictureEdge {
            from,
            to,
            relation: relation.to_string(),
            removed,
        }
    }

    /// Step 2 of the elevator, cut down: a slice takes one relation of an edge and one node.
    fn step() -> Picture {
        Picture {
            step: 1,
            title: "split n2 by pc = 1".to_string(),
            nodes: vec![
                PictureNode {
                    initial: true,
                    ..node(0, &["init", "not error"])
                },
                PictureNode {
                    removed: Some(SliceReason::BackwardUnreachable),
                    ..node(2, &["pc != 1"])
                },
                PictureNode {
                    error: true,
                    ..node(3, &["error"])
                },
            ],
            edges: vec![
                edge(0, 3, "up", None),
                edge(0, 3, "request", Some(SliceReason::Inconsistent)),
                edge(0, 3, "down", None),
                edge(0, 2, "up", Some(SliceReason::BackwardUnreachable)),
            ],
        }
    }

    #[test]
    fn what_the_slice_removes_is_dashed_and_says_why() {
        assert_eq!(
            picture_dot(&step(), "step 2: split n2 by pc = 1"),
            "\
// sectile: an abstraction, one step
digraph abstraction {
  label=\"step 2: split n2 by pc = 1\";
  labelloc=t;
  rankdir=LR;
  fontname=\"Helvetica\";
  node [fontname=\"Helvetica\", shape=box, style=rounded];
  edge [fontname=\"Helvetica\"];
  n0 [label=\"n0\\ninit\\nnot error\"];
  start0 [shape=point, style=filled];
  start0 -> n0;
  n2 [label=\"n2\\npc != 1\", style=\"rounded,dashed\", color=gray50, fontcolor=gray40, tooltip=\"no error node reachable\"];
  n3 [label=\"n3\\nerror\", peripheries=2, color=red];
  n0 -> n2 [label=\"up\", style=dashed, color=gray50, fontcolor=gray40, tooltip=\"no error node reachable\", labeltooltip=\"no error node reachable\"];
  n0 -> n3 [label=\"up, down\"];
  n0 -> n3 [label=\"request\", style=dashed, color=gray50, fontcolor=gray40, tooltip=\"inconsistent\", labeltooltip=\"inconsistent\"];
}
"
        );
    }

    #[test]
    fn names_cannot_break_out_of_their_quotes() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    }

    #[test]
    fn long_lists_are_broken_and_very_long_ones_cut() {
        let names: Vec<String> = (0..100).map(|i| format!("P[{i}].enter")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = wrapped(&names);
        assert!(
            text.lines().all(|l| l.chars().count() <= WIDTH + 2),
            "{text}"
        );
        assert!(text.ends_with("and 40 more"), "{text}");
        assert_eq!(wrapped(&names[..2]), "P[0].enter, P[1].enter");
    }
}
