//! The solver's interface: terms in, answers out.
//!
//! Terms are translated once and remembered. A Boolean term gets a literal and, side by side as
//! they are needed, the clauses by which the literal implies the term and the term the literal
//! [PlaistedGreenbaum86]. Numeric operators get an auxiliary variable whose defining constraints
//! are guarded, so that they matter only while an atom over the variable is assigned. Definitions
//! belong to no scope; only the top-level clauses of an assertion do.
//!
//! | concern | file |
//! |---|---|
//! | walking over terms, literals | `encode` |
//! | the theories of sorts | [`crate::theory`] |
//! | relevance of atoms to a check | `interest` |
//! | refutations | `proof` |
//! | tables by term | `pages` |

mod encode;
mod interest;
mod pages;
mod proof;

pub(crate) use encode::{BOTH, NEGATIVE, POSITIVE, flipped};

use crate::meter::Meter;
use crate::proof_log::Origin;
use crate::sat::{DecisionProcedure as _, Guard, Lit, Outcome, Sat};
use crate::theory::{self, Refinement, Theories};
use pages::Pages;
use sectile_base::{Budget, Exhausted};
use sectile_solver::{Answer, ModelView, RefutationView, Solver, SolverError, Undecided};
use sectile_terms::{Node, Stage, Symbol, Term, Terms, Value};

/// Options of a solver, fixed for its lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Record the derivation of every clause, for proofs and interpolants.
    pub proofs: bool,
}

/// Counters of a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The SAT core.
    pub sat: crate::sat::SatStatistics,
    /// Pivots of the simplex.
    pub pivots: u64,
    /// Propositional variables.
    pub variables: usize,
    /// Rows in the tableau.
    pub rows: usize,
}

/// The embedded solver.
pub struct NativeSolver<'t> {
    pub(crate) terms: &'t Terms,
    pub(crate) sat: Sat<Theories>,
    true_literal: Lit,
    /// By term index: the literal of a Boolean term.
    pub(crate) literals: Pages<Option<Lit>>,
    /// By term index: the polarities for which the definition exists.
    pub(crate) emitted: Pages<u8>,
    scopes: Vec<Lit>,
    assertions: u32,
    assumed: Vec<(Term, Lit)>,
    assumption_literals: Vec<Lit>,
    walk: Vec<Term>,
    pending: Vec<(Term, u8)>,
    pub(crate) interest: interest::Interest,
    /// By propositional variable: its formula. Atoms of a theory, activation literals and guards
    /// have none.
    formulas: Vec<Option<Term>>,
    /// Whether the last answer was `unsat`.
    refuted: bool,
}

