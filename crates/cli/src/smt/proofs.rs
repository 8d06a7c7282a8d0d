//! Proofs, replayed by the kernel before they are shown.

use crate::smt::interpreter::{Interpreter, Last, TakeProof};
use sectile_base::Diagnostic;
use sectile_smtlib::{Command, CommandKind, Logic, NotPortable, Vocabulary, print_term};
use sectile_solver_native::refutation::Refutation;
use sectile_terms::Term;
use std::fmt::Write as _;

impl Interpreter<'_, '_> {
    pub fn get_proof(&self, command: &Command<'_>) -> Result<String, Diagnostic> {
        if !self.wanted.proofs {
            let help = "(set-option :produce-proofs true) before the first assertion";
            return Err(self.fail(command, "proofs were not asked for").help(help));
        }
        let refutation = self.replayed(command)?;
        Ok(sectile_proof::print(&refutation, |t| {
            print_term(self.terms, t)
        }))
    }

    /// The refutation behind the last answer, if the kernel accepts it.
    fn replayed(&self, command: &Command<'_>) -> Result<Refutation, Diagnostic> {
        let (Last::Unsat { assumptions, .. }, Some(refutation)) = (&self.last, self.refutation())
        else {
            return Err(self.fail(command, "there is no proof: the last answer was not unsat"));
        };
        sectile_proof::replay(self.terms, &self.told, assumptions, &refutation)
            .map_err(|e| self.fail(command, format!("the proof was refused by the kernel: {e}")))?;
        Ok(refutation)
    }

    /// Hands out the proof of a check that was unsatisfiable, as a script.
    pub fn explain(&self, command: &Command<'_>, take: TakeProof<'_>) -> Result<(), Diagnostic> {
        let is_check = matches!(
            command.kind,
            CommandKind::CheckSat | CommandKind::CheckSatAssuming(_)
        );
        let Last::Unsat { assumptions, .. } = &self.last else {
            return Ok(());
        };
        if !is_check {
            return Ok(());
        }
        let refutation = self.replayed(command)?;
        let claims = sectile_proof::claims(self.terms, &self.told, assumptions, &refutation);
        let claims = claims.map_err(|e| self.fail(command, e.to_string()))?;
        let script = self.claim_script(&claims);
        take(
            self.checks,
            &script.map_err(|e| self.fail(command, e.to_string()))?,
        );
        Ok(())
    }

    /// A script with one check for each step, which asks for a model in which the step is wrong.
    fn claim_script(&self, claims: &[(usize, Vec<Term>)]) -> Result<String, NotPortable> {
        let mut vocabulary = Vocabulary::new(self.terms);
        let mut logic = Logic::default();
        let mut checks = String::new();
        for (step, formulas) in claims {
            logic = logic.join(Logic::of(self.terms, formulas));
            // Writing to a String cannot fail.
            let _ = writeln!(checks, "(push 1) ; step {step}");
            vocabulary.push();
            vocabulary.introduce(formulas, &mut checks)?;
            for &t in formulas {
                let _ = writeln!(checks, "(assert {})", vocabulary.text(t));
            }
            checks.push_str("(check-sat)\n(pop 1)\n");
            vocabulary.pop();
        }
        let title = format!(
            "; check {} in {} steps: a solver that answers `unsat` each time confirms it.\n\
             ; z3 FILE, or cvc5 --incremental FILE",
            self.checks,
            claims.len()
        );
        Ok(format!("{title}\n(set-logic {})\n{checks}", logic.name()))
    }
}
