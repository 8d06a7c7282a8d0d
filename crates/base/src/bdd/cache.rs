//! A lossy cache of results: one entry per slot, overwritten on collision.

/// The smallest number of slots.
const FEWEST: usize = 1 << 10;

/// The largest number of slots: more memory is better spent on nodes.
const MOST: usize = 1 << 22;

/// Results by keys of three numbers, which are not all zero. Any entry may be lost.
#[derive(Clone, Debug, Default)]
pub(super) struct Cache {
    places: Vec<([u32; 3], u32)>,
}

impl Cache {
    /// Resizes the cache for a manager with this many nodes.
    pub fn fit(&mut self, nodes: usize) {
        if nodes <= self.places.len() || self.places.len() >= MOST {
            return;
        }
        let len = (2 * nodes.next_power_of_two()).clamp(FEWEST, MOST);
        let old = std::mem::replace(&mut self.places, vec![([0; 3], 0); len]);
        for (key, value) in old.into_iter().filter(|(key, _)| *key != [0; 3]) {
            self.put(key, value);
        }
    }

    fn place(&self, [a, b, c]: [u32; 3]) -> usize {
        // The number of slots is a power of two.
        (mixed(a, b, c) >> 32) as usize & (self.places.len() - 1)
    }

    /// The result of a key, if it is still cached.
    pub fn get(&self, key: [u32; 3]) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let (known, value) = self.places[self.place(key)];
        (known == key).then_some(value)
    }

    /// Remembers a result.
    pub fn put(&mut self, key: [u32; 3], value: u32) {
        if !self.places.is_empty() {
            let place = self.place(key);
            self.places[place] = (key, value);
        }
    }
}

/// A hash of three numbers in which every bit depends on all bits.
pub(super) fn mixed(a: u32, b: u32, c: u32) -> u64 {
    let pair = u64::from(a) << 32 | u64::from(b);
    let mut x = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(c);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}
