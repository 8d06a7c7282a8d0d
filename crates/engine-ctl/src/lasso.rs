//! Single runs that prove a formula about some path: they end, or they return to a state.
//!
//! Labels of cells name the steps that keep a formula true. Following them with concrete numbers
//! gives a run, if the formula is about one path only. An infinite run is shown if it returns to a
//! state; if numbers grow it never does, and the cells remain the evidence.

use crate::cells::turned_sources;
use crate::proof::Evidence;
use crate::symmetry::Turn;
use crate::unturn::unturned;
use sectile_base::Rat;
use sectile_domains::domain::Domain;
use sectile_domains::guarded::run::{RunMaker, single};
use sectile_domains::linear::Affine;
use sectile_model::{NormalPart, Paths, Step, Trace};
use std::collections::BTreeSet;

/// Maximum number of steps of a run.
const MOST_STEPS: usize = 2_000;
/// Maximum number of states in the search for a run that returns.
const MOST_STATES: usize = 3_000;

/// A state in a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CellPoint {
    cell: usize,
    point: Vec<Rat>,
}

/// A step, and the turn after it.
type Taken = (Step, usize);

/// The run constructed so far.
struct Path {
    places: Vec<CellPoint>,
    steps: Vec<Taken>,
    back_to: Option<usize>,
}

/// A state found by a search: the part that must hold there, and its predecessor.
#[derive(Clone)]
struct Seen {
    place: CellPoint,
    part: usize,
    from: Option<(usize, Taken)>,
}

/// The end of a search for an infinite run.
enum End {
    /// It returned to a state, or is maximal.
    Done,
    /// The right-hand side holds: this part.
    Reached(usize),
}

