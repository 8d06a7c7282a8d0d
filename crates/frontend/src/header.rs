//! Reads header comments: the verdicts and state spaces that the author expects.

use sectile_base::{Diagnostic, Diagnostics, Int, Source, Span};
use sectile_model::{Expectation, Expected, Module, StateSpace};

/// Reads the comments `// expect...` and `// explore...`; malformed ones cause warnings.
pub fn read(
    source: &Source,
    comments: &[Span],
    module: &mut Module,
    diagnostics: &mut Diagnostics,
) {
    for &span in comments {
        let text = source.slice(span).trim_start_matches('/').trim();
        let result = match keyword(text) {
            Some(("expect", rest)) => expectation(rest, module),
            Some((_, rest)) => state_space(rest, module),
            None => continue,
        };
        if let Err(problem) = result {
            let warning = Diagnostic::warning("header", span, problem);
            diagnostics.push(warning.help(
                "the forms are `expect: NAME holds`, `expect(n=2): NAME violated in 3 steps` and \
                 `explore(n=2): 20 states, 0 deadlocks`",
            ));
        }
    }
}

/// The keyword of a header comment and the text after it.
fn keyword(text: &str) -> Option<(&'static str, &str)> {
    ["expect", "explore"].into_iter().find_map(|word| {
        let rest = text.strip_prefix(word)?.trim_start();
        let header = rest.starts_with('(') || rest.starts_with(':');
        header.then_some((word, rest))
    })
}

type Parameters = Vec<(String, Int)>;

/// Reads the parameters of `(n=2, bug=1): rest`.
fn conditions<'t>(text: &'t str, module: &Module) -> Result<(Parameters, &'t str), String> {
    let mut parameters = Vec::new();
    let mut rest = text;
    if let Some(inside) = text.strip_prefix('(') {
        let (list, behind) = inside.split_once(')').ok_or("`)` is missing")?;
        rest = behind.trim_start();
        for equation in list.split(',') {
            let (name, value) = equation.split_once('=').ok_or("`=` is missing")?;
            let (name, value) = (name.trim(), value.trim());
            let value = value.parse::<Int>();
            let value = value.map_err(|_| format!("the value of `{name}` is not an integer"))?;
            let mut declared = module.parameters.iter();
            if !declared.any(|(declared, _)| declared == name) {
                return Err(format!("there is no parameter `{name}`"));
            }
            parameters.push((name.to_string(), value));
        }
    }
    let rest = rest.strip_prefix(':').ok_or("`:` is missing")?;
    Ok((parameters, rest.trim()))
}

fn expectation(text: &str, module: &mut Module) -> Result<(), String> {
    let (parameters, rest) = conditions(text, module)?;
    let (property, verdict) = split_verdict(rest).ok_or("`holds` or `violated` is missing")?;
    let words: Vec<&str> = verdict.split_whitespace().collect();
    let expected = match words[..] {
        ["holds"] => Expected::Holds,
        ["violated"] => Expected::Violated(None),
        ["violated", "in", count, "step" | "steps"] => {
            let steps = count.parse::<usize>();
            let steps = steps.map_err(|_| format!("`{count}` is not a number of steps"))?;
            Expected::Violated(Some(steps))
        }
        _ => return Err(format!("`{verdict}` is not a verdict")),
    };
    if module.property(property).is_none() {
        return Err(format!("there is no property `{property}`"));
    }
    module.expectations.push(Expectation {
        parameters,
        property: property.to_string(),
        expected,
    });
    Ok(())
}

/// Splits a text into property and verdict. The name may be in backquotes, with any characters.
fn split_verdict(text: &str) -> Option<(&str, &str)> {
    let (name, verdict) = match text.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`')?,
        None => text.split_once(char::is_whitespace)?,
    };
    Some((name, verdict.trim()))
}

fn state_space(text: &str, module: &mut Module) -> Result<(), String> {
    let (parameters, rest) = conditions(text, module)?;
    let mut states = None;
    let mut deadlocks = None;
    for part in rest.split(',') {
        let words: Vec<&str> = part.split_whitespace().collect();
        let number = |text: &str| {
            let parsed = text.parse::<usize>();
            parsed.map_err(|_| format!("`{text}` is not a number"))
        };
        match words[..] {
            [count, "state" | "states"] => states = Some(number(count)?),
            [count, "deadlock" | "deadlocks"] => deadlocks = Some(number(count)?),
            _ => return Err(format!("`{}` is not a size of a state space", part.trim())),
        }
    }
    module.state_spaces.push(StateSpace {
        parameters,
        states: states.ok_or("the number of states is missing")?,
        deadlocks,
    });
    Ok(())
}
