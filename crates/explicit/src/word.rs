//! Values represented as machine words.
//!
//! A word below [`LIMIT`] is the value itself: a truth value, the position of an enumeration value,
//! an integer, or a real that is an integer. A word from [`LIMIT`] on refers to an entry in a table
//! of exact numbers. The table contains every number once, so values are equal exactly if their
//! words are, and nothing is ever rounded. Words of arrays are positions in a table of their own.

use crate::arrays::Arrays;
use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_terms::{Sort, Value};

/// A value; see the module's documentation.
pub(crate) type Word = i64;

/// Words from here on are positions in the table of numbers.
pub(crate) const LIMIT: Word = 1 << 62;

/// Whether a number is represented by itself.
#[inline]
pub(crate) fn is_small(number: i64) -> bool {
    -LIMIT < number && number < LIMIT
}

/// Whether a word refers to an entry of the table.
#[inline]
pub(crate) fn is_wide(word: Word) -> bool {
    word >= LIMIT
}

/// The numbers that do not fit into words: large ones and fractions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    values: Vec<Rat>,
    positions: FxHashMap<Rat, u32>,
    /// The arrays.
    pub arrays: Arrays,
}

impl Numbers {
    /// The word of a number.
    pub(crate) fn word(&mut self, number: Rat) -> Word {
        match number.to_i64() {
            Some(small) if is_small(small) => small,
            _ => LIMIT + i64::from(self.intern(number)),
        }
    }

    /// The number of a word.
    pub(crate) fn number(&self, word: Word) -> Rat {
        if is_wide(word) {
            self.values[position(word)].clone()
        } else {
            Rat::from(word)
        }
    }

    /// The position of a number in the table, regardless of its size.
    pub(crate) fn intern(&mut self, number: Rat) -> u32 {
        if let Some(&found) = self.positions.get(&number) {
            return found;
        }
        let new = u32::try_from(self.values.len()).expect("fewer than 2^32 numbers fit in memory");
        self.values.push(number.clone());
        self.positions.insert(number, new);
        new
    }

    /// The word of the number at a position.
    pub(crate) fn word_at(&self, position: u32) -> Word {
        match self.values[position as usize].to_i64() {
            Some(small) if is_small(small) => small,
            _ => LIMIT + i64::from(position),
        }
    }

    /// The value of a sort that a word represents.
    pub(crate) fn value(&self, word: Word, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(word != 0),
            Sort::Int => Value::Int(self.number(word).numer()),
            Sort::Real => Value::Real(self.number(word)),
            Sort::Enum(id) => Value::Enum(id, u32::try_from(word).unwrap_or(u32::MAX)),
            Sort::Array(id) => Value::Array(Box::new(self.array(word, id))),
        }
    }
}

/// The table position that a wide word refers to.
fn position(word: Word) -> usize {
    usize::try_from(word - LIMIT).expect("wide words hold positions")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_base::Int;

    #[test]
    fn equal_numbers_have_equal_words_on_both_sides_of_the_limit() {
        let mut numbers = Numbers::default();
        let big = Rat::from(Int::from(i64::MAX).pow(3));
        let half = Rat::from_ratio(1, 2);
        for number in [Rat::from(7), Rat::from(LIMIT), Rat::from(-LIMIT), big, half] {
            let word = numbers.word(number.clone());
            assert_eq!(numbers.word(number.clone()), word);
            assert_eq!(numbers.number(word), number);
            assert_eq!(is_wide(word), number != Rat::from(7));
        }
    }

    #[test]
    fn a_small_number_in_the_table_is_still_its_own_word() {
        let mut numbers = Numbers::default();
        let position = numbers.intern(Rat::from(5_000_000_000_i64));
        assert_eq!(numbers.word_at(position), 5_000_000_000);
    }
}
