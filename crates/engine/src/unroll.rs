//! Unrolling of systems: safety questions, step formulas, and runs read off models.

use crate::houdini::{Guess, InductiveSteps, inductive_part};
use crate::info::EngineError;
use crate::path::read_trace;
use sectile_base::Budget;
use sectile_model::{LocationId, Model, PropertyKind, Task, Trace};
use sectile_solver::{ModelView, Solver, SolverError};
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};

/// The states of a system that violate a property, if it is about single states.
pub fn violating_states(terms: &Terms, kind: &PropertyKind) -> Option<Term> {
    let safe = kind.safe_at(terms, LocationId(0));
    safe.map(|safe| terms.not(safe))
}

/// A safety question: a system, and the states it must not reach.
pub struct SafetyQuestion<'t> {
    /// The system.
    pub system: &'t Model,
    /// The bad states.
    pub bad: Term,
}

/// The task as a safety question, or the reason why it is none.
pub fn safety_question<'t>(task: &Task<'t>) -> Result<SafetyQuestion<'t>, String> {
    let system = task.system()?;
    let bad = violating_states(task.terms, &task.property.kind)
        .ok_or("it takes invariants and errors only")?;
    Ok(SafetyQuestion { system, bad })
}

/// The formulas of a system's unrolling.
pub struct Unroller<'s> {
    terms: &'s Terms,
    system: &'s Model,
    init: Term,
    restrict: Term,
    transition: Term,
}

impl<'s> Unroller<'s> {
    /// Computes the formulas once.
    pub fn new(terms: &'s Terms, system: &'s Model) -> Unroller<'s> {
        let restrict = system.restrict_formula(terms);
        let steps = system.commands().map(|c| c.formula(terms));
        let transition = terms.and([terms.or(steps), terms.prime(restrict)]);
        Unroller {
            terms,
            system,
            init: system.init_formula(terms),
            restrict,
            transition,
        }
    }

    /// The store of the formulas.
    pub fn terms(&self) -> &'s Terms {
        self.terms
    }

    /// The system.
    pub fn system(&self) -> &'s Model {
        self.system
    }

    /// The initial states, at step 0.
    pub fn start(&self) -> Term {
        self.terms.at_step(self.init, 0)
    }

    /// Any state, at step `k`. Steps preserve it, so it is needed only at the first one.
    pub fn any_state(&self, k: u32) -> Term {
        self.terms.at_step(self.restrict, k)
    }

    /// The transition relation, over current and next variables.
    pub fn transition(&self) -> Term {
        self.transition
    }

    /// The transition relation from `k` to `k + 1`.
    pub fn step(&self, k: u32) -> Term {
        self.terms.at_step(self.transition, k)
    }

    /// A state formula at step `k`.
    pub fn at(&self, formula: Term, k: u32) -> Term {
        self.terms.at_step(formula, k)
    }

    /// The states at two steps are different.
    pub fn differ(&self, i: u32, j: u32) -> Term {
        let variables = self.system.variables.iter();
        self.terms.or(variables.map(|&v| {
            let at = |k| self.terms.var_at(v, Stage::At(k));
            self.terms.neq(at(i), at(j))
        }))
    }

    /// The candidates that are inductive together; `None` if the solver gave up.
    pub fn inductive_part(
        &self,
        guesses: Vec<Guess>,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, SolverError> {
        let steps = InductiveSteps {
            entry: 0,
            init: self.start(),
            list: vec![(0, 0, vec![self.any_state(0), self.step(0)])],
            before: &|t| self.at(t, 0),
            after: &|t| self.at(t, 1),
        };
        let part = inductive_part(self.terms, &steps, vec![guesses], solver, budget)?;
        Ok(part.and_then(|mut lists| lists.pop()))
    }

    /// The values of the variables at a step, completed by defaults.
    pub fn values(&self, model: &dyn ModelView, k: u32) -> Vec<Value> {
        let value = |&v: &Symbol| self.value(model, v, Stage::At(k));
        self.system.variables.iter().map(value).collect()
    }

    /// The run of `length` steps that a model of the unrolling describes.
    pub fn trace(&self, model: &dyn ModelView, length: u32) -> Result<Trace, EngineError> {
        let value = |symbol, stage| Some(self.value(model, symbol, stage));
        let taken = |k: u32| {
            let taken = self.system.commands().position(|command| {
                let formula = self.terms.at_step(command.formula(self.terms), k);
                evaluate(self.terms, formula, &value) == Ok(Value::Bool(true))
            });
            taken.ok_or_else(|| EngineError::bug(format!("the model takes no command at step {k}")))
        };
        let edges: Vec<usize> = (0..length).map(taken).collect::<Result<_, _>>()?;
        Ok(read_trace(self.terms, self.system, &edges, &value))
    }

    /// The value of a variable, or some value for a don't-care.
    fn value(&self, model: &dyn ModelView, symbol: Symbol, stage: Stage) -> Value {
        let some = || Value::some_of(self.terms, self.terms.symbol_sort(symbol));
        model.value(symbol, stage).unwrap_or_else(some)
    }
}
