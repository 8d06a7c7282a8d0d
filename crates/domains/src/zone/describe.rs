//! Short descriptions of zones, and points in them.

use super::{Bound, Difference, Zone};
use crate::linear::Numbers;
use sectile_base::{Int, Rat};

/// The end of an interval, and whether it is excluded; none if there is no end.
type Limit = Option<(Rat, bool)>;

impl Zone {
    /// A minimal list of constraints that describe the zone.
    ///
    /// Variables with a fixed difference form a class. Within a class every variable is compared
    /// with the one before it, and only the first ones of two classes are compared.
    pub fn differences(&self) -> Vec<Difference> {
        let first: Vec<usize> = (0..self.size).map(|i| self.first_of_class(i)).collect();
        let mut found = Vec::new();
        for (i, &start) in first.iter().enumerate() {
            if start != i {
                found.push(self.difference(i, start));
                found.push(self.difference(start, i));
            }
        }
        let starts: Vec<usize> = (0..self.size).filter(|&i| first[i] == i).collect();
        for &i in &starts {
            for &j in &starts {
                let bound = self.bound(i, j);
                let detour = |k: &usize| {
                    *k != i && *k != j && self.bound(i, *k).plus(self.bound(*k, j)) <= *bound
                };
                if i != j && *bound != Bound::Infinite && !starts.iter().any(detour) {
                    found.push(self.difference(i, j));
                }
            }
        }
        found
    }

    /// The tightest bound of a difference, as a constraint.
    pub(super) fn difference(&self, left: usize, right: usize) -> Difference {
        Difference {
            left,
            right,
            bound: self.bound(left, right).clone(),
        }
    }

    fn first_of_class(&self, i: usize) -> usize {
        let fixed = |j: usize| self.bound(i, j).plus(self.bound(j, i)) == Bound::ZERO;
        (0..i).find(|&j| fixed(j)).unwrap_or(i)
    }

    /// A point of the zone, with numbers near zero if there is a choice.
    ///
    /// In a closed matrix any values of the first variables that satisfy their bounds can be
    /// completed, so the coordinates are chosen one after the other.
    pub fn some_point(&self) -> Vec<Rat> {
        let mut values: Vec<Rat> = vec![Rat::ZERO];
        for i in 1..self.size {
            let (mut low, mut high): (Limit, Limit) = (None, None);
            for (j, value) in values.iter().enumerate() {
                if let Some(b) = self.bound(i, j).value() {
                    let limit = (value + &Rat::from(b), self.bound(i, j).is_strict());
                    let tighter = |h: &(Rat, bool)| limit.0 < h.0 || (limit.0 == h.0 && limit.1);
                    if high.as_ref().is_none_or(tighter) {
                        high = Some(limit);
                    }
                }
                if let Some(b) = self.bound(j, i).value() {
                    let limit = (value - &Rat::from(b), self.bound(j, i).is_strict());
                    let tighter = |l: &(Rat, bool)| limit.0 > l.0 || (limit.0 == l.0 && limit.1);
                    if low.as_ref().is_none_or(tighter) {
                        low = Some(limit);
                    }
                }
            }
            values.push(self.choose(low, high));
        }
        values.remove(0);
        values
    }

    fn choose(&self, low: Limit, high: Limit) -> Rat {
        let above = |l: &(Rat, bool), v: &Rat| *v > l.0 || (*v == l.0 && !l.1);
        let below = |h: &(Rat, bool), v: &Rat| *v < h.0 || (*v == h.0 && !h.1);
        let fits = |v: &Rat| {
            low.as_ref().is_none_or(|l| above(l, v)) && high.as_ref().is_none_or(|h| below(h, v))
        };
        if fits(&Rat::ZERO) {
            return Rat::ZERO;
        }
        let step = match self.numbers {
            Numbers::Integers => Rat::ZERO,
            Numbers::Reals => Rat::ONE,
        };
        let candidates = [
            low.as_ref().map(|l| l.0.clone()),
            high.as_ref().map(|h| h.0.clone()),
            low.as_ref().map(|l| &l.0 + &step),
            high.as_ref().map(|h| &h.0 - &step),
        ];
        if let Some(found) = candidates.into_iter().flatten().find(|v| fits(v)) {
            return found;
        }
        match (low, high) {
            (Some(l), Some(h)) => &(&l.0 + &h.0) / &Rat::from(Int::from(2)),
            _ => Rat::ZERO,
        }
    }

    /// Whether a point is in the zone.
    pub fn contains(&self, point: &[Rat]) -> bool {
        let value = |i: usize| i.checked_sub(1).map_or(Rat::ZERO, |v| point[v].clone());
        let satisfied = |i: usize, j: usize| {
            let difference = &value(i) - &value(j);
            match self.bound(i, j) {
                Bound::AtMost(b) => difference <= Rat::from(b),
                Bound::Below(b) => difference < Rat::from(b),
                Bound::Infinite => true,
            }
        };
        (0..self.size).all(|i| (0..self.size).all(|j| satisfied(i, j)))
    }
}
