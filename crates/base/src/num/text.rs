//! Reading and printing numbers.

use std::fmt;
use std::str::FromStr;

use dashu_int::IBig;

use super::int::{Int, Repr};
use super::rat::Rat;

/// Why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseNumberError {
    /// A run of digits was expected and there was none.
    NoDigits,
    /// Something other than a decimal digit stands among the digits.
    InvalidDigit,
    /// The denominator of a fraction is zero.
    ZeroDenominator,
    /// There are too many digits after the point.
    TooLong,
}

impl fmt::Display for ParseNumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseNumberError::NoDigits => "a number needs at least one digit",
            ParseNumberError::InvalidDigit => "invalid digit in a number",
            ParseNumberError::ZeroDenominator => "the denominator of a fraction is zero",
            ParseNumberError::TooLong => "too many digits after the decimal point",
        })
    }
}

impl std::error::Error for ParseNumberError {}

/// Checks for a non-empty run of decimal digits.
fn check_digits(text: &str) -> Result<(), ParseNumberError> {
    if text.is_empty() {
        return Err(ParseNumberError::NoDigits);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(())
    } else {
        Err(ParseNumberError::InvalidDigit)
    }
}

/// The most digits that cannot overflow an `i64`.
const WORD_DIGITS: usize = 18;

impl FromStr for Int {
    type Err = ParseNumberError;

    /// Reads a decimal integer with an optional leading `-`.
    fn from_str(text: &str) -> Result<Int, ParseNumberError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        check_digits(digits)?;
        if digits.len() <= WORD_DIGITS {
            let word = text.parse().map_err(|_| ParseNumberError::InvalidDigit)?;
            return Ok(Int::small(word));
        }
        IBig::from_str_radix(text, 10)
            .map(Int::from_ibig)
            .map_err(|_| ParseNumberError::InvalidDigit)
    }
}

impl FromStr for Rat {
    type Err = ParseNumberError;

    /// Reads an integer (`3`), a fraction (`-7/2`) or a decimal (`1.25`).
    ///
    /// Only the front may carry a sign, and a decimal needs digits on both
    /// sides of the point.
    fn from_str(text: &str) -> Result<Rat, ParseNumberError> {
        if let Some((num, den)) = text.split_once('/') {
            let num: Int = num.parse()?;
            check_digits(den)?;
            let den: Int = den.parse()?;
            if den.is_zero() {
                return Err(ParseNumberError::ZeroDenominator);
            }
            return Ok(Rat::new(num, den));
        }
        match text.split_once('.') {
            Some((whole, fraction)) => parse_decimal(whole, fraction),
            None => Ok(Rat::from(text.parse::<Int>()?)),
        }
    }
}

/// Reads `whole.fraction`.
fn parse_decimal(whole: &str, fraction: &str) -> Result<Rat, ParseNumberError> {
    check_digits(whole.strip_prefix('-').unwrap_or(whole))?;
    check_digits(fraction)?;
    let places = u32::try_from(fraction.len()).map_err(|_| ParseNumberError::TooLong)?;
    // Joined before reading, so that the sign of "-0.5" is not lost.
    let scaled: Int = [whole, fraction].concat().parse()?;
    Ok(Rat::new(scaled, Int::small(10).pow(places)))
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(word) => fmt::Display::fmt(word, f),
            Repr::Big(big) => fmt::Display::fmt(big, f),
        }
    }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_int() {
            fmt::Display::fmt(&self.numer(), f)
        } else {
            write!(f, "{}/{}", self.numer(), self.denom())
        }
    }
}
