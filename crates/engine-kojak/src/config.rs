//! The options of the engines.

use sectile_engine::interpolation::Method;
use sectile_engine::{OptionValue, Refuted, choices, options};
use sectile_transform::{BlockSize, Proofs};

options! {
    /// The options of `kojak`.
    pub(crate) struct Config {
        /// what becomes one edge: all between loop heads (loops), sequences, parallel edges, or
        /// single statements
        blocks("blocks"): BlockSize = BlockSize::Loops,
        /// which nodes of a refuted path are split: those whose label does not decide the
        /// interpolant (new), or all
        split("split"): SplitWhere = SplitWhere::New,
        /// what of a path is refuted: the shortest infeasible infix, or the whole path
        refuted("infix"): Refuted = Refuted::Infix,
        /// sources of interpolants, tried in order: proof (as --interpolation says), wp, sp,
        /// beautiful, mcmillan, decomposed, ..., reuse, joint-METHOD
        sources("refine"): Vec<Source> = Method::defaults().into_iter().map(Source::Solver).collect(),
        /// begin anew with the next source after this many refinements; twice as many when all had
        /// their turn, ...
        restart("restart"): u64 = 40,
        /// look for linear equations and bounds at all locations first
        facts("facts"): bool = true,
        /// check every refinement by its definition
        audit("audit"): bool = false,
    }
}

options! {
    /// The options that `elim` has besides those of `kojak`.
    pub(crate) struct ElimConfig {
        /// what shows that a property holds: any (invariants, unless they would be too large),
        /// invariants, unrolled (the loops that are unrolled, and what holds then)
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

/// A source of interpolants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Predicates that are known at the locations.
    Reuse,
    /// One formula for all visits of a location.
    Joint(Method),
    /// The solver.
    Solver(Method),
}

impl OptionValue for Source {
    fn wanted() -> String {
        format!("reuse, joint, joint-METHOD, {}", Method::wanted())
    }

    fn read(text: &str) -> Option<Source> {
        match (text, text.strip_prefix("joint-")) {
            ("reuse", _) => Some(Source::Reuse),
            ("joint", _) => Some(Source::Joint(Method::Named("beautiful".to_string()))),
            (_, Some(method)) => Some(Source::Joint(Method::Named(method.to_string()))),
            _ => Method::read(text).map(Source::Solver),
        }
    }

    fn text(&self) -> String {
        match self {
            Source::Reuse => "reuse".to_string(),
            Source::Joint(method) => format!("joint-{}", method.text()),
            Source::Solver(method) => method.text(),
        }
    }
}
