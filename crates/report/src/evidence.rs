//! Certificates in the words of the input.

use crate::calls::{derivation_words, has_calls};
use crate::cell_run::run_of_cells;
use crate::clauses::readable;
use crate::every::EveryWords;
use crate::ranking::progress_words;
use sectile_base::Source;
use sectile_engine::value_map;
use sectile_model::{
    Cell, Certificate, Command, CtlProof, GraphChange, Initial, LocationId, Model, PropertyKind,
    Role, State, Task, Trace, UnrolledProof,
};
use sectile_terms::{
    NativePrinter, Node, Stage, Symbol, Term, Terms, Value, display_value, evaluate,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// Formulas with more parts than this are not written out: shared parts may make the text
/// exponentially longer than the formula.
const LONGEST_FORMULA: u64 = 20_000;

/// Of longer runs the states in the middle are left out: nobody reads a million of them, and their
/// words need far more memory than the run. The certificate has them all.
const LONGEST_RUN: usize = 20_000;

/// Evidence, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Evidence {
    /// An inductive invariant.
    Invariant {
        /// Its conjuncts.
        conjuncts: Vec<String>,
    },
    /// A k-inductive invariant.
    KInduction {
        /// How many steps back the induction looks.
        depth: u32,
        /// The invariant, or those of the locations.
        invariants: Box<Evidence>,
    },
    /// An invariant of each location.
    #[serde(rename = "location-invariants")]
    Locations {
        /// The locations.
        locations: Vec<LocationWords>,
    },
    /// Loops that are unrolled, and what holds afterwards.
    Unrolled {
        /// The loops.
        loops: Vec<LoopWords>,
        /// The invariants; copies of a location have its name.
        invariants: Box<Evidence>,
    },
    /// An invariant for every number of processes.
    EverySize(EveryWords),
    /// Cells of states with claims about a CTL formula.
    Cells(CellWords),
    /// Decision diagrams of the states in which the parts of a property hold.
    Diagrams {
        /// How many nodes they have.
        nodes: usize,
        /// How many variables they ask for.
        variables: usize,
        /// How many parts the property has.
        parts: usize,
    },
    /// A run.
    Trace(TraceWords),
}

/// What holds at a location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocationWords {
    /// The location.
    pub location: String,
    /// The conjuncts of its invariant.
    pub conjuncts: Vec<String>,
}

/// A loop that is unrolled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopWords {
    /// Its head.
    pub location: String,
    /// It is left after fewer rounds, or never.
    pub rounds: u32,
}

/// Cells of states, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CellWords {
    /// How many cells there are.
    pub cells: usize,
    /// How many claims about parts of the formula.
    pub claims: usize,
    /// The largest rank: how many steps what has to happen may take, counted in cells.
    pub largest_rank: u64,
    /// The formulas of the cells that contain the initial states.
    pub initial: Vec<Vec<String>>,
    /// What falls with steps between cells of the same rank.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<MeasureWords>,
    /// Why what has to happen does happen, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<String>,
    /// A violation as far as it is one run: until it comes back to a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<TraceWords>,
}

/// What falls with steps from a cell, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeasureWords {
    /// What the cell says.
    pub cell: Vec<String>,
    /// The rank of the cell.
    pub rank: u64,
    /// The sums, the first one first.
    pub sums: Vec<String>,
}

/// A run, ready to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TraceWords {
    /// The values of the symbolic constants.
    #[serde(serialize_with = "value_map")]
    pub constants: Vec<(String, String)>,
    /// The states, each with the step that led to it.
    pub steps: Vec<StepWords>,
    /// The number of the state to which the run returns.
    pub back_to: Option<usize>,
    /// The number of the state from which on the steps can be repeated, with other numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    /// Why the run violates the property.
    pub conclusion: String,
    /// States that are left out of a long run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// The middle of a run that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// How many states are listed before it.
    pub after: usize,
    /// How many states it has.
    pub states: usize,
}

/// One state of a run and how it was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StepWords {
    /// The command or statement; `start` for the first state.
    pub label: String,
    /// The line of the source on which it stands.
    pub line: Option<usize>,
    /// The location reached, in programs.
    pub location: Option<String>,
    /// The values chosen in the step.
    #[serde(serialize_with = "value_map")]
    pub inputs: Vec<(String, String)>,
    /// The variables that changed, with their new values; all of them in the first state.
    #[serde(serialize_with = "value_map")]
    pub changes: Vec<(String, String)>,
}

