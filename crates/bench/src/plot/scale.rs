//! Maps values to positions, and chooses the ticks.

use crate::summary::SHORTEST;

/// A range of values, with a linear or logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// Linear.
    Linear(f64, f64),
    /// Logarithmic; the ends are exponents of ten.
    Log(i32, i32),
}

/// A tick: its value, and its label, if any.
pub(super) type Tick = (f64, Option<String>);

impl Scale {
    /// Whole decades that contain all values; at least one decade.
    pub fn decades(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = ends(values.map(|v| v.max(SHORTEST)));
        let (low, high) = low.zip(high).unwrap_or((1.0, 10.0));
        let first = low.log10().floor() as i32;
        let last = high.log10().ceil() as i32;
        Scale::Log(first, last.max(first + 1))
    }

    /// All values, with some space at both ends.
    pub fn evenly(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = ends(values);
        let (low, high) = low.zip(high).unwrap_or((0.0, 1.0));
        let room = if high > low { (high - low) * 0.05 } else { 0.5 };
        Scale::Linear(low - room, high + room)
    }

    /// The position of a value: 0 at the low end, 1 at the high one. Values outside of the range
    /// are shown at its ends.
    pub fn place(self, value: f64) -> f64 {
        let place = match self {
            Scale::Linear(low, high) => (value - low) / (high - low),
            Scale::Log(first, last) => {
                (value.max(SHORTEST).log10() - f64::from(first)) / f64::from(last - first)
            }
        };
        place.clamp(0.0, 1.0)
    }

    /// The ticks, with and without labels.
    pub fn ticks(self) -> Vec<Tick> {
        match self {
            Scale::Log(first, last) => log_ticks(first, last),
            Scale::Linear(low, high) => linear_ticks(low, high),
        }
    }
}

fn ends(values: impl Iterator<Item = f64>) -> (Option<f64>, Option<f64>) {
    let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    (
        values.iter().copied().reduce(f64::min),
        values.iter().copied().reduce(f64::max),
    )
}

fn log_ticks(first: i32, last: i32) -> Vec<Tick> {
    let mut ticks = Vec::new();
    for exponent in first..=last {
        let decade = 10f64.powi(exponent);
        let label = if (-3..=5).contains(&exponent) {
            let digits = usize::try_from(-exponent).unwrap_or(0);
            format!("{decade:.digits$}")
        } else {
            format!("1e{exponent}")
        };
        ticks.push((decade, Some(label)));
        if exponent < last {
            ticks.extend((2..10).map(|k| (decade * f64::from(k), None)));
        }
    }
    ticks
}

/// Multiples of a round number (1, 2, 5 or 10 times a power of ten), about eight of them, all
/// integers.
fn linear_ticks(low: f64, high: f64) -> Vec<Tick> {
    let rough = ((high - low) / 8.0).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|k| k * power)
        .into_iter()
        .find(|s| *s >= rough)
        .unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    let value = |k: i64| k as f64 * step;
    (first..=last)
        .map(|k| (value(k), Some(format!("{:.0}", value(k)))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale) -> Vec<String> {
        scale.ticks().into_iter().filter_map(|(_, l)| l).collect()
    }

    #[test]
    fn decades_have_round_ends() {
        let scale = Scale::decades([0.02, 61.0].into_iter());
        assert_eq!(scale, Scale::Log(-2, 2));
        assert_eq!(labels(scale), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(scale.ticks().len(), 5 + 4 * 8);
        assert_eq!(scale.place(1.0), 0.5);
        assert_eq!(scale.place(1e9), 1.0);
        assert_eq!(Scale::decades([0.0].into_iter()), Scale::Log(-3, -2));
        assert_eq!(Scale::decades([].into_iter()), Scale::Log(0, 1));
        assert_eq!(labels(Scale::Log(6, 7)), ["1e6", "1e7"]);
    }

    #[test]
    fn linear_ticks_are_round_and_whole() {
        assert_eq!(labels(Scale::Linear(1.9, 5.1)), ["2", "3", "4", "5"]);
        assert_eq!(
            labels(Scale::Linear(-2.0, 101.0)),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(labels(Scale::evenly([3.0].into_iter())), ["3"]);
        assert_eq!(Scale::Linear(0.0, 10.0).place(2.5), 0.25);
    }
}
