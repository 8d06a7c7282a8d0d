//! Witnesses for the open values of a command, as terms over the state before it.

use sectile_base::Rat;
use sectile_engine::shape::conjuncts;
use sectile_model::{Command, Model};
use sectile_terms::{Linear, Node, Stage, Substitution, Symbol, Term, Terms, Value};

/// Values of the inputs and of the variables that are not assigned, if simple ones can be found.
///
/// Each is the largest of its lower bounds, or the smallest of its upper bounds. The caller has to
/// check that the step is possible with these values.
pub fn witness(terms: &Terms, system: &Model, command: &Command) -> Option<Vec<(Symbol, Term)>> {
    let inputs = command.inputs.iter().map(|&s| (s, Stage::Now));
    let open = command.unassigned(&system.variables);
    let slots: Vec<(Symbol, Stage)> = inputs
        .chain(open.into_iter().map(|s| (s, Stage::Next)))
        .collect();
    let updates = command.updates.iter();
    let next: Substitution = updates.map(|u| (terms.next(u.symbol), u.value)).collect();
    let after = system.restrict.iter().map(|&r| terms.prime(r));
    let all = command.guards.iter().chain(&command.relations).copied();
    let conditions: Vec<Term> = all
        .chain(after)
        .map(|c| terms.substitute(c, &next))
        .flat_map(|c| conjuncts(terms, [c]))
        .collect();
    let mut values = Substitution::default();
    let mut found = Vec::new();
    for &(symbol, stage) in &slots {
        let variable = terms.var_at(symbol, stage);
        let later: Vec<Term> = slots
            .iter()
            .map(|&(s, stage)| terms.var_at(s, stage))
            .filter(|v| *v != variable && !values.contains_key(v))
            .collect();
        let conditions: Vec<Term> = conditions
            .iter()
            .map(|&c| terms.substitute(c, &values))
            .collect();
        let value = value(terms, variable, &conditions, &later).or_else(|| match stage {
            Stage::Next => Some(terms.var(symbol)),
            _ => Some(Value::some_of(terms, terms.symbol_sort(symbol)).to_term(terms)),
        })?;
        values.insert(variable, value);
        found.push((symbol, value));
    }
    Some(found)
}

/// A value between the bounds in the conditions; bounds that mention `later` variables are ignored.
fn value(terms: &Terms, variable: Term, conditions: &[Term], later: &[Term]) -> Option<Term> {
    let (mut low, mut high) = (None, None);
    for &condition in conditions {
        let (atom, negated) = terms.strip_not(condition);
        if !negated
            && let Some(other) = equal(terms, atom, variable)
            && !mentions(terms, other, later)
            && !mentions(terms, other, &[variable])
        {
            return Some(other);
        }
        let Node::NonPos(sum) = *terms.node(atom) else {
            continue;
        };
        let linear = terms.linear(sum);
        let clear = linear.monomials().iter();
        let clear = clear.filter(|(m, _)| *m != variable);
        if clear.clone().any(|(m, _)| mentions(terms, *m, later)) {
            continue;
        }
        let factor = linear.coefficient(variable);
        if !factor.abs().is_one() {
            continue;
        }
        // factor * v + rest <= 0, or factor * v + rest >= 1 if it is negated.
        let mut rest = linear.clone();
        rest.add_term(variable, &-&factor);
        if negated {
            rest.add_constant(&-&Rat::ONE);
        }
        rest.scale(&-&factor);
        let bound = terms.sum(rest, terms.sort(sum));
        let upper = (factor == Rat::ONE) != negated;
        let slot = if upper { &mut high } else { &mut low };
        *slot = Some(match *slot {
            None => bound,
            Some(other) if upper => terms.min(other, bound),
            Some(other) => terms.max(other, bound),
        });
    }
    low.or(high)
}

/// The value of a variable according to an equation.
fn equal(terms: &Terms, atom: Term, variable: Term) -> Option<Term> {
    match *terms.node(atom) {
        Node::Eq(a, b) if a == variable => Some(b),
        Node::Eq(a, b) if b == variable => Some(a),
        Node::Zero(sum) => {
            let linear = terms.linear(sum);
            let factor = linear.coefficient(variable);
            if !factor.abs().is_one() {
                return None;
            }
            let mut rest: Linear = linear.clone();
            rest.add_term(variable, &-&factor);
            rest.scale(&-&factor);
            Some(terms.sum(rest, terms.sort(sum)))
        }
        _ => None,
    }
}

fn mentions(terms: &Terms, t: Term, variables: &[Term]) -> bool {
    terms.post_order(&[t]).iter().any(|s| variables.contains(s))
}
