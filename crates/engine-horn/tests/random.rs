//! Random small clauses over a finite domain against the facts that enumeration derives.

#![allow(clippy::unwrap_used)]

use sectile_base::{Rng, Span};
use sectile_engine::{Engine, Run, Settings};
use sectile_engine_horn::{Decision, Horn, Spacer, decide};
use sectile_model::horn::{Application, Clause, Derivation, HornClauses, Predicate, applied};
use sectile_model::{LocationId, Property, PropertyKind, Task, Verdict, model_of_clauses};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use sectile_testkit::verdicts;
use std::collections::BTreeSet;

/// Arguments are between 0 and this.
const LARGEST: i64 = 3;

struct World<'t> {
    terms: &'t Terms,
    rng: Rng,
    variables: Vec<Symbol>,
}

impl World<'_> {
    fn variable(&mut self) -> Term {
        let symbol = *self.rng.pick(&self.variables).unwrap();
        self.terms.var(symbol)
    }

    /// A variable, a number, or a variable and one.
    fn argument(&mut self) -> Term {
        match self.rng.below(4) {
            0 => self.terms.int(self.rng.range(0..=LARGEST)),
            1 => {
                let v = self.variable();
                self.terms.add(v, self.terms.int(1))
            }
            _ => self.variable(),
        }
    }

    fn condition(&mut self) -> Term {
        let (a, b) = (self.argument(), self.argument());
        match self.rng.below(4) {
            0 => self.terms.eq(a, b),
            1 => self.terms.lt(a, b),
            2 => self.terms.neq(a, b),
            _ => {
                let c = self.condition_of_sum(a);
                self.terms.or2(c, self.terms.le(b, a))
            }
        }
    }

    fn condition_of_sum(&mut self, a: Term) -> Term {
        let v = self.variable();
        self.terms.eq(self.terms.add(a, v), self.terms.int(LARGEST))
    }

    fn application(&mut self, arities: &[usize], plain: bool) -> Application {
        let predicate = usize::try_from(self.rng.below(arities.len() as u64)).unwrap();
        let arguments = (0..arities[predicate]).map(|_| match plain {
            true => self.variable(),
            false => self.argument(),
        });
        Application {
            predicate,
            arguments: arguments.collect(),
        }
    }

    /// All variables and all arguments of the head lie in the domain.
    fn clause(&mut self, arities: &[usize], is_query: bool) -> Clause {
        let terms = self.terms;
        let premises = match (is_query, self.rng.below(4)) {
            (true, 0 | 1) => 1,
            (true, _) => 2,
            (false, n) => n.min(2),
        };
        let body: Vec<Application> = (0..premises)
            .map(|_| self.application(arities, true))
            .collect();
        let head = (!is_query).then(|| self.application(arities, false));
        let mut constraint: Vec<Term> = Vec::new();
        let conditions = self.rng.below(3) + u64::from(premises == 0);
        constraint.extend((0..conditions).map(|_| self.condition()));
        let bounded = self.variables.iter().map(|&v| terms.var(v));
        let bounded = bounded.chain(head.iter().flat_map(|h| h.arguments.clone()));
        for t in bounded {
            constraint.push(terms.ge(t, terms.int(0)));
            constraint.push(terms.le(t, terms.int(LARGEST)));
        }
        Clause {
            span: Span::default(),
            names: self
                .variables
                .iter()
                .map(|&v| terms.name(v).to_string())
                .collect(),
            variables: self.variables.clone(),
            body,
            constraint,
            head,
        }
    }
}

/// Clauses over parameters `v0`, `v1`, ..., and over variables of these names or of others.
fn random(terms: &Terms, seed: u64, name: &str, kind: SymbolKind) -> HornClauses {
    let declare = |name: &str, i: usize, kind| {
        let name = format!("{name}{i}");
        terms.declare(&name, Sort::Int, kind).unwrap()
    };
    let variable = |i: usize| declare("v", i, SymbolKind::State);
    let mut world = World {
        terms,
        rng: Rng::new(seed),
        variables: (0..3).map(|i| declare(name, i, kind)).collect(),
    };
    let count = world.rng.range(1..=3);
    let arities: Vec<usize> = (0..count)
        .map(|_| usize::try_from(world.rng.range(0..=2)).unwrap())
        .collect();
    let predicates = arities.iter().enumerate().map(|(p, &arity)| Predicate {
        name: format!("P{p}"),
        // Predicates share parameters: nothing may depend on that.
        parameters: (0..arity).map(variable).collect(),
        span: Span::default(),
    });
    let mut clauses = HornClauses {
        name: "random".to_string(),
        predicates: predicates.collect(),
        clauses: Vec::new(),
    };
    for _ in 0..world.rng.range(3..=7) {
        clauses.clauses.push(world.clause(&arities, false));
    }
    for _ in 0..world.rng.range(1..=2) {
        clauses.clauses.push(world.clause(&arities, true));
    }
    clauses
}

