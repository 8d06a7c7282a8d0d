//! Checks cells of states with claims about the parts of a CTL formula.
//!
//! Every claim is proved from the claims about its parts by the rule for its operator; the facts
//! about single steps that the rules need are proved once per cell: by evaluation if the cell is a
//! single state, and by the solver otherwise. In program graphs every cell has a location, at which
//! the formula is read, and only the edges that leave the location are considered.
//!
//! | claim in a cell `c` | rule |
//! |---|---|
//! | state formula `p` | `c` implies `p` |
//! | `AX f` | all successors have `f` |
//! | `EX f` | a choice into a cell with `f` is possible in every state of `c` |
//! | `A(f U g)` | `g`; or `f`, some choice is possible, and all steps go down |
//! | `E(f U g)` | `g`; or `f`, and a choice that goes down is possible |
//! | `A(f W g)` | `g`; or `f`, and all successors have the claim |
//! | `E(f W g)` | `g`; or `f`, and no step is possible, or a choice into cells with the claim is |
//!
//! A step goes down if it leads to a cell of a smaller rank, or of the same rank and the measures go
//! down, see `measures`.

use crate::checker::{Checked, Checker, Stop};
use crate::ctl_renamings::Renamings;
use crate::invariant::is_state_formula;
use crate::measures::falls;
use crate::replay::{check_run, holds_at};
use crate::states::States;
use crate::steps::Steps;
use crate::{Claim, Obligation};
use sectile_model::{
    CellClaim, CtlProof, Initial, LocationId, NormalCtl, NormalPart, Paths, Task, Trace,
};
use sectile_terms::{Sort, Term};
use std::cmp::Ordering;

/// Checks the claims against the property, or against its negation for a violation.
///
/// Paper: none; the rules are those of sets of states closed under the operators' expansions.
pub fn check(
    task: &Task<'_>,
    claim: Claim,
    proof: &CtlProof,
    checker: &mut Checker<'_>,
) -> Checked {
    let formulas = Formulas::new(task, claim == Claim::Holds)?;
    if !task.model.is_linear() {
        return Err(Stop::shape("cells do not support edges with premises"));
    }
    let formula = formulas.at(task.model.entry);
    let states = States::new(task.terms, task.model, proof);
    well_formed(task, formula, proof, &states)?;
    let renamings = Renamings::new(task, formula, proof).map_err(Stop::shape)?;
    let cells = proof.cells.len();
    let claims = proof.claims.iter();
    let table = claims.map(|list| by_cell(list, cells)).collect();
    let mut session = Session {
        task,
        formula,
        formulas: &formulas,
        proof,
        table,
        steps: Steps::new(task.terms, task.model, proof, &renamings.formulas, states),
        renamings: &renamings,
    };
    session.run(claim, checker)
}

/// The formula at every location. The parts are the same everywhere; only the state formulas
/// differ.
pub struct Formulas(Vec<NormalCtl>);

impl Formulas {
    /// For the property, or for its negation.
    pub fn new(task: &Task<'_>, positive: bool) -> Checked<Formulas> {
        let kind = &task.property.kind;
        let at = |l| NormalCtl::of_property_at(task.terms, kind, positive, l);
        let locations = (0..task.model.locations.len()).map(LocationId);
        let list: Option<Vec<NormalCtl>> = locations.map(at).collect();
        let list = list.ok_or_else(|| Stop::shape("cells do not prove this kind of property"))?;
        Ok(Formulas(list))
    }

    pub fn at(&self, location: LocationId) -> &NormalCtl {
        &self.0[location.0]
    }
}

/// The claim of every cell, if there is one.
fn by_cell(list: &[CellClaim], cells: usize) -> Vec<Option<&CellClaim>> {
    let mut table = vec![None; cells];
    for claim in list {
        table[claim.cell] = Some(claim);
    }
    table
}

