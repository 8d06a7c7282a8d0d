//! Random small clauses over a finite domain against the facts that enumeration derives.

#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Rng, Span};
use sectile_certify::{Claim, Outcome, check_clauses};
use sectile_engine::{ClauseEngine as _, Run, Settings};
use sectile_engine_horn::Horn;
use sectile_model::horn::{Application, Clause, HornClauses, Predicate};
use sectile_model::{Certificate, ClauseTask, Verdict};
use sectile_solver::Backend as _;
use sectile_solver_native::NativeBackend;
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use sectile_testkit::verdicts::{run, seconds};
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

fn random(terms: &Terms, seed: u64) -> HornClauses {
    let variable = |i: usize| {
        let name = format!("v{i}");
        terms.declare(&name, Sort::Int, SymbolKind::State).unwrap()
    };
    let mut world = World {
        terms,
        rng: Rng::new(seed),
        variables: (0..3).map(variable).collect(),
    };
    let count = world.rng.range(1..=3);
    let arities: Vec<usize> = (0..count)
        .map(|_| usize::try_from(world.rng.range(0..=2)).unwrap())
        .collect();
    let predicates = arities.iter().enumerate().map(|(p, &arity)| Predicate {
        name: format!("P{p}"),
        // Predicates share parameters, also with the clauses: nothing may depend on that.
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

#[test]
fn answers_agree_with_enumeration() {
    let mut counts = [0, 0];
    for seed in 0..1000 {
        let terms = Terms::new();
        let clauses = random(&terms, seed);
        let all = 0..clauses.clauses.len();
        let mut queries: Vec<usize> = all.filter(|&c| clauses.clauses[c].head.is_none()).collect();
        if seed % 2 == 0 {
            queries.truncate(1);
        }
        let task = ClauseTask {
            terms: &terms,
            clauses: &clauses,
            queries: &queries,
        };
        let expected = follows(&terms, &clauses, &queries);
        let mut settings = Settings::default();
        if seed % 3 == 0 {
            settings.set("resolve", "false");
        }
        let mut run = Run {
            budget: seconds(120),
            seed,
            ..run(&settings)
        };
        let verdict = Horn.run_clauses(&task, &mut run).unwrap();
        let (claim, certificate) = match verdict {
            Verdict::Holds(c) => (Claim::Holds, c),
            Verdict::Violated(c) => (Claim::Violated, c),
            Verdict::Unknown(why) => panic!("seed {seed}: {why:?}"),
        };
        assert_eq!(claim == Claim::Violated, expected, "seed {seed}");
        let Certificate::Clauses(evidence) = certificate else {
            panic!("seed {seed}: evidence about clauses");
        };
        let mut solver = NativeBackend.solver(&terms).unwrap();
        let budget = Budget::unlimited();
        let outcome = check_clauses(&task, claim, &evidence, solver.as_mut(), &budget);
        let outcome = outcome.unwrap();
        assert!(
            matches!(outcome, Outcome::Accepted { .. }),
            "seed {seed}: {outcome:?}"
        );
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 100), "both verdicts: {counts:?}");
}
