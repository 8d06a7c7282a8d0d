//! Outlines for editors: the declarations of a text, and the uses of their names.
//!
//! An outline is computed for texts with errors as well; it is as complete as they allow. It does
//! not cover values: only reading a text decides whether it is valid.
//!
//! | what | where |
//! |---|---|
//! | declarations and their scopes | `collect.rs` |
//! | the meaning of every name in the text | `resolve.rs` |

mod collect;
mod resolve;

pub(crate) use collect::{Collector, type_text};

use sectile_base::Span;

/// The declarations of a text and the uses of their names.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The declarations, in the order of the text.
    pub symbols: Vec<OutlineSymbol>,
    /// The uses of all resolved names, in the order of the text.
    pub uses: Vec<Use>,
    /// The keywords of the language.
    pub keywords: Vec<&'static str>,
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct OutlineSymbol {
    /// The name, without backquotes.
    pub name: String,
    /// Its kind.
    pub kind: OutlineKind,
    /// The position of the name in its declaration.
    pub span: Span,
    /// The whole declaration.
    pub whole: Span,
    /// The process, type or enumeration that it belongs to.
    pub parent: Option<usize>,
    /// Its type as written, if it has one.
    pub sort: String,
    /// The part of the text in which its name alone refers to it.
    scope: Span,
}

/// The kind of a declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// `param`
    Parameter,
    /// `const`
    Constant,
    /// `var`
    Variable,
    /// `clock`
    Clock,
    /// `chan`
    Channel,
    /// A named type.
    Type,
    /// A value of an enumeration.
    Value,
    /// A field of a record.
    Field,
    /// `function` or `predicate`
    Function,
    /// `define`
    Definition,
    /// A command or a relation.
    Command,
    /// `process`
    Process,
    /// Something that is claimed.
    Property,
    /// An index, an argument or a chosen value.
    Local,
    /// A label of a program.
    Label,
}

impl OutlineKind {
    /// The word for the kind.
    pub fn word(self) -> &'static str {
        match self {
            OutlineKind::Parameter => "parameter",
            OutlineKind::Constant => "constant",
            OutlineKind::Variable => "variable",
            OutlineKind::Clock => "clock",
            OutlineKind::Channel => "channel",
            OutlineKind::Type => "type",
            OutlineKind::Value => "value",
            OutlineKind::Field => "field",
            OutlineKind::Function => "function",
            OutlineKind::Definition => "definition",
            OutlineKind::Command => "command",
            OutlineKind::Process => "process",
            OutlineKind::Property => "property",
            OutlineKind::Local => "local name",
            OutlineKind::Label => "label",
        }
    }
}

/// One occurrence of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The name.
    pub span: Span,
    /// The symbol that it refers to.
    pub symbol: usize,
    /// Whether the symbol is assigned there.
    pub written: bool,
    /// Whether it is declared there.
    pub declares: bool,
}

impl Outline {
    /// The use at an offset, or directly before it.
    pub fn at(&self, offset: u32) -> Option<Use> {
        let mut uses = self.uses.iter().copied();
        uses.find(|u| u.span.start <= offset && offset <= u.span.end)
    }

    /// All uses of a symbol, its declaration included.
    pub fn uses_of(&self, symbol: usize) -> impl Iterator<Item = Use> + '_ {
        self.uses
            .iter()
            .copied()
            .filter(move |u| u.symbol == symbol)
    }

    /// The symbols that their names alone refer to at an offset.
    pub fn known_at(&self, offset: u32) -> impl Iterator<Item = &OutlineSymbol> {
        let known = move |s: &&OutlineSymbol| s.scope.start <= offset && offset <= s.scope.end;
        self.symbols.iter().filter(known)
    }

    /// The members of a symbol: variables of a process, fields of a record.
    pub fn members(&self, parent: usize) -> impl Iterator<Item = &OutlineSymbol> {
        self.symbols
            .iter()
            .filter(move |s| s.parent == Some(parent))
    }

    /// The members that may follow a name and a dot: those of a process, of a type, or of a
    /// variable whose type is a record.
    pub fn members_of(&self, symbol: usize) -> Vec<&OutlineSymbol> {
        let owner = &self.symbols[symbol];
        let typed = |s: &OutlineSymbol| s.kind == OutlineKind::Type && s.name == owner.sort;
        let of_type = self.symbols.iter().position(typed);
        let named = |s: &&OutlineSymbol| s.kind != OutlineKind::Local;
        let own: Vec<_> = self.members(symbol).filter(named).collect();
        match of_type {
            Some(record) if own.is_empty() => self.members(record).collect(),
            _ => own,
        }
    }
}
