//! Deduction: the proof obligations of the rules, and the backward procedure.

use crate::parts::Parts;
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
    /// Its name: `initial`, `property`, the name of a command, or a description.
    pub name: String,
    /// The premise.
    pub premise: Term,
    /// The claim.
    pub claim: Term,
}

/// The result of checking an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discharge {
    /// It is valid.
    Valid,
    /// It fails in this state or step: a counterexample to induction.
    Fails(Assignment),
    /// The solver gave up.
    Unknown(String),
}

impl Obligation {
    /// The obligation that a premise implies a claim.
    pub fn new(name: impl Into<String>, premise: Term, claim: Term) -> Obligation {
        let name = name.into();
        Obligation {
            name,
            premise,
            claim,
        }
    }
}

/// The obligations of rule (Inv): `psi` holds initially, implies the property, and is inductive.
///
/// Paper: [BeGrLa, Fig. 1, Def. 8].
pub fn inv(terms: &Terms, system: &Model, psi: Term, property: Option<Term>) -> Vec<Obligation> {
    obligations(terms, system, psi, property, terms.tt(), |_| terms.tt())
}

/// The parameters of rule (Inv-Uni).
///
/// Paper: [BeGrLa, Fig. 6].
#[derive(Clone, Copy, Debug)]
pub struct InvUni {
    /// `phi^C`: the states for whose steps the abstract system is sound. They are proved to be all
    /// reachable states, together with the invariant.
    pub relative: Term,
    /// The invariant: `phi`.
    pub invariant: Term,
    /// The property that follows from it.
    pub property: Option<Term>,
    /// `Q`: a weaker formula to use instead of the reachable abstract states.
    pub weaker: Option<Term>,
    /// How the states before a step are partitioned.
    pub parts: Parts,
}

impl InvUni {
    /// The rule with `true` for `phi^C` and the reachable states for `Q`.
    pub fn new(terms: &Terms, invariant: Term, property: Option<Term>) -> InvUni {
        InvUni {
            relative: terms.tt(),
            invariant,
            property,
            weaker: None,
            parts: Parts::Whole,
        }
    }

    /// The obligations of rule (Inv-Uni): an abstract system gives a known invariant and, for every
    /// command, the conclusion of its abstract transition about the next state. That the system is
    /// an abstraction is not among them (see [`crate::simulation`]).
    ///
    /// Paper: [BeGrLa, Fig. 6], with the premise about initial states as its proof requires. The
    /// facts about next states are tautologies [BeGrLa, Sect. 5.1] that save the solver work.
    pub fn obligations(
        &self,
        abstracted: &mut AbstractSystem<'_>,
        reach: &Reach,
    ) -> Vec<Obligation> {
        let (terms, system) = (abstracted.terms(), abstracted.system());
        let reached = abstracted.concrete(terms, reach.all);
        let psi = terms.and2(self.relative, self.invariant);
        let known = self.weaker.unwrap_or(reached);
        let mut list = obligations(terms, system, psi, self.property, known, |k| {
            let parts = abstracted.parts(reach.all, k, self.parts);
            let facts = parts.into_iter().map(|(before, after)| {
                let after = terms.prime(abstracted.concrete(terms, after));
                // If all of `X` is assumed, its successors may be assumed as well.
                if self.parts == Parts::Whole && self.weaker.is_none() {
                    return after;
                }
                terms.implies(abstracted.concrete(terms, before), after)
            });
            terms.and(facts.collect::<Vec<_>>())
        });
        if let Some(weaker) = self.weaker {
            let premise = terms.and2(system.restrict_formula(terms), reached);
            list.insert(0, Obligation::new("reachable", premise, weaker));
        }
        list
    }
}

/// The obligations, with the known facts about all states, and about those after each command.
fn obligations(
    terms: &Terms,
    system: &Model,
    psi: Term,
    property: Option<Term>,
    known: Term,
    mut after: impl FnMut(usize) -> Term,
) -> Vec<Obligation> {
    let mut list = vec![Obligation::new("initial", system.init_formula(terms), psi)];
    if let Some(phi) = property {
        let premise = terms.and([system.restrict_formula(terms), known, psi]);
        list.push(Obligation::new("property", premise, phi));
    }
    for (k, command) in system.commands().enumerate() {
        let after = after(k);
        let step = system.step_formula(terms, command);
        let premise = terms.and([known, psi, step, after]);
        list.push(Obligation::new(&command.name, premise, terms.prime(psi)));
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
    let used = terms.free_vars_of(&[obligation.premise, obligation.claim]);
    if used.iter().any(|v| v.1 == Stage::Next) {
        variables.extend(system.variables.iter().map(|&s| (s, Stage::Next)));
    }
    match prover.model(against, &variables) {
        Ok(None) => Ok(Discharge::Valid),
        Ok(Some(model)) => Ok(Discharge::Fails(model)),
        Err(stop @ Stop::Undecided(_)) => Ok(Discharge::Unknown(stop.to_string())),
        Err(error) => Err(error),
    }
}

/// The result of the backward procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backward {
    /// A fixpoint was reached.
    Fixpoint {
        /// The greatest inductive subset of the first set.
        set: Term,
        /// The number of iterations.
        iterations: usize,
    },
    /// The set after `bound` iterations, which is not yet a fixpoint.
    Open(Term),
}

/// Removes states that may leave the set, until a fixpoint.
///
/// Paper: [BeGrLa, Sect. 3]. Starting with a known invariant is sound and needs fewer steps.
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
