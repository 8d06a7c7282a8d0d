//! The formatter of the native language and of the while language.
//!
//! It moves tokens and comments but changes none, so that the meaning of the text stays the same.
//! Line breaks are those of the author; the formatter decides about blanks between the tokens of a
//! line, indentation, and the alignment of columns in tables.
//!
//! | what | where |
//! |---|---|
//! | tokens and comments with their positions | `pieces.rs` |
//! | blanks between two tokens | `spacing.rs` |
//! | lines and their indentation | `lines.rs` |
//! | columns that the author aligned | `tables.rs` |

mod lines;
mod pieces;
mod spacing;
mod tables;

use crate::syntax::Language;
use pieces::pieces;
use sectile_base::Source;
use std::collections::BTreeSet;

/// Information about a text besides its tokens.
pub(crate) struct Form {
    pub language: Language,
    /// The positions where declarations and statements begin.
    pub starts: BTreeSet<u32>,
    /// Whether lines may begin with labels, which get a column of their own.
    pub labels: bool,
}

/// The formatted text. It must not have syntax errors.
pub(crate) fn format(source: &Source, form: &Form) -> String {
    let all = pieces(source, form.language);
    let mut lines = lines::lines(&all, form);
    tables::align(&mut lines);
    let text = lines::written(&lines);
    // As a safeguard against bugs, the text is returned unchanged if a token was changed.
    let moved = Source::new(source.name(), text.as_str());
    let same = pieces::same(&all, &pieces(&moved, form.language));
    debug_assert!(same, "the formatter changed a token:\n{text}");
    match same {
        true => text,
        false => source.text().to_string(),
    }
}
