//! The rectangle that points stand in, with its axes and the legend.

use super::scale::Scale;
use super::svg::{Anchor, Point, Svg};

/// Room for the title above and the labels of a frame.
pub(super) const TOP: f64 = 36.0;
pub(super) const LEFT: f64 = 62.0;
pub(super) const BOTTOM: f64 = 46.0;
/// Room for the legend.
pub(super) const LEGEND: f64 = 170.0;

/// A rectangle with two scales.
pub(super) struct Frame {
    /// Its upper left corner.
    pub corner: Point,
    /// Its size.
    pub width: f64,
    /// Its size.
    pub height: f64,
    /// From left to right.
    pub x: Scale,
    /// From bottom to top.
    pub y: Scale,
}

impl Frame {
    /// Where a pair of values stands.
    pub fn at(&self, x: f64, y: f64) -> Point {
        (
            self.corner.0 + self.x.place(x) * self.width,
            self.corner.1 + (1.0 - self.y.place(y)) * self.height,
        )
    }

    /// Draws grid, ticks and labels.
    pub fn draw(&self, svg: &mut Svg, x_label: &str, y_label: &str) {
        let (left, top) = self.corner;
        let (right, bottom) = (left + self.width, top + self.height);
        for (value, label) in self.x.ticks() {
            let x = left + self.x.place(value) * self.width;
            svg.line(grid(label.is_some()), (x, top), (x, bottom));
            if let Some(label) = label {
                svg.text("label", Anchor::Middle, (x, bottom + 16.0), &label);
            }
        }
        for (value, label) in self.y.ticks() {
            let y = top + (1.0 - self.y.place(value)) * self.height;
            svg.line(grid(label.is_some()), (left, y), (right, y));
            if let Some(label) = label {
                svg.text("label", Anchor::End, (left - 6.0, y + 4.0), &label);
            }
        }
        svg.border(self.corner, self.width, self.height);
        let middle = (left + self.width / 2.0, bottom + 34.0);
        svg.text("label", Anchor::Middle, middle, x_label);
        svg.text_upwards((left - 46.0, top + self.height / 2.0), y_label);
    }

    /// A dashed line at a height.
    pub fn level(&self, svg: &mut Svg, y: f64) {
        let (left, height) = self.at(0.0, y);
        svg.line(
            "help",
            (self.corner.0.min(left), height),
            (self.corner.0 + self.width, height),
        );
    }
}

fn grid(labelled: bool) -> &'static str {
    if labelled { "grid" } else { "minor" }
}

/// The names of all series with their marks, one below the other.
pub(super) fn legend(svg: &mut Svg, corner: Point, names: &[&str]) {
    for (series, name) in names.iter().enumerate() {
        let y = corner.1 + 20.0 * series as f64 + 10.0;
        svg.mark(series, (corner.0 + 8.0, y - 4.0), name);
        svg.text("label", Anchor::Start, (corner.0 + 20.0, y), name);
    }
}
