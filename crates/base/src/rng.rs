//! A small seeded generator of pseudo-random numbers.
//!
//! The same seed gives the same sequence on every machine and in every
//! version, so that a run can be repeated. Not for cryptography.

use std::ops::RangeInclusive;

/// A deterministic generator: xoshiro256** by Blackman and Vigna.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: [u64; 4],
}

/// One step of splitmix64 (Steele, Lea and Flood).
fn splitmix64(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *counter;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Rng {
    /// A generator whose whole sequence is determined by the seed.
    pub fn new(seed: u64) -> Rng {
        // Seeds are often small and alike. splitmix64 spreads them, and as a
        // bijection of distinct counters it cannot yield the all-zero state
        // from which xoshiro would never leave.
        let mut counter = seed;
        let state = std::array::from_fn(|_| splitmix64(&mut counter));
        Rng { state }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0..n`, every one equally likely; 0 if `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        // Lemire's method: the high half of a product is the sample, and the
        // few low halves that would favour some samples are rejected.
        let reject = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            if product as u64 >= reject {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number of an inclusive range, every one equally likely; the start
    /// if the range is empty.
    pub fn range(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (low, high) = (*range.start(), *range.end());
        if low >= high {
            return low;
        }
        let span = high.abs_diff(low);
        // The full range of 2^64 values has no count that fits a word.
        let offset = match span.checked_add(1) {
            Some(count) => self.below(count),
            None => self.next_u64(),
        };
        low.wrapping_add_unsigned(offset)
    }

    /// True with probability `num / den`; never if `den` is 0.
    pub fn chance(&mut self, num: u64, den: u64) -> bool {
        self.below(den) < num.min(den)
    }

    /// An element, every one equally likely; none of an empty slice.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len() as u64) as usize)
    }

    /// Puts the elements in a random order, every one equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last as u64 + 1) as usize;
            items.swap(last, chosen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_outputs_follow_the_published_algorithm() {
        // splitmix64 from the reference implementation, seed 1234567.
        let mut counter = 1_234_567;
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        for value in expected {
            assert_eq!(splitmix64(&mut counter), value);
        }
        // xoshiro256** from state 1, 2, 3, 4.
        let mut rng = Rng {
            state: [1, 2, 3, 4],
        };
        for value in [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240] {
            assert_eq!(rng.next_u64(), value);
        }
    }

    #[test]
    fn equal_seeds_give_equal_sequences_and_others_differ() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (0..100).map(|_| rng.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(draw(0), draw(0));
        assert_ne!(draw(0), draw(1));
        assert_ne!(Rng::new(0).state, [0; 4]);
    }

    #[test]
    fn below_is_in_range_and_roughly_even() {
        let mut rng = Rng::new(7);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (9_500..10_500).contains(&n)));
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.below(1), 0);
        assert!((0..1000).all(|_| rng.below(u64::MAX) < u64::MAX));
    }

    #[test]
    fn ranges_reach_both_ends_and_never_leave() {
        let mut rng = Rng::new(3);
        let drawn: Vec<i64> = (0..1000).map(|_| rng.range(-2..=2)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&2));
        assert_eq!(rng.range(5..=5), 5);
        assert_eq!(rng.range(RangeInclusive::new(5, 4)), 5);
        let wide: Vec<i64> = (0..100).map(|_| rng.range(i64::MIN..=i64::MAX)).collect();
        assert!(wide.iter().any(|&x| x < 0) && wide.iter().any(|&x| x > 0));
    }

    #[test]
    fn chance_respects_its_limits() {
        let mut rng = Rng::new(9);
        assert!((0..100).all(|_| rng.chance(3, 3)));
        assert!((0..100).all(|_| rng.chance(4, 3)));
        assert!((0..100).all(|_| !rng.chance(0, 3)));
        assert!((0..100).all(|_| !rng.chance(1, 0)));
        let hits = (0..40_000).filter(|_| rng.chance(1, 4)).count();
        assert!((9_500..10_500).contains(&hits));
    }

    #[test]
    fn pick_and_shuffle_keep_the_elements() {
        let mut rng = Rng::new(11);
        assert_eq!(rng.pick::<u8>(&[]), None);
        assert!((0..50).all(|_| rng.pick(&[1, 2, 3]).is_some()));
        let mut items: Vec<u32> = (0..100).collect();
        rng.shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
        let mut again = [1, 2, 3, 4, 5];
        Rng::new(1).shuffle(&mut again);
        let mut once_more = [1, 2, 3, 4, 5];
        Rng::new(1).shuffle(&mut once_more);
        assert_eq!(again, once_more);
    }
}
