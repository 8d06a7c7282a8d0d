//! Fairness and linear time against explicit search, by other algorithms than those of the tool.
#![allow(clippy::unwrap_used)]

use sectile_base::digraph::Digraph;
use sectile_base::{Int, Rng};
use sectile_driver::Loaded;
use sectile_engine::Settings;
use sectile_model::PropertyKind;
use sectile_report::Status;
use sectile_terms::{Stage, Symbol, Term, Value, evaluate};
use sectile_testkit::driven::{options, read, report};

/// A random condition over `x`, `y` and `b`.
fn condition(rng: &mut Rng) -> String {
    let number = rng.below(3);
    match rng.below(6) {
        0 => "b".to_string(),
        1 => "not b".to_string(),
        2 => format!("x = {number}"),
        3 => format!("x < {number}"),
        4 => format!("y = {number}"),
        _ => "x <= y".to_string(),
    }
}

/// The commands of a random system, without fairness.
fn commands(rng: &mut Rng) -> Vec<String> {
    let count = 2 + rng.below(3);
    let command = |k: u64, rng: &mut Rng| {
        let guard = match rng.below(3) {
            0 => "true".to_string(),
            _ => condition(rng),
        };
        let x = ["x", "x + 1", "x - 1", "0", "y"][rng.below(5) as usize];
        let y = ["y", "y", "1 - y", "0"][rng.below(4) as usize];
        let b = ["b", "not b", "true", "x = 0"][rng.below(4) as usize];
        format!("c{k}: {guard} --> x := {x}, y := {y}, b := {b}")
    };
    (0..count).map(|k| command(k, rng)).collect()
}

const VARIABLES: &str = "var x : 0..2\nvar y : 0..1\nvar b : bool\ninit x = 0 and y = 0\n";

/// All states and steps of a system over `x`, `y` and `b`.
struct Explicit {
    loaded: Loaded,
    states: Vec<Vec<Value>>,
    /// For every command, its steps.
    steps: Vec<Vec<(usize, usize)>>,
}

