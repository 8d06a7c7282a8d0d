//! Sets of states as pairs of a decision diagram over the discrete variables and a set of numbers.

use sectile_domains::bdd::{Bdd, Manager};
use sectile_domains::domain::Domain;

/// A union of products. No two have the same numbers, and no diagram is empty.
///
/// Numbers are compared before diagrams are: most comparisons fail at once, while every conjunction
/// of diagrams is cached.
///
/// Paper: [YaMe, Sect. 4, footnote 7], where a state set is a disjunction of Boolean formulas, each with
/// a polyhedron.
#[derive(Clone, Debug)]
pub struct Pairs<D> {
    /// The products.
    pub list: Vec<(Bdd, D)>,
}

impl<D> Default for Pairs<D> {
    fn default() -> Pairs<D> {
        Pairs { list: Vec::new() }
    }
}

impl<D: Domain> Pairs<D> {
    /// The controls at which no set contains the given one.
    pub fn unknown(&self, m: &mut Manager, mut controls: Bdd, set: &D) -> Bdd {
        for (here, known) in &self.list {
            if controls == Bdd::FALSE {
                break;
            }
            if known.includes(set) {
                controls = m.minus(controls, *here);
            }
        }
        controls
    }

    /// Adds states; returns the controls at which no set contained them.
    pub fn add(&mut self, m: &mut Manager, controls: Bdd, set: D) -> Bdd {
        let fresh = self.unknown(m, controls, &set);
        if fresh == Bdd::FALSE {
            return fresh;
        }
        let mut same = None;
        for (index, (here, known)) in self.list.iter_mut().enumerate() {
            if *known == set {
                *here = m.or(*here, fresh);
                same = Some(index);
            } else if set.includes(known) {
                *here = m.minus(*here, fresh);
            }
        }
        if same.is_none() {
            self.list.push((fresh, set));
        }
        self.list.retain(|(here, _)| *here != Bdd::FALSE);
        fresh
    }

    /// The states of a product outside the set, in pieces.
    pub fn uncovered(&self, m: &mut Manager, controls: Bdd, set: &D) -> Vec<(Bdd, D)> {
        let mut rest = vec![(controls, set.clone())];
        for (there, other) in &self.list {
            let mut pieces = Vec::new();
            for (controls, piece) in rest {
                let inside = match piece.meets(other) {
                    true => m.and(controls, *there),
                    false => Bdd::FALSE,
                };
                if inside == Bdd::FALSE {
                    pieces.push((controls, piece));
                    continue;
                }
                let outside = m.minus(controls, *there);
                let left = piece.minus(other);
                pieces.extend(left.into_iter().map(|p| (inside, p)));
                if outside != Bdd::FALSE {
                    pieces.push((outside, piece));
                }
            }
            rest = pieces;
            if rest.is_empty() {
                break;
            }
        }
        rest
    }
}
