//! Derivations in words: trees of calls of a program, or steps that rest on earlier ones.
//!
//! A derivation about a program is a run: the state in which an edge starts is what came before it,
//! its premise, behind a call, is what the callee did. Calls are indented.

use crate::evidence::{StepWords, TraceWords, named, values_of};
use sectile_base::Source;
use sectile_model::{Edge, LocationId, Model, PropertyKind, Role, Step, Task, Trace};
use sectile_terms::{Symbol, Terms, Value, display_value};
use std::collections::BTreeMap;

/// A derivation in words: of a program with recursion, as a tree of calls.
pub(crate) fn derivation_words(task: &Task<'_>, source: &Source, trace: &Trace) -> TraceWords {
    let derivation = Derivation {
        task,
        terms: task.terms,
        source,
        model: task.model,
        trace,
    };
    let words = match has_calls(task.model) {
        true => derivation.calls(),
        false => derivation.steps(),
    };
    TraceWords {
        constants: named(task.terms, &task.model.rigid, &trace.rigid),
        ..words
    }
}

/// Whether a model has procedures that are called.
pub(crate) fn has_calls(model: &Model) -> bool {
    model.locations.iter().any(|l| l.role != Role::Plain)
}

/// The states that a step rests on: in a run, the one before it.
pub(crate) fn rests_on(trace: &Trace, k: usize) -> Vec<usize> {
    let named = trace.steps.get(k).map(|s| s.rests_on.clone());
    named.filter(|n| !n.is_empty()).unwrap_or_else(|| vec![k])
}

/// What a step does to the stack of calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepKind {
    Within,
    Enter,
    Return,
}

struct Derivation<'t> {
    task: &'t Task<'t>,
    terms: &'t Terms,
    source: &'t Source,
    model: &'t Model,
    trace: &'t Trace,
}

/// What is still to be told.
enum Work {
    /// A step at this depth of calls.
    Step(usize, usize),
    /// A procedure is entered; the instances are those of the entry and of the call.
    Call(usize, usize, usize),
    /// A procedure is left; the instance is that of its summary.
    Back(usize, usize),
}

/// What is known about the variables of one call.
#[derive(Default)]
struct Frame {
    known: BTreeMap<Symbol, Value>,
    /// The values with which the procedure was entered.
    entered: BTreeMap<Symbol, Value>,
}

