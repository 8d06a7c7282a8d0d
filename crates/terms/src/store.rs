//! The store of terms: declarations and hash-consing.

use crate::blocks::Blocks;
use crate::node::{Node, Term};
use crate::sorts::{ArrayId, EnumId, EnumInfo, Sort};
use elsa::FrozenVec;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use sectile_base::Budget;
use std::cell::{Cell, RefCell};
use std::hash::BuildHasher;

/// A declared name with a sort: a variable before a stage is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// The position of the symbol among the declarations of its store.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The role of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// Changes from state to state.
    State,
    /// Never changes: a symbolic constant. Stages do not apply to it.
    Rigid,
    /// Chosen anew at every step, such as the value of `any`.
    Input,
    /// Universally quantified: a formula of a proof that mentions it holds for all its values.
    /// Stages do not apply to it, and no model mentions it.
    Bound,
}

/// The time at which a variable is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Before the step; the stage of state formulas and of rigid symbols.
    Now,
    /// After the step: the primed variable.
    Next,
    /// At a step of an unrolling.
    At(u32),
}

/// A name was declared again with another sort or kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is declared already, with another sort")]
pub struct NameTaken(pub String);

#[derive(Clone)]
struct SymbolInfo {
    name: String,
    sort: Sort,
    kind: SymbolKind,
    /// How many arguments a function has; 0 for everything else.
    arity: usize,
}

#[derive(Clone)]
struct Entry {
    node: Node,
    sort: Sort,
}

/// An entry of the hash table: half of a hash, and the term. The hash rules out most other terms
/// and lets the table grow without reading the terms themselves.
#[derive(Clone)]
struct Slot {
    hash: u32,
    index: u32,
}

impl Slot {
    /// Half of a hash, mixed from both halves: not all bits of this hash are equally good.
    fn halve(hash: u64) -> u32 {
        (hash ^ (hash >> 32)) as u32
    }

    /// The table uses high and low bits, so the half is spread over the word again.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// The store of terms. It only grows, and is used through a shared reference.
///
/// There is one store per run and thread; terms of different stores must not be mixed. All terms of
/// a store that are older than a [`Mark`] are also valid in a copy made at that mark.
pub struct Terms {
    entries: Blocks<Entry>,
    table: RefCell<HashTable<Slot>>,
    /// Results of comparing long chains of conditionals with a constant.
    pub(crate) equalities: RefCell<FxHashMap<(Term, Term), Term>>,
    symbols: FrozenVec<Box<SymbolInfo>>,
    by_name: RefCell<FxHashMap<String, Symbol>>,
    enums: FrozenVec<Box<EnumInfo>>,
    arrays: FrozenVec<Box<(Sort, Sort)>>,
    /// Whether a function was ever declared.
    has_functions: Cell<bool>,
    /// The number of lookups since they were last counted on the budget.
    lookups: Cell<u32>,
    /// The budget on which work on terms counts.
    budget: RefCell<Option<Budget>>,
}

/// Number of lookups that are counted together.
const LOOKUPS_AT_A_TIME: u32 = 640;

/// Number of lookups in a unit of work.
const LOOKUPS_OF_A_UNIT: u32 = 10;

/// Terms visited by a walk in the time of one lookup.
const VISITS_OF_A_LOOKUP: u32 = 4;

/// How far a store has grown.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    terms: usize,
    symbols: usize,
    enums: usize,
    arrays: usize,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// An empty store (it holds `false` and `true`).
    pub fn new() -> Terms {
        let terms = Terms {
            entries: Blocks::new(),
            table: RefCell::default(),
            equalities: RefCell::default(),
            symbols: FrozenVec::new(),
            by_name: RefCell::default(),
            enums: FrozenVec::new(),
            arrays: FrozenVec::new(),
            has_functions: Cell::new(false),
            lookups: Cell::new(0),
            budget: RefCell::default(),
        };
        terms.intern(Node::Bool(false), Sort::Bool);
        terms.intern(Node::Bool(true), Sort::Bool);
        terms
    }

