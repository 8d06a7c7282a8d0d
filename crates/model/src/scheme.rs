//! What a text says about a family of any size, seen from its indices.
//!
//! A model has a fixed number of processes. Whether something about it holds for every number can
//! only be seen in the text: how it uses indices, and the parameter that is the number of
//! processes. This is the text without all else. Data, whatever is done with it, is `Data`.

use sectile_base::Span;

/// A family of any size.
#[derive(Clone, Debug, Default)]
pub struct Scheme {
    /// The parameter that is the number of processes.
    pub size: String,
    /// The indices of the processes and of what is declared for all indices of a range.
    pub ranges: Vec<(Use, Use)>,
    /// The variables and symbolic constants.
    pub variables: Vec<SchemeVariable>,
    /// All that the text says about states and steps.
    pub rules: Vec<Rule>,
    /// What the properties say, by their names.
    pub claims: Vec<(String, Span, Says)>,
}

/// What a property says.
#[derive(Clone, Debug)]
pub enum Says {
    /// This holds in every state.
    Always(Use),
    /// Whoever waits is served.
    Response(Response),
    /// Something else.
    Other,
}

/// `forall i: AG (from => AF to)`.
#[derive(Clone, Debug)]
pub struct Response {
    /// The indices.
    pub binders: Vec<IndexBinder>,
    /// Who waits.
    pub from: Use,
    /// Who is served.
    pub to: Use,
}

/// A variable, or one for all indices of some ranges.
#[derive(Clone, Debug)]
pub struct SchemeVariable {
    /// Its name; inside of a process `P.x`.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The ranges of its indices, those of the process first.
    pub subscripts: Vec<(Use, Use)>,
    /// The smallest and the largest value, where the type is a range.
    pub values: Option<(Use, Use)>,
    /// Whether it changes without being assigned, as clocks do.
    pub changes: bool,
}

/// Something that is said about all states, the first one or steps.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it is about.
    pub kind: RuleKind,
    /// What the text calls it.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// It is said for all values of these indices, one by one.
    pub binders: Vec<IndexBinder>,
    /// When it is said at all: a condition on parameters and indices.
    pub when: Use,
    /// What has to hold.
    pub condition: Use,
    /// What a step does; all else keeps its value.
    pub effects: Vec<Effect>,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// The first state.
    Init,
    /// Every state.
    Restrict,
    /// A step.
    Step,
    /// A step that is given by a formula with next values.
    Relation,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Effect {
    /// A variable gets a value; without one, any value.
    Set(Use, Option<Use>),
    /// A value that is chosen satisfies this.
    Require(Use),
    /// Done for all values of the indices.
    Each(Vec<IndexBinder>, Vec<Effect>),
    /// Done if the condition holds.
    If(Use, Vec<Effect>),
}

/// An index with its range.
#[derive(Clone, Debug)]
pub struct IndexBinder {
    /// Its number: no two indices of a text have the same.
    pub id: usize,
    /// The smallest value.
    pub low: Use,
    /// The largest value.
    pub high: Use,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Use {
    /// What it is.
    pub kind: UseKind,
    /// Where it stands.
    pub span: Span,
}

/// The shapes of expressions.
#[derive(Clone, Debug)]
pub enum UseKind {
    /// A truth value that is known.
    Truth(bool),
    /// An integer that is known.
    Number(i64),
    /// The number of processes.
    Size,
    /// An index, by its number.
    Index(usize),
    /// A variable with its subscripts.
    Variable(String, Vec<Use>),
    /// A sum; `true` stands before what is subtracted.
    Sum(Vec<(bool, Use)>),
    /// A remainder.
    Modulo(Box<(Use, Use)>),
    /// Any other function of values.
    Data(Vec<Use>),
    /// A comparison.
    Compare(Relation, Box<(Use, Use)>),
    /// All hold.
    And(Vec<Use>),
    /// One holds.
    Or(Vec<Use>),
    /// It does not hold.
    Not(Box<Use>),
    /// The value behind the first condition that holds, or the last one.
    Choice(Vec<(Use, Use)>, Box<Use>),
    /// Over all values of indices.
    Over(Over, Vec<IndexBinder>, Box<Use>),
    /// What is not looked at; what it is called.
    Other(&'static str),
}

/// Relations between numbers, or other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal.
    Equal,
    /// Different.
    Different,
    /// Smaller, or smaller or equal; the text says in which order.
    Order,
}

/// Operators over indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// For all.
    Forall,
    /// For some.
    Exists,
    /// How many.
    Count,
    /// The sum of values.
    Sum,
    /// The largest or smallest value.
    Extreme,
}
