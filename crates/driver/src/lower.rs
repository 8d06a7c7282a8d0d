//! Lowering a task for an engine by passes, and the way back.

use sectile_engine::Accepts;
use sectile_model::{PropertyKind, Task, Verdict};
use sectile_terms::Term;
use sectile_transform::{
    Applied, ByContract, Clauses, Deadlock, Linear, Pass, PcEncoding, Quotients, Residues,
    has_arrays, has_functions,
};

/// The pass that every engine needs, applied once: the reduction of clauses.
pub(crate) fn reduced(task: &Task<'_>) -> Option<Applied> {
    task.model.is_clauses().then(|| Clauses.apply(task).ok())?
}

/// A task after the passes that an engine needs; `None` if it is unchanged.
pub(crate) struct Lowered<'t> {
    read: Task<'t>,
    passes: Vec<Applied>,
}

impl<'t> Lowered<'t> {
    /// Applies the remaining passes after `reduced`. Arrays stay: cells replace them round by
    /// round.
    pub(crate) fn new(read: Task<'t>, reduced: Option<Applied>, accepts: &Accepts) -> Lowered<'t> {
        let by_contract = !accepts.premises && read.model.contracts.is_some();
        let reduced = reduced.filter(|_| !by_contract);
        let mut lowered = Lowered {
            read,
            passes: reduced.into_iter().collect(),
        };
        if by_contract {
            lowered.apply(&ByContract);
        }
        if !accepts.ctl {
            lowered.apply(&Deadlock);
        }
        let task = lowered.task();
        let needs_cells = needs_cells(&task, accepts);
        if !task.model.is_linear() && !accepts.premises {
            lowered.apply(&Linear);
        }
        if !needs_cells && !accepts.graphs && !lowered.task().model.is_system() {
            lowered.apply(&PcEncoding);
        }
        if !needs_cells && !accepts.remainders {
            // Choosing quotients in steps is useful for infinite runs.
            let is_ctl = matches!(lowered.read.property.kind, PropertyKind::Ctl(_));
            if !lowered.apply(&Residues) && is_ctl {
                lowered.apply(&Quotients);
            }
        }
        lowered
    }

    /// A pass that does not apply changes nothing: the engine will report why it refuses the task.
    fn apply(&mut self, pass: &dyn Pass) -> bool {
        let applied = pass.apply(&self.task()).ok();
        let fits = applied.is_some();
        self.passes.extend(applied);
        fits
    }

    /// The task for the engine.
    pub(crate) fn task(&self) -> Task<'_> {
        match self.passes.last() {
            None => self.read,
            Some(last) => last.task(self.read.terms),
        }
    }

    /// Whether clauses were reduced and nothing else was done: then graphs of blocks of the reduced
    /// clauses are graphs of this task.
    pub(crate) fn is_reduced_only(&self) -> bool {
        self.passes.len() == 1 && self.read.model.contracts.is_none()
    }

    /// The formulas that mention only variables of the task.
    pub(crate) fn told(&self, formulas: &[Term]) -> Vec<Term> {
        let Task { terms, model, .. } = self.task();
        let all = formulas.iter().copied();
        all.filter(|&t| model.is_about(terms, t)).collect()
    }

    /// The verdict about the task as it was read.
    pub(crate) fn verdict(&self, verdict: Verdict) -> Verdict {
        let terms = self.read.terms;
        let back = |v: Verdict, pass: &Applied| pass.verdict(terms, v);
        let verdict = self.passes.iter().rev().fold(verdict, back);
        match verdict {
            // The model as read may have loose edges itself.
            Verdict::Violated(_) => Applied::unchanged(&self.read).verdict(terms, verdict),
            verdict => verdict,
        }
    }
}

/// Whether an engine is given cells instead of the arrays of a model. Engines without arrays and
/// functions treat functions as arrays.
pub(crate) fn needs_cells(task: &Task<'_>, accepts: &Accepts) -> bool {
    let (terms, model) = (task.terms, task.model);
    (has_arrays(terms, model) && !accepts.arrays)
        || (has_functions(terms, model) && !accepts.arrays && !accepts.functions)
}
