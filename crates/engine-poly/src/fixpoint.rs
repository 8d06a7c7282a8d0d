//! For every part of a formula, states among which are all those where it holds.

use crate::Limits;
use crate::before::{Backwards, Side};
use crate::region::Region;
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_guarded::program::Control;
use sectile_model::{NormalCtl, NormalPart, Paths};
use sectile_terms::Term;
use std::collections::{BTreeMap, VecDeque};

/// Finds the states of formulas.
pub struct Fixpoints<'f, D: Domain> {
    /// The system backwards.
    pub backwards: &'f Backwards<'f, D>,
    /// When to widen and when to leave.
    pub limits: Limits,
    /// Time.
    pub budget: &'f Budget,
    /// How often sets were widened.
    pub widenings: usize,
    /// How many rounds greatest fixpoints took.
    pub rounds: usize,
}

/// Why a region was not found.
pub enum Missing {
    /// The time or the memory is over.
    Limit(Exhausted),
    /// A formula cannot be expressed.
    Refused(String),
}

impl From<Exhausted> for Missing {
    fn from(limit: Exhausted) -> Missing {
        Missing::Limit(limit)
    }
}

impl<D: Domain> Fixpoints<'_, D> {
    /// States among which are all those where the formula holds.
    pub fn states(&mut self, formula: &NormalCtl) -> Result<Region<D>, Missing> {
        let mut found: Vec<Region<D>> = Vec::new();
        for part in &formula.parts {
            let region = match *part {
                NormalPart::State(p) => self.state(p)?,
                NormalPart::And(a, b) => found[a].and(&found[b], self.budget)?,
                NormalPart::Or(a, b) => found[a].or(&found[b]),
                NormalPart::Next(Paths::Some, f) => self.some_next(&found[f])?,
                NormalPart::Next(Paths::All, f) => self.all_next(&found[f])?,
                NormalPart::Until(Paths::Some, f, g) => self.some_until(&found[f], &found[g])?,
                NormalPart::Until(Paths::All, f, g) => self.all_until(&found[f], &found[g])?,
                NormalPart::Weak(paths, f, g) => self.weak(paths, &found[f], &found[g])?,
            };
            found.push(region);
        }
        Ok(found.pop().unwrap_or_else(Region::empty))
    }

    fn state(&self, formula: Term) -> Result<Region<D>, Missing> {
        let cubes = self.backwards.program.state_cubes(&[formula]);
        let region = self.backwards.region(&cubes.map_err(Missing::Refused)?);
        Ok(region.and(&self.backwards.all, self.budget)?)
    }

    fn some_next(&self, region: &Region<D>) -> Result<Region<D>, Exhausted> {
        self.backwards.before(region, Side::Outside, self.budget)
    }

    /// Outside of a region no step leads that starts in one of these states.
    fn all_next(&self, region: &Region<D>) -> Result<Region<D>, Exhausted> {
        let all = &self.backwards.all;
        let outside = all.minus(region, self.budget)?;
        let leaving = self.backwards.before(&outside, Side::Inside, self.budget)?;
        all.minus(&leaving, self.budget)
    }

    /// The least fixpoint, with widening.
    ///
    /// Paper: [YaMe, section 2.1, EF and EU with widening].
    fn some_until(&mut self, f: &Region<D>, g: &Region<D>) -> Result<Region<D>, Exhausted> {
        let mut growing = Growing::new(self.limits.delay);
        for (control, set) in g.iter() {
            growing.add(control.clone(), set.clone());
        }
        while let Some((control, set)) = growing.next() {
            self.budget.poll()?;
            for case in 0..self.backwards.program.cases.len() {
                let before = self
                    .backwards
                    .before_case(case, &control, &set, Side::Outside);
                for (control, set) in before {
                    for inside in f.at(&control) {
                        if let Some(both) = set.meet(inside) {
                            growing.add(control.clone(), both);
                        }
                    }
                }
            }
        }
        self.widenings += growing.widenings;
        Ok(growing.region)
    }

    /// The least fixpoint for all paths: rounds, each widened.
    fn all_until(&mut self, f: &Region<D>, g: &Region<D>) -> Result<Region<D>, Exhausted> {
        let moving = self.some_next(&self.backwards.all)?;
        let f = f.and(&moving, self.budget)?;
        let mut growing = Growing::new(self.limits.delay);
        let mut fresh = g.clone();
        loop {
            let mut grows = false;
            for (control, set) in fresh.iter() {
                grows |= growing.add(control.clone(), set.clone());
            }
            if !grows {
                self.widenings += growing.widenings;
                return Ok(growing.region);
            }
            self.rounds += 1;
            let next = self.all_next(&growing.region)?;
            fresh = next.and(&f, self.budget)?;
        }
    }

    /// The greatest fixpoint, or a larger set if it takes too many rounds.
    fn weak(&mut self, paths: Paths, f: &Region<D>, g: &Region<D>) -> Result<Region<D>, Exhausted> {
        let ends = match paths {
            Paths::Some => f.and(&self.backwards.stuck(self.budget)?, self.budget)?,
            Paths::All => Region::empty(),
        };
        let ends = ends.or(g);
        let mut current = f.or(g);
        for _ in 0..self.limits.rounds {
            self.rounds += 1;
            let next = match paths {
                Paths::Some => self.some_next(&current)?,
                Paths::All => self.all_next(&current)?,
            };
            let next = next.and(&current, self.budget)?.and(f, self.budget)?;
            let next = next.or(&ends);
            if next.includes(&current, self.budget)? {
                break;
            }
            current = next;
        }
        Ok(current)
    }
}

/// A region that grows until nothing new is found.
struct Growing<D> {
    region: Region<D>,
    visits: BTreeMap<Control, usize>,
    delay: usize,
    queue: VecDeque<(Control, D)>,
    widenings: usize,
}

/// After so many sets with the same control they are joined, so that the search ends.
const JOINED: usize = 60;

impl<D: Domain> Growing<D> {
    fn new(delay: usize) -> Growing<D> {
        Growing {
            region: Region::empty(),
            visits: BTreeMap::new(),
            delay,
            queue: VecDeque::new(),
            widenings: 0,
        }
    }

    /// The next set whose predecessors were not looked at, if it is still there.
    fn next(&mut self) -> Option<(Control, D)> {
        while let Some((control, set)) = self.queue.pop_front() {
            if self.region.at(&control).contains(&set) {
                return Some((control, set));
            }
        }
        None
    }

    /// Adds states, and more where the same control was met often; false if they are known.
    ///
    /// A set that contains an older one is widened from it. That alone need not end, so after
    /// many visits all sets of a control are joined and widened.
    fn add(&mut self, control: Control, mut set: D) -> bool {
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
