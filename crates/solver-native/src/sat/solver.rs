//! The state of the solver: variables, clauses and scopes.

use super::arena::{ClauseArena, ClauseKind, ClauseRef};
use super::heap::ActivityHeap;
use super::lit::{Lit, Var};
use super::procedure::{DecisionProcedure, Exchange};
use crate::proof_log::{Origin, ProofLog, StepId};

/// Why a literal is on the trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// A decision, or a fact of level 0.
    None,
    /// The other literals of this clause are false.
    Clause(ClauseRef),
    /// The theory will explain it when asked with this token.
    Theory(u32),
}

/// An entry of a watch list.
#[derive(Clone, Copy)]
pub(super) struct Watch {
    pub clause: ClauseRef,
    /// Another literal of the clause; if it is true the clause need not be read.
    pub blocker: Lit,
}

/// When an original clause has to be satisfied by a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    Always,
    /// When this literal is true; its negation is in the clause.
    When(Lit),
    /// Never: the clause only propagates. For clauses that every model of the theory satisfies.
    Never,
}

/// The data of one open scope.
#[derive(Default)]
pub(super) struct Scope {
    pub activation: Option<Var>,
    pub originals: Vec<ClauseRef>,
    pub learnts: Vec<ClauseRef>,
}

/// Counters of the core.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct SatStatistics {
    /// Calls of `solve`.
    pub checks: u64,
    /// Decisions, without assumptions.
    pub decisions: u64,
    /// Literals taken from the trail by Boolean propagation.
    pub propagations: u64,
    /// Literals propagated by the theory.
    pub theory_propagations: u64,
    /// Conflicts.
    pub conflicts: u64,
    /// Conflicts that the theory found.
    pub theory_conflicts: u64,
    /// Branches that the theory asked for.
    pub branches: u64,
    /// Restarts.
    pub restarts: u64,
    /// Learnt clauses deleted again.
    pub deleted: u64,
}

/// A CDCL solver over a theory.
#[derive(Default)]
pub struct Sat<T> {
    pub theory: T,
    /// Where the theory takes new variables from; call [`Sat::adopt_atoms`] afterwards.
    pub exchange: Exchange,
    pub log: Option<ProofLog>,

    /// Clauses and variables added since the last search, which has to account for them.
    pub(super) unpaid: u64,
    pub(super) arena: ClauseArena,
    pub(super) watches: Vec<Vec<Watch>>,
    pub(super) scopes: Vec<Scope>,
    pub(super) spare_scopes: Vec<Scope>,
    pub(super) temporaries: Vec<ClauseRef>,
    pub(super) learnt_count: usize,
    pub(super) learnt_limit: usize,

    pub(super) values: Vec<i8>,
    pub(super) level: Vec<u32>,
    pub(super) reason: Vec<Reason>,
    pub(super) trail_position: Vec<u32>,
    pub(super) phase: Vec<i8>,
    pub(super) is_atom: Vec<bool>,
    pub(super) scope_of: Vec<u32>,
    pub(super) unit_step: Vec<StepId>,

    pub(super) trail: Vec<Lit>,
    pub(super) level_start: Vec<usize>,
    pub(super) boolean_head: usize,
    pub(super) theory_head: usize,
    pub(super) theory_dirty: bool,

    pub(super) order: ActivityHeap,
    pub(super) guarded: Vec<Vec<ClauseRef>>,
    pub(super) obligations: Vec<Vec<ClauseRef>>,
    pub(super) activated: Vec<ClauseRef>,
    pub(super) activated_start: Vec<usize>,
    pub(super) skipped: Vec<Var>,
    pub(super) skipped_start: Vec<usize>,

    pub(super) assumptions: Vec<Lit>,
    /// After `Unsat`: the assumptions that cannot hold together.
    pub core: Vec<Lit>,
    /// After `Unsat` with the log on: the step that derives the clause of the negated core.
    /// `StepId::NONE` if two assumptions contradict each other literally.
    pub final_step: StepId,
    pub(super) consistent: bool,
    pub statistics: SatStatistics,

    pub(super) seen: Vec<bool>,
    pub(super) learnt: Vec<Lit>,
    pub(super) to_clear: Vec<Var>,
    pub(super) stack: Vec<(Var, u32)>,
    pub(super) level_stamp: Vec<u32>,
    pub(super) stamp: u32,
    pub(super) chain: Vec<StepId>,
    pub(super) chain_heap: std::collections::BinaryHeap<u32>,
    pub(super) chain_seen: Vec<bool>,
    pub(super) chain_clear: Vec<Var>,
}

