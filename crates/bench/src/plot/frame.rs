//! The frame of a plot, with its axes and the legend.

use super::scale::Scale;
use super::svg::{Anchor, Point, Svg};

/// Space for the title above and the labels around a frame.
pub(super) const TOP: f64 = 36.0;
pub(super) const LEFT: f64 = 62.0;
pub(super) const BOTTOM: f64 = 46.0;
/// Space for the legend.
pub(super) const LEGEND: f64 = 170.0;

/// A picture with one frame and a legend beside it.
pub(super) struct Plot {
    pub svg: Svg,
    pub frame: Frame,
}

impl Plot {
    /// A frame of this size; both axes have a scale and a label.
    pub fn new(
        title: &str,
        (width, height): (f64, f64),
        (x, x_label): (Scale, &str),
        (y, y_label): (Scale, &str),
    ) -> Plot {
        let mut svg = Svg::new(LEFT + width + LEGEND, TOP + height + BOTTOM, title);
        let frame = Frame {
            corner: (LEFT, TOP),
            width,
            height,
            x,
            y,
        };
        frame.draw(&mut svg, x_label, y_label);
        Plot { svg, frame }
    }

    /// Marks a point of a series; the title appears when the mouse rests on it.
    pub fn mark(&mut self, series: usize, x: f64, y: f64, title: &str) {
        self.svg.mark(series, self.frame.at(x, y), title);
    }

    /// The complete SVG text, with the names of the series.
    pub fn finish(mut self, names: &[&str]) -> String {
        let corner = (LEFT + self.frame.width + 8.0, TOP);
        legend(&mut self.svg, corner, names);
        self.svg.finish()
    }
}

/// A rectangle with two scales.
pub(super) struct Frame {
    /// Its upper left corner.
    pub corner: Point,
    pub width: f64,
    pub height: f64,
    /// From left to right.
    pub x: Scale,
    /// From bottom to top.
    pub y: Scale,
}

impl Frame {
    /// The position of a point.
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
        let grid = |label: &Option<String>| if label.is_some() { "grid" } else { "minor" };
        for (value, label) in self.x.ticks() {
            let x = left + self.x.place(value) * self.width;
            svg.line(grid(&label), (x, top), (x, bottom));
            if let Some(label) = label {
                svg.text("label", Anchor::Middle, (x, bottom + 16.0), &label);
            }
        }
        for (value, label) in self.y.ticks() {
            let y = top + (1.0 - self.y.place(value)) * self.height;
            svg.line(grid(&label), (left, y), (right, y));
            if let Some(label) = label {
                svg.text("label", Anchor::End, (left - 6.0, y + 4.0), &label);
            }
        }
        svg.border(self.corner, self.width, self.height);
        let middle = (left + self.width / 2.0, bottom + 34.0);
        svg.text("label", Anchor::Middle, middle, x_label);
        svg.text_upwards((left - 46.0, top + self.height / 2.0), y_label);
    }

    /// A dashed horizontal line.
    pub fn level(&self, svg: &mut Svg, y: f64) {
        let (left, (_, height)) = (self.corner.0, self.at(0.0, y));
        svg.line("help", (left, height), (left + self.width, height));
    }
}

/// The names of all series with their marks, in a column.
pub(super) fn legend(svg: &mut Svg, corner: Point, names: &[&str]) {
    for (series, name) in names.iter().enumerate() {
        let y = corner.1 + 20.0 * series as f64 + 10.0;
        svg.mark(series, (corner.0 + 8.0, y - 4.0), name);
        svg.text("label", Anchor::Start, (corner.0 + 20.0, y), name);
    }
}
