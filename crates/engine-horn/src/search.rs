//! Search for abstract facts, and for a derivation of `false` from them.
//!
//! A fact is a predicate of the clauses with the abstraction predicates that are known to hold.
//! Facts with fewer conditions subsume others.

use crate::image::Images;
use crate::rule::Rule;
use sectile_base::Budget;
use sectile_engine::Stop;
use sectile_terms::Term;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An abstract fact.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub predicate: usize,
    /// The abstraction predicates that hold, in order.
    pub cube: Vec<Term>,
    /// The rule and the facts that derive it.
    pub rule: usize,
    pub premises: Vec<usize>,
    /// The size of its derivation as a tree.
    size: u64,
    /// Whether no other fact subsumes it.
    live: bool,
}

/// A pending application of a rule.
///
/// Premises are chosen one by one: if some of them exclude each other, the others are never chosen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    size: u64,
    /// Queries (`false`) come before other rules.
    is_rule: bool,
    number: usize,
    rule: usize,
    /// The position of the newest premise.
    newest_at: usize,
    /// The chosen premises, in the order of the body.
    premises: Vec<Option<usize>>,
}

/// The result of the search.
pub(crate) enum Outcome {
    /// `false` does not follow.
    Closed,
    /// A query applies to these facts.
    Reached { rule: usize, premises: Vec<usize> },
}

/// The facts derived so far.
pub(crate) struct FactSearch<'r> {
    rules: &'r [Rule],
    pub facts: Vec<Fact>,
    by_predicate: Vec<Vec<usize>>,
    /// For each predicate, the rules that use it.
    using: Vec<Vec<usize>>,
    queue: BinaryHeap<Reverse<Pending>>,
    made: usize,
}

impl<'r> FactSearch<'r> {
    pub fn new(rules: &'r [Rule], predicates: usize) -> FactSearch<'r> {
        let mut search = FactSearch {
            rules,
            facts: Vec::new(),
            by_predicate: vec![Vec::new(); predicates],
            using: vec![Vec::new(); predicates],
            queue: BinaryHeap::new(),
            made: 0,
        };
        for (r, rule) in rules.iter().enumerate() {
            if rule.body.is_empty() {
                search.push(r, 0, Vec::new());
            }
            for application in &rule.body {
                let using = &mut search.using[application.predicate];
                if using.last() != Some(&r) {
                    using.push(r);
                }
            }
        }
        search
    }

    fn push(&mut self, rule: usize, newest_at: usize, premises: Vec<Option<usize>>) {
        let sizes = premises.iter().map(|f| f.map_or(1, |f| self.facts[f].size));
        let size = sizes.fold(1u64, u64::saturating_add);
        self.made += 1;
        self.queue.push(Reverse(Pending {
            size,
            is_rule: self.rules[rule].head.is_some(),
            number: self.made,
            rule,
            newest_at,
            premises,
        }));
    }

    /// Derives facts, in the order of the size of their derivations, until a query applies.
    pub fn run(
        &mut self,
        images: &mut Images<'_>,
        abstraction: &[Vec<Term>],
        budget: &Budget,
    ) -> Result<Outcome, Stop> {
        while let Some(Reverse(next)) = self.queue.pop() {
            budget.poll()?;
            let chosen = next.premises.iter().flatten();
            if chosen.clone().any(|&f| !self.facts[f].live) {
                continue;
            }
            let premises: Vec<usize> = chosen.copied().collect();
            let open = next.premises.iter().position(Option::is_none);
            let head = self.rules[next.rule].head.as_ref().map(|h| h.predicate);
            let candidates: &[Term] = match (open, head) {
                (None, Some(p)) => &abstraction[p],
                _ => &[],
            };
            let cube = |f: &Option<usize>| f.map_or(&[][..], |f| &self.facts[f].cube[..]);
            let cubes: Vec<&[Term]> = next.premises.iter().map(cube).collect();
            let Some(cube) = images.image(next.rule, &cubes, candidates, budget)? else {
                continue;
            };
            match (open, head) {
                (Some(open), _) => self.choose(open, &next),
                (None, Some(predicate)) => self.add(predicate, cube, &next, premises),
                (None, None) => {
                    let rule = next.rule;
                    return Ok(Outcome::Reached { rule, premises });
                }
            }
        }
        Ok(Outcome::Closed)
    }

    /// Adds a fact unless another one subsumes it.
    fn add(&mut self, predicate: usize, cube: Vec<Term>, from: &Pending, premises: Vec<usize>) {
        let within = |a: &[Term], b: &[Term]| a.iter().all(|t| b.contains(t));
        let same = &self.by_predicate[predicate];
        if same.iter().any(|&f| within(&self.facts[f].cube, &cube)) {
            return;
        }
        let weaker: Vec<usize> = same
            .iter()
            .copied()
            .filter(|&f| within(&cube, &self.facts[f].cube))
            .collect();
        for &f in &weaker {
            self.facts[f].live = false;
        }
        self.by_predicate[predicate].retain(|f| !weaker.contains(f));
        let number = self.facts.len();
        self.facts.push(Fact {
            predicate,
            cube,
            rule: from.rule,
            premises,
            size: from.size,
            live: true,
        });
        self.by_predicate[predicate].push(number);
        self.expand(number);
    }

    /// Queues every rule that applies to the newest fact and older ones.
    fn expand(&mut self, newest: usize) {
        let predicate = self.facts[newest].predicate;
        for r in self.using[predicate].clone() {
            let body = &self.rules[r].body;
            let places = body.iter().enumerate();
            let places = places.filter(|(_, a)| a.predicate == predicate);
            for (at, _) in places.collect::<Vec<_>>() {
                let mut premises = vec![None; body.len()];
                premises[at] = Some(newest);
                self.push(r, at, premises);
            }
        }
    }

    /// Queues all choices of one more premise.
    ///
    /// The newest fact stands at its position and not before it, and all others are older, so no
    /// choice occurs twice.
    fn choose(&mut self, open: usize, from: &Pending) {
        let predicate = self.rules[from.rule].body[open].predicate;
        let newest = from.premises[from.newest_at];
        let fits = |f: usize| Some(f) < newest || (Some(f) == newest && open > from.newest_at);
        for fact in self.by_predicate[predicate].clone() {
            if fits(fact) {
                let mut premises = from.premises.clone();
                premises[open] = Some(fact);
                self.push(from.rule, from.newest_at, premises);
            }
        }
    }

    /// The facts that no other fact subsumes.
    pub fn live(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(|f| f.live)
    }
}
