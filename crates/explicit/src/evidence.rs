//! Paths that show why a CTL formula is false, or why it is true.
//!
//! A single path can show that `AG`, `AF`, `AX`, `AU`, `AW` are false and that their existential
//! counterparts are true. Where an argument of the operator needs a demonstration itself, the
//! path goes on; where no path can show it, the path ends.

use crate::bits::Bits;
use crate::formula::{Formula, Operator, Part};
use crate::graph::Graph;
use crate::label::{Label, Unseen, greatest};
use crate::table::StateId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A path through the graph: one more state than commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// The states.
    pub states: Vec<StateId>,
    /// The commands between them.
    pub commands: Vec<u32>,
    /// The position where the last state stood before, if the path is a lasso.
    pub back_to: Option<usize>,
}

/// A path that shows that the formula has the truth value in one of the states.
///
/// None if a path cannot show anything about the formula.
pub(crate) fn demonstrate(
    formula: &Formula,
    labels: &[Label],
    graph: &Graph,
    starts: &[StateId],
    value: bool,
) -> Option<Path> {
    let demonstration = Demonstration {
        formula,
        labels,
        graph,
    };
    let mut starts = starts.to_vec();
    let mut path = Path::default();
    let mut goal = Some((formula.root(), value));
    let mut shown = false;
    while let Some((part, value)) = goal {
        let Some(step) = demonstration.step(part, value, &starts) else {
            break;
        };
        match step {
            Step::Same(part, value) => {
                // Only the starts where the argument has the value are still of interest.
                starts.retain(|&s| labels[part].is(s, value));
                goal = Some((part, value));
            }
            Step::Walk(walk, next) => {
                shown = true;
                append(&mut path, walk);
                starts = vec![*path.states.last()?];
                goal = next.filter(|_| path.back_to.is_none());
            }
        }
    }
    (shown && !path.states.is_empty()).then_some(path)
}

/// Appends a walk that starts where the path ends.
fn append(path: &mut Path, walk: Path) {
    let offset = path.states.len().saturating_sub(1);
    path.states.truncate(offset);
    path.states.extend(walk.states);
    path.commands.extend(walk.commands);
    path.back_to = walk.back_to.map(|b| b + offset);
}

/// How a demonstration goes on.
enum Step {
    /// With an argument, in the same state.
    Same(Part, bool),
    /// By a walk, and perhaps an argument in its last state.
    Walk(Path, Option<(Part, bool)>),
}

struct Demonstration<'a> {
    formula: &'a Formula,
    labels: &'a [Label],
    graph: &'a Graph,
}

