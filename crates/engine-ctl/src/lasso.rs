//! Single runs that show that a formula about some path holds: they end, or they come back.
//!
//! Labels of cells say which steps keep a formula true. Following them with concrete numbers gives
//! a run, as long as the formula is about one path only. A run that goes on for ever is shown if it
//! comes back to a state; where numbers grow it never does, and the cells remain the evidence.

use crate::cells::CellGraph;
use crate::label::Labels;
use sectile_base::Rat;
use sectile_domains::domain::Domain;
use sectile_guarded::program::Program;
use sectile_guarded::run::{RunMaker, single};
use sectile_model::{NormalCtl, NormalPart, Paths, Step, Trace};
use std::collections::BTreeSet;

/// Runs have no more steps than this.
const MOST_STEPS: usize = 2_000;
/// A run that comes back is searched among so many states.
const MOST_STATES: usize = 3_000;

/// Follows labels with concrete numbers.
pub struct Walk<'w, D: Domain> {
    /// The program.
    pub program: &'w Program<'w, D>,
    /// Makes states of points.
    pub maker: &'w RunMaker<'w, D>,
    /// The cells.
    pub graph: &'w CellGraph<D>,
    /// The formula that holds.
    pub formula: &'w NormalCtl,
    /// Where its parts hold.
    pub labels: &'w Labels,
}

/// A state in a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    cell: usize,
    point: Vec<Rat>,
}

/// A run so far.
struct Path {
    places: Vec<Place>,
    steps: Vec<Step>,
    back_to: Option<usize>,
}

/// Where a search for a run that goes on for ever ended.
enum End {
    /// It came back, or cannot be continued.
    Done,
    /// The part that it waited for holds.
    Reached,
}

