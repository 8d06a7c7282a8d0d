//! Invariants of the locations of programs, found without looking at the property.
//!
//! [`location_facts`] finds linear equations, bounds and remainders in little time;
//! [`polyhedral_facts`] adds linear inequalities, and says apart what holds on either side of the
//! conditions of a loop. All that is found is inductive by construction: a search ends when the
//! solver finds no step that leaves what is known. There are no transfer functions: such a step is a
//! model of the solver, and its implicant is a convex piece.
//!
//! [`place_invariants`] finds sums that no step of a system changes, by linear algebra alone.

mod affine;
mod cells;
mod equations;
mod partition;
mod piece;
mod places;
mod polyhedra;
mod remainders;
mod steps;

pub use places::place_invariants;

use sectile_base::Budget;
use sectile_engine::{EngineError, PathFormulas, Run};
use sectile_terms::Term;
use std::time::Duration;

/// Facts are worth no more time than this.
const LONGEST: Duration = Duration::from_secs(2);

/// A formula for every location, together inductive; `true` if nothing was found in time.
pub fn location_facts(
    formulas: &PathFormulas<'_>,
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    equations::equations_and_bounds(formulas, &a_tenth(run), run)
}

/// A formula for every location that implies the known one, together inductive.
pub fn polyhedral_facts(
    formulas: &PathFormulas<'_>,
    known: &[Term],
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    polyhedra::polyhedral_facts(formulas, known, &a_tenth(run), run)
}

fn a_tenth(run: &Run<'_>) -> Budget {
    let limit = run.budget.remaining().map_or(LONGEST, |rest| rest / 10);
    run.budget.clone().with_time(limit.min(LONGEST))
}
