//! Random terms of the reference language.
//!
//! A term is drawn from a list of numbers. Where the list ends every choice is the first one, which
//! is always a leaf; so shorter lists and smaller numbers mean smaller terms, and shrinking works.

use super::reference::{Ast, Op, variables_of};
use super::world::{Kind, VARIABLES};
use proptest::prelude::*;
use sectile_base::{Int, Rat, Rng};
use sectile_terms::{Stage, SymbolKind};

/// The choices that a random term is made of.
#[derive(Clone, Debug)]
pub struct Choices {
    data: Vec<u32>,
    position: usize,
    /// Whether primed variables may occur.
    primes: bool,
}

/// Lists of choices for proptest.
pub fn choices() -> impl Strategy<Value = Choices> {
    prop::collection::vec(any::<u32>(), 0..200).prop_map(Choices::new)
}

/// Generators of assignments for proptest.
pub fn rng() -> impl Strategy<Value = Rng> {
    any::<u64>().prop_map(Rng::new)
}

impl Choices {
    pub fn new(data: Vec<u32>) -> Choices {
        Choices {
            data,
            position: 0,
            primes: false,
        }
    }

    /// A list drawn without proptest, which is faster.
    pub fn from_rng(rng: &mut Rng) -> Choices {
        let len = rng.below(200) as usize;
        Choices::new((0..len).map(|_| rng.next_u64() as u32).collect())
    }

    /// A list that is long enough for an assignment.
    pub fn endless(rng: &mut Rng) -> Choices {
        Choices::new((0..150).map(|_| rng.next_u64() as u32).collect())
    }

    /// Lets primed variables occur.
    pub fn with_primes(mut self) -> Choices {
        self.primes = true;
        self
    }