impl<D: Domain> Walk<'_, D> {
    /// A run from a point of a cell, in which the whole formula holds.
    pub fn run(&self, cell: usize, point: Vec<Rat>) -> Option<Trace> {
        let mut path = Path {
            places: vec![Place { cell, point }],
            steps: Vec::new(),
            back_to: None,
        };
        let mut part = self.formula.root();
        while path.steps.len() < MOST_STEPS {
            let cell = path.places.last()?.cell;
            match self.formula.parts[part] {
                NormalPart::State(_) => return self.trace(&path),
                // Nothing follows, so all that follows has any property.
                NormalPart::Next(Paths::All, _) if self.graph.cells[cell].stuck => {
                    return self.trace(&path);
                }
                NormalPart::And(a, b) if self.is_state(a) => part = b,
                NormalPart::And(a, b) if self.is_state(b) => part = a,
                NormalPart::Or(a, b) => part = if self.has(a, cell) { a } else { b },
                NormalPart::Next(Paths::Some, f) => {
                    self.follow(&mut path, part)?;
                    part = f;
                }
                NormalPart::Until(Paths::Some, _, g) | NormalPart::Weak(Paths::Some, _, g)
                    if self.has(g, cell) =>
                {
                    part = g;
                }
                NormalPart::Until(Paths::Some, f, _) if self.is_state(f) => {
                    self.follow(&mut path, part)?;
                }
                NormalPart::Weak(Paths::Some, f, g) if self.is_state(f) => {
                    match self.go_on(&mut path, part, g)? {
                        End::Done => return self.trace(&path),
                        End::Reached => part = g,
                    }
                }
                _ => return None,
            }
        }
        None
    }

    fn is_state(&self, part: usize) -> bool {
        matches!(self.formula.parts[part], NormalPart::State(_))
    }

    fn has(&self, part: usize, cell: usize) -> bool {
        self.labels[part][cell].is_some()
    }

    /// Takes one of the steps by which a part holds.
    fn follow(&self, path: &mut Path, part: usize) -> Option<()> {
        let place = path.places.last()?;
        let label = self.labels[part][place.cell].as_ref()?;
        let steps = label.edges.iter();
        let (next, step) = steps.into_iter().find_map(|&e| self.step(place, e))?;
        path.places.push(next);
        path.steps.push(step);
        Some(())
    }

    /// A step along an edge, if it is possible.
    fn step(&self, place: &Place, edge: usize) -> Option<(Place, Step)> {
        let edge = &self.graph.edges[place.cell][edge];
        let case = &self.program.cases[edge.case];
        let here: D = single(self.program, &place.point)?;
        let guarded = case.guarded(&here)?;
        let target = &self.graph.cells[edge.target].set;
        let chosen = target.preimage(&guarded, &case.sources)?.point()?;
        let value = |sum: &sectile_domains::linear::Affine| {
            let parts = sum.terms.iter().map(|(v, c)| c * &chosen[*v]);
            parts.fold(sum.constant.clone(), |a, b| &a + &b)
        };
        let next = Place {
            cell: edge.target,
            point: case.values.iter().map(value).collect(),
        };
        let inputs = self.maker.inputs(case, &chosen);
        let command = case.command;
        Some((next, Step { command, inputs }))
    }

    /// Searches, inside a part, for a way back, for an end, or for where another part holds.
    fn go_on(&self, path: &mut Path, part: usize, goal: usize) -> Option<End> {
        let start = path.places.last()?.clone();
        let mut known: BTreeSet<Place> = [start.clone()].into();
        let mut nodes: Vec<(Place, Option<(usize, Step)>)> = vec![(start, None)];
        let mut at = 0;
        while at < nodes.len() && nodes.len() < MOST_STATES {
            let place = nodes[at].0.clone();
            if self.has(goal, place.cell) {
                extend(path, &nodes, at, None);
                return Some(End::Reached);
            }
            if self.graph.cells[place.cell].stuck {
                extend(path, &nodes, at, None);
                return Some(End::Done);
            }
            for edge in 0..self.graph.edges[place.cell].len() {
                if !self.has(part, self.graph.edges[place.cell][edge].target) {
                    continue;
                }
                let Some((next, step)) = self.step(&place, edge) else {
                    continue;
                };
                if let Some(earlier) = self.ancestor(&nodes, at, &next) {
                    extend(path, &nodes, at, Some((earlier, next, step)));
                    return Some(End::Done);
                }
                if known.insert(next.clone()) {
                    nodes.push((next, Some((at, step))));
                }
            }
            at += 1;
        }
        None
    }

    /// How many steps above a node the same state is, if it is there.
    fn ancestor(
        &self,
        nodes: &[(Place, Option<(usize, Step)>)],
        from: usize,
        next: &Place,
    ) -> Option<usize> {
        let control = |p: &Place| &self.graph.cells[p.cell].control;
        let (mut at, mut above) = (Some(from), 0);
        while let Some(node) = at {
            let (place, parent) = &nodes[node];
            if place.point == next.point && control(place) == control(next) {
                return Some(above);
            }
            at = parent.as_ref().map(|(p, _)| *p);
            above += 1;
        }
        None
    }

    fn trace(&self, path: &Path) -> Option<Trace> {
        let located = path.places.iter().map(|p| {
            let control = &self.graph.cells[p.cell].control;
            self.maker.located(control, &p.point)
        });
        let located: Vec<_> = located.collect();
        Some(Trace {
            rigid: located.first()?.rigid.clone(),
            states: located.into_iter().map(|l| l.state).collect(),
            steps: path.steps.clone(),
            back_to: path.back_to,
        })
    }
}

/// Adds the way to a node to a run, and a last step back to a state so many steps above it.
fn extend(
    path: &mut Path,
    nodes: &[(Place, Option<(usize, Step)>)],
    node: usize,
    back: Option<(usize, Place, Step)>,
) {
    let mut way = Vec::new();
    let mut at = node;
    while let (place, Some((parent, step))) = &nodes[at] {
        way.push((place.clone(), step.clone()));
        at = *parent;
    }
    for (place, step) in way.into_iter().rev() {
        path.places.push(place);
        path.steps.push(step);
    }
    if let Some((above, place, step)) = back {
        path.back_to = Some(path.places.len() - 1 - above);
        path.places.push(place);
        path.steps.push(step);
    }
}
