//! Composes evidence about the parts of a property.

use crate::checker::{Checked, Checker, Stop};
use crate::invariant::safe_at_locations;
use crate::{Obligation, Outcome, concluded};
use sectile_base::Budget;
use sectile_model::{Part, Task};
use sectile_solver::{Solver, SolverError};
use sectile_terms::Term;

/// Checks that accepted parts imply the whole property. `solver` must be fresh.
///
/// No conjunct may be missing. If the property is about single states, the parts must imply it.
pub fn compose(
    task: &Task<'_>,
    parts: &[&Part],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let mut checker = Checker::new(task.terms, solver, budget);
    let shown = is_whole(task, parts, &mut checker);
    concluded(shown, &checker)
}

fn is_whole(task: &Task<'_>, parts: &[&Part], checker: &mut Checker<'_>) -> Checked {
    let (terms, property) = (task.terms, task.property);
    let count = property.conjuncts(terms).len();
    let is_shown = |k: &usize| {
        parts
            .iter()
            .any(|p| p.of == count && p.conjuncts.contains(k))
    };
    let missing: Vec<String> = { 0..count }
        .filter(|k| !is_shown(k))
        .map(|k| k.to_string())
        .collect();
    if !missing.is_empty() {
        let list = missing.join(", ");
        let because = format!("of {count} conjuncts of the property, {list} have no proof");
        return Err(Stop::shape(because));
    }
    let Some(whole) = safe_at_locations(task) else {
        // For a CTL formula, its conjuncts are equivalent to the whole by definition.
        checker.shown += 1;
        return Ok(());
    };
    let mut known: Vec<Vec<Term>> = vec![Vec::new(); whole.len()];
    for part in parts {
        let narrow = property.part(terms, part);
        let narrow = narrow.ok_or_else(|| Stop::shape("there is no such part"))?;
        let property = &narrow;
        let safe = safe_at_locations(&Task { property, ..*task });
        let safe = safe.ok_or_else(|| Stop::shape("a part is not about single states"))?;
        for (list, formula) in known.iter_mut().zip(safe) {
            list.push(formula);
        }
    }
    for (l, (premises, safe)) in known.iter().zip(whole).enumerate() {
        let at = &task.model.locations[l].name;
        let name = (!task.model.is_system()).then(|| at.clone());
        checker.implies(Obligation::Property(name), premises, safe)?;
    }
    Ok(())
}
