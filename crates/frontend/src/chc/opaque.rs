//! Operations beyond linear arithmetic: products and quotients of variables, bit operations.
//!
//! The result is a number of which only some facts are known. A clause with such a number allows
//! more than the file does, so it cannot prove a violation, unless the other conditions of the
//! clause determine its arguments, so that the operation is arithmetic after all, or the arguments
//! have few values (`cases.rs`).

use super::placeholders::Book;
use rustc_hash::FxHashSet;
use sectile_model::equations;
use sectile_model::horn::Clause;
use sectile_smtlib::{print_term, print_variable};
use sectile_terms::{Sort, Substitution, Term, Terms};

/// An operation whose result is opaque.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Operation {
    name: String,
    pub arguments: [Term; 2],
    /// The number of bits, for bit-vectors.
    width: Option<u32>,
}

/// Opaque operations of a clause, each with the variable for its result.
pub(super) type Open = Vec<(Operation, Term)>;

/// Maximum length of the text of an operation.
const LONGEST: usize = 60;

impl Operation {
    pub fn new(name: &str, arguments: [Term; 2], width: Option<u32>) -> Operation {
        Operation {
            name: name.to_string(),
            arguments,
            width,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of bits; `None` for integers.
    pub fn width(&self) -> Option<u32> {
        self.width
    }

    /// Whether it is arithmetic if only its first argument is a constant.
    pub fn is_symmetric(&self) -> bool {
        let symmetric = ["*", "bvmul", "bvand", "bvor", "bvxor"];
        symmetric.contains(&self.name.as_str())
    }
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

    /// The result of an operation, the same wherever it occurs in the clause.
    pub fn opaque(&mut self, name: &str, arguments: [Term; 2], width: Option<u32>) -> Term {
        let operation = Operation::new(name, arguments, width);
        if let Some((_, known)) = self.opaque.iter().find(|(o, _)| *o == operation) {
            return *known;
        }
        let symbol = self.variable(&self.written(&operation), Sort::Int);
        let number = self.terms.var(symbol);
        self.opaque.push((operation, number));
        match width {
            Some(width) => {
                let id = self.types.bits(width);
                let bounds = self.types.condition(id, &[number]);
                self.conditions.extend(bounds);
            }
            None => {
                let facts = facts_of_result(self.terms, name, number, arguments);
                self.conditions.extend(facts);
            }
        }
        number
    }

    /// The operation as in the file: the name of its result in derivations.
    fn written(&self, operation: &Operation) -> String {
        let terms = self.terms;
        let argument = |a: Term| {
            let mut text = match terms.size(a) <= LONGEST {
                true => print_term(terms, a),
                false => return "...".to_string(),
            };
            for (symbol, stage) in terms.free_vars(a) {
                text = text.replace(&print_variable(terms, symbol, stage), self.name(symbol));
            }
            text
        };
        let arguments = operation.arguments.map(argument);
        let whole = format!("({} {})", operation.name, arguments.join(" "));
        match whole.len() <= LONGEST {
            true => whole,
            false => format!("({} ...)", operation.name),
        }
    }

    /// An operation on other arguments, if it is arithmetic with those.
    pub fn resolved(&self, operation: &Operation, [a, b]: [Term; 2]) -> Option<Term> {
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

    /// Determines opaque numbers of a clause if its other conditions decide them. The others stay
    /// in the list, unless nothing depends on them: tests for zero divisors often come first.
    pub fn resolve(&self, clause: &mut Clause, open: &mut Open) {
        let terms = self.terms;
        loop {
            let numbers: FxHashSet<Term> = open.iter().map(|(_, number)| *number).collect();
            let (left, values) = self.defined(clause, &numbers);
            let put = |t: Term| terms.substitute(t, &values);
            let applications = clause.body.iter().chain(&clause.head);
            let mut used: Vec<Term> = applications.flat_map(|a| a.arguments.clone()).collect();
            used.extend(open.iter().flat_map(|(operation, _)| operation.arguments));
            let used: Vec<Term> = used.into_iter().map(put).chain(left).collect();
            let occurring: FxHashSet<Term> = terms.post_order(&used).into_iter().collect();
            open.retain(|(_, number)| occurring.contains(number));
            let result = |(operation, _): &(Operation, Term)| {
                self.resolved(operation, operation.arguments.map(put))
            };
            let mut results = open.iter().map(result).enumerate();
            let Some((known, Some(result))) = results.find(|(_, r)| r.is_some()) else {
                return;
            };
            let (_, number) = open.remove(known);
            self.require(clause, terms.eq(number, result));
        }
    }

    /// Adds a condition to a clause, with its new variables.
    pub fn require(&self, clause: &mut Clause, condition: Term) {
        for (symbol, _) in self.terms.free_vars(condition) {
            if !clause.variables.contains(&symbol) {
                clause.variables.push(symbol);
                clause.names.push(self.name(symbol).to_string());
            }
        }
        clause.constraint.push(condition);
    }

    /// The definitions in the conditions of a clause, such as the contents written to an array, and
    /// the other conditions. The given numbers are kept.
    fn defined(&self, clause: &Clause, numbers: &FxHashSet<Term>) -> (Vec<Term>, Substitution) {
        let is_variable = |t: Term| !numbers.contains(&t);
        let conjuncts = clause.constraint.clone();
        equations::eliminate(self.terms, conjuncts, &is_variable, &|_, _| true)
    }
}

/// What is known of the result of an operation on integers.
pub fn facts_of_result(terms: &Terms, name: &str, result: Term, [x, y]: [Term; 2]) -> Vec<Term> {
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
