//! Sizes of the parts of a system, as diagrams and sets of numbers.

use crate::poly::algebra::Algebra;
use crate::poly::diagrams::Diagrams;
use crate::poly::pairs::Pairs;
use sectile_base::{Budget, Exhausted};
use sectile_domains::bdd::{Bdd, Manager};
use sectile_domains::domain::Domain;
use sectile_engine::Run;
use std::collections::BTreeSet;

/// The size of a set of states or steps.
///
/// Paper: [YaMe, Table 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of nodes of its decision diagrams.
    pub nodes: usize,
    /// Number of sets of numbers.
    pub polyhedra: usize,
    /// Number of equations and inequalities of these sets.
    pub constraints: usize,
    /// Number of diagrams, each with the sets of numbers that belong to it.
    pub disjuncts: usize,
}

impl Size {
    fn of<D: Domain>(m: &Manager, pairs: &[(Bdd, Option<&D>)]) -> Size {
        let diagrams: BTreeSet<Bdd> = pairs.iter().map(|p| p.0).collect();
        let sets = pairs.iter().filter_map(|p| p.1);
        Size {
            nodes: diagrams.iter().map(|&d| m.size(d)).sum(),
            polyhedra: sets.clone().count(),
            constraints: sets.map(|s| s.constraints().len()).sum(),
            disjuncts: diagrams.len(),
        }
    }
}

/// The sizes of the parts of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The restriction of all states.
    pub space: Size,
    /// The initial states.
    pub initial: Size,
    /// The steps; the next value of every number counts as one equation.
    pub steps: Size,
}

impl Sizes {
    /// The sizes of a system represented by diagrams.
    pub fn of<D: Domain>(diagrams: &Diagrams<'_, D>, budget: &Budget) -> Result<Sizes, Exhausted> {
        let program = diagrams.program();
        let initial = diagrams.cubes(&program.init, budget)?;
        let states = |pairs: &Pairs<D>| {
            let list: Vec<_> = pairs.list.iter().map(|(d, s)| (*d, Some(s))).collect();
            Size::of(&diagrams.manager(), &list)
        };
        let steps = Size::of(&diagrams.manager(), &diagrams.relations());
        Ok(Sizes {
            space: states(diagrams.all()),
            initial: states(&initial),
            steps: Size {
                constraints: steps.constraints + steps.polyhedra * program.numeric.len(),
                ..steps
            },
        })
    }

    /// Reports them as counters.
    pub fn tell(&self, run: &mut Run<'_>) {
        let names = [
            [
                "space_bdd",
                "space_polyhedra",
                "space_constraints",
                "space_disjuncts",
            ],
            [
                "initial_bdd",
                "initial_polyhedra",
                "initial_constraints",
                "initial_disjuncts",
            ],
            [
                "steps_bdd",
                "steps_polyhedra",
                "steps_constraints",
                "steps_disjuncts",
            ],
        ];
        for (names, size) in names.iter().zip([self.space, self.initial, self.steps]) {
            let values = [size.nodes, size.polyhedra, size.constraints, size.disjuncts];
            for (name, value) in names.iter().zip(values) {
                run.count(name, value as u64);
            }
        }
    }
}
