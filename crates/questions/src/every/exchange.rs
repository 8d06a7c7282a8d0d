//! Steps up to the names of processes.
//!
//! Where all processes can be exchanged, a clause that is said of all of them is kept by every step
//! if it is kept by those of the first processes. The others are left out of what is asked; the
//! checker asks about all of them.

use super::candidates::Candidate;
use sectile_certify::every::Qualified;
use sectile_engine::symmetry::Exchange;
use sectile_model::{Command, Field, Model};
use sectile_terms::Terms;

/// Whether all processes can be exchanged.
pub fn are_exchangeable(terms: &Terms, model: &Model, qualified: &Qualified) -> bool {
    let mut pairs = qualified.low..qualified.size() + qualified.shift;
    pairs.all(|k| Exchange::of(terms, model, k, k + 1).is_some())
}

/// The commands that stand for all others.
pub struct Representatives {
    /// Their places.
    pub commands: Vec<usize>,
    /// How many processes one of them names, at most.
    named: i64,
    low: i64,
}

impl Representatives {
    /// The commands of the first processes, if steps stay steps when processes are exchanged.
    pub fn of(terms: &Terms, model: &Model, qualified: &Qualified) -> Option<Representatives> {
        // How runs start does not matter for steps.
        let steps = Model {
            init: Vec::new(),
            ..model.clone()
        };
        if !are_exchangeable(terms, &steps, qualified) {
            return None;
        }
        let low = qualified.low;
        let named = |(place, c): (usize, &Command)| Some((place, names_the_first(c, low)?));
        let chosen: Vec<(usize, i64)> = model.commands().enumerate().filter_map(named).collect();
        Some(Representatives {
            commands: chosen.iter().map(|c| c.0).collect(),
            named: chosen.iter().map(|c| c.1).max().unwrap_or(0),
            low,
        })
    }

    /// The choices of indices for which it must be asked whether steps keep a candidate.
    pub fn choices(&self, candidate: &Candidate) -> Vec<[i64; 3]> {
        let mut found: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..candidate.width {
            let longer = found.iter().flat_map(|choice| {
                // Those that the step does not name come in their order.
                let fresh = choice.iter().fold(self.named, |next, k| next.max(k + 1));
                let free = (0..=fresh).filter(|k| !choice.contains(k));
                free.map(|k| [&choice[..], &[k]].concat())
            });
            found = longer.collect();
        }
        let filled = found.into_iter().map(|choice| {
            let mut indices = [self.low; 3];
            for (to, k) in indices.iter_mut().zip(choice) {
                *to = self.low + k;
            }
            indices
        });
        filled.collect()
    }
}

/// How many processes a command names, if these are the first ones in their order.
fn names_the_first(command: &Command, low: i64) -> Option<i64> {
    let mut seen: Vec<i64> = Vec::new();
    for index in command.parts.iter().flat_map(Field::indices) {
        if !seen.contains(&index) {
            seen.push(index);
        }
    }
    let are_first = seen.iter().zip(low..).all(|(index, first)| *index == first);
    are_first.then(|| i64::try_from(seen.len()).unwrap_or(i64::MAX))
}
