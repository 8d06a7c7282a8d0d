//! Images of sets under steps, and closures under several relations.
//!
//! A relation constrains the bits that it changes; all others keep their values, without being
//! mentioned. Results are cached across calls.
//!
//! Paper: [CLS01] for saturation, fixpoints from the last bits to the first ones.

use super::manager::{Bdd, LAST, Manager};
use crate::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// A relation between current and next bits: bit `b` has the level `2b` now and `2b + 1` next.
#[derive(Clone, Debug)]
pub struct Relation {
    pairs: Bdd,
    /// Whether each bit is changed, up to the last changed one.
    is_changed: Vec<bool>,
    /// The first bit that it reads or changes.
    top: u32,
    /// Unique among the relations of the manager.
    number: u32,
}

impl Relation {
    fn changes(&self, bit: u32) -> bool {
        let known = self.is_changed.get(bit as usize);
        known.copied().unwrap_or(false)
    }
}

/// Direction of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the successors.
    Forwards,
    /// To the predecessors.
    Backwards,
}

/// Cache keys of images: numbers that no node has.
const IMAGES: u32 = 1 << 31;

impl Manager {
    /// The relation with these pairs that changes only these bits. The pairs must not constrain the
    /// next values of other bits.
    pub fn relation(&mut self, pairs: Bdd, changed: impl IntoIterator<Item = u32>) -> Relation {
        let mut is_changed = Vec::new();
        for bit in changed {
            let bit = bit as usize;
            is_changed.resize(is_changed.len().max(bit + 1), false);
            is_changed[bit] = true;
        }
        let first = is_changed.iter().position(|&c| c);
        let first = first.map_or(LAST, |b| u32::try_from(b).unwrap_or(LAST));
        self.relations += 1;
        Relation {
            pairs,
            is_changed,
            top: first.min(self.node(pairs).level / 2),
            number: self.relations - 1,
        }
    }

    /// The image of a set under one step.
    pub fn image(&mut self, relation: &Relation, direction: Direction, set: Bdd) -> Bdd {
        self.stepped(set, relation.pairs, relation, direction)
    }

    fn stepped(&mut self, set: Bdd, pairs: Bdd, relation: &Relation, direction: Direction) -> Bdd {
        let bit = (self.node(set).level / 2).min(self.node(pairs).level / 2);
        match (set, pairs) {
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => return Bdd::FALSE,
            (_, Bdd::TRUE) if bit as usize >= relation.is_changed.len() => return set,
            _ if self.is_full() => return Bdd::FALSE,
            _ => {}
        }
        let key = [
            set.0,
            pairs.0,
            IMAGES | relation.number << 1 | u32::from(direction == Direction::Backwards),
        ];
        if let Some(known) = self.known.get(key) {
            return Bdd(known);
        }
        self.count_work();
        let sets = [false, true].map(|v| self.half(set, 2 * bit, v));
        let halves = [false, true].map(|v| self.half(pairs, 2 * bit, v));
        let mut children = [Bdd::FALSE; 2];
        for now in [0, 1] {
            if !relation.changes(bit) {
                let pairs = self.half(halves[now], 2 * bit + 1, now == 1);
                children[now] = self.stepped(sets[now], pairs, relation, direction);
                continue;
            }
            for next in [0, 1] {
                let pairs = self.half(halves[now], 2 * bit + 1, next == 1);
                let (from, to) = match direction {
                    Direction::Forwards => (now, next),
                    Direction::Backwards => (next, now),
                };
                let more = self.stepped(sets[from], pairs, relation, direction);
                children[to] = self.or(children[to], more);
            }
        }
        let result = self.make(2 * bit, children[0], children[1]);
        self.known.put(key, result.0);
        result
    }

    /// All states reachable from a set by any number of steps, through states of another set; the
    /// start set itself need not be contained in it.
    pub fn closure(
        &mut self,
        relations: &[Relation],
        direction: Direction,
        set: Bdd,
        through: Bdd,
        budget: &Budget,
    ) -> Result<Bdd, Exhausted> {
        let mut relations: Vec<&Relation> = relations.iter().collect();
        relations.sort_by_key(|r| r.top);
        let mut closure = Closure {
            manager: self,
            relations: &relations,
            direction,
            budget,
            known: FxHashMap::default(),
            fired: FxHashMap::default(),
        };
        closure.of(set, through, 0)
    }
}

