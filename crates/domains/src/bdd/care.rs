//! Smaller diagrams that agree with a set where it matters.

use super::manager::{Bdd, Manager};
use rustc_hash::FxHashMap;

impl Manager {
    /// A set that agrees with `f` inside `care`, chosen so that it says nothing else: bits that
    /// `care` decides alone, and those that do not matter inside of it, are left out.
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
            // The set does not depend on this bit: what matters for either value matters.
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