/// Whether `false` follows, by enumeration of all facts.
fn follows(terms: &Terms, clauses: &HornClauses, queries: &[usize]) -> bool {
    let mut facts: BTreeSet<(usize, Vec<i64>)> = BTreeSet::new();
    loop {
        let before = facts.len();
        for (c, clause) in clauses.clauses.iter().enumerate() {
            if clause.head.is_none() && !queries.contains(&c) {
                continue;
            }
            let width = u32::try_from(clause.variables.len()).unwrap();
            for code in 0..(LARGEST + 1).pow(width) {
                let value = |symbol: Symbol, _: Stage| {
                    let at = clause.variables.iter().position(|v| *v == symbol)?;
                    let digit = code / (LARGEST + 1).pow(u32::try_from(at).ok()?);
                    Value::from_term(terms, terms.int(digit % (LARGEST + 1)))
                };
                let holds = |t: Term| evaluate(terms, t, &value) == Ok(Value::Bool(true));
                let number = |t: Term| {
                    let value = evaluate(terms, t, &value).unwrap().as_rat().unwrap();
                    value.to_string().parse::<i64>().unwrap()
                };
                let fact = |a: &Application| {
                    let arguments = a.arguments.iter().map(|&t| number(t));
                    (a.predicate, arguments.collect::<Vec<i64>>())
                };
                let applies = clause.constraint.iter().all(|&t| holds(t))
                    && clause.body.iter().all(|a| facts.contains(&fact(a)));
                match (&clause.head, applies) {
                    (None, true) => return true,
                    (Some(head), true) => _ = facts.insert(fact(head)),
                    _ => {}
                }
            }
        }
        if facts.len() == before {
            return false;
        }
    }
}

fn holds(terms: &Terms, t: Term, values: &impl Fn(Symbol, Stage) -> Option<Value>) -> bool {
    evaluate(terms, t, values) == Ok(Value::Bool(true))
}

/// Whether a meaning of the predicates makes all clauses true, by enumeration.
fn is_model(terms: &Terms, clauses: &HornClauses, queries: &[usize], meanings: &[Term]) -> bool {
    let says = |a: &Application| applied(terms, clauses, meanings, a);
    let mut list = clauses.clauses.iter().enumerate();
    list.all(|(c, clause)| {
        let width = u32::try_from(clause.variables.len()).unwrap();
        (0..(LARGEST + 1).pow(width)).all(|code| {
            let value = |symbol: Symbol, _: Stage| {
                let at = clause.variables.iter().position(|v| *v == symbol)?;
                let digit = code / (LARGEST + 1).pow(u32::try_from(at).ok()?);
                Value::from_term(terms, terms.int(digit % (LARGEST + 1)))
            };
            let holds = |t: Term| holds(terms, t, &value);
            let applies = clause.constraint.iter().all(|&t| holds(t))
                && clause.body.iter().all(|a| holds(says(a)));
            let concluded = match &clause.head {
                Some(head) => holds(says(head)),
                None => !queries.contains(&c),
            };
            !applies || concluded
        })
    })
}

/// Whether `false` is derived, by evaluation of every instance.
fn is_derivation(
    terms: &Terms,
    clauses: &HornClauses,
    queries: &[usize],
    derivation: &Derivation,
) -> bool {
    let list = &derivation.instances;
    let mut numbered = list.iter().enumerate();
    let follow = numbered.all(|(k, instance)| {
        let clause = &clauses.clauses[instance.clause];
        let value = |symbol: Symbol, _: Stage| {
            let at = clause.variables.iter().position(|v| *v == symbol)?;
            instance.values.get(at).cloned()
        };
        let derived = |(a, &p): (&Application, &usize)| {
            let head = clauses.clauses[list[p].clause].head.as_ref();
            p < k
                && head.is_some_and(|h| {
                    h.predicate == a.predicate
                        && list[p].arguments(terms, clauses, h)
                            == instance.arguments(terms, clauses, a)
                })
        };
        clause.body.len() == instance.premises.len()
            && clause.constraint.iter().all(|&t| holds(terms, t, &value))
            && clause.body.iter().zip(&instance.premises).all(derived)
    });
    follow && list.last().is_some_and(|i| queries.contains(&i.clause))
}

