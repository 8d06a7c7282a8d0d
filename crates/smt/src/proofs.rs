//! Proofs: replayed by the kernel before they are shown.

use crate::interpreter::{Interpreter, Last};
use sectile_base::Diagnostic;
use sectile_smtlib::{Command, print_term};

impl Interpreter<'_, '_> {
    pub fn get_proof(&self, command: &Command<'_>) -> Result<String, Diagnostic> {
        if !self.wanted.proofs {
            let help = "(set-option :produce-proofs true) before the first assertion";
            return Err(self.fail(command, "proofs were not asked for").help(help));
        }
        let Last::Unsat {
            assumptions,
            refutation: Some(refutation),
            ..
        } = &self.last
        else {
            return Err(self.fail(command, "there is no proof: the last answer was not unsat"));
        };
        sectile_proof::replay(self.terms, &self.told, assumptions, refutation)
            .map_err(|e| self.fail(command, format!("the proof was refused by the kernel: {e}")))?;
        Ok(sectile_proof::print(refutation, |t| {
            print_term(self.terms, t)
        }))
    }
}
