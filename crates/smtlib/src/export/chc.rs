//! Export of constrained Horn clauses.
//!
//! A system has one predicate over its variables and symbolic constants, a program graph one for
//! every location. The clauses say that the predicate holds initially, that steps preserve it, and
//! that it excludes the bad states; so they are satisfiable exactly if the property holds. The
//! format is that of CHC-COMP: the arguments of heads are distinct variables, and there is one
//! query.

use super::{BadStates, ExportError, Names, Variable};
use super::{at, bad_states, check_vocabulary, comment, name, ranges, sort};
use crate::print::print_term_with_tables;
use sectile_model::{Command, Location, Model, Module, Property};
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::fmt::Write as _;

/// The model with one of its properties as Horn clauses; they are satisfiable if it holds.
pub fn to_chc(terms: &Terms, module: &Module, property: &Property) -> Result<String, ExportError> {
    let model = &module.model;
    let bad = bad_states(terms, model, property)?;
    let mut symbols = model.variables.to_vec();
    symbols.extend(&model.rigid);
    let now = at(terms, &symbols, Stage::Now);
    let next = at(terms, &symbols, Stage::Next);
    let variables = now.iter().chain(&next).map(|&v| name(terms, v));
    let mut names = Names::new(variables.chain(inputs(terms, model)));
    let claim = |l: &Location| match model.is_system() {
        true => names.claim("Inv"),
        false => names.claim(&l.name),
    };
    let predicates: Vec<String> = model.locations.iter().map(claim).collect();
    let mut writer = Writer {
        terms,
        now,
        next,
        out: String::new(),
    };
    let title = format!(
        "{}, property {}: sat means that it holds",
        model.name, property.name
    );
    writer.comment(&title);
    writer.line("(set-logic HORN)");
    let sorts: Vec<String> = writer.now.iter().map(|&v| sort(terms, v)).collect();
    for predicate in &predicates {
        let sorts = sorts.join(" ");
        writer.line(&format!("(declare-fun {predicate} ({sorts}) Bool)"));
    }
    writer.initial(model, &predicates)?;
    writer.steps(model, &predicates)?;
    writer.queries(&bad, &predicates, &mut names)?;
    writer.line("(check-sat)");
    Ok(writer.out)
}

/// The names of all inputs.
fn inputs(terms: &Terms, model: &Model) -> Vec<String> {
    let commands = model.commands();
    let symbols: Vec<Symbol> = commands.flat_map(|c| c.inputs.clone()).collect();
    let variables = at(terms, &symbols, Stage::Now);
    variables.into_iter().map(|v| name(terms, v)).collect()
}

