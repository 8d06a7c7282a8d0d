//! Random small systems.

use super::Builder;
use sectile_base::{Int, Rng, Span};
use sectile_model::{Command, Ctl, Module};
use sectile_terms::{EnumId, Sort, Symbol, SymbolKind, Term, Terms};

/// How the numbers of a random system are kept between 0 and 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// By restrictions of the variables.
    Restrict,
    /// By conditions in the commands and the initial states.
    Commands,
}

pub struct Generator<'t> {
    terms: &'t Terms,
    rng: Rng,
    numbers: Vec<Symbol>,
    flags: Vec<Symbol>,
    places: Vec<Symbol>,
    place: EnumId,
}

/// What terms may mention.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Now,
    NowAndNext,
}

/// A random system with invariants and CTL properties.
pub fn module(terms: &Terms, seed: u64, bounds: Bounds) -> Module {
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let mut g = Generator {
        terms,
        rng: Rng::new(seed),
        numbers: Vec::new(),
        flags: Vec::new(),
        places: Vec::new(),
        place: terms.declare_enum("Place", &names),
    };
    let mut b = Builder::new(terms);
    for i in 0..1 + g.rng.below(2) {
        let name = format!("x{i}");
        let x = match bounds {
            Bounds::Restrict => b.range(&name, 0, 3),
            Bounds::Commands => b.int(&name),
        };
        g.numbers.push(x);
    }
    if g.rng.chance(1, 2) {
        g.flags.push(b.boolean("p"));
    }
    if g.rng.chance(1, 3) {
        g.places.push(b.var("q", Sort::Enum(g.place)));
    }
    if bounds == Bounds::Commands {
        let inside = g.inside(|t, x| t.var(x));
        inside.into_iter().for_each(|t| b.init(t));
    }
    for _ in 0..1 + g.rng.below(2) {
        let t = g.formula(Reach::Now, &[], 1);
        b.init(t);
    }
    if g.rng.chance(1, 4) {
        let t = g.formula(Reach::Now, &[], 1);
        b.system.restrict.push(t);
    }
    for k in 0..1 + g.rng.below(4) {
        let command = g.command(k, bounds);
        b.push(command);
    }
    for k in 0..2 {
        let t = g.formula(Reach::Now, &[], 1);
        b.invariant(&format!("safe{k}"), t);
    }
    let (p, q) = (g.formula(Reach::Now, &[], 1), g.formula(Reach::Now, &[], 1));
    b.ctl("some time", super::af(Ctl::State(q)));
    b.ctl(
        "leads to",
        super::ag(Ctl::implies(Ctl::State(p), super::af(Ctl::State(q)))),
    );
    for k in 0..4 {
        let f = g.ctl(3);
        b.ctl(&format!("ctl{k}"), f);
    }
    b.module()
}

