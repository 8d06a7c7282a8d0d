//! Reading files.

use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_frontend::{Frontend, ReadOptions, Reading, frontends};
use sectile_terms::Terms;
use std::io::Read as _;
use std::path::Path;

/// A file that was understood.
pub struct Loaded {
    /// The store of its terms.
    pub terms: Terms,
    /// Its text.
    pub source: Source,
    /// What it says.
    pub reading: Reading,
    /// The front-end that read it.
    pub frontend: &'static dyn Frontend,
    /// The values of parameters that were given, as typed.
    pub parameters: Vec<(String, String)>,
    /// Whether its formulas were changed to speak of infinite paths only.
    pub infinite_paths: bool,
}

impl Loaded {
    /// From now on its formulas speak of infinite paths only, also where it is read again.
    pub fn use_infinite_paths(&mut self) {
        if !self.infinite_paths {
            self.reading.module.use_infinite_paths(&self.terms);
            self.infinite_paths = true;
        }
    }
}

/// A file that cannot be used, with the whole message for the user.
#[derive(Clone, Debug)]
pub struct InputError {
    /// The message, rendered.
    pub message: String,
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message.trim_end())
    }
}

impl std::error::Error for InputError {}

/// Larger files are refused: they are not models, and positions are 32 bits wide.
const LARGEST: u64 = 1 << 30;

fn unreadable(message: String) -> InputError {
    InputError {
        message: format!("error[input]: {message}\n"),
    }
}

/// Reads a file, or standard input for `-`.
pub fn read_text(file: &str) -> Result<(String, String), InputError> {
    let (name, bytes) = read_bytes(file)?;
    text_of(name, bytes)
}

fn read_bytes(file: &str) -> Result<(&str, Vec<u8>), InputError> {
    let mut bytes = Vec::new();
    let name = if file == "-" { "<stdin>" } else { file };
    let read = if file == "-" {
        std::io::stdin()
            .lock()
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|f| f.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|e| unreadable(format!("cannot read `{name}`: {e}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(unreadable(format!("`{name}` is larger than 1 GiB")));
    }
    Ok((name, bytes))
}

/// The text that bytes are.
fn text_of(name: &str, bytes: Vec<u8>) -> Result<(String, String), InputError> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name.to_string(), text)),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
            let source = Source::new(name, text);
            let diagnostic =
                Diagnostic::error("input", Span::new(at, at + 1), "this is not UTF-8 text")
                    .help("model files are text; is this the right file?");
            Err(InputError {
                message: diagnostic.render(&source),
            })
        }
    }
}

/// The front-end for a file: the one asked for, or the one its ending names.
fn frontend_for(file: &str, input: Option<&str>) -> Result<&'static dyn Frontend, InputError> {
    let known = || {
        let names = frontends()
            .iter()
            .map(|f| format!("{} (.{})", f.name(), f.endings().join(", .")));
        names.collect::<Vec<_>>().join(", ")
    };
    if let Some(name) = input {
        let found = frontends().iter().find(|f| f.name() == name);
        return found.copied().ok_or_else(|| {
            unreadable(format!(
                "there is no input language `{name}`; there are {}",
                known()
            ))
        });
    }
    let ending = Path::new(file).extension().and_then(|e| e.to_str());
    let Some(ending) = ending else {
        return Err(unreadable(format!(
            "the language of `{file}` is not known; choose one with --input: {}",
            known()
        )));
    };
    let found = frontends().iter().find(|f| f.endings().contains(&ending));
    found.copied().ok_or_else(|| {
        unreadable(format!(
            "no input language has the ending `.{ending}`; there are {}",
            known()
        ))
    })
}

/// Reads a model from a file, or from standard input for `-`.
pub fn load(
    file: &str,
    input: Option<&str>,
    parameters: &[(String, String)],
) -> Result<Loaded, InputError> {
    let frontend = frontend_for(file, input)?;
    let (name, bytes) = read_bytes(file)?;
    let text = match frontend.takes_other_encodings() {
        true => String::from_utf8_lossy(&bytes).into_owned(),
        false => text_of(name, bytes)?.1,
    };
    load_text(name, text, frontend, parameters)
}

/// Reads a model from a text.
pub fn load_text(
    name: &str,
    text: String,
    frontend: &'static dyn Frontend,
    parameters: &[(String, String)],
) -> Result<Loaded, InputError> {
    let source = Source::new(name, text);
    let terms = Terms::new();
    let options = ReadOptions {
        parameters: parameters.to_vec(),
    };
    match frontend.read(&terms, &source, &options) {
        Ok(reading) => Ok(Loaded {
            terms,
            source,
            reading,
            frontend,
            parameters: options.parameters,
            infinite_paths: false,
        }),
        Err(diagnostics) => Err(rendered(&diagnostics, &source)),
    }
}

/// Diagnostics as one message.
pub fn rendered(diagnostics: &Diagnostics, source: &Source) -> InputError {
    InputError {
        message: diagnostics.render(source),
    }
}
