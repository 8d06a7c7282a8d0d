//! Pairs that grow and are widened, control by control as explicit ones are.

use crate::poly::pairs::Pairs;
use crate::poly::region::JOINED;
use sectile_domains::bdd::{Bdd, Manager};
use sectile_domains::domain::Domain;
use std::collections::VecDeque;

/// A set of states that grows until nothing new is found.
///
/// Whether to widen is asked at every control for itself: pairs are cut where the answers differ,
/// for widening what was met for the first time loses proofs.
pub struct PairsGrowing<D> {
    /// What is known.
    pub pairs: Pairs<D>,
    /// How often sets were widened.
    pub widenings: usize,
    delay: usize,
    /// How many sets were new, in binary: at `k`, the controls where that digit of the number is 1.
    visits: Vec<Bdd>,
    queue: VecDeque<(Bdd, D)>,
}

impl<D: Domain> PairsGrowing<D> {
    /// What grows from these states. They do not count as new.
    pub fn from(start: &Pairs<D>, delay: usize) -> PairsGrowing<D> {
        PairsGrowing {
            pairs: start.clone(),
            widenings: 0,
            delay,
            visits: Vec::new(),
            queue: start.list.iter().cloned().collect(),
        }
    }

    /// The next pair whose predecessors were not looked at, where it is still there.
    pub fn next(&mut self, m: &mut Manager) -> Option<(Bdd, D)> {
        while let Some((controls, set)) = self.queue.pop_front() {
            let pair = self.pairs.list.iter().find(|(_, s)| *s == set);
            let still = pair.map_or(Bdd::FALSE, |(here, _)| m.and(*here, controls));
            if still != Bdd::FALSE {
                return Some((still, set));
            }
        }
        None
    }

    /// Adds states, and more where the same control was met often; false if they are known.
    pub fn add(&mut self, m: &mut Manager, controls: Bdd, set: &D) -> bool {
        let fresh = self.pairs.unknown(m, controls, set);
        if fresh == Bdd::FALSE {
            return false;
        }
        self.count(m, fresh);
        let late = self.visited(m, fresh, self.delay);
        let early = m.minus(fresh, late);
        let often = self.visited(m, late, self.delay.saturating_add(JOINED));
        let due = m.minus(late, often);
        let mut pieces = self.widened(m, due, set);
        pieces.extend(self.joined(m, often, set));
        pieces.push((early, set.clone()));
        for (controls, set) in pieces {
            if controls == Bdd::FALSE {
                continue;
            }
            let added = self.pairs.add(m, controls, set.clone());
            match self.queue.iter_mut().find(|(_, s)| *s == set) {
                _ if added == Bdd::FALSE => {}
                Some((waiting, _)) => *waiting = m.or(*waiting, added),
                None => self.queue.push_back((added, set)),
            }
        }
        true
    }

    /// Those of the controls at which more than this many sets were new.
    fn visited(&self, m: &mut Manager, controls: Bdd, more_than: usize) -> Bdd {
        let digits = self.visits.len() as u32;
        if more_than.checked_shr(digits).is_some_and(|rest| rest > 0) {
            return Bdd::FALSE;
        }
        let mut more = Bdd::FALSE;
        for (k, digit) in self.visits.iter().enumerate() {
            let digit = m.and(*digit, controls);
            more = match more_than >> k & 1 {
                0 => m.or(digit, more),
                _ => m.and(digit, more),
            };
        }
        more
    }

    /// Adds one to the numbers of these controls.
    fn count(&mut self, m: &mut Manager, controls: Bdd) {
        let mut carry = controls;
        for digit in &mut self.visits {
            if carry == Bdd::FALSE {
                return;
            }
            let both = m.and(*digit, carry);
            let either = m.or(*digit, carry);
            *digit = m.minus(either, both);
            carry = both;
        }
        if carry != Bdd::FALSE {
            self.visits.push(carry);
        }
    }

    /// Where the set contains an older one, it is widened from it.
    fn widened(&mut self, m: &mut Manager, mut due: Bdd, set: &D) -> Vec<(Bdd, D)> {
        let mut pieces = Vec::new();
        for (here, old) in &self.pairs.list {
            if due == Bdd::FALSE {
                break;
            }
            if !set.includes(old) {
                continue;
            }
            let both = m.and(due, *here);
            if both != Bdd::FALSE {
                pieces.push((both, old.widened(set)));
                due = m.minus(due, both);
                self.widenings += 1;
            }
        }
        pieces.push((due, set.clone()));
        pieces
    }

    /// All sets of a control are joined and widened; controls with the same sets stay together.
    fn joined(&mut self, m: &mut Manager, often: Bdd, set: &D) -> Vec<(Bdd, D)> {
        if often == Bdd::FALSE {
            return Vec::new();
        }
        let mut groups: Vec<(Bdd, Option<D>, D)> = vec![(often, None, set.clone())];
        for (here, old) in &self.pairs.list {
            let mut cut = Vec::new();
            for (controls, first, hull) in groups {
                let inside = m.and(controls, *here);
                let outside = m.minus(controls, *here);
                if inside != Bdd::FALSE {
                    let first = first.clone().or_else(|| Some(old.clone()));
                    cut.push((inside, first, hull.hull(old)));
                }
                if outside != Bdd::FALSE {
                    cut.push((outside, first, hull));
                }
            }
            groups = cut;
        }
        self.widenings += groups.len();
        let widened = groups.into_iter().map(|(controls, first, hull)| {
            let set = first.map_or_else(|| set.clone(), |f| f.widened(&hull));
            (controls, set)
        });
        widened.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::PairsGrowing;
    use crate::poly::pairs::Pairs;
    use sectile_domains::bdd::{Bdd, Manager};
    use sectile_domains::zone::Zone;

    /// The numbers that are kept in binary are those that one counts.
    #[test]
    fn controls_are_counted_one_by_one() {
        let m = &mut Manager::new();
        let bits = [m.bit(0), m.bit(1)];
        let singles: Vec<Bdd> = (0..4)
            .map(|k| {
                let digits = (0..2).map(|b| match k >> b & 1 {
                    1 => bits[b],
                    _ => m.not(bits[b]),
                });
                let digits: Vec<Bdd> = digits.collect();
                m.and_all(digits)
            })
            .collect();
        let mut growing = PairsGrowing::<Zone>::from(&Pairs::default(), 0);
        let mut numbers = [0; 4];
        for round in 0..40 {
            let chosen = (0..4).filter(|k| round % (k + 1) == 0);
            let chosen: Vec<usize> = chosen.collect();
            let controls = m.or_all(chosen.iter().map(|k| singles[*k]));
            growing.count(m, controls);
            chosen.iter().for_each(|k| numbers[*k] += 1);
            for more_than in [0, 1, 6, 7, 8, 31, 32, 64, usize::MAX] {
                let more = (0..4).filter(|k| numbers[*k] > more_than);
                let more = m.or_all(more.map(|k| singles[k]));
                assert_eq!(
                    growing.visited(m, Bdd::TRUE, more_than),
                    more,
                    "{numbers:?}"
                );
            }
        }
    }
}
