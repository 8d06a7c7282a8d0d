//! The options of `impact`.

use sectile_engine::BlockSize;
use sectile_engine::interpolation::Method;
use sectile_engine::{Refuted, options};

options! {
    /// The options of `impact`.
    pub(crate) struct Config {
        /// what becomes one edge: everything between loop heads (loops), sequences, parallel edges,
        /// or single statements
        blocks("blocks"): BlockSize = BlockSize::Loops,
        /// which part of a path is refuted: the shortest infeasible infix, or the whole path
        refuted("infix"): Refuted = Refuted::Infix,
        /// how many vertices are tried for forced covering
        force("force"): usize = 2,
        /// methods of interpolation, in turns: proof (as --interpolation says), wp, sp, beautiful,
        /// mcmillan, ...
        methods("refine"): Vec<Method> = Method::defaults(),
        /// first look for linear equations and bounds at all locations
        facts("facts"): bool = true,
        /// check every refinement by its definition
        audit("audit"): bool = false,
    }
}
