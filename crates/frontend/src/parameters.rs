//! Values of parameters given by `-D`.

use crate::ReadOptions;
use crate::messages::{Report as _, closest};
use sectile_base::{Diagnostics, Int, Span};
use std::collections::BTreeMap;

/// The values that the user gives to the declared parameters. Undeclared ones are reported.
pub fn given(
    declared: &[&str],
    options: &ReadOptions,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<String, Int> {
    let mut given = BTreeMap::new();
    for (name, text) in &options.parameters {
        let (message, help) = if !declared.contains(&name.as_str()) {
            let message = format!("`-D {name}`: the file declares no parameter `{name}`");
            (message, known(name, declared))
        } else if let Ok(value) = text.trim().parse::<Int>() {
            given.insert(name.clone(), value);
            continue;
        } else {
            let message = format!("`-D {name}={text}`: the value is not an integer");
            (message, format!("write a number, as in `-D {name}=4`"))
        };
        diagnostics.error("parameter", Span::default(), message, help);
    }
    given
}

/// Advice with the names of the declared parameters.
fn known(name: &str, declared: &[&str]) -> String {
    if declared.is_empty() {
        return "it declares no parameters at all".to_string();
    }
    let list = declared.join(", ");
    match closest(name, declared.iter().copied()) {
        Some(close) => format!("did you mean `{close}`? The parameters are {list}"),
        None => format!("the parameters are {list}"),
    }
}
