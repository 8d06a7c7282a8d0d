//! Two contenders against each other.

use super::frame::{BOTTOM, Frame, LEFT, LEGEND, TOP, legend};
use super::scale::Scale;
use super::svg::Svg;
use crate::Verdict;
use crate::summary::{Cell, Summary};
use crate::table::seconds;

/// A point for every task: the time of `a` to the right, that of `b` upwards. Who did not solve it
/// stands at the limit. Lines show equal times and a factor of ten.
pub(super) fn scatter(summary: &Summary, a: usize, b: usize) -> String {
    let side = 380.0;
    let [first, second] = [a, b].map(|i| summary.headings[i].name.as_str());
    let title = format!("{first} and {second}: CPU seconds");
    let mut svg = Svg::new(LEFT + side + LEGEND, TOP + side + BOTTOM, &title);
    let points = points(summary, a, b);
    let scale = Scale::decades(
        points
            .iter()
            .flat_map(|p| [p.x, p.y])
            .chain([summary.limit]),
    );
    let frame = Frame {
        corner: (LEFT, TOP),
        width: side,
        height: side,
        x: scale,
        y: scale,
    };
    frame.draw(&mut svg, first, second);
    diagonals(&mut svg, &frame);
    frame.level(&mut svg, summary.limit);
    let (x, _) = frame.at(summary.limit, 1.0);
    svg.line("help", (x, TOP), (x, TOP + side));
    for point in &points {
        svg.mark(point.series, frame.at(point.x, point.y), &point.title);
    }
    legend(&mut svg, (LEFT + side + 8.0, TOP), &["holds", "violated"]);
    svg.finish()
}

struct Place {
    x: f64,
    y: f64,
    series: usize,
    title: String,
}

fn points(summary: &Summary, a: usize, b: usize) -> Vec<Place> {
    let cell = |row: &crate::summary::Row, i: usize| row.cells.get(i).cloned().flatten();
    let time = |c: &Cell| {
        if c.mark.is_solved() {
            c.seconds
        } else {
            summary.limit
        }
    };
    let points = summary.rows.iter().filter_map(|row| {
        let (first, second) = (cell(row, a)?, cell(row, b)?);
        let solver = [&first, &second].into_iter().find(|c| c.mark.is_solved())?;
        let shown = |c: &Cell| {
            if c.mark.is_solved() {
                format!("{} s", seconds(c.seconds))
            } else {
                c.outcome.word().to_string()
            }
        };
        Some(Place {
            x: time(&first),
            y: time(&second),
            series: usize::from(solver.outcome.verdict() == Some(Verdict::Violated)),
            title: format!("{}: {}, {}", row.task.name, shown(&first), shown(&second)),
        })
    });
    points.collect()
}

/// Equal times, and ten times as much on either side.
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
