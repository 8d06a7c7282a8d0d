//! From annotated terms to a transition system.

use super::annotations::{Marked, Parts};
use sectile_base::{Diagnostic, Diagnostics, Span};
use sectile_model::{Command, Ctl, Model, Property, PropertyKind};
use sectile_terms::{Node, Stage, Term, Terms};
use std::collections::BTreeSet;

/// More alternatives than this stay one step.
const MOST_STEPS: usize = 256;

/// The system and its properties.
pub(super) fn build(
    terms: &Terms,
    name: String,
    parts: Parts,
) -> Result<(Model, Vec<Property>), Diagnostics> {
    let mut wrong = Diagnostics::new();
    for marked in parts
        .init
        .iter()
        .chain(&parts.invariants)
        .chain(&parts.live)
    {
        if let Some(diagnostic) = not_about_states(terms, &parts, marked) {
            wrong.push(diagnostic);
        }
    }
    if parts.trans.is_empty() {
        let message = "no term is marked with `:trans`";
        wrong.push(Diagnostic::error("vmt-trans", Span::default(), message));
    }
    let conjuncts = |list: &[Marked]| {
        let formulas = list.iter().map(|m| m.formula);
        terms.conjuncts(terms.and(formulas))
    };
    let span = parts.trans.first().map_or_else(Span::default, |m| m.span);
    let system = Model {
        name,
        init: conjuncts(&parts.init),
        variables: parts.variables.clone(),
        ..Model::system(commands(terms, &parts, conjuncts(&parts.trans), span))
    };
    let mut properties = Vec::new();
    let mut used = BTreeSet::new();
    for marked in &parts.invariants {
        properties.push(property(
            marked,
            PropertyKind::Invariant(marked.formula),
            &mut used,
        ));
    }
    for marked in &parts.live {
        match is_deterministic(&system) {
            true => {
                let always = Ctl::Ag(Box::new(Ctl::State(marked.formula)));
                let kind = PropertyKind::Ctl(Ctl::Af(Box::new(always)));
                properties.push(property(marked, kind, &mut used));
            }
            false => wrong.push(unsupported_live(marked)),
        }
    }
    match wrong.has_errors() {
        true => Err(wrong),
        false => Ok((system, properties)),
    }
}

fn property(marked: &Marked, kind: PropertyKind, used: &mut BTreeSet<String>) -> Property {
    let base = marked.name.trim_start_matches('.');
    let base = if base.is_empty() { "property" } else { base };
    let mut name = base.to_string();
    let mut k = 2;
    while !used.insert(name.clone()) {
        name = format!("{base}_{k}");
        k += 1;
    }
    Property {
        name,
        kind,
        span: marked.span,
    }
}

/// Initial conditions and properties speak of the current state only.
fn not_about_states(terms: &Terms, parts: &Parts, marked: &Marked) -> Option<Diagnostic> {
    let variables = terms.free_vars(marked.formula);
    let foreign = |v: &&(_, Stage)| v.1 != Stage::Now || !parts.variables.contains(&v.0);
    let &(symbol, stage) = variables.iter().find(foreign)?;
    let what = match stage {
        Stage::Next => "the next value of",
        _ => "the input",
    };
    let message = format!("this mentions {what} `{}`", terms.name(symbol));
    let diagnostic = Diagnostic::error("vmt-state", marked.span, message);
    Some(diagnostic.help("initial conditions and properties are about the current state"))
}

/// The transition relation as steps, one for each of its alternatives where it has some.
fn commands(terms: &Terms, parts: &Parts, conjuncts: Vec<Term>, span: Span) -> Vec<Command> {
    let alternatives = conjuncts.iter().position(|&c| is_choice(terms, c));
    let steps = match alternatives {
        Some(i) => {
            let mut common = conjuncts.clone();
            let choice = terms.disjuncts(common.remove(i));
            let step = |d: &Term| terms.and(common.iter().copied().chain([*d]));
            choice.iter().map(step).collect()
        }
        None => vec![terms.and(conjuncts)],
    };
    let several = steps.len() > 1;
    let command = |(k, step): (usize, Term)| {
        let name = match several {
            true => format!("trans{}", k + 1),
            false => "trans".to_string(),
        };
        let mut command = Command::new(name, span);
        let used = terms.free_vars(step);
        let inputs = parts.inputs.iter().copied();
        command.inputs = inputs
            .filter(|&i| used.contains(&(i, Stage::Now)))
            .collect();
        command.relations = terms.conjuncts(step);
        command.normalise(terms);
        command
    };
    steps.into_iter().enumerate().map(command).collect()
}

/// Whether a conjunct is a choice between steps: each alternative says something about the next
/// state.
fn is_choice(terms: &Terms, t: Term) -> bool {
    let Node::Or(_) = terms.node(t) else {
        return false;
    };
    let list = terms.disjuncts(t);
    let about_next = |d: &Term| terms.free_vars(*d).iter().any(|v| v.1 == Stage::Next);
    list.len() <= MOST_STEPS && list.iter().all(about_next)
}

/// Whether every state has exactly one successor. Then all runs from a state are one.
fn is_deterministic(system: &Model) -> bool {
    let [only] = system.edges.as_slice() else {
        return false;
    };
    let only = &only.command;
    let open = only.guards.len() + only.relations.len() + only.inputs.len();
    open == 0 && only.unassigned(&system.variables).is_empty()
}

fn unsupported_live(marked: &Marked) -> Diagnostic {
    let message = "a live property of a system with several runs is not supported";
    Diagnostic::error("vmt-unsupported", marked.span, message)
        .help("`F G p` is the CTL formula `AF AG p` only where every state has one successor")
}
