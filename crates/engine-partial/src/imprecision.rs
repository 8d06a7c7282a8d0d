//! Imprecision of predicates, measured on pairs of steps.

use crate::alpha::scope;
use crate::candidates::property_predicates;
use crate::queries::{Queries, signed};
use rustc_hash::FxHashMap;
use sectile_base::Span;
use sectile_engine::{Stop, connected, shape};
use sectile_model::{Command, Model, NormalCtl, NormalPart, PropertyKind};
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Imprecision of single predicates and of pairs; zero is precise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imprecision {
    /// For every predicate.
    pub individual: Vec<u64>,
    /// For every pair; symmetric, zero on the diagonal.
    pub pairwise: Vec<Vec<u64>>,
}

impl Imprecision {
    fn none(count: usize) -> Imprecision {
        Imprecision {
            individual: vec![0; count],
            pairwise: vec![vec![0; count]; count],
        }
    }

    /// Adds to the score of a predicate or of a pair.
    fn add(&mut self, chosen: &[usize], score: u64) {
        match *chosen {
            [i] => self.individual[i] += score,
            [i, m] => {
                self.pairwise[i][m] += score;
                self.pairwise[m][i] += score;
            }
            _ => {}
        }
    }

    /// The number of imprecise single predicates.
    pub fn individuals(&self) -> usize {
        self.individual.iter().filter(|&&s| s > 0).count()
    }

    /// The number of imprecise pairs.
    pub fn pairs(&self) -> usize {
        let rows = self.pairwise.iter().enumerate();
        rows.map(|(i, row)| row[..i].iter().filter(|&&s| s > 0).count())
            .sum()
    }
}

/// The stage of the hidden variables before the second step, apart from that of the first.
const APART: u32 = 5;

/// Cached scores by predicates. They are about one system, and may be used for all its properties.
#[derive(Clone, Debug, Default)]
pub struct KnownScores {
    scores: FxHashMap<Vec<Term>, u64>,
    /// Number of cache hits.
    pub reused: u64,
}

/// The scores of all predicates and pairs.
///
/// Paper: [YaMe, Fig. 5]. The restriction of all states is not part of the steps: the printed table
/// is reproduced only without it.
pub fn imprecision<'t>(
    terms: &'t Terms,
    system: &Model,
    predicates: &[Term],
    known: &mut KnownScores,
    queries: &mut Queries<'t>,
) -> Result<Imprecision, Stop> {
    let mut scorer = Scorer::new(terms, predicates, queries);
    let commands: Vec<&Command> = system.commands().collect();
    let mut result = Imprecision::none(predicates.len());
    let mut wanted = Vec::new();
    for chosen in alone_and_in_pairs(predicates.len()) {
        match known.scores.get(&scorer.key(&chosen)) {
            Some(&score) => {
                known.reused += 1;
                result.add(&chosen, score);
            }
            None => wanted.push((chosen.clone(), chosen)),
        }
    }
    for (chosen, score) in scorer.sums(&commands, &commands, wanted)? {
        result.add(&chosen, score);
        known.scores.insert(scorer.key(&chosen), score);
    }
    Ok(result)
}

/// The scores with respect to a property.
///
/// Paper: [YaMe, Sect. 6] mentions this as future work. The initial states count as a step from
/// anywhere, and the conditions of a violation as guards of steps: predicates are imprecise if they
/// blur distinctions that the property needs. Conditions of the property about abstracted variables
/// are predicates themselves, as in [YaMe, Fig. 8].
pub fn imprecision_about<'t>(
    terms: &'t Terms,
    system: &Model,
    property: &PropertyKind,
    predicates: &[Term],
    queries: &mut Queries<'t>,
) -> Result<Imprecision, Stop> {
    let start = Command {
        relations: system.init.iter().map(|&f| terms.prime(f)).collect(),
        ..Command::new("start", Span::new(0, 0))
    };
    let ends: Vec<Command> = violations(terms, property)
        .map(|f| Command {
            guards: vec![f],
            ..Command::new("violation", Span::new(0, 0))
        })
        .collect();
    let first: Vec<&Command> = system.commands().chain([&start]).collect();
    let second: Vec<&Command> = system.commands().chain(&ends).collect();
    let own: Vec<usize> = property_positions(terms, property, predicates);
    let mut scorer = Scorer::new(terms, predicates, queries);
    let wanted = alone_and_in_pairs(predicates.len()).into_iter();
    let wanted: Vec<_> = wanted.map(|c| (scorer.with(&c, &own), c)).collect();
    let mut result = Imprecision::none(predicates.len());
    for (chosen, score) in scorer.sums(&first, &second, wanted)? {
        result.add(&chosen, score);
    }
    Ok(result)
}

