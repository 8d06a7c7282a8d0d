//! When parts of CTL formulas are the same, up to the order of conjunctions and disjunctions.

use crate::ctl_normal::{NormalCtl, NormalPart, Paths};
use sectile_terms::Term;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a formula in terms of the numbers of its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    State(Term),
    And(BTreeSet<usize>),
    Or(BTreeSet<usize>),
    Next(Paths, usize),
    Until(Paths, usize, usize),
    Weak(Paths, usize, usize),
}

/// Numbers for parts of formulas: parts with equal numbers have equal meanings.
#[derive(Default)]
pub struct PartKeys {
    numbers: BTreeMap<Key, usize>,
    keys: Vec<Key>,
}

impl PartKeys {
    /// The numbers of the parts of a formula after a change of its state formulas.
    pub fn of(&mut self, formula: &NormalCtl, mut change: impl FnMut(Term) -> Term) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::with_capacity(formula.parts.len());
        for part in &formula.parts {
            let key = match *part {
                NormalPart::State(p) => Key::State(change(p)),
                NormalPart::And(a, b) => Key::And(self.joined(found[a], found[b], conjunction)),
                NormalPart::Or(a, b) => Key::Or(self.joined(found[a], found[b], disjunction)),
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

    /// The arguments of a conjunction, or of a disjunction, of two parts.
    fn joined(
        &self,
        a: usize,
        b: usize,
        arguments: fn(&Key) -> Option<&BTreeSet<usize>>,
    ) -> BTreeSet<usize> {
        let of = |k: usize| match arguments(&self.keys[k]) {
            Some(list) => list.clone(),
            None => [k].into(),
        };
        let mut all = of(a);
        all.extend(of(b));
        all
    }
}

fn conjunction(key: &Key) -> Option<&BTreeSet<usize>> {
    match key {
        Key::And(list) => Some(list),
        _ => None,
    }
}

fn disjunction(key: &Key) -> Option<&BTreeSet<usize>> {
    match key {
        Key::Or(list) => Some(list),
        _ => None,
    }
}
