//! Recovers the program counter of a graph whose control is encoded in Booleans.
//!
//! Programs that were turned into one relation have a location, a self-loop, and a few Booleans
//! that encode the program counter. `explore` substitutes the values of all Booleans in the edges,
//! starting from the initial ones, and splits the result by the next values; `back` translates
//! evidence to the Booleans. This only pays if few values are reachable and each has few
//! successors.

mod back;
mod explore;

use crate::pass::{Applied, Pass};
use sectile_model::{LocationId, Model, PropertyKind, Task};
use sectile_terms::{Sort, Symbol, Terms};

/// Makes the values of the Booleans of a graph part of its locations.
///
/// It refuses graphs whose Booleans do not behave like a program counter: too many of them, more
/// than one initial value, free values, or many successors of most values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoverControl {
    /// Maximum number of Booleans.
    pub most_booleans: usize,
    /// Maximum number of new locations.
    pub most_locations: usize,
    /// Minimum number of new locations.
    pub fewest_locations: usize,
}

impl Default for RecoverControl {
    fn default() -> RecoverControl {
        RecoverControl {
            most_booleans: 16,
            most_locations: 400,
            fewest_locations: 5,
        }
    }
}

impl Pass for RecoverControl {
    fn name(&self) -> &'static str {
        "recover-control"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (terms, graph) = (task.terms, task.model);
        let errors = task.property.errors()?;
        let booleans = self.booleans(terms, graph)?;
        let found = explore::explore(terms, graph, &booleans, self.most_locations)?;
        found.is_worth_it(self.fewest_locations)?;
        let points = found.points.iter().enumerate();
        let reached = points.filter(|(_, p)| errors.contains(&p.location));
        let errors = reached.map(|(i, _)| LocationId(i)).collect();
        let made = explore::graph(terms, graph, &booleans, &found);
        let back = back::Recombine {
            graph: graph.clone(),
            made: made.clone(),
            booleans,
            found,
        };
        let property = task.property.with(PropertyKind::Unreachable(errors));
        Ok(Applied::new(made, property, back))
    }
}

impl RecoverControl {
    fn booleans(&self, terms: &Terms, graph: &Model) -> Result<Vec<Symbol>, String> {
        let is_boolean = |s: &Symbol| terms.symbol_sort(*s) == Sort::Bool;
        let all = graph.variables.iter().copied();
        let booleans: Vec<Symbol> = all.filter(is_boolean).collect();
        if booleans.len() < 2 || booleans.len() > self.most_booleans {
            return Err("there are too few Booleans, or too many".to_string());
        }
        let used = terms.free_vars_of(&graph.restrict);
        if used.iter().any(|v| booleans.contains(&v.0)) {
            return Err("conditions on all states mention Booleans".to_string());
        }
        Ok(booleans)
    }
}
