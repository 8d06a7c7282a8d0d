//! Why a refutation is refused.

use crate::rule::Rule;

/// A refutation is malformed, or one of its steps does not hold for the reason it gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct ReplayError {
    /// Its position.
    pub place: Place,
    /// The fault.
    pub fault: Fault,
}

/// A position in a refutation, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Place {
    /// A variable.
    #[error("variable {0}")]
    Variable(usize),
    /// An atom.
    #[error("atom {0}")]
    Atom(usize),
    /// A step.
    #[error("step {0}")]
    Step(usize),
    /// After the last step.
    #[error("end")]
    End,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// A term that is not in the store.
    #[error("the term is not in the store")]
    UnknownTerm,
    /// A variable that is not a number, or an atom that is not a formula.
    #[error("the term has the wrong sort")]
    WrongSort,
    /// A sum mentions a variable that is not listed.
    #[error("there is no variable {0}")]
    UnknownVariable(u32),
    /// A bound is called integral, but has a real variable, a fraction or a strict limit.
    #[error("the bound is not one on integers")]
    NotIntegral,
    /// A literal mentions an atom that is not listed.
    #[error("there is no atom {0}")]
    UnknownAtom(u32),
    /// There is no assertion or assumption with this number.
    #[error("there is no such assertion or assumption")]
    UnknownSource,
    /// The clause does not follow from one conjunct of its source.
    #[error("the clause does not follow from one conjunct")]
    NotInSource,
    /// The clause contains no axiom of the term's operator.
    #[error("the clause contains no axiom of the operator")]
    NotDefinition,
    /// The rule of the theory does not give the clause.
    #[error("the rule `{}` does not give the clause", .0.name())]
    NotInstance(Rule),
    /// The rule has too few or too many arguments.
    #[error("the rule has too few or too many arguments")]
    WrongCount,
    /// A coefficient is not positive.
    #[error("a coefficient is not positive")]
    NotPositive,
    /// The literal at this position is not a bound.
    #[error("literal {0} is not a bound")]
    NotBound(usize),
    /// The bounds do not add up to a contradiction.
    #[error("the bounds do not contradict each other")]
    NoContradiction,
    /// The literal at this position is one bound of an equation, and the other is missing.
    #[error("the bound opposite to literal {0} is missing")]
    NotEquation(usize),
    /// The equations are not violated by divisibility.
    #[error("divisibility is not violated")]
    NotDivisibility,
    /// A chain without steps.
    #[error("the chain has no steps")]
    EmptyChain,
    /// A chain mentions a step that does not come before it.
    #[error("step {0} does not come before")]
    NotEarlier(u32),
    /// The step at this position of the chain has several literals that the later ones and the
    /// clause do not falsify.
    #[error("step {0} of the chain leaves more than one literal open")]
    ManyOpen(usize),
    /// The clause does not follow from the chain.
    #[error("the clause does not follow from the steps of the chain")]
    NotResolvent,
    /// The last step is not the empty clause.
    #[error("the last step is not the empty clause")]
    NotRefuted,
}
