//! Loops with phases: one sum falls until it is negative, then another one does.
//!
//! Functions `f1 .. fk` a node, such that every step lets `f1` fall by one, lets `fi` fall by one
//! once the function before it is negative, and `fk` is bounded. Where all sums before one are
//! negative it falls; so cells that are cut by the signs of the functions have rankings.
//!
//! Paper: [LeHe14, Def. 4.6], nested rankings. Differs: their signs cut cells; nothing else is kept.

use super::lexicographic::{before, subtract_after};
use super::linear::LinearProgram;
use super::{Function, Transition};
use sectile_base::Rat;

/// Loops with more phases are not looked for.
const MOST_PHASES: usize = 4;

/// Tables with more numbers are not tried.
const LARGEST_TABLE: usize = 120_000;

/// For every node, the functions whose signs tell the phases.
pub fn phases(
    nodes: usize,
    variables: usize,
    transitions: &[Transition],
) -> Option<Vec<Vec<Function>>> {
    (2..=MOST_PHASES).find_map(|k| nested(nodes, variables, transitions, k))
}

fn nested(
    nodes: usize,
    variables: usize,
    transitions: &[Transition],
    k: usize,
) -> Option<Vec<Vec<Function>>> {
    let mut program = LinearProgram::default();
    let width = variables + 1;
    for _ in 0..nodes * k * width {
        program.unknown(false);
    }
    let base = |node: usize, i: usize| (node * k + i) * width;
    for t in transitions {
        for i in 0..k {
            let mut form = before(t, variables, base(t.from, i));
            subtract_after(&mut form, t, variables, base(t.to, i));
            if let Some(earlier) = i.checked_sub(1) {
                form.add(before(t, variables, base(t.from, earlier)));
            }
            form.constant.constant -= &Rat::ONE;
            program.not_negative_on(&t.constraints, form);
        }
        let last = before(t, variables, base(t.from, k - 1));
        program.not_negative_on(&t.constraints, last);
        if program.size() > LARGEST_TABLE {
            return None;
        }
    }
    let values = program.solution()?;
    let function = |node: usize, i: usize| {
        let own = &values[base(node, i)..base(node, i) + width];
        Function {
            factors: own[..variables].to_vec(),
            constant: own[variables].clone(),
        }
    };
    let of_node = |node: usize| (0..k - 1).map(|i| function(node, i)).collect();
    Some((0..nodes).map(of_node).collect())
}
