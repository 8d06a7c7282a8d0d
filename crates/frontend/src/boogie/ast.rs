//! The abstract syntax of Boogie programs.

pub use crate::syntax::{Arm, Expr, Name};
use crate::syntax::{Builtin, Construct, ExprKind};
use sectile_base::Span;
use std::sync::Arc;

/// A file.
#[derive(Debug, Default)]
pub struct File {
    /// `type`
    pub types: Vec<TypeDeclaration>,
    /// `const`
    pub constants: Vec<Constant>,
    /// `function`
    pub functions: Vec<Function>,
    /// `axiom`
    pub axioms: Vec<Expr>,
    /// `var`
    pub globals: Vec<Variable>,
    /// `procedure`
    pub procedures: Vec<Procedure>,
    /// `implementation`
    pub implementations: Vec<Implementation>,
}

/// `type T;` or `type T = int;`
#[derive(Debug)]
pub struct TypeDeclaration {
    pub name: Name,
    /// Whether it has parameters.
    pub parametric: bool,
    /// What it abbreviates.
    pub meaning: Option<Type>,
}

/// A type with its place.
#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

/// The shapes of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    Bool,
    Int,
    Real,
    /// A declared type, or a parameter.
    Named(Arc<str>),
    /// `[int, bool]real`: the indices and the elements.
    Map(Vec<Type>, Box<Type>),
    /// A type that is not supported, by its construct.
    Unsupported(&'static Construct),
}

/// `const c : int;`
#[derive(Debug)]
pub struct Constant {
    pub name: Name,
    pub of: Type,
    /// Whether it differs from all other unique constants of its type.
    pub unique: bool,
}

/// A variable, a parameter or a result.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name; empty for a parameter that has none.
    pub name: Name,
    pub of: Type,
    /// `where`
    pub condition: Option<Expr>,
}

/// `function f(x : int) returns (int) { e }`
#[derive(Debug)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<Variable>,
    pub result: Type,
    /// Its definition, if it has one.
    pub body: Option<Expr>,
    /// Whether an attribute defines it, if it has no body.
    pub foreign: bool,
}

/// `procedure P(x : int) returns (y : int);`
#[derive(Debug)]
pub struct Procedure {
    pub name: Name,
    pub parameters: Vec<Variable>,
    pub results: Vec<Variable>,
    /// `requires` and `ensures`.
    pub clauses: Vec<Clause>,
    /// `modifies`.
    pub modifies: Vec<Name>,
    /// The body, if it is part of the declaration.
    pub body: Option<Body>,
}

/// `implementation P(x : int) returns (y : int) { ... }`
#[derive(Debug)]
pub struct Implementation {
    pub name: Name,
    pub parameters: Vec<Variable>,
    pub results: Vec<Variable>,
    pub body: Body,
}

/// `free requires e;`, or `invariant e;` of a loop.
#[derive(Debug)]
pub struct Clause {
    pub role: Role,
    /// Whether it is assumed and never checked.
    pub free: bool,
    pub condition: Expr,
    pub span: Span,
}

/// The kind of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A precondition, established by callers.
    Requires,
    /// A postcondition, established by the procedure.
    Ensures,
    /// A claim about the head of a loop.
    Invariant,
}

/// The body of a procedure.
#[derive(Debug)]
pub struct Body {
    pub locals: Vec<Variable>,
    pub block: Block,
    /// The closing brace.
    pub end: Span,
}

/// A sequence of statements.
#[derive(Debug, Default)]
pub struct Block {
    pub items: Vec<Item>,
}

/// A label or a statement.
#[derive(Debug)]
pub enum Item {
    /// `l:`
    Label(Name),
    Statement(Statement),
}

