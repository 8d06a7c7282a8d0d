//! How imprecise predicates are, judged by pairs of steps.

use crate::alpha::scope;
use crate::queries::{Queries, signed};
use rustc_hash::FxHashMap;
use sectile_engine::{Stop, connected, shape};
use sectile_model::{Command, Model};
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Imprecision of predicates alone and of pairs; zero is precise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imprecision {
    /// For every predicate.
    pub individual: Vec<u64>,
    /// For every pair; symmetric, zero on the diagonal.
    pub pairwise: Vec<Vec<u64>>,
}

impl Imprecision {
    /// How many predicates are imprecise alone.
    pub fn individuals(&self) -> usize {
        self.individual.iter().filter(|&&s| s > 0).count()
    }

    /// How many pairs are imprecise.
    pub fn pairs(&self) -> usize {
        let rows = self.pairwise.iter().enumerate();
        rows.map(|(i, row)| row[..i].iter().filter(|&&s| s > 0).count())
            .sum()
    }
}

/// The abstract variables of the second step live at stages of their own.
const APART: u32 = 5;

/// The scores of all predicates and pairs.
///
/// Paper: [YaMe, Fig. 5]. The restriction of all states is no part of the steps: the printed table
/// comes out only without it.
pub fn imprecision<'t>(
    terms: &'t Terms,
    system: &Model,
    predicates: &[Term],
    queries: &mut Queries<'t>,
) -> Result<Imprecision, Stop> {
    let mut scorer = Scorer::new(terms, predicates, queries);
    let count = predicates.len();
    let mut result = Imprecision {
        individual: vec![0; count],
        pairwise: vec![vec![0; count]; count],
    };
    for second in system.commands() {
        for first in system.commands() {
            let Some(pair) = scorer.pair(first, second)? else {
                continue;
            };
            for i in 0..count {
                result.individual[i] += scorer.score(&pair, &[i])?;
                for m in i + 1..count {
                    let score = scorer.score(&pair, &[i, m])?;
                    result.pairwise[i][m] += score;
                    result.pairwise[m][i] += score;
                }
            }
        }
    }
    Ok(result)
}

/// The score of predicates for two steps, the first of which is followed by the second.
///
/// Paper: [YaMe, Def. 8 and Fig. 5, lines 10 to 16]: by how many combinations of the predicates
/// before the first step more the abstract steps follow each other than the concrete ones.
pub fn pair_imprecision<'t>(
    terms: &'t Terms,
    predicates: &[Term],
    first: &Command,
    second: &Command,
    queries: &mut Queries<'t>,
) -> Result<u64, Stop> {
    let mut scorer = Scorer::new(terms, predicates, queries);
    let all: Vec<usize> = (0..predicates.len()).collect();
    match scorer.pair(first, second)? {
        Some(pair) => scorer.score(&pair, &all),
        None => Ok(0),
    }
}

/// Conjuncts of two steps in a row that share no variables with others.
struct Group {
    /// The number of its conjuncts in the table of the scorer.
    name: usize,
    /// Variables of the states before and between the steps.
    symbols: BTreeSet<Symbol>,
    satisfiable: bool,
}

/// The conjuncts of a group, with those of the second step apart.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Content {
    first: Vec<Term>,
    second: Vec<Term>,
}

struct Scorer<'s, 't> {
    terms: &'t Terms,
    predicates: Vec<Term>,
    scopes: Vec<BTreeSet<Symbol>>,
    queries: &'s mut Queries<'t>,
    contents: Vec<Content>,
    names: FxHashMap<Content, usize>,
    known: FxHashMap<(Vec<usize>, Vec<usize>), u64>,
}

