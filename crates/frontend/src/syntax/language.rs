//! The differences between languages, as tables for the lexer and the parser.

use super::ast::{Comparison, Connective, Construct, Factor, Sign};
use super::parser::{NESTING, Parsed, Parser};

/// The tokens and expressions of a language.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The keywords; those shared by several languages are in the first list.
    pub words: [&'static [&'static str]; 3],
    /// Operators, brackets and separators, longest first.
    pub signs: &'static [&'static str],
    /// Characters that are spellings of signs or keywords.
    pub spellings: &'static [(char, &'static str)],
    /// Characters that are reported with the sign that was probably meant.
    pub look_alikes: &'static [(char, &'static str)],
    /// Binary operators; the preferred spelling comes first.
    pub operators: &'static [(&'static str, Operator)],
    /// Characters of names besides letters and digits.
    pub letters: &'static str,
    pub literals: Literals,
    /// Whether all spellings of an operator are allowed, or only the preferred one.
    pub all_spellings: bool,
    /// Whether `a < b < c` is two comparisons.
    pub chains_comparisons: bool,
    /// Whether a keyword in place of a name is reported and then read as a name.
    pub takes_keywords_for_names: bool,
    /// Whether comments between `/*` and `*/` nest.
    pub nests_comments: bool,
    /// Reads an operand that is neither a prefix operator nor a conditional.
    pub operand: fn(&mut Parser<'_>, Level) -> Parsed,
    pub help: Help,
}

/// Advice for error messages.
#[derive(Clone, Copy, Debug)]
pub struct Help {
    /// For a keyword where a name is expected; `{}` is replaced by the keyword.
    pub keyword: &'static str,
    /// For a character that belongs to no token.
    pub character: &'static str,
    /// For a comment that is not closed.
    pub comment: &'static str,
    /// For a file that is not text.
    pub encoding: &'static str,
    /// For nesting that is too deep; `{}` is replaced by the limit.
    pub nesting: &'static str,
}

/// The literals of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literals {
    /// Digits with at most one point; names in backquotes.
    Plain,
    /// Exponents, bit-vectors, floating-point numbers and strings as well.
    Boogie,
}

/// The precedence of operators, from loose to tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Iff,
    Implies,
    Or,
    And,
    Until,
    Not,
    Compare,
    Concatenate,
    Sum,
    Product,
    Power,
    Unary,
}

/// A linear-time operator between two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// The first holds until the second does, which happens eventually.
    Until,
    /// The first holds until the second does, or forever.
    Weak,
    /// The second holds until and including the state where the first does, or forever.
    Release,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Connective(Connective),
    /// `a <== b`
    Explies,
    Comparison(Comparison),
    /// `f U g`, `f W g` or `f R g`, in linear time.
    Linear(Linear),
    Sign(Sign),
    Factor(Factor),
    /// An operator that is not supported.
    Unsupported(Level, &'static Construct),
}

impl Operator {
    /// The preferred spelling in the languages with the shared expressions.
    pub fn spelling(self) -> &'static str {
        let found = OPERATORS.iter().find(|(_, operator)| *operator == self);
        found.map_or("", |(text, _)| text)
    }

    /// Its precedence.
    pub fn level(self) -> Level {
        match self {
            Operator::Connective(Connective::Iff) => Level::Iff,
            Operator::Connective(Connective::Implies) | Operator::Explies => Level::Implies,
            Operator::Connective(Connective::Or) => Level::Or,
            Operator::Connective(Connective::And) => Level::And,
            Operator::Comparison(_) => Level::Compare,
            Operator::Linear(_) => Level::Until,
            Operator::Sign(_) => Level::Sum,
            Operator::Factor(_) => Level::Product,
            Operator::Unsupported(level, _) => level,
        }
    }
}

impl Language {
    /// Whether a text is a keyword.
    pub fn is_word(&self, text: &str) -> bool {
        self.words.iter().any(|list| list.contains(&text))
    }

    /// Whether a name may begin with this character.
    pub fn starts_name(&self, c: char) -> bool {
        c.is_alphabetic() || self.letters.contains(c)
    }

    /// Whether a name may contain this character after the first one.
    pub fn continues_name(&self, c: char) -> bool {
        c.is_alphanumeric() || self.letters.contains(c)
    }

