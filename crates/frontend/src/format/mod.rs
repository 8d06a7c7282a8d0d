//! The formatter of the native language and of the while language.
//!
//! It moves tokens and comments and changes none of them, so that the text means what it meant.
//! Line breaks are the author's; what stands between two tokens of a line, how far lines are
//! indented, and how the columns of tables are aligned is decided here.
//!
//! | what | where |
//! |---|---|
//! | tokens and comments with their places | `pieces.rs` |
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

/// What the formatter must know about a text besides its tokens.
pub(crate) struct Form {
    pub language: Language,
    /// Where declarations and statements begin.
    pub starts: BTreeSet<u32>,
    /// Whether lines may begin with labels, which stand in a column of their own.
    pub labels: bool,
}

/// The text in its usual form. It must be free of mistakes of syntax.
pub(crate) fn format(source: &Source, form: &Form) -> String {
    let all = pieces(source, form.language);
    let mut lines = lines::lines(&all, form);
    tables::align(&mut lines);
    let text = lines::written(&lines);
    // A mistake of ours must not damage a text: it stays as it is then.
    let moved = Source::new(source.name(), text.as_str());
    let same = pieces::same(&all, &pieces(&moved, form.language));
    debug_assert!(same, "the formatter changed a token:\n{text}");
    match same {
        true => text,
        false => source.text().to_string(),
    }
}
