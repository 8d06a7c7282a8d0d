//! Products, quotients and remainders of two values that are not constant.
//!
//! A variable that gets an arbitrary value before the step stands for the result, and a few facts
//! about it are known. The step becomes several: one for each of a few values of a factor or
//! divisor, where it is linear and exact, and one for all other values, which allows more than the
//! program does.

use super::draft::Action;
use super::elaborate::Elaborator;
use crate::chc::facts_of_result;
use crate::syntax::Factor;
use sectile_base::Rat;
use sectile_terms::{Node, Sort, Substitution, Symbol, SymbolKind, Term, Terms};

/// The maximum number of steps that one step may become.
const MOST_CASES: usize = 48;

/// An operation that is not linear, with the variable that stands for its result.
pub struct Opaque {
    factor: Factor,
    arguments: [Term; 2],
    pub result: Symbol,
}

impl Elaborator<'_, '_> {
    /// The variable that stands for the result of an operation, the same for the same arguments.
    pub(super) fn opaque(&mut self, factor: Factor, left: Term, right: Term) -> Term {
        let same = |o: &&Opaque| o.factor == factor && o.arguments == [left, right];
        if let Some(known) = self.opaque.iter().find(same) {
            return self.terms.var(known.result);
        }
        let name = match factor {
            Factor::Times => "product",
            Factor::Mod => "remainder",
            Factor::Div | Factor::Over => "quotient",
        };
        let sort = self.terms.sort(left);
        let result = self.terms.fresh(name, sort, SymbolKind::State);
        self.opaque.push(Opaque {
            factor,
            arguments: [left, right],
            result,
        });
        self.terms.var(result)
    }
}

impl Opaque {
    /// The operation if one argument is this number: the argument, and the result if it can be
    /// stated.
    fn case(&self, terms: &Terms, known: &Substitution, value: &Rat) -> Option<(Term, Term)> {
        let [left, right] = self.arguments.map(|a| terms.substitute(a, known));
        let sort = terms.sort(left);
        let number = terms.number(value.clone(), sort);
        // If both arguments are the same variable, both are the number.
        let put = |t: Term, by: Term| terms.substitute(t, &Substitution::from_iter([(by, number)]));
        let is_variable = |t: Term| matches!(terms.node(t), Node::Var(..));
        let result = match self.factor {
            Factor::Times if !is_variable(right) && is_variable(left) => {
                return Some((left, terms.mul(number, put(right, left))?));
            }
            Factor::Times => terms.mul(put(left, right), number)?,
            _ if value.is_zero() => return None,
            Factor::Mod => terms.modulo(put(left, right), &value.numer()),
            _ if sort == Sort::Real => terms.scale(put(left, right), &value.recip()),
            _ => terms.div(put(left, right), &value.numer()),
        };
        Some((right, result))
    }

    /// What is known of the result for all arguments.
    fn facts(&self, terms: &Terms, known: &Substitution) -> Vec<Term> {
        let name = match self.factor {
            Factor::Times => "*",
            Factor::Mod => "mod",
            Factor::Div | Factor::Over => "div",
        };
        let arguments = self.arguments.map(|a| terms.substitute(a, known));
        match terms.sort(arguments[0]) {
            Sort::Int => facts_of_result(terms, name, terms.var(self.result), arguments),
            _ => Vec::new(),
        }
    }
}

/// A step split into cases: those that are exact, and one for the remaining values if it is not
/// linear.
pub fn cases(terms: &Terms, opaque: &[Opaque], values: &[Rat], action: Action) -> Vec<Action> {
    let mut done = Vec::new();
    let mut pending = vec![(action, Substitution::default())];
    while let Some((mut action, known)) = pending.pop() {
        let open = open(terms, opaque, &action, &known);
        let Some(&first) = open.first() else {
            done.push(action);
            continue;
        };
        let room = MOST_CASES.saturating_sub(done.len() + pending.len());
        for value in values.iter().take(room) {
            let number = |sort| terms.number(value.clone(), sort);
            if let Some((argument, result)) = first.case(terms, &known, value) {
                let is_this = terms.eq(argument, number(terms.sort(argument)));
                let own = terms.var(first.result);
                let mut case = put(terms, &action, own, result);
                require(terms, &mut case, is_this);
                let mut known = known.clone();
                known.insert(own, result);
                pending.push((case, known));
                require(terms, &mut action, terms.not(is_this));
            }
        }
        for operation in &open {
            let facts = operation.facts(terms, &known);
            facts
                .into_iter()
                .for_each(|f| require(terms, &mut action, f));
        }
        action.approximate = true;
        action.opaque = open.iter().map(|o| o.result).collect();
        done.push(action);
    }
    // Cases with a false condition are impossible.
    done.retain(|a| a.condition != Some(terms.ff()));
    done
}

/// The operations with unknown results on which a step depends. Those with plain arguments come
/// first.
fn open<'o>(
    terms: &Terms,
    opaque: &'o [Opaque],
    action: &Action,
    known: &Substitution,
) -> Vec<&'o Opaque> {
    let mut found: Vec<&Opaque> = Vec::new();
    let mut work: Vec<Term> = action.assigned.iter().map(|(_, value)| *value).collect();
    work.extend(action.condition);
    while let Some(next) = work.pop() {
        for (symbol, _) in terms.free_vars(next) {
            let operation = opaque.iter().find(|o| o.result == symbol);
            if let Some(operation) = operation
                && !known.contains_key(&terms.var(symbol))
                && !found.iter().any(|o| o.result == symbol)
            {
                found.push(operation);
                work.extend(operation.arguments);
            }
        }
    }
    // Operations in the arguments of another one were created before it.
    found.sort_by_key(|o| opaque.iter().position(|p| p.result == o.result));
    found
}

/// A step in which one term is replaced by another.
fn put(terms: &Terms, action: &Action, this: Term, by: Term) -> Action {
    let map = Substitution::from_iter([(this, by)]);
    let assigned = action.assigned.iter();
    Action {
        condition: action.condition.map(|c| terms.substitute(c, &map)),
        assigned: assigned
            .map(|&(s, value)| (s, terms.substitute(value, &map)))
            .collect(),
        ..action.clone()
    }
}

fn require(terms: &Terms, action: &mut Action, condition: Term) {
    let all = action.condition.into_iter().chain([condition]);
    action.condition = Some(terms.and(all));
}
