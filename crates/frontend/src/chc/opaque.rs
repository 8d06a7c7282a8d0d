//! Operations that are no linear arithmetic: products and quotients of variables, bit operations.
//!
//! The result is a number of which a few things are known. A clause with such a number allows more
//! than the file does, so it proves nothing violated; unless the other conditions of the clause give
//! its arguments values, with which the operation is arithmetic after all.

use super::placeholders::Book;
use rustc_hash::FxHashSet;
use sectile_model::equations;
use sectile_model::horn::Clause;
use sectile_terms::{Node, Sort, Substitution, Symbol, Term};

/// An operation whose result is opaque.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Operation {
    name: String,
    arguments: [Term; 2],
    /// The number of bits, for bit-vectors.
    width: Option<u32>,
}

impl Book<'_> {
    /// A product, a quotient or a remainder of integers that is not linear; `None` for others.
    pub fn nonlinear(&mut self, name: &str, arguments: &[Term]) -> Option<Term> {
        let terms = self.terms;
        let is_integer = |&a: &Term| !self.is_handle(a) && terms.sort(a) == Sort::Int;
        if arguments.len() < 2 || !arguments.iter().all(is_integer) {
            return None;
        }
        match (name, arguments) {
            ("*", [first, rest @ ..]) => {
                let product = |acc: Term, &a: &Term| {
                    terms
                        .mul(acc, a)
                        .unwrap_or_else(|| self.opaque(name, [acc, a], None))
                };
                Some(rest.iter().fold(*first, product))
            }
            ("div" | "mod", &[a, b]) => {
                let is_plain = terms.as_number(b).is_some_and(|d| !d.is_zero());
                (!is_plain).then(|| self.opaque(name, [a, b], None))
            }
            _ => None,
        }
    }

    /// The number that an operation gives, the same wherever it stands in the clause.
    pub fn opaque(&mut self, name: &str, arguments: [Term; 2], width: Option<u32>) -> Term {
        let operation = Operation {
            name: name.to_string(),
            arguments,
            width,
        };
        if let Some((_, known)) = self.opaque.iter().find(|(o, _)| *o == operation) {
            return *known;
        }
        let symbol = self.variable("opaque", Sort::Int);
        let number = self.terms.var(symbol);
        self.opaque.push((operation, number));
        match width {
            Some(width) => {
                let id = self.types.bits(width);
                let bounds = self.types.condition(id, &[number]);
                self.conditions.extend(bounds);
            }
            None => {
                let facts = self.facts(name, number, arguments);
                self.conditions.extend(facts);
            }
        }
        number
    }

    /// What is known of the result of an operation on integers.
    fn facts(&self, name: &str, result: Term, [x, y]: [Term; 2]) -> Vec<Term> {
        let terms = self.terms;
        let (zero, one) = (terms.int(0), terms.int(1));
        let given = |conditions: &[Term], fact: Term| {
            terms.implies(terms.and(conditions.iter().copied()), fact)
        };
        let (some, natural) = (terms.gt(y, zero), terms.ge(x, zero));
        let small = [some, natural, terms.lt(x, y)];
        match name {
            "*" => vec![
                given(&[terms.eq(x, zero)], terms.eq(result, zero)),
                given(&[terms.eq(y, zero)], terms.eq(result, zero)),
                given(&[terms.eq(x, one)], terms.eq(result, y)),
                given(&[terms.eq(y, one)], terms.eq(result, x)),
                given(&[natural, some], terms.ge(result, x)),
                given(&[terms.gt(x, zero), terms.ge(y, zero)], terms.ge(result, y)),
            ],
            "mod" => vec![
                given(&[some], terms.lt(result, y)),
                given(&[terms.lt(y, zero)], terms.lt(result, terms.neg(y))),
                terms.or([terms.eq(y, zero), terms.ge(result, zero)]),
                given(&small, terms.eq(result, x)),
            ],
            _ => vec![
                given(&[natural, some], terms.le(result, x)),
                given(&[natural, some], terms.ge(result, zero)),
                given(&[terms.eq(y, one)], terms.eq(result, x)),
                given(&small, terms.eq(result, zero)),
            ],
        }
    }

    /// An operation on other arguments, if it is arithmetic with those.
    fn resolved(&self, operation: &Operation, [a, b]: [Term; 2]) -> Option<Term> {
        let terms = self.terms;
        if let Some(width) = operation.width {
            return self.arithmetic(&operation.name, (a, b), width)?;
        }
        let divisor = || {
            terms
                .as_number(b)
                .map(|d| d.numer())
                .filter(|d| !d.is_zero())
        };
        match operation.name.as_str() {
            "*" => terms.mul(a, b),
            "div" => Some(terms.div(a, &divisor()?)),
            _ => Some(terms.modulo(a, &divisor()?)),
        }
    }

    /// Says what opaque numbers of a clause are, where its other conditions decide that. Tells whether
    /// some of them stay opaque.
    pub fn resolve(&self, clause: &mut Clause) -> bool {
        let terms = self.terms;
        let mut open: Vec<&(Operation, Term)> = self.opaque.iter().collect();
        loop {
            let occurring: FxHashSet<Symbol> = clause.variables.iter().copied().collect();
            let occurs =
                |t: Term| matches!(terms.node(t), Node::Var(s, _) if occurring.contains(s));
            open.retain(|(_, number)| occurs(*number));
            if open.is_empty() {
                return false;
            }
            let values = self.constants(clause);
            let known = open.iter().position(|(operation, _)| {
                let [a, b] = operation.arguments;
                let put = |t: Term| terms.substitute(t, &values);
                self.resolved(operation, [put(a), put(b)]).is_some()
            });
            let Some(known) = known else { return true };
            let (operation, number) = open.remove(known);
            let arguments = operation.arguments.map(|t| terms.substitute(t, &values));
            let Some(result) = self.resolved(operation, arguments) else {
                return true;
            };
            clause.constraint.push(terms.eq(*number, result));
            for (symbol, _) in terms.free_vars(result) {
                if !clause.variables.contains(&symbol) {
                    clause.variables.push(symbol);
                    clause.names.push(self.name(symbol).to_string());
                }
            }
        }
    }

    /// The variables of a clause whose values its conditions say.
    fn constants(&self, clause: &Clause) -> Substitution {
        let terms = self.terms;
        let is_number = |_: Term, value: Term| terms.as_number(value).is_some();
        let is_variable = |_: Term| true;
        let conjuncts = clause.constraint.clone();
        equations::eliminate(terms, conjuncts, &is_variable, &is_number).1
    }
}
