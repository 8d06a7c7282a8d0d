//! Composes parts of steps into commands: frames, synchronous composition, the passing of time.

use super::read::Reader;
use crate::elaborate::combinations;
use crate::messages::Report as _;
use sectile_base::{Rat, Span};
use sectile_model::{Command, Field, Update};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of updates in all commands together, which limits the memory.
const MOST_UPDATES: usize = 20_000_000;

/// The contribution of one component to a step.
pub(super) struct Part {
    pub name: String,
    pub field: Field,
    pub span: Span,
    pub kind: PartKind,
    /// The number of the process instance; 0 outside of processes.
    pub component: usize,
    /// The numbers of the fair sets to which it belongs.
    pub fair: Vec<usize>,
    pub inputs: Vec<Symbol>,
    pub guards: Vec<Term>,
    pub assigned: BTreeMap<Symbol, Term>,
    pub relations: Vec<Term>,
}

/// The frame convention of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// Unassigned variables keep their values.
    Guarded,
    /// Variables that are not mentioned are arbitrary.
    Relation,
}

impl Part {
    /// A part without effect.
    pub fn new(name: String, field: Field, span: Span, kind: PartKind) -> Part {
        Part {
            name,
            field,
            span,
            kind,
            component: 0,
            fair: Vec::new(),
            inputs: Vec::new(),
            guards: Vec::new(),
            assigned: BTreeMap::new(),
            relations: Vec::new(),
        }
    }
}

/// The commands of the system.
pub(super) fn commands(reader: &mut Reader<'_>) -> Vec<Command> {
    let parts = std::mem::take(&mut reader.parts);
    for (k, part) in parts.iter().enumerate() {
        for &set in &part.fair {
            reader.fair[set].commands.push(k);
        }
    }
    let tick = tick(reader, &parts);
    let steps = match reader.synchronous {
        None => parts.iter().map(|part| vec![part]).collect(),
        Some(span) => synchronous(reader, &parts, span),
    };
    if steps.len().saturating_mul(reader.model.variables.len()) > MOST_UPDATES {
        let last = parts.last().map(|p| p.span);
        let span = reader.synchronous.or(last).unwrap_or_default();
        let (steps, variables) = (steps.len(), reader.model.variables.len());
        let message = format!("{steps} commands over {variables} variables are too many");
        let help = "make the ranges or the parameters smaller";
        reader.error("size", span, message, help);
        return Vec::new();
    }
    let terms = reader.terms;
    let tick = tick.iter().map(|part| vec![part]);
    let steps = steps.into_iter().chain(tick);
    steps
        .map(|step| finish(terms, &step, &reader.model.variables))
        .collect()
}

/// The command of parts that happen together.
///
/// A variable that a part assigns gets that value. A variable that occurs primed in a relation is
/// determined by the relation. Any other keeps its value if one of the parts is a guarded command,
/// and is arbitrary if all of them are relations.
fn finish(terms: &Terms, parts: &[&Part], variables: &[Symbol]) -> Command {
    let names: Vec<&str> = parts.iter().map(|p| p.name.as_str()).collect();
    let span = parts.first().map_or(Span::default(), |p| p.span);
    let mut command = Command::new(names.join(" & "), span);
    command.parts = parts.iter().map(|p| p.field.clone()).collect();
    for part in parts {
        command.relations.extend(&part.relations);
        command.inputs.extend(&part.inputs);
        command.guards.extend(&part.guards);
    }
    let mentioned = terms.free_vars_of(&command.relations);
    let framed = parts.iter().any(|p| p.kind == PartKind::Guarded);
    for &symbol in variables {
        let assigned = parts.iter().find_map(|p| p.assigned.get(&symbol));
        let value = match assigned {
            Some(value) => *value,
            None if framed && !mentioned.contains(&(symbol, Stage::Next)) => terms.var(symbol),
            None => continue,
        };
        command.updates.push(Update { symbol, value });
    }
    assign_negations(terms, &mut command);
    command.normalise(terms);
    // In the order of the variables, regardless of the order in the relation.
    command.updates.sort_by_key(|u| u.symbol);
    command
}

/// Turns relations `b' = not e`, which are represented as negated equivalences, into updates.
fn assign_negations(terms: &Terms, command: &mut Command) {
    let relations = std::mem::take(&mut command.relations);
    for relation in relations {
        match negation(terms, relation) {
            Some(update) if command.update_of(update.symbol).is_none() => {
                command.updates.push(update);
            }
            _ => command.relations.push(relation),
        }
    }
}