    /// Whether a text reads as a name without backquotes.
    pub fn is_name(&self, text: &str) -> bool {
        let mut letters = text.chars();
        letters.next().is_some_and(|c| self.starts_name(c))
            && letters.all(|c| self.continues_name(c))
            && !self.is_word(text)
    }
}

/// A language with the shared expressions.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Keywords besides those of expressions.
    pub reserved: &'static [&'static str],
    /// Keywords that begin properties.
    pub claims: &'static [&'static str],
    /// Whether `&&`, `||`, `!`, `->`, `<->` and `==` are allowed as alternative spellings.
    pub c_operators: bool,
}

impl From<Dialect> for Language {
    fn from(dialect: Dialect) -> Language {
        Language {
            words: [WORDS, dialect.reserved, dialect.claims],
            signs: SIGNS,
            spellings: &[],
            look_alikes: LOOK_ALIKES,
            operators: OPERATORS,
            letters: "_",
            literals: Literals::Plain,
            all_spellings: dialect.c_operators,
            chains_comparisons: true,
            takes_keywords_for_names: true,
            nests_comments: false,
            operand: |parser, context| parser.shared_operand(context),
            help: Help {
                keyword: "keywords cannot be names; in backquotes, `` `{}` ``, it can",
                character: "a name with unusual characters can be written in backquotes",
                comment: "close it with `*/`; comments between `/*` and `*/` do not nest",
                encoding: "models are text in UTF-8; is this the right file?",
                nesting: "at most {} brackets and prefix operators may be open; name parts by \
                          definitions",
            },
        }
    }
}

impl Help {
    /// The advice about deep nesting.
    pub fn about_nesting(self) -> String {
        self.nesting.replace("{}", &NESTING.to_string())
    }
}

/// The keywords of expressions.
const WORDS: &[&str] = &[
    "if", "then", "else", "forall", "exists", "max", "min", "and", "or", "not", "in", "div", "mod",
    "true", "false", "abs", "real",
];

const SIGNS: &[&str] = &[
    "-->", "<=>", "<->", ":=", "..", "=>", "->", "<=", ">=", "!=", "==", "&&", "||", "(", ")", "[",
    "]", "{", "}", ",", ";", ":", ".", "'", "?", "+", "-", "*", "/", "=", "<", ">", "!",
];

const LOOK_ALIKES: &[(char, &str)] = &[
    ('≤', "<="),
    ('≥', ">="),
    ('≠', "!="),
    ('∧', "and"),
    ('∨', "or"),
    ('¬', "not"),
    ('⇒', "=>"),
    ('→', "-->"),
    ('⇔', "<=>"),
    ('↔', "<=>"),
    ('∀', "forall"),
    ('∃', "exists"),
    ('∈', "in"),
    ('−', "-"),
    ('–', "-"),
    ('·', "*"),
    ('×', "*"),
    ('&', "and"),
    ('|', "or"),
    ('~', "not"),
    ('%', "mod"),
    ('’', "'"),
    ('′', "'"),
];

const OPERATORS: &[(&str, Operator)] = &[
    ("<=>", Operator::Connective(Connective::Iff)),
    ("<->", Operator::Connective(Connective::Iff)),
    ("=>", Operator::Connective(Connective::Implies)),
    ("->", Operator::Connective(Connective::Implies)),
    ("or", Operator::Connective(Connective::Or)),
    ("||", Operator::Connective(Connective::Or)),
    ("and", Operator::Connective(Connective::And)),
    ("&&", Operator::Connective(Connective::And)),
    ("=", Operator::Comparison(Comparison::Equal)),
    ("==", Operator::Comparison(Comparison::Equal)),
    ("!=", Operator::Comparison(Comparison::NotEqual)),
    ("<", Operator::Comparison(Comparison::Less)),
    ("<=", Operator::Comparison(Comparison::LessEqual)),
    (">", Operator::Comparison(Comparison::Greater)),
    (">=", Operator::Comparison(Comparison::GreaterEqual)),
    ("in", Operator::Comparison(Comparison::In)),
    ("+", Operator::Sign(Sign::Plus)),
    ("-", Operator::Sign(Sign::Minus)),
    ("*", Operator::Factor(Factor::Times)),
    ("/", Operator::Factor(Factor::Over)),
    ("div", Operator::Factor(Factor::Div)),
    ("mod", Operator::Factor(Factor::Mod)),
];
