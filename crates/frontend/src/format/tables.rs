//! Aligns columns: consecutive declarations whose types, guards or arrows form a column.
//!
//! A column is aligned if the author aligned it: if in a block without empty lines, some line has
//! more than one blank before it.

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
    /// The colon before a type, or the sign after a defined name.
    Type,
    /// The contents of a command or property, after its name.
    Body,
    /// The arrow between guard and actions.
    Arrow,
}

/// The maximal ranges of lines without empty lines between them.
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
        // Continuation lines and comments do not end a table.
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

/// The kind of declaration that begins in a line: lines of the same kind form a table.
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
    // The longest line of a table needs only one blank: its column shows that it belongs to the
    // table.
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

/// The column of a cell in the author's text, adjusted to the new indentation.
fn column_of(line: &Line<'_>, at: usize) -> usize {
    (line.cells[at].piece.column + line.moved.1).saturating_sub(line.moved.0)
}

/// The first cell with this sign outside of brackets.
fn outer(line: &Line<'_>, sign: &str) -> Option<usize> {
    let depth = line.cells.first()?.role.depth;
    let mut cells = line.cells.iter();
    cells.position(|c| c.role.depth == depth && c.piece.is(sign))
}

/// The arrow after a guard of several lines, in the last line.
fn continued(line: &Line<'_>, column: Column) -> Option<usize> {
    let continues = column == Column::Arrow && kind(line).is_none();
    continues.then(|| outer(line, "-->"))?
}

/// The cell in a column.
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
        // The arrow after a guard of several lines is aligned if the author placed it in the
        // column.
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

/// Aligns comments after declarations: in the rightmost column that one of them needs or has.
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

/// The comment at the end of a line, if something precedes it.
fn comment(line: &Line<'_>) -> Option<usize> {
    let last = line.cells.len().checked_sub(1)?;
    let behind = last > 0 || !line.labels.is_empty();
    (behind && line.cells[last].piece.kind == PieceKind::LineComment).then_some(last)
}
