//! Random finite systems: abstractions have every concrete step, properties carry over, verdicts
//! agree with explicit search, abstractions of disjoint predicates compose.

use crate::common;

use common::{partial, queries, run, same};
use sectile_base::{Budget, Rng, Span};
use sectile_domains::bdd::Bdd;
use sectile_engine_partial::{Abstraction, Queries, is_universal, pair_imprecision};
use sectile_engine_predabs::{AbstractSystem, Alpha, Prover};
use sectile_explicit::{Answer, Options, explore};
use sectile_model::{Command, Ctl, Model, Property, PropertyKind, Task, Update, Verdict};
use sectile_solver_native::NativeBackend;
use sectile_terms::{Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};

const HIGH: i64 = 3;

struct Random<'r> {
    rng: Rng,
    terms: &'r Terms,
    flag: Symbol,
    numbers: Vec<Symbol>,
}

impl<'r> Random<'r> {
    fn new(terms: &'r Terms, seed: u64, numbers: usize) -> Random<'r> {
        let declare = |name: &str, sort| {
            let symbol = terms.declare(name, sort, SymbolKind::State);
            symbol.expect("names differ")
        };
        Random {
            rng: Rng::new(seed),
            terms,
            flag: declare("f", Sort::Bool),
            numbers: (0..numbers)
                .map(|k| declare(&format!("x{k}"), Sort::Int))
                .collect(),
        }
    }

    fn variable(&mut self) -> Term {
        let symbol = self.rng.pick(&self.numbers).copied();
        self.terms.var(symbol.expect("there are numbers"))
    }

    fn operand(&mut self) -> Term {
        match self.rng.chance(1, 3) {
            true => self.terms.int(self.rng.range(0..=HIGH)),
            false => self.variable(),
        }
    }

    /// A comparison of numbers among some of the variables.
    fn comparison(&mut self, of: &[Symbol]) -> Term {
        let terms = self.terms;
        let a = terms.var(*self.rng.pick(of).expect("there are some"));
        let b = match self.rng.chance(1, 2) {
            true => terms.int(self.rng.range(0..=HIGH)),
            false => terms.var(*self.rng.pick(of).expect("there are some")),
        };
        match self.rng.below(3) {
            0 => terms.eq(a, b),
            1 => terms.le(a, b),
            _ => terms.lt(b, a),
        }
    }

    fn atom(&mut self) -> Term {
        let of = self.numbers.clone();
        match self.rng.below(4) {
            0 => self.terms.var(self.flag),
            1 => self.terms.not(self.terms.var(self.flag)),
            _ => self.comparison(&of),
        }
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.atom(), self.atom());
        match self.rng.below(3) {
            0 => a,
            1 => self.terms.or2(a, b),
            _ => self.terms.and2(a, b),
        }
    }

    fn command(&mut self, k: usize) -> Command {
        let terms = self.terms;
        let mut command = Command::new(format!("c{k}"), Span::new(0, 0));
        command.guards.push(self.formula());
        for symbol in self.numbers.clone() {
            // A variable without an update may become anything within its range.
            if self.rng.chance(1, 8) {
                continue;
            }
            let value = match self.rng.below(6) {
                0..3 => terms.var(symbol),
                3 => self.operand(),
                4 => terms.add(terms.var(symbol), terms.int(1)),
                _ => terms.sub(terms.var(symbol), terms.int(1)),
            };
            command.updates.push(Update { symbol, value });
        }
        let value = match self.rng.below(3) {
            0 => terms.var(self.flag),
            1 => terms.not(terms.var(self.flag)),
            _ => self.formula(),
        };
        let symbol = self.flag;
        command.updates.push(Update { symbol, value });
        command
    }

    fn system(&mut self) -> Model {
        let terms = self.terms;
        let range = |s: &Symbol| {
            let x = terms.var(*s);
            [terms.le(terms.int(0), x), terms.le(x, terms.int(HIGH))]
        };
        let restrict = self.numbers.iter().flat_map(range).collect();
        let mut variables = vec![self.flag];
        variables.extend(&self.numbers);
        let init = vec![self.formula(), self.atom()];
        let count = 1 + self.rng.below(4) as usize;
        Model {
            name: "random".to_string(),
            variables,
            init,
            restrict,
            ..Model::system((0..count).map(|k| self.command(k)).collect())
        }
    }

