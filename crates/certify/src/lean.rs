//! Smaller questions: conditions that decide nothing are left out before a solver is asked.
//!
//! Clauses of compilers say a lot that has nothing to do with the question, about arguments of all
//! sorts. What is done here needs no trust: variables that an equation defines are replaced by what
//! they are, and whatever follows from fewer conditions follows from all. Only conditions that some
//! value of a variable fulfils, which nothing else mentions, are left out, so that nothing is lost
//! either.

use rustc_hash::FxHashMap;
use sectile_model::equations;
use sectile_terms::{Node, Sort, Substitution, SymbolKind, Term, Terms};

/// Disjunctions of fewer terms than this are left to the solver.
const SMALLEST_SPLIT: usize = 30;

/// A question is not split into more cases than this.
const MOST_CASES: usize = 64;

/// Premises with a conclusion.
type Question = (Vec<Term>, Term);

/// Smaller questions: the premises imply the conclusion if the premises of each imply its own.
///
/// Alternatives that are large, such as the ways to derive a predicate, are looked at one by one:
/// what each says about variables is put into everything.
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

/// The conjuncts of a formula without the unknowns that equations define, and the values of those.
pub fn solved(
    terms: &Terms,
    formula: Term,
    is_unknown: &dyn Fn(Term) -> bool,
) -> (Vec<Term>, Substitution) {
    let conjuncts = terms.conjuncts(formula);
    equations::eliminate(terms, conjuncts, is_unknown, &|_, _| true)
}

/// The conjuncts that are not fulfilled by a variable which nothing else mentions, neither another
/// conjunct nor other terms.
pub fn needed(terms: &Terms, conjuncts: Vec<Term>, others: &[Term]) -> Vec<Term> {
    let variables = |roots: &[Term]| -> Vec<Term> {
        let free = terms.free_vars_of(roots).into_iter();
        free.map(|(s, stage)| terms.var_at(s, stage)).collect()
    };
    let own: Vec<Vec<Term>> = conjuncts.iter().map(|&c| variables(&[c])).collect();
    // Who mentions a variable: other terms do for ever.
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

/// Whether some value of a variable makes a condition true, whatever the others are.
fn is_fulfilled(terms: &Terms, condition: Term, variable: Term) -> bool {
    // What holds for all values of a symbol is not fulfilled by one.
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
            // A sort with a single value allows no difference.
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
