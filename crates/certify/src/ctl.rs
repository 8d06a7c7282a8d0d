//! Cells of states with claims about the parts of a CTL formula.
//!
//! Every claim is shown from the claims about its parts by the rule for its operator; what the
//! rules need to know about single steps is shown by the solver, once for every cell.
//!
//! | claim in a cell `c` | rule |
//! |---|---|
//! | state formula `p` | `c` implies `p` |
//! | `AX f` | all successors have `f` |
//! | `EX f` | a choice into a cell with `f` is possible in every state of `c` |
//! | `A(f U g)` | `g`; or `f`, some choice is possible, and all successors have a smaller rank |
//! | `E(f U g)` | `g`; or `f`, and a choice into cells of a smaller rank is possible |
//! | `A(f W g)` | `g`; or `f`, and all successors have the claim |
//! | `E(f W g)` | `g`; or `f`, and no step is possible, or a choice into cells with the claim is |

use crate::invariant::{Checked, Checker, Stop, is_state_formula};
use crate::replay::{check_run, holds_at};
use crate::steps::Steps;
use crate::{Claim, Obligation, Outcome, Refusal, refused};
use sectile_base::Budget;
use sectile_model::{
    CellClaim, CtlProof, Initial, Model, NormalCtl, NormalPart, Paths, Task, Trace,
    TransitionSystem,
};
use sectile_solver::{Solver, SolverError};
use sectile_terms::Term;
use std::collections::BTreeMap;

/// Checks the claims against the property, or against its negation if it is said to be violated.
///
/// Paper: none; the rules are those of sets of states closed under the operators' expansions.
pub fn check(
    task: &Task<'_>,
    claim: Claim,
    proof: &CtlProof,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let Model::System(system) = task.model else {
        return Ok(refused("cells of states are evidence about systems only"));
    };
    let positive = claim == Claim::Holds;
    let Some(formula) = NormalCtl::of_property(task.terms, &task.property.kind, positive) else {
        return Ok(refused("cells do not prove this kind of property"));
    };
    if let Err(why) = well_formed(task, system, &formula, proof) {
        return Ok(refused(&why));
    }
    let table = proof.claims.iter().map(|list| by_cell(list)).collect();
    let mut session = Session {
        task,
        formula: &formula,
        proof,
        table,
        steps: Steps::new(task.terms, system, proof),
        checker: Checker::new(task.terms, solver, budget),
    };
    let result = session.run(claim, system)?;
    Ok(session.checker.outcome(result))
}

fn by_cell(list: &[CellClaim]) -> BTreeMap<usize, &CellClaim> {
    list.iter().map(|c| (c.cell, c)).collect()
}

/// All numbers name something, and all formulas are about states.
fn well_formed(
    task: &Task<'_>,
    system: &TransitionSystem,
    formula: &NormalCtl,
    proof: &CtlProof,
) -> Result<(), String> {
    let (cells, commands) = (proof.cells.len(), system.commands.len());
    if proof.claims.len() != formula.parts.len() {
        return Err("there must be one list of claims for every part of the formula".to_string());
    }
    let claims = proof.claims.iter().flatten();
    let named = claims.clone().all(|c| c.cell < cells)
        && claims.clone().all(|c| {
            let choices = proof.cells[c.cell].choices.len();
            c.choices.iter().all(|k| *k < choices)
        });
    let initial = match &proof.initial {
        Initial::All(list) => list.iter().all(|c| *c < cells),
        Initial::One(_, _, cell) => *cell < cells,
    };
    let led = proof.cells.iter().all(|cell| {
        let successors = cell.successors.iter();
        let targets = successors.clone().flat_map(|s| &s.cells);
        let choices = cell.choices.iter();
        successors.clone().all(|s| s.command < commands)
            && targets
                .chain(choices.clone().map(|c| &c.target))
                .all(|c| *c < cells)
            && choices.clone().all(|c| c.command < commands)
    });
    if !(named && initial && led) {
        return Err("a cell, a choice or a command that is named does not exist".to_string());
    }
    for cell in &proof.cells {
        is_state_formula(task, cell.formula)?;
        for (_, value) in cell.choices.iter().flat_map(|c| &c.values) {
            is_state_formula(task, *value)?;
        }
    }
    Ok(())
}

struct Session<'s> {
    task: &'s Task<'s>,
    formula: &'s NormalCtl,
    proof: &'s CtlProof,
    table: Vec<BTreeMap<usize, &'s CellClaim>>,
    steps: Steps<'s>,
    checker: Checker<'s>,
}