impl<'t> NativeSolver<'t> {
    /// A solver over a store of terms.
    pub fn new(terms: &'t Terms) -> NativeSolver<'t> {
        NativeSolver::with_options(terms, Options::default())
    }

    /// A solver with options.
    pub fn with_options(terms: &'t Terms, options: Options) -> NativeSolver<'t> {
        let mut sat = Sat::<Theories>::new(options.proofs);
        let true_literal = sat.new_var().positive();
        sat.add_clause(
            &[true_literal],
            Guard::Never,
            Origin::Definition(terms.tt()),
        );
        NativeSolver {
            terms,
            sat,
            true_literal,
            literals: Pages::default(),
            emitted: Pages::default(),
            scopes: Vec::new(),
            assertions: 0,
            assumed: Vec::new(),
            assumption_literals: Vec::new(),
            walk: Vec::new(),
            pending: Vec::new(),
            interest: interest::Interest::default(),
            formulas: vec![Some(terms.tt())],
            refuted: false,
        }
    }

    /// Makes a variable for a formula.
    pub(crate) fn formula_literal(&mut self, t: Term) -> Lit {
        let v = self.sat.new_var();
        if self.formulas.len() <= v.index() {
            self.formulas.resize(v.index() + 1, None);
        }
        self.formulas[v.index()] = Some(t);
        v.positive()
    }

    /// Adds a clause of the definition of a term.
    pub(crate) fn define_by(&mut self, t: Term, clause: &[Lit], guard: Guard) {
        self.sat.add_clause(clause, guard, Origin::Definition(t));
    }

    /// Counters since the solver was made.
    pub fn statistics(&self) -> Statistics {
        let simplex = &self.sat.theory.arith.simplex;
        Statistics {
            sat: self.sat.statistics,
            pivots: simplex.pivots,
            variables: self.sat.num_vars(),
            rows: simplex.tableau.row_count(),
        }
    }

    /// Asserts a formula and returns its partition, its number in proofs.
    pub fn assert_partition(&mut self, formula: Term) -> u32 {
        let partition = self.assertions;
        self.assertions += 1;
        let mut stack = vec![formula];
        while let Some(t) = stack.pop() {
            match self.terms.node(t) {
                Node::And(list) => stack.extend(list.iter().rev()),
                Node::Or(list) => self.assert_clause(list, partition),
                _ => self.assert_clause(&[t], partition),
            }
        }
        partition
    }

    fn assert_clause(&mut self, disjuncts: &[Term], partition: u32) {
        let mut clause = Vec::with_capacity(disjuncts.len() + 1);
        let guard = match self.scopes.last() {
            Some(&activation) => {
                clause.push(!activation);
                Guard::When(activation)
            }
            None => Guard::Always,
        };
        for &t in disjuncts {
            clause.push(self.asserted_literal(t));
        }
        self.sat
            .add_clause(&clause, guard, Origin::Input(partition));
        let own = clause.len() - disjuncts.len();
        for &lit in &clause[own..] {
            self.assert_interest(lit);
        }
    }

    /// The literal of a formula that is about to be asserted.
    pub(crate) fn asserted_literal(&mut self, t: Term) -> Lit {
        self.encode(t);
        self.require(t, POSITIVE);
        self.literal(t)
    }

    fn solve(&mut self, assumptions: &[Term], budget: &Budget) -> Outcome {
        self.assumed.clear();
        self.assumption_literals.clear();
        self.assumption_literals.extend(&self.scopes);
        for &t in assumptions {
            let lit = self.asserted_literal(t);
            self.assumed.push((t, lit));
            self.assumption_literals.push(lit);
        }
        self.assume_interest();
        self.sat.theory.begin_check();
        let mut meter = Meter::new(budget);
        // No work must be done under an exhausted budget.
        meter.look();
        if meter.stopped().is_some() {
            return Outcome::Unknown;
        }
        self.sat.solve(&self.assumption_literals, &mut meter)
    }

    /// Repeats the search until no theory has an axiom that the model violates.
    fn solve_lazily(&mut self, assumptions: &[Term], budget: &Budget) -> Outcome {
        loop {
            let outcome = self.solve(assumptions, budget);
            if outcome != Outcome::Sat {
                return outcome;
            }
            match theory::refine(self) {
                Refinement::Model => return Outcome::Sat,
                Refinement::Refined => {}
                Refinement::Unknown => return Outcome::Unknown,
            }
        }
    }

    /// The positions of the assumptions in the last core, each literal once.
    fn core_positions(&self) -> Vec<usize> {
        let lit = |i: usize| self.assumed[i].1;
        let is_new = |i: usize| (0..i).all(|j| lit(j) != lit(i));
        let all = 0..self.assumed.len();
        let in_core = all.filter(|&i| self.sat.core.contains(&lit(i)));
        in_core.filter(|&i| is_new(i)).collect()
    }

    fn undecided(&self, budget: &Budget) -> Undecided {
        match self.sat.theory.incomplete() {
            Some(why) => Undecided::Incomplete(why.to_string()),
            None => Undecided::Exhausted(budget.check().err().unwrap_or(Exhausted::Steps)),
        }
    }
}

impl Solver for NativeSolver<'_> {
    fn push(&mut self) {
        let activation = self.sat.push_scope();
        self.scopes.push(activation);
        self.push_interest();
    }

    fn pop(&mut self) {
        if self.scopes.pop().is_some() {
            self.sat.pop_scope();
            self.pop_interest();
        }
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        self.assert_partition(formula);
        Ok(())
    }

    fn check<'s>(
        &'s mut self,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Answer<'s>, SolverError> {
        self.refuted = false;
        let outcome = self.solve_lazily(assumptions, budget);
        self.refuted = outcome == Outcome::Unsat;
        Ok(match outcome {
            Outcome::Sat => Answer::Sat(self),
            Outcome::Unsat => Answer::Unsat(self),
            Outcome::Unknown => Answer::Unknown(self.undecided(budget)),
        })
    }
}

impl ModelView for NativeSolver<'_> {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        theory::value(self, self.terms.var_at(symbol, stage))
    }
}

impl RefutationView for NativeSolver<'_> {
    fn core(&self) -> Vec<Term> {
        let core = self.core_positions();
        core.into_iter().map(|i| self.assumed[i].0).collect()
    }
}
