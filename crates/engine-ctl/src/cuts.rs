//! Cuts of cells for a strongly connected part without a ranking.
//!
//! There are three cases. Its steps can be repeated for ever from some reachable states: then the
//! cells are cut along a run to these states and the cycle, and the steps of the pieces show the
//! violation. It has phases: then its cells are cut where these change. Or its steps never leave
//! some set of states: then its cells are cut by this set.

use crate::cells::{CellGraph, CellPart};
use crate::progress::Unranked;
use crate::rank::closed::{Part, closed};
use crate::rank::phases::phases;
use crate::rank::recurrence::{Recurrence, recurrence, visited};
use crate::rank::{Function, Transition};
use crate::symmetry::STAY;
use sectile_base::{Budget, Exhausted, Rat};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Program;
use sectile_domains::linear::{Constraint, Relation};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A cell, and constraints by which it is cut in two.
pub type Cut = (usize, Vec<Constraint>);

/// Maximum number of cycles of a part that are examined.
const MOST_CYCLES: usize = 24;

/// Maximum number of paths followed to find them.
const MOST_WAYS: usize = 4_000;

/// Maximum number of cycles that contribute states to a closed set.
const MOST_EXAMPLES: usize = 4;

/// Number of rounds of a cycle that a state of a closed set must allow.
const ROUNDS: usize = 3;

/// Maximum length of cycles.
const LONGEST_CYCLE: usize = 40;

/// The input for computing cuts.
pub struct Cutter<'c, D: Domain> {
    /// The program.
    pub program: &'c Program<'c, D>,
    /// Its cells.
    pub graph: &'c CellGraph<'c, D>,
    /// The cells in which the property is not known to hold: violations pass through them.
    pub doubtful: Vec<bool>,
    /// The initial cells.
    pub initial: &'c [usize],
    /// Polled between linear programs.
    pub budget: &'c Budget,
}

/// Paths to cells: the previous cell, and the steps from there.
type Ways = BTreeMap<usize, Option<(usize, Transition)>>;

