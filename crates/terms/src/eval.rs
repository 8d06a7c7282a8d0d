//! The value of a term under a valuation.

use crate::node::{Node, Term};
use crate::sorts::{ArrayValue, Value};
use crate::store::{Stage, Symbol, Terms};
use crate::term_map::TermMap;
use sectile_base::Rat;

/// Gives values to variables.
pub trait Valuation {
    /// The value of a variable at a stage, if it has one.
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value>;

    /// The value of a term, if it is known without evaluating its parts.
    fn known(&self, _term: Term) -> Option<Value> {
        None
    }
}

impl<F: Fn(Symbol, Stage) -> Option<Value>> Valuation for F {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        self(symbol, stage)
    }
}

/// Why a term has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// A variable has no value.
    Unassigned(Symbol, Stage),
    /// An unsupported operator, or a value of the wrong sort.
    Unsupported(Term),
}

/// The value of a term.
pub fn evaluate(terms: &Terms, root: Term, valuation: &impl Valuation) -> Result<Value, EvalError> {
    let mut values: TermMap<Value> = TermMap::default();
    let mut stack = vec![(root, false)];
    let mut visits = 0;
    while let Some((t, expanded)) = stack.pop() {
        visits += 1;
        if values.contains(t) {
            continue;
        }
        if let Some(value) = valuation.known(t) {
            values.insert(t, value);
            continue;
        }
        let node = terms.node(t);
        let leaf = matches!(
            node,
            Node::Bool(_) | Node::Number(_) | Node::Variant(..) | Node::Var(..)
        );
        if expanded || leaf {
            let value = step(terms, t, &values, valuation)?;
            values.insert(t, value);
            continue;
        }
        stack.push((t, true));
        let before = stack.len();
        node.for_each_child(|c| {
            if !values.contains(c) {
                stack.push((c, false));
            }
        });
        stack[before..].reverse();
    }
    terms.count_visits(visits);
    Ok(values[root].clone())
}

/// The value of one operator, given those of its arguments.
fn step(
    terms: &Terms,
    t: Term,
    values: &TermMap<Value>,
    valuation: &impl Valuation,
) -> Result<Value, EvalError> {
    let wrong = || EvalError::Unsupported(t);
    let bool_of = |c: Term| values[c].as_bool().ok_or_else(wrong);
    let rat_of = |c: Term| values[c].as_rat().ok_or_else(wrong);
    let array_of = |c: Term| match &values[c] {
        Value::Array(a) => Ok(a.as_ref()),
        _ => Err(wrong()),
    };
    let numeric = |r: Rat| Value::number(terms.sort(t), r);
    Ok(match terms.node(t) {
        Node::Bool(b) => Value::Bool(*b),
        Node::Number(r) => numeric(r.clone()),
        Node::Variant(id, k) => Value::Enum(*id, *k),
        Node::Var(symbol, stage) => {
            let value = valuation.value(*symbol, *stage);
            let value = value.ok_or(EvalError::Unassigned(*symbol, *stage))?;
            if value.sort() != terms.sort(t) {
                return Err(wrong());
            }
            value
        }
        Node::Not(a) => Value::Bool(!bool_of(*a)?),
        Node::And(list) => Value::Bool(all(list, true, bool_of)?),
        Node::Or(list) => Value::Bool(!all(list, false, bool_of)?),
        Node::Ite(c, a, b) => values[if bool_of(*c)? { *a } else { *b }].clone(),
        Node::Eq(a, b) => Value::Bool(values[*a] == values[*b]),
        Node::Zero(a) => Value::Bool(rat_of(*a)?.is_zero()),
        Node::NonPos(a) => Value::Bool(!rat_of(*a)?.is_positive()),
        Node::Neg(a) => Value::Bool(rat_of(*a)?.is_negative()),
        Node::Sum(linear) => {
            let mut sum = linear.constant().clone();
            for (m, c) in linear.monomials() {
                sum.add_mul_assign(&rat_of(*m)?, c);
            }
            numeric(sum)
        }
        Node::Div(a, d) => Value::Int(rat_of(*a)?.numer().div_euclid(d)),
        Node::Mod(a, d) => Value::Int(rat_of(*a)?.numer().rem_euclid(d)),
        Node::Abs(a) => numeric(rat_of(*a)?.abs()),
        Node::Min(a, b) => numeric(rat_of(*a)?.min(rat_of(*b)?)),
        Node::Max(a, b) => numeric(rat_of(*a)?.max(rat_of(*b)?)),
        Node::ToReal(a) => Value::Real(rat_of(*a)?),
        Node::Floor(a) => Value::Int(rat_of(*a)?.floor()),
        Node::Select(a, i) => array_of(*a)?.get(&values[*i]).clone(),
        Node::Store(a, i, v) => {
            let array = array_of(*a)?.clone();
            let array = array.with(terms, values[*i].clone(), values[*v].clone());
            Value::Array(Box::new(array))
        }
        Node::Filled(id, v) => {
            let array = ArrayValue::filled(*id, values[*v].clone());
            Value::Array(Box::new(array))
        }
        Node::Difference(a, b) => array_of(*a)?.difference(array_of(*b)?, terms),
    })
}

/// Whether all members have the value `wanted`.
fn all(
    list: &[Term],
    wanted: bool,
    bool_of: impl Fn(Term) -> Result<bool, EvalError>,
) -> Result<bool, EvalError> {
    for &t in list {
        if bool_of(t)? != wanted {
            return Ok(false);
        }
    }
    Ok(true)
}