/// Steps are counted from 0; step `i` leads to state `i + 1`.
impl Derivation<'_> {
    fn step(&self, i: usize) -> Option<(&Step, &Edge)> {
        let step = self.trace.steps.get(i)?;
        Some((step, self.model.edges.get(step.command)?))
    }

    /// Where a step leads, unless the property is violated there.
    fn location(&self, i: usize) -> Option<LocationId> {
        let to = self.step(i)?.1.to;
        let is_error = matches!(&self.task.property.kind, PropertyKind::Unreachable(list) if list.contains(&to));
        (!is_error).then_some(to)
    }

    fn role(&self, i: usize) -> Option<Role> {
        self.location(i).map(|l| self.model.locations[l.0].role)
    }

    fn kind(&self, i: usize) -> StepKind {
        let role = |l: LocationId| self.model.locations[l.0].role;
        match self.step(i) {
            // Where a procedure is called, another edge leads behind the call.
            Some((_, e)) if role(e.to) == Role::Called && self.goes_on(e.from) => StepKind::Enter,
            Some((_, e)) if e.premises.iter().any(|p| role(p.location) == Role::Summary) => {
                StepKind::Return
            }
            _ => StepKind::Within,
        }
    }

    fn goes_on(&self, location: LocationId) -> bool {
        let mut leaving = self.model.edges.iter().filter(|e| e.from == location);
        leaving.any(|e| !e.premises.is_empty())
    }

    fn text(&self, i: usize) -> String {
        let name = self.step(i).map(|(_, e)| e.command.name.clone());
        name.unwrap_or_default()
    }

    fn line(&self, i: usize) -> Option<usize> {
        let span = self.step(i)?.1.command.span;
        Some(self.source.position(span.start).line)
    }

    /// The values of the variables that matter where a step leads.
    fn derived(&self, i: usize) -> Vec<(Symbol, Value)> {
        let (Some(location), Some(state)) = (self.location(i), self.trace.states.get(i + 1)) else {
            return Vec::new();
        };
        let all = self.model.variables.iter().zip(&state.values);
        let known: BTreeMap<&Symbol, &Value> = all.collect();
        let own = self.model.variables_at(location).iter();
        own.filter_map(|s| Some((*s, (*known.get(s)?).clone())))
            .collect()
    }

    /// The steps that a step rests on.
    fn premises(&self, i: usize) -> Vec<usize> {
        let states = rests_on(self.trace, i);
        states.iter().filter_map(|s| s.checked_sub(1)).collect()
    }

    /// What came before a step, from the start, or from the entry of its procedure.
    fn way_to(&self, last: usize, from_entry: bool) -> Vec<usize> {
        let mut way = vec![last];
        let mut next = last;
        while let Some(&before) = self.premises(next).first() {
            way.push(before);
            if from_entry && self.role(before) == Some(Role::Called) {
                break;
            }
            next = before;
        }
        way.reverse();
        way
    }

    fn calls(&self) -> TraceWords {
        let mut words = TraceWords::default();
        let Some(last) = self.trace.steps.len().checked_sub(1) else {
            return words;
        };
        let mut work = Vec::new();
        let mut depth = 0;
        for i in self.way_to(last, false) {
            match self.kind(i) {
                StepKind::Enter => {
                    work.push(Work::Call(i, i, depth));
                    depth += 1;
                }
                _ => work.push(Work::Step(i, depth)),
            }
        }
        work.reverse();
        let mut frames: Vec<Frame> = vec![Frame::default()];
        while let Some(next) = work.pop() {
            self.tell(next, &mut work, &mut frames, &mut words.steps);
        }
        words.conclusion = self.conclusion(last);
        words
    }

    fn tell(
        &self,
        next: Work,
        work: &mut Vec<Work>,
        frames: &mut Vec<Frame>,
        steps: &mut Vec<StepWords>,
    ) {
        match next {
            Work::Call(entry, call, depth) => {
                frames.truncate(depth + 1);
                frames.push(Frame::default());
                let text = self.text(call);
                // What passes the arguments and checks what is required belongs to the call.
                let belongs = |s: &StepWords| s.label.trim_start().starts_with(&text);
                while steps.last().is_some_and(belongs) {
                    steps.pop();
                }
                let mut told = self.words(entry, depth, text, depth + 1, frames);
                told.line = self.line(call);
                steps.push(told);
            }
            Work::Back(summary, depth) => {
                let told = self.returned(summary, depth, frames);
                frames.truncate(depth + 1);
                steps.push(told);
            }
            Work::Step(i, depth) if self.kind(i) == StepKind::Return => {
                self.expand(i, depth, work);
            }
            Work::Step(i, depth) => {
                let told = self.words(i, depth, self.text(i), depth, frames);
                steps.push(told);
            }
        }
    }

    /// What the callee did, in the place of its return.
    fn expand(&self, i: usize, depth: usize, work: &mut Vec<Work>) {
        let Some(&summary) = self.premises(i).get(1) else {
            return;
        };
        let way = self.way_to(summary, true);
        work.push(Work::Back(summary, depth));
        let (entry, inside) = way.split_at(way.len().min(1));
        let inside = inside.iter().rev();
        work.extend(inside.map(|&k| Work::Step(k, depth + 1)));
        work.extend(entry.iter().map(|&k| Work::Call(k, i, depth)));
    }

    /// A return, with the results and what was changed.
    fn returned(&self, summary: usize, depth: usize, frames: &[Frame]) -> StepWords {
        let name = self.place_name(summary);
        let name = name.strip_suffix(".return").unwrap_or(&name);
        let entered = frames.get(depth + 1).map(|f| &f.entered);
        let values = self.derived(summary).into_iter().filter(|(s, v)| {
            let same = entered.is_some_and(|f| f.get(s) == Some(v));
            // Old values are those at the call.
            !same && !self.terms.name(*s).contains("old(")
        });
        let (symbols, values): (Vec<Symbol>, Vec<Value>) = values.unzip();
        StepWords {
            label: format!("{}{name} returns", "  ".repeat(depth)),
            line: self.line(summary),
            location: Some(self.place_name(summary)),
            changes: named(self.terms, &symbols, &values),
            ..StepWords::default()
        }
    }

    fn place_name(&self, i: usize) -> String {
        let location = self.location(i);
        let name = location.map(|l| self.model.location_name(l).to_string());
        name.unwrap_or_else(|| "false".to_string())
    }

    fn words(
        &self,
        i: usize,
        depth: usize,
        text: String,
        frame: usize,
        frames: &mut Vec<Frame>,
    ) -> StepWords {
        frames.resize_with(frames.len().max(frame + 1), Frame::default);
        let is_entry = self.role(i) == Some(Role::Called);
        let Frame { known, entered } = &mut frames[frame];
        let mut changes = Vec::new();
        for (symbol, value) in self.derived(i) {
            let name = self.terms.name(symbol);
            let is_new = known.get(&symbol) != Some(&value);
            // What is passed is shown as the arguments of the callee.
            if is_new && !name.starts_with("call.") {
                changes.push((name.to_string(), display_value(self.terms, &value)));
            }
            if is_entry {
                entered.insert(symbol, value.clone());
            }
            known.insert(symbol, value);
        }
        StepWords {
            label: format!("{}{text}", "  ".repeat(depth)),
            line: self.line(i),
            location: self.location(i).map(|_| self.place_name(i)),
            changes,
            ..StepWords::default()
        }
    }

    /// What fails in the end, with the values in it.
    fn conclusion(&self, last: usize) -> String {
        let Some((_, edge)) = self.step(last) else {
            return String::new();
        };
        let before = self.trace.states.get(rests_on(self.trace, last)[0]);
        let values = before.map(|s| values_of(self.task, self.trace, s, &edge.command.guards));
        let mut text = self.text(last);
        if let Some(line) = self.line(last) {
            text += &format!(" on line {line}");
        }
        if let Some(values) = values.filter(|v| !v.is_empty()) {
            text += &format!(": {values}");
        }
        text
    }

    /// A derivation from a file of clauses, one step a line.
    fn steps(&self) -> TraceWords {
        let steps = (0..self.trace.steps.len()).map(|i| {
            let from = self.premises(i);
            let from: Vec<String> = from.iter().map(ToString::to_string).collect();
            let label = match from.is_empty() {
                true => self.text(i),
                false => format!("{} from {}", self.text(i), from.join(", ")),
            };
            let values = self.derived(i).into_iter().enumerate();
            let changes = values.map(|(k, (_, v))| {
                let name = (k + 1).to_string();
                (name, display_value(self.terms, &v))
            });
            StepWords {
                label,
                line: self.line(i),
                location: Some(self.place_name(i)),
                changes: changes.collect(),
                ..StepWords::default()
            }
        });
        TraceWords {
            steps: steps.collect(),
            conclusion: "false follows".to_string(),
            ..TraceWords::default()
        }
    }
}
