//! Axioms about all values, instantiated for the values that a program uses.
//!
//! If `f(x)` occurs, then `(forall i : int :: f(i) > 0)` implies that it is positive.

use sectile_terms::{Node, Substitution, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// The maximum number of instances added to one step.
const MOST: usize = 64;

/// A statement about all values.
pub struct Scheme {
    /// The variables that stand for the values.
    variables: Vec<Term>,
    says: Term,
    /// The elements of maps and results of functions in it that mention all variables.
    patterns: Vec<Term>,
}

impl Scheme {
    /// `says` for all values of these symbols.
    pub fn new(terms: &Terms, symbols: &[Symbol], says: Term) -> Scheme {
        let variables: Vec<Term> = symbols.iter().map(|&s| terms.var(s)).collect();
        let whole = |t: &Term| {
            let free = terms.free_vars(*t);
            let free: BTreeSet<Symbol> = free.into_iter().map(|(s, _)| s).collect();
            is_element(terms, &variables, *t) && symbols.iter().all(|s| free.contains(s))
        };
        let patterns = terms.post_order(&[says]).into_iter().filter(whole);
        Scheme {
            says,
            patterns: patterns.collect(),
            variables,
        }
    }

    /// Its instances for the values in a term.
    fn of(&self, terms: &Terms, t: Term) -> impl Iterator<Item = Term> {
        let matched = self.patterns.iter().filter_map(move |&pattern| {
            let mut values = Substitution::default();
            self.matches(terms, pattern, t, &mut values)
                .then(|| terms.substitute(self.says, &values))
        });
        matched.collect::<Vec<Term>>().into_iter()
    }

    fn matches(&self, terms: &Terms, pattern: Term, t: Term, values: &mut Substitution) -> bool {
        let (mut pattern, mut t) = (pattern, t);
        loop {
            if pattern == t {
                return true;
            }
            let (&Node::Select(map, index), &Node::Select(other, value)) =
                (terms.node(pattern), terms.node(t))
            else {
                return false;
            };
            let same = match self.variables.contains(&index) {
                true => *values.entry(index).or_insert(value) == value,
                false => index == value,
            };
            if !same {
                return false;
            }
            (pattern, t) = (map, other);
        }
    }
}

/// Whether a term is an element of a map variable, or of an element of it, such that every index is
/// one of the variables or mentions none of them.
fn is_element(terms: &Terms, variables: &[Term], t: Term) -> bool {
    let mut at = t;
    let mut depth = 0;
    while let &Node::Select(map, index) = terms.node(at) {
        let free = terms.free_vars(index);
        let ground = free.iter().all(|v| !variables.contains(&terms.var(v.0)));
        if !ground && !variables.contains(&index) {
            return false;
        }
        (at, depth) = (map, depth + 1);
    }
    depth > 0 && matches!(terms.node(at), Node::Var(..))
}

/// The instances of these axioms for the elements and results in some terms.
pub fn instances(terms: &Terms, schemes: &[Scheme], roots: &[Term]) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    let mut seen: BTreeSet<Term> = BTreeSet::new();
    let mut work = roots.to_vec();
    while let Some(root) = work.pop() {
        for t in terms.post_order(&[root]) {
            if !matches!(terms.node(t), Node::Select(..)) || !seen.insert(t) {
                continue;
            }
            for instance in schemes.iter().flat_map(|s| s.of(terms, t)) {
                if found.len() < MOST && !found.contains(&instance) {
                    found.push(instance);
                    work.push(instance);
                }
            }
        }
    }
    found
}
