//! Safety questions: what engines for transition systems are asked.

use crate::unroll::violating_states;
use sectile_model::{Model, Task};
use sectile_terms::Term;

/// A system, and the states it must not reach.
pub struct SafetyQuestion<'t> {
    /// The system.
    pub system: &'t Model,
    /// The states.
    pub bad: Term,
}

/// The task as a question about reachable states, or why it is none.
pub fn safety_question<'t>(task: &Task<'t>) -> Result<SafetyQuestion<'t>, String> {
    let system = task.system()?;
    let bad = violating_states(task.terms, &task.property.kind)
        .ok_or("it takes invariants and errors only")?;
    Ok(SafetyQuestion { system, bad })
}
