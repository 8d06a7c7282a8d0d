//! Small random models over finite domains.
#![allow(clippy::unwrap_used)]
#![allow(dead_code)] // Every test file uses a part.

use super::enumeration::HIGH;
use sectile_base::{Rng, Span};
use sectile_model::*;
use sectile_terms::*;

/// A generator of models over one set of declarations.
pub struct Maker {
    pub terms: Terms,
    rng: Rng,
    pub variables: Vec<Symbol>,
    pub rigid: Vec<Symbol>,
    input: Symbol,
}

impl Maker {
    pub fn new(seed: u64) -> Maker {
        let terms = Terms::new();
        let mut rng = Rng::new(seed);
        let mode = terms.declare_enum("mode", &["idle".into(), "work".into(), "done".into()]);
        let mut pool = vec![
            terms.declare("m", Sort::Enum(mode), SymbolKind::State),
            terms.declare("b", Sort::Bool, SymbolKind::State),
            terms.declare("x", Sort::Int, SymbolKind::State),
            terms.declare("y", Sort::Int, SymbolKind::State),
        ];
        rng.shuffle(&mut pool);
        pool.truncate(2 + rng.below(2) as usize);
        let variables = pool.into_iter().map(|s| s.unwrap()).collect();
        let rigid = terms.declare("c", Sort::Int, SymbolKind::Rigid).unwrap();
        let rigid = if rng.chance(1, 4) {
            vec![rigid]
        } else {
            vec![]
        };
        let input = terms.declare("in", Sort::Int, SymbolKind::Input).unwrap();
        Maker {
            terms,
            rng,
            variables,
            rigid,
            input,
        }
    }

    fn readable(&self) -> Vec<Symbol> {
        self.variables.iter().chain(&self.rigid).copied().collect()
    }

    fn numbers(&self, extra: &[Symbol]) -> Vec<Symbol> {
        let all = self.readable().into_iter().chain(extra.iter().copied());
        all.filter(|&s| self.terms.symbol_sort(s) == Sort::Int)
            .collect()
    }

    fn number(&mut self, extra: &[Symbol]) -> Term {
        let choices = self.numbers(extra);
        match self.rng.pick(&choices) {
            Some(&s) if self.rng.chance(3, 4) => {
                let shift = self.rng.range(-1..=1);
                self.terms.add(self.terms.var(s), self.terms.int(shift))
            }
            _ => self.terms.int(self.rng.range(0..=HIGH)),
        }
    }

    fn atom(&mut self, extra: &[Symbol], stage: Stage) -> Term {
        let mut choices = self.readable();
        choices.extend(extra);
        let symbol = *self.rng.pick(&choices).unwrap();
        let variable = self.terms.var_at(symbol, stage);
        match self.terms.symbol_sort(symbol) {
            Sort::Bool => variable,
            Sort::Enum(id) => {
                let k = self.rng.below(3) as u32;
                self.terms.eq(variable, self.terms.variant(id, k))
            }
            _ => {
                let other = self.number(extra);
                match self.rng.below(3) {
                    0 => self.terms.eq(variable, other),
                    1 => self.terms.le(variable, other),
                    _ => self.terms.lt(other, variable),
                }
            }
        }
    }

    pub fn condition(&mut self, extra: &[Symbol], stage: Stage) -> Term {
        let a = self.atom(extra, stage);
        let a = if self.rng.chance(1, 3) {
            self.terms.not(a)
        } else {
            a
        };
        match self.rng.below(4) {
            0 => {
                let b = self.atom(extra, Stage::Now);
                self.terms.and2(a, b)
            }
            1 => {
                let b = self.atom(extra, Stage::Now);
                self.terms.or2(a, b)
            }
            _ => a,
        }
    }

    fn value(&mut self, symbol: Symbol, extra: &[Symbol]) -> Term {
        let keep = self.terms.var(symbol);
        if self.rng.chance(1, 3) {
            return keep;
        }
        match self.terms.symbol_sort(symbol) {
            Sort::Bool => self.condition(extra, Stage::Now),
            Sort::Enum(id) => {
                let k = self.terms.variant(id, self.rng.below(3) as u32);
                if self.rng.chance(1, 4) {
                    let c = self.condition(extra, Stage::Now);
                    self.terms.ite(c, k, keep)
                } else {
                    k
                }
            }
            _ => self.number(extra),
        }
    }

