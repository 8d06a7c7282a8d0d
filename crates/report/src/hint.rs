//! The next command to try: the one that was typed, with something changed.

use crate::explain::Explanation;
use sectile_base::Exhausted;
use sectile_model::ReasonCode;
use std::time::Duration;

/// An option as it is typed, with its value if it has one.
pub type GivenOption = (String, Option<String>);

/// What was typed, and what may be typed instead.
pub struct Request<'r> {
    /// The file, as the user named it.
    pub file: &'r str,
    /// The property.
    pub property: &'r str,
    /// What was typed besides.
    pub options: &'r [GivenOption],
    /// The limit of time.
    pub timeout: Option<Duration>,
    /// The limit of memory, in bytes.
    pub memory: Option<u64>,
    /// The names of the parameters of the model.
    pub parameters: &'r [String],
    /// The value in use of an option of engines, where that is a number.
    pub setting: &'r dyn Fn(&str) -> Option<u64>,
    /// Whether engines have these options.
    pub takes: &'r dyn Fn(&[String], &[String]) -> bool,
    /// Whether predicates can be read.
    pub reads: &'r dyn Fn(&str) -> bool,
}

/// By how much a limit grows that was not enough.
const MORE: u64 = 4;

/// Options whose values are `NAME=VALUE`: they may stand there once for every name.
const ASSIGNMENTS: [&str; 3] = ["-D", "--set", "--small"];

/// Commands that may do better than the one that was typed, the best one first: what the engine
/// hints at, what the reason suggests, other engines, the story of the run. None if all that was
/// typed already.
pub(crate) fn next_commands(
    code: &ReasonCode,
    hint: Option<&str>,
    explanation: &Explanation,
    request: &Request<'_>,
) -> Vec<String> {
    let typed = Typed::new(request);
    let hinted = hint.map(|hint| {
        let mut command = typed.clone();
        for (name, value) in options_of(hint) {
            command.change(&name, value.as_deref());
        }
        command
    });
    let suggested = typed.clone().suggested(code, explanation);
    let other = typed.clone().with_engine("auto");
    let mut told = typed.clone();
    told.change("--explain", None);
    let candidates = hinted.into_iter().chain([suggested, other, told]);
    let mut commands: Vec<String> = Vec::new();
    for candidate in candidates.filter(|c| c.options != typed.options) {
        let text = candidate.text();
        if !commands.contains(&text) {
            commands.push(text);
        }
    }
    commands
}

/// What engines may hint at.
const HINTS: [&str; 4] = ["--engine", "--set", "--select", "--small"];

/// The options in a hint, such as `--set depth=N`.
fn options_of(hint: &str) -> Vec<GivenOption> {
    let mut options: Vec<GivenOption> = Vec::new();
    for word in hint.split_whitespace() {
        match options.last_mut() {
            _ if word.starts_with("--") => options.push((word.to_string(), None)),
            Some((_, value @ None)) => *value = Some(word.trim_end_matches([',', ';']).to_string()),
            _ => {}
        }
    }
    options.retain(|(name, _)| HINTS.contains(&name.as_str()));
    options
}

/// A command line in the making.
#[derive(Clone)]
struct Typed<'r> {
    request: &'r Request<'r>,
    options: Vec<GivenOption>,
}