impl Demonstration<'_> {
    fn step(&self, part: Part, value: bool, starts: &[StateId]) -> Option<Step> {
        let everywhere = |_: StateId| true;
        match (&self.formula.parts[part], value) {
            (Operator::Not(a), _) => Some(Step::Same(*a, !value)),
            (Operator::And(a, b) | Operator::Or(a, b), _) => {
                let junction = matches!(self.formula.parts[part], Operator::And(..));
                self.argument(*a, *b, value, junction == value, starts)
            }
            (Operator::Ex(a), true) | (Operator::Ax(a), false) => self.one_step(*a, value, starts),
            (Operator::Ef(a), true) | (Operator::Ag(a), false) => {
                let walk = self.shortest(starts, everywhere, |s| self.labels[*a].is(s, value))?;
                Some(Step::Walk(walk, Some((*a, value))))
            }
            (Operator::Eg(_), true) | (Operator::Af(_), false) => {
                let set = self.labels[part].set(value);
                Some(Step::Walk(self.lasso(*starts.first()?, &set), None))
            }
            (Operator::Eu(a, b), true) | (Operator::Ew(a, b), true) => self
                .until(*a, *b, starts)
                .or_else(|| self.forever(*a, true, starts)),
            (Operator::Aw(a, b), false) | (Operator::Au(a, b), false) => self
                .broken(*a, *b, starts)
                .or_else(|| self.forever(*b, false, starts)),
            _ => None,
        }
    }

    /// The argument of a conjunction or disjunction that explains its value.
    fn argument(
        &self,
        a: Part,
        b: Part,
        value: bool,
        both_have_it: bool,
        starts: &[StateId],
    ) -> Option<Step> {
        if both_have_it {
            // Either explains a part; the one with a path explains more.
            let part = if self.has_path(a, value) { a } else { b };
            return Some(Step::Same(part, value));
        }
        let explains = |p: Part| starts.iter().any(|&s| self.labels[p].is(s, value));
        let candidates = [a, b].into_iter().filter(|&p| explains(p));
        let best = candidates.min_by_key(|&p| !self.has_path(p, value))?;
        Some(Step::Same(best, value))
    }

    /// Whether a path can show something about a part.
    fn has_path(&self, mut part: Part, mut value: bool) -> bool {
        loop {
            match (&self.formula.parts[part], value) {
                (Operator::Not(a), _) => (part, value) = (*a, !value),
                (Operator::And(a, b) | Operator::Or(a, b), _) => {
                    if self.is_temporal(*a) {
                        part = *a;
                    } else {
                        part = *b;
                    }
                }
                (
                    Operator::Ex(_)
                    | Operator::Ef(_)
                    | Operator::Eg(_)
                    | Operator::Eu(..)
                    | Operator::Ew(..),
                    value,
                ) => return value,
                (Operator::State(_) | Operator::At(_), _) => return false,
                (_, value) => return !value,
            }
        }
    }

    fn is_temporal(&self, part: Part) -> bool {
        let mut stack = vec![part];
        while let Some(p) = stack.pop() {
            match &self.formula.parts[p] {
                Operator::State(_) | Operator::At(_) => {}
                Operator::Not(a) => stack.push(*a),
                Operator::And(a, b) | Operator::Or(a, b) => stack.extend([*a, *b]),
                _ => return true,
            }
        }
        false
    }

    fn one_step(&self, a: Part, value: bool, starts: &[StateId]) -> Option<Step> {
        let mut walks = starts.iter().flat_map(|&s| {
            let steps = self.graph.successors(s).iter().zip(self.graph.commands(s));
            steps.map(move |(&t, &command)| (s, t, command))
        });
        let (s, t, command) = walks.find(|&(_, t, _)| self.labels[a].is(t, value))?;
        let walk = Path {
            states: vec![s, t],
            commands: vec![command],
            back_to: None,
        };
        Some(Step::Walk(walk, Some((a, value))))
    }

    fn until(&self, a: Part, b: Part, starts: &[StateId]) -> Option<Step> {
        let stays = |s: StateId| self.labels[a].is(s, true);
        let walk = self.shortest(starts, stays, |s| self.labels[b].is(s, true))?;
        Some(Step::Walk(walk, Some((b, true))))
    }

    fn broken(&self, a: Part, b: Part, starts: &[StateId]) -> Option<Step> {
        let missing = |s: StateId| self.labels[b].is(s, false);
        let broken = |s: StateId| missing(s) && self.labels[a].is(s, false);
        let walk = self.shortest(starts, missing, broken)?;
        Some(Step::Walk(walk, Some((a, false))))
    }

    fn forever(&self, a: Part, value: bool, starts: &[StateId]) -> Option<Step> {
        let set = greatest(self.graph, &self.labels[a].set(value), Unseen::Hostile);
        let start = starts.iter().find(|&&s| set.contains(s))?;
        Some(Step::Walk(self.lasso(*start, &set), None))
    }

    /// A path inside the set until it ends or comes back to itself.
    fn lasso(&self, start: StateId, set: &Bits) -> Path {
        let mut path = Path {
            states: vec![start],
            ..Path::default()
        };
        let mut positions = FxHashMap::from_iter([(start, 0)]);
        let mut last = start;
        loop {
            let steps = self.graph.successors(last).iter();
            let mut steps = steps.zip(self.graph.commands(last));
            let Some((&t, &command)) = steps.find(|(t, _)| set.contains(**t)) else {
                return path;
            };
            path.states.push(t);
            path.commands.push(command);
            if let Some(&position) = positions.get(&t) {
                path.back_to = Some(position);
                return path;
            }
            positions.insert(t, path.states.len() - 1);
            last = t;
        }
    }

    /// A shortest path from a start to a goal on which all states but the last may be passed.
    fn shortest(
        &self,
        starts: &[StateId],
        may_pass: impl Fn(StateId) -> bool,
        is_goal: impl Fn(StateId) -> bool,
    ) -> Option<Path> {
        let mut parents: FxHashMap<StateId, Option<(StateId, u32)>> = FxHashMap::default();
        let mut queue: VecDeque<StateId> = VecDeque::new();
        for &s in starts {
            if parents.insert(s, None).is_none() {
                queue.push_back(s);
            }
        }
        while let Some(s) = queue.pop_front() {
            if is_goal(s) {
                return Some(path_to(s, &parents));
            }
            if !may_pass(s) {
                continue;
            }
            let steps = self.graph.successors(s).iter();
            for (&t, &command) in steps.zip(self.graph.commands(s)) {
                parents.entry(t).or_insert_with(|| {
                    queue.push_back(t);
                    Some((s, command))
                });
            }
        }
        None
    }
}

fn path_to(goal: StateId, parents: &FxHashMap<StateId, Option<(StateId, u32)>>) -> Path {
    let mut path = Path {
        states: vec![goal],
        ..Path::default()
    };
    let mut last = goal;
    while let Some((parent, command)) = parents[&last] {
        path.states.push(parent);
        path.commands.push(command);
        last = parent;
    }
    path.states.reverse();
    path.commands.reverse();
    path
}