    /// The term for a node, created if it is new.
    pub(crate) fn intern(&self, node: Node, sort: Sort) -> Term {
        self.lookups.set(self.lookups.get() + 1);
        if self.lookups.get() >= LOOKUPS_AT_A_TIME {
            self.count_lookups();
        }
        let hash = Slot::halve(FxBuildHasher.hash_one((&node, sort)));
        let mut table = self.table.borrow_mut();
        let same = |slot: &Slot| {
            slot.hash == hash && {
                let entry = self.entries.at(slot.index as usize);
                entry.sort == sort && entry.node == node
            }
        };
        if let Some(slot) = table.find(Slot::spread(hash), same) {
            return Term(slot.index);
        }
        let index = u32::try_from(self.entries.len()).expect("fewer than 2^32 terms fit in memory");
        self.entries.push(Entry { node, sort });
        let rehash = |slot: &Slot| Slot::spread(slot.hash);
        table.insert_unique(Slot::spread(hash), Slot { hash, index }, rehash);
        Term(index)
    }

    /// From now on, work on terms is counted on a budget, because some computations do more of it
    /// than their solvers do. A lookup may then wait for the next turn; a reached limit is noticed
    /// at the next check.
    pub fn count_on(&self, budget: &Budget) {
        self.budget.replace(Some(budget.clone()));
    }

    /// From now on, work on terms is not counted on any budget.
    pub fn count_no_more(&self) {
        self.budget.take();
    }

    /// Runs `work` without counting its lookups, because they are counted otherwise, or because it
    /// must not wait.
    pub fn uncounted<R>(&self, work: impl FnOnce() -> R) -> R {
        let lookups = self.lookups.get();
        let budget = self.budget.take();
        let result = work();
        self.budget.replace(budget);
        self.lookups.set(lookups);
        result
    }

    /// Counts visited terms; a visit is less work than a lookup.
    pub(crate) fn count_visits(&self, visits: u32) {
        let lookups = self.lookups.get() + visits / VISITS_OF_A_LOOKUP + 1;
        self.lookups.set(lookups);
        if lookups >= LOOKUPS_AT_A_TIME {
            self.count_lookups();
        }
    }

    #[cold]
    fn count_lookups(&self) {
        let lookups = self.lookups.replace(0);
        let budget = self.budget.borrow().clone();
        if let Some(budget) = budget {
            let _ = budget.check_for(u64::from(lookups / LOOKUPS_OF_A_UNIT));
        }
    }

    /// The present size of the store.
    pub fn mark(&self) -> Mark {
        Mark {
            terms: self.entries.len(),
            symbols: self.symbols.len(),
            enums: self.enums.len(),
            arrays: self.arrays.len(),
        }
    }

    /// A copy of the store as it was at a mark.
    pub fn copy_at(&self, mark: &Mark) -> Terms {
        let is_old = |t: Term| t.index() < mark.terms;
        let entries = Blocks::new();
        (0..mark.terms).for_each(|k| entries.push(self.entries.at(k).clone()));
        let mut table = HashTable::with_capacity(mark.terms);
        let rehash = |slot: &Slot| Slot::spread(slot.hash);
        for slot in self.table.borrow().iter() {
            if is_old(Term(slot.index)) {
                table.insert_unique(Slot::spread(slot.hash), slot.clone(), rehash);
            }
        }
        let mut by_name = self.by_name.borrow().clone();
        by_name.retain(|_, symbol| symbol.index() < mark.symbols);
        let mut equalities = self.equalities.borrow().clone();
        equalities.retain(|(chain, value), is| is_old(*chain) && is_old(*value) && is_old(*is));
        Terms {
            entries,
            table: RefCell::new(table),
            equalities: RefCell::new(equalities),
            symbols: first(&self.symbols, mark.symbols),
            by_name: RefCell::new(by_name),
            enums: first(&self.enums, mark.enums),
            arrays: first(&self.arrays, mark.arrays),
            has_functions: self.has_functions.clone(),
            lookups: Cell::new(0),
            budget: RefCell::default(),
        }
    }

    /// How many different terms there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never true: the truth values are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The operator and arguments of a term.
    #[inline]
    pub fn node(&self, term: Term) -> &Node {
        &self.entries.at(term.index()).node
    }

