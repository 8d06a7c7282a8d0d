//! Construction of a derivation from facts: values for all variables, with repeated facts shared.

use super::search::no_value;
use super::steps::about;
use super::summary::Fact;
use crate::rule::Rules;
use sectile_engine::{Event, Run, Stop};
use sectile_model::horn::{Derivation, Instance};
use sectile_solver::{Answer, Assignment};
use sectile_terms::{Stage, Symbol, Term, Value, evaluate};
use std::collections::BTreeMap;

/// Arguments that a fact derives.
type Given = (usize, Vec<Value>);

/// Arguments to derive.
struct Goal {
    given: Given,
    /// Values of the variables of the rule, and the goals of its body, once chosen.
    chosen: Option<(Assignment, Vec<Given>)>,
}

/// The derivation of `false` from a fact about it.
pub(super) fn derivation(
    rules: Rules<'_>,
    facts: &[Fact],
    root: usize,
    run: &mut Run<'_>,
) -> Result<Derivation, Stop> {
    let terms = rules.terms;
    let mut instances: Vec<Instance> = Vec::new();
    let mut places: BTreeMap<(usize, Vec<Value>), usize> = BTreeMap::new();
    let place_of = |given: &Given| (facts[given.0].predicate, given.1.clone());
    let goal = |given: Given| Goal {
        given,
        chosen: None,
    };
    let mut stack = vec![goal((root, Vec::new()))];
    while let Some(top) = stack.last_mut() {
        run.budget.poll()?;
        if places.contains_key(&place_of(&top.given)) {
            stack.pop();
            continue;
        }
        if top.chosen.is_none() {
            top.chosen = Some(choose(rules, facts, &top.given, run)?);
        }
        let Some((values, needed)) = &top.chosen else {
            continue;
        };
        let below: Vec<_> = needed.iter().map(|g| places.get(&place_of(g))).collect();
        if let Some(open) = below.iter().position(|p| p.is_none()) {
            let next = goal(needed[open].clone());
            stack.push(next);
            continue;
        }
        let premises: Vec<usize> = below.into_iter().flatten().copied().collect();
        let value = |symbol: Symbol| {
            let known = values.get(symbol, Stage::Now).cloned();
            known.or_else(|| Some(Value::some_of(terms, terms.symbol_sort(symbol))))
        };
        let rule = &rules.list[facts[top.given.0].rule];
        let made = rule.instances(terms, &value, &premises, &mut instances);
        let lost = || Stop::bug("a derivation has a variable without a value");
        places.insert(place_of(&top.given), made.ok_or_else(lost)?);
        stack.pop();
    }
    let steps = instances.len();
    run.tell(Event::PathConcretized { steps });
    Ok(Derivation { instances })
}

/// Values of the variables of a fact's rule that yield the arguments.
fn choose(
    rules: Rules<'_>,
    facts: &[Fact],
    given: &Given,
    run: &Run<'_>,
) -> Result<(Assignment, Vec<Given>), Stop> {
    let terms = rules.terms;
    let fact = &facts[given.0];
    let rule = &rules.list[fact.rule];
    let head: &[Term] = rule.head.as_ref().map_or(&[], |h| &h.arguments);
    let value = |t: Term, values: &Assignment| evaluate(terms, t, values).map_err(no_value);
    let all = |list: &[Term], values: &Assignment| -> Result<Vec<Value>, Stop> {
        list.iter().map(|&t| value(t, values)).collect()
    };
    let mut values = fact.witness.clone();
    if all(head, &values)? != given.1 {
        let pairs = head.iter().zip(&given.1);
        let wanted = pairs.map(|(&t, v)| terms.eq(t, v.to_term(terms)));
        let below = rule.body.iter().zip(&fact.premises);
        let below = below.map(|(a, &f)| about(rules, a, facts[f].formula));
        let parts = rule.constraint.iter().copied();
        let parts: Vec<Term> = parts.chain(wanted).chain(below).collect();
        let mut solver = run.backend.solver(terms)?;
        values = match solver.check(&parts, &run.budget)? {
            Answer::Sat(model) => {
                let variables = rule.variables(terms);
                let variables: Vec<_> = variables.iter().map(|&v| (v, Stage::Now)).collect();
                model.snapshot(terms, &variables)
            }
            Answer::Unknown(why) => return Err(why.into()),
            Answer::Unsat(_) => return Err(Stop::bug("a fact is not derived")),
        };
    }
    let needed = rule.body.iter().zip(&fact.premises);
    let needed = needed.map(|(a, &f)| Ok((f, all(&a.arguments, &values)?)));
    let needed = needed.collect::<Result<Vec<Given>, Stop>>()?;
    Ok((values, needed))
}
