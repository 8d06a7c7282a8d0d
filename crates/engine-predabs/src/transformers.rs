//! Predicate transformers: preconditions and postconditions of commands.

use sectile_base::Budget;
use sectile_engine::Stop;
use sectile_model::{Command, Model};
use sectile_solver::{Backend, Eliminator, Projection};
use sectile_terms::{Stage, Substitution, Symbol, Term, Terms};

/// Computes pre- and postconditions of the commands of a system.
pub struct Transformers<'t> {
    terms: &'t Terms,
    system: &'t Model,
    eliminator: Option<Box<dyn Eliminator + 't>>,
    budget: Budget,
}

impl<'t> Transformers<'t> {
    /// Prepares the transformers; for assignments the backend need not support elimination.
    pub fn new(
        terms: &'t Terms,
        system: &'t Model,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> Transformers<'t> {
        Transformers {
            terms,
            system,
            eliminator: backend.eliminator(terms).ok(),
            budget: budget.clone(),
        }
    }

    /// The states with a successor in `target`.
    ///
    /// Paper: [BeGrLa, Def. 7], with the missing condition that the successor is in the set.
    pub fn pre(&mut self, command: &Command, target: Term) -> Result<Projection, Stop> {
        self.pre_with(command, &command.guards, target)
    }

    /// The same with only some of the guards, which gives a larger set.
    pub fn pre_with(
        &mut self,
        command: &Command,
        guards: &[Term],
        target: Term,
    ) -> Result<Projection, Stop> {
        let terms = self.terms;
        let domain = self.system.restrict_formula(terms);
        let after = terms.prime(terms.and2(domain, target));
        let relations = command.relations.iter().copied();
        let after = terms.and(relations.chain([after]));
        let after = terms.substitute(after, &updates(terms, command));
        let whole = terms.and(guards.iter().copied().chain([after]));
        self.without(whole, |symbol, stage| {
            stage == Stage::Next || command.inputs.contains(&symbol)
        })
    }

    /// The states without a successor outside `target`; `None` if it cannot be expressed.
    ///
    /// Paper: [BeGrLa, Def. 7]: the dual of the precondition.
    pub fn wp(&mut self, command: &Command, target: Term) -> Result<Option<Term>, Stop> {
        let outside = self.terms.not(target);
        let before = self.pre(command, outside)?;
        Ok(before.exact.then(|| self.terms.not(before.formula)))
    }

    /// The states with a predecessor in `source`.
    ///
    /// Paper: [BeGrLa, Def. 7], with the missing condition that the predecessor is in the set.
    pub fn post(&mut self, command: &Command, source: Term) -> Result<Projection, Stop> {
        let terms = self.terms;
        let step = self.system.step_formula(terms, command);
        let whole = terms.and2(source, step);
        let changing = self.system.variables.clone();
        let result = self.without(whole, |symbol, stage| {
            stage == Stage::Now && (changing.contains(&symbol) || command.inputs.contains(&symbol))
        })?;
        Ok(Projection {
            formula: terms.unprime(result.formula),
            exact: result.exact,
        })
    }

    /// Eliminates the variables selected by `goes`.
    fn without(
        &mut self,
        formula: Term,
        goes: impl Fn(Symbol, Stage) -> bool,
    ) -> Result<Projection, Stop> {
        let present = self.terms.free_vars(formula);
        let variables: Vec<(Symbol, Stage)> =
            present.into_iter().filter(|&(s, k)| goes(s, k)).collect();
        self.exists(formula, &variables)
    }

    /// `exists variables. formula`.
    pub fn exists(
        &mut self,
        formula: Term,
        variables: &[(Symbol, Stage)],
    ) -> Result<Projection, Stop> {
        if variables.is_empty() {
            return Ok(Projection {
                formula,
                exact: true,
            });
        }
        match &mut self.eliminator {
            Some(eliminator) => Ok(eliminator.project(formula, variables, &self.budget)??),
            None => Ok(Projection {
                formula: self.terms.tt(),
                exact: false,
            }),
        }
    }
}

/// Maps the next values of variables to the assigned values.
pub fn updates(terms: &Terms, command: &Command) -> Substitution {
    let updates = command.updates.iter();
    updates.map(|u| (terms.next(u.symbol), u.value)).collect()
}
