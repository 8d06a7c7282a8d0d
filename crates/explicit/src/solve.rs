//! Executes plans: enumerates all solutions of a list of constraints.

use crate::error::Interrupt;
use crate::machine::Machine;
use crate::plan::{Definition, End, NodeId, Plan, PlanStep};
use crate::values::{Choosing, Sampling, Values, select};
use sectile_base::Budget;
use std::ops::ControlFlow;

/// A backtracking point.
enum Mark {
    /// The remaining cases of a disjunction, in reverse.
    Cases(Vec<NodeId>),
    /// The cases of the disjunction at a node, from a position on.
    CasesAt(NodeId, usize),
    /// The remaining values of the unknown of a node.
    Values(NodeId, Values),
}

/// Whether all solutions of a plan were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completeness {
    /// There is no other solution.
    Complete,
    /// There may be others, with values outside of the domain or not sampled.
    Clipped,
}

/// Calls `found` for every solution, with the solution in the slots of the machine.
///
/// The same solution may be found several times. The order depends only on the plan and the known
/// slots. `found` may end the enumeration by `Break`.
pub(crate) fn solve(
    plan: &Plan,
    machine: &mut Machine,
    choosing: &mut Choosing<'_>,
    budget: &Budget,
    mut found: impl FnMut(&mut Machine) -> ControlFlow<()>,
) -> Result<Completeness, Interrupt> {
    let mut completeness = Completeness::Complete;
    let mut stack: Vec<Mark> = Vec::new();
    let mut node = Some(0);
    loop {
        if let Some(id) = node
            && run_steps(plan, id, machine)
        {
            match &plan.nodes[id].end {
                End::Done => {
                    if found(machine).is_break() {
                        return Ok(completeness);
                    }
                }
                End::Branch(cases) => stack.push(cases_of(id, cases, choosing)),
                End::Choose(choice) => {
                    let selection = select(plan, choice, machine, choosing)?;
                    if selection.clipped {
                        completeness = Completeness::Clipped;
                    }
                    stack.push(Mark::Values(id, selection.values));
                }
            }
        }
        if stack.is_empty() {
            return Ok(completeness);
        }
        budget.poll()?;
        node = resume(plan, machine, &mut stack);
    }
}

/// The node to continue with; removes exhausted backtracking points from the stack.
fn resume(plan: &Plan, machine: &mut Machine, stack: &mut Vec<Mark>) -> Option<NodeId> {
    let next = match stack.last_mut()? {
        Mark::Cases(list) => list.pop(),
        Mark::CasesAt(id, position) => match &plan.nodes[*id].end {
            End::Branch(cases) => {
                *position += 1;
                cases.get(*position - 1).copied()
            }
            _ => None,
        },
        Mark::Values(id, values) => match &plan.nodes[*id].end {
            End::Choose(choice) => values.next(machine).map(|word| {
                machine.registers[plan.unknowns[choice.unknown].slot] = word;
                choice.next
            }),
            _ => None,
        },
    };
    if next.is_none() {
        stack.pop();
    }
    next
}

fn cases_of(id: NodeId, cases: &[NodeId], choosing: &mut Choosing<'_>) -> Mark {
    match choosing {
        Choosing::Some(Sampling { rng: Some(rng), .. }) => {
            let mut list = cases.to_vec();
            rng.shuffle(&mut list);
            Mark::Cases(list)
        }
        _ => Mark::CasesAt(id, 0),
    }
}

/// Executes the tests and definitions of a node; false if one fails.
#[inline]
fn run_steps(plan: &Plan, id: NodeId, machine: &mut Machine) -> bool {
    plan.nodes[id].steps.iter().all(|step| match step {
        PlanStep::Check(code) => machine.test(&plan.codes[*code]),
        PlanStep::Define(definition) => define(plan, definition, machine),
    })
}

#[inline]
fn define(plan: &Plan, definition: &Definition, machine: &mut Machine) -> bool {
    let mut word = machine.run(&plan.codes[definition.code]);
    if let Some(divisor) = &definition.divisor {
        word = machine.quotient(word, divisor);
    }
    if definition.integral && !machine.is_integer(word) {
        return false;
    }
    machine.registers[definition.slot] = word;
    true
}