    /// The sort of a term.
    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.entries.at(term.index()).sort
    }

    /// Declares a symbol. Repeating a declaration gives the same symbol.
    pub fn declare(&self, name: &str, sort: Sort, kind: SymbolKind) -> Result<Symbol, NameTaken> {
        self.declare_with_arity(name, sort, kind, 0)
    }

    /// Declares a symbol, or a function if the arity is not 0.
    pub(crate) fn declare_with_arity(
        &self,
        name: &str,
        sort: Sort,
        kind: SymbolKind,
        arity: usize,
    ) -> Result<Symbol, NameTaken> {
        if let Some(old) = self.symbol(name) {
            let info = &self.symbols[old.index()];
            let same = (info.sort, info.kind, info.arity) == (sort, kind, arity);
            return same.then_some(old).ok_or_else(|| NameTaken(name.into()));
        }
        let index = u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols");
        self.symbols.push(Box::new(SymbolInfo {
            name: name.to_string(),
            sort,
            kind,
            arity,
        }));
        self.has_functions
            .set(self.has_functions.get() || arity > 0);
        let symbol = Symbol(index);
        self.by_name.borrow_mut().insert(name.to_string(), symbol);
        Ok(symbol)
    }

    /// Declares a symbol with an unused name: `hint`, or `hint!k` for some number.
    pub fn fresh(&self, hint: &str, sort: Sort, kind: SymbolKind) -> Symbol {
        self.declare(&self.fresh_name(hint), sort, kind)
            .expect("the name was just found to be free")
    }

    /// An unused name.
    pub(crate) fn fresh_name(&self, hint: &str) -> String {
        let mut name = hint.to_string();
        let mut k = self.symbols.len();
        while self.symbol(&name).is_some() {
            name = format!("{hint}!{k}");
            k += 1;
        }
        name
    }

    /// The symbol with this name.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.by_name.borrow().get(name).copied()
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.index()].name
    }

    /// The sort of a symbol.
    pub fn symbol_sort(&self, symbol: Symbol) -> Sort {
        self.symbols[symbol.index()].sort
    }

    /// Whether functions may occur in terms of this store.
    pub fn has_functions(&self) -> bool {
        self.has_functions.get()
    }

    /// How many arguments a function has; 0 for other symbols.
    pub fn arity(&self, symbol: Symbol) -> usize {
        self.symbols[symbol.index()].arity
    }

    /// The role of a symbol.
    pub fn symbol_kind(&self, symbol: Symbol) -> SymbolKind {
        self.symbols[symbol.index()].kind
    }

    /// The symbol as a term: the current value of a variable, or a rigid constant.
    pub fn var(&self, symbol: Symbol) -> Term {
        self.var_at(symbol, Stage::Now)
    }

    /// The primed variable. Rigid symbols have no next value: they stay the same.
    pub fn next(&self, symbol: Symbol) -> Term {
        self.var_at(symbol, Stage::Next)
    }

    /// The symbol at a stage. Rigid symbols are the same at every stage.
    pub fn var_at(&self, symbol: Symbol, stage: Stage) -> Term {
        let info = &self.symbols[symbol.index()];
        let stage = match info.kind {
            SymbolKind::Rigid | SymbolKind::Bound => Stage::Now,
            SymbolKind::State | SymbolKind::Input => stage,
        };
        self.intern(Node::Var(symbol, stage), info.sort)
    }

    /// Declares an enumeration. Two declarations are two enumerations, even with equal names.
    pub fn declare_enum(&self, name: &str, variants: &[String]) -> EnumId {
        let index = u32::try_from(self.enums.len()).expect("fewer than 2^32 enumerations");
        self.enums.push(Box::new(EnumInfo {
            name: name.to_string(),
            variants: variants.to_vec(),
        }));
        EnumId(index)
    }

    /// Name and variants of an enumeration.
    pub fn enum_info(&self, id: EnumId) -> &EnumInfo {
        &self.enums[id.0 as usize]
    }

    /// How many values a term of an enumeration can have; none for terms of other sorts.
    pub(crate) fn variant_count(&self, t: Term) -> usize {
        match self.sort(t) {
            Sort::Enum(id) => self.enum_info(id).variants.len(),
            _ => 0,
        }
    }

    /// All enumerations, in the order of their declaration.
    pub fn enums(&self) -> impl Iterator<Item = EnumId> {
        (0..u32::try_from(self.enums.len()).unwrap_or(u32::MAX)).map(EnumId)
    }

    /// The sort of arrays with this index and element sort.
    pub fn array_sort(&self, index: Sort, element: Sort) -> Sort {
        let found = self.arrays.iter().position(|&s| s == (index, element));
        let position = found.unwrap_or_else(|| {
            self.arrays.push(Box::new((index, element)));
            self.arrays.len() - 1
        });
        Sort::Array(ArrayId(
            u32::try_from(position).expect("fewer than 2^32 array sorts"),
        ))
    }

    /// Index and element sort of an array sort.
    pub fn array_parts(&self, id: ArrayId) -> (Sort, Sort) {
        self.arrays[id.0 as usize]
    }
}

