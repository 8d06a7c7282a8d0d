//! Random finite systems of three equal processes: up to exchanges of them, every formula has the
//! verdict that explicit search finds, with evidence that is accepted.
#![allow(clippy::unwrap_used)]

use sectile_base::{Rng, Span};
use sectile_certify::Claim;
use sectile_engine_ctl::CtlZones;
use sectile_model::{
    Certificate, Command, Ctl, Families, Family, Field, Model, PropertyKind, Update, Verdict,
};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use sectile_testkit::systems::{Example, checked, verdict_of};

const HIGH: i64 = 2;

/// What is said of one process.
#[derive(Clone, Copy)]
enum Atom {
    Flag(bool),
    Is(i64),
    AtMostShared,
    AboveShared,
    NotAbove,
    AloneWithFlag,
}

/// What happens to the numbers.
#[derive(Clone, Copy)]
enum Change {
    Keep,
    More,
    Less,
    To(i64),
    Copy,
    Free,
}

struct World<'w> {
    terms: &'w Terms,
    flags: Vec<Symbol>,
    numbers: Vec<Symbol>,
    shared: Symbol,
    rng: Rng,
}

impl World<'_> {
    fn var(&self, symbol: Symbol) -> Term {
        self.terms.var(symbol)
    }

    fn others(&self, i: usize) -> impl Iterator<Item = usize> {
        (0..self.flags.len()).filter(move |j| *j != i)
    }

    fn atom(&self, atom: Atom, i: usize) -> Term {
        let terms = self.terms;
        let (flag, number) = (self.var(self.flags[i]), self.var(self.numbers[i]));
        match atom {
            Atom::Flag(true) => flag,
            Atom::Flag(false) => terms.not(flag),
            Atom::Is(k) => terms.eq(number, terms.int(k)),
            Atom::AtMostShared => terms.le(number, self.var(self.shared)),
            Atom::AboveShared => terms.lt(self.var(self.shared), number),
            Atom::NotAbove => {
                let others = self.others(i).map(|j| self.var(self.numbers[j]));
                terms.and(others.map(|other| terms.le(number, other)))
            }
            Atom::AloneWithFlag => {
                let others = self.others(i).map(|j| self.var(self.flags[j]));
                terms.and(others.map(|other| terms.not(other)))
            }
        }
    }

    fn some_atom(&mut self) -> Atom {
        match self.rng.below(7) {
            0 => Atom::Flag(true),
            1 => Atom::Flag(false),
            2 => Atom::Is(self.rng.range(0..=HIGH)),
            3 => Atom::AtMostShared,
            4 => Atom::AboveShared,
            5 => Atom::NotAbove,
            _ => Atom::AloneWithFlag,
        }
    }

    fn some_change(&mut self) -> Change {
        match self.rng.below(8) {
            0 | 1 => Change::Keep,
            2 | 3 => Change::More,
            4 => Change::Less,
            5 => Change::To(self.rng.range(0..=HIGH)),
            6 => Change::Copy,
            _ => Change::Free,
        }
    }

    fn changed(&self, change: Change, symbol: Symbol, other: Symbol) -> Option<Update> {
        let one = self.terms.int(1);
        let value = match change {
            Change::Keep => self.var(symbol),
            Change::More => self.terms.add(self.var(symbol), one),
            Change::Less => self.terms.sub(self.var(symbol), one),
            Change::To(k) => self.terms.int(k),
            Change::Copy => self.var(other),
            Change::Free => return None,
        };
        Some(Update { symbol, value })
    }

    /// The same command for every process.
    fn commands(&mut self, k: usize) -> Vec<Command> {
        let (guard, second) = (self.some_atom(), self.some_atom());
        let (own, shared) = (self.some_change(), self.some_change());
        let flag = self.rng.below(4);
        let command = |i: usize| {
            let mut command = Command::new(format!("P[{i}].c{k}"), Span::new(0, 0));
            command.parts = vec![field(i, &format!("c{k}"))];
            command.guards = vec![self.atom(guard, i), self.atom(second, i)];
            let now = self.var(self.flags[i]);
            let value = [now, self.terms.not(now), self.terms.tt(), self.terms.ff()];
            let (number, shown) = (self.numbers[i], self.shared);
            command.updates.push(Update {
                symbol: self.flags[i],
                value: value[flag as usize],
            });
            command.updates.extend(self.changed(own, number, shown));
            command.updates.extend(self.changed(shared, shown, number));
            for j in self.others(i) {
                for symbol in [self.flags[j], self.numbers[j]] {
                    let value = self.var(symbol);
                    command.updates.push(Update { symbol, value });
                }
            }
            command
        };
        (0..self.flags.len()).map(command).collect()
    }

    fn families(&self) -> Families {
        let family = Family {
            name: "P".to_string(),
            range: (0, 2),
        };
        let of = |list: &[Symbol], name: &str| -> Vec<(Symbol, Field)> {
            let list = list.iter().enumerate();
            list.map(|(i, &s)| (s, field(i, name))).collect()
        };
        let fields = of(&self.flags, "b").into_iter();
        Families {
            list: vec![family],
            fields: fields.chain(of(&self.numbers, "x")).collect(),
        }
    }

    fn system(&mut self) -> Model {
        let all = self.numbers.iter().chain([&self.shared]);
        let range = |s: &Symbol| {
            let x = self.terms.var(*s);
            [
                self.terms.le(self.terms.int(0), x),
                self.terms.le(x, self.terms.int(HIGH)),
            ]
        };
        let restrict = all.flat_map(range).collect();
        let start = self.some_atom();
        let init = (0..self.flags.len()).map(|i| self.atom(start, i)).collect();
        let count = 1 + self.rng.below(3) as usize;
        let variables = self.flags.iter().zip(&self.numbers);
        let mut variables: Vec<Symbol> = variables.flat_map(|(a, b)| [*a, *b]).collect();
        variables.push(self.shared);
        Model {
            name: "processes".to_string(),
            variables,
            init,
            restrict,
            families: self.families(),
            ..Model::system((0..count).flat_map(|k| self.commands(k)).collect())
        }
    }

    /// Something about all processes, about some, or about the first one alone.
    fn leaf(&mut self) -> Ctl {
        let atom = self.some_atom();
        let each: Vec<Term> = (0..self.flags.len()).map(|i| self.atom(atom, i)).collect();
        Ctl::State(match self.rng.below(4) {
            0 => self.terms.and(each),
            1 | 2 => self.terms.or(each),
            _ => each[0],
        })
    }

    /// The same formula for every process, joined.
    fn of_each(&mut self) -> Ctl {
        let (a, b) = (self.some_atom(), self.some_atom());
        let shape = self.rng.below(3);
        let all = self.rng.chance(1, 2);
        let of = |i: usize| {
            let (a, b) = (Ctl::State(self.atom(a, i)), Ctl::State(self.atom(b, i)));
            let (a, b) = (Box::new(a), Box::new(b));
            match shape {
                0 => Ctl::Ag(Box::new(Ctl::Or(a, Box::new(Ctl::Af(b))))),
                1 => Ctl::Eu(a, Box::new(Ctl::Eg(b))),
                _ => Ctl::Aw(a, Box::new(Ctl::Ex(b))),
            }
        };
        let join = |a: Ctl, b: Ctl| match all {
            true => Ctl::And(Box::new(a), Box::new(b)),
            false => Ctl::Or(Box::new(a), Box::new(b)),
        };
        join(join(of(0), of(1)), of(2))
    }

    fn ctl(&mut self, depth: u32) -> Ctl {
        if depth == 0 {
            return self.leaf();
        }
        if self.rng.chance(1, 4) {
            return self.of_each();
        }
        let (a, b) = (Box::new(self.ctl(depth - 1)), Box::new(self.leaf()));
        match self.rng.below(9) {
            0 => Ctl::Not(a),
            1 => Ctl::Ex(a),
            2 => Ctl::Ax(a),
            3 => Ctl::Ef(a),
            4 => Ctl::Af(a),
            5 => Ctl::Eg(a),
            6 => Ctl::Ag(a),
            7 => Ctl::Au(b, a),
            _ => Ctl::Ew(a, b),
        }
    }
}

