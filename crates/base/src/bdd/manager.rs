//! Nodes, the unique table, and Boolean operations.

use super::cache::Cache;
use crate::Budget;
use hashbrown::HashTable;

/// A set of bit vectors: a node of a [`Manager`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdd(pub(super) u32);

impl Bdd {
    /// The empty set.
    pub const FALSE: Bdd = Bdd(0);
    /// The full set.
    pub const TRUE: Bdd = Bdd(1);

    /// Whether this is one of the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// `if level then high else low`; the level of constants is greater than all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub level: u32,
    pub low: Bdd,
    pub high: Bdd,
}

impl Node {
    fn hash(&self) -> u64 {
        super::cache::mixed(self.level, self.low.0, self.high.0)
    }
}

/// The level of the constants.
pub(super) const LAST: u32 = u32::MAX;

/// Pairs of nodes that are looked at in a unit of work.
const WORK_OF_A_UNIT: u64 = 12;

/// Number of nodes up to which a pair has its basic cost. The cost grows in proportion beyond that,
/// because nodes are further apart in memory.
const NODES_NEARBY: usize = 1 << 16;

/// Maximum factor of that cost.
const FARTHEST: usize = 3;

/// Pairs of nodes between two checks of the budget.
const WORK_OF_A_LOOK: u64 = 1024;

/// Owns nodes and caches results. Nodes are never collected.
#[derive(Clone, Debug)]
pub struct Manager {
    nodes: Vec<Node>,
    /// The numbers of all nodes, indexed by their contents.
    unique: HashTable<u32>,
    /// Cached results.
    pub(super) known: Cache,
    /// The number of relations so far.
    pub(super) relations: u32,
    most: usize,
    work: u64,
    budget: Option<Budget>,
}

impl Default for Manager {
    fn default() -> Manager {
        Manager::new()
    }
}

impl Manager {
    /// A manager with the two constants.
    pub fn new() -> Manager {
        let constant = |b| Node {
            level: LAST,
            low: b,
            high: b,
        };
        Manager {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: HashTable::new(),
            known: Cache::default(),
            relations: 0,
            most: usize::MAX,
            work: 0,
            budget: None,
        }
    }

    /// A manager with a limit on the number of nodes. Once [`Manager::is_full`], results are
    /// meaningless, and operations return at once.
    pub fn with_limit(most: usize) -> Manager {
        Manager {
            most,
            ..Manager::new()
        }
    }

    /// The same manager, with its work counted on a budget: a paced computation waits in the middle
    /// of an operation. No operation is aborted, so every result is right.
    #[must_use]
    pub fn on(mut self, budget: &Budget) -> Manager {
        self.budget = Some(budget.clone());
        self
    }

    /// Whether a node could not be created.
    pub fn is_full(&self) -> bool {
        self.nodes.len() > self.most
    }

    /// Counts one processed pair of nodes, the unit of cost.
    pub(super) fn count_work(&mut self) {
        self.work += 1 + (self.nodes.len() / NODES_NEARBY).min(FARTHEST) as u64;
        if self.work >= WORK_OF_A_LOOK
            && let Some(budget) = &self.budget
        {
            // The caller of the operation notices that the limit is reached.
            let _ = budget.check_for(self.work / WORK_OF_A_UNIT);
            self.work %= WORK_OF_A_UNIT;
        }
    }