/// Puts a certificate into words.
pub fn describe(task: &Task<'_>, source: &Source, certificate: &Certificate) -> Evidence {
    match certificate {
        Certificate::Invariants(proof) if proof.is_inductive() => invariants_words(task, &proof.at),
        Certificate::Invariants(proof) => Evidence::KInduction {
            depth: proof.depth,
            invariants: Box::new(invariants_words(task, &proof.at)),
        },
        Certificate::Unrolled(proof) => unrolled_words(task, proof),
        Certificate::Ctl(proof) => Evidence::Cells(cell_words(task, source, proof)),
        Certificate::Diagrams(proof) => Evidence::Diagrams {
            nodes: proof.diagram.nodes.len(),
            variables: { proof.diagram.nodes.iter() }
                .map(|node| node.variable)
                .collect::<BTreeSet<_>>()
                .len(),
            parts: proof.sets.len(),
        },
        Certificate::Modular(inner) => {
            let contracts = task.by_contract();
            describe(contracts.as_ref().unwrap_or(task), source, inner)
        }
        Certificate::Trace(trace) if is_tree(task.model, trace) => {
            Evidence::Trace(derivation_words(task, source, trace))
        }
        Certificate::Trace(trace) => Evidence::Trace(TraceWords {
            conclusion: conclusion(task, trace),
            ..run_words(task.terms, task.model, source, trace)
        }),
    }
}

/// Whether a derivation is told as a tree: it has premises, or may be one of calls.
fn is_tree(model: &Model, trace: &Trace) -> bool {
    has_calls(model) || trace.steps.iter().any(|s| !s.rests_on.is_empty())
}

fn cell_words(task: &Task<'_>, source: &Source, proof: &CtlProof) -> CellWords {
    let initial = match &proof.initial {
        Initial::All(list) => list.clone(),
        Initial::One(_, _, cell) => vec![*cell],
    };
    let claims = proof.claims.iter().flatten();
    CellWords {
        cells: proof.cells.len(),
        claims: claims.clone().count(),
        largest_rank: claims.map(|c| c.rank).max().unwrap_or(0),
        initial: initial
            .iter()
            .filter_map(|&c| proof.cells.get(c))
            .map(|c| cell_conjuncts(task, c))
            .collect(),
        measures: measure_words(task, proof),
        progress: progress_words(task, proof),
        run: run_of_cells(task, source, proof),
    }
}

fn measure_words(task: &Task<'_>, proof: &CtlProof) -> Vec<MeasureWords> {
    let printer = NativePrinter::new(task.terms);
    let claims = proof.claims.iter().flatten();
    let ranked = claims.filter(|c| !c.measures.is_empty());
    let words = ranked.filter_map(|claim| {
        Some(MeasureWords {
            cell: cell_conjuncts(task, proof.cells.get(claim.cell)?),
            rank: claim.rank,
            sums: claim.measures.iter().map(|&m| printer.print(m)).collect(),
        })
    });
    words.collect()
}

/// What a cell says: in programs, first where control is.
pub(crate) fn cell_conjuncts(task: &Task<'_>, cell: &Cell) -> Vec<String> {
    let mut parts = conjuncts(task, cell.formula);
    if !task.model.is_system() {
        parts.insert(0, format!("at {}", task.model.location_name(cell.location)));
    }
    parts
}

/// The locations that have an invariant of their own.
fn invariants_words(task: &Task<'_>, list: &[Option<Term>]) -> Evidence {
    if let (true, &[Some(only)]) = (task.model.is_system(), list) {
        let conjuncts = conjuncts(task, only);
        return Evidence::Invariant { conjuncts };
    }
    let places = task.model.locations.iter().zip(list).enumerate();
    // Of a program with recursion, what holds at calls, returns and loop heads is enough.
    let has_calls = has_calls(task.model);
    let heads = match has_calls {
        true => task.model.loop_heads(),
        false => Vec::new(),
    };
    let is_shown =
        |i: usize, role: Role| !has_calls || role != Role::Plain || heads.contains(&LocationId(i));
    let places = places.filter(|(i, (l, _))| is_shown(*i, l.role));
    let shown = places.filter_map(|(_, (l, t))| {
        Some(LocationWords {
            location: l.name.clone(),
            conjuncts: conjuncts(task, (*t)?),
        })
    });
    Evidence::Locations {
        locations: shown.collect(),
    }
}

