//! Sets of states that the steps of a part do not leave, though no cycle of it repeats the same steps.
//!
//! One function a node: where it is not negative, it is not negative behind every step that stays in the
//! part, and no step that leaves the part is possible. That a step keeps the sign is asked in two forms that
//! are linear: the function does not fall, or it is not negative behind the step wherever the step starts.
//! Without a state that is in the set, the empty set would do; so some states are given.
//!
//! Papers: [GHMRX08], closed recurrent sets by Farkas' lemma. Differs: one inequality a cell at a time, with the
//! multiplier of the inequality itself fixed; cells are cut, and their steps are the evidence.

use super::lexicographic::before;
use super::linear::{Form, LinearProgram};
use super::{Function, Transition};
use sectile_base::Rat;

/// Tables with more numbers are not tried.
const LARGEST_TABLE: usize = 60_000;

/// How many steps out of a part are excluded one at a time, if all at once is too much.
const MOST_SINGLE: usize = 6;

/// A part, and what is known about it.
pub struct Part<'p> {
    /// How many nodes it has.
    pub nodes: usize,
    /// How many numbers a state has.
    pub variables: usize,
    /// The steps inside.
    pub inner: &'p [Transition],
    /// The steps that leave it and cannot be avoided.
    pub leaving: &'p [Transition],
    /// Nodes with states that shall be in the set.
    pub points: &'p [(usize, Vec<Rat>)],
}

/// For every node, a function that is not negative in the states of a closed set.
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
    /// Functions that exclude some of the steps that leave the part; `kept` times the function before a
    /// step is a lower bound of the one behind it.
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
