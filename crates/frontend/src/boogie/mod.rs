//! Boogie programs, documented in `docs/format/boogie.md`.
//!
//! | step | where |
//! |---|---|
//! | keywords, operators, comments | `parser.rs` |
//! | tokens to declarations, statements, operands | `declarations.rs`, `statements.rs`, `expressions.rs`, `ast.rs` |
//! | unsupported constructs | `constructs.rs` |
//! | names, entries, recursion, effects | `program.rs` |
//! | types to sorts | `types.rs` |
//! | expressions to terms | `elaborate.rs`, `quantifiers.rs` |
//! | what is not linear, by cases | `nonlinear.rs` |
//! | statements to locations and edges | `lower.rs`, `calls.rs`, `draft.rs` |
//! | recursion as Horn clauses | `summaries.rs` |
//! | axioms | `axioms.rs`, `definitions.rs`, `instances.rs` |
//!
//! The whole language is parsed; unsupported constructs are refused only if the checked program
//! uses them.
//!
//! Paper: [ErHoPoSc11, Sect. 3] for the graphs; error locations belong to properties.

mod ast;
mod axioms;
mod calls;
mod constructs;
mod declarations;
mod definitions;
mod draft;
mod elaborate;
mod expressions;
mod instances;
mod lower;
mod nonlinear;
mod parser;
mod program;
mod quantifiers;
mod statements;
mod summaries;
mod types;

pub(crate) use self::ast::Bound;
#[cfg(test)]
pub(crate) use self::parser::LANGUAGE;

