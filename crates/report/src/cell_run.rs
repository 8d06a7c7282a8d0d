//! A run along the choices of cells: how a violation begins, and why it goes on for ever.

use crate::evidence::{TraceWords, cell_conjuncts, run_words};
use sectile_base::Source;
use sectile_model::{
    CellClaim, Choice, CtlProof, Initial, NormalCtl, NormalPart, Paths, State, Step, Task, Trace,
};
use sectile_terms::{NativePrinter, Stage, Substitution, Symbol, Term, Value, evaluate};
use std::collections::BTreeMap;

/// Runs have no more steps than this.
const LONGEST: usize = 200;

/// Rounds whose effect takes more letters than this are not told.
const LONGEST_ROUND: usize = 400;

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
        taken: Vec::new(),
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
    /// The choices of the steps.
    taken: Vec<&'w Choice>,
    trace: Trace,
}

impl<'w> Walk<'w> {
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
        let round = match self.round(earlier) {
            Some(round) => format!("\n{round}"),
            None => String::new(),
        };
        let conclusion = format!(
            "state {last} satisfies what state {earlier} does: {states}; \
             from every such state these steps can be repeated, for ever{round}"
        );
        TraceWords {
            conclusion,
            repeats_from: Some(earlier),
            ..run_words(terms, model, source, &self.trace)
        }
    }

    /// What the steps from a state on do together, and what they need.
    fn round(&self, from: usize) -> Option<String> {
        let (terms, model) = (self.task.terms, self.task.model);
        let printer = NativePrinter::new(terms);
        let mut now = Substitution::default();
        let mut needs: Vec<String> = Vec::new();
        for choice in &self.taken[from..] {
            let command = &model.edges.get(choice.command)?.command;
            let is_now = |t: Term| terms.free_vars(t).iter().all(|v| v.1 == Stage::Now);
            if !choice.values.iter().all(|v| is_now(v.1)) {
                return None;
            }
            let chosen = choice.values.iter();
            let chosen: BTreeMap<Symbol, Term> = chosen
                .map(|&(symbol, value)| (symbol, terms.substitute(value, &now)))
                .collect();
            let inputs = command.inputs.iter();
            let inputs = inputs.filter_map(|i| Some((terms.var(*i), *chosen.get(i)?)));
            let mut before = now.clone();
            before.extend(inputs);
            for &guard in &command.guards {
                let need = terms.substitute(guard, &before);
                let text = printer.print(need);
                if terms.as_bool(need).is_none() && !needs.contains(&text) {
                    needs.push(text);
                }
            }
            let updates = command.updates.iter();
            let updates = updates.map(|u| (u.symbol, terms.substitute(u.value, &before)));
            let changed: Vec<(Symbol, Term)> = chosen
                .iter()
                .filter(|(symbol, _)| model.variables.contains(symbol))
                .map(|(&symbol, &value)| (symbol, value))
                .chain(updates)
                .collect();
            now.extend(changed.into_iter().map(|(s, value)| (terms.var(s), value)));
        }
        let sets = model.variables.iter().filter_map(|&symbol| {
            let value = *now.get(&terms.var(symbol))?;
            let differs = value != terms.var(symbol);
            differs.then(|| format!("`{}` to {}", terms.name(symbol), printer.print(value)))
        });
        let sets: Vec<String> = sets.collect();
        let sets = match sets.as_slice() {
            [] => "one round changes nothing".to_string(),
            _ => format!("one round sets {}", sets.join(", ")),
        };
        let needs = match needs.as_slice() {
            [] => "it is possible everywhere".to_string(),
            _ => format!("it needs {}", needs.join(" and ")),
        };
        let text = format!("{sets}; {needs}");
        (text.chars().count() <= LONGEST_ROUND).then_some(text)
    }

    fn claim(&self, part: usize) -> Option<&CellClaim> {
        let cell = self.cells.last()?;
        self.proof.claims[part].iter().find(|c| c.cell == *cell)
    }

    /// Takes the first of the choices that is possible.
    fn choose(&mut self, part: usize) -> Option<()> {
        let proof: &'w CtlProof = self.proof;
        let cell = proof.cells.get(*self.cells.last()?)?;
        let choices = self.claim(part)?.choices.iter();
        let mut choices = choices.filter_map(|&k| cell.choices.get(k));
        let found = choices.find_map(|c| self.after(c).map(|(step, state)| (c, step, state)));
        let (choice, step, state) = found?;
        self.proof.cells.get(choice.target)?;
        self.cells.push(choice.target);
        self.taken.push(choice);
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