/// A fixpoint computation.
struct Closure<'c> {
    manager: &'c mut Manager,
    /// Sorted by the first bit that they read or change.
    relations: &'c [&'c Relation],
    direction: Direction,
    budget: &'c Budget,
    known: FxHashMap<(Bdd, Bdd, usize), Bdd>,
    fired: FxHashMap<(Bdd, Bdd, Bdd, usize), Bdd>,
}

impl Closure<'_> {
    /// The closure under the relations from a position on. They change no bits before theirs, so
    /// each part of a set is closed separately.
    fn of(&mut self, set: Bdd, through: Bdd, first: usize) -> Result<Bdd, Exhausted> {
        let Some(&relation) = self.relations.get(first) else {
            return Ok(set);
        };
        if set == Bdd::FALSE || through == Bdd::FALSE {
            return Ok(set);
        }
        if let Some(&known) = self.known.get(&(set, through, first)) {
            return Ok(known);
        }
        let manager = &mut *self.manager;
        let level = manager.node(set).level.min(manager.node(through).level);
        let closed = if level < 2 * relation.top.min(LAST / 2) {
            let mut children = [Bdd::FALSE; 2];
            for (child, value) in children.iter_mut().zip([false, true]) {
                let set = self.manager.half(set, level, value);
                let through = self.manager.half(through, level, value);
                *child = self.of(set, through, first)?;
            }
            self.manager.make(level, children[0], children[1])
        } else {
            self.fixpoint(set, through, first, relation.top)?
        };
        self.known.insert((set, through, first), closed);
        Ok(closed)
    }

    /// The closure under the relations with a given first bit and all later ones.
    fn fixpoint(
        &mut self,
        set: Bdd,
        through: Bdd,
        first: usize,
        top: u32,
    ) -> Result<Bdd, Exhausted> {
        let here = self.relations[first..].iter();
        let end = first + here.take_while(|r| r.top == top).count();
        let mut found = set;
        loop {
            let before = found;
            found = self.of(found, through, end)?;
            for number in first..end {
                let next = self.fire(found, self.relations[number].pairs, through, number)?;
                found = self.manager.or(found, next);
                if self.manager.is_full() {
                    return Err(Exhausted::Memory);
                }
                // Work is counted where pairs of nodes are processed.
                self.budget.check_for(0)?;
            }
            if found == before {
                return Ok(found);
            }
        }
    }

    /// The image of a set under a relation, inside another set. Parts below the first bit of the
    /// relation are closed at once.
    fn fire(
        &mut self,
        set: Bdd,
        pairs: Bdd,
        through: Bdd,
        number: usize,
    ) -> Result<Bdd, Exhausted> {
        let relation = self.relations[number];
        let manager = &mut *self.manager;
        let [in_set, in_pairs] = [set, pairs].map(|b| manager.node(b).level / 2);
        let bit = in_set.min(in_pairs);
        match (set, pairs, through) {
            (Bdd::FALSE, _, _) | (_, Bdd::FALSE, _) | (_, _, Bdd::FALSE) => return Ok(Bdd::FALSE),
            (_, Bdd::TRUE, _) if bit as usize >= relation.is_changed.len() => {
                return Ok(manager.and(set, through));
            }
            _ if manager.is_full() => return Err(Exhausted::Memory),
            _ => {}
        }
        let bit = bit.min(manager.node(through).level / 2);
        let key = (set, pairs, through, number);
        if let Some(&known) = self.fired.get(&key) {
            return Ok(known);
        }
        manager.count_work();
        let mut children = [Bdd::FALSE; 2];
        for now in [0, 1] {
            let half = self.manager.half(pairs, 2 * bit, now == 1);
            for next in [0, 1] {
                if now != next && !relation.changes(bit) {
                    continue;
                }
                let pairs = self.manager.half(half, 2 * bit + 1, next == 1);
                let (from, to) = match self.direction {
                    Direction::Forwards => (now, next),
                    Direction::Backwards => (next, now),
                };
                let from = self.manager.half(set, 2 * bit, from == 1);
                let inside = self.manager.half(through, 2 * bit, to == 1);
                let more = self.fire(from, pairs, inside, number)?;
                children[to] = self.manager.or(children[to], more);
            }
        }
        let mut result = self.manager.make(2 * bit, children[0], children[1]);
        if bit > relation.top {
            let first = self.relations.partition_point(|r| r.top < bit);
            result = self.of(result, through, first)?;
        }
        self.fired.insert(key, result);
        Ok(result)
    }
}
