//! Process symmetry: turns of the system, and their effect on the parts of a formula.
//!
//! A turn is a permutation of process indices. Exchanges of two indices are found, and checked to
//! map the system and its initial states to themselves, by [`Exchange`]; here they are also checked
//! to map the parts of the property to parts, so for a property about one process the others can
//! still be exchanged. Indices that can be exchanged with each other form a block, and a turn
//! permutes each block.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use sectile_engine::symmetry::{Exchange, Renumbering, canonical, indices};
use sectile_model::{Field, Model, NormalCtl, NormalPart, PartKeys};
use sectile_terms::{Node, Rewriter, Symbol, Term, Terms};
use std::cell::RefCell;
use std::rc::Rc;

/// The number of the identity.
pub const STAY: usize = 0;

/// A permutation of process indices, with its effect on everything with an index.
#[derive(Debug)]
pub struct Turn {
    /// The image of each index, by positions in the list of indices.
    indices: Vec<usize>,
    /// The images of symbols that are not fixed.
    pub symbols: FxHashMap<Symbol, Symbol>,
    /// The image of each command.
    pub commands: Vec<usize>,
    /// The image of each discrete variable.
    pub control: Vec<usize>,
    /// The image of each number.
    pub numeric: Vec<usize>,
}

impl Turn {
    /// The image of a symbol.
    pub fn symbol(&self, symbol: Symbol) -> Symbol {
        self.symbols.get(&symbol).copied().unwrap_or(symbol)
    }

    /// A list permuted to the new positions.
    pub fn placed<T: Clone>(places: &[usize], list: &[T]) -> Vec<T> {
        let mut from = vec![0; places.len()];
        for (old, &new) in places.iter().enumerate() {
            from[new] = old;
        }
        from.iter().map(|&old| list[old].clone()).collect()
    }
}

/// One process of a block.
#[derive(Clone, Debug)]
pub struct Member {
    /// The position of its index.
    pub index: usize,
    /// Its discrete variables, in the same order for all members of the block.
    pub control: Vec<usize>,
    /// Its numbers, likewise.
    pub numeric: Vec<usize>,
}

/// The positions of the variables of a program.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'l> {
    /// The discrete variables.
    pub control: &'l [Symbol],
    /// The numbers.
    pub numeric: &'l [Symbol],
}

/// The turns of a system under which a property is invariant.
pub struct Symmetry<'s> {
    terms: &'s Terms,
    system: &'s Model,
    layout: Layout<'s>,
    indices: Vec<i64>,
    /// Blocks of processes that can be exchanged with each other.
    pub blocks: Vec<Vec<Member>>,
    /// Numbers that belong to no process of a block.
    pub shared: Vec<usize>,
    /// The turns so far, by their permutations of the indices.
    turns: RefCell<IndexMap<Vec<usize>, Rc<Turn>>>,
    parts: RefCell<PartMaps>,
}

/// The images of parts, by the numbers of the formula and of the turn.
type PartMaps = FxHashMap<(usize, usize), Rc<[usize]>>;

