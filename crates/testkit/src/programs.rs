//! Random program graphs, and engines compared with explicit search on them.

use crate::models::zoo;
use crate::verdicts::{decide, explored, run, says, seconds, settings};
use sectile_base::{Int, Rat, Rng, Span};
use sectile_certify::Claim;
use sectile_engine::{Engine, Run, Settings};
use sectile_model::*;
use sectile_terms::*;

/// A random program graph over few values, with its property.
pub struct Random {
    /// The store of its terms.
    pub terms: Terms,
    /// The program.
    pub model: Model,
    /// The property claimed of it.
    pub property: Property,
}

struct Maker<'m> {
    terms: &'m Terms,
    rng: Rng,
    numbers: Vec<Symbol>,
    flag: Symbol,
    input: Symbol,
    coin: Symbol,
    bounded: bool,
}

const VALUES: i64 = 4;

impl Random {
    /// The program with the property.
    pub fn task(&self) -> Task<'_> {
        Task {
            terms: &self.terms,
            model: &self.model,
            property: &self.property,
        }
    }

    /// The program of a seed.
    pub fn new(seed: u64) -> Random {
        let terms = Terms::new();
        let declare = |n: &str, s, k| terms.declare(n, s, k).unwrap();
        let numbers = vec![
            declare("x", Sort::Int, SymbolKind::State),
            declare("y", Sort::Int, SymbolKind::State),
        ];
        let flag = declare("b", Sort::Bool, SymbolKind::State);
        let input = declare("in", Sort::Int, SymbolKind::Input);
        let coin = declare("coin", Sort::Bool, SymbolKind::Input);
        let mut rng = Rng::new(seed);
        let bounded = rng.chance(1, 2);
        let mut maker = Maker {
            terms: &terms,
            rng,
            numbers,
            flag,
            input,
            coin,
            bounded,
        };
        let graph = maker.graph();
        let property = maker.property(graph.locations.len());
        Random {
            model: graph,
            property,
            terms,
        }
    }
}

impl Maker<'_> {
    fn number(&mut self) -> Term {
        let t = self.terms;
        let v = t.var(*self.rng.pick(&self.numbers).unwrap());
        match self.rng.below(4) {
            0 => t.int(self.rng.range(0..=VALUES - 1)),
            1 => t.add(v, t.int(self.rng.range(-1..=1))),
            2 => {
                let w = t.var(*self.rng.pick(&self.numbers).unwrap());
                t.add(v, w)
            }
            _ => v,
        }
    }

    fn condition(&mut self) -> Term {
        let t = self.terms;
        let (a, b) = (self.number(), self.number());
        match self.rng.below(6) {
            0 => t.eq(a, b),
            1 => t.neq(a, b),
            2 => t.le(a, b),
            3 => t.lt(a, b),
            4 => t.var(self.flag),
            _ => t.not(t.var(self.flag)),
        }
    }

    fn command(&mut self) -> Command {
        let t = self.terms;
        let mut command = Command::new("step", Span::default());
        for _ in 0..self.rng.below(2) {
            let guard = self.condition();
            command.guards.push(guard);
        }
        for symbol in self.numbers.clone() {
            let value = match self.rng.below(8) {
                0 if self.bounded => continue, // Its next value is free.
                1 if self.bounded => {
                    let same = t.eq(t.next(symbol), t.var(symbol));
                    let other = t.lt(t.next(symbol), self.number());
                    command.relations.push(t.or2(same, other));
                    continue;
                }
                2 if self.bounded => {
                    if command.inputs.is_empty() {
                        command.inputs.push(self.input);
                    }
                    t.var(self.input)
                }
                0..=4 => t.var(symbol),
                _ => {
                    let number = self.number();
                    if self.bounded {
                        number
                    } else {
                        t.modulo(number, &Int::from(VALUES))
                    }
                }
            };
            command.updates.push(Update { symbol, value });
        }
        let value = match self.rng.below(5) {
            0 => self.condition(),
            1 => {
                command.inputs.push(self.coin);
                t.var(self.coin)
            }
            _ => t.var(self.flag),
        };
        let symbol = self.flag;
        command.updates.push(Update { symbol, value });
        command
    }

    fn graph(&mut self) -> Model {
        let t = self.terms;
        let size = 2 + self.rng.below(7) as usize;
        let location = |i: usize| Location::new(format!("l{i}"), Span::default());
        let mut edges = Vec::new();
        // A chain, so that most locations are reached, and edges across, mostly forward.
        for i in 0..size - 1 {
            edges.push((i, i + 1));
        }
        for _ in 0..self.rng.below(6) {
            let (a, b) = (self.rng.below(size as u64), self.rng.below(size as u64));
            let (a, b) = (a as usize, b as usize);
            let forward = self.rng.chance(2, 3);
            edges.push(if forward {
                (a.min(b), a.max(b))
            } else {
                (a, b)
            });
        }
        let edge = |(from, to)| Edge::new(LocationId(from), LocationId(to), self.command());
        let edges = edges.into_iter().map(edge).collect();
        let mut restrict = Vec::new();
        if self.bounded {
            for &s in &self.numbers {
                restrict.push(t.le(t.int(0), t.var(s)));
                restrict.push(t.le(t.var(s), t.int(VALUES - 1)));
            }
        }
        let start = |s: &Symbol| t.eq(t.var(*s), t.int(0));
        let mut init: Vec<Term> = self.numbers.iter().map(start).collect();
        if self.rng.chance(1, 2) {
            init.push(t.var(self.flag));
        }
        Model {
            name: "random".into(),
            variables: self.numbers.iter().copied().chain([self.flag]).collect(),
            init,
            restrict,
            locations: (0..size).map(location).collect(),
            edges,
            ..Model::default()
        }
    }

    fn property(&mut self, locations: usize) -> Property {
        let last = LocationId(locations - 1);
        let any = LocationId(self.rng.below(locations as u64) as usize);
        let t = self.terms;
        let (p, q, r) = (self.condition(), self.condition(), self.condition());
        let kind = match self.rng.below(5) {
            0 => PropertyKind::Invariant(t.or([p, q, r])),
            1 => PropertyKind::Error(t.and([p, q, r])),
            2 => PropertyKind::Unreachable(vec![last]),
            3 => PropertyKind::AtLocation(any, t.or2(p, q)),
            _ => PropertyKind::AtLocation(last, t.or2(p, q)),
        };
        Property {
            name: "p".into(),
            kind,
            span: Span::default(),
        }
    }
}

