//! The choice of control variables, and their values.

use super::{Control, ControlSplit};
use sectile_base::{Int, Rat};
use sectile_model::{Command, Model};
use sectile_terms::{Node, Sort, Stage, Symbol, Term, Terms, Value};

/// A finite variable with all its values, in order.
#[derive(Clone, Debug)]
pub(super) struct Finite {
    pub symbol: Symbol,
    pub values: Vec<Value>,
}

/// The variables to split by.
pub(super) fn control(
    terms: &Terms,
    system: &Model,
    pass: &ControlSplit,
) -> Result<Vec<Finite>, String> {
    match &pass.control {
        Control::Automatic => automatic(terms, system, pass.most_locations),
        Control::Variables(list) => named(terms, system, list, pass.most_locations),
    }
}

fn named(
    terms: &Terms,
    system: &Model,
    list: &[Symbol],
    most: usize,
) -> Result<Vec<Finite>, String> {
    let refuse = |symbol: Symbol, why: &str| {
        let name = terms.name(symbol);
        format!("`{name}` {why}")
    };
    let mut chosen: Vec<Finite> = Vec::new();
    for &symbol in list {
        if !system.variables.contains(&symbol) {
            return Err(refuse(symbol, "is not a variable of the system"));
        }
        if chosen.iter().any(|f| f.symbol == symbol) {
            return Err(refuse(symbol, "is named twice"));
        }
        let Some(values) = domain(terms, system, symbol, most) else {
            return Err(refuse(symbol, "has too many values, or no known bounds"));
        };
        chosen.push(Finite { symbol, values });
    }
    if chosen.is_empty() {
        return Err("no variable is named".to_string());
    }
    Ok(chosen)
}

fn automatic(terms: &Terms, system: &Model, most: usize) -> Result<Vec<Finite>, String> {
    let mut commands: Vec<Command> = system.commands().cloned().collect();
    commands.iter_mut().for_each(|c| c.normalise(terms));
    let rank = |symbol: &Symbol| match terms.symbol_sort(*symbol) {
        Sort::Enum(_) => 0,
        Sort::Bool => 1,
        _ => 2,
    };
    let mut candidates = system.variables.clone();
    candidates.sort_by_key(rank);
    let mut chosen = Vec::new();
    let mut size: usize = 1;
    for symbol in candidates {
        if !is_tested(terms, &commands, symbol) || !drives_itself(terms, &commands, symbol) {
            continue;
        }
        let Some(values) = domain(terms, system, symbol, most) else {
            continue;
        };
        let product = size.saturating_mul(values.len());
        if product <= most {
            size = product;
            chosen.push(Finite { symbol, values });
        }
    }
    if chosen.is_empty() {
        return Err("no finite variable behaves like a program counter".to_string());
    }
    Ok(chosen)
}

/// Whether some guard or relation reads the variable.
fn is_tested(terms: &Terms, commands: &[Command], symbol: Symbol) -> bool {
    commands.iter().any(|c| {
        let conditions: Vec<Term> = c.guards.iter().chain(&c.relations).copied().collect();
        let used = terms.free_vars_of(&conditions);
        used.contains(&(symbol, Stage::Now))
    })
}

/// Whether every command gives the variable a value that depends only on its old value.
fn drives_itself(terms: &Terms, commands: &[Command], symbol: Symbol) -> bool {
    commands.iter().all(|c| match c.update_of(symbol) {
        Some(value) => {
            let used = terms.free_vars(value);
            used.iter().all(|v| *v == (symbol, Stage::Now))
        }
        None => false,
    })
}

/// All values of a variable, if known and at most `most`.
fn domain(terms: &Terms, system: &Model, symbol: Symbol, most: usize) -> Option<Vec<Value>> {
    let values: Vec<Value> = match terms.symbol_sort(symbol) {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Enum(id) => {
            let count = u32::try_from(terms.enum_info(id).variants.len()).ok()?;
            (0..count).map(|k| Value::Enum(id, k)).collect()
        }
        Sort::Int => {
            let (low, high) = bounds(terms, system, symbol)?;
            if &high - &low >= Int::from(i64::try_from(most).ok()?) {
                return None;
            }
            let mut values = Vec::new();
            let mut next = low;
            while next <= high {
                values.push(Value::Int(next.clone()));
                next = &next + &Int::ONE;
            }
            values
        }
        Sort::Real | Sort::Array(_) => return None,
    };
    (values.len() <= most).then_some(values)
}

/// The tightest bounds of an integer in `restrict`.
fn bounds(terms: &Terms, system: &Model, symbol: Symbol) -> Option<(Int, Int)> {
    let variable = terms.var(symbol);
    let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
    let mut stack = system.restrict.clone();
    while let Some(t) = stack.pop() {
        if let Node::And(list) = terms.node(t) {
            stack.extend(list.iter().copied());
            continue;
        }
        let (atom, negated) = terms.strip_not(t);
        let (sum, equal) = match *terms.node(atom) {
            Node::NonPos(sum) => (sum, false),
            Node::Zero(sum) if !negated => (sum, true),
            _ => continue,
        };
        let linear = terms.linear(sum);
        // Normal forms have coprime coefficients with a positive first one: here that is 1.
        let [(only, c)] = linear.monomials() else {
            continue;
        };
        if *only != variable || *c != Rat::ONE {
            continue;
        }
        let limit = (-linear.constant()).numer();
        if equal || negated {
            let least = if equal {
                limit.clone()
            } else {
                &limit + &Int::ONE
            };
            low = Some(low.map_or(least.clone(), |l| l.max(least)));
        }
        if !negated {
            high = Some(high.map_or(limit.clone(), |h| h.min(limit)));
        }
    }
    low.zip(high)
}
