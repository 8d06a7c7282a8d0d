//! VMT-LIB: one transition relation in annotated SMT-LIB definitions.

use super::{ExportError, Names, Variable};
use super::{at, bad_states, check_vocabulary, comment, name, ranges, sort};
use crate::print::{print_term, print_variable};
use crate::vocabulary::declaration;
use sectile_model::{Edge, Model, Module, Property};
use sectile_terms::{Stage, Symbol, Terms};
use std::fmt::Write as _;

/// A model in VMT-LIB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vmt {
    /// The text.
    pub text: String,
    /// Names of the omitted properties, which are not safety properties. The others are numbered
    /// from 0 in order.
    pub omitted: Vec<String>,
}

/// The model with all its safety properties in VMT-LIB.
///
/// Symbolic constants are state variables that never change, functions stay functions, values chosen at a step are inputs,
/// and the location of a program is an integer.
pub fn to_vmt(terms: &Terms, module: &Module) -> Result<Vmt, ExportError> {
    let model = &module.model;
    let mut writer = Writer::new(terms, model);
    writer.out = format!("; {}\n", comment(&model.name));
    writer.declarations();
    writer.initial(model)?;
    writer.transitions(model)?;
    let mut omitted = Vec::new();
    let mut index = 0;
    for property in &module.properties {
        match writer.property(model, property, index) {
            Ok(()) => index += 1,
            Err(ExportError::NotSafety(property)) => omitted.push(property),
            Err(error) => return Err(error),
        }
    }
    for property in &omitted {
        let property = comment(property);
        // Writing to a String cannot fail.
        let _ = writeln!(writer.out, "; left out, not a safety property: {property}");
    }
    Ok(Vmt {
        text: writer.out,
        omitted,
    })
}

/// The program counter: its current and next name, and the names of the locations.
struct Counter {
    now: String,
    next: String,
    locations: Vec<String>,
}

struct Writer<'t> {
    terms: &'t Terms,
    state: Vec<Symbol>,
    rigid: Vec<Symbol>,
    functions: Vec<Symbol>,
    inputs: Vec<Symbol>,
    counter: Option<Counter>,
    names: Names,
    out: String,
}

