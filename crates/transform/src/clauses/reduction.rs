//! A reduction of clauses to fewer arguments and fewer clauses, with its back-translation.
//!
//! A reduction drops arguments of predicates. Known facts about them are added to the meanings of
//! the predicates again, and their values are recomputed along a derivation.

use sectile_model::HornClauses;
use sectile_model::horn::{Derivation, Instance};
use sectile_terms::{Term, Terms};

/// The fate of an argument of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// It is kept.
    Kept,
    /// It is irrelevant.
    Dead,
    /// It has this value, a constant, whenever the predicate is derived.
    Constant(Term),
    /// It is equal to the argument at this position, which is kept.
    Same(usize),
}

/// The fate of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PredicateFate {
    /// It is kept, with some of its arguments.
    Used(Vec<Argument>),
    /// It is never derived.
    Never,
    /// No query depends on it.
    Irrelevant,
}

/// A clause that is kept. It has the same variables as before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedClause {
    /// Its original position.
    pub clause: usize,
    /// Variables whose values come from dead arguments: the variable's position, the position of
    /// the predicate in the body, and the argument's.
    pub carried: Vec<(usize, usize, usize)>,
    /// Variables that depend on those: their positions and values, as terms over other variables.
    pub computed: Vec<(usize, Term)>,
}

/// The result of a reduction. The predicates and their order are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The fate of each predicate.
    pub predicates: Vec<PredicateFate>,
    /// The clauses that are kept.
    pub origins: Vec<ReducedClause>,
    /// The reduced clauses.
    pub after: HornClauses,
}

impl PredicateFate {
    /// The positions of the arguments that are kept.
    pub fn kept(&self) -> Vec<usize> {
        match self {
            PredicateFate::Used(list) => {
                let all = list.iter().enumerate();
                let kept = all.filter(|(_, a)| **a == Argument::Kept);
                kept.map(|(i, _)| i).collect()
            }
            PredicateFate::Never | PredicateFate::Irrelevant => Vec::new(),
        }
    }
}

impl Reduction {
    /// Maps a meaning of the reduced predicates to one of the original predicates.
    ///
    /// The facts about a dropped argument hold whenever the predicate is derived from predicates
    /// that satisfy theirs: so the result is inductive if the meaning was.
    pub fn interpretation(
        &self,
        terms: &Terms,
        before: &HornClauses,
        meanings: &[Option<Term>],
    ) -> Vec<Option<Term>> {
        let meaning = |(p, standing): (usize, &PredicateFate)| {
            let parameters = &before.predicates[p].parameters;
            let variable = |i: usize| terms.var(parameters[i]);
            match standing {
                PredicateFate::Never => Some(terms.ff()),
                PredicateFate::Irrelevant => Some(terms.tt()),
                PredicateFate::Used(list) => {
                    let known = list.iter().enumerate().filter_map(|(i, a)| match *a {
                        Argument::Kept | Argument::Dead => None,
                        Argument::Constant(value) => Some(terms.eq(variable(i), value)),
                        Argument::Same(j) => Some(terms.eq(variable(i), variable(j))),
                    });
                    let known: Vec<Term> = known.collect();
                    meanings[p].map(|m| terms.and(known.into_iter().chain([m])))
                }
            }
        };
        let all = self.predicates.iter().enumerate();
        all.map(meaning).collect()
    }

    /// Maps a derivation from the reduced clauses to one from the original clauses.
    pub fn derivation(
        &self,
        terms: &Terms,
        before: &HornClauses,
        derivation: &Derivation,
    ) -> Option<Derivation> {
        let mut instances: Vec<Instance> = Vec::with_capacity(derivation.instances.len());
        for instance in &derivation.instances {
            let origin = self.origins.get(instance.clause)?;
            let mut values = instance.values.clone();
            for &(variable, body, argument) in &origin.carried {
                let premise = instances.get(*instance.premises.get(body)?)?;
                let head = before.clauses[premise.clause].head.as_ref()?;
                let value = premise.value(terms, before, head.arguments[argument])?;
                *values.get_mut(variable)? = value;
            }
            let mut told = Instance {
                clause: origin.clause,
                values,
                premises: instance.premises.clone(),
            };
            let computed = origin.computed.iter();
            let computed = computed.map(|&(at, t)| Some((at, told.value(terms, before, t)?)));
            for (variable, value) in computed.collect::<Option<Vec<_>>>()? {
                *told.values.get_mut(variable)? = value;
            }
            instances.push(told);
        }
        Some(Derivation { instances })
    }
}