impl Explicit {
    fn new(text: &str) -> Explicit {
        let loaded = read("sct", text);
        let mut states = Vec::new();
        for x in 0..3_i64 {
            for y in 0..2_i64 {
                for b in [false, true] {
                    let number = |n: i64| Value::Int(Int::from(n));
                    states.push(vec![number(x), number(y), Value::Bool(b)]);
                }
            }
        }
        let mut explicit = Explicit {
            loaded,
            states,
            steps: Vec::new(),
        };
        let model = &explicit.loaded.reading.module.model;
        let terms = &explicit.loaded.terms;
        let formulas: Vec<Term> = model
            .commands()
            .map(|c| model.step_formula(terms, c))
            .collect();
        let count = explicit.states.len();
        let pairs = || (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let steps = formulas.iter().map(|&f| {
            let possible = pairs().filter(|&(i, j)| explicit.holds(f, i, j));
            possible.collect()
        });
        explicit.steps = steps.collect();
        explicit
    }

    fn holds(&self, formula: Term, now: usize, next: usize) -> bool {
        let variables = &self.loaded.reading.module.model.variables;
        let value = |symbol: Symbol, stage: Stage| {
            let place = variables.iter().position(|v| *v == symbol)?;
            let state = if stage == Stage::Now { now } else { next };
            Some(self.states[state][place].clone())
        };
        evaluate(&self.loaded.terms, formula, &value) == Ok(Value::Bool(true))
    }

    /// The formula of the invariant with this name.
    fn formula(&self, name: &str) -> Term {
        match self.loaded.reading.module.property(name).unwrap().kind {
            PropertyKind::Invariant(p) => p,
            _ => panic!("an invariant"),
        }
    }

    fn initial(&self) -> Vec<usize> {
        let init = self
            .loaded
            .reading
            .module
            .model
            .init_formula(&self.loaded.terms);
        let all = 0..self.states.len();
        all.filter(|&i| self.holds(init, i, i)).collect()
    }

    fn is_enabled(&self, command: usize, state: usize) -> bool {
        self.steps[command].iter().any(|(i, _)| *i == state)
    }

    fn is_stuck(&self, state: usize) -> bool {
        (0..self.steps.len()).all(|c| !self.is_enabled(c, state))
    }

    fn successors(&self, state: usize) -> Vec<usize> {
        let all = self.steps.iter().flatten();
        all.filter(|(i, _)| *i == state).map(|(_, j)| *j).collect()
    }

    /// The states of a set from which a fair path stays in it: a path that ends, or a cycle in which
    /// every fair command is taken, or impossible somewhere (weak) or everywhere (strong).
    fn fair_inside(&self, inside: &[bool], fair: &[(usize, bool)]) -> Vec<bool> {
        let count = self.states.len();
        let mut good: Vec<bool> = (0..count).map(|i| inside[i] && self.is_stuck(i)).collect();
        let mut open: Vec<Vec<bool>> = vec![inside.to_vec()];
        while let Some(set) = open.pop() {
            let graph = Digraph::from_successors(count, |i| {
                let next = self.successors(i).into_iter();
                next.filter(|&j| set[i] && set[j]).collect::<Vec<_>>()
            });
            for component in graph.strongly_connected_components() {
                let within = |s: &usize| component.contains(s);
                let turns = |c: usize| {
                    let mut steps = self.steps[c].iter();
                    steps.any(|(i, j)| within(i) && within(j))
                };
                if !set[component[0]] || !(0..self.steps.len()).any(turns) {
                    continue;
                }
                let waits = |&(c, strong): &(usize, bool)| {
                    let mut states = component.iter();
                    let enabled = |&s: &usize| self.is_enabled(c, s);
                    !turns(c)
                        && match strong {
                            true => states.any(enabled),
                            false => states.all(enabled),
                        }
                };
                match fair.iter().find(|f| waits(f)) {
                    None => component.iter().for_each(|&s| good[s] = true),
                    Some(&(c, true)) => {
                        let mut smaller = vec![false; count];
                        for &s in &component {
                            smaller[s] = !self.is_enabled(c, s);
                        }
                        open.push(smaller);
                    }
                    Some(_) => {}
                }
            }
        }
        // What leads there inside the set.
        let graph = Digraph::from_successors(count, |i| {
            let next = self.successors(i).into_iter();
            next.filter(|&j| inside[i] && inside[j]).collect::<Vec<_>>()
        });
        let starts: Vec<usize> = (0..count).filter(|&i| good[i]).collect();
        let reached = graph.reversed().reachable_from(starts);
        (0..count).map(|i| reached[i] && inside[i]).collect()
    }

    fn reachable(&self) -> Vec<bool> {
        let graph = Digraph::from_successors(self.states.len(), |i| self.successors(i));
        graph.reachable_from(self.initial())
    }
}

/// Whether the verdict is the expected one. In campaigns by hand what is not decided is told, and
/// the next one follows.
#[allow(clippy::print_stderr)]
fn agrees(seed: u64, text: &str, expected: Status) -> bool {
    let loaded = read("sct", text);
    let report = report(&loaded, &options("ctl", 60, Settings::default()));
    let by_hand = std::env::var_os("SECTILE_LIVENESS_ROUNDS").is_some();
    if by_hand && report.status == Status::Unknown {
        eprintln!("seed {seed} is not decided: {}", report.reached);
        return false;
    }
    let reached = &report.reached;
    assert_eq!(report.status, expected, "seed {seed}\n{text}\n{reached}");
    true
}

/// The seeds of a comparison with explicit search; for campaigns by hand
/// `SECTILE_LIVENESS_ROUNDS` of them, from `SECTILE_LIVENESS_SEED` on.
pub fn seeds(normal: u64) -> std::ops::Range<u64> {
    let asked = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let first = asked("SECTILE_LIVENESS_SEED").unwrap_or(0);
    let rounds = asked("SECTILE_LIVENESS_ROUNDS").unwrap_or(normal);
    first..first + rounds
}

#[test]
fn fairness_agrees_with_explicit_search() {
    let (mut holds, mut violated, mut matters) = (0, 0, 0);
    for seed in seeds(100) {
        let mut rng = Rng::new(seed);
        let commands = commands(&mut rng);
        let goal = condition(&mut rng);
        let start = condition(&mut rng);
        let mut fair = Vec::new();
        let mut text = VARIABLES.to_string();
        for (k, command) in commands.iter().enumerate() {
            // More than two numbers of the schedule take too long for some random commands: one for
            // every strongly fair command, and one for all weakly fair ones.
            let strong = fair.iter().filter(|(_, strong)| *strong).count();
            let has_weak = strong < fair.len();
            let room = strong + usize::from(has_weak) < 2;
            match rng.below(4) {
                0 if room => {
                    fair.push((k, true));
                    text += &format!("strongly fair {command}\n");
                }
                1 | 2 if room || has_weak => {
                    fair.push((k, false));
                    text += &format!("fair {command}\n");
                }
                _ => text += &format!("{command}\n"),
            }
        }
        let plain = format!(
            "{VARIABLES}{}\ninvariant goal: {goal}\ninvariant start: {start}\n",
            commands.join("\n")
        );
        let explicit = Explicit::new(&plain);
        let (goal_term, start_term) = (explicit.formula("goal"), explicit.formula("start"));
        let all = 0..explicit.states.len();
        let outside: Vec<bool> = all.map(|i| !explicit.holds(goal_term, i, i)).collect();
        let avoiding = |fair: &[(usize, bool)]| {
            let bad = explicit.fair_inside(&outside, fair);
            let reached = explicit.reachable();
            let starts = (0..bad.len()).filter(|&i| explicit.holds(start_term, i, i));
            let mut starts = starts.filter(|&i| reached[i]);
            starts.any(|i| bad[i])
        };
        let expected = match avoiding(&fair) {
            true => Status::Violated,
            false => Status::Holds,
        };
        matters += usize::from(avoiding(&fair) != avoiding(&[]));
        let text = format!("{text}ctl f: AG ({start} => AF {goal})\n");
        if !agrees(seed, &text, expected) {
            continue;
        }
        match expected {
            Status::Holds => holds += 1,
            _ => violated += 1,
        }
    }
    assert!(
        holds > 15 && violated > 15 && matters > 3,
        "{holds} hold, {violated} are violated, fairness matters for {matters}"
    );
}

/// A formula of linear time with the formulas it is made of.
#[derive(Clone, Debug)]
enum Linear {
    /// A condition, by its number.
    Atom(usize),
    Not(Box<Linear>),
    And(Box<Linear>, Box<Linear>),
    Next(Box<Linear>),
    Until(Box<Linear>, Box<Linear>),
    Always(Box<Linear>),
}

impl Linear {
    fn random(rng: &mut Rng, depth: u64) -> Linear {
        let atom = Linear::Atom(rng.below(2) as usize);
        if depth == 0 {
            return atom;
        }
        let one = Box::new(Linear::random(rng, depth - 1));
        match rng.below(7) {
            0 => Linear::Not(one),
            1 => {
                let depth = rng.below(depth);
                Linear::And(one, Box::new(Linear::random(rng, depth)))
            }
            2 => Linear::Next(one),
            3 => {
                let depth = rng.below(depth);
                Linear::Until(one, Box::new(Linear::random(rng, depth)))
            }
            4 | 5 => Linear::Always(one),
            _ => Linear::Not(Box::new(Linear::Always(one))),
        }
    }

