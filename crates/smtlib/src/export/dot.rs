//! Pictures of models for Graphviz.

use sectile_model::{Command, Model, Module, PropertyKind};
use sectile_terms::{NativePrinter, Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Maximum length of labels: a picture is an overview.
const LABEL: usize = 120;

/// The model as a picture.
///
/// A program graph is drawn as it is, with locations that a property forbids in red. A system is
/// drawn as its commands with the variables they read and write; dashed arrows are variables that
/// a command leaves free.
pub fn to_dot(terms: &Terms, module: &Module) -> String {
    match module.model.is_system() {
        true => system_picture(terms, &module.model),
        false => graph_picture(terms, module, &module.model),
    }
}

fn begin(name: &str) -> String {
    format!(
        "digraph {} {{\n  node [fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\"];\n",
        quoted(name)
    )
}

fn graph_picture(terms: &Terms, module: &Module, graph: &Model) -> String {
    let mut forbidden = BTreeSet::new();
    for property in &module.properties {
        if let PropertyKind::Unreachable(list) = &property.kind {
            forbidden.extend(list.iter().copied());
        }
    }
    let mut out = begin(&graph.name);
    // Writing to a String cannot fail, here and below.
    for (i, location) in graph.locations.iter().enumerate() {
        let colour = if forbidden.contains(&sectile_model::LocationId(i)) {
            ", color=red, peripheries=2"
        } else {
            ""
        };
        let _ = writeln!(out, "  n{i} [label={}{colour}];", quoted(&location.name));
    }
    let start = formulas(terms, &graph.init);
    let (start, entry) = (quoted(&start), graph.entry.0);
    let _ = writeln!(out, "  start [shape=point];");
    let _ = writeln!(out, "  start -> n{entry} [label={start}];");
    for edge in &graph.edges {
        let label = quoted(&edge.command.name);
        let _ = writeln!(out, "  n{} -> n{} [label={label}];", edge.from.0, edge.to.0);
    }
    out.push_str("}\n");
    out
}

fn system_picture(terms: &Terms, system: &Model) -> String {
    let mut out = begin(&system.name);
    out.push_str("  rankdir=LR;\n");
    for (shape, symbols) in [("ellipse", &system.variables), ("diamond", &system.rigid)] {
        for &symbol in symbols {
            let label = quoted(terms.name(symbol));
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(out, "  v{} [shape={shape}, label={label}];", symbol.index());
        }
    }
    for (i, command) in system.commands().enumerate() {
        let label = format!("{}\n{}", command.name, action(terms, command));
        let _ = writeln!(out, "  c{i} [shape=box, label={}];", quoted(&label));
        let (reads, writes) = uses(terms, command);
        let drawn = |s: &&Symbol| system.variables.contains(s) || system.rigid.contains(s);
        for symbol in reads.iter().filter(drawn) {
            let _ = writeln!(out, "  v{} -> c{i};", symbol.index());
        }
        for symbol in writes.iter().filter(drawn) {
            let _ = writeln!(out, "  c{i} -> v{};", symbol.index());
        }
        let free = command.unassigned(&system.variables);
        for symbol in free.iter().filter(|s| !writes.contains(s)) {
            let _ = writeln!(out, "  c{i} -> v{} [style=dashed];", symbol.index());
        }
    }
    out.push_str("}\n");
    out
}

/// Whether the command leaves the variable unchanged.
fn keeps(terms: &Terms, symbol: Symbol, value: Term) -> bool {
    value == terms.var(symbol)
}

/// The variables that a command reads and those that it changes.
fn uses(terms: &Terms, command: &Command) -> (BTreeSet<Symbol>, BTreeSet<Symbol>) {
    let mut read: Vec<Term> = command.guards.clone();
    read.extend(&command.relations);
    let mut writes = BTreeSet::new();
    for update in &command.updates {
        if !keeps(terms, update.symbol, update.value) {
            read.push(update.value);
            writes.insert(update.symbol);
        }
    }
    let mut reads = BTreeSet::new();
    for (symbol, stage) in terms.free_vars_of(&read) {
        match stage {
            Stage::Next => writes.insert(symbol),
            Stage::Now | Stage::At(_) => reads.insert(symbol),
        };
    }
    (reads, writes)
}

/// The effect of a command, in the native syntax.
fn action(terms: &Terms, command: &Command) -> String {
    let printer = NativePrinter::new(terms);
    let mut conditions = command.guards.clone();
    conditions.extend(&command.relations);
    let mut text = formulas(terms, &conditions);
    let changes = command.updates.iter();
    let changes = changes.filter(|u| !keeps(terms, u.symbol, u.value));
    let updates: Vec<String> = changes
        .map(|u| format!("{} := {}", terms.name(u.symbol), printer.print(u.value)))
        .collect();
    if !updates.is_empty() {
        let _ = write!(text, "\n--> {}", updates.join(", "));
    }
    text
}

fn formulas(terms: &Terms, list: &[Term]) -> String {
    NativePrinter::new(terms).print(terms.and(list.iter().copied()))
}

/// A quoted label with every line cut to a limited length.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let mut short: String = line.chars().take(LABEL).collect();
            if short.len() < line.len() {
                short.push_str("...");
            }
            short.replace('\\', "\\\\").replace('"', "\\\"")
        })
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}
