//! Arithmetic on machine words shared by the inline forms.

/// Greatest common divisor of two words; `gcd(0, 0)` is 0.
#[inline]
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if a == 1 || b == 1 {
        return 1;
    }
    if a == b || b == 0 {
        return a;
    }
    if a == 0 {
        return b;
    }
    gcd_nonzero(a, b)
}

/// Stein's algorithm: shifts and subtractions are cheaper than the divisions
/// of Euclid's on the short words that dominate in practice.
fn gcd_nonzero(a: u64, b: u64) -> u64 {
    let (mut low, mut high) = (a.min(b), a.max(b));
    // One division first, so that a long word against a short one does not
    // cost one round per bit of the difference in length.
    if high.leading_zeros() + 8 < low.leading_zeros() {
        let rem = high % low;
        if rem == 0 {
            return low;
        }
        (low, high) = (rem, low);
    }
    let shift = (low | high).trailing_zeros();
    low >>= low.trailing_zeros();
    loop {
        high >>= high.trailing_zeros();
        let diff = low.abs_diff(high);
        low = low.min(high);
        if diff == 0 || low == 1 {
            return low << shift;
        }
        high = diff;
    }
}

/// `(g, x, y)` with `a * x + b * y == g == gcd(|a|, |b|)`.
///
/// The coefficients are wide because they are bounded by the magnitudes of
/// the inputs, and the magnitude of `i64::MIN` is not an `i64`.
pub(super) fn extended_gcd(a: i64, b: i64) -> (u64, i128, i128) {
    let (mut r0, mut r1) = (a.unsigned_abs(), b.unsigned_abs());
    let (mut x0, mut x1) = (1_i128, 0_i128);
    let (mut y0, mut y1) = (0_i128, 1_i128);
    while r1 != 0 {
        let quotient = r0 / r1;
        let wide = i128::from(quotient);
        (r0, r1) = (r1, r0 - quotient * r1);
        (x0, x1) = (x1, x0 - wide * x1);
        (y0, y1) = (y1, y0 - wide * y1);
    }
    let x = if a < 0 { -x0 } else { x0 };
    let y = if b < 0 { -y0 } else { y0 };
    (r0, x, y)
}

/// Floor division of words. `None` when the quotient does not fit.
///
/// The divisor must not be zero.
#[inline]
pub(super) fn div_floor(a: i64, d: i64) -> Option<i64> {
    let quotient = a.checked_div(d)?;
    let inexact = quotient * d != a;
    // The quotient is only lowered when it is inexact, and then it is far
    // from i64::MIN.
    Some(if inexact && (a < 0) != (d < 0) {
        quotient - 1
    } else {
        quotient
    })
}
