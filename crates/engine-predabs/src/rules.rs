//! Deduction: proof obligations of the rules, and the backward procedure.

use crate::prover::Prover;
use crate::system::{AbstractSystem, Reach};
use crate::transformers::Transformers;
use sectile_engine::Stop;
use sectile_model::Model;
use sectile_solver::Assignment;
use sectile_terms::{Stage, Symbol, Term, Terms};

/// A formula that has to be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// What it is called: `initial`, `property`, or the name of a command.
    pub name: String,
    /// What may be assumed.
    pub premise: Term,
    /// What has to follow.
    pub claim: Term,
}

/// What became of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discharge {
    /// It is valid.
    Valid,
    /// It fails in this state, or step: a counterexample to induction.
    Fails(Assignment),
    /// The prover cannot tell.
    Unknown(String),
}

/// The obligations of rule (Inv): `psi` holds initially, implies the property, and is inductive.
///
/// Paper: [BeGrLa, Fig. 1, Def. 8].
pub fn inv(terms: &Terms, system: &Model, psi: Term, property: Option<Term>) -> Vec<Obligation> {
    obligations(terms, system, psi, property, terms.tt(), |_| terms.tt())
}

/// The obligations of rule (Inv-Uni): an abstract system gives a known invariant, and for every
/// command what its abstract transition says about the next state.
///
/// Paper: [BeGrLa, Fig. 6], with the premise about initial states as its proof needs it. The facts
/// about next states are tautologies [BeGrLa, Sect. 5.1]: they save the prover work.
pub fn inv_uni(
    terms: &Terms,
    system: &Model,
    psi: Term,
    property: Option<Term>,
    abstracted: &mut AbstractSystem<'_>,
    reach: &Reach,
) -> Vec<Obligation> {
    let known = abstracted.concrete(terms, reach.all);
    obligations(terms, system, psi, property, known, |k| {
        let after = abstracted.post(reach.all, k);
        terms.prime(abstracted.concrete(terms, after))
    })
}

/// The obligations, with what is known of all states, and of those after each command.
fn obligations(
    terms: &Terms,
    system: &Model,
    psi: Term,
    property: Option<Term>,
    known: Term,
    mut after: impl FnMut(usize) -> Term,
) -> Vec<Obligation> {
    let obligation = |name: &str, premise: Term, claim: Term| Obligation {
        name: name.to_string(),
        premise,
        claim,
    };
    let mut list = vec![obligation("initial", system.init_formula(terms), psi)];
    if let Some(phi) = property {
        let premise = terms.and([system.restrict_formula(terms), known, psi]);
        list.push(obligation("property", premise, phi));
    }
    for (k, command) in system.commands().enumerate() {
        let after = after(k);
        let step = system.step_formula(terms, command);
        let premise = terms.and([known, psi, step, after]);
        list.push(obligation(&command.name, premise, terms.prime(psi)));
    }
    list
}

/// Asks the prover about an obligation.
pub fn discharge(
    prover: &mut Prover<'_>,
    system: &Model,
    obligation: &Obligation,
) -> Result<Discharge, Stop> {
    let terms = prover.terms();
    let against = terms.and2(obligation.premise, terms.not(obligation.claim));
    let now = system.rigid.iter().chain(&system.variables);
    let mut variables: Vec<(Symbol, Stage)> = now.map(|&s| (s, Stage::Now)).collect();
    if !matches!(obligation.name.as_str(), "initial" | "property") {
        variables.extend(system.variables.iter().map(|&s| (s, Stage::Next)));
    }
    match prover.model(against, &variables) {
        Ok(None) => Ok(Discharge::Valid),
        Ok(Some(model)) => Ok(Discharge::Fails(model)),
        Err(stop @ Stop::Undecided(_)) => Ok(Discharge::Unknown(stop.to_string())),
        Err(error) => Err(error),
    }
}

/// How the backward procedure ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backward {
    /// The set did not change any more after so many iterations.
    Fixpoint {
        /// The greatest inductive set inside the first one.
        set: Term,
        /// How many iterations it took.
        iterations: usize,
    },
    /// It did not converge within the bound.
    Open(Term),
}

/// Removes states that may leave the set, until there are none.
///
/// Paper: [BeGrLa, Sect. 3]. Starting inside a known invariant is sound and needs fewer steps.
pub fn backward<'t>(
    terms: &'t Terms,
    system: &'t Model,
    start: Term,
    bound: usize,
    prover: &mut Prover<'t>,
    transformers: &mut Transformers<'t>,
) -> Result<Backward, Stop> {
    let mut set = start;
    let domain = system.restrict_formula(terms);
    for iterations in 0..bound {
        let mut parts = vec![set];
        for command in system.commands() {
            let safe = transformers.wp(command, set)?.ok_or_else(|| {
                let why = format!("the precondition of {} is not exact", command.name);
                Stop::incomplete(why)
            })?;
            if !prover.implies(terms.and([domain, set]), safe)? {
                parts.push(safe);
            }
        }
        if parts.len() == 1 {
            return Ok(Backward::Fixpoint { set, iterations });
        }
        set = terms.simplify(terms.and(parts));
    }
    Ok(Backward::Open(set))
}
