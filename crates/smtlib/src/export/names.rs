//! Names for predicates and definitions that clash with no variable.

use crate::naming;
use sectile_terms::Stage;
use std::collections::BTreeSet;

/// The names that are in use.
pub(crate) struct Names {
    used: BTreeSet<String>,
}

impl Names {
    /// The given names, as SMT-LIB writes them, are in use.
    pub(crate) fn new(used: impl IntoIterator<Item = String>) -> Names {
        Names {
            used: used.into_iter().collect(),
        }
    }

    /// A name like the wish that nothing else has.
    pub(crate) fn claim(&mut self, wish: &str) -> String {
        let mut name = naming::encode(wish, Stage::Now);
        let mut k = 2;
        while !self.used.insert(name.clone()) {
            name = naming::encode(&format!("{wish}_{k}"), Stage::Now);
            k += 1;
        }
        name
    }
}
