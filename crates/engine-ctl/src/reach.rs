//! The states that can be reached, forwards: exactly, as long as the search ends, or with widening.

use crate::live::Dead;
use crate::program::{Control, Program, StateCube};
use rustc_hash::FxHashMap;
use sectile_base::{Budget, Exhausted, Int};
use sectile_domains::zone::Zone;
use std::collections::VecDeque;
use std::rc::Rc;

/// A set of states found by the search.
#[derive(Clone, Debug)]
pub struct Node {
    /// The values of the discrete variables.
    pub control: Control,
    /// The numbers.
    pub zone: Rc<Zone>,
    /// The node and the case it comes from.
    pub parent: Option<(usize, usize)>,
    /// Whether no other node contains it.
    pub kept: bool,
    /// Whether its successors are among the nodes.
    pub expanded: bool,
}

/// How zones with the same control are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// They are kept apart.
    Exact,
    /// They are kept apart, and the search ends where numbers become larger than this: they are
    /// likely to grow for ever.
    ExactUpTo(i64),
    /// After so many of them a new one is joined with the most similar one, and widened.
    Widened(usize),
}

/// What the search found.
pub struct Reached {
    /// All nodes, also those that a later one contains.
    pub nodes: Vec<Node>,
    /// A node with forbidden states, with which the search ended.
    pub bad: Option<usize>,
    /// Why the search ended before it was complete.
    pub stopped: Option<Exhausted>,
}

impl Reached {
    /// Nodes that no other one contains.
    pub fn kept(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|n| n.kept)
    }

    /// The cases from the start to a node.
    pub fn path(&self, node: usize) -> Vec<usize> {
        let mut cases = Vec::new();
        let mut at = node;
        while let Some((parent, case)) = self.nodes[at].parent {
            cases.push(case);
            at = parent;
        }
        cases.reverse();
        cases
    }
}

struct Search<'s> {
    program: &'s Program<'s>,
    dead: &'s Dead,
    bad: &'s [StateCube],
    precision: Precision,
    reached: Reached,
    places: FxHashMap<Control, Vec<usize>>,
    visits: FxHashMap<Control, usize>,
    shared: FxHashMap<Zone, Rc<Zone>>,
    queue: VecDeque<usize>,
}

/// Searches breadth first; zones that a zone with the same control contains are dropped.
pub fn reach(
    program: &Program<'_>,
    dead: &Dead,
    bad: &[StateCube],
    precision: Precision,
    most: usize,
    budget: &Budget,
) -> Reached {
    let mut search = Search {
        program,
        dead,
        bad,
        precision,
        reached: Reached {
            nodes: Vec::new(),
            bad: None,
            stopped: None,
        },
        places: FxHashMap::default(),
        visits: FxHashMap::default(),
        shared: FxHashMap::default(),
        queue: VecDeque::new(),
    };
    search.start();
    while search.reached.bad.is_none() {
        let Some(node) = search.queue.pop_front() else {
            break;
        };
        let limit = if search.reached.nodes.len() > most {
            Err(Exhausted::Steps)
        } else {
            budget.poll()
        };
        if let Err(reason) = limit {
            search.reached.stopped = Some(reason);
        }
        if search.reached.stopped.is_some() {
            break;
        }
        if search.reached.nodes[node].kept {
            search.expand(node);
        }
    }
    search.reached
}

impl Search<'_> {
    fn start(&mut self) {
        for cube in &self.program.init {
            let Some(zone) = self.program.universe().assume_all(&cube.bounds) else {
                continue;
            };
            for control in self.program.controls_of(cube) {
                self.add(control, zone.clone(), None);
            }
        }
    }

    fn expand(&mut self, index: usize) {
        let Node { control, zone, .. } = self.reached.nodes[index].clone();
        for (k, case) in self.program.cases_at(&control) {
            let Some(guarded) = case.guarded(&zone) else {
                continue;
            };
            let image = guarded.image(&case.sources);
            for target in case.controls(&control) {
                self.add(target, image.clone(), Some((index, k)));
                if self.reached.bad.is_some() {
                    return;
                }
            }
        }
        self.reached.nodes[index].expanded = true;
    }

    fn add(&mut self, control: Control, zone: Zone, parent: Option<(usize, usize)>) {
        let mut zone = self.dead.forget(&control, zone);
        let place = self.places.entry(control.clone()).or_default();
        let nodes = &mut self.reached.nodes;
        if place.iter().any(|&n| nodes[n].zone.includes(&zone)) {
            return;
        }
        let visits = self.visits.entry(control.clone()).or_insert(0);
        *visits += 1;
        if let Precision::Widened(delay) = self.precision
            && *visits > delay
            && let Some(&partner) = place
                .iter()
                .min_by_key(|&&n| nodes[n].zone.exceeded_by(&zone))
        {
            // Differences that stay as they are matter more than numbers that grow: the partner
            // is the zone of which the fewest bounds are lost.
            let partner = &nodes[partner].zone;
            zone = partner.widened(&partner.hull(&zone));
        }
        if let Precision::ExactUpTo(largest) = self.precision
            && zone.largest() > Int::from(largest)
        {
            self.reached.stopped = Some(Exhausted::Steps);
        }
        place.retain(|&n| {
            nodes[n].kept = !zone.includes(&nodes[n].zone);
            nodes[n].kept
        });
        let index = nodes.len();
        place.push(index);
        let zone = match self.shared.get(&zone) {
            Some(known) => known.clone(),
            None => {
                let shared = Rc::new(zone.clone());
                self.shared.insert(zone, shared.clone());
                shared
            }
        };
        let is_bad = self.bad.iter().any(|c| c.within(&control, &zone).is_some());
        if is_bad && self.reached.bad.is_none() {
            self.reached.bad = Some(index);
        }
        self.reached.nodes.push(Node {
            control,
            zone,
            parent,
            kept: true,
            expanded: false,
        });
        self.queue.push_back(index);
    }
}
