//! What a script asks for beyond its clauses.

use sectile_smtlib::{CommandKind, read_script};
use std::time::Duration;

/// What only the Solidity compiler writes. Its client in JavaScript shows the model it is given, but
/// has no way to ask for one.
const SOLIDITY: &str = "(forall ((UNUSED Bool))";

/// What a script asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub is_horn: bool,
    pub model: bool,
    pub proof: bool,
    pub timeout: Option<Duration>,
}

impl Asked {
    /// Looks at the commands; a script that cannot be read asks for nothing and is told of later.
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