impl<T: DecisionProcedure + Default> Sat<T> {
    /// A solver without clauses.
    pub fn new(log: bool) -> Sat<T> {
        Sat {
            exchange: Exchange {
                log,
                ..Exchange::default()
            },
            log: log.then(ProofLog::default),
            scopes: vec![Scope::default()],
            learnt_limit: 3000,
            order: ActivityHeap::new(),
            consistent: true,
            unpaid: 0,
            ..Sat::default()
        }
    }
}

impl<T: DecisionProcedure> Sat<T> {
    pub fn new_var(&mut self) -> Var {
        let v = self.exchange.fresh_atom();
        self.grow();
        v
    }

    pub fn num_vars(&self) -> usize {
        self.level.len()
    }

    /// Registers the variables that the theory took from the exchange; they are atoms.
    pub fn adopt_atoms(&mut self) {
        let first = self.num_vars();
        self.grow();
        for flag in &mut self.is_atom[first..] {
            *flag = true;
        }
    }

    fn grow(&mut self) {
        while self.level.len() < self.exchange.next_var as usize {
            self.unpaid += 1;
            self.watches.push(Vec::new());
            self.watches.push(Vec::new());
            self.guarded.push(Vec::new());
            self.guarded.push(Vec::new());
            self.values.push(0);
            self.values.push(0);
            self.level.push(0);
            self.reason.push(Reason::None);
            self.trail_position.push(0);
            self.phase.push(0);
            self.is_atom.push(false);
            self.scope_of.push(0);
            self.unit_step.push(StepId::NONE);
            self.obligations.push(Vec::new());
            self.seen.push(false);
            self.chain_seen.push(false);
            self.order.add_var();
        }
    }

