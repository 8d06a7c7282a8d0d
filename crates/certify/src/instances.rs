//! Instantiation of premises with universally quantified (bound) symbols.
//!
//! A formula that mentions bound symbols holds for all their values. As a conclusion it is proved
//! for the symbols themselves, about which nothing else is known. As a premise it may be
//! instantiated with any values: besides the symbols themselves, these are the ones at which the
//! formula mentions an element that the query reads, writes or compares. Every instance of a true
//! premise is true, so nothing here needs trust; a missing instance can make a proof fail, but
//! never pass.
//!
//! Only invariants mention bound symbols, and premises contain invariants positively: so a premise
//! as a whole holds for all values.

use sectile_base::Rat;
use sectile_terms::{Node, Sort, Substitution, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// Maximum number of instances: more make a query too hard.
const MOST: usize = 400;

/// The premises together with the instances that the query needs.
pub fn added(terms: &Terms, mut premises: Vec<Term>, conclusion: Term) -> Vec<Term> {
    let symbols = terms.bound_symbols(&premises);
    if symbols.is_empty() {
        return premises;
    }
    let question: Vec<Term> = premises.iter().copied().chain([conclusion]).collect();
    let indices = Indices::of(terms, &question);
    let mut choices = vec![Substitution::default()];
    for symbol in symbols {
        let values = indices.values(terms, symbol);
        let longer = choices.iter().flat_map(|choice| {
            let with = |&value: &Term| {
                let mut choice = choice.clone();
                choice.insert(terms.var(symbol), value);
                choice
            };
            values.iter().map(with).collect::<Vec<_>>()
        });
        choices = longer.take(MOST).collect();
    }
    let known: BTreeSet<Term> = premises.iter().copied().collect();
    let instances = choices.iter().flat_map(|choice| {
        let instance = |&p: &Term| terms.substitute(p, choice);
        known.iter().map(instance).collect::<Vec<_>>()
    });
    let instances: BTreeSet<Term> = instances.filter(|i| !known.contains(i)).collect();
    premises.extend(instances);
    premises
}

/// The indices of elements in a query.
struct Indices {
    /// Those that mention bound symbols.
    patterns: BTreeSet<Term>,
    /// The others.
    ground: BTreeSet<Term>,
}

impl Indices {
    fn of(terms: &Terms, question: &[Term]) -> Indices {
        let mut indices = Indices {
            patterns: BTreeSet::new(),
            ground: BTreeSet::new(),
        };
        for t in terms.post_order(question) {
            let index = match *terms.node(t) {
                Node::Select(_, i) | Node::Store(_, i, _) => i,
                Node::Eq(a, b) if matches!(terms.sort(a), Sort::Array(_)) => {
                    terms.differing_index(a, b)
                }
                _ => continue,
            };
            match terms.bound_symbols(&[index]).is_empty() {
                true => indices.ground.insert(index),
                false => indices.patterns.insert(index),
            };
        }
        indices
    }

    /// The values of a bound symbol for which a pattern equals one of the other indices, after the
    /// symbol itself.
    fn values(&self, terms: &Terms, symbol: Symbol) -> Vec<Term> {
        let variable = terms.var(symbol);
        let mut values = vec![variable];
        for &pattern in &self.patterns {
            for &index in &self.ground {
                let value = solution(terms, pattern, variable, index);
                values.extend(value.filter(|v| !values.contains(v)));
            }
        }
        values
    }
}

/// The value of a variable for which a pattern equals an index, if that is a term.
fn solution(terms: &Terms, pattern: Term, variable: Term, index: Term) -> Option<Term> {
    let sort = terms.sort(variable);
    if terms.sort(index) != terms.sort(pattern) {
        return None;
    }
    if pattern == variable {
        return Some(index);
    }
    if sort != Sort::Int || terms.sort(pattern) != Sort::Int {
        return None;
    }
    let factor = terms.linear(pattern).coefficient(variable);
    if factor.is_zero() {
        return None;
    }
    // index = rest + factor * value
    let mut rest = terms.linear(pattern);
    rest.add_term(variable, &-factor.clone());
    let mut value = terms.linear(index);
    value.add_scaled(&rest, &Rat::MINUS_ONE);
    value.scale(&(Rat::ONE / factor));
    let mut factors = value.monomials().iter().map(|m| &m.1);
    let is_whole = factors.all(Rat::is_int) && value.constant().is_int();
    let value = is_whole.then(|| terms.sum(value, sort))?;
    // Other bound symbols may occur in the value, but not this one.
    let mentions = |t: Term| terms.post_order(&[t]).contains(&variable);
    (!mentions(value)).then_some(value)
}
