//! Checks proofs for every number of processes.
//!
//! The invariant is a list of clauses, each for all choices of a few indices. Suppose that a family
//! qualifies (see `qualify`), and that a step of an instance of any size leads out of the
//! invariant. Only a few processes matter for that: the one that moves and others that the step
//! names, witnesses of its existential conditions, and the indices of the clause that fails. Remove
//! all other processes and number the rest in the same order. Universal conditions still hold,
//! witnesses are still there, and the clause still fails: this is a step of a small instance that
//! leads out of the invariant. Processes may be kept until there are exactly as many as in the
//! instance that is checked.
//!
//! So an invariant that is inductive in the instance with that many processes is inductive in
//! all larger ones, the property follows in all of them, and smaller ones are checked one by one.
//!
//! The removed processes may be counted: see [`Counted`]. A clause may say that some process
//! exists: then a witness is kept as well. And it may be about any number, by a name that is a
//! constant of the instance: `s <= v and v < t => exists i: P[i].ticket = v`.
//!
//! The property that waiting processes are served is checked in the same instances, see `waiting`.

mod qualify;
mod waiting;

pub use qualify::{Qualified, Waiting, WrittenProof, qualify};
pub use waiting::{ProofObligation, Served, known, obligations, responses};

use crate::checker::Checker;
use crate::{Claim, Obligation, Outcome, Refusal, concluded};
use sectile_base::{Budget, Diagnostic};
use sectile_model::scheme::Scheme;
use sectile_model::{Certificate, Model, Task};
use sectile_solver::{Answer, Backend, Solver, SolverError};
use sectile_terms::{Sort, Substitution, Symbol, SymbolKind, Term, Terms};

/// A counter: the number of processes that satisfy a condition, by a name that clauses use.
///
/// It is the sum of the count over the kept processes and a number for the removed ones. A step
/// changes no removed process, so that number stays the same.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// The name.
    pub symbol: Symbol,
    /// The count in the instance.
    pub count: Term,
    /// The number of kept processes that satisfy it, if any others do.
    pub witnesses: usize,
}

/// An instance of the family as it was read.
pub struct Instance<'i> {
    /// The model and the property.
    pub task: Task<'i>,
    /// The clauses of the invariant in this instance.
    pub clauses: Vec<Term>,
    /// The counters of the invariant in this instance.
    pub counters: Vec<Counted>,
    /// The names of arbitrary numbers that clauses use.
    pub numbers: Vec<Symbol>,
    /// The proof that waiting processes are served, if that is the property.
    pub served: Option<Served>,
    /// A separate proof for this instance, unless it is the last one.
    pub own: Option<Certificate>,
}

/// A family of processes, with an invariant that is claimed to prove a property of it.
pub trait Family {
    /// How the text uses indices.
    fn scheme(&self) -> &Scheme;

    /// The name of the property.
    fn property(&self) -> &str;

    /// The proof as written.
    fn said(&self) -> &WrittenProof;

    /// The smallest number of processes that is claimed.
    fn first(&self) -> i64;

