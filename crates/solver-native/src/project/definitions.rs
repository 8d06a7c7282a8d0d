//! Elimination of variables that a formula defines.

use super::conjunction::mentions;
use rustc_hash::FxHashSet;
use sectile_base::Rat;
use sectile_terms::{Linear, Node, Sort, Substitution, Term, Terms};

/// An equisatisfiable formula in which variables defined by conjuncts are substituted: `exists x. x
/// = t and f` is `f` with `t` for `x`.
pub(super) fn use_definitions(terms: &Terms, formula: Term, vars: &[Term]) -> Term {
    let mut open: FxHashSet<Term> = vars.iter().copied().collect();
    let mut formula = formula;
    loop {
        let found = terms
            .conjuncts(formula)
            .into_iter()
            .find_map(|c| definition(terms, c, &open));
        let Some((variable, meaning)) = found else {
            return formula;
        };
        open.remove(&variable);
        let map: Substitution = [(variable, meaning)].into_iter().collect();
        formula = terms.substitute(formula, &map);
    }
}

/// The variable that a conjunct defines, and its meaning.
fn definition(terms: &Terms, conjunct: Term, open: &FxHashSet<Term>) -> Option<(Term, Term)> {
    let (atom, negated) = terms.strip_not(conjunct);
    if open.contains(&atom) {
        return Some((atom, terms.bool(!negated)));
    }
    match *terms.node(atom) {
        Node::Eq(a, b) => {
            let is_bool = terms.sort(a) == Sort::Bool;
            if negated && !is_bool {
                return None;
            }
            let pairs = [(a, b), (b, a)];
            let (x, t) = pairs
                .into_iter()
                .find(|&(x, t)| open.contains(&x) && !mentions(terms, t, &once(x)))?;
            Some((x, if negated { terms.not(t) } else { t }))
        }
        Node::Zero(t) if !negated => solved(terms, t, open),
        _ => None,
    }
}

fn once(t: Term) -> FxHashSet<Term> {
    [t].into_iter().collect()
}

/// A variable for which `t = 0` can be solved without division.
fn solved(terms: &Terms, t: Term, open: &FxHashSet<Term>) -> Option<(Term, Term)> {
    let sort = terms.sort(t);
    let sum = terms.linear(t);
    let solvable = |m: &&(Term, Rat)| {
        open.contains(&m.0) && (sort == Sort::Real || m.1.abs().is_one()) && {
            let others = sum.monomials().iter().filter(|other| other.0 != m.0);
            let others: Vec<Term> = others.map(|other| other.0).collect();
            !terms.post_order(&others).contains(&m.0)
        }
    };
    let (x, c) = sum.monomials().iter().find(solvable)?;
    let mut rest: Linear = sum.clone();
    rest.add_term(*x, &-c.clone());
    rest.scale(&-c.recip());
    Some((*x, terms.sum(rest, sort)))
}