    /// The value of a literal under the current trail.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.index()] {
            0 => None,
            v => Some(v > 0),
        }
    }

    #[inline]
    pub(super) fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.index()] > 0
    }

    #[inline]
    pub(super) fn is_false(&self, lit: Lit) -> bool {
        self.values[lit.index()] < 0
    }

    #[inline]
    pub(super) fn decision_level(&self) -> usize {
        self.level_start.len()
    }

    /// Opens a scope and returns the literal to assume while it is open; clauses of the scope
    /// contain its negation.
    pub fn push_scope(&mut self) -> Lit {
        let mut scope = self.spare_scopes.pop().unwrap_or_default();
        let v = match scope.activation {
            Some(v) => v,
            None => self.new_var(),
        };
        scope.activation = Some(v);
        self.scope_of[v.index()] = self.scopes.len() as u32;
        self.scopes.push(scope);
        v.positive()
    }

    /// Closes the innermost scope: deletes its clauses and everything learnt from them.
    ///
    /// The activation variable occurs nowhere else (it is only ever assumed, never derived), so it
    /// can serve the next scope.
    pub fn pop_scope(&mut self) {
        self.backtrack(0);
        let mut scope = self.scopes.pop().expect("the base scope is never closed");
        let v = scope
            .activation
            .expect("only the base scope has no activation literal");
        self.learnt_count -= scope.learnts.len();
        for c in scope.originals.drain(..).chain(scope.learnts.drain(..)) {
            self.arena.delete(c);
        }
        for lit in [v.positive(), v.negative()] {
            self.watches[lit.index()].clear();
            self.guarded[lit.index()].clear();
        }
        self.retract_fact(v);
        self.spare_scopes.push(scope);
        if self.arena.should_compact() {
            self.compact();
        }
        self.sweep_log();
    }

    /// Takes the fact that a scope was contradictory off the trail. Nothing was derived from it,
    /// because it has the same sign in every clause.
    fn retract_fact(&mut self, v: Var) {
        self.scope_of[v.index()] = 0;
        self.order.reset_activity(v);
        self.phase[v.index()] = 0;
        self.unit_step[v.index()] = StepId::NONE;
        if self.values[v.positive().index()] == 0 {
            return;
        }
        let at = self.trail_position[v.index()] as usize;
        self.trail.remove(at);
        for (i, lit) in self.trail.iter().enumerate().skip(at) {
            self.trail_position[lit.var().index()] = i as u32;
        }
        self.boolean_head -= usize::from(self.boolean_head > at);
        self.theory_head -= usize::from(self.theory_head > at);
        self.values[v.positive().index()] = 0;
        self.values[v.negative().index()] = 0;
    }

    /// Adds a clause. It belongs to the innermost scope whose activation literal it contains.
    pub fn add_clause(&mut self, lits: &[Lit], guard: Guard, origin: Origin) {
        self.unpaid += 1;
        if !self.consistent {
            return;
        }
        self.backtrack(0);
        let mut clause = std::mem::take(&mut self.learnt);
        clause.clear();
        clause.extend_from_slice(lits);
        clause.sort_unstable();
        clause.dedup();
        let trivial =
            clause.windows(2).any(|w| w[0] == !w[1]) || clause.iter().any(|&l| self.is_true(l));
        if !trivial {
            self.add_sorted(&mut clause, guard, origin);
        }
        self.learnt = clause;
    }

    fn add_sorted(&mut self, clause: &mut Vec<Lit>, guard: Guard, origin: Origin) {
        let mut step = StepId::NONE;
        if let Some(log) = &mut self.log {
            self.chain.clear();
            self.chain.push(log.leaf(clause, origin));
            for lit in clause.iter().filter(|l| self.values[l.index()] < 0) {
                self.chain.push(self.unit_step[lit.var().index()]);
            }
            step = log.chain(&self.chain);
        }
        let values = &self.values;
        clause.retain(|l| values[l.index()] == 0);
        match clause.as_slice() {
            [] => self.contradiction(step),
            [unit] => self.add_fact(*unit, step),
            _ => {
                let c = self.arena.alloc(clause, ClauseKind::Original, step);
                self.attach(c);
                let scope = self.scope_of_clause(clause);
                self.scopes[scope].originals.push(c);
                self.register_obligation(c, guard);
            }
        }
    }

    pub(super) fn contradiction(&mut self, step: StepId) {
        self.consistent = false;
        self.final_step = step;
        self.core.clear();
    }

    pub(super) fn add_fact(&mut self, lit: Lit, step: StepId) {
        debug_assert_eq!(self.decision_level(), 0);
        self.unit_step[lit.var().index()] = step;
        self.enqueue(lit, Reason::None);
    }

    /// The innermost scope among the activation literals of a clause.
    pub(super) fn scope_of_clause(&self, lits: &[Lit]) -> usize {
        let scopes = lits.iter().map(|l| self.scope_of[l.var().index()]);
        scopes.max().unwrap_or(0) as usize
    }

    pub(super) fn attach(&mut self, c: ClauseRef) {
        let (a, b) = (self.arena.lit(c, 0), self.arena.lit(c, 1));
        self.watches[(!a).index()].push(Watch {
            clause: c,
            blocker: b,
        });
        self.watches[(!b).index()].push(Watch {
            clause: c,
            blocker: a,
        });
    }

    /// Puts a literal on the trail.
    #[inline]
    pub(super) fn enqueue(&mut self, lit: Lit, reason: Reason) {
        debug_assert_eq!(self.values[lit.index()], 0);
        let v = lit.var().index();
        self.values[lit.index()] = 1;
        self.values[(!lit).index()] = -1;
        self.level[v] = self.level_start.len() as u32;
        self.trail_position[v] = self.trail.len() as u32;
        self.reason[v] = reason;
        self.trail.push(lit);
        if self.level_start.is_empty() && reason != Reason::None {
            self.settle_fact(lit);
        }
    }

    /// A literal implied at level 0 becomes a unit clause of its own, so that no clause is ever
    /// the reason of a fact and the proof of a fact is one step.
    fn settle_fact(&mut self, lit: Lit) {
        if self.log.is_some() {
            let c = self.reason_clause(lit);
            self.unit_step[lit.var().index()] = self.derive(c, &[lit]);
        }
        self.reason[lit.var().index()] = Reason::None;
    }

    pub(super) fn new_level(&mut self) {
        self.level_start.push(self.trail.len());
        self.activated_start.push(self.activated.len());
        self.skipped_start.push(self.skipped.len());
        self.theory.new_level();
    }

    pub fn backtrack(&mut self, levels: usize) {
        if self.decision_level() <= levels {
            return;
        }
        self.deactivate(self.activated_start[levels]);
        let start = self.level_start[levels];
        for i in (start..self.trail.len()).rev() {
            let lit = self.trail[i];
            let v = lit.var();
            self.values[lit.index()] = 0;
            self.values[(!lit).index()] = 0;
            self.phase[v.index()] = if lit.is_positive() { 1 } else { -1 };
            if !self.obligations[v.index()].is_empty() {
                self.order.insert(v);
            }
        }
        self.trail.truncate(start);
        self.reconsider(self.skipped_start[levels]);
        self.level_start.truncate(levels);
        self.activated_start.truncate(levels);
        self.skipped_start.truncate(levels);
        self.boolean_head = self.boolean_head.min(start);
        self.theory_head = self.theory_head.min(start);
        self.exchange.propagated.clear();
        self.theory.backtrack(levels);
        if levels == 0 {
            for c in self.temporaries.drain(..) {
                self.arena.delete(c);
            }
        }
    }
}
