//! Evidence about clauses in words: meanings of predicates, and derivations as trees of calls.
//!
//! A derivation about a program is a run: the first premise of an instance is what came before it,
//! the second one, behind a call, is what the callee did. Calls are indented.

use crate::clauses::readable;
use crate::evidence::{Evidence, StepWords, TraceWords};
use sectile_base::Source;
use sectile_model::horn::{Application, Derivation, Instance};
use sectile_model::{ClauseEvidence, ClauseModel, ClausePlace, StepKind};
use sectile_terms::{NativePrinter, Symbol, Term, Terms, Value, display_value};
use std::collections::BTreeMap;

/// Puts evidence about clauses into words.
pub fn describe_clauses(
    terms: &Terms,
    source: &Source,
    model: &ClauseModel,
    evidence: &ClauseEvidence,
) -> Evidence {
    match evidence {
        ClauseEvidence::Meanings(list) => meanings(terms, model, list),
        ClauseEvidence::Derivation(derivation) => {
            let teller = Teller {
                terms,
                source,
                model,
                derivation,
            };
            Evidence::Trace(match model.steps.is_empty() {
                true => teller.instances(),
                false => teller.calls(),
            })
        }
    }
}

/// What holds at calls, returns and loop heads; of files of clauses, everything.
fn meanings(terms: &Terms, model: &ClauseModel, list: &[Term]) -> Evidence {
    let printer = NativePrinter::new(terms);
    let shown = |p: usize| {
        let place = model.places.get(p);
        place.is_none_or(|p| *p != ClausePlace::Location)
    };
    let predicates = model.clauses.predicates.iter().zip(list).enumerate();
    let predicates = predicates.filter(|(p, _)| shown(*p));
    let words = predicates.map(|(_, (predicate, &meaning))| {
        let parts = readable(terms, meaning);
        let mut parts: Vec<String> = parts.into_iter().map(|t| printer.print(t)).collect();
        if parts.is_empty() {
            parts.push("true".to_string());
        }
        (predicate.name.clone(), parts)
    });
    Evidence::Locations(words.collect())
}

struct Teller<'t> {
    terms: &'t Terms,
    source: &'t Source,
    model: &'t ClauseModel,
    derivation: &'t Derivation,
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

