//! Plots any two values against each other.

use super::frame::Plot;
use super::scale::Scale;

/// A series of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Both values, and the title of the point.
    pub points: Vec<(f64, f64, String)>,
}

/// A plot of all series; `labels` are those of the horizontal and the vertical axis.
pub fn points(title: &str, labels: [&str; 2], series: &[Series]) -> String {
    let all = || series.iter().flat_map(|s| &s.points);
    let mut plot = Plot::new(
        title,
        (460.0, 320.0),
        (Scale::evenly(all().map(|p| p.0)), labels[0]),
        (Scale::evenly(all().map(|p| p.1)), labels[1]),
    );
    for (number, one) in series.iter().enumerate() {
        for (x, y, title) in &one.points {
            plot.mark(number, *x, *y, title);
        }
    }
    let names: Vec<&str> = series.iter().map(|s| s.name.as_str()).collect();
    plot.finish(&names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_are_well_formed_with_many_points_and_with_none() {
        let series = |count: usize| Series {
            name: "a <b> & c".to_string(),
            points: (0..count)
                .map(|i| (i as f64, (i * i) as f64, format!("\"{i}\"")))
                .collect(),
        };
        for list in [&[][..], &[series(0)], &[series(1)], &[series(9), series(4)]] {
            let svg = points("x < y", ["x", "y"], list);
            roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
