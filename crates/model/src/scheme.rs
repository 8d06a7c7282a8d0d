//! The index structure of a text about a family of any size.
//!
//! A model has a fixed number of processes. Whether a statement holds for every number depends on
//! how the text uses indices and the parameter that is the number of processes. This is the text
//! without everything else: operations on data are `Data`.

use sectile_base::Span;

/// A family of any size.
#[derive(Clone, Debug, Default)]
pub struct Scheme {
    /// The parameter that is the number of processes.
    pub size: String,
    /// The index ranges of processes and of families of variables.
    pub ranges: Vec<(Use, Use)>,
    /// The variables and symbolic constants.
    pub variables: Vec<SchemeVariable>,
    /// All statements about states and steps.
    pub rules: Vec<Rule>,
    /// The properties by their names.
    pub claims: Vec<(String, Span, SchemeClaim)>,
}

/// The meaning of a property.
#[derive(Clone, Debug)]
pub enum SchemeClaim {
    /// This holds in every state.
    Always(Use),
    /// Every waiting process is served.
    Response(Response),
    /// Something else.
    Other,
}

/// `forall i: AG (from => AF to)`.
#[derive(Clone, Debug)]
pub struct Response {
    /// The indices.
    pub binders: Vec<IndexBinder>,
    /// The waiting processes.
    pub from: Use,
    /// The served processes.
    pub to: Use,
}

/// A variable, or a family of variables over index ranges.
#[derive(Clone, Debug)]
pub struct SchemeVariable {
    /// Its name; inside of a process `P.x`.
    pub name: String,
    /// The position of its declaration.
    pub span: Span,
    /// The ranges of its indices, those of the process first.
    pub subscripts: Vec<(Use, Use)>,
    /// The smallest and the largest value, if the type is a range.
    pub values: Option<(Use, Use)>,
    /// Whether it changes without assignments, as clocks do.
    pub changes: bool,
}

/// A statement about all states, the first state or steps.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its kind.
    pub kind: RuleKind,
    /// Its name in the text.
    pub name: String,
    /// Its position.
    pub span: Span,
    /// Indices over which the rule is instantiated.
    pub binders: Vec<IndexBinder>,
    /// The condition under which the rule exists, over parameters and indices.
    pub when: Use,
    /// The condition to satisfy.
    pub condition: Use,
    /// The effects of a step; everything else keeps its value.
    pub effects: Vec<Effect>,
}

/// The kinds of rules.
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

/// An effect of a step.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Assigns a variable; without a value, any value.
    Set(Use, Option<Use>),
    /// A condition on a chosen value.
    Require(Use),
    /// Repeated for all values of the indices.
    Each(Vec<IndexBinder>, Vec<Effect>),
    /// Done if the condition holds.
    If(Use, Vec<Effect>),
}

/// An index with its range.
#[derive(Clone, Debug)]
pub struct IndexBinder {
    /// Its number, unique in the text.
    pub id: usize,
    /// The smallest value.
    pub low: Use,
    /// The largest value.
    pub high: Use,
}

/// An expression with its position.
#[derive(Clone, Debug)]
pub struct Use {
    /// Its shape.
    pub kind: UseKind,
    /// Its position.
    pub span: Span,
}

/// The shapes of expressions.
#[derive(Clone, Debug)]
pub enum UseKind {
    /// A known truth value.
    Truth(bool),
    /// A known integer.
    Number(i64),
    /// The number of processes.
    Size,
    /// An index, by its number.
    Index(usize),
    /// A variable with its subscripts.
    Variable(String, Vec<Use>),
    /// A sum; `true` marks subtracted terms.
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
    /// The value of the first condition that holds, or the last value.
    Choice(Vec<(Use, Use)>, Box<Use>),
    /// Over all values of indices.
    Over(Over, Vec<IndexBinder>, Box<Use>),
    /// An expression that is not analysed, with its description.
    Other(&'static str),
}

/// Relations between values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal.
    Equal,
    /// Different.
    Different,
    /// Smaller, or smaller or equal; the direction is not recorded.
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
