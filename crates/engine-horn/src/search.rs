//! The abstract facts that follow from the rules, and how `false` follows from them.
//!
//! A fact is a predicate of the clauses with those abstraction predicates that certainly hold.
//! Facts with fewer conditions say more, and others are not needed beside them.

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
    /// What holds, in the order of the abstraction predicates.
    pub cube: Vec<Term>,
    /// The rule and the facts it follows from.
    pub rule: usize,
    pub premises: Vec<usize>,
    /// How many rules its derivation uses, with repetition.
    size: u64,
    /// Whether no other fact says as much.
    live: bool,
}

/// A way of deriving something that is still to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    size: u64,
    /// Queries come before other rules.
    is_rule: bool,
    number: usize,
    rule: usize,
    premises: Vec<usize>,
}

/// What the facts show.
pub(crate) enum Outcome {
    /// `false` does not follow.
    Closed,
    /// A query applies to facts.
    Reached { rule: usize, premises: Vec<usize> },
}

/// The facts so far.
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
                search.push(r, Vec::new());
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

    fn push(&mut self, rule: usize, premises: Vec<usize>) {
        let sizes = premises.iter().map(|&f| self.facts[f].size);
        let size = sizes.fold(1u64, u64::saturating_add);
        self.made += 1;
        self.queue.push(Reverse(Pending {
            size,
            is_rule: self.rules[rule].head.is_some(),
            number: self.made,
            rule,
            premises,
        }));
    }

    /// Derives facts, those with short derivations first, until a query applies.
    pub fn run(
        &mut self,
        images: &mut Images<'_>,
        abstraction: &[Vec<Term>],
        budget: &Budget,
    ) -> Result<Outcome, Stop> {
        while let Some(Reverse(next)) = self.queue.pop() {
            budget.poll()?;
            if next.premises.iter().any(|&f| !self.facts[f].live) {
                continue;
            }
            let head = self.rules[next.rule].head.as_ref().map(|h| h.predicate);
            let candidates: &[Term] = head.map_or(&[], |p| &abstraction[p]);
            let cubes: Vec<&[Term]> = next
                .premises
                .iter()
                .map(|&f| self.facts[f].cube.as_slice())
                .collect();
            let Some(cube) = images.image(next.rule, &cubes, candidates, budget)? else {
                continue;
            };
            match head {
                None => {
                    return Ok(Outcome::Reached {
                        rule: next.rule,
                        premises: next.premises,
                    });
                }
                Some(predicate) => self.add(predicate, cube, next),
            }
        }
        Ok(Outcome::Closed)
    }

    /// Adds a fact unless another one says as much.
    fn add(&mut self, predicate: usize, cube: Vec<Term>, from: Pending) {
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
            premises: from.premises,
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
            let body: Vec<usize> = self.rules[r].body.iter().map(|a| a.predicate).collect();
            for at in (0..body.len()).filter(|&i| body[i] == predicate) {
                // The newest fact stands at `at`, and not before it: no choice comes twice.
                let choices = body.iter().enumerate().map(|(i, &p)| match i.cmp(&at) {
                    std::cmp::Ordering::Equal => vec![newest],
                    std::cmp::Ordering::Less => {
                        let all = self.by_predicate[p].iter().copied();
                        all.filter(|&f| f != newest).collect()
                    }
                    std::cmp::Ordering::Greater => self.by_predicate[p].clone(),
                });
                for premises in product(&choices.collect::<Vec<_>>()) {
                    self.push(r, premises);
                }
            }
        }
    }

    /// The facts that no other fact makes superfluous.
    pub fn live(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(|f| f.live)
    }
}

/// All ways of choosing one element of each list.
fn product(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        let longer = all.iter().flat_map(|start: &Vec<usize>| {
            list.iter().map(move |&x| {
                let mut next = start.clone();
                next.push(x);
                next
            })
        });
        all = longer.collect();
    }
    all
}
