//! Checks that waiting processes are served: `forall i: AG (p => AF q)`.
//!
//! A *region* of a process `i` contains all states in which it waits. In the region, until `q` holds,
//!
//! - some command can be taken,
//! - every step stays in the region, or serves the process,
//! - and with every step ranks decrease: the first one that changes gets smaller. None is negative.
//!
//! So every path from the region serves the process. All of that is proved for the instance that
//! stands for all larger ones, under an invariant that is proved to be inductive there. If an
//! obligation fails in a larger instance, it fails in this one, for the reasons given in `every`:
//! the waiting process is kept, and so is the one that moves. Ranks are made of variables that are
//! kept, and of counters, which decrease by as much as in the larger instance. A state without a
//! possible command stays one, since guards do not range over all processes (`qualify::responses`).
//!
//! Paper: [MaPn91, Rule WELL], with the lexicographic order and no helpful steps.

use crate::Obligation;
use crate::checker::{Checked, Checker, Stop};
use crate::invariant;
use sectile_model::{Command, Ctl, Model, PropertyKind, Task};
use sectile_terms::{Sort, Substitution, Symbol, Term, Terms};

/// The proof that waiting processes are served, in an instance.
#[derive(Clone, Debug)]
pub struct Served {
    /// The states in which each process waits, in the order of the property.
    pub regions: Vec<Term>,
    /// The decreasing ranks of each process.
    pub ranks: Vec<Vec<Term>>,
    /// Further values for instantiating clauses about arbitrary numbers.
    pub values: Vec<(Symbol, Term)>,
}

/// A proof obligation: premises and a conclusion.
pub struct ProofObligation {
    /// Its name.
    pub obligation: Obligation,
    /// The premises besides the invariant.
    pub premises: Vec<Term>,
    /// The conclusion.
    pub conclusion: Term,
}

/// Proves that the clauses are inductive, and all obligations about waiting.
pub fn check(
    task: &Task<'_>,
    clauses: Term,
    served: &Served,
    counts: &Substitution,
    checker: &mut Checker<'_>,
) -> Checked {
    let (terms, model) = (task.terms, task.model);
    let always = task.property.with(PropertyKind::Invariant(terms.tt()));
    let safe = Task {
        property: &always,
        ..*task
    };
    invariant::check(&safe, &[Some(clauses)], checker)?;
    let known = known(terms, model, clauses, served);
    let PropertyKind::Ctl(formula) = &task.property.kind else {
        return Err(Stop::shape("the property is not about waiting"));
    };
    let Some(pairs) = responses(terms, formula) else {
        return Err(Stop::shape("the property is not about waiting"));
    };
    if pairs.len() != served.regions.len() || pairs.len() != served.ranks.len() {
        return Err(Stop::shape("there must be a region for every process"));
    }
    for (k, &(from, to)) in pairs.iter().enumerate() {
        let region = terms.substitute(served.regions[k], counts);
        let ranks = served.ranks[k].iter();
        let ranks: Vec<Term> = ranks.map(|&r| terms.substitute(r, counts)).collect();
        if ranks.iter().any(|&r| terms.sort(r) != Sort::Int) {
            return Err(Stop::shape("the measure must be an integer"));
        }
        for &formula in [region].iter().chain(&ranks) {
            invariant::is_state_formula(task, formula)?;
        }
        for due in obligations(terms, model, (from, to), region, &ranks) {
            let premises: Vec<Term> = known.iter().copied().chain(due.premises).collect();
            checker.implies(due.obligation, &premises, due.conclusion)?;
        }
    }
    Ok(())
}

/// The premises about a state: the clauses, with further instances of those about arbitrary
/// numbers.
pub fn known(terms: &Terms, model: &Model, clauses: Term, served: &Served) -> Vec<Term> {
    let mut known = vec![clauses, model.restrict_formula(terms)];
    for &(number, value) in &served.values {
        let values = Substitution::from_iter([(terms.var(number), value)]);
        known.push(terms.substitute(clauses, &values));
    }
    known
}

/// All obligations about a waiting process.
pub fn obligations(
    terms: &Terms,
    model: &Model,
    (from, to): (Term, Term),
    region: Term,
    ranks: &[Term],
) -> Vec<ProofObligation> {
    let waits = [region, terms.not(to)];
    let due = |what: String, more: &[Term], conclusion: Term| ProofObligation {
        obligation: Obligation::Waiting(what),
        premises: waits.iter().chain(more).copied().collect(),
        conclusion,
    };
    let mut list = vec![ProofObligation {
        obligation: Obligation::Waiting("a waiting process is in the region".to_string()),
        premises: vec![from, terms.not(to)],
        conclusion: region,
    }];
    let zero = terms.number(0.into(), Sort::Int);
    for &rank in ranks {
        let what = "the measure is never negative".to_string();
        list.push(due(what, &[], terms.ge(rank, zero)));
    }
    for command in model.commands() {
        let step = model.step_formula(terms, command);
        let goes_on = terms.and2(terms.prime(region), falls(terms, ranks));
        let what = format!("{} serves the process, or a number falls", command.name);
        list.push(due(what, &[step], terms.or([terms.prime(to), goes_on])));
    }
    let mut guards = Vec::new();
    for (command, guard) in model.commands().filter_map(|c| Some((c, guard(model, c)?))) {
        let guard = terms.and(guard.iter().copied());
        let what = format!("no range keeps {} from being taken", command.name);
        list.push(due(what, &[guard], after(terms, model, command)));
        guards.push(guard);
    }
    let what = "some command can be taken".to_string();
    list.push(due(what, &[], terms.or(guards)));
    list
}

/// The guard of a command that determines all next values: the command is possible whenever it
/// holds.
fn guard<'c>(model: &Model, command: &'c Command) -> Option<&'c [Term]> {
    let all = { model.variables.iter() }.all(|&v| command.update_of(v).is_some());
    let plain = command.inputs.is_empty() && command.relations.is_empty();
    (all && plain).then_some(&command.guards)
}

/// The model's conditions on all states, after a command.
fn after(terms: &Terms, model: &Model, command: &Command) -> Term {
    let updates = command.updates.iter();
    let values: Substitution = updates.map(|u| (terms.var(u.symbol), u.value)).collect();
    terms.substitute(model.restrict_formula(terms), &values)
}

/// The first rank that changes gets smaller.
fn falls(terms: &Terms, ranks: &[Term]) -> Term {
    let mut falls = terms.ff();
    for &rank in ranks.iter().rev() {
        let next = terms.prime(rank);
        let same = terms.and2(terms.eq(next, rank), falls);
        falls = terms.or([terms.lt(next, rank), same]);
    }
    falls
}

/// The conditions `p` and `q` of each `AG (p => AF q)` in a conjunction, in their order.
pub fn responses(terms: &Terms, formula: &Ctl) -> Option<Vec<(Term, Term)>> {
    let mut found = Vec::new();
    let mut open = vec![formula];
    while let Some(next) = open.pop() {
        match next {
            Ctl::And(a, b) => open.extend([&**b, &**a]),
            Ctl::Ag(inner) => found.push(response(terms, inner)?),
            _ => return None,
        }
    }
    Some(found)
}

fn response(terms: &Terms, formula: &Ctl) -> Option<(Term, Term)> {
    let state = |f: &Ctl| f.state_formula(terms, sectile_model::LocationId(0));
    match formula {
        Ctl::Af(to) => Some((terms.tt(), state(to)?)),
        Ctl::Or(not, served) => match &**served {
            Ctl::Af(to) => Some((terms.not(state(not)?), state(to)?)),
            _ => None,
        },
        _ => None,
    }
}