/// Checks that all indices are in range and all formulas are about states.
fn well_formed(
    task: &Task<'_>,
    formula: &NormalCtl,
    proof: &CtlProof,
    states: &States<'_>,
) -> Checked {
    let (commands, locations) = (task.model.edges.len(), task.model.locations.len());
    let cells = proof.cells.len();
    if proof.cells.iter().any(|c| c.location.0 >= locations) {
        return Err(Stop::shape("a cell is at a location that does not exist"));
    }
    if proof.claims.len() != formula.parts.len() {
        return Err(Stop::shape(
            "there must be one list of claims for every part of the formula",
        ));
    }
    let claims = proof.claims.iter().flatten();
    let named = claims.clone().all(|c| c.cell < cells)
        && claims.clone().all(|c| {
            let choices = proof.cells[c.cell].choices.len();
            c.choices.iter().all(|k| *k < choices)
        });
    let all = cells + proof.images.len();
    let initial = match &proof.initial {
        Initial::All(list) => list.iter().all(|c| *c < all),
        Initial::One(_, _, cell) => *cell < cells,
    };
    let led = proof.cells.iter().all(|cell| {
        let successors = cell.successors.iter();
        let targets = successors.clone().flat_map(|s| &s.cells);
        let choices = cell.choices.iter();
        successors.clone().all(|s| s.command < commands)
            && targets
                .chain(choices.clone().map(|c| &c.target))
                .all(|c| *c < all)
            && choices.clone().all(|c| c.command < commands)
    });
    if !(named && initial && led) {
        return Err(Stop::shape(
            "a cell, a choice or a command that is named does not exist",
        ));
    }
    for (k, cell) in proof.cells.iter().enumerate() {
        if !states.is_single(k) {
            is_state_formula(task, cell.formula)?;
        }
        for (_, value) in cell.choices.iter().flat_map(|c| &c.values) {
            is_state_formula(task, *value)?;
        }
    }
    for &measure in proof.claims.iter().flatten().flat_map(|c| &c.measures) {
        is_state_formula(task, measure)?;
        if !matches!(task.terms.sort(measure), Sort::Int | Sort::Real) {
            return Err(Stop::shape("a measure is not a number"));
        }
    }
    Ok(())
}

struct Session<'s> {
    task: &'s Task<'s>,
    formula: &'s NormalCtl,
    formulas: &'s Formulas,
    proof: &'s CtlProof,
    table: Vec<Vec<Option<&'s CellClaim>>>,
    renamings: &'s Renamings,
    steps: Steps<'s>,
}

