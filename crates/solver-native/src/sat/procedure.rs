//! The interface between the SAT core and a theory.

use super::lit::{Lit, Var};
use crate::meter::Meter;
use crate::proof_log::Origin;

/// The mailbox between the core and the theory. One value is reused for the whole life of the
/// solver, so that communication does not allocate.
#[derive(Default)]
pub struct Exchange {
    /// Literals the theory derived, each with a token that [`DecisionProcedure::explain`]
    /// understands.
    pub propagated: Vec<(Lit, u32)>,
    /// A clause from the theory: a conflict or an explanation.
    pub clause: Vec<Lit>,
    /// Why the clause is valid; filled only if `log` is set.
    pub origin: Option<Origin>,
    /// How many variables exist. A theory that needs a new atom takes this number and adds one.
    pub next_var: u32,
    /// Whether justifications are wanted.
    pub log: bool,
}

impl Exchange {
    /// Makes a new variable for a theory atom.
    pub fn fresh_atom(&mut self) -> Var {
        let v = Var(self.next_var);
        self.next_var += 1;
        v
    }

    /// Puts a clause into the mailbox.
    #[inline]
    pub fn set_clause(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(lits);
    }
}

/// The clause in the [`Exchange`] is false under the asserted literals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict;

/// The result of a theory when every clause is satisfied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalCheck {
    /// There is a model.
    Consistent,
    /// The clause in the [`Exchange`] is false.
    Conflict,
    /// Decide this literal of an unassigned atom (possibly a new one) next.
    Branch(Lit),
    /// The theory gave up or ran out of budget.
    Unknown,
}

/// Decides conjunctions of the literals of its atoms. The defaults are those of a theory without
/// atoms.
pub trait DecisionProcedure {
    /// Whether a variable is one of its atoms.
    fn owns(&self, _var: Var) -> bool {
        false
    }

    /// A check begins.
    fn begin_check(&mut self) {}

    /// Marks whether the current check is about an atom; only such atoms need be propagated. Other
    /// variables are ignored.
    fn set_interest(&mut self, _var: Var, _of_interest: bool) {}

    /// A decision level begins.
    fn new_level(&mut self) {}

    /// Forgets all levels beyond the first `levels`.
    fn backtrack(&mut self, _levels: usize) {}

    /// A literal of one of its atoms became true. Literals come in the order of the trail.
    fn assert_literal(&mut self, _lit: Lit, _exchange: &mut Exchange) -> Result<(), Conflict> {
        Ok(())
    }

    /// Checks the literals asserted so far and propagates literals of its atoms.
    fn propagate(&mut self, _exchange: &mut Exchange, _meter: &mut Meter) -> Result<(), Conflict> {
        Ok(())
    }

    /// Decides the literals asserted so far.
    fn final_check(&mut self, _exchange: &mut Exchange, _meter: &mut Meter) -> FinalCheck {
        FinalCheck::Consistent
    }

    /// Writes the clause that implied `lit` into the exchange: `lit` first, then literals that
    /// were false before `lit` was propagated.
    fn explain(&mut self, _lit: Lit, _token: u32, _exchange: &mut Exchange) {
        unreachable!("a theory that propagates nothing has nothing to explain")
    }

    /// The search restarts from the remaining levels: an opportunity to clean up.
    fn restarted(&mut self) {}

    /// The value the current candidate model gives to one of its atoms.
    fn suggested_value(&self, _var: Var) -> Option<bool> {
        None
    }
}

/// The theory without atoms: the core is then a plain SAT solver.
#[cfg(test)]
#[derive(Default)]
pub(super) struct NoTheory;

#[cfg(test)]
impl DecisionProcedure for NoTheory {}
