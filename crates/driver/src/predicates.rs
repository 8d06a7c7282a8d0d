//! Predicates that the user prescribes.

use crate::load::{InputError, Loaded, rendered};
use sectile_base::{Diagnostics, Source, Span};
use sectile_terms::Term;

/// Reads `p1; p2; ...`, each a condition on the state in the words of the model.
///
/// All mistakes are told, at their places in the text, which is called `name` in messages.
pub fn read(loaded: &Loaded, name: &str, text: &str) -> Result<Vec<Term>, InputError> {
    let whole = Source::new(name, text);
    let mut found = Vec::new();
    let mut mistakes = Diagnostics::new();
    for (start, piece) in pieces(text) {
        let excerpt = at_its_place(&whole, start, piece);
        match loaded.reading.scope.formula(&loaded.terms, &excerpt) {
            Ok(predicate) => found.push(predicate),
            Err(diagnostics) => {
                let moved = diagnostics.relocated(&excerpt, &whole);
                moved.iter().for_each(|d| mistakes.push(d.clone()));
            }
        }
    }
    if mistakes.is_empty() {
        Ok(found)
    } else {
        Err(rendered(&mistakes, &whole))
    }
}

/// The texts between semicolons that are not blank, with their places.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let all = text.split(';').map(move |piece| {
        let at = start;
        start += piece.len() + 1;
        (at, piece)
    });
    all.filter(|(_, piece)| !piece.trim().is_empty())
}

/// The piece behind as many lines and columns as it has before it, so that places stay right.
fn at_its_place(whole: &Source, start: usize, piece: &str) -> Source {
    let at = whole.position(Span::new(start, start).start);
    let padding = "\n".repeat(at.line - 1) + &" ".repeat(at.column - 1);
    Source::new(whole.name(), padding + piece)
}
