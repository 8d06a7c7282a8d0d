//! One value over all tasks, in the order of the suite.

use super::frame::{BOTTOM, Frame, LEFT, LEGEND, TOP, legend};
use super::scale::Scale;
use super::svg::Svg;
use crate::summary::{Cell, Summary};
use crate::table::number;

/// `cpu`, `memory`, `solved` or the name of a counter; nothing if no run has it.
pub(super) fn profile(summary: &Summary, value: &str) -> Option<String> {
    let of = |cell: &Cell| match value {
        "cpu" => Some(cell.seconds),
        "memory" => cell.memory.map(|m| m as f64 / 1e6),
        "solved" => Some(if cell.mark.is_solved() { 1.0 } else { 0.0 }),
        counter => cell.statistic(counter),
    };
    let mut values = Vec::new();
    for (task, row) in summary.rows.iter().enumerate() {
        for (series, cell) in row.cells.iter().enumerate() {
            let value = cell.as_ref().and_then(of);
            values.extend(value.map(|v| (task, series, v)));
        }
    }
    if values.is_empty() {
        return None;
    }
    let (width, height) = (640.0, 300.0);
    let title = format!("{value} over the tasks");
    let mut svg = Svg::new(LEFT + width + LEGEND, TOP + height + BOTTOM, &title);
    let positive = values.iter().map(|(_, _, v)| *v).filter(|v| *v > 0.0);
    // A logarithm has no zero: it stands a decade below all others, at the edge.
    let least = positive.clone().reduce(f64::min).unwrap_or(1.0);
    let zeros = values.iter().filter(|(_, _, v)| *v <= 0.0);
    let below = zeros.map(|_| least / 10.0);
    let frame = Frame {
        corner: (LEFT, TOP),
        width,
        height,
        x: Scale::Linear(0.0, summary.rows.len() as f64 + 1.0),
        y: match value {
            "solved" => Scale::evenly([0.0, 1.0].into_iter()),
            _ => Scale::decades(positive.chain(below)),
        },
    };
    frame.draw(&mut svg, "task", value);
    for (task, series, v) in values {
        let name = &summary.rows[task].task.name;
        let at = frame.at(task as f64 + 1.0, v);
        svg.mark(series, at, &format!("{name}: {}", number(v)));
    }
    let names: Vec<&str> = summary.headings.iter().map(|h| h.name.as_str()).collect();
    legend(&mut svg, (LEFT + width + 8.0, TOP), &names);
    Some(svg.finish())
}