fn negation(terms: &Terms, relation: Term) -> Option<Update> {
    let Node::Not(inner) = terms.node(relation) else {
        return None;
    };
    let Node::Eq(a, b) = terms.node(*inner) else {
        return None;
    };
    if terms.sort(*a) != Sort::Bool {
        return None;
    }
    [(*a, *b), (*b, *a)].into_iter().find_map(|(left, right)| {
        let Node::Var(symbol, Stage::Next) = terms.node(left) else {
            return None;
        };
        let stages = terms.free_vars(right);
        let current = stages.iter().all(|(_, stage)| *stage != Stage::Next);
        let value = terms.not(right);
        current.then_some(Update {
            symbol: *symbol,
            value,
        })
    })
}

/// All combinations of one part of every component.
fn synchronous<'p>(reader: &mut Reader<'_>, parts: &'p [Part], span: Span) -> Vec<Vec<&'p Part>> {
    let mut components: BTreeMap<usize, Vec<&Part>> = BTreeMap::new();
    // A process without commands blocks the system.
    for component in 1..=reader.components {
        components.insert(component, Vec::new());
    }
    for part in parts {
        components.entry(part.component).or_default().push(part);
    }
    refuse_conflicts(reader, &components);
    let sizes = components.values().map(Vec::len);
    let count = sizes.fold(1_usize, usize::saturating_mul);
    let width = components.len().max(reader.model.variables.len()).max(1);
    if count.saturating_mul(width) > MOST_UPDATES {
        let message = format!("the synchronous composition has {count} commands");
        let help = "every combination of one command of each process is a command";
        reader.error("size", span, message, help);
        return Vec::new();
    }
    if reader.diagnostics.has_errors() {
        return Vec::new();
    }
    match components.is_empty() {
        true => Vec::new(),
        false => combinations(components.into_values()),
    }
}

/// Reports commands that happen together and assign the same variable.
fn refuse_conflicts(reader: &mut Reader<'_>, components: &BTreeMap<usize, Vec<&Part>>) {
    let mut owners: BTreeMap<Symbol, Vec<(usize, &Part)>> = BTreeMap::new();
    for (component, parts) in components {
        for part in parts {
            for symbol in part.assigned.keys() {
                owners.entry(*symbol).or_default().push((*component, part));
            }
        }
    }
    let mut reported: BTreeSet<Span> = BTreeSet::new();
    for (symbol, list) in owners {
        let (first, part) = list[0];
        let Some((_, other)) = list.iter().find(|(component, _)| *component != first) else {
            continue;
        };
        if !reported.insert(other.span) {
            continue;
        }
        let name = reader.terms.name(symbol);
        let message = format!(
            "`{}` and `{}` both assign `{name}`, and happen together",
            part.name, other.name
        );
        let help = "in a synchronous composition every variable is assigned by one process";
        reader.error("assignment", other.span, message, help);
    }
}

/// The step in which time passes, if there are clocks.
fn tick(reader: &mut Reader<'_>, parts: &[Part]) -> Option<Part> {
    if reader.clocks.is_empty() {
        return None;
    }
    if let Some(part) = parts.iter().find(|p| p.name == "tick") {
        let message = "a file with clocks has a command `tick` already";
        let help = "give this command another name";
        reader.error("duplicate", part.span, message, help);
        return None;
    }
    let terms = reader.terms;
    let Ok(delay) = terms.declare("tick.d", Sort::Real, SymbolKind::Input) else {
        let message = "`tick.d` is the delay of the clocks and cannot be declared";
        reader.error("duplicate", Span::default(), message, "");
        return None;
    };
    let d = terms.var(delay);
    let name = "tick".to_string();
    let field = reader.field(None, &name, &[]);
    let mut part = Part::new(name, field, Span::default(), PartKind::Guarded);
    part.inputs.push(delay);
    part.guards
        .push(terms.gt(d, terms.number(Rat::ZERO, Sort::Real)));
    let mut later = Substitution::default();
    for &clock in &reader.clocks {
        let value = terms.add(terms.var(clock), d);
        later.insert(terms.var(clock), value);
        part.assigned.insert(clock, value);
    }
    for condition in &reader.stay {
        let after = terms.substitute(*condition, &later);
        part.guards.extend(terms.conjuncts(after));
    }
    Some(part)
}
