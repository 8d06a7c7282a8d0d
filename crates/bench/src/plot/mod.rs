//! Plots as SVG: cactus, scatter, growth, and a value over all tasks.
//!
//! Every plot is a function from the summary to a text; nothing is measured here. The colours
//! follow the reader's choice of light or dark mode, and every series has its own shape.

mod cactus;
mod frame;
mod growth;
mod points;
mod profile;
mod scale;
mod scatter;
mod svg;

pub use points::{Series, points};

use crate::outputs::slug;
use crate::summary::Summary;

/// All plots of a session, with their file names. `values` are plotted over all tasks.
pub fn all(summary: &Summary, values: &[String]) -> Vec<(String, String)> {
    let mut plots = Vec::new();
    if summary.headings.is_empty() || summary.rows.is_empty() {
        return plots;
    }
    plots.push(("cactus.svg".to_string(), cactus::cactus(summary)));
    for (a, first) in summary.headings.iter().enumerate() {
        for (b, second) in summary.headings.iter().enumerate().skip(a + 1) {
            let name = format!("scatter-{}-{}.svg", slug(&first.name), slug(&second.name));
            plots.push((name, scatter::scatter(summary, a, b)));
        }
    }
    plots.extend(growth::growth(summary).map(|svg| ("growth.svg".to_string(), svg)));
    for value in values {
        let svg = profile::profile(summary, value);
        plots.extend(svg.map(|svg| (format!("tasks-{}.svg", slug(value)), svg)));
    }
    plots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::plan::Task;
    use crate::record::tests::example;
    use crate::record::{Outcome, Record};
    use crate::summary::tests::{headings, task};
    use roxmltree::Document;

    const HOLDS: Outcome = Outcome::Decided(Verdict::Holds);

    fn summary(records: &[Record]) -> Summary {
        let names = ["Bakery 2", "Bakery 3", "Deque <5> & \"6\""];
        let tasks: Vec<Task> = names.map(|n| task(n, Some(Verdict::Holds))).into();
        let list: Vec<&Task> = tasks.iter().collect();
        Summary::new(headings(), &list, records, 60.0)
    }

    fn full() -> Summary {
        let mut first = example("Bakery 2", "slab", HOLDS, 0.02);
        first.statistics = [("iterations".to_string(), 12.0)].into();
        summary(&[
            first,
            example("Bakery 2", "z3", HOLDS, 0.5),
            example("Bakery 3", "slab", HOLDS, 0.2),
            example("Bakery 3", "z3", Outcome::Timeout, 60.5),
            example("Deque <5> & \"6\"", "slab", Outcome::Crash, 0.0),
            example("Deque <5> & \"6\"", "z3", HOLDS, 3.0),
        ])
    }

    #[test]
    fn every_plot_is_well_formed() {
        let values = ["cpu", "iterations", "solved", "nothing"].map(String::from);
        let plots = all(&full(), &values);
        let names: Vec<&str> = plots.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(
            names,
            [
                "cactus.svg",
                "scatter-slab-z3.svg",
                "growth.svg",
                "tasks-cpu.svg",
                "tasks-iterations.svg",
                "tasks-solved.svg"
            ]
        );
        for (name, svg) in &plots {
            Document::parse(svg).unwrap_or_else(|e| panic!("{name}: {e}\n{svg}"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        }
    }

    #[test]
    fn plots_without_points_are_well_formed() {
        for records in [
            &[][..],
            &[example("Bakery 2", "slab", Outcome::NotFound, 0.0)][..],
        ] {
            for (name, svg) in all(&summary(records), &["cpu".to_string()]) {
                Document::parse(&svg).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
            }
        }
    }

    #[test]
    fn points_stand_where_they_should() {
        let plots = all(&full(), &[]);
        let of = |name: &str| &plots.iter().find(|(n, _)| n == name).unwrap().1;
        // The title, two in the legend, and three tasks; who did not solve one stands at the limit.
        assert_eq!(
            of("scatter-slab-z3.svg").matches("<title>").count(),
            1 + 2 + 3
        );
        // Two tasks of a family, the timeout at the limit; the third task has no size.
        assert_eq!(of("growth.svg").matches("<title>Bakery").count(), 4);
        assert_eq!(of("cactus.svg").matches("<polyline").count(), 2);
    }
}
