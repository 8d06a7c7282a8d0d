//! The choice of predicates: searches over sets of candidates up to a size.

use crate::imprecision::Imprecision;
use sectile_terms::Symbol;
use std::collections::BTreeSet;

/// A set of candidates with its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The candidates, by number.
    pub members: Vec<usize>,
    /// Number of abstracted variables.
    pub variables: usize,
    /// The sum of pairwise imprecision, or the number of compatible pairs.
    pub score: u64,
}

/// The best set of each size, and the best set of all; among equal ones the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The best sets, by size from 1.
    pub best: Vec<Option<Choice>>,
    /// The chosen one.
    pub chosen: Option<Choice>,
}

/// How ties between sets with the same score are broken, before the number of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// By the number of abstracted variables: more is better.
    Variables,
    /// Not at all: the set with the fewest predicates is taken.
    Predicates,
}

/// The set with the smallest imprecision, then the most variables, then the fewest predicates.
///
/// Paper: [YaMe, Figs. 6 and 7]; the paper also leaves it open whether the number of variables
/// counts [YaMe, Sect. 4].
pub fn choose_precise(
    scopes: &[BTreeSet<Symbol>],
    imprecision: &Imprecision,
    depth: usize,
    ties: Ties,
) -> Choices {
    let imprecise = |i: &usize| imprecision.individual[*i] > 0;
    let excluded: BTreeSet<Symbol> = (0..scopes.len())
        .filter(imprecise)
        .flat_map(|i| scopes[i].iter().copied())
        .collect();
    let search = SubsetSearch {
        scopes,
        depth,
        ties,
        allowed: &|_, i| !imprecise(&i) && scopes[i].is_disjoint(&excluded),
        pair: &|i, j| imprecision.pairwise[i][j],
        better: |new, old| new < old,
    };
    search.run()
}

/// The set with the most compatible pairs, then the most variables, then the fewest predicates.
///
/// Paper: [YaMe, Figs. 9 and 10], corrected: a candidate is left out if it is incompatible with a
/// member and both together share no variable with the rest (then the abstractions are disjoint and
/// the failure is inherited); the visited set includes the candidate; the search calls itself.
pub fn choose_compatible(
    scopes: &[BTreeSet<Symbol>],
    compatible: &[Vec<bool>],
    depth: usize,
    ties: Ties,
) -> Choices {
    let inherits_failure = |set: &[usize], i: usize| {
        set.iter().any(|&j| {
            let mut rest = set.iter().filter(|&&k| k != j);
            !compatible[i][j]
                && rest.all(|&k| {
                    scopes[k].is_disjoint(&scopes[i]) && scopes[k].is_disjoint(&scopes[j])
                })
        })
    };
    let search = SubsetSearch {
        scopes,
        depth,
        ties,
        allowed: &|set, i| !inherits_failure(set, i),
        pair: &|i, j| u64::from(compatible[i][j]),
        better: |new, old| new > old,
    };
    search.run()
}

struct SubsetSearch<'s> {
    scopes: &'s [BTreeSet<Symbol>],
    depth: usize,
    ties: Ties,
    /// Whether a candidate may be added to a set.
    allowed: &'s dyn Fn(&[usize], usize) -> bool,
    /// The contribution of a pair to the score.
    pair: &'s dyn Fn(usize, usize) -> u64,
    better: fn(u64, u64) -> bool,
}

impl SubsetSearch<'_> {
    fn run(&self) -> Choices {
        let mut best: Vec<Option<Choice>> = vec![None; self.depth];
        let mut visited: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        // Stack of the depth-first search: a set, and the next candidate to add to it.
        let mut stack: Vec<(Vec<usize>, usize)> = vec![(Vec::new(), 0)];
        while let Some((set, next)) = stack.pop() {
            if next == self.scopes.len() || set.len() == self.depth {
                continue;
            }
            stack.push((set.clone(), next + 1));
            if set.contains(&next) {
                continue;
            }
            let mut larger = set.clone();
            larger.push(next);
            if !visited.insert(larger.iter().copied().collect()) || !(self.allowed)(&set, next) {
                continue;
            }
            let choice = self.choice(&larger);
            let slot = &mut best[larger.len() - 1];
            if slot.as_ref().is_none_or(|old| self.precedes(&choice, old)) {
                *slot = Some(choice);
            }
            stack.push((larger, 0));
        }
        let mut chosen: Option<Choice> = None;
        for choice in best.iter().flatten() {
            if chosen.as_ref().is_none_or(|old| self.precedes(choice, old)) {
                chosen = Some(choice.clone());
            }
        }
        Choices { best, chosen }
    }

    /// Smaller sets come first, so a larger one must be strictly better.
    fn precedes(&self, new: &Choice, old: &Choice) -> bool {
        let more = self.ties == Ties::Variables && new.variables > old.variables;
        (self.better)(new.score, old.score) || new.score == old.score && more
    }

    fn choice(&self, members: &[usize]) -> Choice {
        let variables: BTreeSet<Symbol> = members
            .iter()
            .flat_map(|&i| self.scopes[i].iter().copied())
            .collect();
        let mut score = 0;
        for (k, &i) in members.iter().enumerate() {
            score += members[..k].iter().map(|&j| (self.pair)(i, j)).sum::<u64>();
        }
        Choice {
            members: members.to_vec(),
            variables: variables.len(),
            score,
        }
    }
}
