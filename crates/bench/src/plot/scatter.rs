//! A scatter plot that compares two contenders.

use super::frame::{Frame, Plot, TOP};
use super::scale::Scale;
use super::svg::Svg;
use crate::Verdict;
use crate::summary::{Cell, Summary};
use crate::table::seconds;

/// A point for every task, with the time of `a` on the horizontal axis and that of `b` on the
/// vertical one. Tasks that a contender did not solve are shown at the limit. Lines show equal
/// times and a factor of ten.
pub(super) fn scatter(summary: &Summary, a: usize, b: usize) -> String {
    let side = 380.0;
    let [first, second] = [a, b].map(|i| summary.headings[i].name.as_str());
    let title = format!("{first} and {second}: CPU seconds");
    let points = points(summary, a, b);
    let times = points.iter().flat_map(|p| p.at);
    let scale = Scale::decades(times.chain([summary.limit]));
    let mut plot = Plot::new(&title, (side, side), (scale, first), (scale, second));
    diagonals(&mut plot.svg, &plot.frame);
    plot.frame.level(&mut plot.svg, summary.limit);
    let (x, _) = plot.frame.at(summary.limit, 1.0);
    plot.svg.line("help", (x, TOP), (x, TOP + side));
    for Point { at, series, title } in &points {
        plot.mark(*series, at[0], at[1], title);
    }
    plot.finish(&["holds", "violated"])
}

/// The two times of a task, the verdict, and the title of the point.
struct Point {
    at: [f64; 2],
    series: usize,
    title: String,
}

fn points(summary: &Summary, a: usize, b: usize) -> Vec<Point> {
    let points = summary.rows.iter().filter_map(|row| {
        let cell = |i: usize| row.cells.get(i)?.as_ref();
        let both = [cell(a)?, cell(b)?];
        let solver = both.into_iter().find(|c| c.mark.is_solved())?;
        let time = |c: &Cell| match c.mark.is_solved() {
            true => (c.seconds, format!("{} s", seconds(c.seconds))),
            false => (summary.limit, c.outcome.word().to_string()),
        };
        let [(x, first), (y, second)] = both.map(time);
        Some(Point {
            at: [x, y],
            series: usize::from(solver.outcome.verdict() == Some(Verdict::Violated)),
            title: format!("{}: {first}, {second}", row.task.name),
        })
    });
    points.collect()
}

/// The lines of equal times and of a factor of ten on either side.
fn diagonals(svg: &mut Svg, frame: &Frame) {
    let Scale::Log(first, last) = frame.x else {
        return;
    };
    let power = |e: i32| 10f64.powi(e);
    for shift in [-1, 0, 1] {
        let low = first.max(first - shift);
        let high = last.min(last - shift);
        let from = frame.at(power(low), power(low + shift));
        let to = frame.at(power(high), power(high + shift));
        svg.line(if shift == 0 { "axis" } else { "help" }, from, to);
    }
}
