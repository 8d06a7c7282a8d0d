//! Replaying runs by evaluation.

use crate::{Obligation, Refusal};
use sectile_model::{Command, Model, State, Task, Trace};
use sectile_terms::{Stage, Symbol, Term, Value, display_value, evaluate};
use std::collections::BTreeMap;

/// Values of variables at the two ends of a step, of inputs and of constants.
struct Values<'v> {
    model: &'v Model,
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
        let rigid = model.rigid().iter().copied().zip(&trace.rigid).collect();
        let variables = model.variables().iter().copied();
        Values {
            model,
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
        debug_assert!(index < self.model.variables().len());
        state.values.get(index).cloned()
    }

    /// Whether the formula holds; a formula that cannot be evaluated does not.
    fn holds(&self, task: &Task<'_>, formula: Term) -> bool {
        let valuation = |symbol: Symbol, stage: Stage| self.value(symbol, stage);
        evaluate(task.terms, formula, &valuation) == Ok(Value::Bool(true))
    }
}

/// Whether a state formula holds in a state of the run.
pub fn holds_at(task: &Task<'_>, trace: &Trace, index: usize, formula: Term) -> bool {
    Values::new(task, trace, &trace.states[index], None).holds(task, formula)
}

/// Checks that the trace is a run of the model. The property is not looked at.
pub fn check_run(task: &Task<'_>, trace: &Trace) -> Result<(), Refusal> {
    check_shape(task, trace)?;
    check_start(task, trace)?;
    for (k, step) in trace.steps.iter().enumerate() {
        check_step(task, trace, k, step.command, &step.inputs)?;
    }
    Ok(())
}

fn shape(because: impl Into<String>) -> Refusal {
    Refusal {
        obligation: Obligation::Shape,
        because: because.into(),
    }
}

/// Values have the right number and the right sorts; the last state of a lasso is an earlier one.
fn check_shape(task: &Task<'_>, trace: &Trace) -> Result<(), Refusal> {
    let model = task.model;
    if trace.states.len() != trace.steps.len() + 1 {
        return Err(shape("there must be one more state than steps"));
    }
    let last = trace.states.len() - 1;
    if let Some(back) = trace.back_to
        && (back >= last || trace.states[back] != trace.states[last])
    {
        return Err(shape(format!(
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
    if !fits(model.rigid(), &trace.rigid) {
        return Err(shape("the constants do not have one value each"));
    }
    for state in &trace.states {
        let placed = state.location.is_some() == matches!(model, Model::Graph(_));
        if !placed || !fits(model.variables(), &state.values) {
            return Err(shape(
                "a state does not give every variable a value of its type",
            ));
        }
    }
    Ok(())
}

fn check_start(task: &Task<'_>, trace: &Trace) -> Result<(), Refusal> {
    let first = &trace.states[0];
    let values = Values::new(task, trace, first, None);
    let (init, restrict) = match task.model {
        Model::System(s) => (&s.init, &s.restrict),
        Model::Graph(g) => {
            if first.location != Some(g.entry) {
                return Err(Refusal {
                    obligation: Obligation::Start,
                    because: "the run does not start at the entry".to_string(),
                });
            }
            (&g.init, &g.restrict)
        }
    };
    for &conjunct in init.iter().chain(restrict) {
        if !values.holds(task, conjunct) {
            return Err(Refusal {
                obligation: Obligation::Start,
                because: format!("`{}` is false there", print(task, conjunct)),
            });
        }
    }
    Ok(())
}

fn print(task: &Task<'_>, formula: Term) -> String {
    sectile_terms::NativePrinter::new(task.terms).print(formula)
}

/// Checks the step from state `k` to the next one.
fn check_step(
    task: &Task<'_>,
    trace: &Trace,
    k: usize,
    index: usize,
    inputs: &[Value],
) -> Result<(), Refusal> {
    let fail = |because: String| Refusal {
        obligation: Obligation::Step(k + 1),
        because,
    };
    let (from, to) = (&trace.states[k], &trace.states[k + 1]);
    let (command, restrict) = command_of(task, from, to, index).map_err(fail)?;
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
    let primed = restrict.iter().map(|&r| task.terms.prime(r));
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

/// The command with this index, if it leads from the one location to the other.
fn command_of<'m>(
    task: &Task<'m>,
    from: &State,
    to: &State,
    index: usize,
) -> Result<(&'m Command, &'m [Term]), String> {
    match task.model {
        Model::System(s) => {
            let command = s.commands.get(index).ok_or("there is no such command")?;
            Ok((command, &s.restrict))
        }
        Model::Graph(g) => {
            let edge = g.edges.get(index).ok_or("there is no such edge")?;
            if from.location != Some(edge.from) || to.location != Some(edge.to) {
                return Err(format!(
                    "`{}` does not connect these locations",
                    edge.command.name
                ));
            }
            Ok((&edge.command, &g.restrict))
        }
    }
}

/// A state as text, for messages.
pub fn describe(task: &Task<'_>, state: &State) -> String {
    let values = task.model.variables().iter().zip(&state.values);
    let list: Vec<String> = values
        .map(|(s, v)| format!("{} = {}", task.terms.name(*s), display_value(task.terms, v)))
        .collect();
    list.join(", ")
}
