//! The evidence: cells for all reachable states, and one for each way.

use super::search::{Covered, Found, Taken};
use super::shape::{Clause, Shape};
use sectile_model::{
    Cell, CellClaim, Choice, CtlProof, Initial, LocationId, NormalPart, Successors, Task,
};
use sectile_terms::Term;

/// Cells with claims.
///
/// The first cells together are the invariant: every step from them leads into them. In each of
/// them one of the ways can be taken, unless the literals of the cell suffice.
pub fn proof(task: &Task<'_>, shape: &Shape, found: &Found) -> CtlProof {
    let terms = task.terms;
    let all = told_apart(shape, found);
    let everywhere: Vec<usize> = (0..all.len()).collect();
    let mut proof = CtlProof {
        cells: Vec::new(),
        renamings: Vec::new(),
        images: Vec::new(),
        claims: vec![Vec::new(); shape.formula.parts.len()],
        initial: Initial::All(everywhere.clone()),
    };
    for told in &all {
        let literal = |(&part, &holds): (&usize, &bool)| {
            let formula = shape.state(part).unwrap_or(terms.tt());
            if holds { formula } else { terms.not(formula) }
        };
        let literals = found.split.iter().zip(told).map(literal);
        let formula = terms.and([found.invariant].into_iter().chain(literals));
        let successors = (0..task.model.edges.len()).map(|command| Successors {
            command,
            cells: everywhere.clone(),
        });
        proof.cells.push(Cell {
            successors: successors.collect(),
            ..alone(formula)
        });
    }
    let mut first = Vec::new();
    for covered in &found.covered {
        let offset = proof.cells.len();
        first.push(offset);
        for way in &covered.ways {
            let mut cell = alone(way.formula);
            let steps = way.step.iter();
            cell.choices.extend(steps.map(|step| choice(step, offset)));
            proof.cells.push(cell);
        }
    }
    let mut maker = Maker {
        shape,
        found,
        first,
        everything: terms.tt(),
        proof,
    };
    for (cell, told) in all.iter().enumerate() {
        maker.claims_of_all(cell, told);
    }
    for clause in 0..shape.clauses.len() {
        maker.claims_of_ways(clause);
    }
    maker.proof
}

/// All combinations of truth values of the splitting parts that some state may have. If none of the
/// parts of a clause holds and the clause has no ways with steps, the invariant excludes the
/// combination.
fn told_apart(shape: &Shape, found: &Found) -> Vec<Vec<bool>> {
    let split = &found.split;
    let all = (0..1_usize << split.len()).map(|cell| {
        let told = (0..split.len()).map(|k| cell >> k & 1 == 1);
        told.collect::<Vec<bool>>()
    });
    let shown = |told: &[bool], clause: &Clause, covered: &Covered| {
        let holds = |part: usize| {
            split
                .iter()
                .zip(told)
                .any(|(&p, &holds)| p == part && holds)
        };
        let goal = clause.goal.map(|(_, goal)| goal);
        let mut parts = clause.states.iter().copied().chain(goal);
        parts.any(holds) || covered.ways.iter().any(|w| w.step.is_some())
    };
    let allowed = |told: &Vec<bool>| {
        let mut clauses = shape.clauses.iter().zip(&found.covered);
        clauses.all(|(clause, covered)| shown(told, clause, covered))
    };
    all.filter(allowed).collect()
}

fn alone(formula: Term) -> Cell {
    Cell {
        location: LocationId(0),
        formula,
        successors: Vec::new(),
        choices: Vec::new(),
    }
}

fn choice((command, values, into): &Taken, offset: usize) -> Choice {
    Choice {
        command: *command,
        values: values.clone(),
        target: offset + into,
    }
}

fn claim(cell: usize, rank: u64, choices: Vec<usize>) -> CellClaim {
    CellClaim {
        cell,
        rank,
        measures: Vec::new(),
        choices,
    }
}

struct Maker<'f> {
    shape: &'f Shape,
    found: &'f Found,
    /// For each clause, the cell of its goal; the cells of its ways follow.
    first: Vec<usize>,
    everything: Term,
    proof: CtlProof,
}

impl Maker<'_> {
    /// Adds the claims about a cell of reachable states.
    fn claims_of_all(&mut self, cell: usize, told: &[bool]) {
        let parts = &self.shape.formula.parts;
        let mut claimed = vec![false; parts.len()];
        for (part, &what) in parts.iter().enumerate() {
            let (mut rank, mut choices) = (0, Vec::new());
            claimed[part] = match what {
                NormalPart::State(p) => {
                    let mut split = self.found.split.iter().zip(told);
                    p == self.everything || split.any(|(&s, &holds)| s == part && holds)
                }
                NormalPart::And(a, b) => claimed[a] && claimed[b],
                NormalPart::Or(a, b) => claimed[a] || claimed[b],
                NormalPart::Until(_, _, goal) => {
                    if !claimed[goal] && !self.by_state(part, &claimed) {
                        (rank, choices) = self.ways_from(cell, part);
                    }
                    claimed[goal] || !choices.is_empty()
                }
                NormalPart::Weak(_, body, _) => claimed[body],
                NormalPart::Next(..) => false,
            };
            if claimed[part] {
                self.proof.claims[part].push(claim(cell, rank, choices));
            }
        }
    }

    /// Whether the clause of a goal holds in a cell regardless of what can be reached.
    fn by_state(&self, goal: usize, claimed: &[bool]) -> bool {
        let clauses = self.shape.clauses.iter();
        let mut own = clauses.filter(|c| c.goal.is_some_and(|(part, _)| part == goal));
        own.any(|c| c.states.iter().any(|&s| claimed[s]))
    }

    /// Lets all ways to a goal begin in a cell. Returns the rank and the choices.
    fn ways_from(&mut self, cell: usize, part: usize) -> (u64, Vec<usize>) {
        let clauses = self.shape.clauses.iter();
        let own = |c: &Clause| c.goal.is_some_and(|(until, _)| until == part);
        let Some(clause) = { clauses }.position(own) else {
            return (0, Vec::new());
        };
        let ways = &self.found.covered[clause].ways;
        let steps = ways.iter().filter_map(|w| w.step.as_ref());
        let steps = steps.map(|step| choice(step, self.first[clause]));
        let steps: Vec<Choice> = steps.collect();
        let choices = &mut self.proof.cells[cell].choices;
        let before = choices.len();
        choices.extend(steps);
        let rank = ways.iter().map(|w| w.rank).max().unwrap_or(0) + 1;
        (rank, (before..choices.len()).collect())
    }

    /// Adds the claims about the cells of the ways of a clause.
    fn claims_of_ways(&mut self, clause: usize) {
        let Some((until, goal)) = self.shape.clauses[clause].goal else {
            return;
        };
        for (k, way) in self.found.covered[clause].ways.iter().enumerate() {
            let cell = self.first[clause] + k;
            let claims = &mut self.proof.claims;
            match (&way.step, self.shape.formula.parts[until]) {
                (Some(_), NormalPart::Until(_, before, _)) => {
                    claims[before].push(claim(cell, 0, Vec::new()));
                    claims[until].push(claim(cell, way.rank, vec![0]));
                }
                _ => {
                    claims[goal].push(claim(cell, 0, Vec::new()));
                    claims[until].push(claim(cell, 0, Vec::new()));
                }
            }
        }
    }
}