impl<'s, 't> Scorer<'s, 't> {
    fn new(terms: &'t Terms, predicates: &[Term], queries: &'s mut Queries<'t>) -> Self {
        Scorer {
            terms,
            predicates: predicates.to_vec(),
            scopes: predicates.iter().map(|&p| scope(terms, p)).collect(),
            queries,
            contents: Vec::new(),
            names: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// The groups of two steps; none where they cannot follow each other for a reason that no
    /// predicate touches.
    fn pair(&mut self, first: &Command, second: &Command) -> Result<Option<Vec<Group>>, Stop> {
        let terms = self.terms;
        let flat = |list: Vec<Term>| -> Vec<Term> {
            let parts = list.iter();
            parts.flat_map(|&c| shape::conjuncts(terms, [c])).collect()
        };
        let one = flat(first.conjuncts(terms));
        // Assignments of the second step never keep it from happening.
        let two = flat(match second.relations.is_empty() {
            true => second.guards.clone(),
            false => second.conjuncts(terms),
        });
        let staged = one.iter().map(|&c| terms.at_step(c, 0));
        let staged = staged.chain(two.iter().map(|&c| terms.at_step(c, 1)));
        let slots: Vec<Vec<(Symbol, Stage)>> = staged
            .map(|c| terms.free_vars(c).into_iter().collect())
            .collect();
        let owners = connected(&slots);
        let mut groups: BTreeMap<usize, (Content, BTreeSet<Symbol>)> = BTreeMap::new();
        for (k, &owner) in owners.iter().enumerate() {
            let (content, symbols) = groups.entry(owner).or_default();
            match one.get(k) {
                Some(&c) => content.first.push(c),
                None => content.second.push(two[k - one.len()]),
            }
            symbols.extend(slots[k].iter().map(|s| s.0));
        }
        let mut pair = Vec::new();
        for (content, symbols) in groups.into_values() {
            let staged = self.staged(&content, &BTreeSet::new());
            let satisfiable = self.queries.satisfiable(&staged)?;
            let touched = self.scopes.iter().any(|s| !s.is_disjoint(&symbols));
            if !satisfiable && !touched {
                return Ok(None);
            }
            let next = self.contents.len();
            let name = *self.names.entry(content.clone()).or_insert(next);
            if name == next {
                self.contents.push(content);
            }
            pair.push(Group {
                name,
                symbols,
                satisfiable,
            });
        }
        Ok(Some(pair))
    }

    /// The conjuncts at their stages; hidden variables of the second step stand apart.
    fn staged(&self, content: &Content, hidden: &BTreeSet<Symbol>) -> Vec<Term> {
        let terms = self.terms;
        let first = content.first.iter().map(|&c| terms.at_step(c, 0));
        let second = content.second.iter().map(|&c| self.second(c, hidden));
        first.chain(second).collect()
    }

    fn second(&self, formula: Term, hidden: &BTreeSet<Symbol>) -> Term {
        self.terms.restage(formula, |symbol, stage| {
            let from = if hidden.contains(&symbol) { APART } else { 1 };
            match stage {
                Stage::Now => Stage::At(from),
                Stage::Next => Stage::At(from + 1),
                other => other,
            }
        })
    }

    fn score(&mut self, pair: &[Group], chosen: &[usize]) -> Result<u64, Stop> {
        let hidden: BTreeSet<Symbol> = chosen
            .iter()
            .flat_map(|&i| self.scopes[i].iter().copied())
            .collect();
        let mut names = Vec::new();
        for group in pair {
            if !group.symbols.is_disjoint(&hidden) {
                names.push(group.name);
            } else if !group.satisfiable {
                // Then neither the concrete nor the abstract steps follow each other.
                return Ok(0);
            }
        }
        names.sort_unstable();
        let key = (names, chosen.to_vec());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let score = self.compare(&key.0, chosen, &hidden)?;
        self.known.insert(key, score);
        Ok(score)
    }

    /// How many combinations more there are for the abstract steps.
    fn compare(
        &mut self,
        names: &[usize],
        chosen: &[usize],
        hidden: &BTreeSet<Symbol>,
    ) -> Result<u64, Stop> {
        let terms = self.terms;
        let predicates: Vec<Term> = chosen.iter().map(|&i| self.predicates[i]).collect();
        let before: Vec<Term> = predicates.iter().map(|&p| terms.at_step(p, 0)).collect();
        let conjuncts = |s: &Self, hidden: &BTreeSet<Symbol>| -> Vec<Term> {
            let contents = names.iter().map(|&n| &s.contents[n]);
            contents.flat_map(|c| s.staged(c, hidden)).collect()
        };
        let concrete = conjuncts(self, &BTreeSet::new());
        let mut abstracted = conjuncts(self, hidden);
        abstracted.extend(predicates.iter().map(|&p| {
            let between = terms.at_step(p, 1);
            terms.iff(between, self.second(p, hidden))
        }));
        let mut more = 0;
        for bits in 0..1u32 << chosen.len() {
            let signs: Vec<bool> = (0..chosen.len()).map(|k| bits >> k & 1 == 1).collect();
            let cube = signed(terms, &before, &signs);
            let with = |list: &[Term]| [list, &cube].concat();
            if !self.queries.satisfiable(&with(&concrete))?
                && self.queries.satisfiable(&with(&abstracted))?
            {
                more += 1;
            }
        }
        Ok(more)
    }
}
