//! The relevant variables of a system, their values, and the variable order of the diagrams.

use super::{NamedValues, NotFinite};
use crate::plan::{conjuncts, domain, restrict_after};
use crate::states::equation;
use rustc_hash::FxHashSet;
use sectile_model::Model;
use sectile_terms::{Node, Sort, Stage, Symbol, Term, Terms, Value};

/// Maximum number of values of a variable.
const MOST_VALUES: usize = 256;

/// A variable, a symbolic constant or an input.
pub(super) struct Variable {
    pub symbol: Symbol,
    pub values: Vec<Value>,
    /// There may be others.
    pub is_open: bool,
    pub is_input: bool,
    /// It never changes.
    pub is_rigid: bool,
}

impl Variable {
    /// The position of a value.
    pub fn position(&self, value: &Value) -> Option<usize> {
        self.values.iter().position(|v| v == value)
    }
}

/// The relevant variables for some formulas, in variable order.
pub(super) fn of(
    terms: &Terms,
    model: &Model,
    formulas: &[Term],
    named: &NamedValues,
) -> Result<Vec<Variable>, NotFinite> {
    let relevant = relevant(terms, model, formulas);
    let parts = conjuncts(terms, &model.restrict);
    let mut found = Vec::new();
    for symbol in ordered(model) {
        if !relevant.contains(&symbol) {
            continue;
        }
        let declared = domain(terms, symbol, Stage::Now, &parts);
        let declared = declared.filter(|values| values.len() <= MOST_VALUES);
        let is_open = declared.is_none();
        let values = declared.or_else(|| named.get(&symbol).cloned());
        let Some(values) = values.filter(|v| !v.is_empty()) else {
            return Err(NotFinite::Values(symbol, terms.name(symbol).to_string()));
        };
        found.push(Variable {
            symbol,
            values,
            is_open,
            is_input: false,
            is_rigid: model.rigid.contains(&symbol),
        });
    }
    for command in model.commands() {
        let mut known = restrict_after(terms, model, command);
        known.extend(conjuncts(
            terms,
            command.guards.iter().chain(&command.relations),
        ));
        for &input in &command.inputs {
            let values = domain(terms, input, Stage::Now, &known);
            let Some(values) = values.filter(|v| (1..=MOST_VALUES).contains(&v.len())) else {
                return Err(NotFinite::Values(input, terms.name(input).to_string()));
            };
            found.push(Variable {
                symbol: input,
                values,
                is_open: false,
                is_input: true,
                is_rigid: false,
            });
        }
    }
    Ok(found)
}

/// Shared variables first, then process by process.
fn ordered(model: &Model) -> Vec<Symbol> {
    let symbols = model.rigid.iter().chain(&model.variables);
    let mut order: Vec<Symbol> = symbols.copied().collect();
    order.sort_by_key(|&s| {
        let field = model.families.field(s);
        field.and_then(|f| f.indices().next())
    });
    order
}

/// The variables on which the formulas and the possible steps depend, directly or indirectly.
fn relevant(terms: &Terms, model: &Model, formulas: &[Term]) -> FxHashSet<Symbol> {
    let mut conditions: Vec<Term> = formulas.to_vec();
    // Conditions on symbolic constants alone forbid no step.
    let is_rigid = |t: Term| {
        let symbols = terms.free_vars(t);
        symbols.iter().all(|(s, _)| model.rigid.contains(s))
    };
    let restrict = conjuncts(terms, &model.restrict).into_iter();
    conditions.extend(restrict.filter(|&r| !is_rigid(r)));
    for command in model.commands() {
        conditions.extend(command.guards.iter().chain(&command.relations));
    }
    let mut found: FxHashSet<Symbol> = FxHashSet::default();
    let mut work: Vec<Symbol> = { terms.free_vars_of(&conditions).into_iter() }
        .map(|v| v.0)
        .collect();
    let init: Vec<Vec<Symbol>> = conjuncts(terms, &model.init)
        .into_iter()
        .map(|part| terms.free_vars(part).into_iter().map(|v| v.0).collect())
        .collect();
    while let Some(symbol) = work.pop() {
        if !found.insert(symbol) {
            continue;
        }
        let updates = model.commands().filter_map(|c| c.update_of(symbol));
        for value in updates {
            work.extend(terms.free_vars(value).into_iter().map(|v| v.0));
        }
        // Initial conditions on several variables are kept as a whole.
        let together = init.iter().filter(|part| part.contains(&symbol));
        work.extend(together.flatten());
    }
    found
}

/// The constants with which formulas compare numbers without a range.
pub fn mentioned_values(terms: &Terms, formulas: &[Term]) -> NamedValues {
    let mut found = NamedValues::new();
    for t in terms.post_order(formulas) {
        let is_number = |s: Symbol| matches!(terms.symbol_sort(s), Sort::Int | Sort::Real);
        let atom = matches!(terms.node(t), Node::Zero(_) | Node::Eq(..));
        if let Some((symbol, value)) = equation(terms, t).filter(|(s, _)| atom && is_number(*s)) {
            let values = found.entry(symbol).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    found.values_mut().for_each(|v| v.sort());
    found
}