impl<D: Domain> Evidence<'_, D> {
    /// A run from a point of a cell in which the whole formula holds.
    pub fn run(&self, cell: usize, point: Vec<Rat>) -> Option<Trace> {
        let mut path = Path {
            places: vec![CellPoint { cell, point }],
            steps: Vec::new(),
            back_to: None,
        };
        let mut part = self.formula.root();
        while path.steps.len() < MOST_STEPS {
            let cell = path.places.last()?.cell;
            match self.formula.parts[part] {
                NormalPart::State(_) => return self.trace(&path),
                // There are no successors, so any claim about all of them holds.
                NormalPart::Next(Paths::All, _) if self.graph.cells[cell].stuck => {
                    return self.trace(&path);
                }
                NormalPart::And(a, b) if self.is_state(a) => part = b,
                NormalPart::And(a, b) if self.is_state(b) => part = a,
                NormalPart::Or(a, b) => part = if self.has(a, cell) { a } else { b },
                NormalPart::Next(Paths::Some, f) => {
                    let turn = self.follow(&mut path, part)?;
                    part = self.turned(f, turn);
                }
                NormalPart::Until(Paths::Some, _, g) | NormalPart::Weak(Paths::Some, _, g)
                    if self.has(g, cell) =>
                {
                    part = g;
                }
                NormalPart::Until(Paths::Some, f, _) if self.is_state(f) => {
                    let turn = self.follow(&mut path, part)?;
                    part = self.turned(part, turn);
                }
                NormalPart::Weak(Paths::Some, f, _) if self.is_state(f) => {
                    match self.go_on(&mut path, part)? {
                        End::Done => return self.trace(&path),
                        End::Reached(there) => part = there,
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

    /// The right-hand side of a part.
    fn goal(&self, part: usize) -> usize {
        match self.formula.parts[part] {
            NormalPart::Until(_, _, g) | NormalPart::Weak(_, _, g) => g,
            _ => part,
        }
    }

    /// Takes one of the steps by which a part holds; returns the turn after it.
    fn follow(&self, path: &mut Path, part: usize) -> Option<usize> {
        let place = path.places.last()?;
        let label = self.labels[part][place.cell].as_ref()?;
        let (next, step) = label.edges.iter().find_map(|&e| self.step(place, e))?;
        path.places.push(next);
        let turn = step.1;
        path.steps.push(step);
        Some(turn)
    }

    /// A step along an edge, if it is possible.
    fn step(&self, place: &CellPoint, edge: usize) -> Option<(CellPoint, Taken)> {
        let edge = &self.graph.edges[place.cell][edge];
        let case = &self.program.cases[edge.case];
        let here: D = single(self.program, &place.point)?;
        let guarded = case.guarded(&here)?;
        let target = &self.graph.cells[edge.target].set;
        let turn = self.graph.symmetry.turn(edge.turn);
        let sources = turned_sources(&turn, edge.turn, &case.sources);
        let chosen = target.preimage(&guarded, &sources)?.point()?;
        let value = |sum: &Affine| {
            let parts = sum.terms.iter().map(|(v, c)| c * &chosen[*v]);
            parts.fold(sum.constant.clone(), |a, b| &a + &b)
        };
        let values: Vec<Rat> = case.values.iter().map(value).collect();
        let next = CellPoint {
            cell: edge.target,
            point: Turn::placed(&turn.numeric, &values),
        };
        let inputs = self.maker().inputs(case, &chosen);
        Some((next, (Step::new(case.command, inputs), edge.turn)))
    }

    /// Searches, while a part holds, for a return, for an end, or for a state where another part
    /// holds.
    fn go_on(&self, path: &mut Path, part: usize) -> Option<End> {
        let start = path.places.last()?.clone();
        let mut known: BTreeSet<(CellPoint, usize)> = [(start.clone(), part)].into();
        let mut nodes: Vec<Seen> = vec![Seen {
            place: start,
            part,
            from: None,
        }];
        let mut at = 0;
        while at < nodes.len() && nodes.len() < MOST_STATES {
            let Seen { place, part, .. } = nodes[at].clone();
            if self.has(self.goal(part), place.cell) {
                extend(path, &nodes, at, None);
                return Some(End::Reached(self.goal(part)));
            }
            if self.graph.cells[place.cell].stuck {
                extend(path, &nodes, at, None);
                return Some(End::Done);
            }
            for (k, edge) in self.graph.edges[place.cell].iter().enumerate() {
                let there = self.turned(part, edge.turn);
                if !self.has(there, edge.target) {
                    continue;
                }
                let Some((next, step)) = self.step(&place, k) else {
                    continue;
                };
                if let Some(earlier) = self.ancestor(&nodes, at, &next, there) {
                    extend(path, &nodes, at, Some((earlier, next, step)));
                    return Some(End::Done);
                }
                if known.insert((next.clone(), there)) {
                    nodes.push(Seen {
                        place: next,
                        part: there,
                        from: Some((at, step)),
                    });
                }
            }
            at += 1;
        }
        None
    }

    /// The number of steps back to an earlier occurrence of the same state, if there is one.
    fn ancestor(
        &self,
        nodes: &[Seen],
        from: usize,
        next: &CellPoint,
        part: usize,
    ) -> Option<usize> {
        let control = |p: &CellPoint| &self.graph.cells[p.cell].control;
        let (mut at, mut above) = (Some(from), 0);
        while let Some(node) = at {
            let Seen {
                place,
                part: there,
                from,
            } = &nodes[node];
            let same = place.point == next.point && control(place) == control(next);
            if same && *there == part {
                return Some(above);
            }
            at = from.as_ref().map(|(p, _)| *p);
            above += 1;
        }
        None
    }

    fn trace(&self, path: &Path) -> Option<Trace> {
        let maker = self.maker();
        let located = path.places.iter().map(|p| {
            let control = &self.graph.cells[p.cell].control;
            maker.located(control, &p.point)
        });
        let located: Vec<_> = located.collect();
        let trace = Trace {
            rigid: located.first()?.rigid.clone(),
            states: located.into_iter().map(|l| l.state).collect(),
            steps: path.steps.iter().map(|(step, _)| step.clone()).collect(),
            back_to: path.back_to,
        };
        let turns: Vec<usize> = path.steps.iter().map(|(_, turn)| *turn).collect();
        unturned(self.graph.symmetry, self.system, trace, &turns)
    }

    fn maker(&self) -> RunMaker<'_, D> {
        RunMaker {
            program: self.program,
            system: self.system,
        }
    }
}

/// Appends the path to a node to a run, and a last step back to the state that many steps earlier.
fn extend(path: &mut Path, nodes: &[Seen], node: usize, back: Option<(usize, CellPoint, Taken)>) {
    let mut way = Vec::new();
    let mut at = node;
    while let Some((parent, step)) = &nodes[at].from {
        way.push((nodes[at].place.clone(), step.clone()));
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
