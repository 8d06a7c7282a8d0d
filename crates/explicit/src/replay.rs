//! Traces from paths: the search remembers commands, replaying finds the inputs.

use crate::compiled::Compiled;
use crate::domain::Domain;
use crate::error::Interrupt;
use crate::evidence::Path;
use crate::machine::Machine;
use crate::table::StateTable;
use crate::values::Choosing;
use sectile_base::Budget;
use sectile_model::{Step, Trace};
use std::ops::ControlFlow;

/// The path as a trace.
pub(crate) fn trace(
    compiled: &Compiled,
    machine: &mut Machine,
    table: &StateTable,
    domain: Option<&Domain>,
    path: &Path,
) -> Trace {
    let mut steps = Vec::with_capacity(path.commands.len());
    let mut row = vec![0; compiled.codec.width];
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