impl<D: Domain> Cutter<'_, D> {
    /// Cuts for the first part for which there are any.
    pub fn cuts(&self, unranked: &[Unranked]) -> Result<Vec<Cut>, Exhausted> {
        let ways = self.ways()?;
        for part in unranked {
            let cuts = self.repeated(part, &ways)?;
            if !cuts.is_empty() {
                return Ok(cuts);
            }
        }
        for part in unranked {
            self.budget.poll_for(1_000)?;
            let variables = self.program.numeric.len();
            let found = phases(part.cells.len(), variables, &part.transitions);
            let Some(functions) = found else { continue };
            let mut cuts = Vec::new();
            for (&cell, functions) in part.cells.iter().zip(&functions) {
                cuts.extend(functions.iter().map(|f| (cell, vec![not_negative(f)])));
            }
            return Ok(cuts);
        }
        for part in unranked {
            let cuts = self.closed(part, &ways)?;
            if !cuts.is_empty() {
                return Ok(cuts);
            }
        }
        Ok(Vec::new())
    }

    /// Cuts along a run to a closed set of states, and by the set.
    fn closed(&self, part: &Unranked, ways: &Ways) -> Result<Vec<Cut>, Exhausted> {
        let variables = self.program.numeric.len();
        let Some([inner, leaving]) = self.all_steps(part)? else {
            return Ok(Vec::new());
        };
        for cycle in cycles(part).into_iter().take(MOST_EXAMPLES) {
            let Some(cycle) = self.nearest(part, cycle, ways) else {
                continue;
            };
            self.budget.poll_for(5_000)?;
            let steps: Vec<&Transition> = cycle.iter().map(|&t| &part.transitions[t]).collect();
            let (cells, stem) = way_to(part.cells[steps[0].from], ways);
            let numbers = self.program.numbers;
            let found = visited(numbers, variables, &stem, &steps, ROUNDS);
            let Some([stem, round]) = found else {
                continue;
            };
            let places = steps.iter().map(|t| t.from);
            let points: Vec<(usize, Vec<Rat>)> = places.zip(round).collect();
            let found = closed(&Part {
                nodes: part.cells.len(),
                variables,
                inner: &inner,
                leaving: &leaving,
                points: &points,
            });
            let Some(functions) = found else { continue };
            let mut cuts: Vec<Cut> = Vec::new();
            for (&cell, point) in cells.iter().zip(&stem) {
                cuts.push((cell, exactly(point)));
            }
            for (&cell, function) in part.cells.iter().zip(&functions) {
                if function.factors.iter().any(|c| !c.is_zero()) {
                    cuts.push((cell, vec![not_negative(function)]));
                }
            }
            return Ok(cuts);
        }
        Ok(Vec::new())
    }

    /// All steps from the cells of a part: those inside, and the unavoidable ones that leave it.
    fn all_steps(&self, part: &Unranked) -> Result<Option<[Vec<Transition>; 2]>, Exhausted> {
        let places: BTreeMap<usize, usize> = part
            .cells
            .iter()
            .enumerate()
            .map(|(i, &c)| (c, i))
            .collect();
        let (mut inner, mut leaving) = (Vec::new(), Vec::new());
        for (&c, &from) in &places {
            let edges = &self.graph.edges[c];
            let may_stay = edges
                .iter()
                .any(|e| places.contains_key(&e.target) && matches!(e.part, CellPart::All));
            for edge in edges {
                self.budget.poll_for(D::EFFORT)?;
                if edge.turn != STAY {
                    return Ok(None);
                }
                let to = places.get(&edge.target).copied();
                if to.is_none() && may_stay {
                    continue;
                }
                let ends = (from, to.unwrap_or(0));
                let steps = self.graph.transition(self.program, c, edge, ends);
                match to {
                    Some(_) => inner.extend(steps),
                    None => leaving.extend(steps),
                }
            }
        }
        Ok(Some([inner, leaving]))
    }

    /// Shortest paths from initial cells.
    fn ways(&self) -> Result<Ways, Exhausted> {
        let mut ways = Ways::new();
        let mut queue = VecDeque::new();
        for &c in self.initial.iter().filter(|&&c| self.doubtful[c]) {
            ways.insert(c, None);
            queue.push_back(c);
        }
        while let Some(c) = queue.pop_front() {
            self.budget.poll_for(D::EFFORT)?;
            for edge in &self.graph.edges[c] {
                let known = ways.contains_key(&edge.target);
                if known || edge.turn != STAY || !self.doubtful[edge.target] {
                    continue;
                }
                let steps = self.graph.transition(self.program, c, edge, (0, 0));
                if let Some(steps) = steps {
                    ways.insert(edge.target, Some((c, steps)));
                    queue.push_back(edge.target);
                }
            }
        }
        Ok(ways)
    }

    /// Cuts along a run and a cycle that can be repeated forever.
    fn repeated(&self, part: &Unranked, ways: &Ways) -> Result<Vec<Cut>, Exhausted> {
        let variables = self.program.numeric.len();
        let once = cycles(part);
        let twice = once.iter().map(|c| [&c[..], &c[..]].concat());
        for cycle in once.iter().cloned().chain(twice) {
            let Some(cycle) = self.nearest(part, cycle, ways) else {
                continue;
            };
            let start = part.cells[part.transitions[cycle[0]].from];
            let (cells, stem) = way_to(start, ways);
            let steps: Vec<&Transition> = cycle.iter().map(|&t| &part.transitions[t]).collect();
            self.budget.poll_for(2_000)?;
            let found = recurrence(self.program.numbers, variables, &stem, &steps);
            let Some(Recurrence { stem, cycle }) = found else {
                continue;
            };
            let mut cuts: Vec<Cut> = Vec::new();
            for (&cell, point) in cells.iter().zip(&stem) {
                cuts.push((cell, exactly(point)));
            }
            for (step, states) in steps.iter().zip(cycle) {
                cuts.push((part.cells[step.from], states));
            }
            return Ok(cuts);
        }
        Ok(Vec::new())
    }

    /// The cycle, rotated to its nearest reachable cell; none if it is unreachable.
    fn nearest(&self, part: &Unranked, cycle: Vec<usize>, ways: &Ways) -> Option<Vec<usize>> {
        let length = |&t: &usize| {
            let cell = part.cells[part.transitions[t].from];
            ways.contains_key(&cell).then(|| way_to(cell, ways).0.len())
        };
        let places = cycle.iter().enumerate();
        let reached = places.filter_map(|(i, t)| Some((length(t)?, i)));
        let (_, first) = reached.min()?;
        let mut cycle = cycle;
        cycle.rotate_left(first);
        Some(cycle)
    }
}

