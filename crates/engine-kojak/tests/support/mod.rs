//! What the tests of engines on program graphs share: reading, deciding, and random programs.

#![allow(dead_code, clippy::print_stderr)] // Every test file uses a part.

use sectile_base::{Budget, Int, Rng, Source, Span};
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Engine, Run, Settings, Silent};
use sectile_frontend::{ReadOptions, frontends};
use sectile_model::*;
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::*;
use std::time::Duration;

/// Reads a program or a system by the ending of its name.
pub fn read(terms: &Terms, name: &str, text: &str, parameters: &[(&str, &str)]) -> Module {
    let ending = name.rsplit('.').next().unwrap();
    let mut all = frontends().iter();
    let frontend = all.find(|f| f.endings().contains(&ending)).unwrap();
    let parameters = parameters.iter();
    let options = ReadOptions {
        parameters: parameters
            .map(|(n, v)| (n.to_string(), v.to_string()))
            .collect(),
    };
    let reading = frontend.read(terms, &Source::new(name, text), &options);
    reading.unwrap_or_else(|d| panic!("{d:?}")).module
}

/// A file of the model zoo.
pub fn zoo(terms: &Terms, name: &str, parameters: &[(&str, &str)]) -> Module {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/");
    let text = std::fs::read_to_string(format!("{root}{name}")).unwrap();
    read(terms, name, &text, parameters)
}

pub fn settings(list: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    list.iter().for_each(|(n, v)| settings.set(*n, *v));
    settings
}

/// Runs an engine; a verdict is given only with evidence that the checker accepts.
pub fn decide(engine: &dyn Engine, task: &Task<'_>, settings: &Settings, seconds: u64) -> Verdict {
    let mut run = Run {
        backend: &NativeBackend,
        budget: Budget::unlimited().with_time(Duration::from_secs(seconds)),
        seed: 1,
        settings,
        predicates: &[],
        lemmas: &[],
        observer: &mut Silent,
    };
    let verdict = engine.run(task, &mut run).unwrap();
    let (claim, certificate) = match &verdict {
        Verdict::Holds(c) => (Claim::Holds, c),
        Verdict::Violated(c) => (Claim::Violated, c),
        Verdict::Unknown(_) => return verdict,
    };
    let mut solver = NativeBackend.certifying_solver(task.terms).unwrap();
    let budget = Budget::unlimited();
    let outcome = sectile_certify::check(task, claim, certificate, solver.as_mut(), &budget);
    let outcome = outcome.unwrap();
    assert!(
        matches!(outcome, Outcome::Accepted { .. }),
        "{outcome:?} {certificate:?}"
    );
    verdict
}

/// What an engine says about the only property of a text, or about the named one.
pub fn says(
    engine: &dyn Engine,
    terms: &Terms,
    module: &Module,
    property: &str,
    settings: &Settings,
) -> Verdict {
    let property = module.property(property).unwrap();
    let task = Task {
        terms,
        model: &module.model,
        property,
    };
    decide(engine, &task, settings, 60)
}

/// Whether the property holds, by explicit search.
pub fn holds(terms: &Terms, model: &Model, property: &Property) -> bool {
    let module = Module {
        model: model.clone(),
        properties: vec![property.clone()],
        parameters: Vec::new(),
        expectations: Vec::new(),
        state_spaces: Vec::new(),
        contracts: None,
    };
    let found =
        sectile_explicit::explore(terms, &module, &Default::default(), &Budget::unlimited());
    match found.unwrap().properties[0].answer {
        sectile_explicit::Answer::Holds => true,
        sectile_explicit::Answer::Violated => false,
        other => panic!("{other:?}"),
    }
}

/// A random program graph over few values, with its property.
pub struct Random {
    pub terms: Terms,
    pub model: Model,
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
            model: Model::Graph(graph),
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
        let location = |i: usize| Location {
            name: format!("l{i}"),
            span: Span::default(),
        };
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
        let edge = |(from, to)| Edge {
            from: LocationId(from),
            to: LocationId(to),
            command: self.command(),
        };
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
            rigid: Vec::new(),
            init,
            restrict,
            locations: (0..size).map(location).collect(),
            entry: LocationId(0),
            edges,
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
        let task = Task {
            terms: &random.terms,
            model: &random.model,
            property: &random.property,
        };
        let expected = holds(&random.terms, &random.model, &random.property);
        match decide(engine, &task, settings, 20) {
            Verdict::Holds(_) => {
                assert!(expected, "seed {seed}: said to hold");
                safe += 1;
            }
            Verdict::Violated(_) => {
                assert!(!expected, "seed {seed}: said to be violated");
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

/// A program that starts in no state reaches nothing, whatever the property says.
pub fn check_without_initial_states(engine: &dyn Engine) {
    for seed in 0..20 {
        let Random {
            terms,
            model: Model::Graph(mut graph),
            mut property,
        } = Random::new(seed)
        else {
            panic!("a graph");
        };
        graph.init = vec![terms.ff()];
        if seed % 2 == 0 {
            property.kind = PropertyKind::Unreachable(vec![graph.entry]);
        }
        let task = Task {
            terms: &terms,
            model: &Model::Graph(graph),
            property: &property,
        };
        let verdict = decide(engine, &task, &Settings::default(), 20);
        assert!(
            matches!(verdict, Verdict::Holds(_)),
            "seed {seed}: {verdict:?}"
        );
    }
}
