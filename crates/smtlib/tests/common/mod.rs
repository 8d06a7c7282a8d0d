//! Random terms for tests.
#![allow(dead_code, reason = "every test binary uses another part")]

use sectile_base::{Int, Rat, Rng};
use sectile_terms::{EnumId, Sort, Stage, Symbol, SymbolKind, Term, Terms};

/// A store with a few variables of every sort, and a generator of terms over them.
pub struct Garden {
    pub terms: Terms,
    pub symbols: Vec<Symbol>,
    pub phase: EnumId,
    pool: Vec<Term>,
}

impl Garden {
    pub fn new() -> Garden {
        let terms = Terms::new();
        let variants = ["idle", "busy", "done"].map(String::from);
        let phase = terms.declare_enum("phase", &variants);
        let mut symbols = Vec::new();
        let declarations = [
            ("x", Sort::Int, SymbolKind::State),
            ("P[1].num", Sort::Int, SymbolKind::State),
            ("and", Sort::Int, SymbolKind::Input),
            ("Max", Sort::Int, SymbolKind::Rigid),
            ("r", Sort::Real, SymbolKind::State),
            ("s'", Sort::Real, SymbolKind::State),
            ("b", Sort::Bool, SymbolKind::State),
            ("c:d", Sort::Bool, SymbolKind::State),
            ("pc", Sort::Enum(phase), SymbolKind::State),
            ("x!next", Sort::Enum(phase), SymbolKind::State),
        ];
        for (name, sort, kind) in declarations {
            symbols.push(terms.declare(name, sort, kind).expect("the name is free"));
        }
        Garden {
            terms,
            symbols,
            phase,
            pool: Vec::new(),
        }
    }

    /// A term of the sort, at most `depth` operators deep.
    pub fn grow(&mut self, rng: &mut Rng, sort: Sort, depth: u32) -> Term {
        // Reuse makes the terms share.
        if rng.chance(1, 4) {
            let same = self.pool.iter().filter(|&&t| self.terms.sort(t) == sort);
            if let Some(&&t) = rng.pick(&same.collect::<Vec<_>>()) {
                return t;
            }
        }
        let t = if depth == 0 {
            self.leaf(rng, sort)
        } else {
            match sort {
                Sort::Bool => self.formula(rng, depth - 1),
                Sort::Int => self.integer(rng, depth - 1),
                Sort::Real => self.real(rng, depth - 1),
                Sort::Enum(_) if rng.chance(1, 2) => self.conditional(rng, sort, depth - 1),
                Sort::Enum(_) | Sort::Array(_) => self.leaf(rng, sort),
            }
        };
        self.pool.push(t);
        t
    }

    fn leaf(&self, rng: &mut Rng, sort: Sort) -> Term {
        if rng.chance(1, 3) {
            return self.constant(rng, sort);
        }
        let all = self.symbols.iter().copied();
        let fitting: Vec<Symbol> = all.filter(|&s| self.terms.symbol_sort(s) == sort).collect();
        let stages = [Stage::Now, Stage::Next, Stage::At(0), Stage::At(12)];
        let symbol = rng.pick(&fitting).expect("every sort has a variable");
        let stage = rng.pick(&stages).expect("there are stages");
        self.terms.var_at(*symbol, *stage)
    }

    fn constant(&self, rng: &mut Rng, sort: Sort) -> Term {
        let small = rng.range(-9..=9);
        let huge = Int::from(i64::MAX).pow(2);
        match sort {
            Sort::Bool => self.terms.bool(small > 0),
            Sort::Int if small == 9 => self.terms.number(Rat::from(huge), sort),
            Sort::Int => self.terms.int(small),
            Sort::Real => {
                let value = Rat::new(Int::from(small), Int::from(rng.range(1..=4)));
                self.terms.number(value, sort)
            }
            Sort::Enum(id) => self.terms.variant(id, small.unsigned_abs() as u32 % 3),
            Sort::Array(_) => unreachable!("no arrays here"),
        }
    }

    fn conditional(&mut self, rng: &mut Rng, sort: Sort, depth: u32) -> Term {
        let condition = self.grow(rng, Sort::Bool, depth);
        let (a, b) = (self.grow(rng, sort, depth), self.grow(rng, sort, depth));
        self.terms.ite(condition, a, b)
    }

    fn formula(&mut self, rng: &mut Rng, depth: u32) -> Term {
        let choice = rng.below(9);
        match choice {
            0..=1 => {
                let list: Vec<Term> = (0..rng.range(2..=4))
                    .map(|_| self.grow(rng, Sort::Bool, depth))
                    .collect();
                if choice == 0 {
                    self.terms.and(list)
                } else {
                    self.terms.or(list)
                }
            }
            2 => {
                let a = self.grow(rng, Sort::Bool, depth);
                self.terms.not(a)
            }
            3 => self.conditional(rng, Sort::Bool, depth),
            4..=5 => {
                let sorts = [Sort::Bool, Sort::Int, Sort::Real, Sort::Enum(self.phase)];
                let sort = *rng.pick(&sorts).expect("there are sorts");
                let (a, b) = (self.grow(rng, sort, depth), self.grow(rng, sort, depth));
                self.terms.eq(a, b)
            }
            _ => {
                let sort = if rng.chance(1, 2) {
                    Sort::Int
                } else {
                    Sort::Real
                };
                let (a, b) = (self.grow(rng, sort, depth), self.grow(rng, sort, depth));
                if rng.chance(1, 2) {
                    self.terms.le(a, b)
                } else {
                    self.terms.lt(a, b)
                }
            }
        }
    }

    fn integer(&mut self, rng: &mut Rng, depth: u32) -> Term {
        let divisor = Int::from(rng.range(2..=5));
        let a = self.grow(rng, Sort::Int, depth);
        match rng.below(7) {
            0 => self.terms.div(a, &divisor),
            1 => self.terms.modulo(a, &divisor),
            2 => {
                let r = self.grow(rng, Sort::Real, depth);
                self.terms.floor(r)
            }
            _ => self.numeric(rng, a, Sort::Int, depth),
        }
    }

    fn real(&mut self, rng: &mut Rng, depth: u32) -> Term {
        if rng.chance(1, 5) {
            let a = self.grow(rng, Sort::Int, depth);
            return self.terms.to_real(a);
        }
        let a = self.grow(rng, Sort::Real, depth);
        self.numeric(rng, a, Sort::Real, depth)
    }

    fn numeric(&mut self, rng: &mut Rng, a: Term, sort: Sort, depth: u32) -> Term {
        let b = self.grow(rng, sort, depth);
        let den = if sort == Sort::Real {
            rng.range(1..=3)
        } else {
            1
        };
        let factor = Rat::from_ratio(rng.range(-4..=4), den);
        match rng.below(7) {
            0 => self.terms.abs(a),
            1 => self.terms.min(a, b),
            2 => self.terms.max(a, b),
            3 => self.conditional(rng, sort, depth),
            4 => self.terms.scale(a, &factor),
            5 => self.terms.sub(a, b),
            _ => self.terms.add(a, b),
        }
    }
}