impl<'t> Writer<'t> {
    fn new(terms: &'t Terms, model: &Model) -> Writer<'t> {
        let mut inputs: Vec<Symbol> = Vec::new();
        for &input in model.commands().flat_map(|c| &c.inputs) {
            if !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        let state = model.variables.to_vec();
        let rigid = model.rigid.iter().copied();
        let (functions, rigid): (Vec<Symbol>, Vec<Symbol>) =
            rigid.partition(|&s| terms.is_function(s));
        let all = [&state[..], &rigid, &inputs, &functions].concat();
        let mut used: Vec<String> = Vec::new();
        for &symbol in &all {
            let text = |stage| print_variable(terms, symbol, stage);
            used.extend([text(Stage::Now), text(Stage::Next)]);
        }
        let mut names = Names::new(used);
        let counter = (!model.is_system()).then(|| Counter {
            now: names.claim("pc"),
            next: names.claim("pc_next"),
            locations: model.locations.iter().map(|l| l.name.clone()).collect(),
        });
        Writer {
            terms,
            state,
            rigid,
            functions,
            inputs,
            counter,
            names,
            out: String::new(),
        }
    }

    fn state_now(&self) -> Vec<Variable> {
        let all = [&self.state[..], &self.rigid].concat();
        at(self.terms, &all, Stage::Now)
    }

    /// Name of the next value. Unlike in terms, symbolic constants have one here.
    fn next_name(&self, symbol: Symbol) -> String {
        print_variable(self.terms, symbol, Stage::Next)
    }

    fn declarations(&mut self) {
        let mut pairs: Vec<(String, String, String)> = Vec::new();
        for (symbol, stage) in self.state_now() {
            let own = name(self.terms, (symbol, stage));
            let sort = sort(self.terms, (symbol, stage));
            pairs.push((own, self.next_name(symbol), sort));
        }
        if let Some(counter) = &self.counter {
            for (i, location) in counter.locations.iter().enumerate() {
                let location = comment(location);
                // Writing to a String cannot fail.
                let _ = writeln!(self.out, "; {} = {i} is location {location}", counter.now);
            }
            pairs.push((counter.now.clone(), counter.next.clone(), "Int".to_string()));
        }
        for (own, next, sort) in &pairs {
            let _ = writeln!(self.out, "(declare-fun {own} () {sort})");
            let _ = writeln!(self.out, "(declare-fun {next} () {sort})");
        }
        for &function in &self.functions {
            let text = declaration(self.terms, function, Stage::Now);
            let _ = writeln!(self.out, "{text}");
        }
        for variable in at(self.terms, &self.inputs, Stage::Now) {
            let (own, sort) = (name(self.terms, variable), sort(self.terms, variable));
            let _ = writeln!(self.out, "(declare-fun {own} () {sort})");
        }
        for (i, (own, next, sort)) in pairs.iter().enumerate() {
            let definition = self.names.claim(&format!("sv{i}"));
            let annotated = format!("(! {own} :next {next})");
            let _ = writeln!(self.out, "(define-fun {definition} () {sort} {annotated})");
        }
    }

    fn initial(&mut self, model: &Model) -> Result<(), ExportError> {
        let variables = self.state_now();
        let (formula, entry) = (model.init_formula(self.terms), model.entry.0);
        check_vocabulary(self.terms, formula, &variables, "the initial condition")?;
        let mut parts = ranges(self.terms, &variables);
        if let Some(counter) = &self.counter {
            parts.push(format!("(= {} {entry})", counter.now));
        }
        parts.push(print_term(self.terms, formula));
        self.define("init", &conjunction(&parts), ":init true");
        Ok(())
    }

    fn transitions(&mut self, model: &Model) -> Result<(), ExportError> {
        let steps = model.edges.iter().map(|edge| self.step(edge));
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        let step = match steps.as_slice() {
            [] => "false".to_string(),
            [only] => only.clone(),
            _ => format!("(or\n    {})", steps.join("\n    ")),
        };
        let kept = |&r: &Symbol| {
            let now = print_variable(self.terms, r, Stage::Now);
            format!("(= {} {now})", self.next_name(r))
        };
        let mut parts: Vec<String> = self.rigid.iter().map(kept).collect();
        let mut ranged = self.state_now();
        ranged.extend(at(self.terms, &self.state, Stage::Next));
        ranged.extend(at(self.terms, &self.inputs, Stage::Now));
        parts.extend(ranges(self.terms, &ranged));
        // Conditions on all states are written once, not in every step.
        let restrict = model.restrict_formula(self.terms);
        if restrict != self.terms.tt() {
            let place = "the condition on all states";
            check_vocabulary(self.terms, restrict, &self.state_now(), place)?;
            parts.push(print_term(self.terms, restrict));
            parts.push(print_term(self.terms, self.terms.prime(restrict)));
        }
        parts.push(step);
        self.define("trans", &conjunction(&parts), ":trans true");
        Ok(())
    }

    fn step(&self, edge: &Edge) -> Result<String, ExportError> {
        let command = &edge.command;
        let formula = command.formula(self.terms);
        let mut variables = self.state_now();
        variables.extend(at(self.terms, &self.state, Stage::Next));
        variables.extend(at(self.terms, &command.inputs, Stage::Now));
        let place = format!("the command `{}`", command.name);
        check_vocabulary(self.terms, formula, &variables, &place)?;
        let mut parts = Vec::new();
        if let Some(counter) = &self.counter {
            parts.push(format!("(= {} {})", counter.now, edge.from.0));
            parts.push(format!("(= {} {})", counter.next, edge.to.0));
        }
        parts.push(print_term(self.terms, formula));
        Ok(conjunction(&parts))
    }

    fn property(
        &mut self,
        model: &Model,
        property: &Property,
        index: usize,
    ) -> Result<(), ExportError> {
        let bad = bad_states(self.terms, model, property)?;
        let variables = self.state_now();
        let mut parts = Vec::new();
        for (location, formula) in bad {
            check_vocabulary(self.terms, formula, &variables, "the property")?;
            let text = match &self.counter {
                Some(counter) => {
                    let here = format!("(= {} {})", counter.now, location.0);
                    conjunction(&[here, print_term(self.terms, formula)])
                }
                None => print_term(self.terms, formula),
            };
            parts.push(format!("(not {text})"));
        }
        let annotation = format!(":invar-property {index}");
        self.define(&property.name, &conjunction(&parts), &annotation);
        Ok(())
    }

    fn define(&mut self, wish: &str, formula: &str, annotation: &str) {
        let definition = self.names.claim(wish);
        let annotated = format!("(! {formula} {annotation})");
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "(define-fun {definition} () Bool {annotated})");
    }
}

fn conjunction(parts: &[String]) -> String {
    match parts {
        [] => "true".to_string(),
        [only] => only.clone(),
        _ => format!("(and {})", parts.join(" ")),
    }
}
