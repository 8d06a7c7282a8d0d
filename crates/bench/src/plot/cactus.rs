//! A cactus plot: the number of tasks solved within a time.

use super::frame::Plot;
use super::scale::Scale;
use crate::summary::Summary;
use crate::table::seconds;

/// The times of every contender on the tasks that it solved, from the fastest to the slowest.
pub(super) fn cactus(summary: &Summary) -> String {
    let curves: Vec<Vec<(f64, &str)>> = (0..summary.headings.len())
        .map(|contender| times(summary, contender))
        .collect();
    let all = curves.iter().flatten().map(|(t, _)| *t);
    let most = summary.rows.len() as f64;
    let mut plot = Plot::new(
        "Tasks solved within a time",
        (480.0, 340.0),
        (Scale::Linear(0.0, most * 1.02 + 0.5), "tasks solved"),
        (Scale::decades(all.chain([summary.limit])), "CPU seconds"),
    );
    plot.frame.level(&mut plot.svg, summary.limit);
    for (series, curve) in curves.iter().enumerate() {
        let places = (1..).zip(curve);
        let at = |(i, (t, _)): (i32, &(f64, _))| plot.frame.at(f64::from(i), *t);
        let points: Vec<_> = places.map(at).collect();
        if !points.is_empty() {
            plot.svg.curve(series, &points);
        }
        for (point, (time, name)) in points.iter().zip(curve) {
            let title = format!("{name}: {} s", seconds(*time));
            plot.svg.mark(series, *point, &title);
        }
    }
    plot.finish(&summary.names())
}

/// The times of solved tasks in ascending order, each with the name of its task.
fn times(summary: &Summary, contender: usize) -> Vec<(f64, &str)> {
    let solved = summary.rows.iter().filter_map(|row| {
        let cell = row.cells.get(contender)?.as_ref()?;
        let time = cell.mark.is_solved().then_some(cell.seconds)?;
        Some((time, row.task.name.as_str()))
    });
    let mut times: Vec<(f64, &str)> = solved.collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    times
}
