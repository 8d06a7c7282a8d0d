//! The tables of the language, and attributes.

use super::constructs::{BIT_VECTOR, PARTIAL_ORDER, POWER};
use crate::syntax::{
    Comparison, Connective, Factor, Help, Language, Level, Literals, Operator, Sign,
};
pub use crate::syntax::{Parsed, Parser, Reported};

/// The tokens and operators of Boogie.
pub const LANGUAGE: Language = Language {
    words: [
        &[
            "assert", "assume", "axiom", "bool", "break", "call", "complete", "const", "div",
            "else", "ensures", "exists", "extends", "false", "finite", "forall", "free",
            "function", "goto", "havoc", "if", "int", "lambda", "mod", "modifies", "old", "real",
            "requires", "return", "returns", "then", "true", "type", "unique", "var", "where",
            "while",
        ],
        &["implementation", "invariant", "procedure"],
        &[],
    ],
    signs: &[
        "<==>", "==>", "<==", ":=", "::", "==", "!=", "<=", ">=", "&&", "||", "<:", "++", "**",
        "(", ")", "[", "]", "{", "}", ",", ";", ":", "<", ">", "+", "-", "*", "/", "%", "!", "=",
        "|",
    ],
    spellings: &[
        ('⇔', "<==>"),
        ('⇒', "==>"),
        ('⇐', "<=="),
        ('∧', "&&"),
        ('∨', "||"),
        ('¬', "!"),
        ('≠', "!="),
        ('≤', "<="),
        ('≥', ">="),
        ('•', "::"),
        ('∀', "forall"),
        ('∃', "exists"),
        ('λ', "lambda"),
    ],
    look_alikes: &[('&', "&&"), ('−', "-"), ('–', "-"), ('·', "*"), ('×', "*")],
    operators: &[
        ("<==>", Operator::Connective(Connective::Iff)),
        ("==>", Operator::Connective(Connective::Implies)),
        ("<==", Operator::Explies),
        ("||", Operator::Connective(Connective::Or)),
        ("&&", Operator::Connective(Connective::And)),
        ("==", Operator::Comparison(Comparison::Equal)),
        ("!=", Operator::Comparison(Comparison::NotEqual)),
        ("<", Operator::Comparison(Comparison::Less)),
        ("<=", Operator::Comparison(Comparison::LessEqual)),
        (">", Operator::Comparison(Comparison::Greater)),
        (">=", Operator::Comparison(Comparison::GreaterEqual)),
        ("<:", Operator::Unsupported(Level::Compare, &PARTIAL_ORDER)),
        ("++", Operator::Unsupported(Level::Concatenate, &BIT_VECTOR)),
        ("+", Operator::Sign(Sign::Plus)),
        ("-", Operator::Sign(Sign::Minus)),
        ("*", Operator::Factor(Factor::Times)),
        ("/", Operator::Factor(Factor::Over)),
        ("div", Operator::Factor(Factor::Div)),
        ("mod", Operator::Factor(Factor::Mod)),
        ("%", Operator::Factor(Factor::Mod)),
        ("**", Operator::Unsupported(Level::Power, &POWER)),
    ],
    letters: "_.$#'`~^?\\",
    literals: Literals::Boogie,
    all_spellings: true,
    chains_comparisons: false,
    takes_keywords_for_names: false,
    nests_comments: true,
    operand: super::expressions::operand,
    help: Help {
        keyword: "words of the language cannot be names; `\\` before one makes it a name",
        character: "Boogie has no such sign",
        comment: "close it with `*/`",
        encoding: "programs are text in UTF-8; is this the right file?",
        nesting: "at most {} brackets, blocks and prefix operators may be open",
    },
};

/// Skips any number of `{:name arguments}` and returns the names.
pub fn attributes<'s>(p: &mut Parser<'s>) -> Parsed<Vec<&'s str>> {
    let mut names = Vec::new();
    while p.at("{") && p.at_ahead(1, ":") {
        let open = p.advance().span;
        let outside = p.open_braces() - 1;
        p.advance();
        names.push(p.peek().text);
        while p.open_braces() > outside {
            if p.at_end() {
                p.close(open, "}")?;
            }
            p.advance();
        }
    }
    Ok(names)
}
