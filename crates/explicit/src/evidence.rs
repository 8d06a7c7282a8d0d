//! Paths that show why a CTL formula is false, or why it is true.
//!
//! A single path can show that `AG`, `AF`, `AX`, `AU`, `AW` are false and that their existential
//! counterparts are true. If an argument of the operator needs a demonstration itself, the path is
//! continued; if no path can show it, the path ends.

use crate::bits::Bits;
use crate::formula::Formula;
use crate::graph::Graph;
use crate::label::{Label, Unseen, greatest};
use crate::search::Parent;
use crate::table::StateId;
use rustc_hash::FxHashMap;
use sectile_model::Ctl;
use std::collections::VecDeque;

/// A path through the graph: one more state than commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// The states.
    pub states: Vec<StateId>,
    /// The commands between them.
    pub commands: Vec<u32>,
    /// The earlier position of the last state, if the path is a lasso.
    pub back_to: Option<usize>,
}

impl Path {
    /// The path to a state, given how each state on it was reached.
    pub(crate) fn to(goal: StateId, parent: impl Fn(StateId) -> Parent) -> Path {
        let mut path = Path {
            states: vec![goal],
            ..Path::default()
        };
        let mut last = goal;
        while let Some((state, command)) = parent(last) {
            path.states.push(state);
            path.commands.push(command);
            last = state;
        }
        path.states.reverse();
        path.commands.reverse();
        path
    }
}

