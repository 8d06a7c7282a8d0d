//! Plots one value over all tasks, in the order of the suite.

use super::frame::Plot;
use super::scale::Scale;
use crate::summary::{Cell, Summary};
use crate::table::number;

/// A plot of `cpu`, `memory`, `solved` or a counter; `None` if no run has the value.
pub(super) fn profile(summary: &Summary, value: &str) -> Option<String> {
    let of = |cell: &Cell| match value {
        "cpu" => Some(cell.seconds),
        "memory" => cell.memory.map(|m| m as f64 / 1e6),
        "solved" => Some(if cell.mark.is_solved() { 1.0 } else { 0.0 }),
        counter => cell.statistics.get(counter).copied(),
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
    let positive = values.iter().map(|(_, _, v)| *v).filter(|v| *v > 0.0);
    // A logarithmic scale has no zero: show it a decade below all other values, at the edge.
    let least = positive.clone().reduce(f64::min).unwrap_or(1.0);
    let zeros = values.iter().filter(|(_, _, v)| *v <= 0.0);
    let below = zeros.map(|_| least / 10.0);
    let y = match value {
        "solved" => Scale::evenly([0.0, 1.0].into_iter()),
        _ => Scale::decades(positive.chain(below)),
    };
    let mut plot = Plot::new(
        &format!("{value} over the tasks"),
        (640.0, 300.0),
        (Scale::Linear(0.0, summary.rows.len() as f64 + 1.0), "task"),
        (y, value),
    );
    for (task, series, v) in values {
        let title = format!("{}: {}", summary.rows[task].task.name, number(v));
        plot.mark(series, task as f64 + 1.0, v, &title);
    }
    Some(plot.finish(&summary.names()))
}