    /// The number of nodes, including constants.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are only constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 2
    }

    pub(super) fn node(&self, b: Bdd) -> Node {
        self.nodes[b.0 as usize]
    }

    /// The topmost level that a set depends on; `None` for constants.
    pub fn level(&self, b: Bdd) -> Option<u32> {
        (!b.is_constant()).then(|| self.node(b).level)
    }

    /// The node with these children, created if it is new; equal children need no node.
    pub(super) fn make(&mut self, level: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high || self.is_full() {
            return low;
        }
        let node = Node { level, low, high };
        let Manager {
            nodes,
            unique,
            known,
            ..
        } = self;
        let hash = node.hash();
        if let Some(&index) = unique.find(hash, |&k| nodes[k as usize] == node) {
            return Bdd(index);
        }
        let index = u32::try_from(nodes.len()).expect("fewer than 2^32 nodes fit in memory");
        nodes.push(node);
        unique.insert_unique(hash, index, |&k| nodes[k as usize].hash());
        known.fit(nodes.len());
        Bdd(index)
    }

    /// The vectors in which the bit of a level is set.
    pub fn bit(&mut self, level: u32) -> Bdd {
        self.make(level, Bdd::FALSE, Bdd::TRUE)
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }

    /// The cofactor of `b` for a value of the bit of `level`, which must not be below the level of
    /// `b`.
    pub fn half(&self, b: Bdd, level: u32, value: bool) -> Bdd {
        let node = self.node(b);
        match node.level == level {
            false => b,
            true if value => node.high,
            true => node.low,
        }
    }

    /// If `f` then `g` else `h`.
    ///
    /// Paper: [Bryant86], with one operation for all connectives.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Bdd {
        // `f` is true inside of `f` and false outside.
        let g = if f == g { Bdd::TRUE } else { g };
        let h = if f == h { Bdd::FALSE } else { h };
        let (f, g, h) = match (f, g, h) {
            (Bdd::TRUE, _, _) => return g,
            (Bdd::FALSE, _, _) => return h,
            (_, Bdd::TRUE, Bdd::FALSE) => return f,
            _ if g == h => return g,
            _ if self.is_full() => return Bdd::FALSE,
            // Normalised order of operands, so that the cache finds intersections and unions in
            // either order.
            (_, _, Bdd::FALSE) if g < f => (g, f, h),
            (_, Bdd::TRUE, _) if h < f => (h, g, f),
            _ => (f, g, h),
        };
        let key = [f.0, g.0, h.0];
        if let Some(known) = self.known.get(key) {
            return Bdd(known);
        }
        let levels = [f, g, h].map(|b| self.node(b).level);
        let level = levels[0].min(levels[1]).min(levels[2]);
        let [low, high] = [false, true].map(|v| [f, g, h].map(|b| self.half(b, level, v)));
        let low = self.ite(low[0], low[1], low[2]);
        let high = self.ite(high[0], high[1], high[2]);
        let result = self.make(level, low, high);
        self.count_work();
        self.known.put(key, result.0);
        result
    }

    /// The complement.
    pub fn not(&mut self, f: Bdd) -> Bdd {
        self.ite(f, Bdd::FALSE, Bdd::TRUE)
    }

    /// The intersection.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(f, g, Bdd::FALSE)
    }

    /// The union.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(f, Bdd::TRUE, g)
    }

    /// The vectors on which both agree.
    pub fn iff(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let not_g = self.not(g);
        self.ite(f, g, not_g)
    }

    /// The vectors on which `f` implies `g`.
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(f, g, Bdd::TRUE)
    }

    /// `f` without `g`.
    pub fn minus(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(g, Bdd::FALSE, f)
    }

    /// Whether `f` is contained in `g`.
    pub fn is_subset(&mut self, f: Bdd, g: Bdd) -> bool {
        self.minus(f, g) == Bdd::FALSE
    }

    /// The intersection of all.
    pub fn and_all(&mut self, all: impl IntoIterator<Item = Bdd>) -> Bdd {
        let mut result = Bdd::TRUE;
        for b in all {
            result = self.and(result, b);
        }
        result
    }

    /// The union of all.
    pub fn or_all(&mut self, all: impl IntoIterator<Item = Bdd>) -> Bdd {
        let mut result = Bdd::FALSE;
        for b in all {
            result = self.or(result, b);
        }
        result
    }

    /// Whether a vector is in the set.
    pub fn contains(&self, f: Bdd, bit: impl Fn(u32) -> bool) -> bool {
        let mut current = f;
        while !current.is_constant() {
            let node = self.node(current);
            current = if bit(node.level) { node.high } else { node.low };
        }
        current == Bdd::TRUE
    }
}
