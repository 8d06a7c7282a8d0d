//! Inductive invariants.

use crate::{Obligation, Outcome, Refusal, refused};
use sectile_base::Budget;
use sectile_model::{Command, Edge, LocationId, Model, Premise, Task};
use sectile_solver::{Answer, ModelView, Solver, SolverError, Undecided, scoped};
use sectile_terms::{Stage, Substitution, SymbolKind, Term, Terms, display_value};
use std::collections::BTreeSet;

/// Asks whether formulas are valid, one after the other, and stops at the first that is not.
pub struct Checker<'c> {
    terms: &'c Terms,
    solver: &'c mut dyn Solver,
    budget: &'c Budget,
    done: usize,
}

/// Why the checker stopped.
pub enum Stop {
    /// An obligation does not hold.
    Refused(Refusal),
    /// An obligation could not be decided.
    Undecided(Obligation, Undecided),
}

impl Stop {
    /// The evidence does not have the right shape.
    pub fn shape(because: &str) -> Stop {
        Stop::Refused(Refusal::shape(because))
    }
}

/// The solver may fail; otherwise the obligation holds or the checker stops.
pub type Checked = Result<Result<(), Stop>, SolverError>;

impl<'c> Checker<'c> {
    /// A checker that has shown nothing yet.
    pub fn new(terms: &'c Terms, solver: &'c mut dyn Solver, budget: &'c Budget) -> Checker<'c> {
        Checker {
            terms,
            solver,
            budget,
            done: 0,
        }
    }

    /// Shows that the premises imply the conclusion.
    pub fn implies(
        &mut self,
        obligation: Obligation,
        premises: &[Term],
        conclusion: Term,
    ) -> Checked {
        let parts = self.terms.conjuncts(conclusion);
        if parts.is_empty() {
            self.done += 1;
            return Ok(Ok(()));
        }
        let Checker {
            terms,
            solver,
            budget,
            ..
        } = self;
        let stop = scoped(&mut **solver, |solver| {
            for &premise in premises {
                solver.assert(premise)?;
            }
            // A conclusion that is a conjunction is shown piece by piece: smaller questions.
            for part in parts {
                if let Some(stop) = refute(terms, solver, budget, &obligation, premises, part)? {
                    return Ok::<_, SolverError>(Some(stop));
                }
            }
            Ok(None)
        })?;
        if let Some(stop) = stop {
            return Ok(Err(stop));
        }
        self.done += 1;
        Ok(Ok(()))
    }

    /// Counts an obligation that needed no solver.
    pub fn shown(&mut self) -> Checked {
        self.done += 1;
        Ok(Ok(()))
    }

    /// What the whole check gave.
    pub fn outcome(&self, result: Result<(), Stop>) -> Outcome {
        match result {
            Ok(()) => Outcome::Accepted {
                obligations: self.done,
            },
            Err(Stop::Refused(refusal)) => Outcome::Refused(refusal),
            Err(Stop::Undecided(obligation, why)) => Outcome::Undecided(obligation, why),
        }
    }
}

/// Whether the asserted premises refute the negated part; if not, why the checker stops.
fn refute(
    terms: &Terms,
    solver: &mut dyn Solver,
    budget: &Budget,
    obligation: &Obligation,
    premises: &[Term],
    part: Term,
) -> Result<Option<Stop>, SolverError> {
    let negated = terms.not(part);
    scoped(solver, |solver| {
        solver.assert(negated)?;
        Ok(match solver.check(&[], budget)? {
            Answer::Unsat(_) => None,
            Answer::Sat(model) => {
                let query = terms.and(premises.iter().copied().chain([negated]));
                Some(Stop::Refused(Refusal {
                    obligation: obligation.clone(),
                    because: counterexample(terms, query, model),
                }))
            }
            Answer::Unknown(why) => Some(Stop::Undecided(obligation.clone(), why)),
        })
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

/// Paper: [BeGrLa, Rule Inv], at every location. Initiation, consecution per edge, implication.
pub fn check(
    task: &Task<'_>,
    invariants: &[Term],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let (terms, model) = (task.terms, task.model);
    if let Err(why) = well_formed(task, invariants.iter().copied().map(Some)) {
        return Ok(refused(&why));
    }
    let Some(safe) = safe_at_locations(task) else {
        return Ok(refused("invariants do not prove this kind of property"));
    };
    let mut checker = Checker::new(terms, solver, budget);
    let restrict = model.restrict_formula(terms);
    let parts: Vec<Vec<Term>> = invariants.iter().map(|&i| terms.conjuncts(i)).collect();
    let mut run = || -> Checked {
        let init = model.init_formula(terms);
        let entry = invariants[model.entry.0];
        if let Err(stop) = checker.implies(Obligation::Initiation, &[init], entry)? {
            return Ok(Err(stop));
        }
        for edge in &model.edges {
            let known: BTreeSet<Term> = parts[edge.from.0].iter().copied().collect();
            let open = parts[edge.to.0].iter();
            let open = open.filter(|&&p| !is_kept(terms, &edge.command, p, &known));
            let after = terms.and(open.map(|&p| terms.prime(p)));
            let obligation = Obligation::Consecution(edge_name(model, edge));
            let mut known = vec![
                invariants[edge.from.0],
                model.step_formula(terms, &edge.command),
            ];
            let others = edge.premises.iter();
            known.extend(others.map(|p| applied(terms, p, invariants[p.location.0])));
            if let Err(stop) = checker.implies(obligation, &known, after)? {
                return Ok(Err(stop));
            }
        }
        for (location, (&invariant, &safe)) in invariants.iter().zip(&safe).enumerate() {
            let name = (!model.is_system()).then(|| model.locations[location].name.clone());
            let obligation = Obligation::Property(name);
            if let Err(stop) = checker.implies(obligation, &[invariant, restrict], safe)? {
                return Ok(Err(stop));
            }
        }
        Ok(Ok(()))
    };
    let result = run()?;
    Ok(checker.outcome(result))
}

/// What an invariant says of a premise. Variables that the premise does not name have some value.
fn applied(terms: &Terms, premise: &Premise, invariant: Term) -> Term {
    let named = premise.values.iter();
    let mut values: Substitution = named.map(|&(s, v)| (terms.var(s), v)).collect();
    for (symbol, stage) in terms.free_vars(invariant) {
        let variable = terms.var_at(symbol, stage);
        if terms.symbol_kind(symbol) != SymbolKind::Rigid && !values.contains_key(&variable) {
            let some = terms.fresh("some", terms.symbol_sort(symbol), SymbolKind::Input);
            values.insert(variable, terms.var(some));
        }
    }
    terms.substitute(invariant, &values)
}

/// An edge as messages name it.
pub fn edge_name(model: &Model, edge: &Edge) -> String {
    let name = &edge.command.name;
    if model.is_system() {
        return name.clone();
    }
    let (from, to) = (model.location_name(edge.from), model.location_name(edge.to));
    format!("{from} -> {to} ({name})")
}

/// Whether there is an entry for every location, and all formulas are about states.
pub fn well_formed(
    task: &Task<'_>,
    invariants: impl ExactSizeIterator<Item = Option<Term>>,
) -> Result<(), String> {
    if invariants.len() != task.model.locations.len() {
        return Err("there must be one invariant for every location".to_string());
    }
    let mut formulas = invariants.flatten();
    formulas.try_for_each(|i| is_state_formula(task, i))
}

/// Whether the assignments of a command turn the formula into one of those known before it.
///
/// Most commands leave most parts of an invariant as they are; these need no solver.
fn is_kept(terms: &Terms, command: &Command, formula: Term, known: &BTreeSet<Term>) -> bool {
    let mut values = Substitution::default();
    for (symbol, _) in terms.free_vars(formula) {
        if terms.symbol_kind(symbol) == SymbolKind::Rigid {
            continue;
        }
        match command.update_of(symbol) {
            Some(value) => values.insert(terms.var(symbol), value),
            None => return false,
        };
    }
    let before = terms.substitute(formula, &values);
    before == terms.tt() || known.contains(&before)
}

/// Whether the formula mentions only current variables and constants of the model.
pub fn is_state_formula(task: &Task<'_>, formula: Term) -> Result<(), String> {
    let model = task.model;
    for (symbol, stage) in task.terms.free_vars(formula) {
        let known = model.variables.contains(&symbol) || model.rigid.contains(&symbol);
        if stage != Stage::Now || !known {
            let name = task.terms.name(symbol);
            return Err(format!(
                "the invariant mentions `{name}`, which is no variable of the model"
            ));
        }
    }
    Ok(())
}

/// What has to hold at each location; `None` if the property is not about single states.
pub fn safe_at_locations(task: &Task<'_>) -> Option<Vec<Term>> {
    let locations = (0..task.model.locations.len()).map(LocationId);
    let safe = locations.map(|l| task.property.kind.safe_at(task.terms, l));
    safe.collect()
}
