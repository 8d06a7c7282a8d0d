//! Integers against the reference library, and the laws they must obey.

use crate::common;

use common::{big, check_int, int, nonzero, signed};
use dashu_int::IBig;
use dashu_int::ops::{Abs, DivEuclid, Gcd, RemEuclid};
use proptest::prelude::*;
use sectile_base::num::{Int, ParseNumberError};

/// All words at which an operation may overflow.
const EDGES: [i64; 13] = [
    i64::MIN,
    i64::MIN + 1,
    -(1 << 62),
    -(1 << 31),
    -2,
    -1,
    0,
    1,
    2,
    1 << 31,
    1 << 62,
    i64::MAX - 1,
    i64::MAX,
];

/// Every operation on one pair of operands.
fn check_pair(a: &IBig, b: &IBig) {
    let (x, y) = (int(a), int(b));
    check_int(&(&x + &y), &(a + b));
    check_int(&(&x - &y), &(a - b));
    check_int(&(&x * &y), &(a * b));
    check_int(&-&x, &-a);
    check_int(&-x.clone(), &-a);
    check_int(&x.abs(), &a.abs());
    assert_eq!(x.cmp(&y), a.cmp(b));
    assert_eq!(x == y, a == b);
    if a.is_zero() && b.is_zero() {
        assert!(x.gcd(&y).is_zero());
    } else {
        check_int(&x.gcd(&y), &signed(a.gcd(b)));
    }
    check_bezout(&x, &y);
    check_division(a, b);
}

fn check_bezout(x: &Int, y: &Int) {
    let (g, p, q) = x.extended_gcd(y);
    assert_eq!(g, x.gcd(y));
    assert_eq!(x * p + y * q, g);
    let multiple = x.lcm(y);
    assert!(!multiple.is_negative());
    assert_eq!(multiple * g, (x * y).abs());
}

fn check_division(a: &IBig, d: &IBig) {
    let (x, y) = (int(a), int(d));
    if d.is_zero() {
        assert_eq!(y.divides(&x), a.is_zero());
        return;
    }
    check_int(&x.div_euclid(&y), &a.div_euclid(d));
    check_int(&x.rem_euclid(&y), &signed(a.rem_euclid(d)));
    let quotient = x.div_floor(&y);
    let rem = &x - &quotient * &y;
    check_int(&quotient, &(a - to_big(&rem)).div_euclid(d));
    assert!(rem.is_zero() || rem.signum() == y.signum());
    assert!(rem.abs() < y.abs());
    assert_eq!(y.divides(&x), (a % d).is_zero());
    check_int(&(&x * &y).div_exact(&y), a);
}

fn to_big(value: &Int) -> IBig {
    value.to_string().parse().expect("integers print as digits")
}

