//! Clauses that say exactly what a file means, where a graph can only say what may happen.
//!
//! Derivations of nonlinear clauses are trees: a call of a recursive procedure rests on what is
//! known about the callee, besides what is known about the caller. No graph has such runs.

use crate::horn::{Derivation, HornClauses, Interpretation};
use sectile_terms::Terms;

/// Clauses with the questions that the properties of a module are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClauseModel {
    /// The clauses.
    pub clauses: HornClauses,
    /// For each property of the module, the clauses without a head by which `false` must not
    /// follow.
    pub queries: Vec<Vec<usize>>,
    /// What each clause is in the program; empty for files of clauses.
    pub steps: Vec<ClauseStep>,
    /// What each predicate is in the program; empty for files of clauses.
    pub places: Vec<ClausePlace>,
}

/// What a clause is in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseStep {
    /// The statement.
    pub text: String,
    /// What it does to the stack of calls.
    pub kind: StepKind,
}

/// What a step does to the stack of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Nothing.
    Within,
    /// A procedure is entered.
    Enter,
    /// A call is over: the second premise is what the procedure did.
    Return,
}

/// What a predicate is in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClausePlace {
    /// A location.
    Location,
    /// The head of a loop.
    LoopHead,
    /// A procedure is called with these arguments.
    Called,
    /// A procedure called with these arguments gives these results.
    Summary,
}

impl ClauseModel {
    /// The clauses with the queries of one property only.
    pub fn asked(&self, property: usize) -> HornClauses {
        let queries = self.queries.get(property);
        let asked = |i: usize| queries.is_some_and(|q| q.contains(&i));
        let mut clauses = self.clauses.clone();
        let kept = self.clauses.clauses.iter().enumerate();
        let kept = kept.filter(|(i, c)| c.head.is_some() || asked(*i));
        clauses.clauses = kept.map(|(_, c)| c.clone()).collect();
        clauses
    }
}

/// One question about clauses: does `false` follow by one of the queries?
#[derive(Clone, Copy)]
pub struct ClauseTask<'m> {
    /// The store of all terms in the clauses.
    pub terms: &'m Terms,
    /// The clauses.
    pub clauses: &'m HornClauses,
    /// The clauses without a head that count; others are not looked at.
    pub queries: &'m [usize],
}

/// Evidence about clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseEvidence {
    /// A meaning of the predicates that makes all clauses true.
    Meanings(Interpretation),
    /// A derivation of `false`.
    Derivation(Derivation),
}
