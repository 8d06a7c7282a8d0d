//! Zones as sets: differences, covers, hulls, widening.

use super::{Bound, Difference, Zone};

impl Zone {
    /// The points of this zone that are not in the other one, as disjoint zones.
    pub fn minus(&self, other: &Zone) -> Vec<Zone> {
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        for constraint in other.constraints() {
            if rest.implies(&constraint) {
                continue;
            }
            if let Some(bound) = constraint.bound.exceeded() {
                let outside = Difference {
                    left: constraint.right,
                    right: constraint.left,
                    bound,
                };
                pieces.extend(rest.clone().assume(&outside));
            }
            match rest.assume(&constraint) {
                Some(inside) => rest = inside,
                None => return pieces,
            }
        }
        pieces
    }

    /// The smallest zone that contains both.
    #[must_use]
    pub fn hull(&self, other: &Zone) -> Zone {
        let mut result = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                if other.bound(i, j) > self.bound(i, j) {
                    result.set(i, j, other.bound(i, j).clone());
                }
            }
        }
        result
    }

    /// How many bounds of this zone the other one exceeds.
    pub fn exceeded_by(&self, other: &Zone) -> usize {
        let pairs = self.bounds.iter().zip(&other.bounds);
        pairs.filter(|(mine, theirs)| theirs > mine).count()
    }

    /// A zone that contains both, without the bounds of this one that the other exceeds.
    ///
    /// Chains of such zones end if bounds, once dropped, are not tightened again by closing: the
    /// matrix is therefore closed only by bounds that it has already.
    #[must_use]
    pub fn widened(&self, other: &Zone) -> Zone {
        let mut kept = Zone::all(self.numbers, self.variables());
        for i in 0..self.size {
            for j in 0..self.size {
                let mine = self.bound(i, j);
                if i != j && *mine != Bound::Infinite && other.bound(i, j) <= mine {
                    let constraint = Difference {
                        left: i,
                        right: j,
                        bound: mine.clone(),
                    };
                    // The kept bounds are among those of a non-empty zone.
                    kept.constrain(&constraint);
                }
            }
        }
        kept
    }
}

/// The points of a zone that are in none of the others, as disjoint zones.
pub fn uncovered<'z>(zone: &Zone, others: impl IntoIterator<Item = &'z Zone>) -> Vec<Zone> {
    let mut rest = vec![zone.clone()];
    for other in others {
        rest = rest.iter().flat_map(|piece| piece.minus(other)).collect();
        if rest.is_empty() {
            break;
        }
    }
    rest
}

/// Whether every point of a zone is in one of the others.
pub fn covers<'z>(others: impl IntoIterator<Item = &'z Zone>, zone: &Zone) -> bool {
    uncovered(zone, others).is_empty()
}
