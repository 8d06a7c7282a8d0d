//! Plots times against sizes, in one frame for every family.

use super::frame::{BOTTOM, Frame, LEFT, LEGEND, TOP, legend};
use super::scale::Scale;
use super::svg::{Anchor, Svg};
use crate::record::Outcome;
use crate::summary::{Row, Summary};
use crate::table::seconds;
use indexmap::IndexMap;

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 220.0;
const COLUMNS: usize = 2;

/// The curves of all families with at least two sizes; `None` if there are none.
pub(super) fn growth(summary: &Summary) -> Option<String> {
    let families = families(summary);
    if families.is_empty() {
        return None;
    }
    let columns = families.len().min(COLUMNS);
    let lines = families.len().div_ceil(COLUMNS);
    let cell = (LEFT + WIDTH + 12.0, TOP + HEIGHT + BOTTOM);
    let (width, height) = (columns as f64 * cell.0, lines as f64 * cell.1);
    let mut svg = Svg::new(width + LEGEND, height + 20.0, "CPU seconds over the size");
    for (number, (family, rows)) in families.iter().enumerate() {
        let (column, line) = (number % COLUMNS, number / COLUMNS);
        let corner = (
            column as f64 * cell.0 + LEFT,
            line as f64 * cell.1 + TOP + 20.0,
        );
        panel(&mut svg, summary, family, rows, corner);
    }
    legend(&mut svg, (width + 4.0, TOP + 20.0), &summary.names());
    Some(svg.finish())
}

/// The rows of each family with at least two sizes, in the order of the suite.
fn families(summary: &Summary) -> IndexMap<&str, Vec<&Row>> {
    let mut found: IndexMap<&str, Vec<&Row>> = IndexMap::new();
    for row in summary.rows.iter().filter(|r| r.task.size.is_some()) {
        found.entry(&row.task.family).or_default().push(row);
    }
    found.retain(|_, rows| rows.iter().any(|r| r.task.size != rows[0].task.size));
    found
}

fn panel(svg: &mut Svg, summary: &Summary, family: &str, rows: &[&Row], corner: (f64, f64)) {
    let times = rows.iter().flat_map(|r| r.cells.iter().flatten());
    let times = times.filter(|c| c.mark.is_solved()).map(|c| c.seconds);
    let frame = Frame {
        corner,
        width: WIDTH,
        height: HEIGHT,
        x: Scale::evenly(rows.iter().filter_map(|r| r.task.size)),
        y: Scale::decades(times.chain([summary.limit])),
    };
    frame.draw(svg, "", "CPU seconds");
    frame.level(svg, summary.limit);
    let above = (corner.0 + WIDTH / 2.0, corner.1 - 6.0);
    svg.text("label", Anchor::Middle, above, family);
    for series in 0..summary.headings.len() {
        let points = points(rows, series, &frame, summary.limit);
        let solved: Vec<_> = points.iter().filter(|p| p.1).map(|p| p.0).collect();
        if solved.len() > 1 {
            svg.curve(series, &solved);
        }
        for (at, _, title) in &points {
            svg.mark(series, *at, title);
        }
    }
}

/// The points of a contender, whether each is solved, and its title. Of the unsolved tasks,
/// timeouts are shown at the limit; the others are left out.
fn points(
    rows: &[&Row],
    series: usize,
    frame: &Frame,
    limit: f64,
) -> Vec<((f64, f64), bool, String)> {
    let mut sorted = rows.to_vec();
    let size = |r: &Row| r.task.size.unwrap_or(0.0);
    sorted.sort_by(|a, b| size(a).total_cmp(&size(b)));
    let places = sorted.into_iter().filter_map(|row| {
        let cell = row.cells.get(series)?.as_ref()?;
        let name = &row.task.name;
        if cell.mark.is_solved() {
            let title = format!("{name}: {} s", seconds(cell.seconds));
            return Some((frame.at(size(row), cell.seconds), true, title));
        }
        let word = cell.outcome.word();
        let is_limited = matches!(cell.outcome, Outcome::Timeout | Outcome::Memory);
        is_limited.then(|| (frame.at(size(row), limit), false, format!("{name}: {word}")))
    });
    places.collect()
}
