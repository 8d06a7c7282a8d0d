//! The options of `kojak` and `elim`.

use sectile_engine::BlockSize;
use sectile_engine::interpolation::Method;
use sectile_engine::{OptionValue, Refuted, choices, options};
use sectile_transform::Proofs;

options! {
    /// The options of `kojak`.
    pub(crate) struct Config {
        /// what becomes one edge: everything between loop heads (loops), sequences, parallel edges,
        /// or single statements
        blocks("blocks"): BlockSize = BlockSize::Loops,
        /// which nodes of a refuted path are split: those whose label does not decide the
        /// interpolant (new), or all
        split("split"): SplitWhere = SplitWhere::New,
        /// which part of a path is refuted: the shortest infeasible infix, or the whole path
        refuted("infix"): Refuted = Refuted::Infix,
        /// sources of interpolants, tried in order: proof (as --interpolation says), wp, sp,
        /// beautiful, mcmillan, decomposed, ..., reuse, joint-METHOD, steps-METHOD (one after the
        /// other, with constants for the variables before a step), steps-qe-METHOD (the same, with
        /// these variables eliminated); METHOD-or-proof falls back to proof
        sources("refine"): Vec<Source> = Method::defaults().into_iter().map(Source::Solver).collect(),
        /// restart with the next source after this many refinements, or the work of as many long
        /// ones (a tenth of a second each); doubled after every source had its turn
        restart("restart"): u64 = 40,
        /// first look for linear equations and bounds at all locations
        facts("facts"): bool = true,
        /// check every refinement by its definition
        audit("audit"): bool = false,
    }
}

options! {
    /// The additional options of `elim`, besides those of `kojak`.
    pub(crate) struct ElimConfig {
        /// the form of proofs: any (invariants, unless they would be too large), invariants, or
        /// unrolled (the unrolled loops with their invariants)
        proofs("proof"): Proofs = Proofs::Any,
    }
}

/// Which nodes of a refuted path are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SplitWhere {
    /// Those whose label does not decide the interpolant.
    New,
    /// All of them.
    All,
}

choices!(SplitWhere {
    New = "new",
    All = "all",
});

impl Config {
    /// The sources in turn. A source that is merely preferred to proofs is followed by `proof`.
    pub fn rotation(&self) -> Vec<Source> {
        let mut list = self.sources.clone();
        let proof = Source::Solver(Method::Proof);
        let preferred = |s: &Source| matches!(s, Source::Solver(Method::Preferred(_)));
        if list.iter().any(preferred) && !list.contains(&proof) {
            list.push(proof);
        }
        list
    }
}

/// A source of interpolants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Predicates that are known at the locations.
    Reuse,
    /// One formula for all visits of a location.
    Joint(Method),
    /// One interpolant after the other.
    Steps(Exists, Method),
    /// The solver.
    Solver(Method),
}

/// The treatment of the quantified variables before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exists {
    /// Fresh constants (Skolemisation).
    Skolem,
    /// Quantifier elimination.
    Eliminated,
}

impl OptionValue for Source {
    const INTERPOLATES: bool = true;

    fn wanted() -> String {
        format!(
            "reuse, joint, joint-METHOD, steps, steps-METHOD, steps-qe-METHOD, {}",
            Method::wanted()
        )
    }

    fn read(text: &str) -> Option<Source> {
        let steps = |rest: &str| {
            let (exists, method) = match rest.strip_prefix("-qe") {
                Some(method) => (Exists::Eliminated, method),
                None => (Exists::Skolem, rest),
            };
            let method = match method {
                "" => Method::Proof,
                named => Method::read(named.strip_prefix('-')?)?,
            };
            Some(Source::Steps(exists, method))
        };
        match (
            text,
            text.strip_prefix("joint-"),
            text.strip_prefix("steps"),
        ) {
            ("reuse", ..) => Some(Source::Reuse),
            ("joint", ..) => Some(Source::Joint(Method::Named("beautiful".to_string()))),
            (_, Some(method), _) => Some(Source::Joint(Method::Named(method.to_string()))),
            (_, _, Some(rest)) => steps(rest),
            _ => Method::read(text).map(Source::Solver),
        }
    }

    fn text(&self) -> String {
        match self {
            Source::Reuse => "reuse".to_string(),
            Source::Joint(method) => format!("joint-{}", method.text()),
            Source::Steps(Exists::Skolem, method) => format!("steps-{}", method.text()),
            Source::Steps(Exists::Eliminated, method) => format!("steps-qe-{}", method.text()),
            Source::Solver(method) => method.text(),
        }
    }
}