fn field(process: usize, name: &str) -> Field {
    Field {
        process: Some((0, process as i64)),
        name: name.to_string(),
        elements: Vec::new(),
    }
}

fn processes(seed: u64) -> Example {
    let terms = Terms::new();
    let declare = |name: String, sort: Sort| terms.declare(&name, sort, SymbolKind::State).unwrap();
    let each = |what: &str, sort: Sort| -> Vec<Symbol> {
        let names = (0..3).map(|i| format!("P[{i}].{what}"));
        names.map(|name| declare(name, sort)).collect()
    };
    let (flags, numbers) = (each("b", Sort::Bool), each("x", Sort::Int));
    let shared = declare("s".to_string(), Sort::Int);
    let mut world = World {
        terms: &terms,
        flags,
        numbers,
        shared,
        rng: Rng::new(seed),
    };
    let system = world.system();
    let depth = 1 + world.rng.below(3) as u32;
    let formula = world.ctl(depth);
    let rng = world.rng;
    Example::new(terms, system, PropertyKind::Ctl(formula), rng)
}

/// How many formulas hold, are violated, and have evidence with renamed cells.
fn decided(seeds: u64, settings: &[(&str, &str)]) -> (usize, usize, usize) {
    let (mut holds, mut violated, mut renamed) = (0, 0, 0);
    for seed in 0..seeds {
        let mut example = processes(seed);
        let verdict = verdict_of(&CtlZones, &example.task(), settings);
        if let Verdict::Holds(Certificate::Ctl(proof))
        | Verdict::Violated(Certificate::Ctl(proof)) = &verdict
        {
            renamed += usize::from(!proof.images.is_empty());
        }
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => panic!("seed {seed} is not decided"),
        }
    }
    (holds, violated, renamed)
}

#[test]
fn verdicts_up_to_exchanges_agree_with_explicit_search() {
    let (holds, violated, renamed) = decided(400, &[("symmetry", "on")]);
    assert!(
        holds > 50 && violated > 50 && renamed > 50,
        "{holds} hold, {violated} are violated, {renamed} by renamed cells"
    );
}

#[test]
fn polyhedra_are_exchanged_as_well() {
    let settings = [("symmetry", "on"), ("domain", "polyhedra")];
    let (_, _, renamed) = decided(60, &settings);
    assert!(renamed > 5, "{renamed} by renamed cells");
}
