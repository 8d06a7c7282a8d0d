//! The syntax tree of declarations.

use crate::elaborate::{Aggregate, element_name};
use crate::syntax::{Binder, Claim, Expr, Name, TypeItem};
use sectile_base::Span;
use std::sync::Arc;

/// A declaration, outside or inside of a process.
#[derive(Debug)]
pub(super) enum Item {
    Parameter(Parameter),
    Enumeration(Name, Vec<Name>),
    /// `type msg = record {...}`.
    Type(Name, TypeItem),
    Symbols(Symbols),
    Function(FunctionItem),
    Channel(ChannelItem),
    /// The records and channels of a declaration, added after their variables have been declared.
    Aggregates(Vec<(Arc<str>, Arc<Aggregate>)>),
    Definition(Name, Vec<Name>, Expr),
    Condition(ConditionKind, Expr, Span),
    Command(CommandItem),
    Process(ProcessItem),
    Synchronous(Span),
    Property(Claim),
}

/// `param n : 1..8 = 3`.
#[derive(Debug)]
pub(super) struct Parameter {
    pub name: Name,
    /// The minimum and maximum, if declared.
    pub range: Option<(Expr, Expr)>,
    pub default: Expr,
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

/// `function f(int, bool) : int`, or `predicate p(int)`.
#[derive(Debug)]
pub(super) struct FunctionItem {
    pub name: Name,
    pub arguments: Vec<TypeItem>,
    pub result: TypeItem,
    pub span: Span,
}

/// `chan c, d[i : 1..n] : 4 of msg`; without a capacity it is unbounded.
#[derive(Debug)]
pub(super) struct ChannelItem {
    pub declarators: Vec<Declarator>,
    pub capacity: Option<Expr>,
    pub holds: TypeItem,
}

/// A name with its indices.
#[derive(Clone, Debug)]
pub(super) struct Declarator {
    pub name: Name,
    pub indices: Vec<Binder>,
    /// The length of the part of the name before the indices: `q` of `q.kind`, for `q[1].kind`.
    pub front: usize,
}

impl Declarator {
    /// The name of the element with these indices.
    pub fn element(&self, indices: &[i64]) -> String {
        let (front, field) = self.name.text.split_at(self.front);
        format!("{}{field}", element_name(front, indices))
    }
}

/// The kind of a condition.
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
    /// Its fairness, if any.
    pub fairness: Option<FairItem>,
    pub span: Span,
}

/// `fair` or `strongly fair`, with an optional constant condition after `if`.
#[derive(Debug)]
pub(super) struct FairItem {
    pub fairness: Fairness,
    pub condition: Option<Expr>,
}

/// The kinds of fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fairness {
    /// `fair`: taken infinitely often if continuously enabled from some time on.
    Weak,
    /// `strongly fair`: taken infinitely often if enabled infinitely often.
    Strong,
}

/// The body of a command.
#[derive(Debug)]
pub(super) enum Body {
    Guarded(Expr, Vec<Action>),
    /// The chosen values with their types, and the formula.
    Relation(Vec<(Name, TypeItem)>, Expr),
}

/// An action of a guarded command.
#[derive(Debug)]
pub(super) enum Action {
    Skip,
    Assign(Expr, Expr),
    Havoc(Expr),
    /// `send(c, e)`: the channel and the message.
    Send(Expr, Expr),
    /// `receive(c, x)`: the channel and the target of the message, if any.
    Receive(Expr, Option<Expr>),
    /// `target := any name where condition`.
    Any(Expr, Choose),
    /// `any name : type where condition`.
    Choose(Choose, TypeItem),
    ForAll(ForAll),
    /// `if c then a else if d then b else e`: the conditions with their actions, and the actions of
    /// the final `else`.
    If(Vec<(Expr, Vec<Action>)>, Vec<Action>),
}

/// `forall j in 0..n-1 with j != i: actions`.
#[derive(Debug)]
pub(super) struct ForAll {
    pub binders: Vec<Binder>,
    pub condition: Option<Expr>,
    pub actions: Vec<Action>,
    pub span: Span,
}

impl Action {
    /// The actions inside of this one.
    fn inner(&self) -> Vec<&Action> {
        match self {
            Action::ForAll(all) => all.actions.iter().collect(),
            Action::If(branches, otherwise) => {
                let branches = branches.iter().flat_map(|(_, actions)| actions);
                branches.chain(otherwise).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The expressions of the action itself.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Action::Skip => Vec::new(),
            Action::Assign(target, value) => vec![target, value],
            Action::Havoc(target) => vec![target],
            Action::Send(channel, message) => vec![channel, message],
            Action::Receive(channel, target) => std::iter::once(channel).chain(target).collect(),
            Action::Any(target, choose) => {
                std::iter::once(target).chain(&choose.condition).collect()
            }
            Action::Choose(choose, _) => choose.condition.iter().collect(),
            Action::ForAll(all) => {
                let ends = all.binders.iter().flat_map(|b| [&b.low, &b.high]);
                ends.chain(&all.condition).collect()
            }
            Action::If(branches, _) => branches.iter().map(|(c, _)| c).collect(),
        }
    }
}

/// All actions, including nested ones, in the order of the text.
pub(super) fn all_actions(actions: &[Action]) -> Vec<&Action> {
    let mut found = Vec::new();
    let mut open: Vec<&Action> = actions.iter().rev().collect();
    while let Some(action) = open.pop() {
        found.push(action);
        open.extend(action.inner().into_iter().rev());
    }
    found
}

/// A chosen value and its condition.
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
    /// The fairness of its steps, taken together, if any.
    pub fairness: Option<FairItem>,
}