impl<'s> Symmetry<'s> {
    /// The trivial symmetry.
    pub fn none(terms: &'s Terms, system: &'s Model, layout: Layout<'s>) -> Symmetry<'s> {
        let mut found = Symmetry {
            terms,
            system,
            layout,
            indices: Vec::new(),
            blocks: Vec::new(),
            shared: Vec::new(),
            turns: RefCell::default(),
            parts: RefCell::default(),
        };
        found.add_identity();
        found
    }

    /// All exchanges of processes that map the system and the formulas to themselves, if some block
    /// has at least this many processes.
    pub fn of(
        terms: &'s Terms,
        system: &'s Model,
        layout: Layout<'s>,
        formulas: &[&NormalCtl],
        least: usize,
    ) -> Symmetry<'s> {
        let mut found = Symmetry::none(terms, system, layout);
        found.indices = indices(system);
        let parts = system.commands().map(|c| &c.parts);
        let distinct: std::collections::BTreeSet<&Vec<Field>> = parts.collect();
        // Commands are identified by their parts.
        if distinct.len() < system.edges.len() {
            return Symmetry::none(terms, system, layout);
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for index in 0..found.indices.len() {
            // All exchanges with the first one of a block generate all its permutations.
            let block = blocks
                .iter()
                .position(|b| found.is_exchange(b[0], index, formulas));
            match block {
                Some(b) => blocks[b].push(index),
                None => blocks.push(vec![index]),
            }
        }
        blocks.retain(|b| b.len() >= 2);
        if blocks.iter().all(|b| b.len() < least) {
            return Symmetry::none(terms, system, layout);
        }
        found.blocks = blocks.iter().map(|b| found.members(b)).collect();
        let owned = |v: &usize| {
            let mut members = found.blocks.iter().flatten();
            members.any(|m| m.numeric.contains(v))
        };
        found.shared = (0..layout.numeric.len()).filter(|v| !owned(v)).collect();
        found.add_identity();
        found
    }

    fn add_identity(&mut self) {
        self.turns = RefCell::default();
        self.turn_of(self.places());
    }

    fn is_exchange(&self, a: usize, b: usize, formulas: &[&NormalCtl]) -> bool {
        let (first, second) = (self.indices[a], self.indices[b]);
        let found = Exchange::of(self.terms, self.system, first, second);
        if !found.is_some_and(|e| e.keeps_values()) {
            return false;
        }
        let mut places = self.places();
        places.swap(a, b);
        let Some(turn) = self.made(places) else {
            return false;
        };
        formulas.iter().all(|f| self.mapped(f, &turn).is_some())
    }

    /// The processes of a block, with corresponding variables in the same order.
    fn members(&self, block: &[usize]) -> Vec<Member> {
        let first = self.indices[block[0]];
        let others: Vec<i64> = block.iter().map(|&i| self.indices[i]).collect();
        let families = &self.system.families;
        let variables = families.symbols();
        // Variables of two processes belong to neither.
        let owned = |field: &Field| {
            let mut all = field.indices();
            field.indices().any(|i| i == first) && all.all(|i| i == first || !others.contains(&i))
        };
        let of = |list: &[Symbol], index: i64| -> Vec<usize> {
            let fields = list.iter().filter_map(|&s| families.field(s));
            let image = |i: i64| if i == first { index } else { i };
            let images = fields.filter(|f| owned(f)).map(|f| f.with_indices(image));
            let symbols = images.filter_map(|f| variables.get(&f).copied());
            symbols.filter_map(|s| position(list, s)).collect()
        };
        let member = |&i: &usize| Member {
            index: i,
            control: of(self.layout.control, self.indices[i]),
            numeric: of(self.layout.numeric, self.indices[i]),
        };
        block.iter().map(member).collect()
    }

    /// Numbers together with the corresponding ones of other processes.
    pub fn closed(&self, numbers: &[usize]) -> Vec<usize> {
        let mut found = numbers.to_vec();
        for block in &self.blocks {
            let roles = 0..block[0].numeric.len();
            for role in roles {
                let all = || block.iter().map(|m| m.numeric[role]);
                if all().any(|v| numbers.contains(&v)) {
                    found.extend(all());
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The number of the turn with a permutation of the indices.
    pub fn turn_of(&self, places: Vec<usize>) -> usize {
        if let Some(known) = self.turns.borrow().get_index_of(&places) {
            return known;
        }
        let Some(turn) = self.made(places.clone()) else {
            // A product of valid exchanges has an image for everything.
            return STAY;
        };
        let mut turns = self.turns.borrow_mut();
        turns.insert_full(places, Rc::new(turn)).0
    }

    /// A turn by its number.
    pub fn turn(&self, number: usize) -> Rc<Turn> {
        self.turns.borrow()[number].clone()
    }

    /// The identity permutation.
    pub fn places(&self) -> Vec<usize> {
        (0..self.indices.len()).collect()
    }

    /// The composition of two turns.
    pub fn then(&self, first: usize, second: usize) -> usize {
        let (first, second) = (self.turn(first), self.turn(second));
        let places = first.indices.iter().map(|&i| second.indices[i]);
        self.turn_of(places.collect())
    }

    /// The inverse of a turn.
    pub fn back(&self, turn: usize) -> usize {
        let mut places = self.places();
        for (old, &new) in self.turn(turn).indices.iter().enumerate() {
            places[new] = old;
        }
        self.turn_of(places)
    }

    fn made(&self, places: Vec<usize>) -> Option<Turn> {
        let image = |i: i64| match self.indices.binary_search(&i) {
            Ok(position) => self.indices[places[position]],
            Err(_) => i,
        };
        let Renumbering {
            mut symbols,
            commands,
        } = Renumbering::of(self.system, |f| f.with_indices(image))?;
        symbols.retain(|from, to| from != to);
        let place = |list: &[Symbol]| -> Option<Vec<usize>> {
            let image = |s: &Symbol| position(list, symbols.get(s).copied().unwrap_or(*s));
            list.iter().map(image).collect()
        };
        Some(Turn {
            control: place(self.layout.control)?,
            numeric: place(self.layout.numeric)?,
            indices: places,
            symbols,
            commands,
        })
    }

    /// The images of the parts of a formula, which is identified by its number.
    pub fn parts(&self, number: usize, formula: &NormalCtl, turn: usize) -> Rc<[usize]> {
        let known = self.parts.borrow().get(&(number, turn)).cloned();
        known.unwrap_or_else(|| {
            // Every exchange maps the relevant parts, so every product of them does.
            let mapped = self.mapped(formula, &self.turn(turn));
            let mapped: Rc<[usize]> = mapped.unwrap_or_default().into();
            self.parts
                .borrow_mut()
                .insert((number, turn), mapped.clone());
            mapped
        })
    }

    /// The images of the parts of a formula under a turn, if the parts that are followed along
    /// steps are mapped to such parts; all others stay.
    fn mapped(&self, formula: &NormalCtl, turn: &Turn) -> Option<Vec<usize>> {
        if turn.symbols.is_empty() {
            return Some((0..formula.parts.len()).collect());
        }
        let mut keys = PartKeys::default();
        let plain = keys.of(formula, |p| canonical(self.terms, p));
        let image = keys.of(formula, |p| canonical(self.terms, self.renamed(p, turn)));
        let place = |part: usize| plain.iter().position(|k| *k == image[part]);
        let followed = followed(formula);
        let parts = (0..formula.parts.len()).map(|part| match place(part) {
            None if followed[part] => None,
            other => Some(other.unwrap_or(part)),
        });
        parts.collect()
    }

    fn renamed(&self, formula: Term, turn: &Turn) -> Term {
        let mut rewriter = Rewriter::new(self.terms, |t: Term| match *self.terms.node(t) {
            Node::Var(symbol, stage) => Some(self.terms.var_at(turn.symbol(symbol), stage)),
            _ => None,
        });
        rewriter.apply(formula)
    }
}

/// The parts that are evaluated in the next state, and the whole.
fn followed(formula: &NormalCtl) -> Vec<bool> {
    let mut found = vec![false; formula.parts.len()];
    found[formula.root()] = true;
    for (k, part) in formula.parts.iter().enumerate() {
        match *part {
            NormalPart::Next(_, f) => found[f] = true,
            NormalPart::Until(..) | NormalPart::Weak(..) => found[k] = true,
            NormalPart::State(_) | NormalPart::And(..) | NormalPart::Or(..) => {}
        }
    }
    found
}

fn position(list: &[Symbol], symbol: Symbol) -> Option<usize> {
    list.iter().position(|s| *s == symbol)
}
