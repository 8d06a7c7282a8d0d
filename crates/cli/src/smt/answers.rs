//! Answers of the solver: models, values, cores and information.

use crate::smt::interpreter::{Declared, Interpreter, Last};
use sectile_base::Diagnostic;
use sectile_smtlib::{Command, Sexp, parse_term, print_sort, print_term, print_value};
use sectile_solver::ModelView;
use sectile_terms::{Sort, Stage, Term, Value};
use std::fmt::Write as _;

impl Interpreter<'_, '_> {
    pub fn get_model(&self, command: &Command<'_>) -> Result<String, Diagnostic> {
        let Last::Sat(model) = &self.last else {
            return Err(self.fail(command, "there is no model: the last answer was not sat"));
        };
        let mut text = String::from("(\n");
        for declared in &self.declared {
            let Some(value) = model.get(declared.symbol, Stage::Now) else {
                continue;
            };
            let name = print_term(self.terms, self.terms.var(declared.symbol));
            let (arguments, result) = self.signature(declared);
            let parameters = arguments.iter().enumerate();
            let parameters = parameters.map(|(k, &sort)| format!("(x!{k} {})", self.sort(sort)));
            let parameters: Vec<String> = parameters.collect();
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "  (define-fun {name} ({}) {} {})",
                parameters.join(" "),
                self.sort(result),
                self.table(&arguments, result, 0, value)
            );
        }
        text.push(')');
        Ok(text)
    }

    /// The sorts of the arguments and of the result, as the script declares them.
    fn signature(&self, declared: &Declared) -> (Vec<Sort>, Sort) {
        match (&self.sorts, declared.sorted) {
            (Some(sorts), Some(symbol)) => sorts.signature(symbol),
            _ => self.terms.signature(declared.symbol),
        }
    }

    /// The name of a sort of the script.
    fn sort(&self, sort: Sort) -> String {
        match &self.sorts {
            Some(sorts) => sorts.print_sort(sort),
            None => print_sort(self.terms, sort),
        }
    }

    /// A value of a sort of the script.
    fn value(&self, sort: Sort, value: &Value) -> String {
        match &self.sorts {
            Some(sorts) => sorts.print_value(self.terms, sort, value),
            None => print_value(self.terms, value),
        }
    }

    /// The body of a function whose first `given` arguments are fixed, as a case distinction on the
    /// remaining ones. The depth of recursion is bounded by the number of arguments.
    fn table(&self, arguments: &[Sort], result: Sort, given: usize, value: &Value) -> String {
        let (Some((&sort, rest)), Value::Array(table)) = (arguments.split_first(), value) else {
            return self.value(result, value);
        };
        let usual = self.table(rest, result, given + 1, table.usual());
        table.exceptions().fold(usual, |other, (argument, value)| {
            let argument = self.value(sort, argument);
            let own = self.table(rest, result, given + 1, value);
            format!("(ite (= x!{given} {argument}) {own} {other})")
        })
    }

    pub fn get_value(
        &mut self,
        command: &Command<'_>,
        list: &[Sexp],
    ) -> Result<String, Diagnostic> {
        let mut pairs = Vec::new();
        for &e in list {
            let sort = match &mut self.sorts {
                Some(sorts) => Some(sorts.sort_of(self.tree, e)?),
                None => None,
            };
            let term = parse_term(self.terms, self.tree, e, &mut self.scope)?;
            let Last::Sat(model) = &self.last else {
                return Err(self.fail(command, "there is no model: the last answer was not sat"));
            };
            let model: &dyn ModelView = model;
            let value = model
                .eval(self.terms, term)
                .map_err(|_| self.fail(command, "this term has no value"))?;
            let text = self.value(sort.unwrap_or(value.sort()), &value);
            pairs.push(format!("({} {text})", self.tree.source(e)));
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
