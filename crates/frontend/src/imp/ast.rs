//! The syntax tree of programs.

use crate::syntax::{Arm, Claim, Expr, Name, TypeItem};
use sectile_base::Span;

/// A complete file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// `param NAME = e`, in order.
    pub parameters: Vec<(Name, Expr)>,
    /// `var x : T`, in order.
    pub variables: Vec<(Name, TypeItem)>,
    /// `init Q`, in order.
    pub initial: Vec<Expr>,
    pub body: Block,
    /// Properties besides the assertions in statements.
    pub claims: Vec<Claim>,
}

/// A sequence of statements.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub statements: Vec<Statement>,
    /// Labels after the last statement.
    pub end_labels: Vec<Name>,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Names of the location before it.
    pub labels: Vec<Name>,
    pub kind: StatementKind,
    /// Its position; for a conditional or loop, that of its head.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `x := e`
    Assign(Name, Expr),
    /// `x := *`
    Havoc(Name),
    /// `?Q` or `assume Q`
    Test(Expr),
    /// `assert Q` or `assert NAME: Q`
    Assert(Option<Name>, Expr),
    Skip,
    /// `if (Q) a else if (R) b else c`
    If(Vec<Arm<Block>>, Option<Block>),
    /// `while (Q) a`; `None` is `*`.
    While(Option<Expr>, Block),
    /// `loop { a }` or `{ a }*`
    Loop(Block),
    /// `{ a; b }`
    Block(Block),
}

impl Block {
    /// Whether it contains no statements, not even `skip`.
    pub fn is_empty(&self) -> bool {
        self.statements.iter().all(Statement::is_empty)
    }

    /// Calls `f` on every statement inside, outer ones before inner ones, in the order of the text.
    /// Recursion is bounded by the parser's limit on nesting.
    pub fn for_each_statement<'b>(&'b self, f: &mut dyn FnMut(&'b Statement)) {
        for statement in &self.statements {
            f(statement);
            for block in statement.blocks() {
                block.for_each_statement(f);
            }
        }
    }
}

impl Statement {
    /// Whether it is an empty block.
    pub fn is_empty(&self) -> bool {
        matches!(&self.kind, StatementKind::Block(inner) if inner.is_empty())
    }

    /// The blocks directly inside, in the order of the text.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StatementKind::If(branches, otherwise) => {
                let bodies = branches.iter().map(|b| &b.body);
                bodies.chain(otherwise).collect()
            }
            StatementKind::While(_, body)
            | StatementKind::Loop(body)
            | StatementKind::Block(body) => vec![body],
            _ => Vec::new(),
        }
    }

    /// The expressions directly inside, in the order of the text.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StatementKind::Assign(_, e) | StatementKind::Test(e) | StatementKind::Assert(_, e) => {
                vec![e]
            }
            StatementKind::If(branches, _) => branches
                .iter()
                .filter_map(|b| b.condition.as_ref())
                .collect(),
            StatementKind::While(condition, _) => condition.iter().collect(),
            _ => Vec::new(),
        }
    }
}
