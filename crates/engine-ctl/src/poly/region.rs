//! Sets of states: for every value of the discrete variables a union of sets of numbers.

use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::{Domain, uncovered};
use sectile_domains::guarded::program::Control;
use std::collections::BTreeMap;

/// A set of states.
#[derive(Clone, Debug, Default)]
pub struct Region<D> {
    /// The sets of numbers for each control; none contains another one.
    pub cells: BTreeMap<Control, Vec<D>>,
}

impl<D: Domain> Region<D> {
    /// No states.
    pub fn empty() -> Region<D> {
        Region {
            cells: BTreeMap::new(),
        }
    }

    /// Adds states; false if a set with the same control contains them already.
    pub fn add(&mut self, control: &Control, set: D) -> bool {
        let place = self.cells.entry(control.clone()).or_default();
        if place.iter().any(|s| s.includes(&set)) {
            return false;
        }
        place.retain(|s| !set.includes(s));
        place.push(set);
        true
    }

    /// The sets of numbers with a control.
    pub fn at(&self, control: &Control) -> &[D] {
        self.cells.get(control).map_or(&[], Vec::as_slice)
    }

    /// All sets with their controls.
    pub fn iter(&self) -> impl Iterator<Item = (&Control, &D)> {
        let cells = self.cells.iter();
        cells.flat_map(|(control, sets)| sets.iter().map(move |s| (control, s)))
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.cells.values().map(Vec::len).sum()
    }

    /// The states of both.
    pub fn and(&self, other: &Region<D>, budget: &Budget) -> Result<Region<D>, Exhausted> {
        let mut result = Region::empty();
        for (control, set) in self.iter() {
            budget.poll()?;
            for more in other.at(control) {
                if let Some(both) = set.meet(more) {
                    result.add(control, both);
                }
            }
        }
        Ok(result)
    }

    /// The states of one or the other.
    pub fn or(&self, other: &Region<D>) -> Region<D> {
        let mut result = self.clone();
        for (control, set) in other.iter() {
            result.add(control, set.clone());
        }
        result
    }

    /// The states that are not in the other region.
    pub fn minus(&self, other: &Region<D>, budget: &Budget) -> Result<Region<D>, Exhausted> {
        let mut result = Region::empty();
        for (control, set) in self.iter() {
            budget.poll()?;
            for piece in uncovered(set, other.at(control)) {
                result.add(control, piece);
            }
        }
        Ok(result)
    }

    /// Whether all states of the other region are in this one.
    pub fn includes(&self, other: &Region<D>, budget: &Budget) -> Result<bool, Exhausted> {
        for (control, set) in other.iter() {
            budget.poll()?;
            let here = self.at(control);
            if !here.iter().any(|s| s.includes(set)) && !uncovered(set, here).is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
