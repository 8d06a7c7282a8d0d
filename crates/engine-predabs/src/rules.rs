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
    /// What it is called: `initial`, `property`, the name of a command, or what it is about.
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

/// What rule (Inv-Uni) is about.
///
/// Paper: [BeGrLa, Fig. 6].
#[derive(Clone, Copy, Debug)]
pub struct InvUni {
    /// The states from which the abstract system is right about steps: `phi^C`. They are proved to
    /// be all there are, together with the invariant.
    pub relative: Term,
    /// The invariant: `phi`.
    pub invariant: Term,
    /// What it is for.
    pub property: Option<Term>,
    /// What is used of the reachable abstract states, if it is not all that they say: `Q`.
    pub weaker: Option<Term>,
    /// How the states before a step are divided.
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

    /// The obligations of rule (Inv-Uni): an abstract system gives a known invariant, and for every
    /// command what its abstract transition says about the next state. That the system is an
    /// abstraction is not among them (see [`crate::simulation`]).
    ///
    /// Paper: [BeGrLa, Fig. 6], with the premise about initial states as its proof needs it. The
    /// facts about next states are tautologies [BeGrLa, Sect. 5.1]: they save the prover work.
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
                // Where all of `X` is assumed, its successors may be.
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

/// The obligations, with what is known of all states, and of those after each command.
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

/// How the backward procedure ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backward {
    /// A fixpoint was reached.
    Fixpoint {
        /// The greatest inductive subset of the first set.
        set: Term,
        /// How many iterations it took.
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
