//! Certificates in the words of the input.

use crate::calls::derivation_words;
use crate::clauses::readable;
use sectile_base::Source;
use sectile_model::{
    Cell, Certificate, Command, CtlProof, GraphChange, Initial, LocationId, Model, Property,
    PropertyKind, Role, State, Task, Trace, UnrolledProof,
};
use sectile_terms::{
    NativePrinter, Node, Stage, Symbol, Term, Terms, Value, display_value, evaluate,
};

/// Formulas with more parts than this are not written out: shared parts may make the text
/// exponentially longer than the formula.
const LONGEST_FORMULA: u64 = 20_000;

/// Of longer runs the states in the middle are left out: nobody reads a million of them, and their
/// words need far more memory than the run. The certificate has them all.
const LONGEST_RUN: usize = 20_000;

/// Evidence, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The conjuncts of an inductive invariant.
    Invariant(Vec<String>),
    /// A k-inductive invariant.
    KInduction {
        /// How many steps back the induction looks.
        depth: u32,
        /// The invariant, or those of the locations.
        invariants: Box<Evidence>,
    },
    /// The conjuncts of the invariant at each location.
    Locations(Vec<(String, Vec<String>)>),
    /// Loops that are unrolled, and what holds afterwards.
    Unrolled {
        /// The loops, and the number of rounds that none of them is left after.
        loops: Vec<(String, u32)>,
        /// The invariants; copies of a location have its name.
        invariants: Box<Evidence>,
    },
    /// Cells of states with claims about a CTL formula.
    Cells(CellWords),
    /// A run.
    Trace(TraceWords),
}

/// Cells of states, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellWords {
    /// How many cells there are.
    pub cells: usize,
    /// How many claims about parts of the formula.
    pub claims: usize,
    /// The largest rank: how many steps what has to happen may take, counted in cells.
    pub largest_rank: u64,
    /// The formulas of the cells that contain the initial states.
    pub initial: Vec<Vec<String>>,
}

/// A run, ready to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceWords {
    /// The values of the symbolic constants.
    pub constants: Vec<(String, String)>,
    /// The states, each with the step that led to it.
    pub steps: Vec<StepWords>,
    /// States that are left out: behind how many of the list, and how many they are.
    pub omitted: Option<(usize, usize)>,
    /// The number of the state to which the run returns.
    pub back_to: Option<usize>,
    /// Why the run violates the property.
    pub conclusion: String,
}

/// One state of a run and how it was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWords {
    /// The command or statement; `start` for the first state.
    pub label: String,
    /// The line of the source on which it stands.
    pub line: Option<usize>,
    /// The location reached, in programs.
    pub location: Option<String>,
    /// The values chosen in the step.
    pub inputs: Vec<(String, String)>,
    /// The variables that changed, with their new values; all of them in the first state.
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
        Certificate::Ctl(proof) => Evidence::Cells(cell_words(task, proof)),
        Certificate::Modular(inner) => describe(task, source, inner),
        Certificate::Trace(trace) if is_tree(task.model, trace) => {
            Evidence::Trace(derivation_words(task, source, trace))
        }
        Certificate::Trace(trace) => Evidence::Trace(trace_words(task, source, trace)),
    }
}

/// Whether a derivation is told as a tree: it has premises, or may be one of calls.
fn is_tree(model: &Model, trace: &Trace) -> bool {
    let has_calls = model.locations.iter().any(|l| l.role != Role::Plain);
    has_calls || trace.steps.iter().any(|s| !s.rests_on.is_empty())
}

fn cell_words(task: &Task<'_>, proof: &CtlProof) -> CellWords {
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
    }
}

/// What a cell says: in programs, first where control is.
fn cell_conjuncts(task: &Task<'_>, cell: &Cell) -> Vec<String> {
    let mut parts = conjuncts(task, cell.formula);
    if !task.model.is_system() {
        parts.insert(0, format!("at {}", task.model.location_name(cell.location)));
    }
    parts
}

/// The locations that have an invariant of their own.
fn invariants_words(task: &Task<'_>, list: &[Option<Term>]) -> Evidence {
    if let (true, &[Some(only)]) = (task.model.is_system(), list) {
        return Evidence::Invariant(conjuncts(task, only));
    }
    let places = task.model.locations.iter().zip(list).enumerate();
    // Of a program with recursion, what holds at calls, returns and loop heads is enough.
    let has_calls = task.model.locations.iter().any(|l| l.role != Role::Plain);
    let heads = match has_calls {
        true => task.model.loop_heads(),
        false => Vec::new(),
    };
    let is_shown =
        |i: usize, role: Role| !has_calls || role != Role::Plain || heads.contains(&LocationId(i));
    let places = places.filter(|(i, (l, _))| is_shown(*i, l.role));
    let shown = places.filter_map(|(_, (l, t))| Some((l.name.clone(), conjuncts(task, (*t)?))));
    Evidence::Locations(shown.collect())
}

