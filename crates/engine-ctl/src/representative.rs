//! Representatives of sets of states up to exchanges of processes.
//!
//! Processes of a block are sorted by their discrete variables, then by the bounds of their numbers
//! and their distances from shared numbers, then by the distances from each other. Equal processes
//! stay in their order: two equivalent sets may then have different representatives, which only
//! costs time.

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

    /// The members of a block in canonical order.
    fn order<D: Domain>(&self, block: &[Member], control: &[u8], set: &D) -> Vec<usize> {
        let discrete = |m: usize| -> Vec<u8> {
            let own = block[m].control.iter();
            own.map(|&v| control[v]).collect()
        };
        let mut classes = vec![(0..block.len()).collect::<Vec<usize>>()];
        classes = refined(classes, discrete);
        classes = refined(classes, |m| self.bounds(&block[m], set));
        // The classes of the other members distinguish members of a class.
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

    /// The bounds of the numbers of a single process.
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

/// Splits classes by a key; the order of equal ones stays.
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

/// The bounds of distances between the numbers of two processes.
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
