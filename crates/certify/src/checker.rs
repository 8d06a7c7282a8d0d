//! Checks with the solver whether formulas are valid, one after the other.

use crate::{Obligation, Refusal};
use sectile_base::Budget;
use sectile_solver::{Answer, ModelView, Solver, SolverError, Undecided, scoped};
use sectile_terms::{Stage, Term, Terms, Value, display_value};

/// Proves obligations, and stops at the first one that fails.
pub struct Checker<'c> {
    pub terms: &'c Terms,
    pub solver: &'c mut dyn Solver,
    pub budget: &'c Budget,
    /// The number of proved obligations.
    pub shown: usize,
}

impl<'c> Checker<'c> {
    /// A checker without proved obligations. The solver must be fresh.
    pub fn new(terms: &'c Terms, solver: &'c mut dyn Solver, budget: &'c Budget) -> Checker<'c> {
        Checker {
            terms,
            solver,
            budget,
            shown: 0,
        }
    }
}

/// Why the checker stopped.
pub enum Stop {
    /// An obligation fails.
    Refused(Refusal),
    /// An obligation could not be decided.
    Undecided(Obligation, Undecided),
    /// The solver failed.
    Failed(SolverError),
}

/// `Ok` if all obligations so far were proved.
pub type Checked<T = ()> = Result<T, Stop>;

impl Stop {
    /// An obligation fails.
    pub fn refused(obligation: Obligation, because: impl Into<String>) -> Stop {
        Stop::Refused(Refusal {
            obligation,
            because: because.into(),
        })
    }

    /// The evidence is malformed.
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
    /// Proves that the premises imply the conclusion.
    pub fn implies(
        &mut self,
        obligation: Obligation,
        premises: &[Term],
        conclusion: Term,
    ) -> Checked {
        self.implies_lazily(obligation, premises, &[], conclusion)
    }

    /// The same with further premises, many of which are not needed: each is asserted only when a
    /// model violates it.
    pub fn implies_lazily(
        &mut self,
        obligation: Obligation,
        premises: &[Term],
        further: &[Term],
        conclusion: Term,
    ) -> Checked {
        let (terms, budget) = (self.terms, self.budget);
        let parts = terms.conjuncts(conclusion);
        if !parts.is_empty() {
            scoped(self.solver, |solver| {
                for &premise in premises {
                    solver.assert(premise)?;
                }
                // A conjunction is proved conjunct by conjunct: smaller queries.
                let mut parts = parts.into_iter();
                parts.try_for_each(|part| {
                    let refutation = Refutation {
                        terms,
                        budget,
                        obligation: &obligation,
                        premises,
                    };
                    refutation.of(part, further, solver)
                })
            })?;
        }
        self.shown += 1;
        Ok(())
    }
}

/// A proof by refutation, after the premises were asserted.
struct Refutation<'r> {
    terms: &'r Terms,
    budget: &'r Budget,
    obligation: &'r Obligation,
    premises: &'r [Term],
}

impl Refutation<'_> {
    /// Proves that the premises, with further ones on demand, refute the negated conjunct.
    fn of(&self, part: Term, further: &[Term], solver: &mut dyn Solver) -> Checked {
        let (terms, obligation) = (self.terms, self.obligation);
        let negated = terms.not(part);
        scoped(solver, |solver| {
            solver.assert(negated)?;
            let mut left = further.to_vec();
            loop {
                let violated = match solver.check(&[], self.budget)? {
                    Answer::Unsat(_) => return Ok(()),
                    Answer::Unknown(why) => {
                        return Err(Stop::Undecided(obligation.clone(), why));
                    }
                    Answer::Sat(model) => {
                        let holds = |t: &Term| model.eval(terms, *t) == Ok(Value::Bool(true));
                        let (kept, violated): (Vec<Term>, Vec<Term>) =
                            left.into_iter().partition(holds);
                        left = kept;
                        if violated.is_empty() {
                            let all = self.premises.iter().copied().chain([negated]);
                            let because = counterexample(terms, terms.and(all), model);
                            return Err(Stop::refused(obligation.clone(), because));
                        }
                        violated
                    }
                };
                violated.into_iter().try_for_each(|t| solver.assert(t))?;
            }
        })
    }
}

/// Maximum number of values of a model in a message.
const MOST_SHOWN: usize = 60;

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
    let list: Vec<String> = shown.take(MOST_SHOWN).collect();
    let rest = match vars.len().saturating_sub(MOST_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more values"),
    };
    match list.is_empty() {
        true => "it is false everywhere".to_string(),
        false => format!("it fails for {}{rest}", list.join(", ")),
    }
}
