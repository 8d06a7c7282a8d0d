//! Forward reachability: exact as long as the search terminates, or with widening.

use crate::live::Dead;
use crate::representative::{turned_control, turned_set};
use crate::symmetry::{STAY, Symmetry};
use rustc_hash::FxHashMap;
use sectile_base::{Budget, Exhausted, Int, Rat};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::{Control, Program, StateCube};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// A set of states found by the search.
#[derive(Clone, Debug)]
pub struct Node<D> {
    /// The values of the discrete variables.
    pub control: Control,
    /// The numbers.
    pub set: Rc<D>,
    /// The predecessor node and the case.
    pub parent: Option<(usize, usize)>,
    /// The turn that took its image, or an initial set, to its representative.
    pub turn: usize,
    /// Whether no other node contains it.
    pub kept: bool,
    /// Whether its successors are among the nodes.
    pub expanded: bool,
}

/// How sets with the same control are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// They are kept apart.
    Exact,
    /// They are kept apart, and the search ends when numbers exceed this limit, because they
    /// probably diverge.
    ExactUpTo(i64),
    /// After this many of them a new one is joined with the most similar one, and widened.
    Widened(usize),
}

/// Turns by node, case, and position of the control among the next ones.
pub type Turns = FxHashMap<(usize, usize, usize), usize>;

/// The result of the search.
pub struct Reached<D> {
    /// All nodes, including those contained in a later one.
    pub nodes: Vec<Node<D>>,
    /// For steps of a node by a case to one of its next controls: the turn to their representative,
    /// if there is one.
    pub turns: Turns,
    /// The controls of initial nodes, with the turns that lead to them.
    pub starts: BTreeSet<(Control, usize)>,
    /// A node with forbidden states that ended the search.
    pub bad: Option<usize>,
    /// Why the search is incomplete.
    pub stopped: Option<Exhausted>,
    /// The numbers that became large, if that is the reason.
    pub grown: Vec<usize>,
}

impl<D: Domain> Reached<D> {
    /// Nodes that no other one contains.
    pub fn kept(&self) -> impl Iterator<Item = &Node<D>> {
        self.nodes.iter().filter(|n| n.kept)
    }

    /// The cases from the start to a node, with the nodes to which they lead.
    pub fn path(&self, node: usize) -> Vec<(usize, usize)> {
        let mut cases = Vec::new();
        let mut at = node;
        while let Some((parent, case)) = self.nodes[at].parent {
            cases.push((case, at));
            at = parent;
        }
        cases.reverse();
        cases
    }
}

/// A search that can be interrupted and continued.
///
/// It is breadth first; sets contained in another set with the same control are dropped. If numbers
/// are `adrift`, it starts with all states that differ from an initial one by the same number in
/// all of them, so that growth has no fixed start.
pub struct ForwardSearch<'s, D: Domain> {
    question: Question<'s, D>,
    /// The result so far.
    pub reached: Reached<D>,
    places: FxHashMap<Control, Vec<usize>>,
    visits: FxHashMap<Control, usize>,
    shared: FxHashMap<D, Rc<D>>,
    queue: VecDeque<usize>,
    /// Operations on sets that were not counted on the budget yet.
    operations: u64,
    /// Inclusion tests since then.
    tests: u64,
    /// The units of an operation.
    effort: u64,
}

/// The parameters of a search.
pub struct Question<'q, D: Domain> {
    /// The program.
    pub program: &'q Program<'q, D>,
    /// Dead numbers.
    pub dead: &'q Dead,
    /// Turns to representatives.
    pub symmetry: &'q Symmetry<'q>,
    /// States that end the search.
    pub bad: &'q [StateCube<D>],
    /// How sets with the same control are treated.
    pub precision: Precision,
    /// Numbers that may start anywhere.
    pub adrift: Vec<usize>,
    /// Maximum number of nodes.
    pub most: usize,
}