impl Session<'_> {
    fn run(&mut self, claim: Claim, system: &TransitionSystem) -> Checked {
        if let Err(stop) = self.initial(claim, system)? {
            return Ok(Err(stop));
        }
        for part in 0..self.formula.parts.len() {
            for claim in &self.proof.claims[part] {
                if let Err(stop) = self.claim(part, claim)? {
                    return Ok(Err(stop));
                }
            }
        }
        Ok(Ok(()))
    }

    fn initial(&mut self, claim: Claim, system: &TransitionSystem) -> Checked {
        let root = &self.table[self.formula.root()];
        let proof = self.proof;
        match (&proof.initial, claim) {
            (Initial::All(cells), Claim::Holds) => {
                if let Some(cell) = cells.iter().find(|c| !root.contains_key(c)) {
                    let because = format!("the formula is not claimed in the initial cell {cell}");
                    return Ok(Err(stop(Obligation::Initiation, because)));
                }
                let init = system.init_formula(self.task.terms);
                let inside = cells.iter().map(|&c| proof.cells[c].formula);
                let inside = self.task.terms.or(inside);
                self.checker
                    .implies(Obligation::Initiation, &[init], inside)
            }
            (Initial::One(rigid, state, cell), Claim::Violated) => {
                // An initial state is a run without steps.
                let run = Trace {
                    rigid: rigid.clone(),
                    states: vec![state.clone()],
                    steps: Vec::new(),
                    back_to: None,
                };
                if let Err(refusal) = check_run(self.task, &run) {
                    return Ok(Err(Stop::Refused(refusal)));
                }
                let inside = holds_at(self.task, &run, 0, proof.cells[*cell].formula);
                if !inside || !root.contains_key(cell) {
                    let because = format!(
                        "the formula is not claimed in cell {cell}, or the state is not in it"
                    );
                    return Ok(Err(stop(Obligation::Start, because)));
                }
                Ok(Ok(()))
            }
            _ => {
                let because = "all initial states are needed for `holds`, one for `violated`";
                Ok(Err(stop(Obligation::Shape, because.to_string())))
            }
        }
    }

    /// The rule for one claim.
    fn claim(&mut self, part: usize, claim: &CellClaim) -> Checked {
        let has =
            |table: &[BTreeMap<usize, &CellClaim>], f: usize| table[f].contains_key(&claim.cell);
        let fail = |because: &str| Ok(Err(stop(self.obligation(part, claim), because.to_string())));
        match self.formula.parts[part] {
            NormalPart::State(p) => self.state(part, claim, p),
            NormalPart::And(a, b) => match has(&self.table, a) && has(&self.table, b) {
                true => Ok(Ok(())),
                false => fail("one of its parts is not claimed"),
            },
            NormalPart::Or(a, b) => match has(&self.table, a) || has(&self.table, b) {
                true => Ok(Ok(())),
                false => fail("none of its parts is claimed"),
            },
            NormalPart::Next(Paths::All, f) => {
                self.all_next(part, claim, |s, c| s.table[f].contains_key(&c))
            }
            NormalPart::Next(Paths::Some, f) => {
                self.some_next(part, claim, |s, c| s.table[f].contains_key(&c))
            }
            NormalPart::Until(_, _, g) | NormalPart::Weak(_, _, g) if has(&self.table, g) => {
                Ok(Ok(()))
            }
            NormalPart::Until(_, f, _) | NormalPart::Weak(_, f, _) if !has(&self.table, f) => {
                fail("neither of its parts is claimed")
            }
            NormalPart::Until(Paths::All, ..) => {
                if let Err(stop) = self.some_next(part, claim, |_, _| true)? {
                    return Ok(Err(stop));
                }
                self.all_next(part, claim, |s, c| s.lower(part, claim, c))
            }
            NormalPart::Until(Paths::Some, ..) => {
                self.some_next(part, claim, |s, c| s.lower(part, claim, c))
            }
            NormalPart::Weak(Paths::All, ..) => {
                self.all_next(part, claim, |s, c| s.table[part].contains_key(&c))
            }
            NormalPart::Weak(Paths::Some, ..) => {
                let stuck = self.proof.cells[claim.cell].successors.is_empty();
                if stuck && claim.choices.is_empty() {
                    self.closed(claim.cell)
                } else {
                    self.some_next(part, claim, |s, c| s.table[part].contains_key(&c))
                }
            }
        }
    }

    fn obligation(&self, part: usize, claim: &CellClaim) -> Obligation {
        Obligation::Claim {
            part,
            cell: claim.cell,
        }
    }

    fn lower(&self, part: usize, claim: &CellClaim, cell: usize) -> bool {
        self.table[part]
            .get(&cell)
            .is_some_and(|c| c.rank < claim.rank)
    }

    fn state(&mut self, part: usize, claim: &CellClaim, p: Term) -> Checked {
        let obligation = self.obligation(part, claim);
        if p == self.task.terms.tt() {
            return Ok(Ok(()));
        }
        self.steps
            .implies(&mut self.checker, obligation, claim.cell, p)
    }

    /// All successors satisfy the condition.
    fn all_next(
        &mut self,
        part: usize,
        claim: &CellClaim,
        fits: impl Fn(&Self, usize) -> bool,
    ) -> Checked {
        let successors = &self.proof.cells[claim.cell].successors;
        let mut targets = successors.iter().flat_map(|s| s.cells.iter().copied());
        if let Some(odd) = targets.find(|&c| !fits(self, c)) {
            let because = format!(
                "it is not claimed in cell {odd}, which may come next, with the rank needed"
            );
            return Ok(Err(stop(self.obligation(part, claim), because)));
        }
        self.closed(claim.cell)
    }

    /// In every state of the cell one of the claim's choices is possible, and all of them lead to
    /// cells that satisfy the condition.
    fn some_next(
        &mut self,
        part: usize,
        claim: &CellClaim,
        fits: impl Fn(&Self, usize) -> bool,
    ) -> Checked {
        let cell = &self.proof.cells[claim.cell];
        let mut targets = claim.choices.iter().map(|&k| cell.choices[k].target);
        let obligation = self.obligation(part, claim);
        if let Some(odd) = targets.find(|&c| !fits(self, c)) {
            let because = format!(
                "it is not claimed in cell {odd}, which is chosen next, with the rank needed"
            );
            return Ok(Err(stop(obligation, because)));
        }
        self.steps
            .possible(&mut self.checker, obligation, claim.cell, &claim.choices)
    }

    fn closed(&mut self, cell: usize) -> Checked {
        self.steps.closed(&mut self.checker, cell)
    }
}

fn stop(obligation: Obligation, because: String) -> Stop {
    Stop::Refused(Refusal {
        obligation,
        because,
    })
}
