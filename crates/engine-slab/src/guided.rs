//! Splits that the user chooses: which node, by which predicate.

use crate::search::Search;
use sectile_engine::{NodeId, OptionValue, Run, Stop};
use sectile_terms::Term;
use std::collections::BTreeSet;

/// The nodes to split first, by their numbers in pictures of the abstraction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guide(pub Vec<usize>);

impl OptionValue for Guide {
    fn wanted() -> String {
        "a list of nodes such as n2,n5".to_string()
    }

    fn read(text: &str) -> Option<Guide> {
        let words = text.split(',').map(str::trim).filter(|w| !w.is_empty());
        let number = |w: &str| w.strip_prefix('n').unwrap_or(w).parse().ok();
        let numbers: Option<Vec<usize>> = words.map(number).collect();
        let numbers = numbers?;
        (!numbers.contains(&0)).then_some(Guide(numbers))
    }

    fn text(&self) -> String {
        let words: Vec<String> = self.0.iter().map(|n| format!("n{n}")).collect();
        words.join(",")
    }
}

impl Search<'_, '_> {
    /// Splits the nodes that the user names, one after the other, and slices after each split.
    ///
    /// Paper: [BrDrFiWe07, Sect. 2]: deductive model checking relies on the user to select the nodes
    /// and predicates for splitting. What is left after these splits is refined as ever.
    pub fn split_as_told(
        &mut self,
        guide: &[(usize, Term)],
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        for &(number, predicate) in guide {
            if self.error_path().is_none() {
                return Ok(());
            }
            let there: Vec<NodeId> = self.graph.nodes().collect();
            let node = there.iter().copied().find(|n| n + 1 == number);
            let Some(node) = node else {
                let names: Vec<String> = there.iter().map(|n| format!("n{}", n + 1)).collect();
                let names = names.join(", ");
                let why = format!("there is no node n{number} to split, only {names}");
                return Err(Stop::incomplete(why));
            };
            let copy = self.split(node, predicate, "user", run);
            self.slice(&BTreeSet::from([node, copy]), run)?;
            self.show("split and slice", run);
            self.bypass_and_slice(run)?;
        }
        Ok(())
    }
}
