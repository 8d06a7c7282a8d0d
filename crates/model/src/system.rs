//! Transition systems.

use crate::command::Command;
use sectile_terms::{Symbol, Term, Terms};

/// Variables, an initial condition and named commands.
///
/// Paper: [BrDrFiWe07, Sect. 3]. Besides, `restrict` holds conditions that every state satisfies
/// by definition (ranges of variables, assumptions about symbolic constants): a step into a state
/// outside does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionSystem {
    /// What the system is called, usually the file's stem.
    pub name: String,
    /// Variables that change, in the order of their declaration.
    pub variables: Vec<Symbol>,
    /// Symbolic constants.
    pub rigid: Vec<Symbol>,
    /// Conjuncts of the initial condition.
    pub init: Vec<Term>,
    /// Conjuncts that hold in every state.
    pub restrict: Vec<Term>,
    /// The steps.
    pub commands: Vec<Command>,
}

impl TransitionSystem {
    /// The initial states: `init` and `restrict`.
    pub fn init_formula(&self, terms: &Terms) -> Term {
        terms.and(self.init.iter().chain(&self.restrict).copied())
    }

    /// All states.
    pub fn restrict_formula(&self, terms: &Terms) -> Term {
        terms.and(self.restrict.iter().copied())
    }

    /// One step from a state to a state.
    pub fn step_formula(&self, terms: &Terms, command: &Command) -> Term {
        let restrict = self.restrict_formula(terms);
        terms.and([restrict, command.formula(terms), terms.prime(restrict)])
    }

    /// Some step.
    pub fn transition_formula(&self, terms: &Terms) -> Term {
        terms.or(self.commands.iter().map(|c| self.step_formula(terms, c)))
    }

    /// The command with this name.
    pub fn command(&self, name: &str) -> Option<usize> {
        self.commands.iter().position(|c| c.name == name)
    }
}
