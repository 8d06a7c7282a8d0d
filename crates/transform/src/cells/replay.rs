//! Replays a run of cells on whole arrays, without a solver.
//!
//! Arrays start with the values of the cells, and with a common value in all other elements. This
//! may fail if the run depends on an element without a cell, but long runs of simple loops succeed,
//! at no cost.

use super::CellModel;
use sectile_model::{Command, State, Step, Task, Trace};
use sectile_terms::{ArrayValue, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use std::collections::BTreeMap;

/// Values of variables before and after a step.
type Values = BTreeMap<(Symbol, Stage), Value>;

/// Replays a run of the cells on the arrays of the original task.
pub(crate) fn replay(task: &Task<'_>, made: &CellModel, trace: &Trace) -> Option<Trace> {
    let replay = Replay { task, made, trace };
    let rigid = task.model.rigid.iter();
    let rigid = rigid.map(|&s| replay.value_at(0, s));
    let mut run = Trace {
        rigid: rigid.collect::<Option<_>>()?,
        states: vec![replay.start()?],
        ..Trace::default()
    };
    let (init, restrict) = (&task.model.init, &task.model.restrict);
    let begins = replay.holds(&run, init) && replay.holds(&run, restrict);
    if !begins {
        return None;
    }
    for k in 0..trace.steps.len() {
        let (step, state) = replay.follow(k, &run)?;
        run.steps.push(step);
        run.states.push(state);
        if !replay.holds(&run, restrict) {
            return None;
        }
    }
    Some(run)
}

struct Replay<'r> {
    task: &'r Task<'r>,
    made: &'r CellModel,
    trace: &'r Trace,
}

fn value(terms: &Terms, t: Term, values: &Values) -> Option<Value> {
    let find = |symbol: Symbol, stage: Stage| values.get(&(symbol, stage)).cloned();
    evaluate(terms, t, &find).ok()
}

/// An array with one element replaced, addressed by one index for each dimension.
fn with(terms: &Terms, array: ArrayValue, path: &[Value], element: Value) -> ArrayValue {
    match path {
        [] => array,
        [index] => array.with(terms, index.clone(), element),
        [index, rest @ ..] => {
            let inner = match array.get(index) {
                Value::Array(inner) => with(terms, (**inner).clone(), rest, element),
                _ => return array,
            };
            array.with(terms, index.clone(), Value::Array(Box::new(inner)))
        }
    }
}

impl Replay<'_> {
    /// The values of the new model in a state of its run.
    fn cells_at(&self, k: usize) -> Values {
        let model = &self.made.applied.model;
        let variables = model.variables.iter().zip(&self.trace.states[k].values);
        let constants = model.rigid.iter().zip(&self.trace.rigid);
        let all = variables.chain(constants);
        all.map(|(&s, v)| ((s, Stage::Now), v.clone())).collect()
    }

    /// Whether conditions hold in the last state of a run.
    fn holds(&self, run: &Trace, conditions: &[Term]) -> bool {
        let model = self.task.model;
        let last = run.states.last().map_or(&[][..], |s| &s.values);
        let variables = model.variables.iter().zip(last);
        let all = variables.chain(model.rigid.iter().zip(&run.rigid));
        let values: Values = all.map(|(&s, v)| ((s, Stage::Now), v.clone())).collect();
        let holds = |&t: &Term| value(self.task.terms, t, &values) == Some(Value::Bool(true));
        conditions.iter().all(holds)
    }

    /// The value of a variable of the old model; an array gets the values of its cells.
    fn value_at(&self, k: usize, symbol: Symbol) -> Option<Value> {
        let terms = self.task.terms;
        let known = self.cells_at(k);
        if let Some(value) = known.get(&(symbol, Stage::Now)) {
            return Some(value.clone());
        }
        let Value::Array(array) = Value::some_of(terms, terms.symbol_sort(symbol)) else {
            return None;
        };
        let mut array = *array;
        for cell in self.made.cells.iter().filter(|c| c.array == symbol) {
            let path = cell.path.iter().map(|&i| value(terms, i, &known));
            let path: Vec<Value> = path.collect::<Option<_>>()?;
            let element = known.get(&(cell.symbol, Stage::Now))?.clone();
            array = with(terms, array, &path, element);
        }
        Some(Value::Array(Box::new(array)))
    }

    fn start(&self) -> Option<State> {
        let variables = self.task.model.variables.iter();
        let values = variables.map(|&s| self.value_at(0, s));
        Some(State {
            location: self.trace.states.first()?.location,
            values: values.collect::<Option<_>>()?,
        })
    }

    /// Takes a step from the last state of the run, if possible.
    fn follow(&self, k: usize, run: &Trace) -> Option<(Step, State)> {
        let (terms, model) = (self.task.terms, self.task.model);
        let taken = &self.trace.steps[k];
        let (old, new) = (
            model.command(taken.command)?,
            self.made.applied.model.command(taken.command)?,
        );
        let mut values = Values::new();
        let mut put = |symbols: &[Symbol], list: &[Value]| {
            let pairs = symbols.iter().zip(list);
            values.extend(pairs.map(|(&s, v)| ((s, Stage::Now), v.clone())));
        };
        put(&model.rigid, &run.rigid);
        put(&model.variables, &run.states[k].values);
        put(&new.inputs, &taken.inputs);
        let inputs: Option<Vec<Value>> = old
            .inputs
            .iter()
            .map(|&i| {
                values
                    .get(&(i, Stage::Now))
                    .cloned()
                    .or_else(|| self.input(k, old, i))
            })
            .collect();
        let inputs = inputs?;
        let pairs = old.inputs.iter().zip(&inputs);
        values.extend(pairs.map(|(&s, v)| ((s, Stage::Now), v.clone())));
        let after = model.variables.iter().map(|&s| match old.update_of(s) {
            Some(new) => value(terms, new, &values),
            None => self.value_at(k + 1, s),
        });
        let after: Vec<Value> = after.collect::<Option<_>>()?;
        let pairs = model.variables.iter().zip(&after);
        values.extend(pairs.map(|(&s, v)| ((s, Stage::Next), v.clone())));
        let holds = |&t: &Term| value(terms, t, &values) == Some(Value::Bool(true));
        let possible = old.guards.iter().chain(&old.relations).all(holds);
        let step = Step::new(taken.command, inputs);
        let state = State {
            location: self.trace.states[k + 1].location,
            values: after,
        };
        possible.then_some((step, state))
    }

    /// An array that is chosen: if a variable is assigned to it, it has the cells of that variable.
    fn input(&self, k: usize, command: &Command, input: Symbol) -> Option<Value> {
        let terms = self.task.terms;
        if !matches!(terms.symbol_sort(input), Sort::Array(_)) {
            return None;
        }
        debug_assert_eq!(terms.symbol_kind(input), SymbolKind::Input);
        let mut updates = command.updates.iter();
        match updates.find(|u| u.value == terms.var(input)) {
            Some(update) => self.value_at(k + 1, update.symbol),
            None => Some(Value::some_of(terms, terms.symbol_sort(input))),
        }
    }
}
