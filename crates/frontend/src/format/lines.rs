//! Splits the text into lines and indents them.

use super::Form;
use super::pieces::Piece;
use super::spacing::{Role, blank, roles};

/// The number of columns per level of indentation.
const STEP: usize = 2;

/// One line of the text.
pub(super) struct Line<'s> {
    /// Whether there is an empty line before it.
    pub apart: bool,
    /// The number of columns before its first token, not counting labels.
    pub indent: usize,
    /// Labels at the beginning, separated by blanks.
    pub labels: String,
    /// The remaining tokens and comments.
    pub cells: Vec<Cell<'s>>,
    /// Whether a declaration or a statement begins in it.
    pub begins: bool,
    /// The original and the new indentation of the declaration that it belongs to.
    pub moved: (usize, usize),
}

/// A token or a comment in a line.
#[derive(Clone, Copy)]
pub(super) struct Cell<'s> {
    pub piece: Piece<'s>,
    pub role: Role,
    /// The number of blanks before it.
    pub blanks: usize,
}

impl Line<'_> {
    /// Whether its indentation is larger than that of a normal continuation line.
    pub fn is_far(&self) -> bool {
        self.indent > self.moved.1 + 2 * STEP
    }

    /// The column of the cell at a position.
    pub fn start_of(&self, position: usize) -> usize {
        self.width_before(position) + self.cells[position].blanks
    }

    /// The number of columns before the cell at a position, without the blanks before that cell.
    pub fn width_before(&self, position: usize) -> usize {
        let cells = self.cells[..position].iter();
        let widths = cells.map(|c| c.blanks + c.piece.text.chars().count());
        self.indent + widths.sum::<usize>()
    }
}

/// The lines of a text, before columns are aligned.
pub(super) fn lines<'s>(pieces: &[Piece<'s>], form: &Form) -> Vec<Line<'s>> {
    let roles = roles(pieces, form);
    let mut lines: Vec<Line<'s>> = Vec::new();
    for (i, piece) in pieces.iter().enumerate() {
        if i == 0 || piece.breaks > 0 {
            lines.push(Line {
                apart: piece.breaks > 1 && i > 0,
                indent: 0,
                labels: String::new(),
                cells: Vec::new(),
                begins: false,
                moved: (0, 0),
            });
        }
        let Some(line) = lines.last_mut() else {
            continue;
        };
        let blanks = match line.cells.last() {
            None => 0,
            Some(last) => usize::from(blank(&last.piece, last.role, piece, roles[i])),
        };
        line.cells.push(Cell {
            piece: *piece,
            role: roles[i],
            blanks,
        });
    }
    let margin = match form.labels {
        true => take_labels(&mut lines),
        false => 0,
    };
    indent(&mut lines, form, margin);
    lines
}

