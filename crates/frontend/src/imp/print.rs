//! Prints program graphs as readable text.

use sectile_model::{Command, Edge, LocationId, Model};
use sectile_terms::{EnumId, NativePrinter, Sort, Symbol, Term, Terms, display_sort};
use std::fmt::Write as _;

/// The level of detail for edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The name: the statement in the source.
    Names,
    /// The name, the conditions and the changes.
    Formulas,
}

/// Prints the variables, the initial condition, and every location with its outgoing edges.
pub fn print_graph(terms: &Terms, graph: &Model, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "graph {}", graph.name);
    symbols(&mut out, terms, "variables", &graph.variables);
    symbols(&mut out, terms, "constants", &graph.rigid);
    conditions(&mut out, terms, "restrict", &graph.restrict);
    conditions(&mut out, terms, "init", &graph.init);
    for (i, location) in graph.locations.iter().enumerate() {
        let id = LocationId(i);
        let mark = if id == graph.entry { " (entry)" } else { "" };
        let _ = writeln!(out, "{}{mark}", location.name);
        for index in graph.edges_from(id) {
            edge(&mut out, terms, graph, &graph.edges[index], detail);
        }
    }
    out
}

fn symbols(out: &mut String, terms: &Terms, what: &str, list: &[Symbol]) {
    if list.is_empty() {
        return;
    }
    let declare = |&s: &Symbol| {
        let (arguments, result) = terms.signature(s);
        let arguments = arguments.iter().map(|&a| sort(terms, a));
        let arguments: Vec<String> = arguments.collect();
        match arguments.is_empty() {
            true => format!("{} : {}", terms.name(s), sort(terms, result)),
            false => format!(
                "{}({}) : {}",
                terms.name(s),
                arguments.join(", "),
                sort(terms, result)
            ),
        }
    };
    let list: Vec<String> = list.iter().map(declare).collect();
    let _ = writeln!(out, "{what} {}", list.join(", "));
}

fn sort(terms: &Terms, sort: Sort) -> String {
    let values = |id: EnumId| terms.enum_info(id).variants.join(", ");
    match sort {
        Sort::Enum(id) => format!("{{{}}}", values(id)),
        sort => display_sort(terms, sort),
    }
}

fn conditions(out: &mut String, terms: &Terms, what: &str, list: &[Term]) {
    for &t in list {
        let _ = writeln!(out, "{what} {}", NativePrinter::new(terms).print(t));
    }
}

fn edge(out: &mut String, terms: &Terms, graph: &Model, edge: &Edge, detail: Detail) {
    let to = graph.location_name(edge.to);
    let _ = writeln!(out, "  -> {to}: {}", edge.command.name);
    if detail == Detail::Formulas {
        for line in formulas(terms, &graph.variables, &edge.command) {
            let _ = writeln!(out, "       {line}");
        }
    }
}

/// The conditions and changes of a command, one per line; unchanged variables are not mentioned.
fn formulas(terms: &Terms, variables: &[Symbol], command: &Command) -> Vec<String> {
    let print = |t: Term| NativePrinter::new(terms).print(t);
    let mut lines = Vec::new();
    if !command.inputs.is_empty() {
        let names: Vec<&str> = command.inputs.iter().map(|&s| terms.name(s)).collect();
        lines.push(format!("any {}", names.join(", ")));
    }
    lines.extend(command.guards.iter().map(|&t| print(t)));
    let changes = command.updates.iter();
    let changes = changes.filter(|u| u.value != terms.var(u.symbol));
    lines.extend(changes.map(|u| format!("{} := {}", terms.name(u.symbol), print(u.value))));
    lines.extend(command.relations.iter().map(|&t| print(t)));
    let related = terms.free_vars_of(&command.relations);
    let free = command.unassigned(variables).into_iter();
    let free: Vec<&str> = free
        .filter(|&s| !related.contains(&(s, sectile_terms::Stage::Next)))
        .map(|s| terms.name(s))
        .collect();
    if !free.is_empty() {
        lines.push(format!("havoc {}", free.join(", ")));
    }
    lines
}
