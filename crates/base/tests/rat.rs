//! Rationals against the reference library, and the laws they must obey.

use crate::common;

use common::{check_int, check_rat, fraction, int, rat};
use dashu_int::IBig;
use dashu_ratio::RBig;
use dashu_ratio::ops::Abs;
use proptest::prelude::*;
use sectile_base::num::{Int, ParseNumberError, Rat};

/// Parts at which an operation on fractions may overflow.
const EDGES: [i64; 11] = [
    i64::MIN,
    i64::MIN + 1,
    -(1 << 32),
    -3,
    -1,
    1,
    2,
    6,
    (1 << 31) - 1,
    1 << 62,
    i64::MAX,
];

/// Every operation on one pair of operands.
fn check_pair(a: &RBig, b: &RBig) {
    let (x, y) = (rat(a), rat(b));
    check_rat(&(&x + &y), &(a + b));
    check_rat(&(&x - &y), &(a - b));
    check_rat(&(&x * &y), &(a * b));
    check_rat(&-&x, &-a);
    check_rat(&-x.clone(), &-a);
    check_rat(&x.abs(), &a.clone().abs());
    assert_eq!(x.cmp(&y), a.cmp(b));
    assert_eq!(x == y, a == b);
    if !b.is_zero() {
        check_rat(&(&x / &y), &(a / b));
        check_rat(&y.recip(), &(RBig::ONE / b));
    }
}

fn check_fused(a: &RBig, b: &RBig, c: &RBig) {
    let (x, y, z) = (rat(a), rat(b), rat(c));
    let mut sum = x.clone();
    sum.add_mul_assign(&y, &z);
    check_rat(&sum, &(a + b * c));
    sum.sub_mul_assign(&y, &z);
    check_rat(&sum, a);
    sum.sub_mul_assign(&z, &y);
    check_rat(&sum, &(a - b * c));
}

fn edge_fractions() -> Vec<RBig> {
    let mut all = vec![RBig::ZERO];
    for num in EDGES {
        for den in [1, 2, 3, 1 << 31, (1 << 62) - 1, 1 << 62, i64::MAX] {
            all.push(RBig::from_parts_signed(num.into(), den.into()));
        }
    }
    all
}

#[test]
fn every_pair_of_edge_fractions() {
    let all = edge_fractions();
    for a in &all {
        for b in &all {
            check_pair(a, b);
        }
    }
}

