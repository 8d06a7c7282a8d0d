//! Turns paths into traces: the search records only commands, so replaying finds the inputs.

use crate::compiled::{Compiled, MoveId};
use crate::domain::Domain;
use crate::error::Interrupt;
use crate::evidence::Path;
use crate::machine::Machine;
use crate::table::StateTable;
use crate::values::Choosing;
use sectile_base::Budget;
use sectile_model::{Step, Trace};
use sectile_terms::Value;
use std::ops::ControlFlow;

/// The trace of a path.
pub(crate) fn trace(
    compiled: &Compiled,
    machine: &mut Machine,
    table: &StateTable,
    domain: Option<&Domain>,
    path: &Path,
) -> Trace {
    let mut steps = Vec::with_capacity(path.commands.len());
    for (i, &command) in path.commands.iter().enumerate() {
        let (from, to) = (table.row(path.states[i]), table.row(path.states[i + 1]));
        let id = command as usize;
        let inputs = inputs_of(compiled, machine, domain, id, from, to);
        steps.push(Step::new(id, inputs.expect("the search saw this step")));
    }
    let numbers = &machine.numbers;
    let states = path.states.iter();
    Trace {
        rigid: compiled.rigid(numbers, table.row(path.states[0])),
        states: states
            .map(|&s| compiled.state(numbers, table.row(s)))
            .collect(),
        steps,
        back_to: path.back_to,
    }
}

/// The inputs by which a command leads from one state to another; `None` if it does not.
pub(crate) fn inputs_of(
    compiled: &Compiled,
    machine: &mut Machine,
    domain: Option<&Domain>,
    command: MoveId,
    from: &[u64],
    to: &[u64],
) -> Option<Vec<Value>> {
    compiled.load(machine, from);
    let mut row = vec![0; compiled.codec.width];
    let mut inputs = None;
    // No limits here: the search has found this step within its own.
    let outcome = compiled.successors(
        command,
        machine,
        &mut Choosing::All(domain),
        &Budget::unlimited(),
        &mut row,
        |row, machine| {
            if row != to {
                return ControlFlow::Continue(());
            }
            inputs = Some(compiled.input_values(command, machine));
            ControlFlow::Break(())
        },
    );
    debug_assert!(!matches!(outcome, Err(Interrupt::Error(_))));
    inputs
}