/// The state formulas of the negated property.
fn violations(terms: &Terms, property: &PropertyKind) -> impl Iterator<Item = Term> {
    let negation = NormalCtl::of_property(terms, property, false);
    let parts = negation.map(|n| n.parts).unwrap_or_default();
    parts.into_iter().filter_map(|part| match part {
        NormalPart::State(f) => Some(f),
        _ => None,
    })
}

/// The predicates that are conditions of the property.
fn property_positions(terms: &Terms, property: &PropertyKind, all: &[Term]) -> Vec<usize> {
    let atom = |p: Term| terms.strip_not(p).0;
    let own = property_predicates(terms, property).into_iter();
    let own: BTreeSet<Term> = own.map(atom).collect();
    let is_own = |i: &usize| own.contains(&atom(all[*i]));
    (0..all.len()).filter(is_own).collect()
}

/// All sets of one or two numbers below `count`.
fn alone_and_in_pairs(count: usize) -> Vec<Vec<usize>> {
    let alone = (0..count).map(|i| vec![i]);
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |m| vec![i, m]));
    alone.chain(pairs).collect()
}

/// The score of predicates for two consecutive steps.
///
/// Paper: [YaMe, Def. 8 and Fig. 5, lines 10 to 16]: the number of combinations of the predicates
/// before the first step for which the abstract steps are consecutive but the concrete ones are
/// not.
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

/// Conjuncts of two consecutive steps that share no variables with others.
struct Group {
    /// Its index in the table of the scorer.
    name: usize,
    /// Variables of the states before and between the steps.
    symbols: BTreeSet<Symbol>,
    satisfiable: bool,
}

/// The conjuncts of a group; those of the second step are separate.
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

    /// The cache key of a set of predicates.
    fn key(&self, chosen: &[usize]) -> Vec<Term> {
        let mut key: Vec<Term> = chosen.iter().map(|&i| self.predicates[i]).collect();
        key.sort_unstable();
        key
    }

    /// Some predicates, with the others that share a variable with them.
    fn with(&self, chosen: &[usize], others: &[usize]) -> Vec<usize> {
        let shares = |o: &usize| {
            let scope = &self.scopes[*o];
            chosen.iter().any(|&i| !self.scopes[i].is_disjoint(scope))
        };
        let more = others.iter().copied();
        let more = more.filter(|o| !chosen.contains(o) && shares(o));
        chosen.iter().copied().chain(more).collect()
    }

    /// For every wanted pair, the sum of the scores of its first set over all pairs of steps, with
    /// its second set as the name.
    fn sums(
        &mut self,
        first: &[&Command],
        second: &[&Command],
        wanted: Vec<(Vec<usize>, Vec<usize>)>,
    ) -> Result<Vec<(Vec<usize>, u64)>, Stop> {
        let mut sums = vec![0; wanted.len()];
        for &after in second {
            for &before in first {
                let Some(pair) = self.pair(before, after)? else {
                    continue;
                };
                for (sum, (chosen, _)) in sums.iter_mut().zip(&wanted) {
                    *sum += self.score(&pair, chosen)?;
                }
            }
        }
        let names = wanted.into_iter().map(|(_, name)| name);
        Ok(names.zip(sums).collect())
    }

    /// The groups of two steps; none if they cannot be consecutive for reasons independent of the
    /// predicates.
    fn pair(&mut self, first: &Command, second: &Command) -> Result<Option<Vec<Group>>, Stop> {
        let terms = self.terms;
        let flat = |list: Vec<Term>| -> Vec<Term> {
            let parts = list.iter();
            parts.flat_map(|&c| shape::conjuncts(terms, [c])).collect()
        };
        let one = flat(first.conjuncts(terms));
        // Assignments of the second step never make it impossible.
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

    /// The conjuncts at their stages; hidden variables of the second step have separate stages.
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
                // Then neither the concrete nor the abstract steps are consecutive.
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

    /// The number of additional combinations for the abstract steps.
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
