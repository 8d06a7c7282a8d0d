//! Reads and writes decision diagrams in certificates: `node` and `sets`.

use crate::certificate::{Block, Read, Reader, error, list, number, numbers};
use sectile_base::{Source, Span};
use sectile_model::{Diagram, DiagramNode, DiagramProof, Model, Trace};
use sectile_terms::{Terms, display_value};
use std::fmt::Write as _;

/// An empty proof.
pub(crate) fn empty() -> DiagramProof {
    DiagramProof {
        diagram: Diagram::default(),
        sets: Vec::new(),
        initial: None,
    }
}

/// Adds the initial state, if there is one.
pub(crate) fn finish(mut proof: DiagramProof, start: Option<Trace>) -> DiagramProof {
    let start = start.and_then(|t| Some((t.rigid, t.states.into_iter().next()?)));
    proof.initial = start;
    proof
}

/// Reads `node K: VARIABLE`, with its lines `CHILD if VALUE, VALUE, ...`.
pub(crate) fn node(
    reader: &Reader<'_>,
    model: &Model,
    proof: &mut DiagramProof,
    rest: &str,
    block: &Block<'_>,
) -> Read<()> {
    let expected = || error(block.span, "expected `node K: VARIABLE`");
    let (place, name) = rest.split_once(':').ok_or_else(expected)?;
    let here = Diagram::FIRST + proof.diagram.nodes.len();
    if number::<usize>(place, block.span)? != here {
        return Err(error(block.span, format!("this is node {here}")));
    }
    let mut symbols = model.variables.iter().chain(&model.rigid);
    let symbol = symbols.find(|&&s| reader.terms.name(s) == name.trim());
    let Some(&variable) = symbol else {
        let message = format!("the model has no variable `{}`", name.trim());
        return Err(error(block.span, message));
    };
    let mut children = Vec::new();
    for &(line, span) in &block.body {
        let expected = || error(span, "expected `CHILD if VALUE, VALUE, ...`");
        let (child, values) = line.split_once(" if ").ok_or_else(expected)?;
        let child = number(child, span)?;
        let mut start = span.end as usize - values.len();
        for text in values.split(',') {
            let at = Span::new(start, start + text.len());
            start = at.end as usize + 1;
            let read = |source: &Source| reader.scope.value(reader.terms, variable, source);
            children.push((reader.read_at(at, text, read)?, child));
        }
    }
    proof.diagram.add(DiagramNode { variable, children });
    Ok(())
}

/// Reads `sets K ...`.
pub(crate) fn sets(proof: &mut DiagramProof, rest: &str, block: &Block<'_>) -> Read<()> {
    proof.sets = numbers(rest, block.span)?;
    Ok(())
}

/// Writes the nodes and the sets.
pub(crate) fn print(terms: &Terms, proof: &DiagramProof, out: &mut String) {
    for (k, node) in proof.diagram.nodes.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "node {}: {}",
            k + Diagram::FIRST,
            terms.name(node.variable)
        );
        let mut children: Vec<usize> = node.children.iter().map(|c| c.1).collect();
        children.sort_unstable();
        children.dedup();
        for child in children {
            let values = node.children.iter().filter(|c| c.1 == child);
            let values: Vec<String> = values.map(|c| display_value(terms, &c.0)).collect();
            let _ = writeln!(out, "  {child} if {}", values.join(", "));
        }
    }
    let _ = writeln!(out, "sets {}", list(&proof.sets));
}
