//! Path slicing: what cannot matter on a path is left out before interpolation.

use crate::search::Search;
use sectile_engine::Stop;
use sectile_terms::{Stage, Symbol, Term};
use std::collections::{BTreeMap, BTreeSet};

impl Search<'_, '_> {
    /// The conjuncts of a path that what comes after it depends on, from its end backwards; all of
    /// them if these alone do not contradict it.
    ///
    /// A conjunct stays if one of its latest variables is needed later, and then all its variables
    /// are. A step of which no conjunct stays is left out.
    ///
    /// Paper: [BrDrFiWe07, Sect. 2] of path slicing, which removes irrelevant parts of an error path
    /// before it is given to the prover. What contradicts less contradicts all, so that every
    /// interpolant of the slice is one of the path.
    pub fn path_slice(&mut self, before: Vec<Term>, after: &[Term]) -> Result<Vec<Term>, Stop> {
        let terms = self.terms;
        let mut needed: BTreeSet<(Symbol, Stage)> = terms.free_vars_of(after).into_iter().collect();
        let mut by_stage: BTreeMap<Stage, Vec<Term>> = BTreeMap::new();
        let mut kept: BTreeSet<Term> = BTreeSet::new();
        for &conjunct in &before {
            let variables = terms.free_vars(conjunct);
            let stages = variables.iter().map(|v| v.1);
            match stages.filter(|s| matches!(s, Stage::At(_))).max() {
                Some(latest) => by_stage.entry(latest).or_default().push(conjunct),
                // What is said of constants holds everywhere.
                None => {
                    kept.insert(conjunct);
                }
            }
        }
        for (&stage, conjuncts) in by_stage.iter().rev() {
            let mut open: Vec<Term> = conjuncts.clone();
            loop {
                let count = open.len();
                open.retain(|&conjunct| {
                    let variables = terms.free_vars(conjunct);
                    let mut here = variables.iter().filter(|v| v.1 == stage);
                    let matters = here.any(|v| needed.contains(v));
                    if matters {
                        needed.extend(variables.iter().copied());
                        kept.insert(conjunct);
                    }
                    !matters
                });
                if open.len() == count {
                    break;
                }
            }
        }
        if kept.len() == before.len() {
            return Ok(before);
        }
        let slice: Vec<Term> = before
            .iter()
            .copied()
            .filter(|c| kept.contains(c))
            .collect();
        let after = after.to_vec();
        let suffices = self.in_scope(&slice, |search| Ok(!search.is_satisfiable(&after)?))?;
        if !suffices {
            return Ok(before);
        }
        self.counters.left_out += (before.len() - slice.len()) as u64;
        Ok(slice)
    }
}
