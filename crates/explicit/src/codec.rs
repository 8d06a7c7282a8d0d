//! Packs states into short rows of machine words.

use crate::word::{Numbers, Word};
use sectile_base::Int;

/// Numbers below this size are stored directly in a row; others are stored as positions in a table.
const NEAR: i64 = 1 << 30;

/// Marks a position in the table of numbers.
const FAR: u64 = 1 << 31;

/// The possible values of a component of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extremes {
    /// An integer in a range, including truth values and enumerations.
    Between(Int, Int),
    /// Any number.
    Unlimited,
}

/// The position of a component in a row.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
    /// The value that is stored as zero; `None` for fields without a range.
    offset: Option<i64>,
}

/// Packs states into rows and unpacks them.
///
/// Components never cross the boundary of a word. Equal states have equal rows, because the table
/// of numbers contains every number once.
#[derive(Clone, Debug)]
pub(crate) struct Codec {
    fields: Vec<Field>,
    /// The number of words of a row.
    pub width: usize,
}

impl Codec {
    /// The codec for components with these ranges.
    pub(crate) fn new(components: &[Extremes]) -> Codec {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::with_capacity(components.len());
        for component in components {
            let (bits, offset) = match bits_between(component) {
                Some((bits, offset)) => (bits, Some(offset)),
                None => (32, None),
            };
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            fields.push(Field {
                word,
                shift: used,
                mask: (1 << bits) - 1,
                offset,
            });
            used += bits;
        }
        Codec {
            fields,
            width: word + 1,
        }
    }

    /// Packs the components into a row of the right width.
    pub(crate) fn pack(
        &self,
        components: impl Iterator<Item = Word>,
        numbers: &mut Numbers,
        row: &mut [u64],
    ) {
        row.fill(0);
        for (field, component) in self.fields.iter().zip(components) {
            let code = match field.offset {
                Some(offset) => component.wrapping_sub(offset).cast_unsigned(),
                None if -NEAR < component && component < NEAR => (component + NEAR).cast_unsigned(),
                None => {
                    let number = numbers.number(component);
                    FAR | u64::from(numbers.intern(number))
                }
            };
            debug_assert!(
                code <= field.mask,
                "restricted components are inside their range"
            );
            row[field.word] |= (code & field.mask) << field.shift;
        }
    }

    /// The code of a component in a row.
    #[inline]
    pub(crate) fn code(&self, row: &[u64], index: usize) -> u64 {
        let field = self.fields[index];
        (row[field.word] >> field.shift) & field.mask
    }

    /// Sets the code of a component in a row, taken from a component with the same codes.
    pub(crate) fn set_code(&self, row: &mut [u64], index: usize, code: u64) {
        let field = self.fields[index];
        row[field.word] &= !(field.mask << field.shift);
        row[field.word] |= code << field.shift;
    }

    /// Whether two components have the same codes.
    pub(crate) fn are_alike(&self, one: usize, other: usize) -> bool {
        let (a, b) = (self.fields[one], self.fields[other]);
        (a.mask, a.offset) == (b.mask, b.offset)
    }

    /// The largest code of a component.
    pub(crate) fn last_code(&self, index: usize) -> u64 {
        self.fields[index].mask
    }

    /// The value of a code, for a component with a range.
    pub(crate) fn word(&self, index: usize, code: u64) -> Option<Word> {
        let offset = self.fields[index].offset?;
        Some(code.cast_signed().wrapping_add(offset))
    }

    /// The value of a component of a row.
    #[inline]
    pub(crate) fn component(&self, row: &[u64], index: usize, numbers: &Numbers) -> Word {
        let field = self.fields[index];
        let code = (row[field.word] >> field.shift) & field.mask;
        match field.offset {
            Some(offset) => code.cast_signed().wrapping_add(offset),
            None if code < FAR => code.cast_signed() - NEAR,
            None => {
                let position = u32::try_from(code & (FAR - 1)).expect("31 bits fit");
                numbers.word_at(position)
            }
        }
    }
}

/// The number of bits for the values in a range, and the smallest of these values.
fn bits_between(component: &Extremes) -> Option<(u32, i64)> {
    let Extremes::Between(low, high) = component else {
        return None;
    };
    let (low, high) = (low.to_i64()?, high.to_i64()?);
    let span = u64::try_from(high.checked_sub(low)?).unwrap_or(0);
    let bits = (64 - span.leading_zeros()).max(1);
    (bits <= 32).then_some((bits, low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_base::Rat;

    #[test]
    fn what_is_packed_comes_back() {
        let between = |l: i64, h: i64| Extremes::Between(Int::from(l), Int::from(h));
        let kinds = [
            between(0, 1),
            between(-3, 4),
            Extremes::Unlimited,
            between(5, 5),
        ];
        let kinds: Vec<Extremes> = kinds.iter().cycle().take(17).cloned().collect();
        let codec = Codec::new(&kinds);
        let mut numbers = Numbers::default();
        let half = numbers.word(Rat::from_ratio(1, 2));
        let huge = numbers.word(Rat::from(Int::from(10).pow(40)));
        let far = [0, -1, NEAR - 1, NEAR, -NEAR, 1 << 61, half, huge];
        for (k, &number) in far.iter().enumerate() {
            let state: Vec<Word> = (0..17)
                .map(|i| match i % 4 {
                    0 => i64::from(k % 2 == 0),
                    1 => i64::try_from(k % 8).unwrap() - 3,
                    2 => number,
                    _ => 5,
                })
                .collect();
            let mut row = vec![0; codec.width];
            codec.pack(state.iter().copied(), &mut numbers, &mut row);
            let back: Vec<Word> = (0..17)
                .map(|i| codec.component(&row, i, &numbers))
                .collect();
            assert_eq!(back, state);
        }
    }
}