/// Removes the labels from the lines; returns the number of columns that they need.
fn take_labels(lines: &mut [Line<'_>]) -> usize {
    let mut margin = 0;
    for line in lines {
        let pairs = line.cells.chunks(2).take_while(|pair| pair[0].role.label);
        let labels: Vec<String> = pairs.map(|p| format!("{}:", p[0].piece.text)).collect();
        // If the colon is on the next line, the label stays in place.
        if labels.is_empty() || 2 * labels.len() > line.cells.len() {
            continue;
        }
        line.cells.drain(..2 * labels.len());
        line.labels = labels.join(" ");
        if let Some(first) = line.cells.first_mut() {
            first.blanks = 0;
        }
        margin = margin.max(line.labels.chars().count() + 1);
    }
    margin
}

/// Words that begin declarations and properties, which are not indented by the width of labels.
const DECLARATIONS: &[&str] = &[
    "param",
    "var",
    "init",
    "always",
    "invariant",
    "error",
    "ctl",
    "ltl",
    "terminates",
];

/// The column of a construct: the original one and the new one.
#[derive(Clone, Copy, Default)]
struct Position {
    was: usize,
    is: usize,
}

fn indent(lines: &mut [Line<'_>], form: &Form, margin: usize) {
    // The lines of the open brackets.
    let mut open: Vec<Position> = Vec::new();
    let mut blocks = 0;
    let mut item = Position::default();
    let mut before: Option<&str> = None;
    let mut loose = false;
    // The lines of the open conditional statements, with the number of blocks open there.
    let mut conditions: Vec<(usize, Position)> = Vec::new();
    for i in 0..lines.len() {
        let next = next_token(&lines[i..]);
        let line = &mut lines[i];
        let first = line.cells.first().map(|c| c.piece);
        let was = first.map_or(item.was, |p| p.column);
        let begins = first.is_some_and(|p| form.starts.contains(&p.start));
        let outside = !begins || !first.is_some_and(|p| p.is_any(DECLARATIONS)) || blocks > 0;
        let margin = if form.labels && outside { margin } else { 0 };
        let level = margin + STEP * blocks;
        let is = match first {
            None => level,
            Some(p) if p.is_comment() => match next {
                None => 0,
                Some((n, role)) if n.is("}") || role.label || form.starts.contains(&n.start) => {
                    level_of_comment(&p, level, margin, loose)
                }
                Some(_) => shifted(was, item, level),
            },
            Some(p) if p.is("}") && line.cells[0].role.block => {
                open.last().map_or(level, |place| place.is)
            }
            Some(p) if p.is("{") && line.cells[0].role.block => item.is,
            Some(_) if begins => match before {
                Some(")" | "else") if form.labels => item.is + STEP,
                _ => level,
            },
            Some(p) if p.is("else") && form.labels => {
                conditions.retain(|(inside, _)| *inside <= blocks);
                conditions.last().map_or(level, |(_, place)| place.is)
            }
            Some(_) => shifted(was, item, level),
        };
        line.indent = is;
        line.begins = begins;
        let resumes = first.is_some_and(|p| match form.labels {
            true => p.is_any(&["}", "else"]),
            false => p.is("}") && line.cells[0].role.block,
        });
        if begins || resumes {
            item = Position { was, is };
            loose = margin == 0;
        }
        line.moved = (item.was, item.is);
        for cell in &line.cells {
            if cell.piece.is_any(&["(", "[", "{"]) {
                open.push(item);
                blocks += usize::from(cell.role.block);
            } else if cell.piece.is_any(&[")", "]", "}"]) {
                open.pop();
                blocks -= usize::from(cell.role.block);
            }
            if cell.piece.is("else") {
                conditions.pop();
            } else if cell.piece.is("if") {
                conditions.push((blocks, item));
            }
            if !cell.piece.is_comment() {
                before = Some(cell.piece.text);
            }
        }
    }
}

/// The column of a comment about the next line; comments outside of the program are not indented by
/// the labels.
fn level_of_comment(piece: &Piece<'_>, level: usize, margin: usize, loose: bool) -> usize {
    match loose || piece.column == 0 {
        true => level - margin,
        false => level,
    }
}

/// The column of a continuation line: it keeps its distance to the first line.
fn shifted(was: usize, item: Position, level: usize) -> usize {
    let moved = (was + item.is).saturating_sub(item.was);
    moved.max(item.is.max(level) + STEP)
}

/// The first token of these lines.
fn next_token<'s>(lines: &[Line<'s>]) -> Option<(Piece<'s>, Role)> {
    let mut cells = lines.iter().flat_map(|l| &l.cells);
    let token = cells.find(|c| !c.piece.is_comment());
    token.map(|c| (c.piece, c.role))
}

/// The text of the lines.
pub(super) fn written(lines: &[Line<'_>]) -> String {
    let mut text = String::new();
    for line in lines {
        if line.apart {
            text.push('\n');
        }
        let start = text.len();
        text.push_str(&line.labels);
        let rest = line.indent.saturating_sub(line.labels.chars().count());
        text.push_str(&" ".repeat(rest));
        for cell in &line.cells {
            text.push_str(&" ".repeat(cell.blanks));
            text.push_str(&cell.piece.text.replace('\r', ""));
        }
        text.truncate(start.max(text.trim_end().len()));
        text.push('\n');
    }
    text
}
