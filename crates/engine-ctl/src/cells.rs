//! Cells: sets of states in which every state formula of the property has one value, and the
//! steps between them.

use crate::program::{Control, Program, StateCube};
use crate::reach::Reached;
use rustc_hash::FxHashMap;
use sectile_base::{Budget, Exhausted};
use sectile_domains::zone::{Zone, uncovered};
use sectile_terms::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of states.
#[derive(Clone, Debug)]
pub struct CellSet {
    /// The values of the discrete variables.
    pub control: Control,
    /// The numbers.
    pub zone: Rc<Zone>,
    /// Whether some of its successors may be in no cell.
    pub open: bool,
    /// Whether no step is possible in any of its states; otherwise one is in every state.
    pub stuck: bool,
    /// The value of each state formula.
    pub truth: Vec<bool>,
}

/// Steps of one case from a cell into another one.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The case.
    pub case: usize,
    /// The cell it leads to.
    pub target: usize,
    /// The states of the cell from which it leads there; all of them, if there is nothing here.
    pub part: Option<Zone>,
}

/// A state formula with its cubes, or with those of its negation.
pub struct Watched {
    /// The formula.
    pub formula: Term,
    /// Its states, or all others.
    pub cubes: Vec<StateCube>,
    /// Whether the cubes are those of the negation.
    pub negated: bool,
}

/// Cells with the steps between them.
pub struct CellGraph {
    /// The cells.
    pub cells: Vec<CellSet>,
    /// The steps from each cell.
    pub edges: Vec<Vec<Edge>>,
    /// The state formulas, by their position in [`CellSet::truth`].
    pub formulas: BTreeMap<Term, usize>,
}

impl CellGraph {
    /// Cuts what was reached into cells and finds the steps between them.
    pub fn new(
        program: &Program<'_>,
        reached: &Reached,
        watched: &[Watched],
        budget: &Budget,
    ) -> Result<CellGraph, Exhausted> {
        let mut cells = Vec::new();
        for node in reached.kept() {
            budget.poll()?;
            let whole = CellSet {
                control: node.control.clone(),
                zone: node.zone.clone(),
                open: !node.expanded,
                stuck: false,
                truth: Vec::new(),
            };
            let parts = cut_by_formulas(whole, watched);
            cells.extend(parts.into_iter().flat_map(|c| cut_by_steps(program, c)));
        }
        let formulas = watched.iter().enumerate();
        let mut graph = CellGraph {
            cells,
            edges: Vec::new(),
            formulas: formulas.map(|(i, w)| (w.formula, i)).collect(),
        };
        graph.connect(program, budget)?;
        Ok(graph)
    }

    /// Whether a state formula holds in a cell.
    pub fn holds(&self, cell: usize, formula: Term) -> bool {
        let position = self.formulas.get(&formula);
        position.is_some_and(|&p| self.cells[cell].truth[p])
    }

    /// Finds the steps between the cells.
    fn connect(&mut self, program: &Program<'_>, budget: &Budget) -> Result<(), Exhausted> {
        let mut places: FxHashMap<Control, Vec<usize>> = FxHashMap::default();
        for (i, cell) in self.cells.iter().enumerate() {
            places.entry(cell.control.clone()).or_default().push(i);
        }
        self.edges.clear();
        for i in 0..self.cells.len() {
            budget.poll()?;
            self.edges.push(self.edges_of(program, i, &places));
        }
        Ok(())
    }

    fn edges_of(
        &self,
        program: &Program<'_>,
        index: usize,
        places: &FxHashMap<Control, Vec<usize>>,
    ) -> Vec<Edge> {
        let cell = &self.cells[index];
        let mut edges = Vec::new();
        for (k, case) in program.cases_at(&cell.control) {
            let Some(guarded) = case.guarded(&cell.zone) else {
                continue;
            };
            let image = guarded.image(&case.sources);
            let dimensions = cell.zone.variables();
            let edge = |target: usize, part: Zone| Edge {
                case: k,
                target,
                part: (part != *cell.zone).then_some(part),
            };
            for control in case.controls(&cell.control) {
                let Some(targets) = places.get(&control) else {
                    continue;
                };
                let whole = targets
                    .iter()
                    .find(|&&t| self.cells[t].zone.includes(&image));
                if let Some(&target) = whole {
                    edges.push(edge(target, guarded.projected(dimensions)));
                    continue;
                }
                for &target in targets {
                    let zone = &self.cells[target].zone;
                    if !zone.meets(&image) {
                        continue;
                    }
                    if let Some(before) = zone.preimage(&guarded, &case.sources) {
                        edges.push(edge(target, before.projected(dimensions)));
                    }
                }
            }
        }
        edges
    }

    /// Cuts cells so that more steps are possible in all states of a cell or in none; false if
    /// there is nothing to cut.
    pub fn refine(
        &mut self,
        program: &Program<'_>,
        wanted: &dyn Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let mut cells = Vec::new();
        let mut changed = false;
        for (i, cell) in self.cells.iter().enumerate() {
            let cut = self.edges[i].iter().find_map(|e| e.part.as_ref());
            match cut {
                Some(part) if wanted(i) => {
                    changed = true;
                    let outside = cell.zone.minus(part);
                    for zone in outside.into_iter().chain([part.clone()]) {
                        let zone = Rc::new(zone);
                        cells.push(CellSet {
                            zone,
                            ..cell.clone()
                        });
                    }
                }
                _ => cells.push(cell.clone()),
            }
        }
        self.cells = cells;
        self.connect(program, budget)?;
        Ok(changed)
    }
}

/// Cuts a cell so that every formula has one value in each part.
fn cut_by_formulas(cell: CellSet, watched: &[Watched]) -> Vec<CellSet> {
    let mut parts = vec![cell];
    for formula in watched {
        let mut next = Vec::new();
        for part in parts {
            let inside: Vec<Zone> = formula
                .cubes
                .iter()
                .filter_map(|c| c.within(&part.control, &part.zone))
                .collect();
            for (zone, value) in divided(&part.zone, &inside) {
                let mut cut = part.clone();
                cut.zone = zone;
                cut.truth.push(value != formula.negated);
                next.push(cut);
            }
        }
        parts = next;
    }
    parts
}

/// A zone as disjoint parts, inside and outside of a union.
fn divided(zone: &Rc<Zone>, inside: &[Zone]) -> Vec<(Rc<Zone>, bool)> {
    if inside.is_empty() {
        return vec![(zone.clone(), false)];
    }
    if inside.iter().any(|z| z == &**zone) {
        return vec![(zone.clone(), true)];
    }
    let mut parts = Vec::new();
    for (i, part) in inside.iter().enumerate() {
        let fresh = uncovered(part, &inside[..i]);
        parts.extend(fresh.into_iter().map(|z| (Rc::new(z), true)));
    }
    let rest = uncovered(zone, inside);
    parts.extend(rest.into_iter().map(|z| (Rc::new(z), false)));
    parts
}

/// Cuts a cell so that a step is possible in all states of a part or in none.
fn cut_by_steps(program: &Program<'_>, cell: CellSet) -> Vec<CellSet> {
    let cases = program.cases_at(&cell.control);
    let possible: Vec<Zone> = cases.filter_map(|(_, c)| c.enabled(&cell.zone)).collect();
    let parts = divided(&cell.zone, &possible);
    let cut = |(zone, moves): (Rc<Zone>, bool)| CellSet {
        zone,
        stuck: !moves,
        ..cell.clone()
    };
    parts.into_iter().map(cut).collect()
}
