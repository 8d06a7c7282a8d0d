//! Runs that violate a property.

use sectile_report::{Evidence, TraceWords};
use std::sync::Arc;

/// Names with values, in the order of the model. Most values are those of the preceding state, so
/// states share them.
type Values = Vec<(Arc<str>, Arc<str>)>;

/// Applies changes.
fn update(known: &mut Values, changes: &[(String, String)]) {
    for (name, value) in changes {
        let value = Arc::from(value.as_str());
        match known.iter_mut().find(|(n, _)| **n == **name) {
            Some((_, old)) => *old = value,
            None => known.push((Arc::from(name.as_str()), value)),
        }
    }
}

/// The names and values as strings.
fn pairs(values: &Values) -> impl Iterator<Item = (&str, &str)> {
    values.iter().map(|(name, value)| (&**name, &**value))
}

/// A run, state by state.
///
/// Values are texts in the language of the model: `3`, `1/2`, `true`, `idle`. For a program with
/// recursion or for Horn clauses it is a derivation, listed in an order in which every state follows from
/// earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    constants: Values,
    states: Vec<State>,
    back_to: Option<usize>,
    conclusion: String,
    omitted: Option<(usize, usize)>,
}

/// A state of a run, and the step that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    action: String,
    line: Option<usize>,
    location: Option<String>,
    inputs: Values,
    values: Values,
}

impl Trace {
    /// The run in the evidence, if there is one.
    pub(crate) fn of(evidence: &Evidence) -> Option<Trace> {
        match evidence {
            Evidence::Trace(words) => Some(Trace::new(words)),
            Evidence::Cells(cells) => cells.run.as_ref().map(Trace::new),
            _ => None,
        }
    }

    fn new(words: &TraceWords) -> Trace {
        let omitted = words.omitted.map(|o| (o.after, o.states));
        let mut known = Values::new();
        let own = |list: &[(String, String)]| {
            let mut values = Values::new();
            update(&mut values, list);
            values
        };
        let mut states = Vec::with_capacity(words.steps.len());
        for (k, step) in words.steps.iter().enumerate() {
            if omitted.is_some_and(|(after, _)| after == k) {
                // The changes in the omitted part are not listed.
                known.clear();
            }
            update(&mut known, &step.changes);
            states.push(State {
                action: step.label.clone(),
                line: step.line,
                location: step.location.clone(),
                inputs: own(&step.inputs),
                values: known.clone(),
            });
        }
        Trace {
            constants: own(&words.constants),
            states,
            back_to: words.back_to,
            conclusion: words.conclusion.clone(),
            omitted,
        }
    }

    /// The values of the symbolic constants, which are the same in all states.
    pub fn constants(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(&self.constants)
    }

    /// The states, from the initial one on.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The number of the state, from 0, to which the last one returns: the run is a lasso.
    pub fn back_to(&self) -> Option<usize> {
        self.back_to
    }

    /// Why the run violates the property, as a sentence.
    pub fn conclusion(&self) -> &str {
        &self.conclusion
    }

    /// For a run of more than 20,000 states, the middle of which is left out: the number of states
    /// listed before the gap, and the total number of states. After the gap, [`State::values`] has
    /// only the values that changed since. The certificate has all states.
    pub fn omitted(&self) -> Option<(usize, usize)> {
        self.omitted
    }
}

impl State {
    /// The command or statement that led to the state; `start` for the first state.
    pub fn action(&self) -> &str {
        &self.action
    }

    /// Its line in the text.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The location, for programs.
    pub fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    /// The values chosen in the step.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(&self.inputs)
    }

    /// The variables with their values, in the order of the model.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(&self.values)
    }

    /// The value of a variable.
    pub fn value(&self, variable: &str) -> Option<&str> {
        self.values()
            .find(|(name, _)| *name == variable)
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_report::{Omitted, StepWords};

    fn step(changes: &[(&str, &str)]) -> StepWords {
        let owned = |&(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        StepWords {
            changes: changes.iter().map(owned).collect(),
            ..StepWords::default()
        }
    }

    #[test]
    fn values_stay_until_they_change_and_are_forgotten_in_a_gap() {
        let words = TraceWords {
            steps: vec![
                step(&[("x", "0"), ("y", "1")]),
                step(&[("x", "1")]),
                step(&[("x", "9")]),
            ],
            omitted: Some(Omitted {
                after: 2,
                states: 7,
            }),
            ..TraceWords::default()
        };
        let trace = Trace::new(&words);
        let value = |k: usize, name| trace.states()[k].value(name);
        assert_eq!((value(1, "x"), value(1, "y")), (Some("1"), Some("1")));
        assert_eq!((value(2, "x"), value(2, "y")), (Some("9"), None));
        assert_eq!(trace.omitted(), Some((2, 7)));
    }
}