    /// A number less than `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        let drawn = self.data.get(self.position).copied().unwrap_or(0);
        self.position += 1;
        drawn % n
    }

    /// Whether a term ends here. The top of a term only ends where the choices do.
    fn stops(&mut self, depth: u32) -> bool {
        self.position >= self.data.len() || depth == 0 || (depth < 5 && self.below(4) == 0)
    }

    /// An integer: mostly small, sometimes at the edge of machine words or beyond.
    pub fn integer(&mut self) -> Int {
        let near = Int::from(i64::from(self.below(9)) - 4);
        match self.below(24) {
            0..=20 => near,
            21 => near + Int::from(i64::MAX),
            22 => near + Int::from(i64::MIN),
            _ => &(near + Int::from(2)).pow(3) * &Int::from(u64::MAX),
        }
    }

    /// A rational: mostly with a small denominator.
    pub fn rational(&mut self) -> Rat {
        let numerator = self.integer();
        match self.below(12) {
            0..=5 => Rat::from(numerator),
            6..=10 => Rat::new(numerator, Int::from(i64::from(self.below(4)) + 1)),
            _ => Rat::new(numerator, Int::from(i64::MAX - i64::from(self.below(3)))),
        }
    }

    fn divisor(&mut self) -> Int {
        let d = self.integer();
        if d.is_zero() { Int::from(3) } else { d }
    }

    fn variable(&mut self, kind: Kind) -> Ast {
        let candidates = variables_of(kind);
        let i = candidates[self.below(candidates.len() as u32) as usize];
        let rigid = VARIABLES[i].2 == SymbolKind::Rigid;
        let primed = self.primes && !rigid && self.below(3) == 2;
        Ast::Var(i, if primed { Stage::Next } else { Stage::Now })
    }

    fn boxed(&mut self, kind: Kind, depth: u32) -> Box<Ast> {
        Box::new(self.term(kind, depth))
    }

    fn list(&mut self, kind: Kind, depth: u32) -> Vec<Ast> {
        let len = [2, 3, 0, 1, 4, 6, 20][self.below(7) as usize];
        (0..len).map(|_| self.term(kind, depth)).collect()
    }

    fn kind(&mut self) -> Kind {
        [Kind::Int, Kind::Real, Kind::Color, Kind::Bool, Kind::Switch][self.below(5) as usize]
    }

    fn comparison(&mut self) -> Op {
        [Op::Le, Op::Eq, Op::Lt, Op::Ge, Op::Gt, Op::Ne][self.below(6) as usize]
    }

    /// A formula.
    pub fn formula(&mut self) -> Ast {
        self.term(Kind::Bool, 6)
    }

    /// A term of any sort.
    pub fn any_term(&mut self) -> Ast {
        let kind = self.kind();
        let kind = if self.below(2) == 0 { Kind::Bool } else { kind };
        self.term(kind, 6)
    }

    /// A term of a sort, not deeper than `depth`.
    pub fn term(&mut self, kind: Kind, depth: u32) -> Ast {
        match kind {
            Kind::Bool => self.boolean(depth),
            Kind::Int => self.int_term(depth),
            Kind::Real => self.real_term(depth),
            Kind::Color | Kind::Switch => self.enum_term(kind, depth),
        }
    }

    fn boolean(&mut self, depth: u32) -> Ast {
        if self.stops(depth) {
            return match self.below(8) {
                0..=2 => self.variable(Kind::Bool),
                3 => Ast::Bool(self.below(2) == 1),
                _ => self.leaf_comparison(),
            };
        }
        let below = depth - 1;
        match self.below(20) {
            0..=3 => Ast::Not(self.boxed(Kind::Bool, below)),
            4 | 5 => self.leaf_comparison(),
            6..=8 => Ast::And(self.list(Kind::Bool, below)),
            9..=11 => Ast::Or(self.list(Kind::Bool, below)),
            12 => Ast::Implies(self.boxed(Kind::Bool, below), self.boxed(Kind::Bool, below)),
            13 => self.ite(Kind::Bool, below),
            14 => self.equality(below),
            15 => Ast::Sign(self.comparison(), self.boxed(Kind::Int, below)),
            16 => Ast::Sign(self.comparison(), self.boxed(Kind::Real, below)),
            17 => {
                let kind = self.kind();
                Ast::Distinct(self.list(kind, below.min(2)))
            }
            18 => Ast::Divides(self.divisor(), self.boxed(Kind::Int, below)),
            _ => {
                let kind = [Kind::Int, Kind::Real][self.below(2) as usize];
                let op = self.comparison();
                Ast::Compare(op, self.boxed(kind, below), self.boxed(kind, below))
            }
        }
    }

    /// A comparison with a constant: random ones of these meet each other.
    fn leaf_comparison(&mut self) -> Ast {
        let kind = self.kind();
        match kind {
            Kind::Int | Kind::Real => {
                let op = self.comparison();
                let left = match self.below(3) {
                    0 | 1 => self.variable(kind),
                    _ => Ast::Sub(Box::new(self.variable(kind)), Box::new(self.variable(kind))),
                };
                let right = Ast::Num(Rat::from(i64::from(self.below(7)) - 3), kind);
                Ast::Compare(op, Box::new(left), Box::new(right))
            }
            _ => self.equality(0),
        }
    }

    fn equality(&mut self, depth: u32) -> Ast {
        let op = [Op::Eq, Op::Ne][self.below(2) as usize];
        let kind = self.kind();
        Ast::Compare(op, self.boxed(kind, depth), self.boxed(kind, depth))
    }

    fn ite(&mut self, kind: Kind, depth: u32) -> Ast {
        Ast::Ite(
            self.boxed(Kind::Bool, depth),
            self.boxed(kind, depth),
            self.boxed(kind, depth),
        )
    }

    fn enum_term(&mut self, kind: Kind, depth: u32) -> Ast {
        if !self.stops(depth) {
            return self.ite(kind, depth - 1);
        }
        match self.below(2) {
            0 => self.variable(kind),
            _ => Ast::Variant(self.below(if kind == Kind::Color { 3 } else { 2 }), kind),
        }
    }

    fn int_term(&mut self, depth: u32) -> Ast {
        if !self.stops(depth) {
            let below = depth - 1;
            return match self.below(8) {
                0..=3 => self.sum_or_extremum(Kind::Int, below),
                4 => Ast::Scale(Rat::from(self.integer()), self.boxed(Kind::Int, below)),
                5 => Ast::Div(self.boxed(Kind::Int, below), self.divisor()),
                6 => Ast::Mod(self.boxed(Kind::Int, below), self.divisor()),
                _ => Ast::Floor(self.boxed(Kind::Real, below)),
            };
        }
        match self.below(3) {
            0 | 1 => self.variable(Kind::Int),
            _ => Ast::Num(Rat::from(self.integer()), Kind::Int),
        }
    }

    fn real_term(&mut self, depth: u32) -> Ast {
        if !self.stops(depth) {
            let below = depth - 1;
            return match self.below(6) {
                0..=2 => self.sum_or_extremum(Kind::Real, below),
                3 => Ast::Scale(self.rational(), self.boxed(Kind::Real, below)),
                _ => Ast::ToReal(self.boxed(Kind::Int, below)),
            };
        }
        match self.below(3) {
            0 | 1 => self.variable(Kind::Real),
            _ => Ast::Num(self.rational(), Kind::Real),
        }
    }

    fn sum_or_extremum(&mut self, kind: Kind, depth: u32) -> Ast {
        match self.below(9) {
            0 | 1 => Ast::Add(self.boxed(kind, depth), self.boxed(kind, depth)),
            2 | 3 => Ast::Sub(self.boxed(kind, depth), self.boxed(kind, depth)),
            4 => Ast::AddAll(self.list(kind, depth), kind),
            5 => Ast::Neg(self.boxed(kind, depth)),
            6 => self.ite(kind, depth),
            7 => Ast::Abs(self.boxed(kind, depth)),
            _ if self.below(2) == 0 => Ast::Min(self.boxed(kind, depth), self.boxed(kind, depth)),
            _ => Ast::Max(self.boxed(kind, depth), self.boxed(kind, depth)),
        }
    }
}
