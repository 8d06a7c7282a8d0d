//! Models, values, cores and information.

use crate::smt::interpreter::{Interpreter, Last};
use sectile_base::Diagnostic;
use sectile_smtlib::{Command, Sexp, parse_term, print_sort, print_term, print_value};
use sectile_solver::ModelView;
use sectile_terms::{Stage, Term};
use std::fmt::Write as _;

impl Interpreter<'_, '_> {
    pub fn get_model(&self, command: &Command<'_>) -> Result<String, Diagnostic> {
        let Last::Sat(model) = &self.last else {
            return Err(self.fail(command, "there is no model: the last answer was not sat"));
        };
        let mut text = String::from("(\n");
        for (_, symbol) in &self.declared {
            let Some(value) = model.get(*symbol, Stage::Now) else {
                continue;
            };
            let name = print_term(self.terms, self.terms.var(*symbol));
            let sort = print_sort(self.terms, value.sort());
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "  (define-fun {name} () {sort} {})",
                print_value(self.terms, value)
            );
        }
        text.push(')');
        Ok(text)
    }

    pub fn get_value(
        &mut self,
        command: &Command<'_>,
        list: &[Sexp],
    ) -> Result<String, Diagnostic> {
        let mut pairs = Vec::new();
        for &e in list {
            let term = parse_term(self.terms, self.tree, e, &mut self.scope)?;
            let Last::Sat(model) = &self.last else {
                return Err(self.fail(command, "there is no model: the last answer was not sat"));
            };
            let model: &dyn ModelView = model;
            let value = model
                .eval(self.terms, term)
                .map_err(|_| self.fail(command, "this term has no value"))?;
            pairs.push(format!(
                "({} {})",
                self.tree.source(e),
                print_value(self.terms, &value)
            ));
        }
        Ok(format!("({})", pairs.join(" ")))
    }

    pub fn get_assertions(&self) -> String {
        let list = self.assertions.iter();
        let texts: Vec<String> = list.map(|a| print_term(self.terms, a.formula)).collect();
        format!("({})", texts.join("\n"))
    }

    fn core(&self, command: &Command<'_>) -> Result<&[Term], Diagnostic> {
        match &self.last {
            Last::Unsat { core, .. } => Ok(core),
            _ => Err(self.fail(command, "there is no core: the last answer was not unsat")),
        }
    }

    pub fn get_unsat_core(&self, command: &Command<'_>) -> Result<String, Diagnostic> {
        if !self.wanted.cores {
            let help = "(set-option :produce-unsat-cores true) before the first assertion";
            return Err(self.fail(command, "cores were not asked for").help(help));
        }
        let core = self.core(command)?;
        let named = self.assertions.iter().filter(|a| core.contains(&a.formula));
        let names: Vec<String> = named
            .filter_map(|a| a.name.as_deref())
            .map(|n| sectile_smtlib::naming::quote(n).into_owned())
            .collect();
        Ok(format!("({})", names.join(" ")))
    }

    pub fn get_unsat_assumptions(&self, command: &Command<'_>) -> Result<String, Diagnostic> {
        let core = self.core(command)?;
        let assumed = match &self.last {
            Last::Unsat { assumptions, .. } => assumptions.as_slice(),
            _ => &[],
        };
        let named = self
            .assertions
            .iter()
            .filter(|a| a.partition.is_none())
            .count();
        let given = assumed.iter().skip(named).filter(|t| core.contains(t));
        let texts: Vec<String> = given.map(|&t| print_term(self.terms, t)).collect();
        Ok(format!("({})", texts.join(" ")))
    }

    pub fn get_info(&self, name: &str) -> String {
        match name.trim_start_matches(':') {
            "name" => "(:name \"Sectile\")".to_string(),
            "version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            "authors" => "(:authors \"the Sectile developers\")".to_string(),
            "error-behavior" => "(:error-behavior continued-execution)".to_string(),
            "reason-unknown" => match &self.last {
                Last::Unknown(why) => format!("(:reason-unknown \"{}\")", why.replace('"', "'")),
                _ => "(:reason-unknown none)".to_string(),
            },
            _ => "unsupported".to_string(),
        }
    }
}