fn twenty_seconds(settings: &Settings) -> Run<'_> {
    Run {
        budget: seconds(20),
        seed: 1,
        ..run(settings)
    }
}

/// Compares an engine with explicit search on random programs; undecided ones are allowed only
/// where `most_unknown` says so.
pub fn compare(
    engine: &dyn Engine,
    settings: &Settings,
    seeds: std::ops::Range<u64>,
    most_unknown: usize,
) {
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    for seed in seeds {
        let random = Random::new(seed);
        let task = random.task();
        let holds = explored(&task).0 == Claim::Holds;
        match decide(engine, &task, twenty_seconds(settings)) {
            Verdict::Holds(_) => {
                assert!(holds, "seed {seed}: said to hold");
                safe += 1;
            }
            Verdict::Violated(_) => {
                assert!(!holds, "seed {seed}: said to be violated");
                unsafe_ += 1;
            }
            Verdict::Unknown(why) => {
                eprintln!("seed {seed}: unknown: {why:?}");
                unknown += 1;
            }
        }
    }
    eprintln!("{safe} hold, {unsafe_} are violated, {unknown} unknown");
    assert!(unknown <= most_unknown);
    assert!(
        safe >= 10 && unsafe_ >= 10,
        "the programs are too much alike"
    );
}

/// A program without initial states reaches nothing, whatever the property.
pub fn check_without_initial_states(engine: &dyn Engine) {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        random.model.init = vec![random.terms.ff()];
        if seed % 2 == 0 {
            random.property.kind = PropertyKind::Unreachable(vec![random.model.entry]);
        }
        let task = random.task();
        let verdict = decide(engine, &task, twenty_seconds(&Settings::default()));
        assert!(
            matches!(verdict, Verdict::Holds(_)),
            "seed {seed}: {verdict:?}"
        );
    }
}

/// Program P holds, and its mutation does not; every refinement is checked.
pub fn check_program_p(engine: &dyn Engine) {
    let options = settings(&[("audit", "on")]);
    let model = zoo("sum.imp", &[]);
    let verdict = says(engine, &model.task("safe"), &options);
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
    let model = zoo("sum.imp", &[("bug", "1")]);
    let verdict = says(engine, &model.task("safe"), &options);
    let Verdict::Violated(Certificate::Trace(trace)) = verdict else {
        panic!("{verdict:?}");
    };
    // One round of the loop is enough, and then n is 1.
    let mut rigid = model.module().model.rigid.iter();
    let n = rigid.position(|&v| model.terms.name(v) == "n");
    let value = trace.rigid[n.unwrap()].as_rat();
    assert_eq!(value, Some(Rat::ONE));
}

/// The programs of the lecture have their verdicts; every refinement is checked.
pub fn check_lecture_programs(engine: &dyn Engine) {
    let options = settings(&[("audit", "on")]);
    let cases = [
        ("lecture-a.imp", "end", false),
        ("lecture-b.imp", "end", true),
    ];
    for (file, property, holds) in cases {
        let model = zoo(file, &[]);
        let verdict = says(engine, &model.task(property), &options);
        assert_eq!(
            matches!(verdict, Verdict::Holds(_)),
            holds,
            "{file}: {verdict:?}"
        );
        assert!(
            !matches!(verdict, Verdict::Unknown(_)),
            "{file}: {verdict:?}"
        );
    }
}
