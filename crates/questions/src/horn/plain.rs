//! Models in fewer words: without negations of whole formulas, and without what is said only for values
//! outside of a type.
//!
//! Proofs say "not (x > 1 and not y)" where people say "x <= 1 or y".
//!
//! Programs with fixed-width integers give clauses that state the bounds where a value comes from
//! outside, and proofs then say "or it has more bits". Such parts are hard to read and usually
//! unnecessary: they are replaced by true or false, and if the result is still a model, it is
//! shown.

use super::{HornAnswer, ModelFinder};
use sectile_base::{Int, Rat};
use sectile_certify::{Claim, Outcome};
use sectile_driver::check::check_certificate;
use sectile_model::horn::Interpretation;
use sectile_terms::{Node, Sort, Substitution, Term, Terms};
use std::collections::BTreeMap;
use std::time::Duration;

/// Minimum number of bits of a type: smaller bounds could be meaningful numbers.
const FEWEST_BITS: u64 = 16;

/// Time limit for the check of the shorter model.
const LONGEST: Duration = Duration::from_secs(2);

impl ModelFinder<'_> {
    /// Removes conditions outside of types from a model, if the rest is still one.
    pub(super) fn plainer_model(&self, answer: &mut HornAnswer) {
        let Some(plain) = answer.model.as_ref().and_then(|model| self.plainer(model)) else {
            return;
        };
        answer.model = Some(plain);
    }

    fn plainer(&self, model: &Interpretation) -> Option<Interpretation> {
        let terms = &self.loaded.terms;
        let mut map = Substitution::default();
        for atom in terms.post_order(model) {
            if let Some(holds) = beyond(terms, atom) {
                map.insert(atom, terms.bool(holds));
            }
        }
        if map.is_empty() {
            return None;
        }
        let plain = model.iter().map(|&m| terms.substitute(m, &map));
        let plain: Interpretation = plain.collect();
        let all: Vec<Option<Term>> = plain.iter().copied().map(Some).collect();
        let whole = self.view.invariants(terms, &all);
        let backend = self.options.backend().ok()?;
        let left = self.left().map_or(LONGEST, |left| left.min(LONGEST));
        let budget = self.rest.clone().with_time(left);
        let task = self.task()?;
        let outcome = check_certificate(&task, Claim::Holds, &whole, backend.as_ref(), &budget);
        matches!(outcome, Ok(Outcome::Accepted { .. })).then_some(plain)
    }
}

/// The same formulas with negations at comparisons only.
pub(super) fn inward(terms: &Terms, formulas: &[Term]) -> Vec<Term> {
    // Each formula with its negation.
    let mut told: BTreeMap<Term, [Term; 2]> = BTreeMap::new();
    for t in terms.post_order(formulas) {
        let sides = |list: &[Term], side: usize| -> Vec<Term> {
            list.iter().map(|c| told[c][side]).collect()
        };
        let pair = match terms.node(t) {
            Node::Not(inner) => [told[inner][1], told[inner][0]],
            Node::And(list) => [terms.and(sides(list, 0)), terms.or(sides(list, 1))],
            Node::Or(list) => [terms.or(sides(list, 0)), terms.and(sides(list, 1))],
            _ if terms.sort(t) == Sort::Bool => [t, terms.not(t)],
            _ => continue,
        };
        told.insert(t, pair);
    }
    formulas.iter().map(|f| told[f][0]).collect()
}

/// What a comparison with a bound of a type says of all values of the type; `None` for others.
fn beyond(terms: &Terms, atom: Term) -> Option<bool> {
    let Node::NonPos(sum) = *terms.node(atom) else {
        return None;
    };
    let sum = terms.linear(sum);
    let [(_, factor)] = sum.monomials() else {
        return None;
    };
    let constant = sum.constant();
    if !constant.is_int() {
        return None;
    }
    // Normal forms have a positive first factor: here that is 1.
    if *factor != Rat::ONE {
        return None;
    }
    let constant = constant.numer();
    // x <= 2^k - 1 always, x <= -2^k - 1 never.
    let up = is_power(&(&Int::ONE - &constant));
    let down = is_power(&(&constant - &Int::ONE));
    up.then_some(true).or(down.then_some(false))
}

/// Whether a number is a large power of two, beyond usual constants.
fn is_power(number: &Int) -> bool {
    let bits = number.bits();
    let exponent = bits.saturating_sub(1);
    exponent >= FEWEST_BITS && u32::try_from(exponent).is_ok_and(|e| *number == Int::from(2).pow(e))
}

#[cfg(test)]
mod tests {
    use super::{beyond, inward};
    use sectile_base::{Int, Rat};
    use sectile_terms::{Sort, SymbolKind, Terms};

    #[test]
    fn negations_stand_at_comparisons() {
        let terms = Terms::new();
        let [x, y] = ["x", "y"].map(|n| terms.var(terms.fresh(n, Sort::Int, SymbolKind::Input)));
        let (five, one) = (terms.eq(x, terms.int(5)), terms.gt(y, terms.int(1)));
        let inner = terms.and([terms.not(five), one]);
        let formulas = [terms.not(inner), terms.or([inner, five])];
        let other = terms.or([five, terms.le(y, terms.int(1))]);
        assert_eq!(inward(&terms, &formulas), vec![other, formulas[1]]);
    }

    #[test]
    fn bounds_of_types_and_others() {
        let terms = Terms::new();
        let x = terms.var(terms.fresh("x", Sort::Int, SymbolKind::Input));
        let big = |e: u32| terms.number(Rat::from(&Int::from(2).pow(e)), Sort::Int);
        let less = |t, by: i64| terms.sub(t, terms.int(by));
        let says = |t| {
            let (atom, negated) = terms.strip_not(t);
            beyond(&terms, atom).map(|holds| holds != negated)
        };
        assert_eq!(says(terms.le(x, less(big(256), 1))), Some(true));
        assert_eq!(says(terms.ge(x, big(256))), Some(false));
        assert_eq!(says(terms.ge(x, terms.neg(big(255)))), Some(true));
        assert_eq!(says(terms.lt(x, terms.neg(big(255)))), Some(false));
        assert_eq!(says(terms.le(x, terms.int(1000))), None);
        assert_eq!(says(terms.le(x, terms.int(255))), None);
        assert_eq!(says(terms.le(x, big(256))), None);
    }
}
