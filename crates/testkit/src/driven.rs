//! Checks through the whole driver: every verdict is certified.

use crate::files::model_file;
use crate::models::{language, parameters};
use sectile_base::Budget;
use sectile_driver::{CheckOptions, Checked, Loaded, check, load, load_text};
use sectile_engine::{Observer, Settings, Silent};
use sectile_explicit::{Answer, explore};
use sectile_model::Task;
use sectile_report::{Certified, PropertyReport, Status};
use std::time::Duration;

/// A model of the zoo; a name without an ending is one in the native language.
pub fn zoo(name: &str, parameters: &[(&str, &str)]) -> Loaded {
    let file = model_file(name);
    let file = file.to_str().expect("paths are text");
    let parameters = self::parameters(parameters);
    load(file, None, &parameters).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A model from a text in a language.
pub fn read(language: &str, text: &str) -> Loaded {
    let frontend = self::language(language);
    let loaded = load_text("model", text.to_string(), frontend, &[]);
    loaded.unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// The model with one of its properties as a task.
pub fn task<'t>(loaded: &'t Loaded, property: &str) -> Task<'t> {
    let module = &loaded.reading.module;
    Task {
        terms: &loaded.terms,
        model: &module.model,
        property: module.property(property).expect("it is stated"),
    }
}

/// Options for one engine with this many seconds, on all properties.
pub fn options(engine: &str, seconds: u64, settings: Settings) -> CheckOptions {
    CheckOptions {
        engines: vec![engine.to_string()],
        timeout: Some(Duration::from_secs(seconds)),
        settings,
        ..CheckOptions::default()
    }
}

/// Runs a check; no evidence may fail its own check.
pub fn checked(loaded: &Loaded, options: &CheckOptions, observer: &mut dyn Observer) -> Checked {
    let checked = check(loaded, options, observer).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(checked.failures, Vec::<String>::new());
    checked
}

/// The report about the first requested property, certified unless it is unknown.
pub fn report(loaded: &Loaded, options: &CheckOptions) -> PropertyReport {
    first(checked(loaded, options, &mut Silent))
}

/// The report about the first property, certified unless it is unknown.
pub fn first(checked: Checked) -> PropertyReport {
    let report = checked.report.properties.into_iter().next();
    let report = report.expect("a property was asked for");
    if report.status != Status::Unknown {
        assert_eq!(report.certified, Certified::Yes, "{}", report.engine);
    }
    report
}

/// The verdict of explicit search on the first property of a finite model.
pub fn explored(loaded: &Loaded) -> Status {
    let module = &loaded.reading.module;
    let options = Default::default();
    let found = explore(&loaded.terms, module, &options, &Budget::unlimited());
    match found.expect("the model is finite").properties[0].answer {
        Answer::Holds => Status::Holds,
        Answer::Violated => Status::Violated,
        other => panic!("explicit search says {other:?}"),
    }
}
