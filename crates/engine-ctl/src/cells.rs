//! Cells: sets of states in which every state formula of the property has one value, with the steps
//! between them.

use crate::reach::{Reached, Turns};
use crate::representative::turned_control;
use crate::symmetry::{STAY, Symmetry, Turn};
use rustc_hash::FxHashMap;
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::{Domain, uncovered};
use sectile_domains::guarded::program::{Control, Program, StateCube};
use sectile_terms::Term;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of states.
#[derive(Clone, Debug)]
pub struct CellSet<D> {
    /// The values of the discrete variables.
    pub control: Control,
    /// The numbers.
    pub set: Rc<D>,
    /// The node that contains it.
    pub node: usize,
    /// Its number in pictures: when a cell is cut, one piece keeps it.
    pub id: usize,
    /// Whether some successors may lie in no cell.
    pub open: bool,
    /// Whether no step is possible in any of its states; if not, some step is possible in every
    /// state.
    pub stuck: bool,
    /// The value of each state formula.
    pub truth: Vec<bool>,
}

/// Steps of one case from one cell to another.
#[derive(Clone, Debug)]
pub struct Edge<D> {
    /// The case.
    pub case: usize,
    /// The target cell.
    pub target: usize,
    /// The turn after which the successor states are in that cell.
    pub turn: usize,
    /// The states of the cell from which the step leads there.
    pub part: CellPart<D>,
}

/// Some states of a cell.
#[derive(Clone, Debug)]
pub enum CellPart<D> {
    /// All of them.
    All,
    /// At least these.
    Some(D),
    /// Unknown ones.
    Unknown,
}

/// A state formula with its cubes, or with those of its negation.
pub struct Watched<D: Domain> {
    /// The state formula.
    pub formula: Term,
    /// The cubes of the formula or of its negation.
    pub cubes: Vec<StateCube<D>>,
    /// Whether these are the cubes of the negation.
    pub negated: bool,
}

/// Cells with the steps between them.
pub struct CellGraph<'g, D> {
    /// The symmetry of the system.
    pub symmetry: &'g Symmetry<'g>,
    turns: Turns,
    /// The controls of initial nodes, with the turns that lead to them.
    pub starts: Vec<(Control, usize)>,
    /// The cells.
    pub cells: Vec<CellSet<D>>,
    /// The edges from each cell.
    pub edges: Vec<Vec<Edge<D>>>,
    /// The state formulas, by their position in [`CellSet::truth`].
    pub formulas: BTreeMap<Term, usize>,
    /// The latest splits: the number of the whole cell, and the positions of its pieces.
    pub splits: Vec<(usize, usize)>,
    /// The next unused number.
    fresh: usize,
}

