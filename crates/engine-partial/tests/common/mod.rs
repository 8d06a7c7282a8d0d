//! What the tests share.
#![allow(dead_code, unused_imports)] // Every test file uses a part.

use sectile_base::Budget;
use sectile_engine::{Engine, Run, Settings};
use sectile_engine_ctl::CtlZones;
use sectile_engine_partial::{Partial, Queries};
use sectile_model::{Task, Verdict};
use sectile_solver_native::NativeBackend;
use sectile_terms::{Term, Terms};
pub use sectile_testkit::models::{Read, zoo};
use sectile_testkit::{models, verdicts};

/// A model in the native language.
pub fn model(text: &str, parameters: &[(&str, &str)]) -> Read {
    models::read("model", text, parameters)
}

pub fn queries(terms: &Terms) -> Queries<'_> {
    Queries::new(terms, &NativeBackend, &Budget::unlimited()).expect("the solver is there")
}

pub fn partial() -> Partial {
    Partial::new(vec![Box::new(CtlZones)])
}

/// Runs an engine; what it decides must pass the checker.
pub fn run(engine: &dyn Engine, task: &Task<'_>, predicates: &[Term], seconds: u64) -> Verdict {
    let settings = Settings::default();
    let run = Run {
        budget: verdicts::seconds(seconds),
        predicates,
        ..verdicts::run(&settings)
    };
    verdicts::decide(engine, task, run)
}

/// Whether two formulas have the same models.
pub fn same(queries: &mut Queries<'_>, a: Term, b: Term) -> bool {
    let different = queries.terms.not(queries.terms.iff(a, b));
    !queries.satisfiable(&[different]).expect("it is decided")
}
