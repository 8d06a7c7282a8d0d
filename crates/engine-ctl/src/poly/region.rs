//! Sets of states: for every value of the discrete variables a union of sets of numbers; and
//! growing sets with widening.

use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Control;
use std::collections::{BTreeMap, VecDeque};

/// A set of states.
#[derive(Clone, Debug)]
pub struct Region<D> {
    /// The sets of numbers for each control, none contained in another one.
    pub cells: BTreeMap<Control, Vec<D>>,
}

impl<D> Default for Region<D> {
    fn default() -> Region<D> {
        Region {
            cells: BTreeMap::new(),
        }
    }
}

impl<D: Domain> Region<D> {
    /// Adds states; false if one set at the same control contains them already.
    pub fn add(&mut self, control: &Control, set: D) -> bool {
        let place = self.cells.entry(control.clone()).or_default();
        if place.iter().any(|s| s.includes(&set)) {
            return false;
        }
        place.retain(|s| !set.includes(s));
        place.push(set);
        true
    }

    /// The sets of numbers at a control.
    pub fn at(&self, control: &Control) -> &[D] {
        self.cells.get(control).map_or(&[], Vec::as_slice)
    }
}

/// A region that grows until a fixpoint.
pub struct Growing<D> {
    /// The region so far.
    pub region: Region<D>,
    visits: BTreeMap<Control, usize>,
    delay: usize,
    queue: VecDeque<(Control, D)>,
    /// Number of widenings.
    pub widenings: usize,
}

/// Number of sets with the same control after which they are joined, for termination.
pub const JOINED: usize = 60;

impl<D: Domain> Growing<D> {
    /// A growing region with these states. They do not count as visits, because they may be in many
    /// pieces.
    pub fn from(start: &Region<D>, delay: usize) -> Growing<D> {
        let products = start.cells.iter();
        let products = products.flat_map(|(c, sets)| sets.iter().map(|s| (c.clone(), s.clone())));
        Growing {
            region: start.clone(),
            visits: BTreeMap::new(),
            delay,
            queue: products.collect(),
            widenings: 0,
        }
    }

    /// The next set whose predecessors were not computed, if it is still there.
    pub fn next(&mut self) -> Option<(Control, D)> {
        while let Some((control, set)) = self.queue.pop_front() {
            if self.region.at(&control).contains(&set) {
                return Some((control, set));
            }
        }
        None
    }

    /// Adds states, with widening at controls with many visits; false if they are known.
    ///
    /// A set that contains an older one is widened from it. That alone need not terminate, so after
    /// many visits all sets of a control are joined and widened.
    pub fn add(&mut self, control: Control, mut set: D) -> bool {
        let here = self.region.at(&control);
        if here.iter().any(|s| s.includes(&set)) {
            return false;
        }
        let visits = self.visits.entry(control.clone()).or_insert(0);
        *visits += 1;
        if *visits > self.delay + JOINED {
            let hull = here.iter().fold(set.clone(), |a, b| a.hull(b));
            if let Some(first) = here.first() {
                set = first.widened(&hull);
                self.widenings += 1;
            }
        } else if *visits > self.delay
            && let Some(old) = here.iter().find(|s| set.includes(s))
        {
            set = old.widened(&set);
            self.widenings += 1;
        }
        if self.region.add(&control, set.clone()) {
            self.queue.push_back((control, set));
        }
        true
    }
}