#[test]
fn fused_steps_on_edges() {
    let all = edge_fractions();
    for a in all.iter().step_by(3) {
        for b in all.iter().step_by(2) {
            for c in all.iter().step_by(5) {
                check_fused(a, b, c);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn operations_agree_with_the_reference(a in fraction(), b in fraction()) {
        check_pair(&a, &b);
    }

    #[test]
    fn fused_steps_agree(a in fraction(), b in fraction(), c in fraction()) {
        check_fused(&a, &b, &c);
    }

    #[test]
    fn short_fractions(parts in prop::array::uniform6(-12_i64..=12)) {
        let part = |i: usize| {
            let den = if parts[i + 1] == 0 { 1 } else { parts[i + 1] };
            RBig::from_parts_signed(parts[i].into(), den.into())
        };
        let (a, b, c) = (part(0), part(2), part(4));
        check_pair(&a, &b);
        check_fused(&a, &b, &c);
    }

    #[test]
    fn owned_and_assigning_forms_agree(a in fraction(), b in fraction()) {
        let (x, y) = (rat(&a), rat(&b));
        prop_assert_eq!(x.clone() + y.clone(), &x + &y);
        prop_assert_eq!(&x + y.clone(), &x + &y);
        prop_assert_eq!(x.clone() - &y, &x - &y);
        prop_assert_eq!(&x - y.clone(), &x - &y);
        prop_assert_eq!(x.clone() * y.clone(), &x * &y);
        let mut value = x.clone();
        value += y.clone();
        value -= &y;
        prop_assert_eq!(&value, &x);
        if !y.is_zero() {
            value *= &y;
            value /= y.clone();
            prop_assert_eq!(&value, &x);
        }
    }

    #[test]
    fn field_laws(a in fraction(), b in fraction(), c in fraction()) {
        let (x, y, z) = (rat(&a), rat(&b), rat(&c));
        prop_assert_eq!((&x + &y) + &z, &x + (&y + &z));
        prop_assert_eq!((&x * &y) * &z, &x * (&y * &z));
        prop_assert_eq!(&x * (&y + &z), &x * &y + &x * &z);
        prop_assert_eq!(&x - &x, Rat::ZERO);
        prop_assert_eq!(&x * Rat::MINUS_ONE, -&x);
        if !x.is_zero() {
            prop_assert_eq!(x.recip() * &x, Rat::ONE);
            prop_assert_eq!(x.recip().recip(), x.clone());
        }
        prop_assert_eq!(x < y, (&y - &x).is_positive());
    }

    #[test]
    fn floor_and_ceil(a in fraction()) {
        let x = rat(&a);
        check_int(&x.floor(), &a.floor());
        check_int(&x.ceil(), &a.ceil());
        let (floor, ceil) = (Rat::from(x.floor()), Rat::from(&x.ceil()));
        prop_assert!(floor <= x && &x - &floor < Rat::ONE);
        prop_assert!(ceil >= x && &ceil - &x < Rat::ONE);
        prop_assert_eq!(x.is_int(), floor == ceil);
        prop_assert_eq!(x.to_int(), x.is_int().then(|| x.floor()));
        prop_assert_eq!(x.to_i64(), x.to_int().and_then(|n| n.to_i64()));
        prop_assert_eq!(x.is_zero(), a.is_zero());
        prop_assert_eq!(x.is_one(), a.is_one());
        prop_assert_eq!(x.signum(), x.numer().signum());
    }

    #[test]
    fn construction_reduces(a in fraction(), k in common::nonzero()) {
        let (num, den) = (a.numerator() * &k, IBig::from(a.denominator().clone()) * &k);
        check_rat(&Rat::new(int(&num), int(&den)), &a);
    }

    #[test]
    fn construction_from_words(num in any::<i64>(), den in any::<i64>(), k in 1_i64..50) {
        let den = if den == 0 { 1 } else { den };
        let (num, den) = (num / k * k, (den / k * k).checked_add(i64::from(den / k == 0)).unwrap_or(1));
        check_rat(&Rat::from_ratio(num, den), &RBig::from_parts_signed(num.into(), den.into()));
    }

    #[test]
    fn text_round_trip(a in fraction()) {
        let x = rat(&a);
        prop_assert_eq!(x.to_string().parse::<Rat>(), Ok(x.clone()));
        prop_assert_eq!(format!("{x:?}"), x.to_string());
        prop_assert_eq!(x.to_string().contains('/'), !x.is_int());
    }
}

#[test]
fn a_rational_takes_two_words() {
    assert_eq!(size_of::<Rat>(), 16);
    assert_eq!(size_of::<Int>(), 16);
}

#[test]
fn texts() {
    let parse = |text: &str| text.parse::<Rat>();
    assert_eq!(parse("3"), Ok(Rat::from(3_i64)));
    assert_eq!(parse("-7/2"), Ok(Rat::from_ratio(-7, 2)));
    assert_eq!(parse("14/-4"), Err(ParseNumberError::InvalidDigit));
    assert_eq!(parse("14/4"), Ok(Rat::from_ratio(7, 2)));
    assert_eq!(parse("1.25"), Ok(Rat::from_ratio(5, 4)));
    assert_eq!(parse("-0.5"), Ok(Rat::from_ratio(-1, 2)));
    assert_eq!(parse("2.0"), Ok(Rat::from(2)));
    assert_eq!(parse("0.000"), Ok(Rat::ZERO));
    assert_eq!(parse("1/0"), Err(ParseNumberError::ZeroDenominator));
    for text in ["", "-", ".5", "1.", "/2", "1/", "-.5"] {
        assert_eq!(parse(text), Err(ParseNumberError::NoDigits), "{text}");
    }
    for text in [
        "1.-5", "1.2.3", "1/2/3", "1.5/2", "1/2.5", "1e3", "+1", "1.+5",
    ] {
        assert_eq!(parse(text), Err(ParseNumberError::InvalidDigit), "{text}");
    }
    assert_eq!(Rat::from_ratio(-7, 2).to_string(), "-7/2");
    assert_eq!(Rat::from_ratio(6, -2).to_string(), "-3");
    let tiny = format!("0.{}1", "0".repeat(99));
    assert_eq!(parse(&tiny).map(|x| x.denom()), Ok(Int::from(10).pow(100)));
}

#[test]
fn the_least_word() {
    let least = Rat::from(i64::MIN);
    let beyond = Rat::from(-Int::from(i64::MIN));
    assert_eq!(-&least, beyond);
    assert_eq!(least.abs(), beyond);
    assert_eq!(
        least.recip(),
        Rat::new(Int::MINUS_ONE, -Int::from(i64::MIN))
    );
    assert_eq!(least.recip().recip(), least);
    assert_eq!(Rat::from_ratio(i64::MIN, i64::MIN), Rat::ONE);
    assert_eq!(Rat::from_ratio(i64::MIN, -1), beyond);
    assert_eq!(Rat::from_ratio(0, i64::MIN), Rat::ZERO);
    assert_eq!(&least / &least, Rat::ONE);
    assert_eq!(Rat::from_ratio(1, i64::MIN).numer(), Int::MINUS_ONE);
    let total: Rat = [least.clone(), beyond.clone(), Rat::ONE].iter().sum();
    assert_eq!(total, Rat::ONE);
    assert!(least < beyond && Rat::default().is_zero());
}

#[test]
#[should_panic(expected = "zero denominator")]
fn zero_denominators_are_refused() {
    let _ = Rat::from_ratio(1, 0);
}

#[test]
#[should_panic(expected = "division of a rational by zero")]
fn division_by_zero_is_named() {
    let _ = Rat::ONE / Rat::ZERO;
}
