//! Asks the solver whether formulas are valid, one after the other.

use crate::{Obligation, Refusal};
use sectile_base::Budget;
use sectile_solver::{Answer, ModelView, Solver, SolverError, Undecided, scoped};
use sectile_terms::{Stage, Term, Terms, display_value};

/// Shows obligations, and stops at the first that does not hold.
pub struct Checker<'c> {
    pub terms: &'c Terms,
    pub solver: &'c mut dyn Solver,
    pub budget: &'c Budget,
    /// How many obligations were shown.
    pub shown: usize,
}

/// Why the checker stopped.
pub enum Stop {
    /// An obligation does not hold.
    Refused(Refusal),
    /// An obligation could not be decided.
    Undecided(Obligation, Undecided),
    /// The solver failed.
    Failed(SolverError),
}

/// Nothing, if everything so far was shown.
pub type Checked<T = ()> = Result<T, Stop>;

impl Stop {
    /// An obligation does not hold.
    pub fn refused(obligation: Obligation, because: impl Into<String>) -> Stop {
        Stop::Refused(Refusal {
            obligation,
            because: because.into(),
        })
    }

    /// The evidence does not have the right shape.
    pub fn shape(because: impl Into<String>) -> Stop {
        Stop::refused(Obligation::Shape, because)
    }
}

impl From<SolverError> for Stop {
    fn from(error: SolverError) -> Stop {
        Stop::Failed(error)
    }
}

impl Checker<'_> {
    /// Shows that the premises imply the conclusion.
    pub fn implies(
        &mut self,
        obligation: Obligation,
        premises: &[Term],
        conclusion: Term,
    ) -> Checked {
        let (terms, budget) = (self.terms, self.budget);
        let parts = terms.conjuncts(conclusion);
        if !parts.is_empty() {
            scoped(self.solver, |solver| {
                for &premise in premises {
                    solver.assert(premise)?;
                }
                // A conclusion that is a conjunction is shown piece by piece: smaller questions.
                let mut parts = parts.into_iter();
                parts.try_for_each(|p| refute(terms, solver, budget, &obligation, premises, p))
            })?;
        }
        self.shown += 1;
        Ok(())
    }
}

/// Shows that the asserted premises refute the negated part.
fn refute(
    terms: &Terms,
    solver: &mut dyn Solver,
    budget: &Budget,
    obligation: &Obligation,
    premises: &[Term],
    part: Term,
) -> Checked {
    let negated = terms.not(part);
    scoped(solver, |solver| {
        solver.assert(negated)?;
        match solver.check(&[], budget)? {
            Answer::Unsat(_) => Ok(()),
            Answer::Sat(model) => {
                let query = terms.and(premises.iter().copied().chain([negated]));
                let because = counterexample(terms, query, model);
                Err(Stop::refused(obligation.clone(), because))
            }
            Answer::Unknown(why) => Err(Stop::Undecided(obligation.clone(), why)),
        }
    })
}

/// The model of a failed obligation as text, in the order of the variables.
fn counterexample(terms: &Terms, query: Term, model: &dyn ModelView) -> String {
    let mut vars: Vec<_> = terms.free_vars(query).into_iter().collect();
    vars.sort();
    let shown = vars.iter().map(|&(symbol, stage)| {
        let mark = match stage {
            Stage::Now => String::new(),
            Stage::Next => "'".to_string(),
            Stage::At(k) => format!("@{k}"),
        };
        let value = model.snapshot(terms, &[(symbol, stage)]);
        let value = value.get(symbol, stage).map(|v| display_value(terms, v));
        format!(
            "{}{mark} = {}",
            terms.name(symbol),
            value.as_deref().unwrap_or("?")
        )
    });
    let list: Vec<String> = shown.collect();
    if list.is_empty() {
        "it is false everywhere".to_string()
    } else {
        format!("it fails for {}", list.join(", "))
    }
}
