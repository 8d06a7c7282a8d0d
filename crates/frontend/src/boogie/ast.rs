//! Boogie programs as they are written.

use sectile_base::{Int, Rat, Span};
use std::sync::Arc;

/// A name and its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

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
    /// The name.
    pub name: Name,
    /// Whether it has parameters.
    pub parametric: bool,
    /// What it abbreviates.
    pub meaning: Option<Type>,
}

/// A type with its place.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The shapes of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `real`
    Real,
    /// A declared type, or a parameter.
    Named(Arc<str>),
    /// `[int, bool]real`: the indices and the elements.
    Map(Vec<Type>, Box<Type>),
    /// A type that is not supported, by its construct.
    Unsupported(Construct),
}

/// What the language has and this front-end does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Construct {
    /// Maps with type parameters: `<a>[a]int`.
    PolymorphicMap,
    /// Maps from maps: `[[int]int]int`.
    MapFromMaps,
    /// `forall`, `exists`.
    Quantifier,
    /// `lambda`.
    Lambda,
    /// Functions without a body.
    UninterpretedFunction,
    /// Bit-vectors.
    BitVector,
    /// Floating-point numbers.
    Float,
    /// Texts and regular expressions.
    Text,
    /// Types without a meaning, and types with parameters.
    UserType,
    /// `fork`, `join`, `atomic`, `par`, `yield`, `async`.
    Concurrency,
    /// `call forall`.
    CallForall,
    /// `<:`, `extends`.
    PartialOrder,
    /// `**`.
    Power,
    /// `|{ ... }|`.
    CodeExpression,
    /// `(var x := e; f)`.
    Let,
}

/// `const c : int;`
#[derive(Debug)]
pub struct Constant {
    /// The name.
    pub name: Name,
    /// The type.
    pub of: Type,
    /// Whether it differs from all other unique constants of its type.
    pub unique: bool,
}

/// A variable, a parameter or a result.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name; empty for a parameter that has none.
    pub name: Name,
    /// The type.
    pub of: Type,
    /// `where`
    pub condition: Option<Expr>,
}

/// `function f(x : int) returns (int) { e }`
#[derive(Debug)]
pub struct Function {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Variable>,
    /// The type of the result.
    pub result: Type,
    /// What it abbreviates.
    pub body: Option<Expr>,
}

/// `procedure P(x : int) returns (y : int);`
#[derive(Debug)]
pub struct Procedure {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Variable>,
    /// The results.
    pub results: Vec<Variable>,
    /// `requires` and `ensures`.
    pub clauses: Vec<Clause>,
    /// `modifies`.
    pub modifies: Vec<Name>,
    /// The body, if it stands here.
    pub body: Option<Body>,
}

/// `implementation P(x : int) returns (y : int) { ... }`
#[derive(Debug)]
pub struct Implementation {
    /// The name of the procedure.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Variable>,
    /// The results.
    pub results: Vec<Variable>,
    /// The body.
    pub body: Body,
}

/// `free requires e;`
#[derive(Debug)]
pub struct Clause {
    /// Which side of the contract.
    pub role: Role,
    /// Whether it is assumed and never checked.
    pub free: bool,
    /// The condition.
    pub condition: Expr,
    /// Where it stands.
    pub span: Span,
}

/// The sides of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What callers see to.
    Requires,
    /// What the procedure sees to.
    Ensures,
}

/// What a procedure does.
#[derive(Debug)]
pub struct Body {
    /// Its variables.
    pub locals: Vec<Variable>,
    /// Its statements.
    pub block: Block,
    /// The closing brace.
    pub end: Span,
}

/// Statements one after the other.
#[derive(Debug, Default)]
pub struct Block {
    /// The statements and labels.
    pub items: Vec<Item>,
}

/// A label or a statement.
#[derive(Debug)]
pub enum Item {
    /// `l:`
    Label(Name),
    /// A statement.
    Statement(Statement),
}

/// A statement with its place; of a conditional or loop, the place of its head.
#[derive(Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
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
    If(Vec<Arm>, Option<Block>),
    /// `while (c) invariant e; { ... }`
    While(While),
    /// `goto l, m;`
    Goto(Vec<Name>),
    /// `break l;`
    Break(Option<Name>),
    /// `return;`
    Return,
    /// Something that is not supported.
    Unsupported(Construct),
}