use self::draft::Draft;
use self::elaborate::Elaborator;
use self::lower::{Calls, Lowering};
use self::program::{Key, Program};
use self::summaries::Recursive;
use crate::chc::{DIALECT, names};
use crate::messages::Report as _;
use crate::{Frontend, Info, ReadOptions, Reading, stop_at_errors};
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::{Contracts, Expectation, Expected, Model, Module, Property, PropertyKind};
use sectile_terms::{Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// Boogie.
pub struct Boogie;

impl Frontend for Boogie {
    fn info(&self) -> Info {
        Info {
            name: "boogie",
            ending: "bpl",
            texts: "Boogie programs",
            // Old collections of programs contain people's names in Latin-1.
            other_encodings: true,
            ..Info::default()
        }
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let (file, mut diagnostics, comments) = declarations::parse(source);
        stop_at_errors(&mut diagnostics)?;
        let program = Program::new(&file, &mut diagnostics);
        stop_at_errors(&mut diagnostics)?;
        let mut routines = program.procedures.iter();
        if let Some(routine) = routines.find(|r| options.termination && r.is_summarised()) {
            let message = "whether recursive procedures return is not checked";
            let help = "loops are checked; write the recursion as a loop";
            diagnostics.error("unsupported", routine.declared.name.span, message, help);
        }
        stop_at_errors(&mut diagnostics)?;
        let graph = |elaborator: &mut Elaborator<'_, '_>| {
            let mut draft = Draft::new(source);
            draft.termination = options.termination;
            let (start, mut draft) = Lowering::new(elaborator, draft, Calls::ByContract).run();
            draft.by_cases(terms, &elaborator.opaque, &program.samples);
            let axioms = axioms::known(elaborator);
            draft.add_axioms(terms, &axioms);
            (start, draft, axioms.conditions)
        };
        let mut elaborator = Elaborator::new(terms, &program, &mut diagnostics);
        let (mut start, mut draft, mut restrict) = graph(&mut elaborator);
        let mut all = std::mem::take(&mut elaborator.symbols);
        let mut quantifiers = std::mem::take(&mut elaborator.quantifiers);
        let mut opaque = std::mem::take(&mut elaborator.opaque);
        stop_at_errors(&mut diagnostics)?;
        if quantifiers.met {
            // The second pass also tries the values that the first pass found after it had
            // elaborated a condition.
            let mut again = Diagnostics::new();
            let mut elaborator = Elaborator::new(terms, &program, &mut again);
            elaborator.symbols = all;
            elaborator.quantifiers = quantifiers.witnesses();
            (start, draft, restrict) = graph(&mut elaborator);
            all = std::mem::take(&mut elaborator.symbols);
            quantifiers = std::mem::take(&mut elaborator.quantifiers);
            opaque = std::mem::take(&mut elaborator.opaque);
            stop_at_errors(&mut again)?;
        }
        let witnesses: Vec<Symbol> = quantifiers.constants.into_values().collect();
        let choices = quantifiers.choices.into_values();
        let choices: Vec<Symbol> = choices.chain(opaque.iter().map(|o| o.result)).collect();
        let mut symbols = all.clone();
        let idle = draft.idle_maps(terms, all.values().copied(), &[], &restrict);
        symbols.retain(|_, symbol| !idle.contains(symbol));
        let (mut variables, mut rigid) = sorted(terms, &program, &symbols);
        variables.extend(&choices);
        rigid.extend(&witnesses);
        let fresh = |procedure| fresh(&program, &symbols, procedure);
        let graph = draft.finish(terms, start, &variables, &fresh);
        let mut properties = graph.properties;
        if properties.is_empty() {
            // A program that claims nothing is correct.
            properties.push(Property {
                name: "no_assertion".to_string(),
                kind: PropertyKind::Unreachable(Vec::new()),
                span: graph.locations[graph.entry.0].span,
            });
        }
        let mut model = Model {
            name: crate::imp::stem(source.name()),
            variables,
            rigid,
            restrict: restrict.clone(),
            locations: graph.locations,
            entry: graph.entry,
            edges: graph.edges,
            ..Model::default()
        };
        let routines = &program.procedures;
        // Clauses cannot express approximate steps.
        if routines.iter().any(program::Routine::is_summarised)
            && !quantifiers.met
            && opaque.is_empty()
            && let Some((exact, claims, more)) =
                exactly(terms, source, &program, all, &restrict, &properties)
        {
            let contracts = Contracts {
                model: std::mem::replace(&mut model, exact),
                properties: std::mem::replace(&mut properties, claims),
            };
            model.contracts = Some(Box::new(contracts));
            symbols.extend(more);
        }
        let mut symbols: Vec<Symbol> = symbols.values().copied().collect();
        symbols.extend(witnesses.into_iter().chain(choices));
        let names = names(terms, &symbols);
        let reading = Reading::new(model, properties, names, DIALECT, diagnostics);
        let mut reading = reading.with_headers(source, &comments);
        labels(source, &comments, &mut reading.module);
        Ok(reading)
    }
}

/// The exact meaning of a program with recursion, and its variables. `symbols` are those that are
/// already declared.
fn exactly(
    terms: &Terms,
    source: &Source,
    program: &Program<'_>,
    symbols: BTreeMap<Key, Symbol>,
    restrict: &[Term],
    properties: &[Property],
) -> Option<(Model, Vec<Property>, BTreeMap<Key, Symbol>)> {
    // A summary mentions the arguments, so they must be unchanged at the end.
    let mut summarised = program.procedures.iter().filter(|r| r.is_summarised());
    if summarised.any(program::Routine::assigns_parameters) {
        return None;
    }
    // All mistakes were reported in the version with contracts.
    let mut again = Diagnostics::new();
    let mut elaborator = Elaborator::new(terms, program, &mut again);
    elaborator.symbols = symbols;
    let draft = Draft::new(source);
    let (start, draft) = Lowering::new(&mut elaborator, draft, Calls::BySummary).run();
    let mut symbols = std::mem::take(&mut elaborator.symbols);
    if again.has_errors() {
        return None;
    }
    let passed = summaries::passed(program, &symbols);
    let idle = draft.idle_maps(terms, symbols.values().copied(), &passed, restrict);
    symbols.retain(|_, symbol| !idle.contains(symbol));
    let (variables, _) = sorted(terms, program, &symbols);
    let fresh = |procedure| fresh(program, &symbols, procedure);
    let graph = draft.finish(terms, start, &variables, &fresh);
    let recursive = Recursive {
        terms,
        program,
        symbols: &symbols,
        graph: &graph,
        restrict,
    };
    let name = crate::imp::stem(source.name());
    let (model, properties) = recursive.model(&name, properties)?;
    Some((model, properties, symbols))
}

/// The variables and the constants, in the order of their declarations.
fn sorted(
    terms: &Terms,
    program: &Program<'_>,
    symbols: &BTreeMap<Key, Symbol>,
) -> (Vec<Symbol>, Vec<Symbol>) {
    let mut order: Vec<(&Key, &Symbol)> = symbols.iter().collect();
    order.sort_by_key(|(key, _)| (program.declared(**key).0.span, **key));
    let symbols = order.into_iter().map(|(_, symbol)| *symbol);
    symbols.partition(|s| terms.symbol_kind(*s) == SymbolKind::State)
}

/// The results and variables of a procedure, which have arbitrary values when it is called.
fn fresh(program: &Program<'_>, symbols: &BTreeMap<Key, Symbol>, procedure: usize) -> Vec<Symbol> {
    let own = |key: &Key| match *key {
        Key::Local(p, i) => p == procedure && i >= program.procedures[p].parameters(),
        _ => false,
    };
    let found = symbols.iter().filter(|(key, _)| own(key));
    found.map(|(_, symbol)| *symbol).collect()
}

/// `#Safe` and `#Unsafe` in the first comments, as in other collections of programs. `#Unsafe`
/// determines the verdict only if there is one claim.
fn labels(source: &Source, comments: &[Span], module: &mut Module) {
    if !module.expectations.is_empty() {
        return;
    }
    let first = comments.iter().take(3).map(|&c| source.slice(c));
    let mut labels = first.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '#'));
    let label = labels.find(|w| matches!(*w, "#Safe" | "#Unsafe"));
    let expected = match (label, module.properties.len()) {
        (Some("#Safe"), _) => Expected::Holds,
        (Some(_), 1) => Expected::Violated(None),
        _ => return,
    };
    let expectations = module.properties.iter().map(|p| Expectation {
        parameters: Vec::new(),
        property: p.name.clone(),
        expected,
    });
    module.expectations = expectations.collect();
}
