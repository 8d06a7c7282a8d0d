//! Checks runs by evaluation alone, sharing nothing with the search.

use sectile_model::{Model, Property, PropertyKind, State, Trace};
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};

/// Whether a formula holds between two states, with values of constants and inputs.
pub fn holds(
    terms: &Terms,
    model: &Model,
    formula: Term,
    rigid: &[Value],
    now: &State,
    next: Option<&State>,
    inputs: (&[Symbol], &[Value]),
) -> bool {
    let value = |symbol: Symbol, stage: Stage| {
        let of = |symbols: &[Symbol], values: &[Value]| {
            let position = symbols.iter().position(|&s| s == symbol)?;
            values.get(position).cloned()
        };
        match stage {
            Stage::Now => of(&model.variables, &now.values)
                .or_else(|| of(&model.rigid, rigid))
                .or_else(|| of(inputs.0, inputs.1)),
            Stage::Next => of(&model.variables, &next?.values),
            Stage::At(_) => None,
        }
    };
    evaluate(terms, formula, &value).unwrap() == Value::Bool(true)
}

/// Checks that a trace is a run of the model.
pub fn trace(terms: &Terms, model: &Model, trace: &Trace) {
    assert_eq!(trace.states.len(), trace.steps.len() + 1);
    let (init, restrict) = (model.init_formula(terms), model.restrict_formula(terms));
    let none: (&[Symbol], &[Value]) = (&[], &[]);
    let first = &trace.states[0];
    assert!(holds(terms, model, init, &trace.rigid, first, None, none));
    assert_eq!(first.location, model.entry);
    for state in &trace.states {
        assert!(holds(
            terms,
            model,
            restrict,
            &trace.rigid,
            state,
            None,
            none
        ));
    }
    for (i, step) in trace.steps.iter().enumerate() {
        let (now, next) = (&trace.states[i], &trace.states[i + 1]);
        let edge = &model.edges[step.command];
        assert_eq!((now.location, next.location), (edge.from, edge.to));
        let command = &edge.command;
        let formula = command.formula(terms);
        let inputs = (&command.inputs[..], &step.inputs[..]);
        assert_eq!(inputs.0.len(), inputs.1.len());
        let possible = holds(terms, model, formula, &trace.rigid, now, Some(next), inputs);
        assert!(possible, "step {i} by `{}`", command.name);
    }
    if let Some(back) = trace.back_to {
        assert!(back < trace.states.len() - 1);
        assert_eq!(trace.states[back], *trace.states.last().unwrap());
    }
}

/// Checks that the last state of a trace violates a safety property.
pub fn violation(terms: &Terms, model: &Model, property: &Property, trace: &Trace) {
    let last = trace.states.last().unwrap();
    let is = |t: Term| holds(terms, model, t, &trace.rigid, last, None, (&[], &[]));
    match &property.kind {
        PropertyKind::Invariant(p) => assert!(!is(*p)),
        PropertyKind::Error(p) => assert!(is(*p)),
        PropertyKind::AtLocation(l, p) => assert!(last.location == *l && !is(*p)),
        PropertyKind::Unreachable(list) => assert!(list.contains(&last.location)),
        PropertyKind::Ctl(_) => {}
    }
}