fn unrolled_words(task: &Task<'_>, proof: &UnrolledProof) -> Evidence {
    let graph = task.model;
    let origins = proof.origins(graph, &task.property.kind);
    let name = |l: usize| {
        let origin = origins.get(l).and_then(|o| graph.locations.get(o.0));
        origin.map_or("error", |o| o.name.as_str()).to_string()
    };
    let loops = proof.changes.iter().filter_map(|change| match change {
        GraphChange::Unroll(unrolling) => Some((name(unrolling.head.0), unrolling.rounds())),
        GraphChange::Cut { .. } => None,
    });
    // Most copies are not reached at all, which is not worth a line each.
    let says = |t: &Term| task.terms.as_bool(*t).is_none();
    let list = proof.invariants.iter().enumerate();
    let locations = list.filter_map(|(l, invariant)| {
        let invariant = invariant.filter(says)?;
        Some((name(l), conjuncts(task, invariant)))
    });
    Evidence::Unrolled {
        loops: loops.collect(),
        invariants: Box::new(Evidence::Locations(locations.collect())),
    }
}

fn conjuncts(task: &Task<'_>, t: Term) -> Vec<String> {
    let printer = NativePrinter::new(task.terms);
    let parts = readable(task.terms, t);
    if parts.is_empty() {
        return vec!["true".to_string()];
    }
    let print = |p: Term| match task.terms.written_size(p) {
        ..=LONGEST_FORMULA => printer.print(p),
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

fn trace_words(task: &Task<'_>, source: &Source, trace: &Trace) -> TraceWords {
    TraceWords {
        conclusion: conclusion(task, trace),
        ..run_words(task.terms, task.model, source, trace)
    }
}

/// Puts a run into words, without a property that it might violate.
pub fn run_words(terms: &Terms, model: &Model, source: &Source, trace: &Trace) -> TraceWords {
    let omitted = omitted_states(trace);
    let is_shown = |k: usize| omitted.is_none_or(|(from, count)| k < from || k >= from + count);
    let mut steps = Vec::new();
    for (k, state) in trace.states.iter().enumerate() {
        if !is_shown(k) {
            continue;
        }
        let before = k
            .checked_sub(1)
            .map(|p| (&trace.states[p], &trace.steps[p]));
        steps.push(match before {
            None => StepWords {
                label: "start".to_string(),
                line: None,
                location: location_name(model, state),
                inputs: Vec::new(),
                changes: named(terms, &model.variables, &state.values),
            },
            Some((previous, step)) => {
                let command = command_of(model, step.command);
                StepWords {
                    label: command.name.clone(),
                    line: Some(source.position(command.span.start).line),
                    location: location_name(model, state),
                    inputs: inputs(terms, command, &step.inputs),
                    changes: changes(terms, model, previous, state),
                }
            }
        });
    }
    TraceWords {
        constants: named(terms, &model.rigid, &trace.rigid),
        steps,
        omitted,
        back_to: trace.back_to,
        conclusion: String::new(),
    }
}

/// The middle of a run that is too long.
fn omitted_states(trace: &Trace) -> Option<(usize, usize)> {
    let too_many = trace.states.len().checked_sub(LONGEST_RUN)?;
    (too_many > 0).then_some((LONGEST_RUN / 2, too_many))
}

/// Chosen values; `P[1].take.v` is just `v` behind the name of its command.
fn inputs(terms: &Terms, command: &Command, values: &[Value]) -> Vec<(String, String)> {
    let mut list = named(terms, &command.inputs, values);
    for (name, _) in &mut list {
        let own = name
            .strip_prefix(command.name.as_str())
            .and_then(|rest| rest.strip_prefix('.'));
        if let Some(short) = own {
            *name = short.to_string();
        }
    }
    list
}

fn command_of(model: &Model, index: usize) -> &Command {
    &model.edges[index].command
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
    let Property { kind, .. } = task.property;
    let Some(last) = trace.states.last() else {
        return String::new();
    };
    let (formula, wanted) = match kind {
        PropertyKind::Invariant(p) => (*p, true),
        PropertyKind::AtLocation(_, p) => (*p, true),
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
    let values: Vec<String> = values_of(task, trace, last, part);
    let text = NativePrinter::new(task.terms).print(part);
    if values.is_empty() {
        format!("`{text}` is {word}")
    } else {
        format!("`{text}` is {word}: {}", values.join(", "))
    }
}

/// What was claimed where a program went to an error location: the opposite of the condition of
/// the last step, if that step does nothing else.
fn failed_claim(task: &Task<'_>, trace: &Trace) -> Option<Term> {
    let command = command_of(task.model, trace.steps.last()?.command);
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

fn values_of(task: &Task<'_>, trace: &Trace, state: &State, formula: Term) -> Vec<String> {
    let variables = task.terms.free_vars(formula);
    let shown = variables.iter().filter_map(|(symbol, _)| {
        let value = value_in(task, trace, state, *symbol)?;
        let name = task.terms.name(*symbol);
        Some(format!("{name} = {}", display_value(task.terms, &value)))
    });
    shown.collect()
}