/// A statement with its position; for a conditional or loop, the position of its head.
#[derive(Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// The shapes of statements.
#[derive(Debug)]
pub enum StatementKind {
    /// `assert e;`
    Assert(Expr),
    /// `assume e;`
    Assume(Expr),
    /// `havoc x, y;`
    Havoc(Vec<Name>),
    /// `x, y := e, f;`
    Assign(Vec<Target>, Vec<Expr>),
    /// `call x, y := P(e, f);`
    Call(Call),
    /// `if (c) { ... } else if (d) { ... } else { ... }`
    If(Vec<Arm<Block>>, Option<Block>),
    /// `while (c) invariant e; { ... }`
    While(While),
    /// `goto l, m;`
    Goto(Vec<Name>),
    /// `break l;`
    Break(Option<Name>),
    /// `return;`
    Return,
    /// An unsupported construct.
    Unsupported(&'static Construct),
}

/// A variable of a quantifier.
#[derive(Clone, Debug)]
pub struct Bound {
    pub name: Name,
    pub of: Type,
}

/// The left side of an assignment.
#[derive(Debug)]
pub struct Target {
    pub name: Name,
    /// The indices of the assigned element: `m[i][j] := e` and `m[i, j] := e` have two.
    pub indices: Vec<Expr>,
    pub span: Span,
}

/// `call x := P(e);`
#[derive(Debug)]
pub struct Call {
    pub callee: Name,
    pub arguments: Vec<Expr>,
    /// The variables that receive the results.
    pub targets: Vec<Name>,
}

/// A loop.
#[derive(Debug)]
pub struct While {
    /// The loop condition; `None` is `*`.
    pub condition: Option<Expr>,
    /// Claims and assumptions about its head.
    pub invariants: Vec<Clause>,
    pub body: Block,
}

/// Calls `f` on every name of a variable, a constant or a function, with whether it is inside
/// `old`. Recursion is bounded by the parser's limit on nesting.
pub fn for_each_name(expr: &Expr, in_old: bool, f: &mut dyn FnMut(&str, bool)) {
    if let Some(name) = expr.own_name() {
        f(&name.text, in_old);
    }
    let in_old = in_old || matches!(expr.kind, ExprKind::Builtin(Builtin::Old, _));
    expr.for_each_part(&mut |part| for_each_name(part, in_old, f));
}

impl Statement {
    /// The direct sub-expressions.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StatementKind::Assert(e) | StatementKind::Assume(e) => vec![e],
            StatementKind::Assign(targets, list) => {
                let indices = targets.iter().flat_map(|t| &t.indices);
                indices.chain(list).collect()
            }
            StatementKind::Call(call) => call.arguments.iter().collect(),
            StatementKind::If(arms, _) => {
                arms.iter().filter_map(|a| a.condition.as_ref()).collect()
            }
            StatementKind::While(inner) => {
                let invariants = inner.invariants.iter().map(|i| &i.condition);
                inner.condition.iter().chain(invariants).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The direct sub-blocks, in the order of the text.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StatementKind::If(arms, otherwise) => {
                arms.iter().map(|a| &a.body).chain(otherwise).collect()
            }
            StatementKind::While(inner) => vec![&inner.body],
            _ => Vec::new(),
        }
    }

    /// The variables that it assigns directly.
    pub fn assigned(&self) -> Vec<&Name> {
        match &self.kind {
            StatementKind::Havoc(names) => names.iter().collect(),
            StatementKind::Assign(targets, _) => targets.iter().map(|t| &t.name).collect(),
            StatementKind::Call(call) => call.targets.iter().collect(),
            _ => Vec::new(),
        }
    }
}

impl Block {
    /// Calls `f` on every statement inside, outer ones before inner ones, in the order of the
    /// text. Recursion is bounded by the parser's limit on nesting.
    pub fn for_each_statement<'b>(&'b self, f: &mut dyn FnMut(&'b Statement)) {
        for item in &self.items {
            let Item::Statement(statement) = item else {
                continue;
            };
            f(statement);
            for block in statement.blocks() {
                block.for_each_statement(f);
            }
        }
    }
}