#[test]
fn every_pair_of_edge_words() {
    for a in EDGES {
        for b in EDGES {
            check_pair(&IBig::from(a), &IBig::from(b));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn operations_agree_with_the_reference(a in big(), b in big()) {
        check_pair(&a, &b);
    }

    #[test]
    fn owned_and_assigning_forms_agree(a in big(), b in big()) {
        let (x, y) = (int(&a), int(&b));
        let sum = &x + &y;
        prop_assert_eq!(&(x.clone() + y.clone()), &sum);
        prop_assert_eq!(&(x.clone() + &y), &sum);
        prop_assert_eq!(&(&x + y.clone()), &sum);
        let difference = &x - &y;
        prop_assert_eq!(&(x.clone() - y.clone()), &difference);
        prop_assert_eq!(&(&x - y.clone()), &difference);
        let product = &x * &y;
        prop_assert_eq!(&(x.clone() * y.clone()), &product);
        prop_assert_eq!(&(&x * y.clone()), &product);
        let mut value = x.clone();
        value += &y;
        check_int(&value, &(&a + &b));
        value -= y.clone();
        check_int(&value, &a);
        value *= &y;
        check_int(&value, &(&a * &b));
        value.add_mul_assign(&x, &y);
        check_int(&value, &(&a * &b * 2));
        value -= &product;
        value -= &product;
        prop_assert!(value.is_zero());
    }

    #[test]
    fn ring_laws(a in big(), b in big(), c in big()) {
        let (x, y, z) = (int(&a), int(&b), int(&c));
        prop_assert_eq!((&x + &y) + &z, &x + (&y + &z));
        prop_assert_eq!((&x * &y) * &z, &x * (&y * &z));
        prop_assert_eq!(&x * (&y + &z), &x * &y + &x * &z);
        prop_assert_eq!(&x * &y, &y * &x);
        prop_assert_eq!(&x - &x, Int::ZERO);
        prop_assert_eq!(&x * Int::ONE, x.clone());
        prop_assert_eq!(&x * Int::MINUS_ONE, -&x);
    }

    #[test]
    fn large_divisors_and_powers(a in big(), d in nonzero(), e in 0_u32..8) {
        check_division(&(&a * &d * &a), &d);
        check_int(&int(&a).pow(e), &a.pow(e as usize));
    }

    #[test]
    fn text_round_trip(a in big()) {
        let x = int(&a);
        prop_assert_eq!(x.to_string(), a.to_string());
        prop_assert_eq!(format!("{x:?}"), a.to_string());
        let padded = format!("{}000{}", if x.is_negative() { "-" } else { "" }, x.abs());
        prop_assert_eq!(padded.parse::<Int>(), Ok(x));
    }

    #[test]
    fn predicates_and_measures(a in big()) {
        let x = int(&a);
        prop_assert_eq!(x.is_zero(), a.is_zero());
        prop_assert_eq!(x.is_one(), a.is_one());
        prop_assert_eq!(x.signum(), i32::try_from(a.signum()).expect("a sign is small"));
        // 2^(bits-1) <= |x| < 2^bits.
        let bits = u32::try_from(x.bits()).expect("test values are short");
        prop_assert!(x.abs() < Int::from(2).pow(bits));
        prop_assert!(bits == 0 || x.abs() >= Int::from(2).pow(bits - 1));
    }
}

#[test]
fn conversions() {
    check_int(&Int::from(i64::MIN), &IBig::from(i64::MIN));
    check_int(&Int::from(7_i32), &IBig::from(7));
    check_int(&Int::from(u32::MAX), &IBig::from(u32::MAX));
    check_int(&Int::from(usize::MAX), &IBig::from(usize::MAX));
    check_int(&Int::from(u64::MAX), &IBig::from(u64::MAX));
    check_int(&Int::from(i128::MIN), &IBig::from(i128::MIN));
    check_int(&Int::from(-5_i128), &IBig::from(-5));
    assert_eq!(Int::default(), Int::ZERO);
    assert_eq!(Int::from(5).to_usize(), Some(5));
    assert_eq!(Int::from(-5).to_usize(), None);
    assert_eq!(Int::from(i128::MAX).to_usize(), None);
    let items = [Int::from(1), Int::from(i64::MAX), Int::from(2)];
    assert_eq!(items.iter().sum::<Int>().to_string(), "9223372036854775810");
    assert_eq!(items.into_iter().sum::<Int>().bits(), 64);
    assert_eq!(format!("[{:>5}]", Int::from(-3)), "[   -3]");
}

#[test]
fn the_least_word() {
    let least = Int::from(i64::MIN);
    let beyond: Int = "9223372036854775808".parse().unwrap();
    assert_eq!(-&least, beyond);
    assert_eq!(-&beyond, least);
    assert_eq!(least.abs(), beyond);
    assert_eq!(least.gcd(&least), beyond);
    assert_eq!(least.gcd(&Int::ZERO), beyond);
    assert_eq!(Int::ZERO.gcd(&Int::ZERO), Int::ZERO);
    assert_eq!(least.div_euclid(&Int::MINUS_ONE), beyond);
    assert_eq!(least.div_floor(&Int::MINUS_ONE), beyond);
    assert_eq!(least.div_exact(&Int::MINUS_ONE), beyond);
    assert_eq!(least.rem_euclid(&Int::MINUS_ONE), Int::ZERO);
    assert!(Int::MINUS_ONE.divides(&least));
    assert_eq!(Int::from(-2).pow(63), least);
    assert_eq!(least.bits(), 64);
    assert_eq!(least.lcm(&Int::from(-3)), &beyond * Int::from(3));
}

#[test]
fn texts_that_are_not_integers() {
    let no_digits = Err(ParseNumberError::NoDigits);
    let invalid = Err(ParseNumberError::InvalidDigit);
    assert_eq!("".parse::<Int>(), no_digits);
    assert_eq!("-".parse::<Int>(), no_digits);
    for text in ["+1", "--1", "1_000", " 1", "1 ", "1.0", "0x1", "a", "١"] {
        assert_eq!(text.parse::<Int>(), invalid, "{text}");
    }
    let long = format!("{}_{}", "1".repeat(50), "2".repeat(50));
    assert_eq!(long.parse::<Int>(), invalid);
    assert_eq!("-0".parse::<Int>(), Ok(Int::ZERO));
    assert_eq!("0".repeat(100).parse::<Int>(), Ok(Int::ZERO));
    assert!(!ParseNumberError::NoDigits.to_string().is_empty());
}

#[test]
fn a_hundred_thousand_digits_are_read_and_printed_fast() {
    let text = format!("-{}", "1234567890".repeat(10_000));
    let start = std::time::Instant::now();
    let value: Int = text.parse().unwrap();
    assert_eq!(value.to_string(), text);
    assert!(start.elapsed().as_secs() < 5);
    assert!(value < Int::from(i64::MIN));
}

#[test]
#[should_panic(expected = "div_euclid: division by zero")]
fn division_by_zero_is_named() {
    let _ = Int::ONE.div_euclid(&Int::ZERO);
}