    fn command(&mut self, name: String) -> Command {
        let mut command = Command::new(name, Span::default());
        if self.rng.chance(1, 4) {
            command.inputs.push(self.input);
        }
        let extra = command.inputs.clone();
        for _ in 0..self.rng.below(3) {
            let guard = self.condition(&extra, Stage::Now);
            command.guards.push(guard);
        }
        for symbol in self.variables.clone() {
            match self.rng.below(10) {
                0 => {} // Its next value is free.
                1 => {
                    let stage = *self.rng.pick(&[Stage::Now, Stage::Next]).unwrap();
                    let relation = self.condition(&[], stage);
                    let next = self.terms.next(symbol);
                    let same = self.terms.eq(next, self.terms.var(symbol));
                    command.relations.push(self.terms.or2(same, relation));
                }
                _ => {
                    let value = self.value(symbol, &extra);
                    command.updates.push(Update { symbol, value });
                }
            }
        }
        command
    }

    fn restrict(&mut self) -> Vec<Term> {
        let numbers = self.numbers(&[]);
        let mut list = Vec::new();
        for s in numbers {
            let v = self.terms.var(s);
            list.push(self.terms.le(self.terms.int(0), v));
            list.push(self.terms.le(v, self.terms.int(HIGH)));
        }
        if self.rng.chance(1, 3) {
            list.push(self.condition(&[], Stage::Now));
        }
        list
    }

    fn init(&mut self) -> Vec<Term> {
        let count = 1 + self.rng.below(3);
        (0..count)
            .map(|_| self.condition(&[], Stage::Now))
            .collect()
    }

    pub fn system(&mut self) -> Model {
        let count = 1 + self.rng.below(4);
        Model {
            name: "random".into(),
            variables: self.variables.clone(),
            rigid: self.rigid.clone(),
            init: self.init(),
            restrict: self.restrict(),
            ..Model::system((0..count).map(|i| self.command(format!("c{i}"))).collect())
        }
    }

    pub fn graph(&mut self) -> Model {
        let size = 1 + self.rng.below(4) as usize;
        let edges = 1 + self.rng.below(5);
        // Names that clash with those of variables and of passes.
        let names = ["x", "error", "init", "pc"];
        let location = |i: usize| Location::new(names[i], Span::default());
        let any = |rng: &mut Rng| LocationId(rng.below(size as u64) as usize);
        let mut list = Vec::new();
        for _ in 0..edges {
            let (from, to) = (any(&mut self.rng), any(&mut self.rng));
            let command = self.command("step".into());
            list.push(Edge::new(from, to, command));
        }
        Model {
            name: "random".into(),
            variables: self.variables.clone(),
            rigid: self.rigid.clone(),
            init: self.init(),
            restrict: self.restrict(),
            locations: (0..size).map(location).collect(),
            edges: list,
            ..Model::default()
        }
    }

    /// A property about single states; `locations` is 0 for systems.
    pub fn safety(&mut self, locations: usize) -> Property {
        let p = self.condition(&[], Stage::Now);
        let q = self.condition(&[], Stage::Now);
        let location = LocationId(self.rng.below(locations as u64) as usize);
        let kinds = if locations == 0 { 2 } else { 4 };
        let kind = match self.rng.below(kinds) {
            0 => PropertyKind::Invariant(self.terms.or2(p, q)),
            1 => PropertyKind::Error(self.terms.and2(p, q)),
            2 => PropertyKind::AtLocation(location, self.terms.or2(p, q)),
            _ => PropertyKind::Unreachable(vec![location]),
        };
        property(kind)
    }

    /// A CTL property.
    pub fn ctl(&mut self, locations: usize) -> Property {
        let formula = self.formula(3, locations);
        property(PropertyKind::Ctl(formula))
    }

    fn formula(&mut self, depth: usize, locations: usize) -> Ctl {
        if depth == 0 || self.rng.chance(1, 6) {
            return if locations > 0 && self.rng.chance(1, 3) {
                Ctl::At(LocationId(self.rng.below(locations as u64) as usize))
            } else {
                Ctl::State(self.condition(&[], Stage::Now))
            };
        }
        let a = Box::new(self.formula(depth - 1, locations));
        let mut b = || Box::new(self.formula(depth - 1, locations));
        let binary = [Ctl::And, Ctl::Or, Ctl::Eu, Ctl::Au, Ctl::Ew, Ctl::Aw];
        let unary = [
            Ctl::Not,
            Ctl::Ex,
            Ctl::Ax,
            Ctl::Ef,
            Ctl::Af,
            Ctl::Eg,
            Ctl::Ag,
        ];
        let second = b();
        let k = self.rng.below(13) as usize;
        if k < 6 {
            binary[k](a, second)
        } else {
            unary[k - 6](a)
        }
    }
}

pub fn property(kind: PropertyKind) -> Property {
    Property {
        name: "p".into(),
        kind,
        span: Span::default(),
    }
}