/// The cells on the path to a cell, without it, and the steps between them.
fn way_to(cell: usize, ways: &Ways) -> (Vec<usize>, Vec<&Transition>) {
    let (mut cells, mut steps) = (Vec::new(), Vec::new());
    let mut at = cell;
    while let Some(Some((before, step))) = ways.get(&at) {
        cells.push(*before);
        steps.push(step);
        at = *before;
    }
    cells.reverse();
    steps.reverse();
    (cells, steps)
}

/// Simple cycles of a part, the shortest first.
fn cycles(part: &Unranked) -> Vec<Vec<usize>> {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); part.cells.len()];
    for (t, step) in part.transitions.iter().enumerate() {
        leaving[step.from].push(t);
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut left = MOST_WAYS;
    for start in 0..part.cells.len() {
        // Breadth first: short cycles are found before there are too many paths.
        let mut queue: VecDeque<Vec<usize>> = VecDeque::from([Vec::new()]);
        while let Some(way) = queue.pop_front() {
            if left == 0 || found.len() >= MOST_CYCLES {
                break;
            }
            left -= 1;
            let at = way.last().map_or(start, |&t| part.transitions[t].to);
            for &t in &leaving[at] {
                let to = part.transitions[t].to;
                let mut longer = way.clone();
                longer.push(t);
                let passed = way.iter().any(|&s| part.transitions[s].to == to);
                if to == start {
                    found.push(longer);
                } else if to > start && !passed && longer.len() < LONGEST_CYCLE {
                    queue.push_back(longer);
                }
            }
        }
    }
    found.sort_by_key(Vec::len);
    found
}

/// Constraints that fix all numbers to those of a point.
fn exactly(point: &[Rat]) -> Vec<Constraint> {
    let equation = |(v, value): (usize, &Rat)| {
        let mut factors = vec![Rat::ZERO; point.len()];
        factors[v] = Rat::ONE;
        Constraint::from_rationals(&factors, Relation::Equal, value)
    };
    point.iter().enumerate().map(equation).collect()
}

/// The constraint that a function is not negative.
fn not_negative(function: &Function) -> Constraint {
    let factors: Vec<Rat> = function.factors.iter().map(|c| -c).collect();
    Constraint::from_rationals(&factors, Relation::AtMost, &function.constant)
}

impl<D: Domain> CellGraph<'_, D> {
    /// Cuts cells; returns whether any was split, or the reason if a cut cannot be expressed.
    pub fn cut(
        &mut self,
        program: &Program<'_, D>,
        cuts: &[Cut],
        budget: &Budget,
    ) -> Result<Result<bool, String>, Exhausted> {
        let mut guards: BTreeMap<usize, Vec<Vec<D::Guard>>> = BTreeMap::new();
        for (cell, constraints) in cuts {
            match program.guards(constraints) {
                Ok(list) => guards.entry(*cell).or_default().push(list),
                Err(why) => return Ok(Err(why)),
            }
        }
        let before = self.cells.len();
        let mut cells = Vec::new();
        for (i, cell) in self.cells.iter().enumerate() {
            let mut pieces = vec![(*cell.set).clone()];
            for guard in guards.get(&i).into_iter().flatten() {
                let mut next = Vec::new();
                for piece in pieces {
                    match piece.clone().assume_all(guard) {
                        Some(inside) => {
                            next.extend(piece.minus(&inside));
                            next.push(inside);
                        }
                        None => next.push(piece),
                    }
                }
                pieces = next;
            }
            pieces.retain(|set| !set.is_surely_empty());
            cells.extend(pieces.into_iter().map(|set| crate::cells::CellSet {
                set: Rc::new(set),
                ..cell.clone()
            }));
        }
        self.cells = cells;
        self.number_pieces();
        self.connect(program, budget)?;
        Ok(Ok(self.cells.len() > before))
    }
}
