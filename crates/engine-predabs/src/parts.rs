//! What an abstract transition starts from, in parts whose successors differ.

use crate::system::AbstractSystem;
use sectile_domains::bdd::Bdd;

/// Sets with more states than this stay whole.
const MOST_STATES: usize = 512;

/// How the states from which a transition starts are divided.
///
/// Paper: [BeGrLa, Sect. 5.1]: `X` into `X_i`, with successors `Y_i` that overlap little.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Parts {
    /// Not at all.
    #[default]
    Whole,
    /// Into as many parts as have no successor in common.
    Apart,
    /// Into single abstract states.
    States,
}

impl AbstractSystem<'_> {
    /// The states of a set from which a transition leads on, in parts, each with its successors.
    pub fn parts(&mut self, set: Bdd, transition: usize, how: Parts) -> Vec<(Bdd, Bdd)> {
        let guard = self.transitions[transition].guard;
        let set = self.manager.and(set, guard);
        let whole = (set, self.post(set, transition));
        let states = self.states(set, MOST_STATES + 1);
        if how == Parts::Whole || states.len() > MOST_STATES {
            return vec![whole];
        }
        let mut parts: Vec<(Bdd, Bdd)> = Vec::new();
        for state in states {
            let mut part = self.alpha.space().tuple(&mut self.manager, &state, false);
            let mut after = self.post(part, transition);
            if how == Parts::Apart {
                let mut apart = Vec::new();
                for (other, its) in parts {
                    if self.manager.and(its, after) == Bdd::FALSE {
                        apart.push((other, its));
                    } else {
                        part = self.manager.or(part, other);
                        after = self.manager.or(after, its);
                    }
                }
                parts = apart;
            }
            parts.push((part, after));
        }
        parts
    }
}
