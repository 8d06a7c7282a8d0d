//! Formats numbers for tables.

/// Seconds with about three digits, but at most three decimals.
pub fn seconds(value: f64) -> String {
    if value < 0.0995 {
        format!("{value:.3}")
    } else if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// Bytes in millions.
pub fn megabytes(bytes: u64) -> String {
    let value = bytes as f64 / 1e6;
    if value < 9.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A counter: without decimals if it is an integer.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        seconds(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 0.004, 1.0, 9.994, 9.996, 12.34, 99.96, 1234.5].map(seconds);
        assert_eq!(
            shown,
            [
                "0.000", "0.004", "1.00", "9.99", "10.0", "12.3", "100", "1234"
            ]
        );
        assert_eq!([4_200_000, 123_400_000].map(megabytes), ["4.2", "123"]);
        assert_eq!([12.0, 0.5].map(number), ["12", "0.50"]);
    }
}