/// Every second time only one query counts.
fn asked(clauses: &HornClauses, seed: u64) -> Vec<usize> {
    let all = 0..clauses.clauses.len();
    let mut queries: Vec<usize> = all.filter(|&c| clauses.clauses[c].head.is_none()).collect();
    if seed.is_multiple_of(2) {
        queries.truncate(1);
    }
    queries
}

fn settings(seed: u64) -> Settings {
    let mut settings = Settings::default();
    if seed.is_multiple_of(3) {
        settings.set("resolve", "false");
    }
    settings
}

fn run(seed: u64, settings: &Settings) -> Run<'_> {
    Run {
        budget: verdicts::seconds(120),
        seed,
        ..verdicts::run(settings)
    }
}

/// Clauses share their variables with the parameters: nothing may depend on that.
#[test]
fn answers_agree_with_enumeration() {
    let mut counts = [0, 0];
    for seed in 0..1000 {
        let terms = Terms::new();
        let clauses = random(&terms, seed, "v", SymbolKind::State);
        let queries = asked(&clauses, seed);
        let expected = follows(&terms, &clauses, &queries);
        let settings = settings(seed);
        let decision = decide(&terms, &clauses, &queries, &mut run(seed, &settings));
        let right = match decision.unwrap() {
            Decision::Satisfiable(meanings) => {
                assert!(!expected, "seed {seed}");
                is_model(&terms, &clauses, &queries, &meanings)
            }
            Decision::Derived(derivation) => {
                assert!(expected, "seed {seed}");
                is_derivation(&terms, &clauses, &queries, &derivation)
            }
            Decision::Unknown(why) => panic!("seed {seed}: {why:?}"),
        };
        assert!(right, "seed {seed}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 100), "both verdicts: {counts:?}");
}

/// The same of the models that the clauses are, with evidence that the checker accepts.
fn verdicts_have_evidence(engine: &dyn Engine, settings: fn(u64) -> Settings) {
    let mut counts = [0, 0];
    for seed in 0..1000 {
        let terms = Terms::new();
        let clauses = random(&terms, seed, "w", SymbolKind::Input);
        let queries = asked(&clauses, seed);
        let expected = follows(&terms, &clauses, &queries);
        let made = clauses.clauses.iter().enumerate();
        let made = made.filter(|(c, clause)| clause.head.is_some() || queries.contains(c));
        let made: Vec<Clause> = made.map(|(_, clause)| clause.clone()).collect();
        let name = |k: usize| format!("clause {}", k + 1);
        let (model, _) = model_of_clauses(&terms, &clauses, &made, &name);
        let error = LocationId(model.locations.len() - 1);
        let property = Property {
            name: "satisfiable".to_string(),
            kind: PropertyKind::Unreachable(vec![error]),
            span: Span::default(),
        };
        let task = Task {
            terms: &terms,
            model: &model,
            property: &property,
        };
        let settings = settings(seed);
        let verdict = verdicts::decide(engine, &task, run(seed, &settings));
        let violated = match verdict {
            Verdict::Holds(_) => false,
            Verdict::Violated(_) => true,
            Verdict::Unknown(why) => panic!("seed {seed}: {why:?}"),
        };
        assert_eq!(violated, expected, "seed {seed}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 100), "both verdicts: {counts:?}");
}

#[test]
fn verdicts_about_models_have_evidence() {
    verdicts_have_evidence(&Horn, settings);
}

/// Whatever lemmas are made of.
#[test]
fn verdicts_of_spacer_have_evidence() {
    verdicts_have_evidence(&Spacer, |seed| {
        let mut settings = Settings::default();
        let orders = ["alternating", "literals", "interpolants"];
        settings.set("lemmas-from", orders[usize::try_from(seed % 3).unwrap()]);
        if seed.is_multiple_of(5) {
            settings.set("guidance", "false");
        }
        settings
    });
}
