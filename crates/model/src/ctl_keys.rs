//! Equality of parts of CTL formulas up to the order of conjunctions and disjunctions.

use crate::ctl_normal::{NormalCtl, NormalPart, Paths};
use sectile_terms::Term;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a formula, over the numbers of its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    State(Term),
    /// A conjunction, or else a disjunction, of all these.
    Junction(bool, BTreeSet<usize>),
    Next(Paths, usize),
    Until(Paths, usize, usize),
    Weak(Paths, usize, usize),
}

/// Numbers of parts of formulas: equal numbers mean equal meanings.
#[derive(Default)]
pub struct PartKeys {
    numbers: BTreeMap<Key, usize>,
    keys: Vec<Key>,
}

impl PartKeys {
    /// The numbers of the parts of a formula whose state formulas are transformed by `change`.
    pub fn of(&mut self, formula: &NormalCtl, mut change: impl FnMut(Term) -> Term) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::with_capacity(formula.parts.len());
        for part in &formula.parts {
            let key = match *part {
                NormalPart::State(p) => Key::State(change(p)),
                NormalPart::And(a, b) => self.junction(true, [found[a], found[b]]),
                NormalPart::Or(a, b) => self.junction(false, [found[a], found[b]]),
                NormalPart::Next(paths, f) => Key::Next(paths, found[f]),
                NormalPart::Until(paths, f, g) => Key::Until(paths, found[f], found[g]),
                NormalPart::Weak(paths, f, g) => Key::Weak(paths, found[f], found[g]),
            };
            found.push(self.number(key));
        }
        found
    }

    fn number(&mut self, key: Key) -> usize {
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        self.numbers.insert(key.clone(), self.keys.len());
        self.keys.push(key);
        self.keys.len() - 1
    }

    /// A conjunction or a disjunction; nested ones of the same kind are flattened.
    fn junction(&self, and: bool, both: [usize; 2]) -> Key {
        let arguments = both.into_iter().flat_map(|k| match &self.keys[k] {
            Key::Junction(kind, list) if *kind == and => list.clone(),
            _ => [k].into(),
        });
        Key::Junction(and, arguments.collect())
    }
}
