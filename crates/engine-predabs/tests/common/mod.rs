//! What the tests share.
#![allow(dead_code)]

use sectile_base::{Rng, Span};
use sectile_driver::{CheckOptions, Loaded};
use sectile_engine::violating_states;
use sectile_engine_predabs::{AbstractSystem, Alpha, Prover};
use sectile_model::{Model, Property, PropertyKind, Task};
use sectile_report::PropertyReport;
use sectile_solver_native::NativeBackend;
use sectile_terms::Term;
use sectile_testkit::{driven, texts, verdicts};
use sectile_transform::{Pass as _, PcEncoding};

pub fn backend() -> &'static NativeBackend {
    &NativeBackend
}

/// A model of the zoo.
pub fn zoo(name: &str) -> Loaded {
    driven::zoo(name, &[])
}

/// Formulas in the words of the model.
pub fn formulas(loaded: &Loaded, text: &str) -> Vec<Term> {
    loaded
        .formulas("formulas", text)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn encoded(loaded: &Loaded, property: &Property) -> (Model, Property) {
    let model = &loaded.reading.module.model;
    if model.is_system() {
        return (model.clone(), property.clone());
    }
    let applied = PcEncoding.apply(&Task::new(&loaded.terms, model, property));
    let applied = applied.expect("programs have a program counter");
    assert!(applied.model.is_system());
    (applied.model, applied.property)
}

/// The system of a file.
pub fn system(loaded: &Loaded) -> Model {
    let nothing = Property {
        name: "nothing".to_string(),
        kind: PropertyKind::Invariant(loaded.terms.tt()),
        span: Span::new(0, 0),
    };
    encoded(loaded, &nothing).0
}

/// The system of a file and the states that satisfy a property.
pub fn asked(loaded: &Loaded, name: &str) -> (Model, Term) {
    let property = loaded.reading.module.property(name).expect("it is stated");
    let (system, property) = encoded(loaded, property);
    let bad = violating_states(&loaded.terms, &property.kind).expect("it is an invariant");
    (system, loaded.terms.not(bad))
}

/// The abstract system for predicates, with copies of all finite variables after them.
pub fn abstracted<'t>(
    loaded: &'t Loaded,
    system: &'t Model,
    predicates: &str,
    prover: &mut Prover<'t>,
) -> AbstractSystem<'t> {
    let terms = &loaded.terms;
    let mut alpha = Alpha::new();
    for (k, p) in formulas(loaded, predicates).into_iter().enumerate() {
        assert!(alpha.add_predicate(terms, &format!("a{}", k + 1), p));
    }
    alpha.add_copies(terms, system);
    let made = AbstractSystem::new(terms, system, alpha, terms.tt(), prover);
    made.expect("it can be computed")
}

/// Checks one property with the engine; known verdicts must be certified.
pub fn run(loaded: &Loaded, property: &str, settings: &[(&str, &str)]) -> PropertyReport {
    let options = CheckOptions {
        properties: vec![property.to_string()],
        ..driven::options("predabs", 60, verdicts::settings(settings))
    };
    driven::report(loaded, &options)
}

/// A random finite system with an error that may or may not be reachable.
pub fn model(rng: &mut Rng) -> String {
    texts::finite_system(rng, texts::assignment, "a and x = 3")
}

/// Reads a model in the native language.
pub fn read(text: &str) -> Loaded {
    driven::read("sct", text)
}