impl<'r> Typed<'r> {
    fn new(request: &'r Request<'r>) -> Typed<'r> {
        let options = request.options.to_vec();
        Typed { request, options }
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(n, _)| n == name)
    }

    fn values(&self, name: &str) -> Vec<String> {
        let found = self.options.iter().filter(|(n, _)| n == name);
        found.filter_map(|(_, value)| value.clone()).collect()
    }

    /// Sets an option, if it goes with the others and the model.
    fn change(&mut self, name: &str, value: Option<&str>) {
        match (name, value) {
            ("--engine", Some(engine)) => *self = self.clone().with_engine(engine),
            ("--set", Some(setting)) => self.set(setting),
            ("--small", Some(small)) => {
                let parameter = small.split('=').next().unwrap_or_default();
                let known = self.request.parameters.iter().any(|p| p == parameter);
                if known && !self.has("--counters") {
                    self.put(name, value);
                }
            }
            ("--select", _) => {
                self.options.retain(|(n, _)| n != "--predicates");
                self.put(name, value);
            }
            _ => self.put(name, value),
        }
    }

    /// `depth=N` is a larger number than the one in use.
    fn set(&mut self, setting: &str) {
        let Some((name, value)) = setting.split_once('=') else {
            return;
        };
        let value = match value {
            "N" => (self.request.setting)(name).map(|n| n.saturating_mul(MORE).to_string()),
            value => Some(value.to_string()),
        };
        if let Some(value) = value {
            let mut changed = self.clone();
            changed.put("--set", Some(&format!("{name}={value}")));
            if changed.is_taken() {
                *self = changed;
            }
        }
    }

    /// The same with another engine, without the options that it does not have.
    fn with_engine(mut self, engine: &str) -> Typed<'r> {
        let auto = engine == "auto";
        match auto && !self.has("--engine") {
            true => return self,
            false if auto => self.options.retain(|(n, _)| n != "--engine"),
            false => self.put("--engine", Some(engine)),
        }
        if !self.is_taken() {
            self.options.retain(|(n, _)| n != "--set");
        }
        self
    }

    fn is_taken(&self) -> bool {
        (self.request.takes)(&self.values("--engine"), &self.values("--set"))
    }

    /// Replaces an option, or adds it.
    fn put(&mut self, name: &str, value: Option<&str>) {
        let key = |value: Option<&str>| match ASSIGNMENTS.contains(&name) {
            true => value.and_then(|v| v.split('=').next().map(ToString::to_string)),
            false => None,
        };
        let same = |(n, v): &GivenOption| n == name && key(v.as_deref()) == key(value);
        let changed = (name.to_string(), value.map(ToString::to_string));
        match self.options.iter().position(same) {
            Some(at) => self.options[at] = changed,
            None => self.options.push(changed),
        }
    }

    /// What the reason and the findings suggest.
    fn suggested(mut self, code: &ReasonCode, explanation: &Explanation) -> Typed<'r> {
        let general = explanation.family.as_ref();
        let general = general.and_then(|f| f.generalisation());
        if let Some(predicates) = general.filter(|p| (self.request.reads)(p))
            && !self.has("--select")
        {
            self.put("--predicates", Some(&predicates));
        }
        match code {
            ReasonCode::Exhausted(Exhausted::Memory) => {
                let bytes = self.request.memory.unwrap_or(4 << 30).saturating_mul(MORE);
                self.put("--memory", Some(&format!("{}MiB", bytes >> 20)));
            }
            ReasonCode::Exhausted(Exhausted::Time) => {
                let seconds = self.request.timeout.map_or(60.0, |t| t.as_secs_f64()) * 5.0;
                self.put("--timeout", Some(&format!("{}s", seconds.ceil())));
            }
            ReasonCode::Unsupported => self = self.with_engine("auto"),
            _ => {}
        }
        self
    }

    fn text(&self) -> String {
        let Request { file, property, .. } = self.request;
        command_text(file, property, &self.options)
    }
}

/// Options that do not go with `--forall`.
const NOT_FOR_EVERY_SIZE: [&str; 5] = [
    "--small",
    "--counters",
    "--explain",
    "--predicates",
    "--select",
];

/// The command that asks for every value of a parameter what was asked for one.
pub fn every_size_command(
    file: &str,
    property: &str,
    options: &[GivenOption],
    size: &str,
) -> String {
    let sets_size = |value: &Option<String>| {
        let name = value.as_deref().and_then(|v| v.split('=').next());
        name == Some(size)
    };
    let kept = options.iter().filter(|(name, value)| {
        let fits = !NOT_FOR_EVERY_SIZE.contains(&name.as_str());
        fits && !(name == "-D" && sets_size(value))
    });
    let mut all: Vec<GivenOption> = kept.cloned().collect();
    all.push(("--forall".to_string(), Some(size.to_string())));
    command_text(file, property, &all)
}

/// The command line with these options.
fn command_text(file: &str, property: &str, options: &[GivenOption]) -> String {
    // `-` is standard input; other names that look like options are none in a folder.
    let folder = match file.starts_with('-') && file != "-" {
        true => "./",
        false => "",
    };
    let mut text = format!("sectile check {}", shell_word(&format!("{folder}{file}")));
    text.push_str(&format!(" --property {}", shell_word(property)));
    for (name, value) in options {
        text.push_str(&format!(" {name}"));
        if let Some(value) = value {
            text.push_str(&format!(" {}", shell_word(value)));
        }
    }
    text
}

/// A word as shells take it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=.,:/@%".contains(c);
    match (word.chars().all(plain) && !word.is_empty(), word) {
        (true, _) => word.to_string(),
        (false, word) if !word.contains(['"', '$', '`', '\\', '!']) => format!("\"{word}\""),
        (false, word) => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::command_text;

    #[test]
    fn names_that_look_like_options_are_files() {
        let command = |file: &str| command_text(file, "p", &[]);
        assert_eq!(command("-x.sct"), "sectile check ./-x.sct --property p");
        assert_eq!(command("-"), "sectile check - --property p");
        assert_eq!(command("a b"), "sectile check \"a b\" --property p");
    }
}
