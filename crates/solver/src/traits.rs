//! The traits of solvers, interpolators and eliminators, and their answers.

use crate::assignment::Assignment;
use sectile_base::{Budget, Exhausted};
use sectile_terms::{EvalError, Stage, Symbol, Term, Terms, Value, evaluate};

/// The solver is broken, or the query is outside its language. Not a verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// The formula is outside the fragment that this solver decides.
    #[error("the solver does not support {0}")]
    Unsupported(String),
    /// The solver could not be started, died, or answered nonsense.
    #[error("the solver failed: {0}")]
    Broken(String),
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// The procedure is incomplete here; the text says how.
    Incomplete(String),
}

impl From<Exhausted> for Undecided {
    fn from(e: Exhausted) -> Undecided {
        Undecided::Exhausted(e)
    }
}

/// A satisfying assignment, valid as long as the solver keeps it.
pub trait ModelView {
    /// The value of a variable, or `None` if the model holds for every value.
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value>;
}

impl dyn ModelView + '_ {
    /// The value of a variable; a don't-care gets the default of its sort.
    pub fn completed(&self, terms: &Terms, symbol: Symbol, stage: Stage) -> Value {
        let default = || Value::some_of(terms, terms.symbol_sort(symbol));
        self.value(symbol, stage).unwrap_or_else(default)
    }

    /// The value of a term; don't-cares get the default of their sort.
    pub fn eval(&self, terms: &Terms, t: Term) -> Result<Value, EvalError> {
        let value = |symbol: Symbol, stage: Stage| Some(self.completed(terms, symbol, stage));
        evaluate(terms, t, &value)
    }

    /// The values of the given variables as an owned assignment, completed by defaults.
    pub fn snapshot(&self, terms: &Terms, vars: &[(Symbol, Stage)]) -> Assignment {
        let mut model = Assignment::default();
        for &(symbol, stage) in vars {
            model.set(symbol, stage, self.completed(terms, symbol, stage));
        }
        model
    }
}

/// A proof of unsatisfiability, valid as long as the solver keeps it.
pub trait RefutationView {
    /// A subset of the assumptions that is inconsistent with the assertions.
    fn core(&self) -> Vec<Term>;
}

/// For solvers that keep only the core.
impl RefutationView for Vec<Term> {
    fn core(&self) -> Vec<Term> {
        self.clone()
    }
}

/// The answer to a query. It borrows the solver, so the solver cannot change before the model has
/// been read.
pub enum Answer<'s> {
    /// There is a model.
    Sat(&'s dyn ModelView),
    /// There is none.
    Unsat(&'s dyn RefutationView),
    /// The solver could not decide it.
    Unknown(Undecided),
}

impl Answer<'_> {
    /// Whether the answer is `Sat`.
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Whether the answer is `Unsat`.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// An incremental solver over one store of terms.
pub trait Solver {
    /// Opens a scope.
    fn push(&mut self);

    /// Closes the innermost scope and removes its assertions.
    fn pop(&mut self);

    /// Asserts a Boolean term in the innermost scope.
    fn assert(&mut self, formula: Term) -> Result<(), SolverError>;

    /// Decides the assertions together with the assumptions.
    fn check<'s>(
        &'s mut self,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Answer<'s>, SolverError>;
}

/// Runs `f` in a scope of its own, which is closed in any case.
pub fn scoped<R>(solver: &mut dyn Solver, f: impl FnOnce(&mut dyn Solver) -> R) -> R {
    solver.push();
    let result = f(solver);
    solver.pop();
    result
}

/// The answer to a sequence query.
pub enum Interpolation {
    /// The blocks are satisfiable together.
    Sat(Assignment),
    /// They are unsatisfiable: one formula for every cut between two blocks.
    Unsat(Vec<Term>),
    /// The solver could not decide it.
    Unknown(Undecided),
}

/// Computes Craig interpolants of sequences.
pub trait Interpolator {
    /// Decides `blocks[0] and ... and blocks[n-1]`; if unsatisfiable, gives `n - 1` interpolants.
    ///
    /// Contract: with `I_0 = true` and `I_n = false`, `I_i and blocks[i]` implies `I_{i+1}`, and
    /// `I_i` mentions only variables that occur both before and after its cut.
    fn sequence(&mut self, blocks: &[Term], budget: &Budget) -> Result<Interpolation, SolverError>;
}

/// The result of eliminating variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// A formula without the eliminated variables, implied by the original one.
    pub formula: Term,
    /// Whether it is equivalent to the existential quantification, or only implied by it.
    pub exact: bool,
}

/// Eliminates existential quantifiers.
pub trait Eliminator {
    /// `exists variables. formula`, or an inner `Err(Undecided)` if a limit was reached.
    fn project(
        &mut self,
        formula: Term,
        variables: &[(Symbol, Stage)],
        budget: &Budget,
    ) -> Result<Result<Projection, Undecided>, SolverError>;
}
