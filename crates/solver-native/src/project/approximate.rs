//! Over-approximation of a projection: cheap and always sound.

use super::conjunction::{mentioning, reduce};
use super::system::System;
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_terms::{Node, Sort, Term, Terms};

/// Formulas without `vars` that `exists vars. conjuncts` implies.
///
/// Linear literals are combined as if all numbers were real, unless that gives too many; every
/// other part of the formula that mentions a variable is dropped.
pub(super) fn over_approximation(
    terms: &Terms,
    conjuncts: &[Term],
    vars: &[Term],
    growth: usize,
) -> Vec<Term> {
    let mut weakening = Weakening::new(terms, conjuncts, vars);
    let mut result: Vec<Term> = conjuncts.iter().map(|&f| weakening.weaken(f)).collect();
    let reduced = reduce(terms, conjuncts, vars, growth);
    let mut system = System::new(terms, &reduced.formulas);
    let mut left: Vec<Term> = reduced.vars;
    left.retain(|&v| matches!(terms.sort(v), Sort::Int | Sort::Real));
    while !left.is_empty() {
        let cheapest = (0..left.len()).min_by_key(|&i| (system.cost(left[i]), i));
        let target = left.remove(cheapest.expect("the list is not empty"));
        if system.solve_equality(target) {
            continue;
        }
        let said = system.occurrences(target);
        system.take(target);
        let before = said.lower.len() + said.upper.len();
        if said.lower.len() * said.upper.len() <= before + growth {
            system.combine(&said);
        }
    }
    // A variable inside an operator is not a leaf: literals that still mention one are dropped as
    // well.
    let shadow = system.formulas();
    let mut weakening = Weakening::new(terms, &shadow, vars);
    result.extend(shadow.iter().map(|&f| weakening.weaken(f)));
    result
}

/// Replaces literals that mention a variable by true.
struct Weakening<'a> {
    terms: &'a Terms,
    /// Terms that mention a variable.
    touched: FxHashSet<Term>,
    /// Consequences of a formula, or of its negation.
    done: FxHashMap<(Term, bool), Term>,
}

impl<'a> Weakening<'a> {
    fn new(terms: &'a Terms, roots: &[Term], vars: &[Term]) -> Weakening<'a> {
        let vars = vars.iter().copied().collect();
        Weakening {
            terms,
            touched: mentioning(terms, roots, &vars).into_iter().collect(),
            done: FxHashMap::default(),
        }
    }

    /// A consequence of a formula about the other variables.
    fn weaken(&mut self, root: Term) -> Term {
        let mut stack = vec![(root, true)];
        while let Some(&(t, wanted)) = stack.last() {
            if self.done.contains_key(&(t, wanted)) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for part in self.parts(t, wanted) {
                if !self.done.contains_key(&part) {
                    stack.push(part);
                }
            }
            if stack.len() == before {
                let result = self.step(t, wanted);
                self.done.insert((t, wanted), result);
                stack.pop();
            }
        }
        self.done[&(root, true)]
    }

    /// The sub-formulas of a formula, with their signs.
    fn parts(&self, t: Term, wanted: bool) -> Vec<(Term, bool)> {
        if !self.touched.contains(&t) {
            return Vec::new();
        }
        let both = |t: Term| [(t, true), (t, false)];
        match self.terms.node(t) {
            Node::Not(a) => vec![(*a, !wanted)],
            Node::And(list) | Node::Or(list) => list.iter().map(|&c| (c, wanted)).collect(),
            Node::Ite(c, a, b) => {
                let mut parts = both(*c).to_vec();
                parts.extend([(*a, wanted), (*b, wanted)]);
                parts
            }
            Node::Eq(a, b) if self.terms.sort(*a) == Sort::Bool => [both(*a), both(*b)].concat(),
            _ => Vec::new(),
        }
    }

    fn step(&self, t: Term, wanted: bool) -> Term {
        let terms = self.terms;
        if !self.touched.contains(&t) {
            return if wanted { t } else { terms.not(t) };
        }
        let part = |t: Term, wanted: bool| self.done[&(t, wanted)];
        let case =
            |c: Term, sign: bool, t: Term, wanted: bool| terms.and2(part(c, sign), part(t, wanted));
        match terms.node(t) {
            Node::Not(a) => part(*a, !wanted),
            node @ (Node::And(list) | Node::Or(list)) => {
                let parts = list.iter().map(|&c| part(c, wanted));
                match matches!(node, Node::And(_)) == wanted {
                    true => terms.and(parts),
                    false => terms.or(parts),
                }
            }
            Node::Ite(c, a, b) => {
                terms.or2(case(*c, true, *a, wanted), case(*c, false, *b, wanted))
            }
            Node::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                terms.or2(case(*a, true, *b, wanted), case(*a, false, *b, !wanted))
            }
            _ => terms.tt(),
        }
    }
}