fn unrolled_words(task: &Task<'_>, proof: &UnrolledProof) -> Evidence {
    let graph = task.model;
    let origins = proof.origins(graph, &task.property.kind);
    let name = |l: usize| {
        let origin = origins.get(l).and_then(|o| graph.locations.get(o.0));
        origin.map_or("error", |o| o.name.as_str()).to_string()
    };
    let loops = proof.changes.iter().filter_map(|change| match change {
        GraphChange::Unroll(unrolling) => Some(LoopWords {
            location: name(unrolling.head.0),
            rounds: unrolling.rounds(),
        }),
        GraphChange::Cut { .. } => None,
    });
    // Most copies are not reached at all, which is not worth a line each.
    let says = |t: &Term| task.terms.as_bool(*t).is_none();
    let list = proof.invariants.iter().enumerate();
    let locations = list.filter_map(|(l, invariant)| {
        Some(LocationWords {
            location: name(l),
            conjuncts: conjuncts(task, invariant.filter(says)?),
        })
    });
    Evidence::Unrolled {
        loops: loops.collect(),
        invariants: Box::new(Evidence::Locations {
            locations: locations.collect(),
        }),
    }
}

fn conjuncts(task: &Task<'_>, t: Term) -> Vec<String> {
    let printer = NativePrinter::new(task.terms);
    let parts = readable(task.terms, t);
    if parts.is_empty() {
        return vec!["true".to_string()];
    }
    let print = |p: Term| match task.terms.written_size(p) {
        ..=LONGEST_FORMULA => printer.print_closed(p),
        _ => {
            let parts = task.terms.size(p);
            format!("(a formula of {parts} different parts, too long to be written out)")
        }
    };
    parts.into_iter().map(print).collect()
}

pub(crate) fn named(terms: &Terms, symbols: &[Symbol], values: &[Value]) -> Vec<(String, String)> {
    let pairs = symbols.iter().zip(values);
    pairs
        .map(|(s, v)| (terms.name(*s).to_string(), display_value(terms, v)))
        .collect()
}

/// Puts a run into words, without a property that it might violate.
pub fn run_words(terms: &Terms, model: &Model, source: &Source, trace: &Trace) -> TraceWords {
    // The middle of a run that is too long.
    let too_many = trace.states.len().saturating_sub(LONGEST_RUN);
    let omitted = (too_many > 0).then_some(Omitted {
        after: LONGEST_RUN / 2,
        states: too_many,
    });
    let is_shown = |k: usize| omitted.is_none_or(|o| k < o.after || k >= o.after + o.states);
    let states = trace
        .states
        .iter()
        .enumerate()
        .filter(|(k, _)| is_shown(*k));
    let steps = states.map(|(k, state)| {
        let location = location_name(model, state);
        let Some(before) = k.checked_sub(1) else {
            return StepWords {
                label: "start".to_string(),
                location,
                changes: named(terms, &model.variables, &state.values),
                ..StepWords::default()
            };
        };
        let step = &trace.steps[before];
        let command = &model.edges[step.command].command;
        StepWords {
            label: command.name.clone(),
            line: Some(source.position(command.span.start).line),
            location,
            inputs: inputs(terms, command, &step.inputs),
            changes: changes(terms, model, &trace.states[before], state),
        }
    });
    TraceWords {
        constants: named(terms, &model.rigid, &trace.rigid),
        steps: steps.collect(),
        omitted,
        back_to: trace.back_to,
        repeats_from: None,
        conclusion: String::new(),
    }
}

/// Chosen values; `P[1].take.v` is just `v` behind the name of its command.
fn inputs(terms: &Terms, command: &Command, values: &[Value]) -> Vec<(String, String)> {
    let mut list = named(terms, &command.inputs, values);
    for (name, _) in &mut list {
        let own = format!("{}.", command.name);
        if let Some(short) = name.strip_prefix(&own) {
            *name = short.to_string();
        }
    }
    list
}

fn location_name(model: &Model, state: &State) -> Option<String> {
    (!model.is_system()).then(|| model.location_name(state.location).to_string())
}

