//! What the tests share.
#![allow(dead_code)]

use sectile_base::{Budget, Source};
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Engine, Run, Settings, Silent};
use sectile_engine_ctl::CtlZones;
use sectile_engine_partial::{Partial, Queries};
use sectile_frontend::{ReadOptions, Reading, frontends};
use sectile_model::{Model, Property, Task, Verdict};
use sectile_solver::Backend as _;
use sectile_solver_native::NativeBackend;
use sectile_terms::{Term, Terms};
use std::time::Duration;

/// A model that was read.
pub struct Read {
    pub terms: Terms,
    pub reading: Reading,
}

/// A model of the zoo, with parameters such as `n=3`.
pub fn zoo(name: &str, parameters: &[(&str, &str)]) -> Read {
    model(&text(name), parameters)
}

/// The text of a model of the zoo.
pub fn text(name: &str) -> String {
    let mut file = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    file.push(format!("../../models/{name}.sct"));
    std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// A model in the native language.
pub fn model(text: &str, parameters: &[(&str, &str)]) -> Read {
    let terms = Terms::new();
    let source = Source::new("model", text);
    let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let options = ReadOptions {
        parameters: parameters.iter().map(own).collect(),
    };
    let frontend = frontends().iter().find(|f| f.name() == "sct");
    let frontend = frontend.expect("there is the native language");
    let reading = frontend.read(&terms, &source, &options);
    let reading = reading.unwrap_or_else(|d| panic!("{}", d.render(&source)));
    Read { terms, reading }
}

impl Read {
    pub fn system(&self) -> &Model {
        match &self.reading.module.model {
            Model::System(system) => system,
            Model::Graph(_) => panic!("it is a system"),
        }
    }

    pub fn property(&self, name: &str) -> &Property {
        self.reading.module.property(name).expect("it is stated")
    }

    pub fn task(&self, property: &str) -> Task<'_> {
        Task {
            terms: &self.terms,
            model: &self.reading.module.model,
            property: self.property(property),
        }
    }

    /// Formulas in the words of the model, between semicolons.
    pub fn formulas(&self, text: &str) -> Vec<Term> {
        let pieces = text.split(';').filter(|p| !p.trim().is_empty());
        let read = |piece: &str| {
            let source = Source::new("formula", piece);
            let formula = self.reading.scope.formula(&self.terms, &source);
            formula.unwrap_or_else(|d| panic!("{}", d.render(&source)))
        };
        pieces.map(read).collect()
    }

    pub fn formula(&self, text: &str) -> Term {
        self.formulas(text)[0]
    }

    pub fn queries(&self) -> Queries<'_> {
        queries(&self.terms)
    }
}

pub fn queries(terms: &Terms) -> Queries<'_> {
    Queries::new(terms, &NativeBackend, &Budget::unlimited()).expect("the solver is there")
}

pub fn partial() -> Partial {
    Partial::new(vec![Box::new(CtlZones)])
}

/// Runs an engine; what it decides must pass the checker.
pub fn run(engine: &dyn Engine, task: &Task<'_>, predicates: &[Term], seconds: u64) -> Verdict {
    engine.accepts(task).expect("it takes this task");
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let mut run = Run {
        backend: &NativeBackend,
        budget,
        seed: 0,
        settings: &Settings::default(),
        predicates,
        lemmas: &[],
        observer: &mut Silent,
    };
    let verdict = engine.run(task, &mut run).expect("nothing is broken");
    let claim = match &verdict {
        Verdict::Holds(c) => Some((Claim::Holds, c)),
        Verdict::Violated(c) => Some((Claim::Violated, c)),
        Verdict::Unknown(_) => None,
    };
    if let Some((claim, certificate)) = claim {
        let mut solver = NativeBackend
            .certifying_solver(task.terms)
            .expect("the solver is there");
        let budget = Budget::unlimited();
        let outcome = sectile_certify::check(task, claim, certificate, solver.as_mut(), &budget);
        let outcome = outcome.expect("the solver works");
        assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
    }
    verdict
}

/// Whether two formulas have the same models.
pub fn same(queries: &mut Queries<'_>, a: Term, b: Term) -> bool {
    let different = queries.terms().not(queries.terms().iff(a, b));
    !queries.satisfiable(&[different]).expect("it is decided")
}
