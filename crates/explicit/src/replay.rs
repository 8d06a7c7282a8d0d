//! Traces from paths: the search remembers commands, replaying finds the inputs.

use crate::compiled::Compiled;
use crate::domain::Domain;
use crate::error::Interrupt;
use crate::evidence::Path;
use crate::machine::Machine;
use crate::search::Parent;
use crate::table::{StateId, StateTable};
use crate::values::Choosing;
use sectile_base::Budget;
use sectile_model::{LocationId, State, Step, Trace};
use sectile_terms::Value;
use std::ops::ControlFlow;

/// The shortest path to a state.
pub(crate) fn path_to(parents: &[Parent], state: StateId) -> Path {
    let mut path = Path {
        states: vec![state],
        ..Path::default()
    };
    let mut last = state;
    while let Some((parent, command)) = parents[last as usize] {
        path.states.push(parent);
        path.commands.push(command);
        last = parent;
    }
    path.states.reverse();
    path.commands.reverse();
    path
}

/// The path as a trace.
pub(crate) fn trace(
    compiled: &Compiled,
    machine: &mut Machine,
    table: &StateTable,
    domain: Option<&Domain>,
    path: &Path,
) -> Trace {
    let mut steps = Vec::with_capacity(path.commands.len());
    let mut row = vec![0; compiled.codec.width()];
    for (i, &command) in path.commands.iter().enumerate() {
        compiled.load(machine, table.row(path.states[i]));
        let target = table.row(path.states[i + 1]);
        let id = command as usize;
        let mut inputs = None;
        // No limits here: the search has found this very step within its own.
        let outcome = compiled.successors(
            id,
            machine,
            &mut Choosing::All(domain),
            &Budget::unlimited(),
            &mut row,
            |row, machine| {
                if row != target {
                    return ControlFlow::Continue(());
                }
                inputs = Some(compiled.input_values(id, machine));
                ControlFlow::Break(())
            },
        );
        debug_assert!(!matches!(outcome, Err(Interrupt::Error(_))));
        steps.push(Step::new(id, inputs.expect("the search saw this step")));
    }
    let states = path.states.iter();
    Trace {
        rigid: rigid(compiled, machine, table.row(path.states[0])),
        states: states
            .map(|&s| state(compiled, machine, table.row(s)))
            .collect(),
        steps,
        back_to: path.back_to,
    }
}

/// A row as a state.
pub(crate) fn state(compiled: &Compiled, machine: &mut Machine, row: &[u64]) -> State {
    let location = compiled.load(machine, row);
    let variables = 0..compiled.layout.variables.len();
    State {
        location: LocationId(location),
        values: values(compiled, machine, variables),
    }
}

/// The symbolic constants of a row.
pub(crate) fn rigid(compiled: &Compiled, machine: &mut Machine, row: &[u64]) -> Vec<Value> {
    compiled.load(machine, row);
    let constants = compiled.layout.variables.len()..compiled.layout.width();
    values(compiled, machine, constants)
}

fn values(compiled: &Compiled, machine: &Machine, range: std::ops::Range<usize>) -> Vec<Value> {
    let sorts = &compiled.layout.sorts;
    let value = |i: usize| machine.numbers.value(machine.registers[i], sorts[i]);
    range.map(value).collect()
}