    /// Reads an instance and passes it to a function.
    fn at(
        &self,
        size: i64,
        look: &mut dyn FnMut(&Instance<'_>) -> Result<Outcome, SolverError>,
    ) -> Result<Outcome, String>;
}

/// Checks that a property holds for every number of processes.
pub fn check(
    family: &dyn Family,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Outcome, String> {
    let qualified = match qualify(family.scheme(), family.property(), family.said()) {
        Ok(qualified) => qualified,
        Err(diagnostic) => return Ok(refused(&diagnostic)),
    };
    let last = qualified.size();
    let mut shown = 0;
    for size in family.first().min(last)..=last {
        let outcome = family.at(size, &mut |instance| {
            let solver = backend.certifying_solver(instance.task.terms);
            let mut solver = solver.map_err(|e| SolverError::Unsupported(e.to_string()))?;
            match size == last {
                true => large(instance, solver.as_mut(), budget),
                false => small(instance, solver.as_mut(), budget),
            }
        })?;
        match outcome {
            Outcome::Accepted { obligations } => shown += obligations,
            Outcome::Refused(refusal) => {
                let because = format!("with {size} for the size, {}", refusal.because);
                return Ok(Outcome::Refused(Refusal { because, ..refusal }));
            }
            undecided @ Outcome::Undecided(..) => return Ok(undecided),
        }
    }
    Ok(Outcome::Accepted { obligations: shown })
}

fn refused(diagnostic: &Diagnostic) -> Outcome {
    Outcome::Refused(Refusal {
        obligation: Obligation::Shape,
        because: diagnostic.message.clone(),
    })
}

/// Checks an instance with few processes: its own proof, or the clauses.
fn small(
    instance: &Instance<'_>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let task = &instance.task;
    if let Some(own) = &instance.own {
        return crate::check(task, Claim::Holds, own, solver, budget);
    }
    let terms = task.terms;
    let counts = instance.counters.iter();
    let counts = counts.map(|c| (terms.var(c.symbol), c.count)).collect();
    let model = numbered(instance, task.model.clone());
    shown(instance, &model, &counts, solver, budget)
}

/// Checks the instance that stands for all larger ones.
fn large(
    instance: &Instance<'_>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let (model, counts) = extended(instance, solver, budget)?;
    shown(instance, &model, &counts, solver, budget)
}

/// Checks the clauses and their consequences.
fn shown(
    instance: &Instance<'_>,
    model: &Model,
    counts: &Substitution,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let task = Task {
        model,
        ..instance.task
    };
    let invariant = invariant(instance, counts);
    match &instance.served {
        Some(served)
            if !served
                .values
                .iter()
                .all(|(n, _)| instance.numbers.contains(n)) =>
        {
            Ok(Outcome::Refused(Refusal {
                obligation: Obligation::Shape,
                because: "values are given to something that is not any number".to_string(),
            }))
        }
        Some(served) => {
            let mut checker = Checker::new(task.terms, solver, budget);
            let shown = waiting::check(&task, invariant, served, counts, &mut checker);
            concluded(shown, &checker)
        }
        None => {
            let certificate = Certificate::invariant(invariant);
            crate::check(&task, Claim::Holds, &certificate, solver, budget)
        }
    }
}

/// The model with constants for the numbers in clauses.
fn numbered(instance: &Instance<'_>, mut model: Model) -> Model {
    model.rigid.extend(&instance.numbers);
    model
}

/// The model with numbers for the removed processes, and the values of the counters.
pub fn extended(
    instance: &Instance<'_>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<(Model, Substitution), SolverError> {
    let terms = instance.task.terms;
    let mut model = numbered(instance, instance.task.model.clone());
    let zero = terms.number(0.into(), Sort::Int);
    let init = model.init_formula(terms);
    let mut values = Substitution::default();
    for counter in &instance.counters {
        let rest = terms.var(fresh(terms, counter.symbol));
        if let Some((symbol, _)) = terms.free_vars(rest).into_iter().next() {
            model.rigid.push(symbol);
        }
        model.restrict.push(terms.ge(rest, zero));
        if counter.witnesses > 0 {
            let most = i64::try_from(counter.witnesses).unwrap_or(i64::MAX);
            let enough = terms.ge(counter.count, terms.number(most.into(), Sort::Int));
            model
                .restrict
                .push(terms.implies(terms.gt(rest, zero), enough));
        }
        // If no kept process is counted initially, no removed one is.
        let some = terms.gt(counter.count, zero);
        if matches!(solver.check(&[init, some], budget)?, Answer::Unsat(_)) {
            model.init.push(terms.eq(rest, zero));
        }
        values.insert(terms.var(counter.symbol), terms.add(counter.count, rest));
    }
    Ok((model, values))
}

/// The conjunction of the clauses, with values for the counters.
fn invariant(instance: &Instance<'_>, counts: &Substitution) -> Term {
    let terms = instance.task.terms;
    terms.substitute(terms.and(instance.clauses.iter().copied()), counts)
}

/// A constant that is not in the model.
fn fresh(terms: &Terms, counter: Symbol) -> Symbol {
    let name = terms.name(counter).to_string();
    let names = (0..).map(|k| format!("rest {k} of {name}"));
    let declared = names.map(|n| terms.declare(&n, Sort::Int, SymbolKind::Rigid));
    let mut declared = declared.filter_map(Result::ok);
    declared.next().unwrap_or(counter)
}