struct Writer<'t> {
    terms: &'t Terms,
    /// The arguments of the predicates.
    now: Vec<Variable>,
    /// The same after a step.
    next: Vec<Variable>,
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn comment(&mut self, text: &str) {
        // Some readers reject a comment without text.
        let text = format!("; {}", comment(text));
        self.line(text.trim_end());
    }

    fn initial(&mut self, model: &Model, predicates: &[String]) -> Result<(), ExportError> {
        let formula = model.init_formula(self.terms);
        self.comment("initial states");
        let variables = self.now.clone();
        check_vocabulary(self.terms, formula, &variables, "the initial condition")?;
        let body = self.body(None, &variables, formula);
        let head = self.atom(&predicates[model.entry.0], &self.now);
        self.clause(&variables, body, &head);
        Ok(())
    }

    fn steps(&mut self, model: &Model, predicates: &[String]) -> Result<(), ExportError> {
        for edge in &model.edges {
            let command = &edge.command;
            let formula = model.step_formula(self.terms, command);
            self.comment(&command.name);
            let mut variables = self.now.clone();
            // Symbolic constants are the same before and after.
            let new = self.next.iter().copied().filter(|v| !self.now.contains(v));
            variables.extend(new);
            variables.extend(at(self.terms, &command.inputs, Stage::Now));
            let place = format!("the command `{}`", command.name);
            check_vocabulary(self.terms, formula, &variables, &place)?;
            let before = self.atom(&predicates[edge.from.0], &self.now);
            let body = self.body(Some(before), &self.chosen(command), formula);
            let head = self.atom(&predicates[edge.to.0], &self.next);
            self.clause(&variables, body, &head);
        }
        Ok(())
    }

    /// The variables that a step gives an arbitrary value: inputs, and what is not assigned.
    ///
    /// Only their ranges have to be stated; all others have them from the states before. Stating
    /// more would be sound, but makes the clauses harder: Z3 takes up to three times as long.
    fn chosen(&self, command: &Command) -> Vec<Variable> {
        let mut chosen = at(self.terms, &command.inputs, Stage::Now);
        let unassigned = self.next.iter().copied();
        chosen.extend(unassigned.filter(|&(symbol, stage)| {
            stage == Stage::Next && command.update_of(symbol).is_none()
        }));
        chosen
    }

    fn queries(
        &mut self,
        bad: &BadStates,
        predicates: &[String],
        names: &mut Names,
    ) -> Result<(), ExportError> {
        self.comment("bad states");
        // There must be one query: several bad states lead to a predicate of their own.
        let error = (bad.len() > 1).then(|| names.claim("Error"));
        if let Some(error) = &error {
            self.line(&format!("(declare-fun {error} () Bool)"));
        }
        let head = error.clone().unwrap_or_else(|| "false".to_string());
        let variables = self.now.clone();
        for (location, formula) in bad {
            check_vocabulary(self.terms, *formula, &variables, "the property")?;
            let predicate = &predicates[location.0];
            let reached = self.atom(predicate, &self.now);
            let body = self.body(Some(reached), &[], *formula);
            self.clause(&variables, body, &head);
        }
        if let Some(error) = error {
            self.clause(&[], vec![error], "false");
        }
        if bad.is_empty() {
            // Nothing is bad; a query that never fires keeps the format.
            self.clause(&[], vec!["false".to_string()], "false");
        }
        Ok(())
    }

    /// A predicate applied to variables.
    fn atom(&self, predicate: &str, arguments: &[Variable]) -> String {
        if arguments.is_empty() {
            return predicate.to_string();
        }
        let names: Vec<String> = arguments.iter().map(|&v| name(self.terms, v)).collect();
        format!("({predicate} {})", names.join(" "))
    }

    /// The conjuncts of a body: the known predicate, the ranges of some variables, and the formula.
    fn body(&self, known: Option<String>, ranged: &[Variable], formula: Term) -> Vec<String> {
        let terms = self.terms;
        let mut parts: Vec<String> = known.into_iter().collect();
        parts.extend(ranges(terms, ranged));
        let whole = print_term_with_tables(terms, formula);
        if whole.starts_with("(let") {
            // The conjuncts share terms, which requires a common `let`.
            parts.push(whole);
        } else {
            let conjuncts = terms.conjuncts(terms.lower_extrema(formula));
            parts.extend(conjuncts.iter().map(|&c| print_term_with_tables(terms, c)));
        }
        parts
    }

    fn clause(&mut self, variables: &[Variable], body: Vec<String>, head: &str) {
        let body = match body.as_slice() {
            [] => "true".to_string(),
            [only] => only.clone(),
            _ => format!("(and\n      {})", body.join("\n      ")),
        };
        let implication = format!("(=> {body}\n    {head})");
        let bound = |&v: &_| format!("({} {})", name(self.terms, v), sort(self.terms, v));
        let bound: Vec<String> = variables.iter().map(bound).collect();
        // Writing to a String cannot fail.
        let _ = if bound.is_empty() {
            writeln!(self.out, "(assert {implication})")
        } else {
            let bound = bound.join(" ");
            writeln!(self.out, "(assert (forall ({bound})\n  {implication}))")
        };
    }
}
