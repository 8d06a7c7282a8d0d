//! Interpolants of paths: the available methods, and checked sequences.

use crate::info::EngineError;
use crate::options::OptionValue;
use crate::run::Run;
use crate::stop::Stop;
use sectile_solver::{Backend, Broken, Interpolation, Interpolator, Unsupported, check_sequence};
use sectile_terms::{Term, Terms};

/// How interpolants are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// The default of the solver.
    Proof,
    /// The named method of the solver.
    Named(String),
    /// The named method if the solver has it, and its default otherwise.
    Preferred(String),
}

impl Method {
    /// In this order: on the programs of [ErHoPoSc11] the first one converges most often.
    pub fn defaults() -> Vec<Method> {
        let preferred = |name: &str| Method::Preferred(name.to_string());
        vec![preferred("decomposed"), Method::Proof, preferred("wp")]
    }

    /// An interpolator for this method.
    pub fn interpolator<'t>(
        &self,
        terms: &'t Terms,
        backend: &dyn Backend,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        match self {
            Method::Proof => backend.interpolator(terms),
            Method::Named(name) => backend.interpolator_by(terms, Some(name)),
            Method::Preferred(name) => backend
                .interpolator_by(terms, Some(name))
                .or_else(|_| backend.interpolator(terms)),
        }
    }
}

impl OptionValue for Method {
    const INTERPOLATES: bool = true;

    fn wanted() -> String {
        "proof, METHOD or METHOD-or-proof".to_string()
    }

    fn read(text: &str) -> Option<Method> {
        Some(match text.strip_suffix("-or-proof") {
            _ if text.is_empty() => return None,
            _ if text == "proof" => Method::Proof,
            Some(name) => Method::Preferred(name.to_string()),
            None => Method::Named(text.to_string()),
        })
    }

    fn text(&self) -> String {
        match self {
            Method::Proof => "proof".to_string(),
            Method::Named(name) => name.clone(),
            Method::Preferred(name) => format!("{name}-or-proof"),
        }
    }
}

/// The interpolants of an infeasible path, one for every cut between two blocks.
pub fn path_interpolants(
    interpolator: &mut dyn Interpolator,
    blocks: &[Term],
    run: &Run<'_>,
) -> Result<Vec<Term>, Stop> {
    match interpolator.sequence(blocks, &run.budget)? {
        Interpolation::Unsat(sequence) => Ok(sequence),
        Interpolation::Unknown(why) => Err(why.into()),
        Interpolation::Sat(_) => Err(Stop::bug(
            "the solver and the interpolator disagree about a path",
        )),
    }
}

/// Checks a sequence of interpolants against its definition.
pub fn audit_interpolants(
    terms: &Terms,
    blocks: &[Term],
    sequence: &[Term],
    run: &Run<'_>,
) -> Result<(), EngineError> {
    let mut oracle = run.backend.solver(terms)?;
    match check_sequence(terms, oracle.as_mut(), blocks, sequence, &run.budget)? {
        Ok(()) | Err(Broken::Unknown(_)) => Ok(()),
        Err(broken) => Err(EngineError::bug(format!(
            "an interpolant violates its contract: {broken:?}"
        ))),
    }
}
