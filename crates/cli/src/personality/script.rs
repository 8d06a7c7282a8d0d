//! The requests in a script besides its clauses.

use sectile_smtlib::{CommandKind, read_script};
use std::time::Duration;

/// A text that only the Solidity compiler writes. Its client in JavaScript shows the model in the
/// answer, but cannot ask for one.
const SOLIDITY: &str = "(forall ((UNUSED Bool))";

/// The requests of a script.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub is_horn: bool,
    pub model: bool,
    pub proof: bool,
    pub timeout: Option<Duration>,
}

impl Asked {
    /// Finds the requests; a script that cannot be read has none, and its error is reported later.
    pub fn of(text: &str) -> Asked {
        let mut asked = Asked {
            model: text.contains(SOLIDITY),
            ..Asked::default()
        };
        let Ok(script) = read_script(text) else {
            return asked;
        };
        for command in &script.commands {
            match &command.kind {
                CommandKind::SetLogic(logic) => asked.is_horn = *logic == "HORN",
                CommandKind::Rule(_) | CommandKind::Query(_) => asked.is_horn = true,
                CommandKind::GetModel => asked.model = true,
                CommandKind::GetProof => asked.proof = true,
                CommandKind::SetOption("timeout", Some(value)) => {
                    let number = script.tree.numeral(*value).and_then(|n| n.parse().ok());
                    asked.timeout = number.map(Duration::from_millis);
                }
                _ => {}
            }
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::Asked;
    use std::time::Duration;

    #[test]
    fn options_and_questions() {
        let asked = Asked::of("(set-option :timeout 500)(set-logic HORN)(check-sat)(get-proof)");
        assert!(asked.is_horn && asked.proof && !asked.model);
        assert_eq!(asked.timeout, Some(Duration::from_millis(500)));
        let compiler = "(set-logic HORN)(assert (forall ((UNUSED Bool)) (=> true false)))";
        assert!(Asked::of(compiler).model);
        assert_eq!(Asked::of("(set-logic QF_LIA)"), Asked::default());
        assert_eq!(Asked::of("(set-logic"), Asked::default());
    }
}
