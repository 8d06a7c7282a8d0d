//! Tokens and the words that cannot be names.

use sectile_base::Span;

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of tokens. The text of names and numbers is found through the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// The end of the text.
    End,
    /// An identifier that is no keyword.
    Name,
    /// A name in backquotes.
    Quoted,
    /// A keyword of expressions.
    Word(Word),
    /// A keyword of the language's own.
    Reserved,
    /// A number without a sign.
    Number,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `.`
    Dot,
    /// `..`
    DotDot,
    /// `'`
    Prime,
    /// `?`
    Question,
    /// `:=`
    Assign,
    /// `-->`
    Arrow,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `=`
    Equal,
    /// `==`
    DoubleEqual,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `=>`
    Implies,
    /// `->`
    ThinArrow,
    /// `<=>`
    Iff,
    /// `<->`
    ThinIff,
    /// `&&`
    DoubleAnd,
    /// `||`
    DoubleOr,
    /// `!`
    Bang,
}

/// The keywords of expressions, the same in all languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// `if`
    If,
    /// `then`
    Then,
    /// `else`
    Else,
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `max`
    Max,
    /// `min`
    Min,
    /// `and`
    And,
    /// `or`
    Or,
    /// `not`
    Not,
    /// `in`
    In,
    /// `div`
    Div,
    /// `mod`
    Mod,
    /// `true`
    True,
    /// `false`
    False,
    /// `abs`
    Abs,
    /// `real`
    Real,
    /// `floor`
    Floor,
}

const WORDS: &[(&str, Word)] = &[
    ("if", Word::If),
    ("then", Word::Then),
    ("else", Word::Else),
    ("forall", Word::Forall),
    ("exists", Word::Exists),
    ("max", Word::Max),
    ("min", Word::Min),
    ("and", Word::And),
    ("or", Word::Or),
    ("not", Word::Not),
    ("in", Word::In),
    ("div", Word::Div),
    ("mod", Word::Mod),
    ("true", Word::True),
    ("false", Word::False),
    ("abs", Word::Abs),
    ("real", Word::Real),
    ("floor", Word::Floor),
];

impl Word {
    /// The keyword with this spelling.
    pub fn of(text: &str) -> Option<Word> {
        let found = WORDS.iter().find(|(spelling, _)| *spelling == text);
        found.map(|(_, word)| *word)
    }
}

/// What differs between the languages as far as tokens and operators go.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Keywords besides those of expressions.
    pub reserved: &'static [&'static str],
    /// Whether `&&`, `||`, `!`, `->`, `<->` and `==` may be written for the words and signs.
    pub c_operators: bool,
}

/// Whether a text reads as a name without backquotes, leaving keywords aside.
pub fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(starts_name) && letters.all(continues_name)
}

/// Whether a name may begin with this character.
pub(super) fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Whether a name may go on with this character.
pub(super) fn continues_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
