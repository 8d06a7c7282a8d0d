//! The state of a process decides its place: sets that differ by a turn get the same representative.
//!
//! Processes of a block are sorted by their discrete variables, then by the bounds of their numbers
//! and their distances from numbers that belong to no process, then by the distances from each
//! other. Where all this is equal they stay in their order: two sets that could be turned into
//! each other may then remain two, which costs time and nothing else.

use crate::symmetry::{Member, STAY, Symmetry, Turn};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Control;
use sectile_domains::linear::Affine;
use sectile_domains::zone::Bound;

impl Symmetry<'_> {
    /// The turn that maps a set of states to its representative.
    pub fn choose<D: Domain>(&self, control: &[u8], set: &D) -> usize {
        if self.blocks.is_empty() {
            return STAY;
        }
        let mut places = self.places();
        for block in &self.blocks {
            let order = self.order(block, control, set);
            for (slot, member) in block.iter().zip(order) {
                places[block[member].index] = slot.index;
            }
        }
        self.turn_of(places)
    }

    /// The members of a block in the order of what they are like.
    fn order<D: Domain>(&self, block: &[Member], control: &[u8], set: &D) -> Vec<usize> {
        let discrete = |m: usize| -> Vec<u8> {
            let own = block[m].control.iter();
            own.map(|&v| control[v]).collect()
        };
        let mut classes = vec![(0..block.len()).collect::<Vec<usize>>()];
        classes = refined(classes, discrete);
        classes = refined(classes, |m| self.bounds(&block[m], set));
        // Where the others are, each in its class, tells members of a class apart.
        let before = classes.clone();
        classes = refined(classes, |m| {
            let mut all: Vec<(usize, Vec<Bound>)> = Vec::new();
            for (k, class) in before.iter().enumerate() {
                let others = class.iter().filter(|o| **o != m);
                all.extend(others.map(|&o| (k, distances(&block[m], &block[o], set))));
            }
            all.sort();
            all
        });
        classes.concat()
    }

    /// What is known about the numbers of a process alone.
    fn bounds<D: Domain>(&self, member: &Member, set: &D) -> Vec<Bound> {
        let mut found = Vec::new();
        for &v in &member.numeric {
            let others = self.shared.iter().chain(&member.numeric);
            let others = others.map(|&o| Some(o)).chain([None]);
            for other in others {
                found.push(set.upper(Some(v), other));
                found.push(set.upper(other, Some(v)));
            }
        }
        found
    }
}

/// Cuts classes by a key; the order of equal ones stays.
fn refined<K: Ord>(classes: Vec<Vec<usize>>, key: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let mut found = Vec::with_capacity(classes.len());
    for class in classes {
        if class.len() == 1 {
            found.push(class);
            continue;
        }
        let mut keyed: Vec<(K, usize)> = class.into_iter().map(|m| (key(m), m)).collect();
        keyed.sort();
        let groups = keyed.chunk_by(|a, b| a.0 == b.0);
        found.extend(groups.map(|g| g.iter().map(|(_, m)| *m).collect::<Vec<_>>()));
    }
    found
}

/// What is known about the distances of the numbers of two processes.
fn distances<D: Domain>(one: &Member, other: &Member, set: &D) -> Vec<Bound> {
    let pairs = one.numeric.iter();
    let pairs = pairs.flat_map(|&a| other.numeric.iter().flat_map(move |&b| [(a, b), (b, a)]));
    pairs.map(|(a, b)| set.upper(Some(a), Some(b))).collect()
}

/// The values of discrete variables after a turn.
pub fn turned_control(turn: &Turn, control: &[u8]) -> Control {
    Turn::placed(&turn.control, control).into()
}

/// A set after a turn.
pub fn turned_set<D: Domain>(turn: &Turn, set: &D) -> D {
    let sources: Vec<D::Source> = (0..turn.numeric.len())
        // Every domain can copy a variable.
        .filter_map(|v| D::source(&Affine::variable(v)))
        .collect();
    set.image(&Turn::placed(&turn.numeric, &sources))
}
