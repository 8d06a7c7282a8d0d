//! How many tasks are solved within a time.

use super::frame::{BOTTOM, Frame, LEFT, LEGEND, TOP, legend};
use super::scale::Scale;
use super::svg::Svg;
use crate::summary::Summary;
use crate::table::seconds;

/// Every contender's times on the tasks it solved, from the fastest to the slowest.
pub(super) fn cactus(summary: &Summary) -> String {
    let (width, height) = (480.0, 340.0);
    let mut svg = Svg::new(
        LEFT + width + LEGEND,
        TOP + height + BOTTOM,
        "Tasks solved within a time",
    );
    let curves: Vec<Vec<(f64, &str)>> = (0..summary.headings.len())
        .map(|contender| times(summary, contender))
        .collect();
    let all = curves.iter().flatten().map(|(t, _)| *t);
    let most = summary.rows.len() as f64;
    let frame = Frame {
        corner: (LEFT, TOP),
        width,
        height,
        x: Scale::Linear(0.0, most * 1.02 + 0.5),
        y: Scale::decades(all.chain([summary.limit])),
    };
    frame.draw(&mut svg, "tasks solved", "CPU seconds");
    frame.level(&mut svg, summary.limit);
    for (series, curve) in curves.iter().enumerate() {
        let places = curve.iter().enumerate();
        let points: Vec<_> = places
            .map(|(i, (t, _))| frame.at(i as f64 + 1.0, *t))
            .collect();
        if !points.is_empty() {
            svg.curve(series, &points);
        }
        for (point, (time, name)) in points.iter().zip(curve) {
            svg.mark(series, *point, &format!("{name}: {} s", seconds(*time)));
        }
    }
    let names: Vec<&str> = summary.headings.iter().map(|h| h.name.as_str()).collect();
    legend(&mut svg, (LEFT + width + 8.0, TOP), &names);
    svg.finish()
}

/// The times on solved tasks in order, each with its task.
fn times(summary: &Summary, contender: usize) -> Vec<(f64, &str)> {
    let mut times: Vec<(f64, &str)> = summary
        .rows
        .iter()
        .filter_map(|row| {
            let cell = row.cells.get(contender)?.as_ref()?;
            cell.mark
                .is_solved()
                .then_some((cell.seconds, row.task.name.as_str()))
        })
        .collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    times
}