    fn text(&self, atoms: &[String]) -> String {
        let of = |f: &Linear| f.text(atoms);
        match self {
            Linear::Atom(k) => format!("({})", atoms[*k]),
            Linear::Not(a) => format!("not ({})", of(a)),
            Linear::And(a, b) => format!("({} and {})", of(a), of(b)),
            Linear::Next(a) => format!("X ({})", of(a)),
            Linear::Until(a, b) => format!("(({}) U ({}))", of(a), of(b)),
            Linear::Always(a) => format!("G ({})", of(a)),
        }
    }

    /// The temporal formulas in it, arguments first.
    fn temporal<'l>(&'l self, found: &mut Vec<&'l Linear>) {
        match self {
            Linear::Atom(_) => {}
            Linear::Not(a) => a.temporal(found),
            Linear::And(a, b) => {
                a.temporal(found);
                b.temporal(found);
            }
            Linear::Next(a) | Linear::Always(a) => {
                a.temporal(found);
                found.push(self);
            }
            Linear::Until(a, b) => {
                a.temporal(found);
                b.temporal(found);
                found.push(self);
            }
        }
    }

    /// Its truth, if that of the temporal formulas is given by bits.
    fn truth(&self, atoms: &[bool], list: &[&Linear], bits: usize) -> bool {
        let of = |f: &Linear| f.truth(atoms, list, bits);
        match self {
            Linear::Atom(k) => atoms[*k],
            Linear::Not(a) => !of(a),
            Linear::And(a, b) => of(a) && of(b),
            _ => {
                let place = list.iter().position(|f| std::ptr::eq(*f, self)).unwrap();
                bits >> place & 1 == 1
            }
        }
    }
}

