//! Reads files and chooses the front-end, before a text is parsed.

use crate::messages::Report as _;
use crate::{Frontend, Scope, frontends};
use sectile_base::{Diagnostics, Source, Span};
use sectile_terms::{Term, Terms};
use std::io::Read as _;
use std::path::Path;

/// A file that cannot be used, with the complete message for the user.
#[derive(Clone, Debug)]
pub struct InputError {
    /// The message, ready to be shown.
    pub message: String,
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message.trim_end())
    }
}

impl std::error::Error for InputError {}

/// The maximum size of files: larger ones are not models, and positions have 32 bits.
const LARGEST: u64 = 1 << 30;

impl InputError {
    fn new(message: &str) -> InputError {
        InputError {
            message: format!("error[input]: {message}\n"),
        }
    }

    /// Diagnostics as one message.
    pub fn of(diagnostics: &Diagnostics, source: &Source) -> InputError {
        InputError {
            message: diagnostics.render(source),
        }
    }
}

/// Reads a file, or standard input for `-`; returns its name and its text.
pub fn read_text(file: &str) -> Result<(String, String), InputError> {
    let (name, bytes) = read_bytes(file)?;
    text_of(name, bytes)
}

/// Reads a file, or standard input for `-`; returns its name and its bytes.
pub fn read_bytes(file: &str) -> Result<(&str, Vec<u8>), InputError> {
    let mut bytes = Vec::new();
    let name = if file == "-" { "<stdin>" } else { file };
    let most = LARGEST + 1;
    let read = match file {
        "-" => std::io::stdin().lock().take(most).read_to_end(&mut bytes),
        _ => std::fs::File::open(file).and_then(|f| f.take(most).read_to_end(&mut bytes)),
    };
    read.map_err(|e| InputError::new(&format!("cannot read `{name}`: {e}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(InputError::new(&format!("`{name}` is larger than 1 GiB")));
    }
    Ok((name, bytes))
}

/// Bytes as text, with the name of the file.
pub fn text_of(name: &str, bytes: Vec<u8>) -> Result<(String, String), InputError> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name.to_string(), text)),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
            let mut wrong = Diagnostics::new();
            let help = "model files are text; is this the right file?";
            wrong.error(
                "input",
                Span::new(at, at + 1),
                "this is not UTF-8 text",
                help,
            );
            Err(InputError::of(&wrong, &Source::new(name, text)))
        }
    }
}

/// The front-end for a file: the one that was chosen, or that of its extension.
pub fn frontend_for(file: &str, input: Option<&str>) -> Result<&'static dyn Frontend, InputError> {
    let mut all = frontends().iter();
    let ending = Path::new(file).extension().and_then(|e| e.to_str());
    let (found, problem) = match (input, ending) {
        (Some(name), _) => {
            let problem = format!("there is no input language `{name}`; there are");
            (all.find(|f| f.info().name == name), problem)
        }
        (None, Some(ending)) => {
            let problem = format!("no input language has the ending `.{ending}`; there are");
            (all.find(|f| f.info().ending == ending), problem)
        }
        (None, None) => {
            let help = "choose one with --input:";
            (
                None,
                format!("the language of `{file}` is not known; {help}"),
            )
        }
    };
    found.copied().ok_or_else(|| {
        let known = frontends().iter();
        let known = known.map(|f| f.info());
        let known = known.map(|i| format!("{} (.{})", i.name, i.ending));
        let known = known.collect::<Vec<_>>().join(", ");
        InputError::new(&format!("{problem} {known}"))
    })
}

/// Reads `p1; p2; ...`, each a condition on the state in the language of the model.
///
/// All errors are reported with their positions in the text, which is called `name` in messages.
pub fn read_formulas(
    terms: &Terms,
    scope: &Scope,
    name: &str,
    text: &str,
) -> Result<Vec<Term>, InputError> {
    let whole = Source::new(name, text);
    let mut found = Vec::new();
    let mut mistakes = Diagnostics::new();
    for (start, piece) in pieces(text) {
        match read_at(&whole, start, piece, |s| scope.formula(terms, s)) {
            Ok(predicate) => found.push(predicate),
            Err(wrong) => wrong.iter().for_each(|d| mistakes.push(d.clone())),
        }
    }
    match mistakes.is_empty() {
        true => Ok(found),
        false => Err(InputError::of(&mistakes, &whole)),
    }
}

/// The nonblank texts between semicolons, with their positions.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let all = text.split(';').map(move |piece| {
        let at = start;
        start += piece.len() + 1;
        (at, piece)
    });
    all.filter(|(_, piece)| !piece.trim().is_empty())
}

/// Reads a piece of a text. If that fails, it is read again at its position in the whole text, for
/// correct positions in messages. Doing this always would be slow for long texts with many pieces.
pub(crate) fn read_at<T>(
    whole: &Source,
    start: usize,
    piece: &str,
    read: impl Fn(&Source) -> Result<T, Diagnostics>,
) -> Result<T, Diagnostics> {
    if let Ok(found) = read(&Source::new(whole.name(), piece)) {
        return Ok(found);
    }
    let at = whole.position(Span::new(start, start).start);
    let padding = "\n".repeat(at.line - 1) + &" ".repeat(at.column - 1);
    let excerpt = Source::new(whole.name(), padding + piece);
    read(&excerpt).map_err(|d| d.relocated(&excerpt, whole))
}