fn changes(terms: &Terms, model: &Model, before: &State, after: &State) -> Vec<(String, String)> {
    let variables = model.variables.iter();
    let pairs = variables.zip(before.values.iter().zip(&after.values));
    pairs
        .filter(|(_, (a, b))| a != b)
        .map(|(s, (_, b))| (terms.name(*s).to_string(), display_value(terms, b)))
        .collect()
}

/// Says which part of the property is false in the last state, and with which values.
fn conclusion(task: &Task<'_>, trace: &Trace) -> String {
    let Some(last) = trace.states.last() else {
        return String::new();
    };
    let (formula, wanted) = match &task.property.kind {
        PropertyKind::Invariant(p) | PropertyKind::AtLocation(_, p) => (*p, true),
        PropertyKind::Error(e) => (*e, false),
        PropertyKind::Unreachable(_) => {
            let name = location_name(task.model, last).unwrap_or_default();
            return match failed_claim(task, trace) {
                Some(claim) => {
                    let why = explained(task, trace, last, claim, true);
                    format!("location {name} is reached: {why}")
                }
                None => format!("location {name} is reached"),
            };
        }
        PropertyKind::Ctl(formula) => match formula.invariant_at(task.terms, last.location) {
            Some(p) => (p, true),
            None if trace.back_to.is_some() => {
                return "the run goes round for ever and never satisfies the formula".to_string();
            }
            None => return "the run shows that the formula is false".to_string(),
        },
    };
    explained(task, trace, last, formula, wanted)
}

/// The part of a formula that is not as wanted in a state, with the values in it.
fn explained(task: &Task<'_>, trace: &Trace, last: &State, formula: Term, wanted: bool) -> String {
    let part = culprit(task, trace, last, formula, wanted);
    let word = if wanted { "false" } else { "true" };
    let values = values_of(task, trace, last, &[part]);
    let text = NativePrinter::new(task.terms).print(part);
    match values.as_str() {
        "" => format!("`{text}` is {word}"),
        _ => format!("`{text}` is {word}: {values}"),
    }
}

/// What was claimed where a program went to an error location: the opposite of the condition of
/// the last step, if that step does nothing else.
fn failed_claim(task: &Task<'_>, trace: &Trace) -> Option<Term> {
    let command = &task.model.edges[trace.steps.last()?.command].command;
    let keeps = |u: &sectile_model::Update| u.value == task.terms.var(u.symbol);
    let only_tests = command.inputs.is_empty()
        && command.relations.is_empty()
        && command.updates.len() == task.model.variables.len()
        && command.updates.iter().all(keeps);
    let tests = only_tests && !command.guards.is_empty();
    tests.then(|| {
        task.terms
            .not(task.terms.and(command.guards.iter().copied()))
    })
}

fn value_in(task: &Task<'_>, trace: &Trace, state: &State, symbol: Symbol) -> Option<Value> {
    let position = |list: &[Symbol]| list.iter().position(|s| *s == symbol);
    if let Some(i) = position(&task.model.variables) {
        return state.values.get(i).cloned();
    }
    position(&task.model.rigid).and_then(|i| trace.rigid.get(i).cloned())
}

/// The smallest part of the formula that makes it have the value it should not have.
fn culprit(task: &Task<'_>, trace: &Trace, state: &State, formula: Term, wanted: bool) -> Term {
    let value = |t: Term| {
        let valuation = |s: Symbol, _: Stage| value_in(task, trace, state, s);
        evaluate(task.terms, t, &valuation).ok()
    };
    let mut part = formula;
    loop {
        let parts: &[Term] = match task.terms.node(part) {
            Node::And(list) if wanted => list,
            Node::Or(list) if !wanted => list,
            _ => return part,
        };
        match parts
            .iter()
            .find(|&&p| value(p) == Some(Value::Bool(!wanted)))
        {
            Some(&p) => part = p,
            None => return part,
        }
    }
}

/// The values that the variables of some formulas have in a state.
pub(crate) fn values_of(
    task: &Task<'_>,
    trace: &Trace,
    state: &State,
    formulas: &[Term],
) -> String {
    let variables = task.terms.free_vars_of(formulas);
    let shown = variables.iter().filter_map(|(symbol, _)| {
        let value = value_in(task, trace, state, *symbol)?;
        let name = task.terms.name(*symbol);
        Some(format!("{name} = {}", display_value(task.terms, &value)))
    });
    shown.collect::<Vec<_>>().join(", ")
}
