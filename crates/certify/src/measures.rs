//! Measures that decrease with every step, so that no infinite run exists.
//!
//! The measures of cells with the same rank are lists of the same length. In a step one of them,
//! the deciding one, decreases by at least one from a value that is not negative, and none before
//! it increases. That is well-founded: in an infinite run let `j` be the first position that
//! decides infinitely often. From some step on no position before `j` decides any more, so the
//! measure at `j` does not increase from there on; it decreases by at least one infinitely often,
//! and would become negative for good, but it is not negative where it decides. This holds for
//! integers and reals.

use sectile_terms::{Node, Sort, Term, Terms};

/// The condition that the measures decrease in a step: `here` is about the state before it, `there`
/// about the state after it.
pub fn falls(terms: &Terms, here: &[Term], there: &[Term]) -> Result<Term, String> {
    let mut cases = Vec::new();
    let mut kept: Vec<Term> = Vec::new();
    if here.len() != there.len() {
        return Err("the cells have different numbers of measures".to_string());
    }
    for (&now, &next) in here.iter().zip(there) {
        let (now, next) = alike(terms, now, terms.prime(next))
            .ok_or("an integer is compared with a real number")?;
        let number = |n: i64| terms.number(n.into(), terms.sort(now));
        let falls = terms.le(terms.add(next, number(1)), now);
        let bounded = terms.le(number(0), now);
        let case = kept.iter().copied().chain([falls, bounded]);
        cases.push(terms.and(case));
        kept.push(terms.le(next, now));
    }
    Ok(terms.or(cases))
}

/// Two numbers as terms of the same sort: a constant takes the sort of the other one.
fn alike(terms: &Terms, a: Term, b: Term) -> Option<(Term, Term)> {
    let cast = |t: Term, sort: Sort| match terms.node(t) {
        Node::Number(n) if sort == Sort::Real || n.is_int() => Some(terms.number(n.clone(), sort)),
        _ => None,
    };
    if terms.sort(a) == terms.sort(b) {
        return Some((a, b));
    }
    match (cast(a, terms.sort(b)), cast(b, terms.sort(a))) {
        (Some(a), _) => Some((a, b)),
        (None, Some(b)) => Some((a, b)),
        (None, None) => None,
    }
}