/// The left side of an assignment.
#[derive(Debug)]
pub struct Target {
    /// The variable.
    pub name: Name,
    /// Where it is assigned: `m[i][j] := e` and `m[i, j] := e` have two indices.
    pub indices: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// `call x := P(e);`
#[derive(Debug)]
pub struct Call {
    /// The procedure.
    pub callee: Name,
    /// What is passed.
    pub arguments: Vec<Expr>,
    /// Where the results go.
    pub targets: Vec<Name>,
}

/// One condition of a chain.
#[derive(Debug)]
pub struct Arm {
    /// When it is taken; `None` is `*`.
    pub condition: Option<Expr>,
    /// What is done then.
    pub body: Block,
    /// The place of its head.
    pub span: Span,
}

/// A loop.
#[derive(Debug)]
pub struct While {
    /// When a round is taken; `None` is `*`.
    pub condition: Option<Expr>,
    /// What is claimed, or assumed, of its head.
    pub invariants: Vec<Invariant>,
    /// A round.
    pub body: Block,
}

/// `invariant e;`
#[derive(Debug)]
pub struct Invariant {
    /// Whether it is assumed and never checked.
    pub free: bool,
    /// The condition.
    pub condition: Expr,
    /// Where it stands.
    pub span: Span,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The shapes of expressions. Chains of the same operator are lists, so that their length is no
/// nesting.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// `12`
    Integer(Int),
    /// `1.5`
    Decimal(Rat),
    /// `x`
    Name(Arc<str>),
    /// `!e`
    Not(Box<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    /// A chain of one level of operators, with at least one operator.
    Chain(Vec<Expr>, Vec<Operator>),
    /// `if c then a else if d then b else e`
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// `f(e)`
    Apply(Name, Vec<Expr>),
    /// `old(e)`
    Old(Box<Expr>),
    /// `real(e)`
    ToReal(Box<Expr>),
    /// `int(e)`
    ToInt(Box<Expr>),
    /// `m[i][j, k][l := e]`: a map and what is done with it, one after the other.
    Indexed(Box<Expr>, Vec<Access>),
    /// Something that is not supported, with the expressions inside.
    Unsupported(Construct, Vec<Expr>),
}

/// `[i, j]` or `[i, j := e]` behind a map.
#[derive(Clone, Debug)]
pub struct Access {
    /// The indices.
    pub indices: Vec<Expr>,
    /// What the element is replaced by, if it is.
    pub value: Option<Expr>,
    /// Where it stands, with the map.
    pub span: Span,
}

/// The operators between expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `<==>`
    Iff,
    /// `==>`
    Implies,
    /// `<==`
    Explies,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
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
    /// `<:`
    Extends,
    /// `++`
    Concatenate,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
    /// `div`
    Div,
    /// `mod`, `%`
    Mod,
    /// `**`
    Power,
}

impl Construct {
    /// What it is called in a message, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Construct::PolymorphicMap => "maps with type parameters",
            Construct::MapFromMaps => "maps from maps",
            Construct::Quantifier => "quantifiers",
            Construct::Lambda => "lambda expressions",
            Construct::UninterpretedFunction => "functions without a body",
            Construct::BitVector => "bit-vectors",
            Construct::Float => "floating-point numbers",
            Construct::Text => "texts and regular expressions",
            Construct::UserType => "types without a definition",
            Construct::Concurrency => "`fork`, `join`, `atomic` and other concurrency",
            Construct::CallForall => "`call forall`",
            Construct::PartialOrder => "partial orders of constants",
            Construct::Power => "powers",
            Construct::CodeExpression => "code expressions",
            Construct::Let => "let expressions",
        }
    }

    /// What to do instead.
    pub fn help(self) -> &'static str {
        match self {
            Construct::PolymorphicMap => "declare a map for each type that is stored in it",
            Construct::MapFromMaps => "the indices of a map may be `int`, `real` and `bool`",
            Construct::Quantifier => "write the instances that matter as conjunctions",
            Construct::UninterpretedFunction => {
                "give the function a body, or use `havoc` on a variable"
            }
            Construct::BitVector | Construct::Float => {
                "use `int` or `real`, with `mod` where numbers wrap around"
            }
            Construct::UserType => "use `int`, or define the type: `type T = int;`",
            Construct::CallForall => "call the procedure with the arguments that matter",
            Construct::Power => "only linear arithmetic is supported",
            Construct::Concurrency => "only sequential programs are supported",
            _ => "docs/format/boogie.md lists what is supported",
        }
    }
}

impl Operator {
    /// How tightly it binds; greater is tighter.
    pub fn level(self) -> u8 {
        match self {
            Operator::Iff => 0,
            Operator::Implies | Operator::Explies => 1,
            Operator::Or => 2,
            Operator::And => 3,
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual
            | Operator::Extends => 4,
            Operator::Concatenate => 5,
            Operator::Plus | Operator::Minus => 6,
            Operator::Times | Operator::Over | Operator::Div | Operator::Mod => 7,
            Operator::Power => 8,
        }
    }

    /// The tightest level.
    pub const TIGHTEST: u8 = 8;
}

impl Expr {
    /// Calls `f` on every name that stands for a variable, a constant or a function, and tells
    /// whether it stands inside `old`. Recursion is bounded by the parser's limit on nesting.
    pub fn for_each_name(&self, in_old: bool, f: &mut dyn FnMut(&str, bool)) {
        match &self.kind {
            ExprKind::Bool(_) | ExprKind::Integer(_) | ExprKind::Decimal(_) => {}
            ExprKind::Name(name) => f(name, in_old),
            ExprKind::Old(e) => e.for_each_name(true, f),
            ExprKind::Not(e) | ExprKind::Negate(e) => e.for_each_name(in_old, f),
            ExprKind::ToReal(e) | ExprKind::ToInt(e) => e.for_each_name(in_old, f),
            ExprKind::Chain(list, _) | ExprKind::Unsupported(_, list) => {
                list.iter().for_each(|e| e.for_each_name(in_old, f));
            }
            ExprKind::If(arms, otherwise) => {
                for (condition, value) in arms {
                    condition.for_each_name(in_old, f);
                    value.for_each_name(in_old, f);
                }
                otherwise.for_each_name(in_old, f);
            }
            ExprKind::Indexed(map, accesses) => {
                map.for_each_name(in_old, f);
                let parts = accesses
                    .iter()
                    .flat_map(|a| a.indices.iter().chain(&a.value));
                parts.for_each(|e| e.for_each_name(in_old, f));
            }
            ExprKind::Apply(name, list) => {
                f(&name.text, in_old);
                list.iter().for_each(|e| e.for_each_name(in_old, f));
            }
        }
    }
}

impl Statement {
    /// The expressions directly inside.
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

    /// The variables that it assigns itself.
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
            match &statement.kind {
                StatementKind::If(arms, otherwise) => {
                    arms.iter().for_each(|a| a.body.for_each_statement(f));
                    otherwise.iter().for_each(|b| b.for_each_statement(f));
                }
                StatementKind::While(inner) => inner.body.for_each_statement(f),
                _ => {}
            }
        }
    }
}
