//! The trace semantics of programs, straight from its definition, to compare graphs with.
//!
//! Traces are enumerated from given initial states, over small domains and up to a bound on the
//! number of states: longer ones are cut and marked as such, and so are loops that turn without
//! adding a state.

use super::ast::{Block, Statement, StatementKind};
use crate::syntax::{Arm, Expr, Name};
use sectile_base::Span;
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};
use std::collections::{BTreeMap, BTreeSet};

/// A state: the values of all variables and constants.
pub type Valuation = BTreeMap<Symbol, Value>;

/// How a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// In its last state.
    Terminates,
    /// In a failed test, the state written as a capital lambda.
    Fails,
    /// It goes on: the bound was reached, or nothing will ever change.
    Cut,
}

/// A trace: at least one state, and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceOf {
    pub states: Vec<Valuation>,
    pub ending: Ending,
}

/// Enumerates traces.
pub struct Semantics<'t> {
    pub terms: &'t Terms,
    /// The terms of the expressions, by their places.
    pub expressions: &'t BTreeMap<Span, Term>,
    /// The values that `x := *` chooses from.
    pub choices: Vec<Value>,
    /// Traces with more states are cut.
    pub most_states: usize,
}

impl Semantics<'_> {
    /// The traces of a program that start in a state.
    ///
    /// Paper: [Fr23, Def. 1].
    pub fn traces(&self, program: &Block, start: &Valuation) -> BTreeSet<TraceOf> {
        let empty = TraceOf {
            states: vec![start.clone()],
            ending: Ending::Terminates,
        };
        self.sequence(program, empty).into_iter().collect()
    }

    /// `σ ∘ ς` for all given σ: those that terminate go on, the others stay as they are.
    fn then(&self, before: Vec<TraceOf>, run: impl Fn(TraceOf) -> Vec<TraceOf>) -> Vec<TraceOf> {
        let extended = before.into_iter().flat_map(|trace| match trace.ending {
            Ending::Terminates => run(trace),
            Ending::Fails | Ending::Cut => vec![trace],
        });
        let distinct: BTreeSet<TraceOf> = extended.collect();
        distinct.into_iter().collect()
    }

    fn sequence(&self, block: &Block, trace: TraceOf) -> Vec<TraceOf> {
        let statements = block.statements.iter();
        statements.fold(vec![trace], |traces, statement| {
            self.then(traces, |trace| self.statement(statement, trace))
        })
    }

    fn statement(&self, statement: &Statement, trace: TraceOf) -> Vec<TraceOf> {
        let last = &trace.states[trace.states.len() - 1];
        let to = |name: &Name, value: Value| {
            let mut next = last.clone();
            next.insert(self.terms.symbol(&name.text).unwrap(), value);
            self.extend(&trace, next)
        };
        match &statement.kind {
            StatementKind::Assign(name, value) => {
                vec![to(name, self.value(self.expressions[&value.span], last))]
            }
            StatementKind::Havoc(name) => {
                let values = self.choices.iter();
                values.map(|v| to(name, v.clone())).collect()
            }
            StatementKind::Test(q) if self.may(Some(q), true, last) => vec![trace],
            StatementKind::Test(_) => vec![TraceOf {
                ending: Ending::Fails,
                ..trace
            }],
            StatementKind::Assert(..) | StatementKind::Skip => vec![trace],
            StatementKind::If(arms, otherwise) => self.conditional(arms, otherwise.as_ref(), trace),
            StatementKind::While(condition, body) => self.rounds(condition.as_ref(), body, trace),
            StatementKind::Loop(body) => self.rounds(None, body, trace),
            StatementKind::Block(inner) => self.sequence(inner, trace),
        }
    }

    /// Whether a condition may be decided like this; without one, the choice is free.
    fn may(&self, condition: Option<&Expr>, wanted: bool, state: &Valuation) -> bool {
        condition.is_none_or(|q| self.holds(self.expressions[&q.span], state) == wanted)
    }

    fn conditional(
        &self,
        arms: &[Arm<Block>],
        otherwise: Option<&Block>,
        trace: TraceOf,
    ) -> Vec<TraceOf> {
        let last = trace.states[trace.states.len() - 1].clone();
        let mut found = Vec::new();
        for arm in arms {
            if self.may(arm.condition.as_ref(), true, &last) {
                found.extend(self.sequence(&arm.body, trace.clone()));
            }
            if !self.may(arm.condition.as_ref(), false, &last) {
                return found;
            }
        }
        match otherwise {
            Some(block) => found.extend(self.sequence(block, trace)),
            None => found.push(trace),
        }
        found
    }

    /// Zero rounds, finitely many, or as many as the bound allows.
    fn rounds(&self, condition: Option<&Expr>, body: &Block, trace: TraceOf) -> Vec<TraceOf> {
        let mut done = Vec::new();
        let mut seen: BTreeSet<TraceOf> = BTreeSet::new();
        let mut open = vec![trace];
        while let Some(trace) = open.pop() {
            if !seen.insert(trace.clone()) {
                let ending = Ending::Cut;
                done.push(TraceOf { ending, ..trace });
                continue;
            }
            let last = &trace.states[trace.states.len() - 1];
            if self.may(condition, false, last) {
                done.push(trace.clone());
            }
            if !self.may(condition, true, last) {
                continue;
            }
            for next in self.sequence(body, trace) {
                match next.ending {
                    Ending::Terminates => open.push(next),
                    Ending::Fails | Ending::Cut => done.push(next),
                }
            }
        }
        done
    }

    fn extend(&self, trace: &TraceOf, next: Valuation) -> TraceOf {
        let mut trace = trace.clone();
        if trace.states.len() == self.most_states {
            trace.ending = Ending::Cut;
        } else {
            trace.states.push(next);
        }
        trace
    }

    pub fn holds(&self, t: Term, state: &Valuation) -> bool {
        self.value(t, state) == Value::Bool(true)
    }

    pub fn value(&self, t: Term, state: &Valuation) -> Value {
        let value = |symbol: Symbol, _: Stage| state.get(&symbol).cloned();
        evaluate(self.terms, t, &value).unwrap()
    }
}

#[cfg(test)]
mod tests;