impl<'g, D: Domain> CellGraph<'g, D> {
    /// Cuts the reached states into cells and computes the steps between them.
    pub fn new(
        program: &Program<'_, D>,
        symmetry: &'g Symmetry<'g>,
        reached: &Reached<D>,
        watched: &[Watched<D>],
        budget: &Budget,
    ) -> Result<CellGraph<'g, D>, Exhausted> {
        let mut cells = Vec::new();
        let nodes = reached.nodes.iter().enumerate();
        for (index, node) in nodes.filter(|(_, n)| n.kept) {
            budget.poll()?;
            let whole = CellSet {
                control: node.control.clone(),
                set: node.set.clone(),
                node: index,
                id: index,
                open: !node.expanded,
                stuck: false,
                truth: Vec::new(),
            };
            let parts = cut_by_formulas(whole, watched);
            cells.extend(parts.into_iter().flat_map(|c| cut_by_steps(program, c)));
        }
        let formulas = watched.iter().enumerate();
        let mut graph = CellGraph {
            symmetry,
            turns: reached.turns.clone(),
            starts: reached.starts.iter().cloned().collect(),
            cells,
            edges: Vec::new(),
            formulas: formulas.map(|(i, w)| (w.formula, i)).collect(),
            splits: Vec::new(),
            fresh: reached.nodes.len(),
        };
        graph.number_pieces();
        graph.connect(program, budget)?;
        Ok(graph)
    }

    /// Gives consecutive pieces of one cell different numbers.
    pub fn number_pieces(&mut self) {
        self.splits.clear();
        let mut whole = None;
        for (place, cell) in self.cells.iter_mut().enumerate() {
            if whole == Some(cell.id) {
                self.splits.push((cell.id, place));
                cell.id = self.fresh;
                self.fresh += 1;
            } else {
                whole = Some(cell.id);
            }
        }
    }

    /// Whether a state formula holds in a cell.
    pub fn holds(&self, cell: usize, formula: Term) -> bool {
        let position = self.formulas.get(&formula);
        position.is_some_and(|&p| self.cells[cell].truth[p])
    }

    /// Computes the steps between the cells.
    pub fn connect(&mut self, program: &Program<'_, D>, budget: &Budget) -> Result<(), Exhausted> {
        let mut places: FxHashMap<Control, Vec<usize>> = FxHashMap::default();
        for (i, cell) in self.cells.iter().enumerate() {
            places.entry(cell.control.clone()).or_default().push(i);
        }
        self.edges.clear();
        for i in 0..self.cells.len() {
            let edges = self.edges_of(program, i, &places);
            let cases = program.cases_at(&self.cells[i].control).count() + 3 * edges.len();
            self.edges.push(edges);
            budget.poll_for(cases as u64 * D::EFFORT)?;
        }
        Ok(())
    }

    fn edges_of(
        &self,
        program: &Program<'_, D>,
        index: usize,
        places: &FxHashMap<Control, Vec<usize>>,
    ) -> Vec<Edge<D>> {
        let cell = &self.cells[index];
        let mut edges = Vec::new();
        for (k, case) in program.cases_at(&cell.control) {
            let Some(guarded) = case.guarded(&cell.set) else {
                continue;
            };
            let image = guarded.image(&case.sources);
            let dimensions = cell.set.variables();
            let edge = |target: usize, turn: usize, whole: &D| Edge {
                case: k,
                target,
                turn,
                part: match whole.surely_projected(dimensions) {
                    Some(part) if part.includes(&cell.set) => CellPart::All,
                    Some(part) => CellPart::Some(part),
                    None => CellPart::Unknown,
                },
            };
            for (nth, control) in case.controls(&cell.control).into_iter().enumerate() {
                let place = (cell.node, k, nth);
                let number = self.turns.get(&place).copied().unwrap_or(STAY);
                let turn = self.symmetry.turn(number);
                let control = match number {
                    STAY => control,
                    _ => turned_control(&turn, &control),
                };
                let Some(targets) = places.get(&control) else {
                    continue;
                };
                let sources = turned_sources(&turn, number, &case.sources);
                let image = match number {
                    STAY => Cow::Borrowed(&image),
                    _ => Cow::Owned(guarded.image(&sources)),
                };
                let whole = targets
                    .iter()
                    .find(|&&t| self.cells[t].set.includes(&image));
                if let Some(&target) = whole {
                    edges.push(edge(target, number, &guarded));
                    continue;
                }
                for &target in targets {
                    let set = &self.cells[target].set;
                    if !set.meets(&image) {
                        continue;
                    }
                    if let Some(before) = set.preimage(&guarded, &sources) {
                        edges.push(edge(target, number, &before));
                    }
                }
            }
        }
        edges
    }

    /// Cuts cells so that more steps are possible in all states of a cell or in none; false if no
    /// cut is possible.
    pub fn refine(&mut self, program: &Program<'_, D>, budget: &Budget) -> Result<bool, Exhausted> {
        let mut cells = Vec::new();
        let mut changed = false;
        for (i, cell) in self.cells.iter().enumerate() {
            let cut = self.edges[i].iter().find_map(|e| match &e.part {
                CellPart::Some(part) => Some(part),
                CellPart::All | CellPart::Unknown => None,
            });
            let Some(part) = cut else {
                cells.push(cell.clone());
                continue;
            };
            changed = true;
            let pieces = cell.set.minus(part).into_iter().chain([part.clone()]);
            let pieces = pieces.filter(|set| !set.is_surely_empty());
            cells.extend(pieces.map(|set| CellSet {
                set: Rc::new(set),
                ..cell.clone()
            }));
        }
        self.cells = cells;
        self.number_pieces();
        self.connect(program, budget)?;
        Ok(changed)
    }
}

/// The assignments of a case, followed by a turn.
pub fn turned_sources<'s, S: Clone>(turn: &Turn, number: usize, sources: &'s [S]) -> Cow<'s, [S]> {
    match number {
        STAY => Cow::Borrowed(sources),
        _ => Cow::Owned(Turn::placed(&turn.numeric, sources)),
    }
}

/// Cuts a cell so that every formula has one value in each piece.
fn cut_by_formulas<D: Domain>(cell: CellSet<D>, watched: &[Watched<D>]) -> Vec<CellSet<D>> {
    let mut parts = vec![cell];
    for formula in watched {
        let mut next = Vec::new();
        for part in parts {
            let inside: Vec<D> = formula
                .cubes
                .iter()
                .filter_map(|c| c.within(&part.control, &part.set))
                .collect();
            for (set, value) in divided(&part.set, &inside) {
                let mut cut = part.clone();
                cut.set = set;
                cut.truth.push(value != formula.negated);
                next.push(cut);
            }
        }
        parts = next;
    }
    parts
}

/// A set as disjoint parts, inside and outside a union of sets.
fn divided<D: Domain>(set: &Rc<D>, inside: &[D]) -> Vec<(Rc<D>, bool)> {
    if inside.is_empty() {
        return vec![(set.clone(), false)];
    }
    if inside.iter().any(|s| s == &**set) {
        return vec![(set.clone(), true)];
    }
    let mut parts = Vec::new();
    for (i, part) in inside.iter().enumerate() {
        let fresh = uncovered(part, &inside[..i]);
        parts.extend(fresh.into_iter().map(|s| (Rc::new(s), true)));
    }
    let rest = uncovered(&**set, inside);
    parts.extend(rest.into_iter().map(|s| (Rc::new(s), false)));
    parts.retain(|(s, _)| !s.is_surely_empty());
    parts
}

/// Cuts a cell so that each piece has a step either from all states or from none.
fn cut_by_steps<D: Domain>(program: &Program<'_, D>, cell: CellSet<D>) -> Vec<CellSet<D>> {
    let cases = program.cases_at(&cell.control);
    let possible: Vec<D> = cases.filter_map(|(_, c)| c.enabled(&cell.set)).collect();
    let parts = divided(&cell.set, &possible);
    let cut = |(set, moves): (Rc<D>, bool)| CellSet {
        set,
        stuck: !moves,
        ..cell.clone()
    };
    parts.into_iter().map(cut).collect()
}
