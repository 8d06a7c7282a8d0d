//! Variables with finitely many values, in a current and a next copy.

use super::manager::{Bdd, Manager};

/// One value for every variable of a space, as positions in their domains.
pub type Tuple = Vec<usize>;

/// Encodes tuples in bits. Bit `b` has the level `2b` now and `2b + 1` next.
///
/// Paper: [BeGrLa, Sect. 5.2]: variables with arbitrarily many values as vectors of bits.
#[derive(Clone, Debug, Default)]
pub struct Space {
    sizes: Vec<usize>,
    first_bit: Vec<u32>,
    bits: u32,
}

impl Space {
    /// A space with variables of these sizes, in this order.
    pub fn new(sizes: impl IntoIterator<Item = usize>) -> Space {
        let mut space = Space::default();
        for size in sizes {
            space.add(size);
        }
        space
    }

    /// Adds a variable at the end and returns its position.
    pub fn add(&mut self, size: usize) -> usize {
        self.sizes.push(size.max(1));
        self.first_bit.push(self.bits);
        self.bits += width(size);
        self.sizes.len() - 1
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The number of values of a variable.
    pub fn size(&self, variable: usize) -> usize {
        self.sizes[variable]
    }

    /// The levels of the bits of a variable, from the top.
    pub fn levels(&self, variable: usize, next: bool) -> impl Iterator<Item = u32> + use<> {
        let first = self.first_bit[variable];
        let width = width(self.sizes[variable]);
        (first..first + width).map(move |b| 2 * b + u32::from(next))
    }

    /// The variable that a level belongs to, and whether it is its next copy.
    pub fn variable_of(&self, level: u32) -> (usize, bool) {
        let bit = level / 2;
        let variable = self.first_bit.partition_point(|&f| f <= bit).max(1) - 1;
        (variable, level % 2 == 1)
    }

    /// The tuples in which a variable has a value, now or next.
    pub fn value(&self, m: &mut Manager, variable: usize, value: usize, next: bool) -> Bdd {
        let mut result = Bdd::TRUE;
        let levels: Vec<u32> = self.levels(variable, next).collect();
        // The most significant bit is on top; conjunction from the bottom keeps the intermediate
        // diagrams small.
        for (i, &level) in levels.iter().enumerate().rev() {
            let set = value >> (levels.len() - 1 - i) & 1 == 1;
            let bit = m.bit(level);
            let literal = if set { bit } else { m.not(bit) };
            result = m.and(literal, result);
        }
        result
    }

    /// The encodings of values: not every bit pattern is one.
    pub fn valid(&self, m: &mut Manager, next: bool) -> Bdd {
        let mut result = Bdd::TRUE;
        for variable in (0..self.len()).rev() {
            if self.size(variable).is_power_of_two() {
                continue;
            }
            let values: Vec<Bdd> = (0..self.size(variable))
                .map(|v| self.value(m, variable, v, next))
                .collect();
            let some = m.or_all(values);
            result = m.and(some, result);
        }
        result
    }

    /// The set of one tuple.
    pub fn tuple(&self, m: &mut Manager, tuple: &[usize], next: bool) -> Bdd {
        let mut result = Bdd::TRUE;
        for (variable, &value) in tuple.iter().enumerate().rev() {
            let here = self.value(m, variable, value, next);
            result = m.and(here, result);
        }
        result
    }

    /// The variable has the same value now and next.
    pub fn unchanged(&self, m: &mut Manager, variable: usize) -> Bdd {
        let pairs = self
            .levels(variable, false)
            .zip(self.levels(variable, true));
        let mut result = Bdd::TRUE;
        for (now, next) in pairs.collect::<Vec<_>>() {
            let (a, b) = (m.bit(now), m.bit(next));
            let same = m.iff(a, b);
            result = m.and(result, same);
        }
        result
    }

    /// A set of current tuples as one of next tuples.
    pub fn prime(&self, m: &mut Manager, f: Bdd) -> Bdd {
        m.rename(f, &|level| level | 1)
    }

    /// A set of next tuples as one of current tuples.
    pub fn unprime(&self, m: &mut Manager, f: Bdd) -> Bdd {
        m.rename(f, &|level| level & !1)
    }

    /// The successors of a set under a relation.
    pub fn image(&self, m: &mut Manager, set: Bdd, relation: Bdd) -> Bdd {
        let next = m.and_exists(set, relation, &|level| level % 2 == 0);
        self.unprime(m, next)
    }

    /// The predecessors of a set under a relation.
    pub fn preimage(&self, m: &mut Manager, set: Bdd, relation: Bdd) -> Bdd {
        let next = self.prime(m, set);
        m.and_exists(next, relation, &|level| level % 2 == 1)
    }

    /// The set with a variable quantified away, now.
    pub fn forget(&self, m: &mut Manager, f: Bdd, variable: usize) -> Bdd {
        let levels: Vec<u32> = self.levels(variable, false).collect();
        m.exists(f, &|level| levels.contains(&level))
    }

    /// The set where a variable has a value now, without the variable.
    pub fn cofactor(&self, m: &mut Manager, f: Bdd, variable: usize, value: usize) -> Bdd {
        let here = self.value(m, variable, value, false);
        let levels: Vec<u32> = self.levels(variable, false).collect();
        m.and_exists(f, here, &|level| levels.contains(&level))
    }

    /// How many tuples a set of current, valid tuples has.
    pub fn count(&self, m: &Manager, f: Bdd) -> f64 {
        let levels: Vec<u32> = (0..self.bits).map(|b| 2 * b).collect();
        m.count(f, &levels)
    }

    /// The tuples of a set of current, valid tuples, in lexicographic order, at most `most`.
    pub fn tuples(&self, m: &mut Manager, f: Bdd, most: usize) -> Vec<Tuple> {
        let valid = self.valid(m, false);
        let f = m.and(f, valid);
        let mut found = Vec::new();
        // Each entry is a prefix of a tuple with the set of possible continuations.
        let mut stack = vec![(Tuple::new(), f)];
        while let Some((prefix, rest)) = stack.pop() {
            if found.len() >= most {
                break;
            }
            if rest == Bdd::FALSE {
                continue;
            }
            if prefix.len() == self.len() {
                found.push(prefix);
                continue;
            }
            let variable = prefix.len();
            for value in (0..self.size(variable)).rev() {
                let further = self.cofactor(m, rest, variable, value);
                let mut longer = prefix.clone();
                longer.push(value);
                stack.push((longer, further));
            }
        }
        found
    }

    /// Whether a set of current tuples has this one.
    pub fn contains(&self, m: &Manager, f: Bdd, tuple: &[usize]) -> bool {
        m.contains(f, |level| {
            let (variable, _) = self.variable_of(level);
            let place = level / 2 - self.first_bit[variable];
            let shift = width(self.sizes[variable]) - 1 - place;
            tuple[variable] >> shift & 1 == 1
        })
    }
}

/// The number of bits that distinguish `size` values.
fn width(size: usize) -> u32 {
    size.max(1).next_power_of_two().trailing_zeros()
}
