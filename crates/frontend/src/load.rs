//! Loads files: reads them and keeps their contents together with the store of their terms.

use crate::input::{InputError, frontend_for, read_bytes, read_formulas, text_of};
use crate::messages::Report as _;
use crate::{Frontend, ReadOptions, Reading, stop_at_errors};
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::{Ctl, Module, Part, Property, PropertyKind, Task};
use sectile_terms::{Mark, Term, Terms};

/// A file that was read.
pub struct Loaded {
    /// The store of its terms.
    pub terms: Terms,
    /// The part of the store that belongs to the file.
    mark: Mark,
    /// Its text.
    pub source: Source,
    /// Its contents.
    pub reading: Reading,
    /// The front-end that read it.
    pub frontend: &'static dyn Frontend,
    /// The values of parameters that were given, as typed.
    pub parameters: Vec<(String, String)>,
}

impl Loaded {
    /// From now on, temporal formulas refer to infinite paths only.
    pub fn use_infinite_paths(&mut self) {
        self.reading.module.use_infinite_paths(&self.terms);
        self.mark = self.terms.mark();
    }

    /// Replaces a property by a part of it; returns whether there is such a part.
    ///
    /// A program with contracts states its properties twice, so they are not split.
    pub fn narrow(&mut self, property: &str, part: &Part) -> bool {
        let module = &mut self.reading.module;
        let mut all = module.properties.iter_mut();
        let found = all.find(|p| p.name == property);
        let (Some(property), None) = (found, &module.model.contracts) else {
            return false;
        };
        let Some(narrow) = property.part(&self.terms, part) else {
            return false;
        };
        *property = narrow;
        self.mark = self.terms.mark();
        true
    }

    /// The task for one of its properties.
    pub fn task(&self, position: usize) -> Task<'_> {
        let module = &self.reading.module;
        Task::new(&self.terms, &module.model, &module.properties[position])
    }

    /// A copy of the store with the terms of the file, and nothing that was added later.
    pub fn copied_terms(&self) -> Terms {
        self.terms.copy_at(&self.mark)
    }

    /// Reads `p1; p2; ...`, conditions on the state; the text is called `name` in messages.
    pub fn formulas(&self, name: &str, text: &str) -> Result<Vec<Term>, InputError> {
        read_formulas(&self.terms, &self.reading.scope, name, text)
    }
}

/// Reads a model from a file, or from standard input for `-`.
pub fn load(
    file: &str,
    input: Option<&str>,
    parameters: &[(String, String)],
) -> Result<Loaded, InputError> {
    let (frontend, name, text) = read(file, input)?;
    load_text(name, text, frontend, parameters)
}

/// The front-end for a file, its name, and its text.
fn read<'f>(
    file: &'f str,
    input: Option<&str>,
) -> Result<(&'static dyn Frontend, &'f str, String), InputError> {
    let frontend = frontend_for(file, input)?;
    let (name, bytes) = read_bytes(file)?;
    let text = match frontend.info().other_encodings {
        true => String::from_utf8_lossy(&bytes).into_owned(),
        false => text_of(name, bytes)?.1,
    };
    Ok((frontend, name, text))
}

/// Reads a model with termination as its only property.
pub fn load_for_termination(
    file: &str,
    input: Option<&str>,
    parameters: &[(String, String)],
) -> Result<Loaded, InputError> {
    let (frontend, name, text) = read(file, input)?;
    load_text_for_termination(name, text, frontend, parameters)
}

/// Reads a model with termination as its only property from a text.
pub fn load_text_for_termination(
    name: &str,
    text: String,
    frontend: &'static dyn Frontend,
    parameters: &[(String, String)],
) -> Result<Loaded, InputError> {
    let options = ReadOptions {
        parameters: parameters.to_vec(),
        termination: true,
        ..ReadOptions::default()
    };
    let mut loaded = load_text_with(name, text, frontend, options)?;
    let Module {
        model, properties, ..
    } = &mut loaded.reading.module;
    *properties = vec![Property {
        name: "terminates".to_string(),
        kind: PropertyKind::Ctl(Ctl::terminates(&loaded.terms)),
        span: model.locations[model.entry.0].span,
    }];
    model.monitored.clear();
    loaded.mark = loaded.terms.mark();
    Ok(loaded)
}

/// Reads a model from a text.
pub fn load_text(
    name: &str,
    text: String,
    frontend: &'static dyn Frontend,
    parameters: &[(String, String)],
) -> Result<Loaded, InputError> {
    let options = ReadOptions {
        parameters: parameters.to_vec(),
        ..ReadOptions::default()
    };
    load_text_with(name, text, frontend, options)
}

/// Reads a model from a text, with any options.
pub fn load_text_with(
    name: &str,
    text: String,
    frontend: &'static dyn Frontend,
    options: ReadOptions,
) -> Result<Loaded, InputError> {
    let source = Source::new(name, text);
    let terms = Terms::new();
    let reading =
        no_parameters(frontend, &options).and_then(|()| frontend.read(&terms, &source, &options));
    match reading {
        Ok(reading) => Ok(Loaded {
            mark: terms.mark(),
            terms,
            source,
            reading,
            frontend,
            parameters: options.parameters,
        }),
        Err(diagnostics) => Err(InputError::of(&diagnostics, &source)),
    }
}

/// Refuses values of parameters if the language has no parameters.
fn no_parameters(frontend: &dyn Frontend, options: &ReadOptions) -> Result<(), Diagnostics> {
    let info = frontend.info();
    let mut diagnostics = Diagnostics::new();
    for (name, value) in options.parameters.iter().filter(|_| !info.parameters) {
        let message = format!("`-D {name}={value}`: there is no parameter `{name}`");
        let help = format!("{} have no parameters", info.texts);
        diagnostics.error("parameter", Span::default(), message, help);
    }
    stop_at_errors(&mut diagnostics)
}
