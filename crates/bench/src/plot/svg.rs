//! A small SVG writer.

use std::fmt::Write as _;

/// A point, in pixels from the upper left corner.
pub(super) type Point = (f64, f64);

/// The alignment of a text relative to its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture under construction.
pub(super) struct Svg {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

/// Number of colours; it differs from the number of shapes, so that the pairs stay distinct.
const COLOURS: usize = 7;
const SHAPES: usize = 5;

/// Colours that can be told apart with colour blindness; lighter ones in dark mode.
const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#222}text.title{font-weight:600;font-size:14px}\
.paper{fill:#fff}.axis{stroke:#444;fill:none}.grid{stroke:#e2e2e2}.minor{stroke:#f2f2f2}\
.help{stroke:#999;stroke-dasharray:5 4}\
.s0{stroke:#0072b2;fill:#0072b2}.s1{stroke:#d55e00;fill:#d55e00}.s2{stroke:#009e73;fill:#009e73}\
.s3{stroke:#b0488c;fill:#b0488c}.s4{stroke:#b38600;fill:#b38600}.s5{stroke:#6a51c7;fill:#6a51c7}\
.s6{stroke:#777;fill:#777}.curve{fill:none;stroke-width:1.6}.mark{stroke-width:1.4;fill-opacity:.35}\
@media (prefers-color-scheme:dark){text{fill:#ddd}.paper{fill:#16181d}.axis{stroke:#aaa}\
.grid{stroke:#33373f}.minor{stroke:#23262c}.help{stroke:#777}\
.s0{stroke:#56b4e9;fill:#56b4e9}.s1{stroke:#ff8a3d;fill:#ff8a3d}.s2{stroke:#2cc79b;fill:#2cc79b}\
.s3{stroke:#e58ac4;fill:#e58ac4}.s4{stroke:#f0c040;fill:#f0c040}.s5{stroke:#a594f0;fill:#a594f0}\
.s6{stroke:#aaa;fill:#aaa}.curve{fill:none}}";

/// Escapes a text for XML. Control characters, which XML does not allow, become blanks.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let text = text.replace('>', "&gt;").replace('"', "&quot;");
    text.replace(char::is_control, " ")
}

impl Svg {
    /// An empty picture.
    pub fn new(width: f64, height: f64, title: &str) -> Svg {
        let mut svg = Svg {
            width,
            height,
            title: title.to_string(),
            body: String::new(),
        };
        svg.text("title", Anchor::Middle, (width / 2.0, 20.0), title);
        svg
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: Point, to: Point) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// The border of a rectangle.
    pub fn border(&mut self, corner: Point, width: f64, height: f64) {
        let _ = writeln!(
            self.body,
            "<rect class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
            corner.0, corner.1
        );
    }

    /// The curve of a series.
    pub fn curve(&mut self, series: usize, points: &[Point]) {
        let (colour, points) = (series % COLOURS, list(points));
        let _ = writeln!(
            self.body,
            "<polyline class=\"s{colour} curve\" points=\"{points}\"/>"
        );
    }

    /// A text.
    pub fn text(&mut self, class: &str, anchor: Anchor, at: Point, text: &str) {
        self.put_text(class, anchor, at, "", text);
    }

    /// A text that is rotated to read upwards.
    pub fn text_upwards(&mut self, at: Point, text: &str) {
        let turned = format!(" transform=\"rotate(-90 {:.1} {:.1})\"", at.0, at.1);
        self.put_text("label", Anchor::Middle, at, &turned, text);
    }

    fn put_text(&mut self, class: &str, anchor: Anchor, at: Point, more: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{:.1}\" y=\"{:.1}\"{more}>{}</text>",
            at.0,
            at.1,
            escaped(text)
        );
    }

    /// A point of a series; the title appears when the mouse rests on it.
    pub fn mark(&mut self, series: usize, at: Point, title: &str) {
        let (x, y) = at;
        let shape = match series % SHAPES {
            0 => format!("circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.0\""),
            1 => {
                let (x, y) = (x - 3.5, y - 3.5);
                format!("rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"7\" height=\"7\"")
            }
            2 => polygon(at, &[(0.0, -5.0), (4.0, 3.0), (-4.0, 3.0)]),
            3 => polygon(at, &[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)]),
            _ => polygon(at, &[(0.0, 5.0), (4.0, -3.0), (-4.0, -3.0)]),
        };
        let element = shape.split(' ').next().unwrap_or("circle");
        let _ = writeln!(
            self.body,
            "<{shape} class=\"s{} mark\"><title>{}</title></{element}>",
            series % COLOURS,
            escaped(title)
        );
    }

    /// The complete SVG text.
    pub fn finish(self) -> String {
        let Svg {
            width,
            height,
            title,
            body,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
            escaped(&title)
        )
    }
}

/// Points as the value of an attribute.
fn list(points: &[Point]) -> String {
    let points = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
    points.collect::<Vec<_>>().join(" ")
}

fn polygon(at: Point, corners: &[Point]) -> String {
    let corners = corners.iter().map(|(dx, dy)| (at.0 + dx, at.1 + dy));
    format!("polygon points=\"{}\"", list(&corners.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_break_out() {
        let mut svg = Svg::new(100.0, 50.0, "a < b & \"c\"");
        svg.mark(1, (10.0, 10.0), "</title><script>\u{1}");
        let text = svg.finish();
        roxmltree::Document::parse(&text).unwrap();
        assert!(text.contains("a &lt; b &amp; &quot;c&quot;"));
        assert!(text.contains("&lt;/title&gt;&lt;script&gt; <"));
    }
}