impl<'s, D: Domain> ForwardSearch<'s, D> {
    /// A search with the initial states.
    pub fn new(question: Question<'s, D>) -> ForwardSearch<'s, D> {
        let effort = question.program.universe().effort();
        let mut search = ForwardSearch {
            question,
            reached: Reached {
                nodes: Vec::new(),
                turns: Turns::default(),
                starts: BTreeSet::new(),
                bad: None,
                stopped: None,
                grown: Vec::new(),
            },
            places: FxHashMap::default(),
            visits: FxHashMap::default(),
            shared: FxHashMap::default(),
            queue: VecDeque::new(),
            operations: 0,
            tests: 0,
            effort,
        };
        search.start();
        search
    }

    /// Continues until the search is complete, forbidden states are found, or a limit is reached.
    pub fn go_on(&mut self, budget: &Budget) {
        // After too many sets, or growing numbers, it cannot be continued.
        let stopped = &mut self.reached.stopped;
        *stopped = stopped.filter(|why| *why == Exhausted::Steps);
        while self.reached.bad.is_none() && self.reached.stopped.is_none() {
            let Some(&node) = self.queue.front() else {
                return;
            };
            self.reached.stopped = match self.reached.nodes.len() > self.question.most {
                true => Some(Exhausted::Steps),
                false => budget.poll_for(self.new_work()).err(),
            };
            if self.reached.stopped.is_some() {
                return;
            }
            self.queue.pop_front();
            if self.reached.nodes[node].kept {
                self.expand(node);
            }
        }
    }

    fn start(&mut self) {
        let program = self.question.program;
        let adrift = self.question.adrift.clone();
        for cube in &program.init {
            let Some(mut set) = program.universe().assume_all(&cube.bounds) else {
                continue;
            };
            if !adrift.is_empty() {
                set = set.adrift(&adrift);
            }
            for control in program.controls_of(cube) {
                let (control, set, turn) = self.represented(control, set.clone());
                self.reached.starts.insert((control.clone(), turn));
                self.add(control, set, None, turn);
            }
        }
    }

    /// The work since the last call, in units of a budget.
    fn new_work(&mut self) -> u64 {
        let whole = self.tests / D::TESTS_OF_AN_OPERATION;
        self.tests %= D::TESTS_OF_AN_OPERATION;
        (std::mem::take(&mut self.operations) + whole) * self.effort
    }

    fn expand(&mut self, index: usize) {
        let Node { control, set, .. } = self.reached.nodes[index].clone();
        for (k, case) in self.question.program.cases_at(&control) {
            self.operations += 1;
            let Some(guarded) = case.guarded(&set) else {
                continue;
            };
            let image = guarded.image(&case.sources);
            self.operations += 1;
            for (nth, target) in case.controls(&control).into_iter().enumerate() {
                let (target, image, turn) = self.represented(target, image.clone());
                if turn != STAY {
                    self.reached.turns.insert((index, k, nth), turn);
                }
                self.add(target, image, Some((index, k)), turn);
                if self.reached.bad.is_some() {
                    return;
                }
            }
        }
        self.reached.nodes[index].expanded = true;
    }

    /// A set of states without dead numbers, turned to its representative.
    fn represented(&self, control: Control, set: D) -> (Control, D, usize) {
        let symmetry = self.question.symmetry;
        let set = self.question.dead.forget(&control, set);
        match symmetry.choose(&control, &set) {
            STAY => (control, set, STAY),
            number => {
                let turn = symmetry.turn(number);
                let control = turned_control(&turn, &control);
                (control, turned_set(&turn, &set), number)
            }
        }
    }

    fn add(&mut self, control: Control, mut set: D, parent: Option<(usize, usize)>, turn: usize) {
        let place = self.places.entry(control.clone()).or_default();
        let nodes = &mut self.reached.nodes;
        self.tests += 2 * place.len() as u64;
        if place.iter().any(|&n| nodes[n].set.includes(&set)) {
            return;
        }
        let visits = self.visits.entry(control.clone()).or_insert(0);
        *visits += 1;
        if let Precision::Widened(delay) = self.question.precision
            && *visits > delay
            && let Some(&partner) = place
                .iter()
                .min_by_key(|&&n| nodes[n].set.exceeded_by(&set))
        {
            // Differences that stay constant are more important than numbers that grow: the partner
            // is the set with which the fewest bounds are lost.
            let partner = &nodes[partner].set;
            set = partner.widened(&partner.hull(&set));
        }
        if let Precision::ExactUpTo(largest) = self.question.precision
            && set.largest() > Int::from(largest)
        {
            self.reached.stopped = Some(Exhausted::Steps);
            self.reached.grown = far(&set, largest);
        }
        place.retain(|&n| {
            nodes[n].kept = !set.includes(&nodes[n].set);
            nodes[n].kept
        });
        let index = nodes.len();
        place.push(index);
        let shared = |set: &D| Rc::new(set.clone());
        let set = self.shared.entry(set).or_insert_with_key(shared).clone();
        let mut bad = self.question.bad.iter();
        let is_bad = bad.any(|c| c.within(&control, &set).is_some());
        if is_bad && self.reached.bad.is_none() {
            self.reached.bad = Some(index);
        }
        self.reached.nodes.push(Node {
            control,
            set,
            parent,
            turn,
            kept: true,
            expanded: false,
        });
        self.queue.push_back(index);
    }
}

/// The variables that are far from zero in a point of a set.
fn far<D: Domain>(set: &D, limit: i64) -> Vec<usize> {
    let half = Rat::from(limit / 2);
    let point = set.point().unwrap_or_default();
    let large = point.iter().enumerate().filter(|(_, x)| x.abs() > half);
    large.map(|(i, _)| i).collect()
}
