//! Shared by the tests of numbers: edge values and the reference library.
#![allow(dead_code, reason = "each test file uses a part")]

use std::hash::{DefaultHasher, Hash, Hasher};

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use proptest::prelude::*;
use sectile_base::num::{Int, Rat};

/// Integers around the places where representations change, random words,
/// and products and powers of all of them.
pub fn big() -> impl Strategy<Value = IBig> {
    let edge = (
        prop::sample::select(vec![0_u32, 1, 2, 31, 32, 62, 63, 64, 126, 127, 128, 200]),
        -3_i64..=3,
        any::<bool>(),
    )
        .prop_map(|(bits, offset, negative)| {
            let value = (IBig::ONE << bits as usize) + offset;
            if negative { -value } else { value }
        });
    let leaf = prop_oneof![
        4 => edge,
        3 => (-20_i64..=20).prop_map(IBig::from),
        2 => any::<i64>().prop_map(IBig::from),
        1 => any::<i128>().prop_map(IBig::from),
    ]
    .boxed();
    prop_oneof![
        4 => leaf.clone(),
        1 => (leaf.clone(), leaf).prop_map(|(a, b)| a * b),
    ]
}

/// A big integer other than zero.
pub fn nonzero() -> impl Strategy<Value = IBig> {
    big().prop_filter("zero", |value| !value.is_zero())
}

/// Fractions of the above, reduced.
pub fn fraction() -> impl Strategy<Value = RBig> {
    (big(), prop_oneof![2 => nonzero(), 1 => Just(IBig::ONE)])
        .prop_map(|(num, den)| RBig::from_parts_signed(num, den))
}

/// The integer under test of the same value.
pub fn int(value: &IBig) -> Int {
    value
        .to_string()
        .parse()
        .expect("the reference prints digits")
}

/// The rational under test of the same value.
pub fn rat(value: &RBig) -> Rat {
    Rat::new(
        int(value.numerator()),
        int(&IBig::from(value.denominator().clone())),
    )
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Checks that a result has the expected value, in canonical form.
#[track_caller]
pub fn check_int(actual: &Int, expected: &IBig) {
    assert_eq!(actual.to_string(), expected.to_string());
    let canonical = int(expected);
    assert_eq!(actual, &canonical);
    assert_eq!(hash_of(actual), hash_of(&canonical));
    assert_eq!(actual.to_i64(), i64::try_from(expected).ok());
}

/// Checks that a result has the expected value, in canonical form.
#[track_caller]
pub fn check_rat(actual: &Rat, expected: &RBig) {
    check_int(&actual.numer(), expected.numerator());
    check_int(&actual.denom(), &IBig::from(expected.denominator().clone()));
    let canonical = rat(expected);
    assert_eq!(actual, &canonical);
    assert_eq!(hash_of(actual), hash_of(&canonical));
}

/// The magnitude as a signed value.
pub fn signed(value: UBig) -> IBig {
    IBig::from(value)
}