impl Session<'_> {
    fn run(&mut self, claim: Claim, checker: &mut Checker<'_>) -> Checked {
        self.initial(claim, checker)?;
        for part in 0..self.formula.parts.len() {
            for claim in &self.proof.claims[part] {
                if let Err(limit) = checker.budget.poll() {
                    return Err(Stop::Undecided(self.obligation(part, claim), limit.into()));
                }
                self.claim(part, claim, checker)?;
            }
        }
        Ok(())
    }

    fn initial(&mut self, claim: Claim, checker: &mut Checker<'_>) -> Checked {
        let root = self.formula.root();
        let proof = self.proof;
        match (&proof.initial, claim) {
            (Initial::All(cells), Claim::Holds) => {
                if let Some(cell) = cells.iter().find(|c| !self.claimed(root, **c)) {
                    let because = format!("the formula is not claimed in the initial cell {cell}");
                    return Err(Stop::refused(Obligation::Initiation, because));
                }
                if self.steps.states.start_in(cells) {
                    checker.shown += 1;
                    return Ok(());
                }
                let terms = self.task.terms;
                let init = self.task.model.init_formula(terms);
                let start = self.task.model.entry;
                let named = cells.iter().map(|&c| self.steps.target(c));
                let there = named.filter(|(location, _)| *location == start);
                let inside = terms.or(there.map(|(_, formula)| formula));
                checker.implies(Obligation::Initiation, &[init], inside)
            }
            (Initial::One(rigid, state, cell), Claim::Violated) => {
                // An initial state is a run without steps.
                let run = Trace {
                    rigid: rigid.clone(),
                    states: vec![state.clone()],
                    ..Trace::default()
                };
                check_run(self.task, &run)?;
                let set = &proof.cells[*cell];
                let inside =
                    set.location == state.location && holds_at(self.task, &run, 0, set.formula);
                if !inside || !self.claimed(root, *cell) {
                    let because = format!(
                        "the formula is not claimed in cell {cell}, or the state is not in it"
                    );
                    return Err(Stop::refused(Obligation::Start, because));
                }
                Ok(())
            }
            _ => {
                let because = "all initial states are needed for `holds`, one for `violated`";
                Err(Stop::shape(because))
            }
        }
    }

    /// Checks one claim by its rule.
    fn claim(&mut self, part: usize, claim: &CellClaim, checker: &mut Checker<'_>) -> Checked {
        let has = |f: usize| self.table[f][claim.cell].is_some();
        let fail = |because: &str| Err(Stop::refused(self.obligation(part, claim), because));
        match self.formula.parts[part] {
            NormalPart::State(_) => self.state(part, claim, checker),
            NormalPart::And(a, b) if has(a) && has(b) => Ok(()),
            NormalPart::And(..) => fail("one of its parts is not claimed"),
            NormalPart::Or(a, b) if has(a) || has(b) => Ok(()),
            NormalPart::Or(..) => fail("none of its parts is claimed"),
            NormalPart::Next(Paths::All, f) => {
                self.all_next(part, claim, checker, |s, c| s.claimed(f, c))
            }
            NormalPart::Next(Paths::Some, f) => {
                self.some_next(part, claim, checker, |s, c| s.claimed(f, c))
            }
            NormalPart::Until(_, _, g) | NormalPart::Weak(_, _, g) if has(g) => Ok(()),
            NormalPart::Until(_, f, _) | NormalPart::Weak(_, f, _) if !has(f) => {
                fail("neither of its parts is claimed")
            }
            NormalPart::Until(Paths::All, ..) => {
                self.some_next(part, claim, checker, |_, _| true)?;
                self.all_next(part, claim, checker, |s, c| s.may_go_down(part, claim, c))?;
                self.all_go_down(part, claim, checker)
            }
            NormalPart::Until(Paths::Some, ..) => self.some_goes_down(part, claim, checker),
            NormalPart::Weak(Paths::All, ..) => {
                self.all_next(part, claim, checker, |s, c| s.claimed(part, c))
            }
            NormalPart::Weak(Paths::Some, ..) => {
                let stuck = self.proof.cells[claim.cell].successors.is_empty();
                match stuck && claim.choices.is_empty() {
                    true => self.steps.closed(checker, claim.cell),
                    false => self.some_next(part, claim, checker, |s, c| s.claimed(part, c)),
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

    /// Whether the rank decreases, or stays the same so that measures may decrease.
    fn may_go_down(&self, part: usize, claim: &CellClaim, cell: usize) -> bool {
        let there = self.found(part, cell);
        there.is_some_and(|(there, _)| match there.rank.cmp(&claim.rank) {
            Ordering::Less => true,
            Ordering::Equal => there.measures.len() == claim.measures.len(),
            Ordering::Greater => false,
        })
    }

    /// The measures in a cell of the same rank as the claim.
    fn measures_of_equal(&self, part: usize, claim: &CellClaim, cell: usize) -> Option<Vec<Term>> {
        let (there, renaming) = self.found(part, cell)?;
        let measures = there.measures.iter().map(|&m| match renaming {
            Some(renaming) => self.renamings.renamed(self.task.terms, renaming, m),
            None => m,
        });
        (there.rank == claim.rank).then(|| measures.collect())
    }

    /// The condition that the measures decrease in a step to a cell of the same rank.
    fn goes_down(&self, part: usize, claim: &CellClaim, cell: usize) -> Checked<Option<Term>> {
        let Some(there) = self.measures_of_equal(part, claim, cell) else {
            return Ok(None);
        };
        let falls = falls(self.task.terms, &claim.measures, &there);
        let refused = |why: String| Stop::refused(self.obligation(part, claim), why);
        falls.map(Some).map_err(refused)
    }

    /// Proves that the measures decrease in all steps to cells of the same rank.
    fn all_go_down(
        &mut self,
        part: usize,
        claim: &CellClaim,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let proof = self.proof;
        for next in &proof.cells[claim.cell].successors {
            for &target in &next.cells {
                if let Some(falls) = self.goes_down(part, claim, target)? {
                    let obligation = self.obligation(part, claim);
                    let step = (claim.cell, next.command, target);
                    self.steps.always(checker, obligation, step, falls)?;
                }
            }
        }
        Ok(())
    }

    /// In every state of the cell one of the claim's choices is possible and decreases the
    /// measures.
    fn some_goes_down(
        &mut self,
        part: usize,
        claim: &CellClaim,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let cell = &self.proof.cells[claim.cell];
        let targets = claim.choices.iter().map(|&k| cell.choices[k].target);
        let targets: Vec<usize> = targets.collect();
        if !targets.iter().any(|&c| self.has_rank_of(part, claim, c)) {
            return self.some_next(part, claim, checker, |s, c| s.may_go_down(part, claim, c));
        }
        let mut also = Vec::new();
        for &target in &targets {
            if !self.may_go_down(part, claim, target) {
                let because = format!("its rank does not go down in cell {target}");
                return Err(Stop::refused(self.obligation(part, claim), because));
            }
            also.push(self.goes_down(part, claim, target)?);
        }
        let obligation = self.obligation(part, claim);
        self.steps
            .possible_and(checker, obligation, claim.cell, &claim.choices, &also)
    }

    fn has_rank_of(&self, part: usize, claim: &CellClaim, cell: usize) -> bool {
        let there = self.found(part, cell);
        there.is_some_and(|(there, _)| there.rank == claim.rank)
    }

    /// Whether a part is claimed in a cell, or, for an image, its origin in the original cell.
    fn claimed(&self, part: usize, cell: usize) -> bool {
        self.found(part, cell).is_some()
    }

    /// The claim, and the renaming by which it carries over to an image.
    fn found(&self, part: usize, cell: usize) -> Option<(&CellClaim, Option<usize>)> {
        let own = |part: usize, cell: usize| self.table[part][cell];
        let Some(image) = cell.checked_sub(self.proof.cells.len()) else {
            return own(part, cell).map(|claim| (claim, None));
        };
        let image = self.proof.images[image];
        let origins = self.renamings.origins[image.renaming][part].iter();
        let claims = origins.filter_map(|&p| own(p, image.cell));
        let lowest = claims.min_by_key(|claim| claim.rank);
        lowest.map(|claim| (claim, Some(image.renaming)))
    }

    fn state(&mut self, part: usize, claim: &CellClaim, checker: &mut Checker<'_>) -> Checked {
        let obligation = self.obligation(part, claim);
        let here = self.formulas.at(self.proof.cells[claim.cell].location);
        let NormalPart::State(p) = here.parts[part] else {
            let because = "it is no state formula at the location of the cell";
            return Err(Stop::refused(obligation, because));
        };
        if p == self.task.terms.tt() {
            return Ok(());
        }
        self.steps.implies(checker, obligation, claim.cell, p)
    }

    /// All successors satisfy the condition.
    fn all_next(
        &mut self,
        part: usize,
        claim: &CellClaim,
        checker: &mut Checker<'_>,
        fits: impl Fn(&Self, usize) -> bool,
    ) -> Checked {
        let successors = &self.proof.cells[claim.cell].successors;
        let mut targets = successors.iter().flat_map(|s| s.cells.iter().copied());
        if let Some(odd) = targets.find(|&c| !fits(self, c)) {
            let because = format!(
                "it is not claimed in cell {odd}, which may come next, with the rank needed"
            );
            return Err(Stop::refused(self.obligation(part, claim), because));
        }
        self.steps.closed(checker, claim.cell)
    }

    /// In every state of the cell one of the claim's choices is possible, and all of them lead to
    /// cells that satisfy the condition.
    fn some_next(
        &mut self,
        part: usize,
        claim: &CellClaim,
        checker: &mut Checker<'_>,
        fits: impl Fn(&Self, usize) -> bool,
    ) -> Checked {
        let cell = &self.proof.cells[claim.cell];
        let mut targets = claim.choices.iter().map(|&k| cell.choices[k].target);
        let obligation = self.obligation(part, claim);
        if let Some(odd) = targets.find(|&c| !fits(self, c)) {
            let because = format!(
                "it is not claimed in cell {odd}, which is chosen next, with the rank needed"
            );
            return Err(Stop::refused(obligation, because));
        }
        self.steps
            .possible(checker, obligation, claim.cell, &claim.choices)
    }
}
