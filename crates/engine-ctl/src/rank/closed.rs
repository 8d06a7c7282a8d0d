//! Closed sets: states that the steps of a part do not leave, without a fixed cycle of steps.
//!
//! One function per node: if it is not negative, it is not negative after every step inside the
//! part, and no step that leaves the part is possible. Preservation of the sign is required in two
//! linear forms: the function does not decrease, or it is not negative after the step wherever the
//! step starts. The empty set would satisfy this, so some states are given that must be in the set.
//!
//! Papers: [GHMRX08], closed recurrent sets by Farkas' lemma. Differs: one inequality per cell,
//! with a fixed multiplier of the inequality itself; cells are cut, and their steps are the
//! evidence.

use super::lexicographic::before;
use super::linear::{Form, LinearProgram};
use super::{Function, Transition};
use sectile_base::Rat;

/// Maximum size of tables.
const LARGEST_TABLE: usize = 60_000;

/// Maximum number of leaving steps that are excluded one at a time, if excluding all at once fails.
const MOST_SINGLE: usize = 6;

/// A strongly connected part with its steps.
pub struct Part<'p> {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of numbers in a state.
    pub variables: usize,
    /// The steps inside.
    pub inner: &'p [Transition],
    /// The unavoidable steps that leave it.
    pub leaving: &'p [Transition],
    /// Nodes with states that must be in the set.
    pub points: &'p [(usize, Vec<Rat>)],
}

/// For every node, a function that is not negative on a closed set.
pub fn closed(part: &Part<'_>) -> Option<Vec<Function>> {
    let all = (0..part.leaving.len()).collect::<Vec<_>>();
    let single = all.iter().take(MOST_SINGLE).map(|&k| vec![k]);
    let single = single.filter(|_| all.len() > 1);
    let excluded = std::iter::once(all.clone()).chain(single);
    excluded
        .filter(|list| !list.is_empty())
        .flat_map(|list| [(list.clone(), Rat::ONE), (list, Rat::ZERO)])
        .find_map(|(list, kept)| part.functions(&list, &kept))
}

impl Part<'_> {
    /// Functions that exclude some of the leaving steps; `kept` times the function before a step is
    /// a lower bound of the one after it.
    fn functions(&self, excluded: &[usize], kept: &Rat) -> Option<Vec<Function>> {
        let mut program = LinearProgram::default();
        let width = self.variables + 1;
        for _ in 0..self.nodes * width {
            program.unknown(false);
        }
        let base = |node: usize| node * width;
        for t in self.inner {
            let mut form = Form::zero(t.points);
            add_after(&mut form, t, self.variables, base(t.to));
            form.add(scaled(before(t, self.variables, base(t.from)), &-kept));
            program.not_negative_on(&t.constraints, form);
        }
        for &k in excluded {
            let t = &self.leaving[k];
            let here = before(t, self.variables, base(t.from));
            let mut form = scaled(here, &Rat::MINUS_ONE);
            form.constant.constant -= &Rat::ONE;
            program.not_negative_on(&t.constraints, form);
        }
        for (node, point) in self.points {
            let mut value = Form::zero(0);
            for (v, number) in point.iter().enumerate() {
                value.constant.add(base(*node) + v, number.clone());
            }
            value.constant.add(base(*node) + self.variables, Rat::ONE);
            program.not_negative_on(&[], value);
        }
        if program.size() > LARGEST_TABLE {
            return None;
        }
        let values = program.solution()?;
        let function = |node: usize| {
            let own = &values[base(node)..base(node) + width];
            Function {
                factors: own[..self.variables].to_vec(),
                constant: own[self.variables].clone(),
            }
        };
        Some((0..self.nodes).map(function).collect())
    }
}

/// Adds the function of a node, whose unknowns start at `base`, after a transition.
fn add_after(form: &mut Form, transition: &Transition, variables: usize, base: usize) {
    for (v, value) in transition.next.iter().enumerate() {
        for (point, c) in &value.terms {
            form.coefficients[*point].add(base + v, c.clone());
        }
        form.constant.add(base + v, value.constant.clone());
    }
    form.constant.add(base + variables, Rat::ONE);
}

fn scaled(mut form: Form, factor: &Rat) -> Form {
    let sums = form.coefficients.iter_mut().chain([&mut form.constant]);
    for sum in sums {
        sum.parts.iter_mut().for_each(|(_, c)| *c = &*c * factor);
        sum.constant = &sum.constant * factor;
    }
    form
}
