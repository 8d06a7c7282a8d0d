//! Columns: declarations one below the other whose types, guards or arrows stand in a column.
//!
//! A column is aligned where the author has aligned it: where some line of a block without empty
//! lines has more than one blank before it.

use super::lines::Line;
use super::pieces::PieceKind;
use std::collections::BTreeSet;

/// Aligns the columns.
pub(super) fn align(lines: &mut [Line<'_>]) {
    for range in blocks(lines) {
        let block = &mut lines[range];
        for column in [Column::Type, Column::Body, Column::Arrow] {
            align_column(block, column);
        }
    }
    for range in blocks(lines) {
        align_comments(&mut lines[range]);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    /// The colon before a type, or the sign behind what is defined.
    Type,
    /// What stands behind the name of a command or a property.
    Body,
    /// The arrow between guard and actions.
    Arrow,
}

/// Lines without empty ones between them.
fn blocks(lines: &[Line<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        match found.last_mut() {
            Some(last) if !line.apart => last.end = i + 1,
            _ => found.push(i..i + 1),
        }
    }
    found
}

fn align_column(block: &mut [Line<'_>], column: Column) {
    let mut start = 0;
    while start < block.len() {
        let kind = kind(&block[start]);
        // Lines that continue others, and comments, do not end a table.
        let length = block[start..].iter().take_while(|l| {
            let same = l.indent == block[start].indent && self::kind(l) == kind;
            !l.begins || same
        });
        let end = start + length.count().max(1);
        if kind.is_some() {
            align_run(&mut block[start..end], column);
        }
        start = end;
    }
}

/// What begins with a line: lines of one kind make a table.
fn kind(line: &Line<'_>) -> Option<&'static str> {
    const WORDS: &[&str] = &["var", "const", "param", "define", "relation"];
    let first = line.cells.first().filter(|_| line.begins)?.piece;
    if first.is_any(&["invariant", "error", "ctl", "ltl", "always"]) {
        return Some("property");
    }
    let word = WORDS.iter().find(|w| first.is(w));
    word.copied()
        .or_else(|| first.is_name().then_some("command"))
}

fn align_run(run: &mut [Line<'_>], column: Column) {
    let sure = (0..run.len()).filter_map(|i| Some((i, place(&run[i], column)?)));
    let padded = sure.filter(|&(i, at)| at > 0 && run[i].cells[at].piece.gap > 1);
    let padded: BTreeSet<usize> = padded.map(|(i, at)| column_of(&run[i], at)).collect();
    // The longest line of a table needs one blank only: its column tells that it belongs there.
    let among = |line: &Line<'_>, at: &usize| padded.contains(&column_of(line, *at));
    let places: Vec<(usize, usize)> = (0..run.len())
        .filter_map(|i| {
            let line = &run[i];
            let continued = || continued(line, column).filter(|at| among(line, at));
            Some((i, place(line, column).or_else(continued)?))
        })
        .collect();
    if padded.is_empty() || places.len() < 2 {
        return;
    }
    let starts = places.iter().map(|&(i, at)| run[i].start_of(at));
    let Some(widest) = starts.max() else { return };
    let had: BTreeSet<usize> = places
        .iter()
        .map(|&(i, at)| column_of(&run[i], at))
        .collect();
    let target = match had.first() {
        Some(&aligned) if had.len() == 1 => widest.max(aligned),
        _ => widest,
    };
    for (i, at) in places {
        let missing = target - run[i].start_of(at);
        match at {
            0 => run[i].indent += missing,
            _ => run[i].cells[at].blanks += missing,
        }
    }
}

/// Where the author has put a cell, if the line had been where it is now.
fn column_of(line: &Line<'_>, at: usize) -> usize {
    (line.cells[at].piece.column + line.moved.1).saturating_sub(line.moved.0)
}

/// The first cell with this sign outside of brackets.
fn outer(line: &Line<'_>, sign: &str) -> Option<usize> {
    let depth = line.cells.first()?.role.depth;
    let mut cells = line.cells.iter();
    cells.position(|c| c.role.depth == depth && c.piece.is(sign))
}

/// The arrow of a guard of several lines, in its last one.
fn continued(line: &Line<'_>, column: Column) -> Option<usize> {
    let continues = column == Column::Arrow && kind(line).is_none();
    continues.then(|| outer(line, "-->"))?
}

/// The cell that stands in a column.
fn place(line: &Line<'_>, column: Column) -> Option<usize> {
    let outer = |sign: &str| outer(line, sign);
    match (column, kind(line)) {
        (Column::Type, Some("var" | "const" | "param")) => {
            let sign = outer(":").or_else(|| outer("="))?;
            let indexed = line.cells[..sign].iter().any(|c| c.piece.is("["));
            (!indexed).then_some(sign)
        }
        (Column::Type, Some("define")) => outer("="),
        (Column::Body, Some("command" | "relation" | "property")) => {
            let colon = outer(":").filter(|&c| !line.cells[c].role.typing)?;
            let behind = line.cells.get(colon + 1)?;
            (!behind.piece.is_comment()).then_some(colon + 1)
        }
        (Column::Arrow, Some("command")) => outer("-->"),
        // A guard of several lines: the arrow of the last one stands in the column if the author
        // has put it there.
        (Column::Arrow, None) => {
            let arrow = continued(line, column)?;
            let far = match arrow {
                0 => line.is_far(),
                _ => line.cells[arrow].piece.gap > 1,
            };
            far.then_some(arrow)
        }
        _ => None,
    }
}

/// Comments behind declarations stand in one column: the rightmost one that one of them needs or
/// has.
fn align_comments(block: &mut [Line<'_>]) {
    let mut start = 0;
    while start < block.len() {
        let run = block[start..].iter().take_while(|l| comment(l).is_some());
        let end = start + run.count();
        if end > start {
            align_comment_run(&mut block[start..end]);
        }
        start = end.max(start + 1);
    }
}

fn align_comment_run(run: &mut [Line<'_>]) {
    let padded = |line: &Line<'_>| comment(line).is_some_and(|at| line.cells[at].piece.gap > 1);
    if !run.iter().any(padded) {
        return;
    }
    let wanted = run.iter().filter_map(|line| {
        let at = comment(line)?;
        let needed = line.width_before(at) + 1;
        let had = line.cells[at].piece.column;
        Some(if padded(line) {
            needed.max(had)
        } else {
            needed
        })
    });
    let Some(target) = wanted.max() else { return };
    for line in run {
        if let Some(at) = comment(line) {
            line.cells[at].blanks = target - line.width_before(at);
        }
    }
}

/// The comment at the end of a line that has something else before it.
fn comment(line: &Line<'_>) -> Option<usize> {
    let last = line.cells.len().checked_sub(1)?;
    let behind = last > 0 || !line.labels.is_empty();
    (behind && line.cells[last].piece.kind == PieceKind::LineComment).then_some(last)
}
