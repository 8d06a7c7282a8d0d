//! Arrays represented as machine words.
//!
//! The word of an array is its position in a table. The table contains every array once, so arrays
//! are equal exactly if their words are. An array has the same element at all but finitely many
//! indices: this is the normal form of [`ArrayValue`], with words as indices and elements.

use crate::word::{Numbers, Word};
use rustc_hash::FxHashMap;
use sectile_terms::{ArrayId, ArrayValue, Sort, Terms, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// All arrays of a sort are tried for an unknown one if there are at most this many.
const MOST_LISTED: u64 = 4096;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WordArray {
    usual: Word,
    exceptions: BTreeMap<Word, Word>,
}

impl WordArray {
    fn get(&self, index: Word) -> Word {
        *self.exceptions.get(&index).unwrap_or(&self.usual)
    }

    fn set(&mut self, index: Word, value: Word) {
        if value == self.usual {
            self.exceptions.remove(&index);
        } else {
            self.exceptions.insert(index, value);
        }
    }
}

/// The arrays that have occurred so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrays {
    list: Vec<WordArray>,
    positions: FxHashMap<WordArray, u32>,
    /// The sorts of indices and of elements.
    parts: FxHashMap<ArrayId, (Sort, Sort)>,
}

/// The arrays that are tried for an unknown one.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    /// Their words.
    pub words: Rc<[Word]>,
    /// Whether these are all arrays of the sort.
    pub all: bool,
}

impl Arrays {
    /// Registers an array sort, and the array sorts inside of it.
    pub(crate) fn declare(&mut self, terms: &Terms, sort: Sort) {
        let mut work = vec![sort];
        while let Some(sort) = work.pop() {
            if let Sort::Array(id) = sort {
                let parts = terms.array_parts(id);
                self.parts.insert(id, parts);
                work.extend([parts.0, parts.1]);
            }
        }
    }

    /// The array with the same element everywhere.
    pub(crate) fn filled(&mut self, usual: Word) -> Word {
        let exceptions = BTreeMap::new();
        self.intern(WordArray { usual, exceptions })
    }

    /// An element.
    pub(crate) fn element(&self, array: Word, index: Word) -> Word {
        self.at(array).get(index)
    }

    /// The array with one element replaced; `places` is the number of indices, if it is finite.
    pub(crate) fn stored(
        &mut self,
        array: Word,
        index: Word,
        value: Word,
        places: Option<u32>,
    ) -> Word {
        let mut changed = self.at(array).clone();
        changed.set(index, value);
        let Some(places) = places.map(Word::from) else {
            return self.intern(changed);
        };
        let mut normal = WordArray {
            usual: changed.get(0),
            exceptions: BTreeMap::new(),
        };
        (0..places).for_each(|place| normal.set(place, changed.get(place)));
        self.intern(normal)
    }

    fn at(&self, word: Word) -> &WordArray {
        let position = usize::try_from(word).expect("words of arrays are positions");
        &self.list[position]
    }

    fn intern(&mut self, array: WordArray) -> Word {
        if let Some(&found) = self.positions.get(&array) {
            return Word::from(found);
        }
        let new = u32::try_from(self.list.len()).expect("fewer than 2^32 arrays fit in memory");
        self.list.push(array.clone());
        self.positions.insert(array, new);
        Word::from(new)
    }
}

impl Numbers {
    /// The array of this sort that a word represents.
    pub(crate) fn array(&self, word: Word, id: ArrayId) -> ArrayValue {
        let (index, element) = self.arrays.parts[&id];
        let array = self.arrays.at(word);
        let value = |w: Word| self.value(w, element);
        let exceptions = array.exceptions.iter();
        let exceptions = exceptions.map(|(&i, &e)| (self.value(i, index), value(e)));
        ArrayValue::normal(id, value(array.usual), exceptions.collect())
    }

    /// The arrays of a sort to try if nothing determines an unknown one.
    pub(crate) fn candidates(&mut self, terms: &Terms, id: ArrayId) -> Candidates {
        let default = self.word_of(terms, &Value::some_of(terms, Sort::Array(id)));
        let (index, element) = terms.array_parts(id);
        let sizes = index.cardinality(terms).zip(element.cardinality(terms));
        let count = sizes.and_then(|(places, size)| u64::from(size).checked_pow(places));
        let (Some((places, size)), Some(1..=MOST_LISTED)) = (sizes, count) else {
            return Candidates {
                words: Rc::from([default]),
                all: false,
            };
        };
        let mut words = vec![default];
        for place in (0..places).map(Word::from) {
            let mut with = |&array: &Word| -> Vec<Word> {
                let elements = (0..size).map(Word::from);
                let each = elements.map(|e| self.arrays.stored(array, place, e, Some(places)));
                each.collect()
            };
            words = words.iter().flat_map(&mut with).collect();
        }
        Candidates {
            words: words.into(),
            all: true,
        }
    }

    /// The word of a value. Recurses on the nesting of sorts only.
    pub(crate) fn word_of(&mut self, terms: &Terms, value: &Value) -> Word {
        match value {
            Value::Bool(b) => Word::from(*b),
            Value::Enum(_, k) => Word::from(*k),
            Value::Int(_) | Value::Real(_) => self.word(value.as_rat().unwrap_or_default()),
            Value::Array(array) => {
                let usual = self.word_of(terms, array.usual());
                let mut word = self.arrays.filled(usual);
                let places = terms.array_parts(array.id()).0.cardinality(terms);
                for (index, element) in array.exceptions() {
                    let (i, e) = (self.word_of(terms, index), self.word_of(terms, element));
                    word = self.arrays.stored(word, i, e, places);
                }
                word
            }
        }
    }
}
