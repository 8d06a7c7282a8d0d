//! Builds a transition system from annotated terms.

use super::annotations::{Marked, Parts};
use crate::elaborate::free_name;
use crate::linear::{add_monitors, linear_properties};
use crate::messages::Report as _;
use crate::stop_at_errors;
use sectile_base::{Diagnostics, Span};
use sectile_model::{Command, Ctl, Model, Property, PropertyKind};
use sectile_terms::{Node, Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// The maximum number of steps: a relation with more alternatives stays one step.
const MOST_STEPS: usize = 256;

/// A system with its properties.
pub(super) struct Built {
    pub model: Model,
    pub properties: Vec<Property>,
    /// The variables and inputs of monitors for properties.
    pub monitors: Vec<Symbol>,
}

/// The system and its properties.
pub(super) fn build(terms: &Terms, name: String, parts: Parts) -> Result<Built, Diagnostics> {
    let mut wrong = Diagnostics::new();
    let about_states = [&parts.init, &parts.invariants, &parts.live, &parts.leaves];
    for marked in about_states.into_iter().flatten() {
        not_about_states(terms, &parts, marked, &mut wrong);
    }
    if parts.trans.is_empty() {
        let message = "no term is marked with `:trans`";
        wrong.error("vmt-trans", Span::default(), message, "");
    }
    let conjuncts = |list: &[Marked]| {
        let formulas = list.iter().map(|m| m.formula);
        terms.conjuncts(terms.and(formulas))
    };
    let span = parts.trans.first().map_or_else(Span::default, |m| m.span);
    let mut model = Model {
        name,
        init: conjuncts(&parts.init),
        variables: parts.variables.clone(),
        rigid: parts.functions.clone(),
        ..Model::system(commands(terms, &parts, conjuncts(&parts.trans), span))
    };
    let mut properties = Vec::new();
    let mut used = BTreeSet::new();
    for marked in &parts.invariants {
        let kind = PropertyKind::Invariant(marked.formula);
        properties.push(property(marked, kind, &mut used));
    }
    let mut linear = Vec::new();
    for marked in &parts.live {
        // If every state has exactly one successor, `F G p` means the same in branching time.
        if !is_deterministic(&model) {
            linear.push(properties.len());
        }
        let always = Ctl::Ag(Box::new(Ctl::State(marked.formula)));
        let kind = PropertyKind::Ctl(Ctl::Af(Box::new(always)));
        properties.push(property(marked, kind, &mut used));
    }
    for (marked, formula) in &parts.ltl {
        linear.push(properties.len());
        let kind = PropertyKind::Ctl(formula.clone());
        properties.push(property(marked, kind, &mut used));
    }
    stop_at_errors(&mut wrong)?;
    let open = linear_properties(terms, &mut properties, &linear);
    let monitors = add_monitors(terms, &mut model, &mut properties, &open, &mut wrong);
    stop_at_errors(&mut wrong)?;
    Ok(Built {
        model,
        properties,
        monitors,
    })
}

fn property(marked: &Marked, kind: PropertyKind, used: &mut BTreeSet<String>) -> Property {
    let base = marked.name.trim_start_matches('.');
    let base = if base.is_empty() { "property" } else { base };
    Property {
        name: free_name(base, "_", |name| used.insert(name.to_string())),
        kind,
        span: marked.span,
    }
}

/// Reports initial conditions and properties that mention anything but the current state.
fn not_about_states(terms: &Terms, parts: &Parts, marked: &Marked, wrong: &mut Diagnostics) {
    let variables = terms.free_vars(marked.formula);
    let known = |s: &Symbol| parts.variables.contains(s) || parts.functions.contains(s);
    let foreign = |v: &&(Symbol, Stage)| v.1 != Stage::Now || !known(&v.0);
    let Some(&(symbol, stage)) = variables.iter().find(foreign) else {
        return;
    };
    let what = match stage {
        Stage::Next => "the next value of",
        _ => "the input",
    };
    let message = format!("this mentions {what} `{}`", terms.name(symbol));
    let help = "initial conditions and properties are about the current state";
    wrong.error("vmt-state", marked.span, message, help);
}

/// The transition relation as steps, one for each of its alternatives, if it has some.
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
        command.inputs.clone_from(&parts.inputs);
        command.inputs.retain(|&i| used.contains(&(i, Stage::Now)));
        command.relations = terms.conjuncts(step);
        command.normalise(terms);
        command
    };
    steps.into_iter().enumerate().map(command).collect()
}

/// Whether a conjunct is a choice between steps: each alternative mentions the next state.
fn is_choice(terms: &Terms, t: Term) -> bool {
    let Node::Or(_) = terms.node(t) else {
        return false;
    };
    let list = terms.disjuncts(t);
    let about_next = |d: &Term| terms.free_vars(*d).iter().any(|v| v.1 == Stage::Next);
    list.len() <= MOST_STEPS && list.iter().all(about_next)
}

/// Whether every state has exactly one successor, so that there is only one run from each state.
fn is_deterministic(system: &Model) -> bool {
    let [only] = system.edges.as_slice() else {
        return false;
    };
    let only = &only.command;
    let open = only.guards.len() + only.relations.len() + only.inputs.len();
    open == 0 && only.unassigned(&system.variables).is_empty()
}
