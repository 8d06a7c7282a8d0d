//! Replaying runs by evaluation.

use crate::Obligation;
use crate::checker::{Checked, Stop};
use sectile_model::{State, Step, Task, Trace};
use sectile_terms::{Stage, Symbol, Term, Value, display_value, evaluate};
use std::collections::BTreeMap;

/// Values of variables at the two ends of a step, of inputs and of constants.
struct Values<'v> {
    rigid: BTreeMap<Symbol, &'v Value>,
    index: BTreeMap<Symbol, usize>,
    now: &'v State,
    next: Option<&'v State>,
    inputs: BTreeMap<Symbol, &'v Value>,
}

impl<'v> Values<'v> {
    fn new(
        task: &Task<'v>,
        trace: &'v Trace,
        now: &'v State,
        next: Option<&'v State>,
    ) -> Values<'v> {
        let model = task.model;
        let rigid = model.rigid.iter().copied().zip(&trace.rigid).collect();
        let variables = model.variables.iter().copied();
        Values {
            rigid,
            index: variables.enumerate().map(|(i, s)| (s, i)).collect(),
            now,
            next,
            inputs: BTreeMap::new(),
        }
    }

    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        if let Some(value) = self.rigid.get(&symbol).or_else(|| self.inputs.get(&symbol)) {
            return Some((*value).clone());
        }
        let state = match stage {
            Stage::Now => self.now,
            Stage::Next => self.next?,
            Stage::At(_) => return None,
        };
        let index = *self.index.get(&symbol)?;
        state.values.get(index).cloned()
    }

    fn evaluated(&self, task: &Task<'_>, term: Term) -> Option<Value> {
        let valuation = |symbol: Symbol, stage: Stage| self.value(symbol, stage);
        evaluate(task.terms, term, &valuation).ok()
    }

    /// Whether the formula holds; one that cannot be evaluated does not.
    fn holds(&self, task: &Task<'_>, formula: Term) -> bool {
        self.evaluated(task, formula) == Some(Value::Bool(true))
    }
}

/// Whether a state formula holds in a state of the run.
pub fn holds_at(task: &Task<'_>, trace: &Trace, index: usize, formula: Term) -> bool {
    Values::new(task, trace, &trace.states[index], None).holds(task, formula)
}

/// Checks that the trace is a run of the model. The property is ignored.
pub fn check_run(task: &Task<'_>, trace: &Trace) -> Checked {
    check_shape(task, trace)?;
    check_start(task, trace)?;
    for (k, step) in trace.steps.iter().enumerate() {
        check_step(task, trace, k, step)?;
    }
    Ok(())
}

/// Checks that values have the right number and sorts, and that the last state of a lasso repeats
/// an earlier one.
fn check_shape(task: &Task<'_>, trace: &Trace) -> Checked {
    let model = task.model;
    if trace.states.len() != trace.steps.len() + 1 {
        return Err(Stop::shape("there must be one more state than steps"));
    }
    let last = trace.states.len() - 1;
    if let Some(back) = trace.back_to
        && (back >= last || trace.states[back] != trace.states[last])
    {
        return Err(Stop::shape(format!(
            "the last state is not state {back} again, to which the run is said to go back"
        )));
    }
    let fits = |symbols: &[Symbol], values: &[Value]| {
        symbols.len() == values.len()
            && symbols
                .iter()
                .zip(values)
                .all(|(s, v)| task.terms.symbol_sort(*s) == v.sort())
    };
    if !fits(&model.rigid, &trace.rigid) {
        return Err(Stop::shape("the constants do not have one value each"));
    }
    for state in &trace.states {
        let placed = state.location.0 < model.locations.len();
        if !placed || !fits(&model.variables, &state.values) {
            return Err(Stop::shape(
                "a state does not give every variable a value of its type",
            ));
        }
    }
    Ok(())
}

fn check_start(task: &Task<'_>, trace: &Trace) -> Checked {
    let first = &trace.states[0];
    let values = Values::new(task, trace, first, None);
    let model = task.model;
    if first.location != model.entry {
        let because = "the run does not start at the entry";
        return Err(Stop::refused(Obligation::Start, because));
    }
    for &conjunct in model.init.iter().chain(&model.restrict) {
        if !values.holds(task, conjunct) {
            let because = format!("`{}` is false there", print(task, conjunct));
            return Err(Stop::refused(Obligation::Start, because));
        }
    }
    Ok(())
}

fn print(task: &Task<'_>, formula: Term) -> String {
    sectile_terms::NativePrinter::new(task.terms).print(formula)
}

/// Checks the step to state `k + 1`: from the previous state, or from the states it rests on.
fn check_step(task: &Task<'_>, trace: &Trace, k: usize, step: &Step) -> Checked {
    let fail = |because: String| Stop::refused(Obligation::Step(k + 1), because);
    let edge = task.model.edges.get(step.command);
    let edge = edge.ok_or_else(|| fail("there is no such step".to_string()))?;
    let (command, inputs) = (&edge.command, &step.inputs);
    if edge.loose {
        let name = &command.name;
        return Err(fail(format!("`{name}` allows more than the source does")));
    }
    let (first, others) = match step.rests_on.split_first() {
        None => (k, &[][..]),
        Some((&first, others)) => (first, others),
    };
    if first.max(others.iter().copied().max().unwrap_or(0)) > k {
        return Err(fail(
            "it rests on a state that is not there yet".to_string(),
        ));
    }
    if others.len() != edge.premises.len() {
        return Err(fail(
            "it does not have the premises of its edge".to_string(),
        ));
    }
    let (from, to) = (&trace.states[first], &trace.states[k + 1]);
    if from.location != edge.from || to.location != edge.to {
        let name = &command.name;
        return Err(fail(format!("`{name}` does not connect these locations")));
    }
    if command.inputs.len() != inputs.len() {
        return Err(fail(format!(
            "`{}` needs {} chosen values, not {}",
            command.name,
            command.inputs.len(),
            inputs.len()
        )));
    }
    let mut values = Values::new(task, trace, from, Some(to));
    values.inputs = command.inputs.iter().copied().zip(inputs).collect();
    for (premise, &other) in edge.premises.iter().zip(others) {
        let state = &trace.states[other];
        let same = |(symbol, value): &(Symbol, Term)| {
            let known = values.index.get(symbol).and_then(|&i| state.values.get(i));
            known.is_some_and(|known| values.evaluated(task, *value).as_ref() == Some(known))
        };
        if state.location != premise.location || !premise.values.iter().all(same) {
            return Err(fail(format!(
                "a premise of `{}` is another state",
                command.name
            )));
        }
    }
    let primed = task.model.restrict.iter().map(|&r| task.terms.prime(r));
    for conjunct in command.conjuncts(task.terms).into_iter().chain(primed) {
        if !values.holds(task, conjunct) {
            return Err(fail(format!(
                "`{}` is not possible: `{}` is false",
                command.name,
                print(task, conjunct)
            )));
        }
    }
    Ok(())
}

/// A state as text, for messages.
pub fn describe(task: &Task<'_>, state: &State) -> String {
    let values = task.model.variables.iter().zip(&state.values);
    let list: Vec<String> = values
        .map(|(s, v)| format!("{} = {}", task.terms.name(*s), display_value(task.terms, v)))
        .collect();
    list.join(", ")
}
