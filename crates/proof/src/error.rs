//! Why a refutation is refused.

use crate::rule::Rule;

/// A refutation is malformed, or one of its steps does not hold for the reason it gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub fault: Fault,
}

/// A place in a refutation, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A variable.
    Variable(usize),
    /// An atom.
    Atom(usize),
    /// A step.
    Step(usize),
    /// Behind the last step.
    End,
}

/// What is wrong at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A term that is not in the store.
    UnknownTerm,
    /// A variable that is not a number, or an atom that is not a formula.
    WrongSort,
    /// A sum mentions a variable that is not listed.
    UnknownVariable(u32),
    /// A bound is called integral, but has a real variable, a fraction or a strict limit.
    NotIntegral,
    /// A literal mentions an atom that is not listed.
    UnknownAtom(u32),
    /// There is no assertion or assumption with this number.
    UnknownSource,
    /// The clause does not follow from one conjunct of its source.
    NotInSource,
    /// The clause contains no axiom of the term's operator.
    NotDefinition,
    /// The rule of the theory does not give the clause.
    NotInstance(Rule),
    /// The rule has too few or too many arguments.
    WrongCount,
    /// A coefficient is not positive.
    NotPositive,
    /// The literal at this position is not a bound.
    NotBound(usize),
    /// The bounds do not add up to a contradiction.
    NoContradiction,
    /// The literal at this position is one bound of an equation, and the other is missing.
    NotEquation(usize),
    /// The equations are not violated by divisibility.
    NotDivisibility,
    /// A chain without steps.
    EmptyChain,
    /// A chain mentions a step that does not come before it.
    NotEarlier(u32),
    /// The step at this position of the chain clashes with the clause so far in no literal or
    /// in several.
    NoPivot(usize),
    /// The clause lacks a literal of the resolvent.
    NotResolvent,
    /// The last step is not the empty clause.
    NotRefuted,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::UnknownTerm => f.write_str("the term is not in the store"),
            Fault::WrongSort => f.write_str("the term has the wrong sort"),
            Fault::UnknownVariable(v) => write!(f, "there is no variable {v}"),
            Fault::NotIntegral => f.write_str("the bound is not one on integers"),
            Fault::UnknownAtom(a) => write!(f, "there is no atom {a}"),
            Fault::UnknownSource => f.write_str("there is no such assertion or assumption"),
            Fault::NotInSource => f.write_str("the clause does not follow from one conjunct"),
            Fault::NotDefinition => f.write_str("the clause contains no axiom of the operator"),
            Fault::NotInstance(rule) => {
                write!(f, "the rule `{}` does not give the clause", rule.name())
            }
            Fault::WrongCount => f.write_str("the rule has too few or too many arguments"),
            Fault::NotPositive => f.write_str("a coefficient is not positive"),
            Fault::NotBound(i) => write!(f, "literal {i} is not a bound"),
            Fault::NoContradiction => f.write_str("the bounds do not contradict each other"),
            Fault::NotEquation(i) => write!(f, "the bound opposite to literal {i} is missing"),
            Fault::NotDivisibility => f.write_str("divisibility is not violated"),
            Fault::EmptyChain => f.write_str("the chain has no steps"),
            Fault::NotEarlier(s) => write!(f, "step {s} does not come before"),
            Fault::NoPivot(i) => write!(f, "step {i} of the chain does not have exactly one pivot"),
            Fault::NotResolvent => f.write_str("the clause lacks a literal of the resolvent"),
            Fault::NotRefuted => f.write_str("the last step is not the empty clause"),
        }
    }
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Place::Variable(i) => write!(f, "variable {i}: {}", self.fault),
            Place::Atom(i) => write!(f, "atom {i}: {}", self.fault),
            Place::Step(i) => write!(f, "step {i}: {}", self.fault),
            Place::End => write!(f, "end: {}", self.fault),
        }
    }
}

impl std::error::Error for ReplayError {}
