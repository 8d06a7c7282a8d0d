//! Programs as they were written.

use crate::syntax::{Arm, Claim, Expr, Name, TypeItem};
use sectile_base::Span;

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// `param NAME = e`, in order.
    pub parameters: Vec<(Name, Expr)>,
    /// `var x : T`, in order.
    pub variables: Vec<(Name, TypeItem)>,
    /// `init Q`, in order.
    pub initial: Vec<Expr>,
    pub body: Block,
    /// What is claimed besides the assertions among the statements.
    pub claims: Vec<Claim>,
}

/// Statements one after the other.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub statements: Vec<Statement>,
    /// Labels behind the last one.
    pub end_labels: Vec<Name>,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Names of the location before it.
    pub labels: Vec<Name>,
    pub kind: StatementKind,
    /// Where it stands; of a conditional or loop, its head.
    pub span: Span,
}

/// The shapes of statements.
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
    /// Whether nothing happens in it at all, not even `skip`.
    pub fn is_empty(&self) -> bool {
        self.statements.iter().all(Statement::is_empty)
    }

    /// Calls `f` on every statement inside, outer ones before inner ones, in the order of the
    /// text. Recursion is bounded by the parser's limit on nesting.
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
    /// Whether it is a block in which nothing happens.
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
