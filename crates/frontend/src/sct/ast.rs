//! Declarations as they were written.

use crate::syntax::{Binder, Claim, Expr, Name, TypeItem};
use sectile_base::Span;

/// A declaration, outside or inside of a process.
#[derive(Debug)]
pub(super) enum Item {
    Parameter(Name, Expr),
    Enumeration(Name, Vec<Name>),
    Symbols(Symbols),
    Definition(Name, Vec<Name>, Expr),
    Condition(ConditionKind, Expr, Span),
    Command(CommandItem),
    Process(ProcessItem),
    Synchronous(Span),
    Property(Claim),
}

/// `var`, `const` or `clock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SymbolsKind {
    Variable,
    Constant,
    Clock,
}

/// `var x, f[i : 0..n] : int = 0`.
#[derive(Debug)]
pub(super) struct Symbols {
    pub kind: SymbolsKind,
    pub declarators: Vec<Declarator>,
    pub sort: TypeItem,
    pub initial: Option<Expr>,
}

/// A name with its indices.
#[derive(Debug)]
pub(super) struct Declarator {
    pub name: Name,
    pub indices: Vec<Binder>,
}

/// What a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConditionKind {
    Assume,
    Init,
    Restrict,
    Stay,
}

/// A guarded command or a relation.
#[derive(Debug)]
pub(super) struct CommandItem {
    pub name: Name,
    pub indices: Vec<Binder>,
    pub when: Option<Expr>,
    pub body: Body,
    pub span: Span,
}

/// What a command does.
#[derive(Debug)]
pub(super) enum Body {
    Guarded(Expr, Vec<Action>),
    /// The chosen values with their types, and the formula.
    Relation(Vec<(Name, TypeItem)>, Expr),
}

/// One of the things that a guarded command does.
#[derive(Debug)]
pub(super) enum Action {
    Skip,
    Assign(Expr, Expr),
    Havoc(Expr),
    /// `target := any name where condition`.
    Any(Expr, Choose),
    /// `any name : type where condition`.
    Choose(Choose, TypeItem),
}

/// A chosen value and what it must satisfy.
#[derive(Debug)]
pub(super) struct Choose {
    pub name: Name,
    pub condition: Option<Expr>,
}

/// `process P[i : 1..n] { ... }`.
#[derive(Debug)]
pub(super) struct ProcessItem {
    pub name: Name,
    pub indices: Vec<Binder>,
    pub items: Vec<Item>,
}
