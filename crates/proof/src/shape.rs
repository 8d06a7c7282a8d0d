//! Whether a refutation is well-formed: numbers in range, terms of the right sort.
//!
//! The other files rely on this check and index freely.

use crate::error::{Fault, Place, ReplayError};
use crate::refutation::{Inference, ProofAtom, ProofStep, Refutation, Source};
use sectile_terms::{Sort, Term, Terms};

/// Checks everything that does not depend on the meaning of steps.
pub(crate) fn check(
    terms: &Terms,
    assertions: &[Term],
    assumptions: &[Term],
    refutation: &Refutation,
) -> Result<(), ReplayError> {
    let at = |place: Place| move |fault: Fault| ReplayError { place, fault };
    for (i, &v) in refutation.variables.iter().enumerate() {
        sort(terms, v, Sort::is_numeric).map_err(at(Place::Variable(i)))?;
    }
    for (i, atom) in refutation.atoms.iter().enumerate() {
        check_atom(terms, &refutation.variables, atom).map_err(at(Place::Atom(i)))?;
    }
    for (i, step) in refutation.steps.iter().enumerate() {
        let counts = [assertions.len(), assumptions.len(), refutation.atoms.len()];
        check_step(terms, counts, i, step).map_err(at(Place::Step(i)))?;
    }
    match refutation.steps.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err(at(Place::End)(Fault::NotRefuted)),
    }
}

fn sort(terms: &Terms, t: Term, fits: impl Fn(Sort) -> bool) -> Result<(), Fault> {
    if t.index() >= terms.len() {
        return Err(Fault::UnknownTerm);
    }
    fits(terms.sort(t)).then_some(()).ok_or(Fault::WrongSort)
}

fn check_atom(terms: &Terms, variables: &[Term], atom: &ProofAtom) -> Result<(), Fault> {
    let (sum, bound, strict, integral) = match atom {
        ProofAtom::Formula(t) => return sort(terms, *t, |s| s == Sort::Bool),
        ProofAtom::Bound {
            sum,
            bound,
            strict,
            integral,
        } => (sum, bound, *strict, *integral),
    };
    let mut integers = bound.is_int() && !strict;
    for (v, _) in sum {
        let variable = variables
            .get(*v as usize)
            .ok_or(Fault::UnknownVariable(*v))?;
        integers &= terms.sort(*variable) == Sort::Int;
    }
    (integers || !integral)
        .then_some(())
        .ok_or(Fault::NotIntegral)
}

/// `counts` are the numbers of assertions, assumptions and atoms.
fn check_step(
    terms: &Terms,
    [assertions, assumptions, atoms]: [usize; 3],
    position: usize,
    step: &ProofStep,
) -> Result<(), Fault> {
    if let Some(lit) = step.clause.iter().find(|l| l.atom as usize >= atoms) {
        return Err(Fault::UnknownAtom(lit.atom));
    }
    match &step.inference {
        Inference::Input(source) => {
            let known = match source {
                Source::Assertion(i) => (*i as usize) < assertions,
                Source::Assumption(i) => (*i as usize) < assumptions,
            };
            known.then_some(()).ok_or(Fault::UnknownSource)
        }
        Inference::Definition(t) => sort(terms, *t, |_| true),
        Inference::Lemma(lemma) => {
            lemma.check_count(step.clause.len())?;
            let mut parts = lemma.terms.iter();
            parts.try_for_each(|&t| sort(terms, t, |_| true))
        }
        Inference::Resolution(chain) if chain.is_empty() => Err(Fault::EmptyChain),
        Inference::Resolution(chain) => match chain.iter().find(|&&s| s as usize >= position) {
            Some(later) => Err(Fault::NotEarlier(*later)),
            None => Ok(()),
        },
    }
}
