//! Quantification, relational products, renaming of bits, and simplification within a care set.

use super::manager::{Bdd, Manager};
use rustc_hash::FxHashMap;

impl Manager {
    /// `exists` the bits of the levels that `chosen` names.
    pub fn exists(&mut self, f: Bdd, chosen: &dyn Fn(u32) -> bool) -> Bdd {
        self.and_exists(f, Bdd::TRUE, chosen)
    }

    /// `exists` the chosen bits: `f` and `g`, without building the conjunction.
    pub fn and_exists(&mut self, f: Bdd, g: Bdd, chosen: &dyn Fn(u32) -> bool) -> Bdd {
        let mut done = FxHashMap::default();
        self.product(f, g, chosen, &mut done)
    }

    fn product(
        &mut self,
        f: Bdd,
        g: Bdd,
        chosen: &dyn Fn(u32) -> bool,
        done: &mut FxHashMap<(Bdd, Bdd), Bdd>,
    ) -> Bdd {
        match (f, g) {
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => return Bdd::FALSE,
            (Bdd::TRUE, Bdd::TRUE) => return Bdd::TRUE,
            _ if self.is_full() => return Bdd::FALSE,
            _ => {}
        }
        let key = if f <= g { (f, g) } else { (g, f) };
        if let Some(&known) = done.get(&key) {
            return known;
        }
        self.count_work();
        let level = self.node(f).level.min(self.node(g).level);
        let (f0, g0) = (self.half(f, level, false), self.half(g, level, false));
        let low = self.product(f0, g0, chosen, done);
        let result = if chosen(level) && low == Bdd::TRUE {
            Bdd::TRUE
        } else {
            let (f1, g1) = (self.half(f, level, true), self.half(g, level, true));
            let high = self.product(f1, g1, chosen, done);
            if chosen(level) {
                self.or(low, high)
            } else {
                self.make(level, low, high)
            }
        };
        done.insert(key, result);
        result
    }

    /// Moves every bit to another level; `to` must keep the order of the levels that occur.
    pub fn rename(&mut self, f: Bdd, to: &dyn Fn(u32) -> u32) -> Bdd {
        let mut done = FxHashMap::default();
        self.renamed(f, to, &mut done)
    }

    fn renamed(&mut self, f: Bdd, to: &dyn Fn(u32) -> u32, done: &mut FxHashMap<Bdd, Bdd>) -> Bdd {
        if f.is_constant() {
            return f;
        }
        if let Some(&known) = done.get(&f) {
            return known;
        }
        self.count_work();
        let node = self.node(f);
        let low = self.renamed(node.low, to, done);
        let high = self.renamed(node.high, to, done);
        let result = self.make(to(node.level), low, high);
        done.insert(f, result);
        result
    }

    /// A set that agrees with `f` inside `care` and has a smaller diagram: bits that `care`
    /// determines, and those that do not matter inside of it, are left out.
    ///
    /// Paper: [CoMa90], the operator called restrict. If `care` is empty, so is the result.
    pub fn simplified_within(&mut self, f: Bdd, care: Bdd) -> Bdd {
        let mut done = FxHashMap::default();
        self.sibling(f, care, &mut done)
    }

    fn sibling(&mut self, f: Bdd, care: Bdd, done: &mut FxHashMap<(Bdd, Bdd), Bdd>) -> Bdd {
        if care == Bdd::FALSE {
            return Bdd::FALSE;
        }
        if care == Bdd::TRUE || f.is_constant() {
            return f;
        }
        if let Some(&known) = done.get(&(f, care)) {
            return known;
        }
        let (top, mine) = (self.node(care).level, self.node(f).level);
        let result = if top < mine {
            // `care` may depend on this bit although `f` does not: take the union of both cases.
            let node = self.node(care);
            let either = self.or(node.low, node.high);
            self.sibling(f, either, done)
        } else {
            let (f0, f1) = (self.half(f, mine, false), self.half(f, mine, true));
            let (c0, c1) = (self.half(care, mine, false), self.half(care, mine, true));
            match (c0, c1) {
                (Bdd::FALSE, _) => self.sibling(f1, c1, done),
                (_, Bdd::FALSE) => self.sibling(f0, c0, done),
                _ => {
                    let low = self.sibling(f0, c0, done);
                    let high = self.sibling(f1, c1, done);
                    self.make(mine, low, high)
                }
            }
        };
        done.insert((f, care), result);
        result
    }
}
