//! Models read from the zoo or from a text.

use crate::files::model_text;
use sectile_base::Source;
use sectile_frontend::{Frontend, ReadOptions, Reading, frontends};
use sectile_model::{Model, Module, Property, Task};
use sectile_terms::{Term, Terms};

/// A model that was read.
pub struct Read {
    /// The store of its terms.
    pub terms: Terms,
    /// The result of reading.
    pub reading: Reading,
}

/// The front-end with this name or for this ending.
pub fn language(word: &str) -> &'static dyn Frontend {
    let mut all = frontends().iter();
    let found = all.find(|f| [f.info().name, f.info().ending].contains(&word));
    *found.unwrap_or_else(|| panic!("no front-end for {word}"))
}

/// Parameters such as `n=3`, as front-ends take them.
pub fn parameters(list: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    list.iter().map(own).collect()
}

/// A model of the zoo; a name without an ending is one in the native language.
pub fn zoo(name: &str, parameters: &[(&str, &str)]) -> Read {
    read(name, &model_text(name), parameters)
}

/// A model from a text; the ending of the name determines the language, by default the native one.
pub fn read(name: &str, text: &str, parameters: &[(&str, &str)]) -> Read {
    let terms = Terms::new();
    let source = Source::new(name, text);
    let options = ReadOptions {
        parameters: self::parameters(parameters),
        ..ReadOptions::default()
    };
    let ending = name.rsplit_once('.').map_or("sct", |(_, ending)| ending);
    let reading = language(ending).read(&terms, &source, &options);
    let reading = reading.unwrap_or_else(|d| panic!("{text}\n{}", d.render(&source)));
    Read { terms, reading }
}

impl Read {
    /// The model and its properties.
    pub fn module(&self) -> &Module {
        &self.reading.module
    }

    /// The model, which is a system.
    pub fn system(&self) -> &Model {
        assert!(self.module().model.is_system());
        &self.module().model
    }

    /// The property with this name.
    pub fn property(&self, name: &str) -> &Property {
        self.module().property(name).expect("it is stated")
    }

    /// The model with one of its properties.
    pub fn task(&self, property: &str) -> Task<'_> {
        self.task_about(self.property(property))
    }

    /// The model with a property.
    pub fn task_about<'t>(&'t self, property: &'t Property) -> Task<'t> {
        Task {
            terms: &self.terms,
            model: &self.module().model,
            property,
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

    /// A formula in the words of the model.
    pub fn formula(&self, text: &str) -> Term {
        self.formulas(text)[0]
    }
}
