//! Smaller queries: irrelevant conditions are removed before a solver is called.
//!
//! Clauses made by compilers contain many facts that are irrelevant to the query, about arguments
//! of all sorts. These simplifications are sound without any trust: variables defined by an
//! equation are replaced by their values, and a conclusion from fewer premises also follows from
//! all of them. They are complete too: a condition is removed only if some value of a variable that
//! occurs nowhere else makes it true.

use rustc_hash::FxHashMap;
use sectile_model::equations;
use sectile_terms::{Node, Sort, Substitution, SymbolKind, Term, Terms};

/// Smaller disjunctions, in terms, are left to the solver.
const SMALLEST_SPLIT: usize = 30;

/// Maximum number of cases of a query.
const MOST_CASES: usize = 64;

/// Premises with a conclusion.
type Question = (Vec<Term>, Term);

/// Smaller queries: the premises imply the conclusion if this is so in each of them.
///
/// The cases of large disjunctions, such as the ways to derive a predicate, are separate queries,
/// so that the equations of each case can be substituted everywhere.
pub fn cases(terms: &Terms, premises: Vec<Term>, conclusion: Term) -> Vec<Question> {
    let mut open = vec![(premises, conclusion)];
    let mut done = Vec::new();
    while let Some((premises, conclusion)) = open.pop() {
        let is_variable = |t: Term| matches!(terms.node(t), Node::Var(..));
        let (premises, values) = solved(terms, terms.and(premises), &is_variable);
        let conclusion = terms.substitute(conclusion, &values);
        if premises.contains(&terms.ff()) || conclusion == terms.tt() {
            continue;
        }
        let premises = needed(terms, premises, &[conclusion]);
        let alternatives = |t: &Term| matches!(terms.node(*t), Node::Or(_));
        let largest = premises.iter().copied().filter(alternatives);
        let largest = largest.max_by_key(|&t| terms.size(t));
        let largest = largest.filter(|&t| terms.size(t) >= SMALLEST_SPLIT);
        let parts = largest.map(|t| terms.disjuncts(t)).unwrap_or_default();
        if parts.is_empty() || open.len() + done.len() + parts.len() > MOST_CASES {
            done.push((premises, conclusion));
            continue;
        }
        let others = premises.iter().copied().filter(|&t| Some(t) != largest);
        let others: Vec<Term> = others.collect();
        for &part in parts.iter().rev() {
            open.push((others.iter().copied().chain([part]).collect(), conclusion));
        }
    }
    done
}

/// The conjuncts of a formula after elimination of unknowns that equations define, with their
/// values.
pub fn solved(
    terms: &Terms,
    formula: Term,
    is_unknown: &dyn Fn(Term) -> bool,
) -> (Vec<Term>, Substitution) {
    let conjuncts = terms.conjuncts(formula);
    equations::eliminate(terms, conjuncts, is_unknown, &|_, _| true)
}

/// The conjuncts without those that can be made true by a variable that occurs in no other conjunct
/// and not in `others`.
pub fn needed(terms: &Terms, conjuncts: Vec<Term>, others: &[Term]) -> Vec<Term> {
    let variables = |roots: &[Term]| -> Vec<Term> {
        let free = terms.free_vars_of(roots).into_iter();
        free.map(|(s, stage)| terms.var_at(s, stage)).collect()
    };
    let own: Vec<Vec<Term>> = conjuncts.iter().map(|&c| variables(&[c])).collect();
    // The conjuncts that mention a variable; `usize::MAX` stands for `others`, which are never
    // removed.
    let mut mentions: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
    for (k, list) in own.iter().enumerate() {
        for &v in list {
            mentions.entry(v).or_default().push(k);
        }
    }
    for v in variables(others) {
        mentions.entry(v).or_default().push(usize::MAX);
    }
    let mut kept = vec![true; conjuncts.len()];
    let mut pending: Vec<usize> = (0..conjuncts.len()).rev().collect();
    while let Some(k) = pending.pop() {
        let alone = |v: &Term| mentions.get(v).is_some_and(|m| m.len() == 1);
        let free = own[k]
            .iter()
            .find(|v| alone(v) && is_fulfilled(terms, conjuncts[k], **v));
        if !kept[k] || free.is_none() {
            continue;
        }
        kept[k] = false;
        for v in &own[k] {
            if let Some(list) = mentions.get_mut(v) {
                list.retain(|&m| m != k);
                if let &[other] = list.as_slice()
                    && other != usize::MAX
                {
                    pending.push(other);
                }
            }
        }
    }
    let mut keep = kept.into_iter();
    let mut conjuncts = conjuncts;
    conjuncts.retain(|_| keep.next().unwrap_or(true));
    conjuncts
}

/// Whether some value of `variable` makes the condition true, whatever the other variables are.
fn is_fulfilled(terms: &Terms, condition: Term, variable: Term) -> bool {
    // A bound symbol stands for all values, so no choice of a value makes a condition true.
    if matches!(terms.node(variable), Node::Var(s, _) if terms.symbol_kind(*s) == SymbolKind::Bound)
    {
        return false;
    }
    let inside = |t: Term| terms.post_order(&[t]).contains(&variable);
    let (atom, negated) = terms.strip_not(condition);
    match *terms.node(atom) {
        Node::Var(..) => true,
        Node::Eq(a, b) => {
            let defines = (a == variable && !inside(b)) || (b == variable && !inside(a));
            // Over a sort with a single value, a disequality is false.
            let several = terms.sort(a).cardinality(terms) != Some(1);
            let plain = !matches!(terms.sort(a), Sort::Array(_));
            defines && (!negated || (several && plain))
        }
        Node::Zero(sum) | Node::NonPos(sum) | Node::Neg(sum) => {
            let linear = terms.linear(sum);
            let mut own = linear.monomials().iter();
            let Some((_, factor)) = own.find(|(m, _)| *m == variable) else {
                return false;
            };
            let others = linear.monomials().iter().filter(|(m, _)| *m != variable);
            let solvable = terms.sort(variable) == Sort::Real
                || factor.abs().is_one()
                || negated
                || !matches!(terms.node(atom), Node::Zero(_));
            solvable && others.into_iter().all(|(m, _)| !inside(*m))
        }
        _ => false,
    }
}
