//! Summaries of predicates: lemmas, which over-approximate, and facts, which under-approximate.

use super::steps::Steps;
use crate::rule::Rules;
use sectile_engine::Stop;
use sectile_solver::Assignment;
use sectile_terms::{Sort, SymbolKind, Term};

/// A formula that holds for everything that trees up to a height derive.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub predicate: usize,
    /// The excluded arguments, as a conjunction over the parameters.
    pub cube: Vec<Term>,
    pub formula: Term,
    /// The height up to which it is proved.
    pub level: usize,
    /// The literal for the lemma in queries.
    pub flag: Term,
    /// The value of `grown` for its level at the time when it was not valid for the next level.
    pub stuck_at: Option<u64>,
}

/// A condition under which arguments are derivable.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub predicate: usize,
    pub formula: Term,
    pub rule: usize,
    /// For each predicate of the body, the fact that derives it.
    pub premises: Vec<usize>,
    /// Example values of the variables of the rule.
    pub witness: Assignment,
}

/// All lemmas and facts. Spacer calls them may- and must-summaries.
#[derive(Default)]
pub(super) struct Summaries {
    pub lemmas: Vec<Lemma>,
    pub facts: Vec<Fact>,
    /// For each level, how often the set of lemmas that hold there has grown.
    grown: Vec<u64>,
}

impl Summaries {
    /// The lemmas of a predicate that hold up to a height.
    pub fn lemmas_at(&self, predicate: usize, height: usize) -> impl Iterator<Item = &Lemma> {
        let own = self.lemmas.iter();
        own.filter(move |l| l.predicate == predicate && l.level >= height)
    }

    /// Whether a lemma that holds up to a height trivially excludes a cube.
    pub fn excludes(&self, predicate: usize, cube: &[Term], height: usize) -> bool {
        let mut lemmas = self.lemmas_at(predicate, height);
        lemmas.any(|l| l.cube.iter().all(|c| cube.contains(c)))
    }

    /// How often the set of lemmas that hold up to a height has grown.
    pub fn grown(&self, level: usize) -> u64 {
        self.grown.get(level).copied().unwrap_or(0)
    }

    fn grow(&mut self, levels: std::ops::RangeInclusive<usize>) {
        if self.grown.len() <= *levels.end() {
            self.grown.resize(levels.end() + 1, 0);
        }
        levels.for_each(|l| self.grown[l] += 1);
    }

    /// Raises the height up to which a lemma holds.
    pub fn raise(&mut self, lemma: usize, level: usize) {
        let known = std::mem::replace(&mut self.lemmas[lemma].level, level);
        self.lemmas[lemma].stuck_at = None;
        self.grow(known + 1..=level);
    }

    /// Adds a lemma unless another one subsumes it; subsumed lemmas are removed.
    pub fn add_lemma(
        &mut self,
        rules: Rules<'_>,
        steps: &mut Steps<'_>,
        predicate: usize,
        cube: Vec<Term>,
        level: usize,
    ) -> Result<bool, Stop> {
        if self.excludes(predicate, &cube, level) {
            return Ok(false);
        }
        let terms = rules.terms;
        let less = |l: &Lemma| {
            let is_weaker = l.predicate == predicate && l.level <= level;
            is_weaker && cube.iter().all(|c| l.cube.contains(c))
        };
        self.lemmas.retain(|l| !less(l));
        let lemma = Lemma {
            predicate,
            formula: terms.not(terms.and(cube.iter().copied())),
            cube,
            level,
            flag: terms.var(terms.fresh("lemma", Sort::Bool, SymbolKind::Input)),
            stuck_at: None,
        };
        steps.tell_lemma(&lemma)?;
        self.lemmas.push(lemma);
        self.grow(0..=level);
        Ok(true)
    }

    /// Adds a fact; returns its index.
    pub fn add_fact(&mut self, steps: &mut Steps<'_>, fact: Fact) -> Result<usize, Stop> {
        let known = self.facts.iter();
        let mut known = known.enumerate();
        let same = |f: &Fact| f.predicate == fact.predicate && f.formula == fact.formula;
        if let Some((place, _)) = known.find(|(_, f)| same(f)) {
            return Ok(place);
        }
        steps.tell_fact(&fact)?;
        self.facts.push(fact);
        Ok(self.facts.len() - 1)
    }
}
