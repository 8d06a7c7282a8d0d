//! The trace semantics of programs, straight from its definition, to compare graphs with.
//!
//! Traces are enumerated from given initial states, over small domains and up to a bound on the
//! number of states: longer ones are cut and marked as such, and so are loops that turn without
//! adding a state.

use super::core::{Action, Arm, Block, Choice, Node, NodeKind};
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
        let all = self.sequence(&program.nodes, vec![empty]);
        all.into_iter().collect()
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

    fn sequence(&self, nodes: &[Node], before: Vec<TraceOf>) -> Vec<TraceOf> {
        nodes.iter().fold(before, |traces, node| {
            self.then(traces, |trace| self.node(node, trace))
        })
    }

    fn node(&self, node: &Node, trace: TraceOf) -> Vec<TraceOf> {
        match &node.kind {
            NodeKind::Step(action, _) => self.step(*action, trace),
            NodeKind::If(arms, otherwise) => self.conditional(arms, otherwise, trace),
            NodeKind::While(choice, body) => self.rounds(choice, body, trace),
            NodeKind::Block(inner) => self.sequence(&inner.nodes, vec![trace]),
        }
    }

    fn step(&self, action: Action, trace: TraceOf) -> Vec<TraceOf> {
        let last = &trace.states[trace.states.len() - 1];
        let to = |symbol: Symbol, value: Value| {
            let mut next = last.clone();
            next.insert(symbol, value);
            self.extend(&trace, next)
        };
        match action {
            Action::Assign(symbol, value) => vec![to(symbol, self.value(value, last))],
            Action::Havoc(symbol, _) => {
                let values = self.choices.iter();
                values.map(|v| to(symbol, v.clone())).collect()
            }
            Action::Test(q) if self.holds(q, last) => vec![trace],
            Action::Test(_) => vec![TraceOf {
                ending: Ending::Fails,
                ..trace
            }],
            Action::Assert(_) | Action::Skip => vec![trace],
        }
    }

    fn conditional(&self, arms: &[Arm], otherwise: &Block, trace: TraceOf) -> Vec<TraceOf> {
        let last = trace.states[trace.states.len() - 1].clone();
        let mut found = Vec::new();
        for arm in arms {
            if self.holds(arm.choice.yes, &last) {
                found.extend(self.sequence(&arm.body.nodes, vec![trace.clone()]));
            }
            if !self.holds(arm.choice.no, &last) {
                return found;
            }
        }
        found.extend(self.sequence(&otherwise.nodes, vec![trace]));
        found
    }

    /// Zero rounds, finitely many, or as many as the bound allows.
    fn rounds(&self, choice: &Choice, body: &Block, trace: TraceOf) -> Vec<TraceOf> {
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
            if self.holds(choice.no, last) {
                done.push(trace.clone());
            }
            if !self.holds(choice.yes, last) {
                continue;
            }
            for next in self.sequence(&body.nodes, vec![trace]) {
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