    /// A formula of all paths, negations at state formulas and elsewhere.
    fn universal(&mut self, depth: u32) -> Ctl {
        let leaf = Ctl::State(self.formula());
        if depth == 0 {
            return leaf;
        }
        let a = Box::new(self.universal(depth - 1));
        let other = self.rng.below(u64::from(depth)) as u32;
        let b = Box::new(self.universal(other));
        match self.rng.below(10) {
            0 => Ctl::And(a, b),
            1 => Ctl::Or(a, b),
            2 => Ctl::Ax(a),
            3 => Ctl::Af(a),
            4 | 5 => Ctl::Ag(a),
            6 => Ctl::Au(a, b),
            7 => Ctl::Aw(a, b),
            8 => Ctl::Not(Box::new(Ctl::Ef(Box::new(Ctl::State(self.formula()))))),
            _ => Ctl::Not(Box::new(Ctl::Eg(Box::new(Ctl::State(self.formula()))))),
        }
    }

    /// Two predicates about the numbers before a position, and two about those up to another one.
    fn disjoint_predicates(&mut self, middle: usize, end: usize) -> (Vec<Term>, Vec<Term>) {
        let (left, right) = (
            self.numbers[..middle].to_vec(),
            self.numbers[middle..end].to_vec(),
        );
        (self.predicates(&left, 2), self.predicates(&right, 2))
    }

    fn predicates(&mut self, of: &[Symbol], count: u64) -> Vec<Term> {
        let list = (0..1 + self.rng.below(count)).map(|_| self.comparison(of));
        let list: Vec<Term> = list.collect();
        let real = |t: &Term| self.terms.as_bool(*t).is_none();
        list.into_iter().filter(real).collect()
    }
}

/// Every initial state and every step has an abstract one, and no abstract one is without a
/// concrete one: the abstraction is the least.
#[test]
fn abstractions_are_the_least_with_every_step() {
    for seed in 0..300 {
        let terms = Terms::new();
        let mut random = Random::new(&terms, seed, 3);
        let system = random.system();
        let of = random.numbers[..2].to_vec();
        let alpha = Abstraction::new(&terms, &random.predicates(&of, 3));
        let mut queries = queries(&terms);
        let found = alpha.system(&system, &mut queries).expect("it is decided");
        assert!(found.exact);
        let init = alpha.concrete(found.system.init_formula(&terms));
        let real = system.init_formula(&terms);
        assert!(
            queries.implies(&[real], init).expect("decided"),
            "seed {seed}"
        );
        for (a, c) in found.system.commands().zip(system.commands()) {
            let step = found.system.step_formula(&terms, a);
            let real = system.step_formula(&terms, c);
            let inside = alpha.concrete(step);
            assert!(
                queries.implies(&[real], inside).expect("decided"),
                "seed {seed}"
            );
            // The definition, by one elimination.
            let mut all = vec![real];
            for p in &alpha.predicates {
                all.push(terms.iff(p.meaning, terms.var(p.symbol)));
                all.push(terms.iff(terms.prime(p.meaning), terms.next(p.symbol)));
            }
            let slots: Vec<_> = alpha
                .hidden
                .iter()
                .flat_map(|&s| {
                    use sectile_terms::Stage::{Next, Now};
                    [(s, Now), (s, Next)]
                })
                .collect();
            let defined = queries.project(terms.and(all), &slots).expect("decided");
            assert!(defined.exact);
            assert!(
                same(&mut queries, step, defined.formula),
                "seed {seed}: {}",
                c.name
            );
        }
    }
}

/// Lemma 1 on random disjoint sets of predicates.
#[test]
fn disjoint_abstractions_compose_in_either_order() {
    for seed in 0..150 {
        let terms = Terms::new();
        let mut random = Random::new(&terms, seed, 4);
        let system = random.system();
        let (one, two) = random.disjoint_predicates(2, 4);
        let mut queries = queries(&terms);
        let both = Abstraction::new(&terms, &[one.clone(), two.clone()].concat());
        let whole = both.system(&system, &mut queries).expect("decided").system;
        for (first, second) in [(&one, &two), (&two, &one)] {
            let first = Abstraction::new(&terms, first);
            let second = Abstraction::new(&terms, second);
            let between = first.system(&system, &mut queries).expect("decided").system;
            let twice = second
                .system(&between, &mut queries)
                .expect("decided")
                .system;
            let mut names = Substitution::default();
            for p in first.predicates.iter().chain(&second.predicates) {
                let twin = both.predicates.iter().find(|q| q.meaning == p.meaning);
                let twin = twin.expect("it is among all").symbol;
                names.insert(terms.var(p.symbol), terms.var(twin));
                names.insert(terms.next(p.symbol), terms.next(twin));
            }
            let renamed = |t: Term| terms.substitute(t, &names);
            let init = renamed(twice.init_formula(&terms));
            assert!(
                same(&mut queries, init, whole.init_formula(&terms)),
                "seed {seed}"
            );
            for (a, b) in twice.commands().zip(whole.commands()) {
                let step = renamed(twice.step_formula(&terms, a));
                let direct = whole.step_formula(&terms, b);
                assert!(same(&mut queries, step, direct), "seed {seed}: {}", a.name);
            }
        }
    }
}

