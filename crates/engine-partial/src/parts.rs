//! Independent parts of a step: only conjuncts connected by hidden variables are eliminated
//! together.

use crate::alpha::Abstraction;
use sectile_engine::connected;
use sectile_terms::{Stage, Symbol, Term};
use std::collections::BTreeMap;

/// A conjunct of a step or of a set of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conjunct {
    /// The formula.
    pub formula: Term,
    /// Whether it belongs to the query, rather than to the restriction of all states.
    pub own: bool,
}

impl Conjunct {
    /// A conjunct of the query.
    pub fn own(formula: Term) -> Conjunct {
        Conjunct { formula, own: true }
    }

    /// A conjunct of the restriction.
    pub fn about(formula: Term) -> Conjunct {
        let own = false;
        Conjunct { formula, own }
    }
}

/// Conjuncts connected by hidden variables, with the predicates over these variables.
#[derive(Clone, Debug, Default)]
pub struct StepPart {
    /// The conjuncts.
    pub conjuncts: Vec<Conjunct>,
    /// The predicates, by number, with their stages.
    pub literals: Vec<(usize, Stage)>,
    /// The hidden variables.
    pub hidden: Vec<(Symbol, Stage)>,
    /// The other variables.
    pub outside: Vec<(Symbol, Stage)>,
}

impl StepPart {
    /// Whether it has conjuncts of the query.
    pub fn is_own(&self) -> bool {
        self.conjuncts.iter().any(|c| c.own)
    }
}

/// A conjunction split into kept conjuncts and abstracted parts.
pub struct Cut {
    /// The conjuncts without hidden variables.
    pub kept: Vec<Conjunct>,
    /// The rest.
    pub parts: Vec<StepPart>,
    /// The eliminated inputs.
    pub inputs: Vec<Symbol>,
}

/// Splits a conjunction, with predicates at the given stages.
///
/// An input that occurs together with a hidden variable is eliminated too. Existential quantifiers
/// over variables of one part do not affect the others, so nothing is lost.
pub fn parts(
    alpha: &Abstraction<'_>,
    conjuncts: &[Conjunct],
    inputs: &[Symbol],
    stages: &[Stage],
) -> Cut {
    let terms = alpha.terms;
    let slots: Vec<Vec<(Symbol, Stage)>> = conjuncts
        .iter()
        .map(|c| terms.free_vars(c.formula).into_iter().collect())
        .collect();
    let inputs = touched_inputs(alpha, &slots, inputs);
    let is_hidden =
        |slot: &&(Symbol, Stage)| alpha.hidden.contains(&slot.0) || inputs.contains(&slot.0);
    let mut lists: Vec<Vec<(Symbol, Stage)>> = slots
        .iter()
        .map(|list| list.iter().filter(is_hidden).copied().collect())
        .collect();
    let mut literals = Vec::new();
    for &stage in stages {
        for (i, p) in alpha.predicates.iter().enumerate() {
            let scope = crate::alpha::scope(terms, p.meaning);
            lists.push(scope.into_iter().map(|s| (s, stage)).collect());
            literals.push((i, stage));
        }
    }
    let groups = connected(&lists);
    let mut kept = Vec::new();
    let mut found: BTreeMap<usize, StepPart> = BTreeMap::new();
    for (k, list) in lists.iter().enumerate() {
        if list.is_empty() {
            kept.push(conjuncts[k]);
            continue;
        }
        let part = found.entry(groups[k]).or_default();
        part.hidden.extend(list);
        match conjuncts.get(k) {
            Some(&conjunct) => {
                part.conjuncts.push(conjunct);
                let others = slots[k].iter().filter(|s| !is_hidden(s));
                part.outside.extend(others.copied());
            }
            None => {
                let literal = literals[k - conjuncts.len()];
                part.literals.push(literal);
                let meaning = alpha.meaning_at(literal.0, literal.1);
                let all = terms.free_vars(meaning);
                part.outside.extend(all.iter().filter(|s| !is_hidden(s)));
            }
        }
    }
    let mut parts: Vec<StepPart> = found.into_values().collect();
    for part in &mut parts {
        for list in [&mut part.hidden, &mut part.outside] {
            list.sort_unstable();
            list.dedup();
        }
    }
    Cut {
        kept,
        parts,
        inputs,
    }
}

/// The inputs that occur with hidden variables, directly or through other inputs.
fn touched_inputs(
    alpha: &Abstraction<'_>,
    slots: &[Vec<(Symbol, Stage)>],
    inputs: &[Symbol],
) -> Vec<Symbol> {
    let mut touched: Vec<Symbol> = Vec::new();
    loop {
        let before = touched.len();
        for list in slots {
            let hidden = |s: &(Symbol, Stage)| alpha.hidden.contains(&s.0);
            if !list.iter().any(|s| hidden(s) || touched.contains(&s.0)) {
                continue;
            }
            for (symbol, _) in list {
                if inputs.contains(symbol) && !touched.contains(symbol) {
                    touched.push(*symbol);
                }
            }
        }
        if touched.len() == before {
            return touched;
        }
    }
}

/// Signs of predicates; none if both are possible.
pub type Signs = Vec<Option<bool>>;

/// A set of abstract states or steps: signs of predicates, each with a condition on other
/// variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The predicates that the signs belong to, with their stages.
    pub literals: Vec<(usize, Stage)>,
    /// The alternatives.
    pub cubes: Vec<(Signs, Term)>,
    /// Whether it is exact, or an over-approximation because elimination was not exact.
    pub exact: bool,
}

impl Region {
    /// The same set with fewer alternatives: those that differ in one sign are merged.
    pub fn merged(mut self) -> Region {
        loop {
            let Some((i, j, place)) = self.mergeable() else {
                return self;
            };
            self.cubes[i].0[place] = None;
            self.cubes.remove(j);
        }
    }

    fn mergeable(&self) -> Option<(usize, usize, usize)> {
        for i in 0..self.cubes.len() {
            for j in i + 1..self.cubes.len() {
                let ((a, rest), (b, other)) = (&self.cubes[i], &self.cubes[j]);
                let mut differing = (0..a.len()).filter(|&k| a[k] != b[k]);
                if let (Some(k), None) = (differing.next(), differing.next())
                    && rest == other
                    && a[k].is_some()
                    && b[k].is_some()
                {
                    return Some((i, j, k));
                }
            }
        }
        None
    }

    /// The set as a formula over the Boolean variables and the kept variables.
    pub fn formula(&self, alpha: &Abstraction<'_>) -> Term {
        let terms = alpha.terms;
        let cube = |(signs, rest): &(Signs, Term)| {
            let literals = self.literals.iter().zip(signs);
            let literals = literals.filter_map(|(&(i, stage), sign)| {
                let variable = alpha.variable_at(i, stage);
                sign.map(|s| if s { variable } else { terms.not(variable) })
            });
            terms.and(literals.chain([*rest]))
        };
        terms.or(self.cubes.iter().map(cube))
    }
}
