//! Lines and how far they are indented.

use super::Form;
use super::pieces::Piece;
use super::spacing::{Role, blank, roles};

/// Columns by which a level is indented.
const STEP: usize = 2;

/// One line of the text.
pub(super) struct Line<'s> {
    /// Whether an empty line stands before it.
    pub apart: bool,
    /// Columns before its first token, or behind its labels.
    pub indent: usize,
    /// Labels at the beginning, with blanks between.
    pub labels: String,
    /// The rest.
    pub cells: Vec<Cell<'s>>,
    /// Whether a declaration or a statement begins with it.
    pub begins: bool,
    /// Where the declaration that it belongs to was indented, and where it is now.
    pub moved: (usize, usize),
}

/// A token or a comment in a line.
#[derive(Clone, Copy)]
pub(super) struct Cell<'s> {
    pub piece: Piece<'s>,
    pub role: Role,
    /// Blanks before it.
    pub blanks: usize,
}

impl Line<'_> {
    /// Whether it is indented by more than what continues a declaration needs.
    pub fn is_far(&self) -> bool {
        self.indent > self.moved.1 + 2 * STEP
    }

    /// The column in which the cell at a position begins.
    pub fn start_of(&self, position: usize) -> usize {
        self.width_before(position) + self.cells[position].blanks
    }

    /// Columns that the cells before a position need.
    pub fn width_before(&self, position: usize) -> usize {
        let cells = self.cells[..position].iter();
        let widths = cells.map(|c| c.blanks + c.piece.text.chars().count());
        self.indent + widths.sum::<usize>()
    }
}

/// The lines of a text, without the alignment of columns.
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

/// Takes the labels out of the lines; returns the columns that they need.
fn take_labels(lines: &mut [Line<'_>]) -> usize {
    let mut margin = 0;
    for line in lines {
        let pairs = line.cells.chunks(2).take_while(|pair| pair[0].role.label);
        let labels: Vec<String> = pairs.map(|p| format!("{}:", p[0].piece.text)).collect();
        // A colon on the next line leaves the label where it is.
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

/// What stands before and behind a program, without labels.
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

/// Where a construct stands: in the author's text and in ours.
#[derive(Clone, Copy, Default)]
struct Position {
    was: usize,
    is: usize,
}

fn indent(lines: &mut [Line<'_>], form: &Form, margin: usize) {
    // The lines in which the open brackets stand.
    let mut open: Vec<Position> = Vec::new();
    let mut blocks = 0;
    let mut item = Position::default();
    let mut before: Option<&str> = None;
    let mut loose = false;
    // The lines in which conditional statements begin, with the blocks that are open there.
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

/// Comments about what follows stand where that stands; those before the program at the margin.
fn level_of_comment(piece: &Piece<'_>, level: usize, margin: usize, loose: bool) -> usize {
    match loose || piece.column == 0 {
        true => level - margin,
        false => level,
    }
}

/// Where a line goes that continues what another one began: it keeps its distance to that.
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

/// The lines as text.
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