/// `r2 and Range(Pre[r1](true))`, over current and next values.
fn before(queries: &mut Queries<'_>, model: &Model, first: &Command, second: &Command) -> Term {
    let terms = queries.terms;
    let step = model.step_formula(terms, first);
    let next = terms.free_vars(step).into_iter();
    let next: Vec<(Symbol, Stage)> = next.filter(|s| s.1 == Stage::Next).collect();
    let pre = queries.project(step, &next).expect("it is decided");
    assert!(pre.exact);
    let after = model.step_formula(terms, second);
    terms.and2(after, terms.prime(pre.formula))
}

/// Whether an abstraction is imprecise with respect to two steps.
///
/// Paper: [YaMe, Def. 8].
fn is_imprecise(
    queries: &mut Queries<'_>,
    alpha: &Abstraction<'_>,
    (system, abstracted): (&Model, &Model),
    (first, second): (usize, usize),
) -> bool {
    let terms = queries.terms;
    let mut compare = |r1: usize, r2: usize| {
        let command = |model: &Model, k: usize| model.edges[k].command.clone();
        let (c1, c2) = (command(system, r1), command(system, r2));
        let concrete = before(queries, system, &c1, &c2);
        let (a1, a2) = (command(abstracted, r1), command(abstracted, r2));
        let abstracted = alpha.concrete(before(queries, abstracted, &a1, &a2));
        // Both are about states that the system has.
        let states = system.restrict_formula(terms);
        let inside = [states, terms.prime(states)];
        let within = |q: &mut Queries<'_>, a: Term, b: Term| {
            let premises = [&inside[..], &[a]].concat();
            q.implies(&premises, b).expect("it is decided")
        };
        assert!(within(queries, concrete, abstracted));
        !within(queries, abstracted, concrete)
    };
    compare(first, second) || compare(second, first)
}

/// A8, Lemma 2: what is imprecise stays imprecise with a disjoint abstraction, by the definition and
/// by the scores of the heuristic.
#[test]
fn imprecision_is_inherited() {
    let (mut imprecise, mut scored) = (0, 0);
    for seed in 0..60 {
        let terms = Terms::new();
        let mut random = Random::new(&terms, seed, 4);
        let system = random.system();
        let (one, two) = random.disjoint_predicates(2, 4);
        if one.is_empty() || two.is_empty() {
            continue;
        }
        let both = [one.clone(), two].concat();
        let mut queries = queries(&terms);
        let alpha = Abstraction::new(&terms, &one);
        let larger = Abstraction::new(&terms, &both);
        let single = alpha.system(&system, &mut queries).expect("decided").system;
        let whole = larger
            .system(&system, &mut queries)
            .expect("decided")
            .system;
        for j in 0..system.edges.len() {
            for k in 0..system.edges.len() {
                if is_imprecise(&mut queries, &alpha, (&system, &single), (j, k)) {
                    imprecise += 1;
                    let inherited = is_imprecise(&mut queries, &larger, (&system, &whole), (j, k));
                    assert!(inherited, "seed {seed}: steps {j} and {k}");
                }
                let command = |e: usize| &system.edges[e].command;
                let mut score = |list: &[Term]| {
                    let (r1, r2) = (command(j), command(k));
                    pair_imprecision(&terms, list, r1, r2, &mut queries).expect("decided")
                };
                if score(&one) > 0 {
                    scored += 1;
                    assert!(score(&both) > 0, "seed {seed}: steps {j} and {k}");
                }
            }
        }
    }
    assert!(
        imprecise > 50 && scored >= 5,
        "{imprecise} imprecise, {scored} by scores"
    );
}

/// Whether a formula about infinite paths fails in the abstraction for some predicates.
fn fails(queries: &mut Queries<'_>, system: &Model, formula: &Ctl, predicates: &[Term]) -> bool {
    let terms = queries.terms;
    let alpha = Abstraction::new(terms, predicates);
    let model = alpha.system(system, queries).expect("decided").system;
    let kind = PropertyKind::Ctl(formula.clone());
    let kind = alpha.property(&kind, &system.restrict, queries);
    let mut module = common::model("var nothing : bool\n", &[]).reading.module;
    module.model = model;
    module.properties = vec![Property {
        name: "f".to_string(),
        kind: kind.expect("decided"),
        span: Span::new(0, 0),
    }];
    module.use_infinite_paths(terms);
    let found = explore(terms, &module, &Options::default(), &Budget::unlimited());
    found.expect("it is finite").properties[0].answer == Answer::Violated
}

