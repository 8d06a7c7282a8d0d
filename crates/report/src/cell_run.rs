//! A run along the choices of cells: how a violation begins, and why it goes on for ever.

use crate::evidence::{TraceWords, cell_conjuncts, run_words};
use sectile_base::Source;
use sectile_model::{
    CellClaim, Choice, CtlProof, Initial, NormalCtl, NormalPart, Paths, State, Step, Task, Trace,
};
use sectile_terms::{Stage, Symbol, Term, Value, evaluate};
use std::collections::BTreeMap;

/// Runs have no more steps than this.
const LONGEST: usize = 200;

/// The run until it comes back to a cell, with what can be said of the cycle.
pub(crate) fn run_of_cells(
    task: &Task<'_>,
    source: &Source,
    proof: &CtlProof,
) -> Option<TraceWords> {
    let Initial::One(rigid, state, cell) = &proof.initial else {
        return None;
    };
    let entry = task.model.entry;
    let formula = NormalCtl::of_property_at(task.terms, &task.property.kind, false, entry)?;
    let walk = Walk {
        task,
        formula: &formula,
        proof,
        cells: vec![*cell],
        trace: Trace {
            rigid: rigid.clone(),
            states: vec![state.clone()],
            ..Trace::default()
        },
    };
    walk.run(source)
}

struct Walk<'w> {
    task: &'w Task<'w>,
    formula: &'w NormalCtl,
    proof: &'w CtlProof,
    /// The cells of the states.
    cells: Vec<usize>,
    trace: Trace,
}

impl Walk<'_> {
    fn run(mut self, source: &Source) -> Option<TraceWords> {
        let mut part = self.formula.root();
        let mut visited: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut returned = None;
        // Where cells offer several choices, the first cycle may have an end: a later one is shown.
        let mut open = 0;
        while self.trace.steps.len() < LONGEST {
            part = match self.formula.parts[part] {
                NormalPart::And(a, b) => match self.formula.parts[a] {
                    NormalPart::State(_) => b,
                    _ => a,
                },
                NormalPart::Or(a, b) => match self.claim(a) {
                    Some(_) => a,
                    None => b,
                },
                NormalPart::Next(Paths::Some, f) => {
                    self.choose(part)?;
                    f
                }
                NormalPart::Until(Paths::Some, _, g) | NormalPart::Weak(Paths::Some, _, g)
                    if self.claim(g).is_some() =>
                {
                    g
                }
                NormalPart::Until(Paths::Some, ..) => {
                    self.choose(part)?;
                    part
                }
                NormalPart::Weak(Paths::Some, ..) => {
                    let (cell, here) = (*self.cells.last()?, self.trace.steps.len());
                    match visited.get(&(part, cell)) {
                        Some(&earlier) if earlier >= open => {
                            return Some(self.told(source, earlier));
                        }
                        Some(_) => returned = returned.or(Some(here)),
                        None => {}
                    }
                    visited.insert((part, cell), here);
                    if self.claim(part)?.choices.len() > 1 {
                        open = here + 1;
                    }
                    self.choose(part)?;
                    part
                }
                // What is claimed of all paths is not one run.
                _ => return None,
            };
        }
        let returned = returned?;
        self.trace.steps.truncate(returned);
        self.trace.states.truncate(returned + 1);
        let conclusion =
            "every state of the cells that it passes has a step into one of them, for ever";
        Some(TraceWords {
            conclusion: conclusion.to_string(),
            ..run_words(self.task.terms, self.task.model, source, &self.trace)
        })
    }

    fn told(&self, source: &Source, earlier: usize) -> TraceWords {
        let (terms, model) = (self.task.terms, self.task.model);
        let last = self.trace.steps.len();
        let cell = &self.proof.cells[self.cells[last]];
        let mut states = cell_conjuncts(self.task, cell);
        if !model.is_system() {
            states.remove(0);
        }
        let states = states.join(" and ");
        let conclusion = format!(
            "state {last} satisfies what state {earlier} does: {states}; \
             from every such state these steps can be repeated, for ever"
        );
        TraceWords {
            conclusion,
            ..run_words(terms, model, source, &self.trace)
        }
    }

    fn claim(&self, part: usize) -> Option<&CellClaim> {
        let cell = self.cells.last()?;
        self.proof.claims[part].iter().find(|c| c.cell == *cell)
    }

    /// Takes the first of the choices that is possible.
    fn choose(&mut self, part: usize) -> Option<()> {
        let cell = self.proof.cells.get(*self.cells.last()?)?;
        let choices = self.claim(part)?.choices.iter();
        let mut choices = choices.filter_map(|&k| cell.choices.get(k));
        let found =
            choices.find_map(|c| self.after(c).map(|(step, state)| (c.target, step, state)));
        let (target, step, state) = found?;
        self.proof.cells.get(target)?;
        self.cells.push(target);
        self.trace.steps.push(step);
        self.trace.states.push(state);
        Some(())
    }

    /// The step of a choice and the state after it, if it is possible.
    fn after(&self, choice: &Choice) -> Option<(Step, State)> {
        let model = self.task.model;
        let edge = model.edges.get(choice.command)?;
        let command = &edge.command;
        let symbols = model.variables.iter().chain(&model.rigid).copied();
        let state = self.trace.states.last()?;
        let values = state.values.iter().chain(&self.trace.rigid).cloned();
        let mut now: BTreeMap<Symbol, Value> = symbols.zip(values).collect();
        let mut next: BTreeMap<Symbol, Value> = BTreeMap::new();
        let mut inputs = BTreeMap::new();
        for (symbol, value) in &choice.values {
            let value = self.value(*value, &now, &next)?;
            match command.inputs.contains(symbol) {
                true => inputs.insert(*symbol, value),
                false => next.insert(*symbol, value),
            };
        }
        let own = command.inputs.iter().map(|s| inputs.get(s).cloned());
        let step = Step::new(choice.command, own.collect::<Option<_>>()?);
        now.extend(inputs);
        for update in &command.updates {
            next.insert(update.symbol, self.value(update.value, &now, &next)?);
        }
        let conditions = command.guards.iter().chain(&command.relations).copied();
        let primed = model.restrict.iter().map(|&r| self.task.terms.prime(r));
        let target = self
            .task
            .terms
            .prime(self.proof.cells.get(choice.target)?.formula);
        for condition in conditions.chain(primed).chain([target]) {
            if self.value(condition, &now, &next)? != Value::Bool(true) {
                return None;
            }
        }
        let values = model.variables.iter().map(|v| next.get(v).cloned());
        let state = State {
            location: edge.to,
            values: values.collect::<Option<_>>()?,
        };
        Some((step, state))
    }

    fn value(
        &self,
        term: Term,
        now: &BTreeMap<Symbol, Value>,
        next: &BTreeMap<Symbol, Value>,
    ) -> Option<Value> {
        let valuation = |symbol: Symbol, stage: Stage| match stage {
            Stage::Now => now.get(&symbol).cloned(),
            Stage::Next => next.get(&symbol).cloned(),
            Stage::At(_) => None,
        };
        evaluate(self.task.terms, term, &valuation).ok()
    }
}