impl Teller<'_> {
    fn instance(&self, i: usize) -> Option<&Instance> {
        self.derivation.instances.get(i)
    }

    fn head(&self, i: usize) -> Option<&Application> {
        let clause = self.instance(i)?.clause;
        self.model.clauses.clauses.get(clause)?.head.as_ref()
    }

    fn kind(&self, i: usize) -> StepKind {
        let step = self
            .instance(i)
            .and_then(|x| self.model.steps.get(x.clause));
        step.map_or(StepKind::Within, |s| s.kind)
    }

    fn text(&self, i: usize) -> String {
        let step = self
            .instance(i)
            .and_then(|x| self.model.steps.get(x.clause));
        step.map_or(String::new(), |s| s.text.clone())
    }

    fn line(&self, i: usize) -> Option<usize> {
        let clause = self.instance(i)?.clause;
        let span = self.model.clauses.clauses.get(clause)?.span;
        Some(self.source.position(span.start).line)
    }

    /// The values that an instance derives, by the parameters of its predicate.
    fn derived(&self, i: usize) -> Vec<(Symbol, Value)> {
        let values = self.head(i).and_then(|head| {
            let values = self
                .instance(i)?
                .arguments(self.terms, &self.model.clauses, head)?;
            let predicate = self.model.clauses.predicates.get(head.predicate)?;
            Some(predicate.parameters.iter().copied().zip(values).collect())
        });
        values.unwrap_or_default()
    }

    fn place(&self, i: usize) -> Option<ClausePlace> {
        self.model.places.get(self.head(i)?.predicate).copied()
    }

    /// What came before an instance, from the start, or from the entry of its procedure.
    fn way_to(&self, last: usize, from_entry: bool) -> Vec<usize> {
        let mut way = vec![last];
        while let Some(&before) = way
            .last()
            .and_then(|&i| self.instance(i))
            .and_then(|x| x.premises.first())
        {
            way.push(before);
            if from_entry && self.place(before) == Some(ClausePlace::Called) {
                break;
            }
        }
        way.reverse();
        way
    }

    fn calls(&self) -> TraceWords {
        let mut words = TraceWords::default();
        let Some(last) = self.derivation.instances.len().checked_sub(1) else {
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
        let Some(&summary) = self.instance(i).and_then(|x| x.premises.get(1)) else {
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
        let values = values.map(|(s, v)| {
            (
                self.terms.name(s).to_string(),
                display_value(self.terms, &v),
            )
        });
        StepWords {
            label: format!("{}{name} returns", "  ".repeat(depth)),
            line: self.line(summary),
            location: Some(self.place_name(summary)),
            inputs: Vec::new(),
            changes: values.collect(),
        }
    }

    fn place_name(&self, i: usize) -> String {
        let head = self.head(i);
        let predicate = head.and_then(|h| self.model.clauses.predicates.get(h.predicate));
        predicate.map_or("false".to_string(), |p| p.name.clone())
    }

    fn words(
        &self,
        i: usize,
        depth: usize,
        text: String,
        frame: usize,
        frames: &mut Vec<Frame>,
    ) -> StepWords {
        while frames.len() <= frame {
            frames.push(Frame::default());
        }
        let is_entry = self.place(i) == Some(ClausePlace::Called);
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
        let location = self.head(i).map(|_| self.place_name(i));
        StepWords {
            label: format!("{}{text}", "  ".repeat(depth)),
            line: self.line(i),
            location,
            inputs: Vec::new(),
            changes,
        }
    }

    /// What fails in the end, with the values in it.
    fn conclusion(&self, last: usize) -> String {
        let Some(instance) = self.instance(last) else {
            return String::new();
        };
        let Some(clause) = self.model.clauses.clauses.get(instance.clause) else {
            return String::new();
        };
        let vars = self.terms.free_vars_of(&clause.constraint);
        let values = vars.iter().filter_map(|(symbol, _)| {
            let at = clause.variables.iter().position(|v| v == symbol)?;
            let value = display_value(self.terms, instance.values.get(at)?);
            Some(format!("{} = {value}", clause.names[at]))
        });
        let values: Vec<String> = values.collect();
        let line = self
            .line(last)
            .map_or(String::new(), |l| format!(" on line {l}"));
        match values.is_empty() {
            true => format!("{}{line}", self.text(last)),
            false => format!("{}{line}: {}", self.text(last), values.join(", ")),
        }
    }

    /// A derivation from a file of clauses, one instance a line.
    fn instances(&self) -> TraceWords {
        let all = 0..self.derivation.instances.len();
        let steps = all.map(|i| {
            let instance = &self.derivation.instances[i];
            let from = instance.premises.iter().map(|p| p.to_string());
            let from: Vec<String> = from.collect();
            let label = match from.is_empty() {
                true => format!("clause {}", instance.clause + 1),
                false => format!("clause {} from {}", instance.clause + 1, from.join(", ")),
            };
            let values = self.head(i).and_then(|head| {
                let values = instance.arguments(self.terms, &self.model.clauses, head)?;
                Some(values.into_iter().enumerate())
            });
            let changes = values.into_iter().flatten().map(|(k, v)| {
                let name = (k + 1).to_string();
                (name, display_value(self.terms, &v))
            });
            StepWords {
                label,
                line: self.line(i),
                location: Some(self.place_name(i)),
                inputs: Vec::new(),
                changes: changes.collect(),
            }
        });
        TraceWords {
            steps: steps.collect(),
            conclusion: "false follows".to_string(),
            ..TraceWords::default()
        }
    }
}
