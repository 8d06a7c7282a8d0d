//! Models, read from text.

use super::error::Error;
use super::outcome::Warning;
use sectile_driver::{Loaded, load_text, load_text_for_termination};
use sectile_frontend::input::{frontend_for, read_bytes, text_of};
use sectile_frontend::{Frontend, frontends};
use std::path::Path;
use std::str::FromStr;

/// An input language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// The native language, `.sct`: transition systems and processes.
    Sct,
    /// While programs, `.imp`.
    Imp,
    /// Boogie programs, `.bpl`.
    Boogie,
    /// Constrained Horn clauses, `.smt2`. They are satisfiable if their property holds.
    Chc,
    /// VMT-LIB, `.vmt`.
    Vmt,
}

impl Language {
    /// The name of the language on the command line and in other languages' interfaces.
    pub fn name(self) -> &'static str {
        match self {
            Language::Sct => "sct",
            Language::Imp => "imp",
            Language::Boogie => "boogie",
            Language::Chc => "chc",
            Language::Vmt => "vmt",
        }
    }

    /// The language of a file, by its ending.
    ///
    /// ```
    /// use sectile::Language;
    /// assert_eq!(Language::of_file("models/bakery.sct").ok(), Some(Language::Sct));
    /// assert!(Language::of_file("notes.txt").is_err());
    /// ```
    pub fn of_file(path: impl AsRef<Path>) -> Result<Language, Error> {
        let frontend = frontend_for(&path.as_ref().to_string_lossy(), None)?;
        Language::from_str(frontend.info().name)
    }

    fn frontend(self) -> Result<&'static dyn Frontend, Error> {
        let found = frontends().iter().find(|f| f.info().name == self.name());
        let missing = || Error::Internal(format!("no front-end is called {}", self.name()));
        found.copied().ok_or_else(missing)
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(name: &str) -> Result<Language, Error> {
        use Language::{Boogie, Chc, Imp, Sct, Vmt};
        let all = [Sct, Imp, Boogie, Chc, Vmt];
        all.into_iter().find(|l| l.name() == name).ok_or_else(|| {
            let names = all.map(Language::name).join(", ");
            Error::Request(format!(
                "there is no input language `{name}`; there are {names}"
            ))
        })
    }
}

/// Options for reading a text, where [`Model::read`] is not enough.
///
/// ```
/// use sectile::{Language, Reader};
///
/// let text = "param n = 3\nvar x : 0..n = 0\nup: x < n --> x := x + 1\ninvariant p: x <= n";
/// let model = Reader::new(Language::Sct).define("n", 5).read(text)?;
/// assert_eq!(model.parameters(), [("n".to_string(), "5".to_string())]);
/// # Ok::<(), sectile::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    language: Language,
    name: String,
    parameters: Vec<(String, String)>,
    termination: bool,
    infinite_paths: bool,
}

impl Reader {
    /// A reader for a language.
    pub fn new(language: Language) -> Reader {
        Reader {
            language,
            name: "<text>".to_string(),
            parameters: Vec::new(),
            termination: false,
            infinite_paths: false,
        }
    }

    /// Sets the name of the text in messages and certificates.
    pub fn name(mut self, name: impl Into<String>) -> Reader {
        self.name = name.into();
        self
    }

    /// Sets a parameter of the model, as `-D NAME=VALUE` does.
    pub fn define(mut self, name: impl Into<String>, value: impl ToString) -> Reader {
        self.parameters.push((name.into(), value.to_string()));
        self
    }

    /// Replaces the properties of the text by one, `terminates`: all runs end.
    pub fn termination(mut self) -> Reader {
        self.termination = true;
        self
    }

    /// Restricts CTL formulas to infinite paths.
    pub fn infinite_paths(mut self) -> Reader {
        self.infinite_paths = true;
        self
    }

    /// Reads a text.
    pub fn read(&self, text: impl Into<String>) -> Result<Model, Error> {
        if self.termination && self.language == Language::Chc {
            let why = "Horn clauses have no runs: termination is about programs";
            return Err(Error::Request(why.to_string()));
        }
        let frontend = self.language.frontend()?;
        let (name, text) = (self.name.as_str(), text.into());
        let mut loaded = match self.termination {
            true => load_text_for_termination(name, text, frontend, &self.parameters)?,
            false => load_text(name, text, frontend, &self.parameters)?,
        };
        if self.infinite_paths {
            loaded.use_infinite_paths();
        }
        Ok(Model {
            loaded,
            language: self.language,
        })
    }

    /// Reads a file, whose name becomes the name of the text.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Model, Error> {
        let file = path.as_ref().to_string_lossy();
        let (name, bytes) = read_bytes(&file)?;
        let text = match self.language.frontend()?.info().other_encodings {
            true => String::from_utf8_lossy(&bytes).into_owned(),
            false => text_of(name, bytes)?.1,
        };
        self.clone().name(name).read(text)
    }
}

/// A model with its properties.
///
/// It can be sent to another thread, but not be used by two at the same time.
pub struct Model {
    loaded: Loaded,
    language: Language,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Model");
        shown.field("name", &self.name());
        shown.field("language", &self.language);
        shown.finish_non_exhaustive()
    }
}

impl Model {
    /// Reads a text. All mistakes are reported, with their positions.
    ///
    /// ```
    /// use sectile::{Error, Language, Model};
    ///
    /// let wrong = Model::read(Language::Sct, "var x : int = false");
    /// let Err(Error::Input(message)) = wrong else { panic!() };
    /// assert!(message.contains("<text>:1:15"), "{message}");
    /// ```
    pub fn read(language: Language, text: impl Into<String>) -> Result<Model, Error> {
        Reader::new(language).read(text)
    }

    /// Reads a file in the language of its ending.
    ///
    /// ```
    /// # let bakery = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/bakery.sct");
    /// # if !std::path::Path::new(bakery).exists() { return Ok(()) } // a package without the tree
    /// let model = sectile::Model::open(bakery)?;
    /// assert_eq!(model.properties().collect::<Vec<_>>(), ["mutex"]);
    /// # Ok::<(), sectile::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Model, Error> {
        Reader::new(Language::of_file(path.as_ref())?).open(path)
    }

    /// The names of its properties, in the order of the text.
    pub fn properties(&self) -> impl Iterator<Item = &str> {
        let properties = self.loaded.reading.module.properties.iter();
        properties.map(|p| p.name.as_str())
    }

    /// Its parameters with their values.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let all = self.loaded.reading.module.parameters.iter();
        all.map(|(name, value)| (name.clone(), value.to_string()))
            .collect()
    }

    /// Warnings about probable mistakes that are noticed while the text is read.
    pub fn warnings(&self) -> Vec<Warning> {
        let source = &self.loaded.source;
        let all = self.loaded.reading.warnings.iter();
        all.map(|d| Warning::of(&sectile_report::Warning::at(d, source)))
            .collect()
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        self.loaded.source.name()
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        self.loaded.source.text()
    }

    /// The language of the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// For the command line, which shows more of the model.
    #[doc(hidden)]
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// For the command line, which reads files in more ways.
    #[doc(hidden)]
    pub fn of(loaded: Loaded) -> Result<Model, Error> {
        let language = Language::from_str(loaded.frontend.info().name)?;
        Ok(Model { loaded, language })
    }
}