/// A8, Lemma 4: a property of all infinite paths that fails in an abstraction fails in its
/// combination with a disjoint one.
#[test]
fn failures_are_inherited() {
    let mut failures = 0;
    for seed in 0..150 {
        let terms = Terms::new();
        let mut random = Random::new(&terms, seed, 3);
        let system = random.system();
        let (one, two) = random.disjoint_predicates(1, 2);
        let depth = 1 + random.rng.below(2) as u32;
        let formula = random.universal(depth);
        let mut queries = queries(&terms);
        for single in [&one, &two] {
            if fails(&mut queries, &system, &formula, single) {
                failures += 1;
                let both = [one.clone(), two.clone()].concat();
                let inherited = fails(&mut queries, &system, &formula, &both);
                assert!(inherited, "seed {seed}: {formula:?}");
            }
        }
    }
    assert!(failures > 50, "{failures}");
}

/// X4: with all numbers in predicates, it is classical predicate abstraction.
#[test]
fn with_all_numbers_abstracted_it_is_predicate_abstraction() {
    for seed in 0..100 {
        let terms = Terms::new();
        let mut random = Random::new(&terms, seed, 2);
        let system = random.system();
        let of = random.numbers.clone();
        let mut list = random.predicates(&of, 2);
        list.push(terms.le(terms.var(of[0]), terms.var(of[1])));
        let alpha = Abstraction::new(&terms, &list);
        let mut queries = queries(&terms);
        let mine = alpha.system(&system, &mut queries).expect("decided").system;
        let budget = Budget::unlimited();
        let mut prover = Prover::new(&terms, &NativeBackend, &budget).expect("there is a solver");
        let mut classical = Alpha::new();
        for (k, p) in alpha.predicates.iter().enumerate() {
            assert!(classical.add_predicate(&terms, &format!("a{k}"), p.meaning));
        }
        classical.add_copies(&terms, &system);
        let other = AbstractSystem::new(&terms, &system, classical, terms.tt(), &mut prover);
        let mut other = other.expect("it is computed");
        let concrete = |set: Bdd, other: &mut AbstractSystem| {
            let inside = other.manager.and(set, other.valid);
            other.concrete(&terms, inside)
        };
        let initial = other.initial;
        let initial = terms.and2(
            concrete(initial, &mut other),
            system.restrict_formula(&terms),
        );
        let init = alpha.concrete(mine.init_formula(&terms));
        let init = terms.and2(init, system.restrict_formula(&terms));
        assert!(same(&mut queries, init, initial), "seed {seed}");
        let domain = system.restrict_formula(&terms);
        let domain = terms.and2(domain, terms.prime(domain));
        for (k, command) in mine.commands().enumerate() {
            let step = alpha.concrete(mine.step_formula(&terms, command));
            let relation = other.transitions[k].relation;
            let relation = other.concrete(&terms, relation);
            let (a, b) = (terms.and2(step, domain), terms.and2(relation, domain));
            assert!(same(&mut queries, a, b), "seed {seed}: {}", command.name);
        }
    }
}

/// What the engine says, with given predicates or with its own, is what explicit search finds, and
/// its evidence is accepted.
#[test]
fn verdicts_agree_with_explicit_search() {
    let (mut holds, mut violated, mut unknown) = (0, 0, 0);
    for seed in 0..600 {
        let terms = Terms::new();
        let mut random = Random::new(&terms, seed, 2);
        let model = random.system();
        let depth = 1 + random.rng.below(2) as u32;
        let kind = match random.rng.below(3) {
            0 => PropertyKind::Invariant(random.formula()),
            1 => PropertyKind::Error(random.formula()),
            _ => PropertyKind::Ctl(random.universal(depth)),
        };
        assert!(is_universal(&terms, &kind));
        let property = Property {
            name: "f".to_string(),
            kind,
            span: Span::new(0, 0),
        };
        let mut module = common::model("var nothing : bool\n", &[]).reading.module;
        module.model = model.clone();
        module.properties = vec![property.clone()];
        let found = explore(&terms, &module, &Options::default(), &Budget::unlimited());
        let expected = found.expect("it is finite").properties[0].answer;
        let task = Task {
            terms: &terms,
            model: &model,
            property: &property,
        };
        let of = random.numbers[..1 + random.rng.below(2) as usize].to_vec();
        let predicates = match random.rng.chance(1, 2) {
            true => random.predicates(&of, 3),
            false => Vec::new(),
        };
        let verdict = run(&partial(), &task, &predicates, 20);
        match (&verdict, expected) {
            (Verdict::Holds(_), Answer::Holds) => holds += 1,
            (Verdict::Violated(_), Answer::Violated) => violated += 1,
            (Verdict::Unknown(_), _) => unknown += 1,
            _ => panic!(
                "seed {seed}: {verdict:?}, but {expected:?}: {:?}",
                property.kind
            ),
        }
    }
    assert!(
        holds > 60 && violated > 150 && unknown < 300,
        "{holds} hold, {violated} are violated, {unknown} unknown"
    );
}
