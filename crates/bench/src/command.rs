//! Command lines with placeholders.

use serde::{Deserialize, Serialize};

/// A part of a task that a command receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placeholder {
    /// The task as Horn clauses.
    Chc,
    /// The task as VMT.
    Vmt,
    /// The model file itself.
    File,
}

impl Placeholder {
    /// All placeholders.
    pub const ALL: [Placeholder; 3] = [Placeholder::Chc, Placeholder::Vmt, Placeholder::File];

    /// The text of the placeholder.
    pub fn text(self) -> &'static str {
        match self {
            Placeholder::Chc => "{chc}",
            Placeholder::Vmt => "{vmt}",
            Placeholder::File => "{file}",
        }
    }
}

/// A command line: words with placeholders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Template {
    words: Vec<String>,
}

impl Template {
    /// A command of these words.
    pub fn new(words: Vec<String>) -> Result<Template, String> {
        if words.first().is_none_or(String::is_empty) {
            return Err("the command is empty".to_string());
        }
        for word in &words {
            if let Some(name) = unknown_placeholder(word) {
                return Err(format!("there is no placeholder `{name}`"));
            }
        }
        Ok(Template { words })
    }

    /// The program.
    pub fn program(&self) -> &str {
        &self.words[0]
    }

    /// Whether a placeholder occurs.
    pub fn uses(&self, placeholder: Placeholder) -> bool {
        self.words.iter().any(|w| w.contains(placeholder.text()))
    }

    /// The words with every placeholder replaced.
    pub fn fill(&self, value: impl Fn(Placeholder) -> String) -> Vec<String> {
        let fill = |word: &String| {
            let mut word = word.clone();
            for placeholder in Placeholder::ALL {
                if word.contains(placeholder.text()) {
                    word = word.replace(placeholder.text(), &value(placeholder));
                }
            }
            word
        };
        self.words.iter().map(fill).collect()
    }

    /// The words, with their placeholders.
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

impl TryFrom<Vec<String>> for Template {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Template, String> {
        Template::new(words)
    }
}

impl From<Template> for Vec<String> {
    fn from(template: Template) -> Vec<String> {
        template.words
    }
}

/// A text `{name}` in which the name is a word but not a placeholder. Braces around anything else
/// belong to the command.
fn unknown_placeholder(word: &str) -> Option<String> {
    let mut rest = word;
    while let Some((_, behind)) = rest.split_once('{') {
        let (inside, _) = behind.split_once('}')?;
        let name = format!("{{{inside}}}");
        let lower = !inside.is_empty() && inside.chars().all(|c| c.is_ascii_lowercase());
        if lower && Placeholder::ALL.iter().all(|p| p.text() != name) {
            return Some(name);
        }
        rest = behind;
    }
    None
}

/// Splits a command line into words, with quotes and backslashes as in a shell. There are no
/// variables and no pipes; for these, use `sh -c '...'`.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => {
                let next = characters.next();
                let next = next.ok_or("the command ends with a backslash")?;
                word.get_or_insert_default().push(next);
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => found.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_string());
    }
    found.extend(word);
    Ok(found)
}

/// The words as a command line that can be typed.
pub fn line<S: AsRef<str>>(words: &[S]) -> String {
    let plain = |w: &str| {
        let harmless = |c: char| c.is_alphanumeric() || "_-+=./:,@%{}".contains(c);
        !w.is_empty() && w.chars().all(harmless)
    };
    let quoted: Vec<String> = words
        .iter()
        .map(AsRef::as_ref)
        .map(|w| {
            if plain(w) {
                w.to_string()
            } else {
                format!("'{}'", w.replace('\'', r"'\''"))
            }
        })
        .collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_in_a_shell() {
        let split = |t: &str| words(t).unwrap();
        assert_eq!(split("z3  -smt2 {chc}"), ["z3", "-smt2", "{chc}"]);
        assert_eq!(
            split(r#"sh -c 'a "b" c' x\ y "" "#),
            ["sh", "-c", "a \"b\" c", "x y", ""]
        );
        assert!(words("sh 'x").is_err());
        assert!(words("sh \\").is_err());
    }

    #[test]
    fn a_line_splits_into_the_same_words() {
        let list = ["a b", "it's", "", "x=1", "$HOME", "{chc}"];
        assert_eq!(words(&line(&list)).unwrap(), list);
    }

    #[test]
    fn placeholders_are_filled_and_unknown_ones_refused() {
        let template = Template::new(words("t --in={chc} {file}").unwrap()).unwrap();
        assert!(template.uses(Placeholder::Chc) && !template.uses(Placeholder::Vmt));
        let filled = template.fill(|p| format!("<{p:?}>"));
        assert_eq!(filled, ["t", "--in=<Chc>", "<File>"]);
        assert!(Template::new(vec!["t".into(), "{smt}".into()]).is_err());
        assert!(Template::new(vec!["awk".into(), "{print 1}".into()]).is_ok());
        assert!(Template::new(Vec::new()).is_err());
    }
}
