//! What the tests share.
#![allow(dead_code)]

use sectile_base::{Rng, Span};
use sectile_driver::{CheckOptions, Loaded, check, load, load_text, predicates};
use sectile_engine::{Settings, Silent, violating_states};
use sectile_engine_predabs::{AbstractSystem, Alpha, Prover};
use sectile_frontend::frontends;
use sectile_model::{Model, Property, PropertyKind};
use sectile_report::{Certified, PropertyReport, Status};
use sectile_solver_native::NativeBackend;
use sectile_terms::Term;
use sectile_transform::{Pass as _, PcEncoding};
use std::path::PathBuf;
use std::time::Duration;

pub fn backend() -> &'static NativeBackend {
    &NativeBackend
}

/// A model of the zoo.
pub fn zoo(name: &str) -> Loaded {
    let mut file = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    file.push("../../models");
    file.push(name);
    let file = file.to_str().expect("paths are text");
    load(file, None, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Formulas in the words of the model.
pub fn formulas(loaded: &Loaded, text: &str) -> Vec<Term> {
    predicates::read(loaded, "formulas", text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn encoded(loaded: &Loaded, property: &Property) -> (Model, Property) {
    match &loaded.reading.module.model {
        Model::System(system) => (system.clone(), property.clone()),
        graph => {
            let applied = PcEncoding.apply(&loaded.terms, graph, property);
            let applied = applied.expect("programs have a program counter");
            match applied.model {
                Model::System(system) => (system, applied.property),
                Model::Graph(_) => panic!("a system was asked for"),
            }
        }
    }
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
    let mut set = Settings::default();
    for (name, value) in settings {
        set.set(*name, *value);
    }
    let options = CheckOptions {
        engines: vec!["predabs".to_string()],
        properties: vec![property.to_string()],
        timeout: Some(Duration::from_secs(60)),
        memory: None,
        seed: 0,
        solver: "native".to_string(),
        interpolation: None,
        predicates: Vec::new(),
        lemmas: Vec::new(),
        minimise: false,
        certify: true,
        settings: set,
        ..CheckOptions::default()
    };
    let checked = check(loaded, &options, &mut Silent).unwrap_or_else(|e| panic!("{e}"));
    assert!(checked.failures.is_empty(), "{:?}", checked.failures);
    let report = checked.report.properties.into_iter().next();
    let report = report.expect("one property was asked for");
    if report.status != Status::Unknown {
        assert!(matches!(report.certified, Certified::Yes));
    }
    report
}

/// A random condition.
pub fn condition(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 || rng.below(3) == 0 {
        return match rng.below(6) {
            0 => "a".to_string(),
            1 => "not b".to_string(),
            2 => format!("p = {}", ["u", "v", "w"][rng.below(3) as usize]),
            3 => format!("x <= {}", rng.below(4)),
            4 => format!("x = y + {}", rng.below(2)),
            _ => "x < y".to_string(),
        };
    }
    let (l, r) = (condition(rng, depth - 1), condition(rng, depth - 1));
    let word = ["and", "or"][rng.below(2) as usize];
    format!("({l} {word} {r})")
}

/// A random assignment.
pub fn assignment(rng: &mut Rng) -> String {
    match rng.below(7) {
        0 => "a := not a".to_string(),
        1 => format!("b := {}", condition(rng, 1)),
        2 => format!("p := {}", ["u", "v", "w"][rng.below(3) as usize]),
        3 => "x := x + 1".to_string(),
        4 => "x := y".to_string(),
        5 => "y := 3 - x".to_string(),
        _ => "havoc y".to_string(),
    }
}

/// A random finite system with an error that may or may not be reachable.
pub fn model(rng: &mut Rng) -> String {
    let mut text = String::from(
        "var a, b : bool\nvar p : {u, v, w}\nvar x, y : 0..3\ninit not a and p = u and x = 0\n",
    );
    for k in 0..2 + rng.below(4) {
        let guard = condition(rng, 2);
        if rng.below(5) == 0 {
            let next = ["x' = x", "x' <= y", "p' = p and y' = y", "a' != a"];
            let next = next[rng.below(4) as usize];
            text.push_str(&format!("relation r{k}: {guard} and {next}\n"));
        } else {
            text.push_str(&format!("c{k}: {guard} --> {}\n", assignment(rng)));
        }
    }
    let (e, f) = (condition(rng, 1), condition(rng, 2));
    text.push_str(&format!("error bad: ({e} and {f}) or (a and x = 3)\n"));
    text
}

/// Reads a model in the native language.
pub fn read(text: &str) -> Loaded {
    let sct = frontends().iter().find(|f| f.name() == "sct");
    let sct = *sct.expect("the native language is there");
    let loaded = load_text("random.sct", text.to_string(), sct, &[]);
    loaded.unwrap_or_else(|e| panic!("{text}\n{e}"))
}