/// A path that shows that the formula has this truth value in one of the states.
///
/// `None` if a path cannot show anything about the formula.
pub(crate) fn demonstrate(
    formula: &Formula<'_>,
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
    let mut goal = formula.parts.last().map(|part| (part.0, value));
    let mut shown = false;
    while let Some((part, value)) = goal {
        let Some(step) = demonstration.step(part, value, &starts) else {
            break;
        };
        match step {
            Step::Same(part, value) => {
                // Keep only the starts where the argument has this value.
                starts.retain(|&s| demonstration.label(part).is(s, value));
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

/// Appends a path that starts where this one ends.
fn append(path: &mut Path, walk: Path) {
    let offset = path.states.len().saturating_sub(1);
    path.states.truncate(offset);
    path.states.extend(walk.states);
    path.commands.extend(walk.commands);
    path.back_to = walk.back_to.map(|b| b + offset);
}

/// How a demonstration continues.
enum Step<'f> {
    /// With an argument, in the same state.
    Same(&'f Ctl, bool),
    /// With a path, and optionally an argument in its last state.
    Walk(Path, Option<(&'f Ctl, bool)>),
}

struct Demonstration<'a> {
    formula: &'a Formula<'a>,
    labels: &'a [Label],
    graph: &'a Graph,
}

impl<'a> Demonstration<'a> {
    fn label(&self, part: &Ctl) -> &Label {
        &self.labels[self.formula.position(part)]
    }

    fn step(&self, part: &'a Ctl, value: bool, starts: &[StateId]) -> Option<Step<'a>> {
        let everywhere = |_: StateId| true;
        match (part, value) {
            (Ctl::Not(a), _) => Some(Step::Same(a, !value)),
            (Ctl::And(a, b) | Ctl::Or(a, b), _) => {
                let junction = matches!(part, Ctl::And(..));
                self.argument(a, b, value, junction == value, starts)
            }
            (Ctl::Ex(a), true) | (Ctl::Ax(a), false) => self.one_step(a, value, starts),
            (Ctl::Ef(a), true) | (Ctl::Ag(a), false) => {
                let label = self.label(a);
                let walk = self.shortest(starts, everywhere, |s| label.is(s, value))?;
                Some(Step::Walk(walk, Some((a, value))))
            }
            (Ctl::Eg(_), true) | (Ctl::Af(_), false) => {
                let set = self.label(part).set(value);
                Some(Step::Walk(self.lasso(*starts.first()?, &set), None))
            }
            (Ctl::Eu(a, b) | Ctl::Ew(a, b), true) => self
                .until(a, b, starts)
                .or_else(|| self.forever(a, true, starts)),
            (Ctl::Aw(a, b) | Ctl::Au(a, b), false) => self
                .broken(a, b, starts)
                .or_else(|| self.forever(b, false, starts)),
            _ => None,
        }
    }

    /// The argument of a conjunction or disjunction that explains its value.
    fn argument(
        &self,
        a: &'a Ctl,
        b: &'a Ctl,
        value: bool,
        both_have_it: bool,
        starts: &[StateId],
    ) -> Option<Step<'a>> {
        if both_have_it {
            // Each explains a part of it; the one with a path explains more.
            let part = if has_path(a, value) { a } else { b };
            return Some(Step::Same(part, value));
        }
        let explains = |p: &&Ctl| starts.iter().any(|&s| self.label(p).is(s, value));
        let candidates = [a, b].into_iter().filter(explains);
        let best = candidates.min_by_key(|p| !has_path(p, value))?;
        Some(Step::Same(best, value))
    }

    fn one_step(&self, a: &'a Ctl, value: bool, starts: &[StateId]) -> Option<Step<'a>> {
        let label = self.label(a);
        let mut walks = starts.iter().flat_map(|&s| {
            let steps = self.graph.successors(s).iter().zip(self.graph.commands(s));
            steps.map(move |(&t, &command)| (s, t, command))
        });
        let (s, t, command) = walks.find(|&(_, t, _)| label.is(t, value))?;
        let walk = Path {
            states: vec![s, t],
            commands: vec![command],
            back_to: None,
        };
        Some(Step::Walk(walk, Some((a, value))))
    }

    fn until(&self, a: &Ctl, b: &'a Ctl, starts: &[StateId]) -> Option<Step<'a>> {
        let (stays, goal) = (self.label(a), self.label(b));
        let walk = self.shortest(starts, |s| stays.is(s, true), |s| goal.is(s, true))?;
        Some(Step::Walk(walk, Some((b, true))))
    }

    fn broken(&self, a: &'a Ctl, b: &Ctl, starts: &[StateId]) -> Option<Step<'a>> {
        let (promise, end) = (self.label(a), self.label(b));
        let missing = |s: StateId| end.is(s, false);
        let broken = |s: StateId| missing(s) && promise.is(s, false);
        let walk = self.shortest(starts, missing, broken)?;
        Some(Step::Walk(walk, Some((a, false))))
    }

    fn forever(&self, a: &Ctl, value: bool, starts: &[StateId]) -> Option<Step<'a>> {
        let set = greatest(self.graph, &self.label(a).set(value), Unseen::Hostile);
        let start = starts.iter().find(|&&s| set.contains(s))?;
        Some(Step::Walk(self.lasso(*start, &set), None))
    }

    /// A path inside the set until it ends or reaches one of its states again.
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

    /// A shortest path from a start to a goal; all states but the last must satisfy `may_pass`.
    fn shortest(
        &self,
        starts: &[StateId],
        may_pass: impl Fn(StateId) -> bool,
        is_goal: impl Fn(StateId) -> bool,
    ) -> Option<Path> {
        let mut parents: FxHashMap<StateId, Parent> = FxHashMap::default();
        let mut queue: VecDeque<StateId> = VecDeque::new();
        for &s in starts {
            if parents.insert(s, None).is_none() {
                queue.push_back(s);
            }
        }
        while let Some(s) = queue.pop_front() {
            if is_goal(s) {
                return Some(Path::to(s, |state| parents[&state]));
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

/// Whether a path can show something about a part.
fn has_path(mut part: &Ctl, mut value: bool) -> bool {
    loop {
        match part {
            Ctl::Not(a) => (part, value) = (a, !value),
            Ctl::And(a, b) | Ctl::Or(a, b) => part = if is_temporal(a) { a } else { b },
            Ctl::Ex(_) | Ctl::Ef(_) | Ctl::Eg(_) | Ctl::Eu(..) | Ctl::Ew(..) => return value,
            Ctl::State(_) | Ctl::At(_) => return false,
            _ => return !value,
        }
    }
}

fn is_temporal(part: &Ctl) -> bool {
    let mut stack = vec![part];
    while let Some(p) = stack.pop() {
        match p {
            Ctl::State(_) | Ctl::At(_) => {}
            Ctl::Not(_) | Ctl::And(..) | Ctl::Or(..) => stack.extend(p.arguments()),
            _ => return true,
        }
    }
    false
}