/// Whether some maximal path from an initial state, on which no command of `fair` is possible for ever and
/// never taken, violates a formula: nodes are states with a guess of the truth of all temporal formulas,
/// which steps must confirm.
fn some_path_violates(explicit: &Explicit, formula: &Linear, fair: &[usize]) -> bool {
    let atoms = [explicit.formula("p"), explicit.formula("q")];
    let mut list = Vec::new();
    formula.temporal(&mut list);
    let width = 1_usize << list.len();
    let node = |state: usize, bits: usize| state * width + bits;
    let values = |s: usize| -> Vec<bool> {
        let atoms = atoms.iter();
        atoms.map(|&a| explicit.holds(a, s, s)).collect()
    };
    let nodes = explicit.states.len() * width;
    let truth = |f: &Linear, s: usize, bits: usize| f.truth(&values(s), &list, bits);
    // Whether the guess fits what comes next; nothing where the path ends.
    let fits = |s: usize, bits: usize, next: Option<(usize, usize)>| {
        list.iter().enumerate().all(|(k, f)| {
            let later = next.is_some_and(|(_, b)| b >> k & 1 == 1);
            let expected = match f {
                Linear::Next(a) => next.is_none_or(|(t, b)| truth(a, t, b)),
                Linear::Until(a, b) => truth(b, s, bits) || (truth(a, s, bits) && later),
                Linear::Always(a) => truth(a, s, bits) && (next.is_none() || later),
                _ => unreachable!(),
            };
            expected == (bits >> k & 1 == 1)
        })
    };
    let graph = Digraph::from_successors(nodes, |n| {
        let (s, bits) = (n / width, n % width);
        let mut found = Vec::new();
        for t in explicit.successors(s) {
            let guesses = (0..width).filter(|&b| fits(s, bits, Some((t, b))));
            found.extend(guesses.map(|b| node(t, b)));
        }
        found
    });
    let ends = |n: usize| explicit.is_stuck(n / width) && fits(n / width, n % width, None);
    let mut good: Vec<bool> = (0..nodes).map(ends).collect();
    for component in graph.strongly_connected_components() {
        let turns =
            component.len() > 1 || graph.successors(component[0]).any(|t| t == component[0]);
        // What is waited for happens, and what is not always true is false somewhere.
        let fulfilled = list.iter().enumerate().all(|(k, f)| {
            component.iter().any(|&n| {
                let (s, bits) = (n / width, n % width);
                let holds = bits >> k & 1 == 1;
                match f {
                    Linear::Until(_, b) => !holds || truth(b, s, bits),
                    Linear::Always(a) => holds || !truth(a, s, bits),
                    _ => true,
                }
            })
        });
        let within = |n: usize| component.contains(&n);
        let takes = |c: usize| {
            let mut steps = explicit.steps[c].iter();
            steps.any(|&(s, t)| {
                let mut pairs = (0..width).flat_map(|a| (0..width).map(move |b| (a, b)));
                pairs.any(|(a, b)| {
                    within(node(s, a)) && within(node(t, b)) && fits(s, a, Some((t, b)))
                })
            })
        };
        let is_fair = fair.iter().all(|&c| {
            let mut states = component.iter().map(|n| n / width);
            takes(c) || states.any(|s| !explicit.is_enabled(c, s))
        });
        if turns && fulfilled && is_fair {
            component.iter().for_each(|&n| good[n] = true);
        }
    }
    let starts = (0..nodes).filter(|&n| good[n]);
    let leads = graph.reversed().reachable_from(starts);
    explicit.initial().into_iter().any(|s| {
        let guesses = (0..width).filter(|&bits| !truth(formula, s, bits));
        guesses.into_iter().any(|bits| leads[node(s, bits)])
    })
}

