//! Translation of runs between representatives to runs of the system.
//!
//! A step between representatives is a step of the system followed by a turn. Undoing all turns up
//! to a state gives the state of the run, and the actual command. A run that returns to a
//! representative may be at another state of its orbit: then the loop is repeated, turned, until it
//! really returns.

use crate::symmetry::{STAY, Symmetry, Turn};
use sectile_model::{Model, State, Step, Trace};

/// Maximum number of steps of a run.
const LONGEST: usize = 20_000;

/// A run of the system for one whose steps are followed by these turns; none if it is too long.
pub fn unturned(
    symmetry: &Symmetry<'_>,
    system: &Model,
    trace: Trace,
    turns: &[usize],
) -> Option<Trace> {
    if turns.iter().all(|t| *t == STAY) {
        return Some(trace);
    }
    // The composed turn from the states of the run to the representatives.
    let mut sofar = vec![STAY];
    for &turn in turns {
        sofar.push(symmetry.then(*sofar.last()?, turn));
    }
    let back: Vec<usize> = sofar.iter().map(|&t| symmetry.back(t)).collect();
    let states = trace.states.iter().zip(&back);
    let states = states.map(|(s, &t)| turned_state(&symmetry.turn(t), system, s));
    let steps = trace.steps.iter().zip(&back);
    let steps = steps.map(|(s, &t)| turned_step(&symmetry.turn(t), s));
    let mut real = Trace {
        rigid: trace.rigid.clone(),
        states: states.collect(),
        steps: steps.collect(),
        back_to: trace.back_to,
    };
    if let Some(start) = real.back_to {
        let once = symmetry.then(sofar[start], *back.last()?);
        close(symmetry, system, &mut real, start, once)?;
    }
    Some(real)
}

/// Repeats the loop, turned once more each time, until it ends where it started.
fn close(
    symmetry: &Symmetry<'_>,
    system: &Model,
    trace: &mut Trace,
    start: usize,
    once: usize,
) -> Option<()> {
    let states: Vec<State> = trace.states[start + 1..].to_vec();
    let steps: Vec<Step> = trace.steps[start..].to_vec();
    let mut by = STAY;
    while trace.states.last() != trace.states.get(start) {
        if trace.states.len() > LONGEST {
            return None;
        }
        by = symmetry.then(by, once);
        let turn = symmetry.turn(by);
        let again = states.iter().map(|s| turned_state(&turn, system, s));
        trace.states.extend(again);
        trace
            .steps
            .extend(steps.iter().map(|s| turned_step(&turn, s)));
    }
    Some(())
}

fn turned_state(turn: &Turn, system: &Model, state: &State) -> State {
    let mut turned = state.clone();
    for (symbol, value) in system.variables.iter().zip(&state.values) {
        let image = turn.symbol(*symbol);
        if let Some(place) = system.variables.iter().position(|s| *s == image) {
            turned.values[place] = value.clone();
        }
    }
    turned
}

/// The inputs of a command correspond to those of its image, in order.
fn turned_step(turn: &Turn, step: &Step) -> Step {
    Step::new(turn.commands[step.command], step.inputs.clone())
}
