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
    /// At `k`, the controls at which more than `k` sets were new; none at those not listed.
    visits: Vec<Bdd>,
    queue: VecDeque<(Bdd, D)>,
}

impl<D: Domain> PairsGrowing<D> {
    /// Nothing yet.
    pub fn new(delay: usize) -> PairsGrowing<D> {
        PairsGrowing {
            pairs: Pairs::default(),
            widenings: 0,
            delay,
            visits: Vec::new(),
            queue: VecDeque::new(),
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
        let late = m.and(fresh, self.visited(self.delay));
        let early = m.minus(fresh, late);
        let often = m.and(late, self.visited(self.delay.saturating_add(JOINED)));
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

    fn visited(&self, more_than: usize) -> Bdd {
        self.visits.get(more_than).copied().unwrap_or(Bdd::FALSE)
    }

    fn count(&mut self, m: &mut Manager, controls: Bdd) {
        let mut carry = controls;
        for more in &mut self.visits {
            let before = *more;
            *more = m.or(before, carry);
            carry = m.and(before, carry);
            if carry == Bdd::FALSE {
                return;
            }
        }
        self.visits.push(carry);
    }

    /// Where the set contains an older one, it is widened from it.
    fn widened(&mut self, m: &mut Manager, mut due: Bdd, set: &D) -> Vec<(Bdd, D)> {
        let mut pieces = Vec::new();
        for (here, old) in &self.pairs.list {
            if due == Bdd::FALSE {
                break;
            }
            let both = m.and(due, *here);
            if both != Bdd::FALSE && set.includes(old) {
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