#[test]
fn linear_time_agrees_with_explicit_search() {
    linear_time_agrees(120, 0);
}

#[test]
fn linear_time_with_fairness_agrees_with_explicit_search() {
    linear_time_agrees(60, 2);
}

/// Random formulas of linear time, with at most this many weakly fair commands.
fn linear_time_agrees(normal: u64, most_fair: usize) {
    let (mut holds, mut violated, mut monitors, mut matters) = (0, 0, 0, 0);
    let rounds = seeds(normal);
    let least = usize::try_from((rounds.end - rounds.start) / 8).unwrap();
    for seed in rounds {
        let mut rng = Rng::new(1_000 + seed);
        let commands = commands(&mut rng);
        let atoms = [condition(&mut rng), condition(&mut rng)];
        let depth = 2 + rng.below(2);
        let formula = Linear::random(&mut rng, depth);
        let mut list = Vec::new();
        formula.temporal(&mut list);
        if list.is_empty() || list.len() > 4 {
            continue;
        }
        let fair: Vec<usize> = (0..commands.len().min(most_fair)).collect();
        let words = (0..commands.len()).map(|k| if fair.contains(&k) { "fair " } else { "" });
        let fairly: Vec<String> = words
            .zip(&commands)
            .map(|(w, c)| format!("{w}{c}"))
            .collect();
        let (commands, fairly) = (commands.join("\n"), fairly.join("\n"));
        let [p, q] = &atoms;
        let plain = format!("{VARIABLES}{commands}\ninvariant p: {p}\ninvariant q: {q}\n");
        let explicit = Explicit::new(&plain);
        let violates = some_path_violates(&explicit, &formula, &fair);
        matters += usize::from(violates != some_path_violates(&explicit, &formula, &[]));
        let expected = match violates {
            true => Status::Violated,
            false => Status::Holds,
        };
        let text = format!("{VARIABLES}{fairly}\nltl f: {}\n", formula.text(&atoms));
        let loaded = read("sct", &text);
        monitors += loaded.reading.module.model.monitored.len();
        if !agrees(seed, &text, expected) {
            continue;
        }
        match expected {
            Status::Holds => holds += 1,
            _ => violated += 1,
        }
    }
    assert!(
        holds > least && violated > least && monitors > least / 2,
        "{holds} hold, {violated} are violated, {monitors} need a monitor"
    );
    assert!(
        most_fair == 0 || matters > 1,
        "fairness matters for {matters}"
    );
}
