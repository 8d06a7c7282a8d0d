//! Inductive invariants.

use crate::{Obligation, Outcome, Refusal, refused};
use sectile_base::Budget;
use sectile_model::{Command, LocationId, Model, PropertyKind, Task};
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

/// What an invariant of a system has to imply.
pub fn safe_states(terms: &Terms, kind: &PropertyKind) -> Option<Term> {
    match kind {
        PropertyKind::Invariant(p) => Some(*p),
        PropertyKind::Error(e) => Some(terms.not(*e)),
        PropertyKind::Ctl(formula) => formula.as_invariant(terms),
        PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => None,
    }
}

/// Paper: [BeGrLa, Rule Inv]. Initiation, consecution per command, implication.
pub fn check_system(
    task: &Task<'_>,
    invariant: Term,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let terms = task.terms;
    let Model::System(system) = task.model else {
        return Ok(refused("a program needs an invariant for every location"));
    };
    let Some(safe) = safe_states(terms, &task.property.kind) else {
        return Ok(refused("an invariant does not prove this kind of property"));
    };
    if let Err(why) = is_state_formula(task, invariant) {
        return Ok(refused(&why));
    }
    let mut checker = Checker::new(terms, solver, budget);
    let restrict = system.restrict_formula(terms);
    let parts = terms.conjuncts(invariant);
    let known: BTreeSet<Term> = parts.iter().copied().collect();
    let mut run = || -> Checked {
        let init = system.init_formula(terms);
        if let Err(stop) = checker.implies(Obligation::Initiation, &[init], invariant)? {
            return Ok(Err(stop));
        }
        for command in &system.commands {
            let step = system.step_formula(terms, command);
            let obligation = Obligation::Consecution(command.name.clone());
            let open = parts
                .iter()
                .filter(|&&p| !is_kept(terms, command, p, &known));
            let after = terms.and(open.map(|&p| terms.prime(p)));
            if let Err(stop) = checker.implies(obligation, &[invariant, step], after)? {
                return Ok(Err(stop));
            }
        }
        checker.implies(Obligation::Property(None), &[invariant, restrict], safe)
    };
    let result = run()?;
    Ok(checker.outcome(result))
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
        let known = model.variables().contains(&symbol) || model.rigid().contains(&symbol);
        if stage != Stage::Now || !known {
            let name = task.terms.name(symbol);
            return Err(format!(
                "the invariant mentions `{name}`, which is no variable of the model"
            ));
        }
    }
    Ok(())
}

/// The same per location: the entry, every edge, and the property at every location.
pub fn check_graph(
    task: &Task<'_>,
    invariants: &[Term],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let terms = task.terms;
    let Model::Graph(graph) = task.model else {
        return Ok(refused("a system has no locations: it needs one invariant"));
    };
    if invariants.len() != graph.locations.len() {
        return Ok(refused("there must be one invariant for every location"));
    }
    for &invariant in invariants {
        if let Err(why) = is_state_formula(task, invariant) {
            return Ok(refused(&why));
        }
    }
    let Some(safe) = safe_at_locations(task, graph.locations.len()) else {
        return Ok(refused("invariants do not prove this kind of property"));
    };
    let mut checker = Checker::new(terms, solver, budget);
    let restrict = graph.restrict_formula(terms);
    let mut run = || -> Checked {
        let init = graph.init_formula(terms);
        let entry = invariants[graph.entry.0];
        if let Err(stop) = checker.implies(Obligation::Initiation, &[init], entry)? {
            return Ok(Err(stop));
        }
        for edge in &graph.edges {
            let premises = [invariants[edge.from.0], graph.step_formula(terms, edge)];
            let after = terms.prime(invariants[edge.to.0]);
            let name = format!(
                "{} -> {} ({})",
                graph.location_name(edge.from),
                graph.location_name(edge.to),
                edge.command.name
            );
            if let Err(stop) = checker.implies(Obligation::Consecution(name), &premises, after)? {
                return Ok(Err(stop));
            }
        }
        for (location, (&invariant, &safe)) in invariants.iter().zip(&safe).enumerate() {
            let name = graph.locations[location].name.clone();
            let obligation = Obligation::Property(Some(name));
            if let Err(stop) = checker.implies(obligation, &[invariant, restrict], safe)? {
                return Ok(Err(stop));
            }
        }
        Ok(Ok(()))
    };
    let result = run()?;
    Ok(checker.outcome(result))
}

/// What has to hold at each location.
pub fn safe_at_locations(task: &Task<'_>, count: usize) -> Option<Vec<Term>> {
    let terms = task.terms;
    let mut safe = vec![terms.tt(); count];
    match &task.property.kind {
        PropertyKind::AtLocation(location, formula) => safe[location.0] = *formula,
        PropertyKind::Unreachable(locations) => {
            locations.iter().for_each(|l| safe[l.0] = terms.ff());
        }
        PropertyKind::Ctl(formula) => {
            for (l, entry) in safe.iter_mut().enumerate() {
                *entry = formula.invariant_at(terms, Some(LocationId(l)))?;
            }
        }
        other => safe = vec![safe_states(terms, other)?; count],
    }
    Some(safe)
}