impl Generator<'_> {
    fn inside(&self, at: impl Fn(&Terms, Symbol) -> Term) -> Vec<Term> {
        let t = self.terms;
        let ends = |&x: &Symbol| [t.ge(at(t, x), t.int(0)), t.le(at(t, x), t.int(3))];
        self.numbers.iter().flat_map(ends).collect()
    }

    fn command(&mut self, k: u64, bounds: Bounds) -> Command {
        let t = self.terms;
        let mut command = Command::new(format!("c{k}"), Span::default());
        if self.rng.chance(1, 3) {
            let v = t.declare("v", Sort::Int, SymbolKind::Input).unwrap();
            command.inputs.push(v);
            command.guards.push(t.ge(t.var(v), t.int(0)));
            command.guards.push(t.le(t.var(v), t.int(3)));
        }
        let inputs: Vec<Term> = command.inputs.iter().map(|&v| t.var(v)).collect();
        for _ in 0..self.rng.below(3) {
            command.guards.push(self.formula(Reach::Now, &inputs, 1));
        }
        let all: Vec<Symbol> = self
            .numbers
            .iter()
            .chain(&self.flags)
            .chain(&self.places)
            .copied()
            .collect();
        for x in all {
            match self.rng.below(5) {
                0 => {}
                1 | 2 => command.updates.push(sectile_model::Update {
                    symbol: x,
                    value: t.var(x),
                }),
                _ => {
                    let value = self.value(x, &inputs);
                    command
                        .updates
                        .push(sectile_model::Update { symbol: x, value });
                }
            }
        }
        for _ in 0..self.rng.below(3) {
            command
                .relations
                .push(self.formula(Reach::NowAndNext, &inputs, 2));
        }
        if bounds == Bounds::Commands {
            command.relations.extend(self.inside(|t, x| t.next(x)));
        }
        command
    }

    fn value(&mut self, x: Symbol, inputs: &[Term]) -> Term {
        match self.terms.symbol_sort(x) {
            Sort::Bool => self.formula(Reach::Now, inputs, 1),
            Sort::Enum(id) => {
                let k = u32::try_from(self.rng.below(3)).unwrap();
                self.terms.variant(id, k)
            }
            _ => self.number(Reach::Now, inputs, 2),
        }
    }

    fn variable(&mut self, list: &[Symbol], reach: Reach) -> Term {
        let x = *self.rng.pick(list).unwrap();
        match reach {
            Reach::NowAndNext if self.rng.chance(1, 2) => self.terms.next(x),
            _ => self.terms.var(x),
        }
    }

    fn number(&mut self, reach: Reach, inputs: &[Term], depth: u32) -> Term {
        let t = self.terms;
        let numbers = self.numbers.clone();
        if depth == 0 || self.rng.chance(1, 3) {
            return match self.rng.below(4) {
                0 => t.int(self.rng.range(-1..=4)),
                1 if !inputs.is_empty() => *self.rng.pick(inputs).unwrap(),
                _ => self.variable(&numbers, reach),
            };
        }
        let a = self.number(reach, inputs, depth - 1);
        let b = self.number(reach, inputs, depth - 1);
        match self.rng.below(9) {
            0 | 1 => t.add(a, b),
            2 => t.sub(a, b),
            3 => t.max(a, b),
            4 => t.min(a, b),
            5 => t.abs(a),
            6 => t.modulo(a, &Int::from(self.rng.range(2..=3))),
            7 => t.div(a, &Int::from(self.rng.range(2..=3))),
            _ => {
                let c = self.atom(reach, inputs);
                t.ite(c, a, b)
            }
        }
    }

    fn atom(&mut self, reach: Reach, inputs: &[Term]) -> Term {
        let t = self.terms;
        let (flags, places) = (self.flags.clone(), self.places.clone());
        match self.rng.below(6) {
            0 if !flags.is_empty() => self.variable(&flags, reach),
            1 if !places.is_empty() => {
                let x = self.variable(&places, reach);
                let k = u32::try_from(self.rng.below(3)).unwrap();
                t.eq(x, t.variant(self.place, k))
            }
            2 if !places.is_empty() => {
                let (x, y) = (self.variable(&places, reach), self.variable(&places, reach));
                t.eq(x, y)
            }
            k => {
                let a = self.number(reach, inputs, 1);
                let b = self.number(reach, inputs, 1);
                let factor = self.rng.range(1..=2);
                let a = t.scale(a, &factor.into());
                match k {
                    3 => t.eq(a, b),
                    4 => t.lt(a, b),
                    _ => t.le(a, b),
                }
            }
        }
    }

    fn formula(&mut self, reach: Reach, inputs: &[Term], depth: u32) -> Term {
        let t = self.terms;
        if depth == 0 || self.rng.chance(1, 4) {
            let atom = self.atom(reach, inputs);
            return if self.rng.chance(1, 3) {
                t.not(atom)
            } else {
                atom
            };
        }
        let a = self.formula(reach, inputs, depth - 1);
        let b = self.formula(reach, inputs, depth - 1);
        match self.rng.below(7) {
            0 | 1 => t.and2(a, b),
            2 | 3 => t.or2(a, b),
            4 => t.iff(a, b),
            5 => t.not(t.and2(a, b)),
            _ => {
                let c = self.atom(reach, inputs);
                t.ite(c, a, b)
            }
        }
    }

    pub fn ctl(&mut self, depth: u32) -> Ctl {
        if depth == 0 {
            return Ctl::State(self.formula(Reach::Now, &[], 1));
        }
        let a = Box::new(self.ctl(depth - 1));
        let b = Box::new(self.ctl(depth - 1));
        match self.rng.below(15) {
            0 => Ctl::State(self.formula(Reach::Now, &[], 1)),
            1 => Ctl::Not(a),
            2 => Ctl::And(a, b),
            3 => Ctl::Or(a, b),
            4 => Ctl::Ex(a),
            5 => Ctl::Ax(a),
            6 => Ctl::Ef(a),
            7 => Ctl::Af(a),
            8 => Ctl::Eg(a),
            9 => Ctl::Ag(a),
            10 => Ctl::Eu(a, b),
            11 => Ctl::Au(a, b),
            12 => Ctl::Ew(a, b),
            13 => Ctl::Aw(a, b),
            _ => Ctl::implies(*a, *b),
        }
    }
}
