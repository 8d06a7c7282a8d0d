//! Boogie programs, documented in `docs/format/boogie.md`.
//!
//! | step | where |
//! |---|---|
//! | keywords, operators, comments | `parser.rs` |
//! | tokens to declarations, statements, operands | `declarations.rs`, `statements.rs`, `expressions.rs`, `ast.rs` |
//! | what is not supported | `constructs.rs` |
//! | names, entries, recursion, effects | `program.rs` |
//! | types to sorts | `types.rs` |
//! | expressions to terms | `elaborate.rs`, `maps.rs` |
//! | statements to locations and edges | `lower.rs`, `calls.rs`, `draft.rs` |
//! | recursion as Horn clauses | `summaries.rs` |
//! | axioms | `axioms.rs` |
//!
//! Everything that the language has is parsed; what is not supported is refused where the program
//! that is checked uses it, and nowhere else.
//!
//! Paper: [ErHoPoSc11, Sect. 3] for the graphs; error locations belong to properties.

mod ast;
mod axioms;
mod calls;
mod constructs;
mod declarations;
mod draft;
mod elaborate;
mod expressions;
mod lower;
mod maps;
mod parser;
mod program;
mod statements;
mod summaries;
mod types;

#[cfg(test)]
pub(crate) use self::parser::LANGUAGE;

use self::draft::{Draft, Finished};
use self::elaborate::Elaborator;
use self::lower::{Calls, Lowering};
use self::program::{Key, Program};
use self::summaries::Recursive;
use crate::chc::{DIALECT, names, no_parameters};
use crate::{Frontend, ReadOptions, Reading, stop_at_errors};
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::{Contracts, Expectation, Expected, Model, Module, Property, PropertyKind};
use sectile_terms::{Symbol, SymbolKind, Terms};
use std::collections::BTreeMap;

/// Boogie.
pub struct Boogie;

impl Frontend for Boogie {
    fn name(&self) -> &'static str {
        "boogie"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["bpl"]
    }

    /// Old collections of programs have names of people in Latin-1.
    fn takes_other_encodings(&self) -> bool {
        true
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let (file, mut diagnostics, comments) = declarations::parse(source);
        no_parameters(options, "Boogie programs", &mut diagnostics);
        stop_at_errors(&mut diagnostics)?;
        let program = Program::new(&file, &mut diagnostics);
        stop_at_errors(&mut diagnostics)?;
        let mut elaborator = Elaborator::new(terms, &program, &mut diagnostics);
        let draft = Draft::new(source);
        let mut lowering = Lowering::new(&mut elaborator, draft, Calls::ByContract);
        let start = lowering.run();
        let draft = lowering.draft;
        let restrict = axioms::conditions(&mut elaborator);
        let all = std::mem::take(&mut elaborator.symbols);
        stop_at_errors(&mut diagnostics)?;
        let idle = draft.idle_maps(terms, all.values().copied(), &[], &restrict);
        let mut symbols = all.clone();
        symbols.retain(|_, symbol| !idle.contains(symbol));
        let (variables, rigid) = sorted(terms, &program, &symbols);
        let fresh = |procedure| fresh(&program, &symbols, procedure);
        let finished = draft.finish(terms, start, &variables, &fresh);
        let conditions = restrict.clone();
        let (mut model, mut properties) = model(source, variables, rigid, restrict, finished);
        let mut contracts = None;
        let routines = &program.procedures;
        if routines.iter().any(program::Routine::is_summarised)
            && let Some((exact, claims, more)) =
                exactly(terms, source, &program, all, &conditions, &properties)
        {
            contracts = Some(Contracts {
                model: std::mem::replace(&mut model, exact),
                properties: std::mem::replace(&mut properties, claims),
            });
            symbols.extend(more);
        }
        let symbols: Vec<Symbol> = symbols.values().copied().collect();
        let names = names(terms, &symbols);
        let reading = Reading::new(model, properties, names, DIALECT, diagnostics);
        let mut reading = reading.with_headers(source, &comments);
        labels(source, &comments, &mut reading.module);
        reading.module.contracts = contracts;
        Ok(reading)
    }
}

/// What a program with recursion means, beyond contracts, and the variables in it. `symbols` are
/// those that are declared already.
fn exactly(
    terms: &Terms,
    source: &Source,
    program: &Program<'_>,
    symbols: BTreeMap<Key, Symbol>,
    restrict: &[sectile_terms::Term],
    properties: &[Property],
) -> Option<(Model, Vec<Property>, BTreeMap<Key, Symbol>)> {
    // A summary speaks of the arguments, so they must still be there in the end.
    let mut summarised = program.procedures.iter().filter(|r| r.is_summarised());
    if summarised.any(program::Routine::assigns_parameters) {
        return None;
    }
    // Everything that is wrong was reported when calls were understood by contracts.
    let mut again = Diagnostics::new();
    let mut elaborator = Elaborator::new(terms, program, &mut again);
    elaborator.symbols = symbols;
    let mut lowering = Lowering::new(&mut elaborator, Draft::new(source), Calls::BySummary);
    let start = lowering.run();
    let draft = lowering.draft;
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

/// The results and variables of a procedure, which have any value when it is called.
fn fresh(program: &Program<'_>, symbols: &BTreeMap<Key, Symbol>, procedure: usize) -> Vec<Symbol> {
    let own = |key: &Key| match *key {
        Key::Local(p, i) => p == procedure && i >= program.procedures[p].parameters(),
        _ => false,
    };
    let found = symbols.iter().filter(|(key, _)| own(key));
    found.map(|(_, symbol)| *symbol).collect()
}

/// The model and what is claimed of it.
fn model(
    source: &Source,
    variables: Vec<Symbol>,
    rigid: Vec<Symbol>,
    restrict: Vec<sectile_terms::Term>,
    finished: Finished,
) -> (Model, Vec<Property>) {
    let mut properties = finished.properties;
    if properties.is_empty() {
        // A program that claims nothing is right.
        properties.push(Property {
            name: "no_assertion".to_string(),
            kind: PropertyKind::Unreachable(Vec::new()),
            span: finished.locations[finished.entry.0].span,
        });
    }
    let model = Model {
        name: crate::imp::stem(source.name()),
        variables,
        rigid,
        init: Vec::new(),
        restrict,
        locations: finished.locations,
        entry: finished.entry,
        edges: finished.edges,
        ..Model::default()
    };
    (model, properties)
}

/// `#Safe` and `#Unsafe` in the first comments, as other collections of programs have them. What
/// is unsafe is known only where there is one claim.
fn labels(source: &Source, comments: &[Span], module: &mut Module) {
    if !module.expectations.is_empty() {
        return;
    }
    let first = comments.iter().take(3).map(|&c| source.slice(c));
    let labels = first.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '#'));
    let label = labels
        .into_iter()
        .find(|w| matches!(*w, "#Safe" | "#Unsafe"));
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
