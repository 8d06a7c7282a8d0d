//! Programs whose names are understood: the language of [Fr23, Def. 1] with terms inside.

use crate::syntax::Name;
use sectile_base::Span;
use sectile_terms::{Symbol, Term};

/// Statements one after the other.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub nodes: Vec<Node>,
    /// Labels behind the last one.
    pub end_labels: Vec<Name>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Node {
    /// Names of the location before it.
    pub labels: Vec<Name>,
    pub kind: NodeKind,
    /// Where it stands; of a conditional or loop, its head.
    pub span: Span,
}

/// The shapes of statements.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// One step, with the text of the statement.
    Step(Action, String),
    /// A chain of conditions, each with what is done where it is the first that holds, and what
    /// is done where none does.
    If(Vec<Arm>, Block),
    While(Choice, Block),
    Block(Block),
}

/// What one step does.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// `x := e`
    Assign(Symbol, Term),
    /// `x := *`, with the input that gives the value.
    Havoc(Symbol, Symbol),
    /// `?Q`
    Test(Term),
    /// `assert`, by its position among the assertions; it does nothing.
    Assert(usize),
    Skip,
}

/// One condition of a chain.
#[derive(Clone, Debug)]
pub struct Arm {
    pub choice: Choice,
    pub body: Block,
    pub span: Span,
}

/// The two tests of a condition; both are `true` for `*`.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Holds where the branch or the round is taken.
    pub yes: Term,
    /// Holds where it is not.
    pub no: Term,
    /// `?Q`
    pub yes_text: String,
    /// `?not (Q)`
    pub no_text: String,
}

impl Block {
    /// Whether nothing happens in it at all, not even `skip`.
    pub fn is_empty(&self) -> bool {
        self.nodes.iter().all(Node::is_empty)
    }
}

impl Node {
    /// Whether it is a block in which nothing happens.
    pub fn is_empty(&self) -> bool {
        match &self.kind {
            NodeKind::Block(inner) => inner.is_empty(),
            _ => false,
        }
    }
}
