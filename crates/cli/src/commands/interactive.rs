//! `sectile simulate --interactive`: the user chooses every step.

use crate::approximate;
use crate::args::SimulateArgs;
use crate::output;
use sectile_base::Budget;
use sectile_driver::Loaded;
use sectile_explicit::{Choice, Choices, ExploreError, Simulator};
use sectile_model::{State, Trace};
use sectile_terms::{Value, display_value};
use std::fmt::Write as _;
use std::io::BufRead as _;

/// The maximum number of choices shown at a time.
const OFFERED: usize = 50;

const HELP: &str = "a number of the list, a condition on the next state such as `x = 7`, \
                    b to go back, q to end";

/// The run that the user chooses.
pub fn walk(loaded: &Loaded, args: &SimulateArgs, budget: &Budget) -> Result<Trace, ExploreError> {
    let model = &loaded.reading.module.model;
    let mut session = Session {
        loaded,
        simulator: Simulator::new(&loaded.terms, model, None, budget)?,
        budget,
    };
    if let Some(note) = approximate::note(loaded) {
        output::diagnostic(&note);
    }
    let mut lines = std::io::stdin().lock().lines();
    session.offer()?;
    while session.simulator.trace().states.len() <= args.steps {
        output::control(&session.prompt());
        let Some(Ok(line)) = lines.next() else {
            break;
        };
        if !session.execute(line.trim())? {
            break;
        }
    }
    Ok(session.simulator.trace().clone())
}

struct Session<'s> {
    loaded: &'s Loaded,
    simulator: Simulator,
    budget: &'s Budget,
}

impl Session<'_> {
    /// The prompt.
    fn prompt(&self) -> String {
        match self.simulator.trace().states.len() {
            0 => "start> ".to_string(),
            next => format!("step {next}> "),
        }
    }

    /// Carries out what was typed; false to quit.
    fn execute(&mut self, line: &str) -> Result<bool, ExploreError> {
        match line {
            "q" => return Ok(false),
            "b" => {
                self.simulator.back();
                self.offer()?;
            }
            "" | "?" | "h" => {
                output::diagnostic(HELP);
                self.offer()?;
            }
            text => match text.parse::<usize>() {
                Ok(index) if self.simulator.choose(index) => self.offer()?,
                Ok(_) => output::diagnostic(HELP),
                Err(_) => self.go_where(text)?,
            },
        }
        Ok(true)
    }

    /// Shows the possible next steps.
    fn offer(&mut self) -> Result<(), ExploreError> {
        let choices = self.simulator.options(OFFERED, self.budget)?;
        self.show(&choices);
        Ok(())
    }

    /// Goes to the state that satisfies a condition, or shows the candidates if there are several.
    fn go_where(&mut self, text: &str) -> Result<(), ExploreError> {
        let terms = &self.loaded.terms;
        let condition = match self.loaded.formulas("what was typed", text) {
            Ok(list) => terms.and(list),
            Err(error) => {
                output::diagnostic(&format!("{}\n{HELP}", error.to_string().trim_end()));
                return Ok(());
            }
        };
        let found = self
            .simulator
            .options_where(terms, condition, OFFERED, self.budget)?;
        match &found.list[..] {
            [] => {
                output::diagnostic(match found.complete {
                    true => "no step leads to such a state",
                    false => "no step to such a state was found",
                });
                self.offer()
            }
            [_] => {
                self.simulator.choose(0);
                self.offer()
            }
            _ => {
                self.show(&found);
                Ok(())
            }
        }
    }

    fn show(&self, choices: &Choices) {
        if choices.list.is_empty() {
            output::diagnostic(match choices.complete {
                true => "no step is possible",
                false => "no step was found among the values that were tried",
            });
            return;
        }
        let mut text = String::new();
        let mut first = 0;
        for group in choices.list.chunk_by(|a, b| a.command == b.command) {
            text += &self.group(first, group);
            first += group.len();
        }
        if !choices.complete {
            text += "there may be others: a condition such as `x = 7` finds them\n";
        }
        output::diagnostic(&text);
    }

    /// The choices of one command: the changes common to all of them, and below them the
    /// differences.
    fn group(&self, first: usize, group: &[Choice]) -> String {
        let model = &self.loaded.reading.module.model;
        let before = self.simulator.trace().states.last();
        let command = group[0].command.and_then(|k| model.command(k));
        let name = command.map_or("start", |c| c.name.as_str());
        let value = |choice: &Choice, v: usize| choice.state.values[v].clone();
        let variables = 0..model.variables.len();
        let (common, differing): (Vec<usize>, Vec<usize>) =
            variables.partition(|&v| group.iter().all(|c| value(c, v) == value(&group[0], v)));
        let is_new =
            |v: &usize| before.is_none_or(|b: &State| b.values[*v] != value(&group[0], *v));
        let changed = common.into_iter().filter(is_new);
        let changed = self.values(changed.map(|v| (v, value(&group[0], v))));
        let mut out = String::new();
        // Writing to a String cannot fail.
        if let [_] = group {
            let _ = writeln!(
                out,
                "{}",
                format!("{first:>3}  {name}  {changed}").trim_end()
            );
            return out;
        }
        let _ = writeln!(out, "{}", format!("     {name}  {changed}").trim_end());
        for (k, choice) in group.iter().enumerate() {
            let own = differing.iter().map(|&v| (v, value(choice, v)));
            let _ = writeln!(out, "{:>3}    {}", first + k, self.values(own));
        }
        out
    }

    fn values(&self, list: impl Iterator<Item = (usize, Value)>) -> String {
        let terms = &self.loaded.terms;
        let variables = &self.loaded.reading.module.model.variables;
        let each = list.map(|(v, value)| {
            let value = display_value(terms, &value);
            format!("{} = {value}", terms.name(variables[v]))
        });
        each.collect::<Vec<String>>().join(", ")
    }
}