/// The first members of a list that only grows.
fn first<T: Clone>(list: &FrozenVec<Box<T>>, count: usize) -> FrozenVec<Box<T>> {
    let all = list.iter().take(count);
    all.map(|member| Box::new(member.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;
    use sectile_base::Turns;

    #[test]
    fn a_copy_has_what_was_there_at_the_mark_and_nothing_else() {
        let terms = Terms::new();
        let declare = |terms: &Terms, n| terms.declare(n, Sort::Int, SymbolKind::State);
        let x = terms.var(declare(&terms, "x").expect("a new name"));
        let old = terms.le(x, terms.int(3));
        let mark = terms.mark();
        let y = terms.var(declare(&terms, "y").expect("a new name"));
        let new = terms.le(y, x);
        let copy = terms.copy_at(&mark);
        assert_eq!(copy.symbol("y"), None);
        assert_eq!(copy.le(x, copy.int(3)), old);
        assert!(copy.len() < terms.len());
        // The copy continues as the original store did.
        let y = copy.var(declare(&copy, "y").expect("a new name"));
        assert_eq!(copy.le(y, x), new);
    }

    #[test]
    fn work_on_terms_counts_unless_it_counts_otherwise() {
        let (terms, turns) = (Terms::new(), Turns::new(|| ()));
        turns.grant(u64::MAX);
        terms.count_on(&Budget::paced(&turns));
        let make = || {
            (0..10_000).for_each(|k| {
                terms.int(k);
            })
        };
        terms.uncounted(make);
        assert_eq!(turns.used(), 0);
        make();
        let used = turns.used();
        assert!((900..=1100).contains(&used), "{used}");
        terms.count_no_more();
        make();
        assert_eq!(turns.used(), used);
    }

    /// Terms of a formula are much alike; their hashes must not be.
    #[test]
    fn hashes_of_similar_terms_differ() {
        let terms = Terms::new();
        let declare = |n: &str| terms.declare(n, Sort::Int, SymbolKind::State);
        let vars = ["x", "y", "z"].map(|n| terms.var(declare(n).expect("a new name")));
        let mut last = terms.tt();
        for k in 0..100_000 {
            let left = terms.add(vars[k % 3], vars[(k + 1) % 3]);
            let atom = terms.le(left, terms.int(k as i64));
            last = terms.ite(atom, last, terms.and2(atom, last));
        }
        let table = terms.table.borrow();
        let hashes: FxHashSet<u32> = table.iter().map(|slot| slot.hash).collect();
        // About thirty of half a million random hashes would collide.
        let collisions = table.len() - hashes.len();
        assert!(table.len() > 300_000 && collisions < 1000, "{collisions}");
        // The lowest bits choose the slot, the highest are compared first.
        let spread: FxHashSet<u64> = table
            .iter()
            .map(|slot| Slot::spread(slot.hash) & 0xffff)
            .collect();
        assert!(spread.len() > 60_000, "{}", spread.len());
        assert_eq!(terms.sort(last), Sort::Bool);
    }
}
