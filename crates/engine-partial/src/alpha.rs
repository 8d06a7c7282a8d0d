//! The abstraction function: predicates for some variables, all others unchanged.

use crate::parts::{Conjunct, Region, StepPart, parts};
use crate::queries::Queries;
use sectile_engine::{Stop, shape};
use sectile_terms::{Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// A predicate and the Boolean variable that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its meaning.
    pub meaning: Term,
    /// The Boolean variable.
    pub symbol: Symbol,
}

/// A partial predicate abstraction.
///
/// Paper: [YaMe, Def. 3]: the variables that occur in predicates are hidden, all others are kept.
/// Symbolic constants are kept, too: they are the same in all states, so nothing is gained by
/// hiding them.
pub struct Abstraction<'t> {
    /// The store of the formulas.
    pub terms: &'t Terms,
    /// The predicates with their Boolean variables.
    pub predicates: Vec<Predicate>,
    /// The hidden variables.
    pub hidden: BTreeSet<Symbol>,
}

impl<'t> Abstraction<'t> {
    /// The abstraction for some predicates, without duplicates and negations of earlier ones.
    pub fn new(terms: &'t Terms, formulas: &[Term]) -> Abstraction<'t> {
        let mut seen = BTreeSet::new();
        let mut predicates = Vec::new();
        let mut hidden = BTreeSet::new();
        for &meaning in formulas {
            let scope = scope(terms, meaning);
            if scope.is_empty() || !seen.insert(terms.strip_not(meaning).0) {
                continue;
            }
            hidden.extend(scope);
            let name = format!("b{}", predicates.len() + 1);
            let symbol = terms.fresh(&name, Sort::Bool, SymbolKind::State);
            predicates.push(Predicate { meaning, symbol });
        }
        Abstraction {
            terms,
            predicates,
            hidden,
        }
    }

    /// Whether a formula mentions a hidden variable.
    pub fn touches(&self, formula: Term) -> bool {
        let slots = self.terms.free_vars(formula);
        slots.iter().any(|(s, _)| self.hidden.contains(s))
    }

    /// Replaces Boolean variables by their meanings, in a formula over abstract states or steps.
    ///
    /// Paper: [YaMe, Eq. 2].
    pub fn concrete(&self, formula: Term) -> Term {
        self.terms.substitute(formula, &self.meanings())
    }

    /// The meaning of every Boolean variable, now and after a step.
    pub fn meanings(&self) -> Substitution {
        let terms = self.terms;
        let mut map = Substitution::default();
        for p in &self.predicates {
            map.insert(terms.var(p.symbol), p.meaning);
            map.insert(terms.next(p.symbol), terms.prime(p.meaning));
        }
        map
    }

    /// The abstract states of a set of concrete ones, within the states that `restrict` allows.
    ///
    /// Paper: [YaMe, Eq. 1]. Disjuncts are abstracted separately, because the quantifier
    /// distributes over them.
    pub fn states(
        &self,
        formula: Term,
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<Term, Stop> {
        if !self.touches(formula) {
            return Ok(formula);
        }
        let mut cases = Vec::new();
        for case in shape::disjuncts(self.terms, formula) {
            let own = shape::conjuncts(self.terms, [case]);
            let list = self.conjunction(&own, restrict, queries)?;
            cases.push(self.terms.and(list));
        }
        Ok(self.terms.or(cases))
    }

    /// The abstract states of a conjunction, as conjuncts.
    pub fn conjunction(
        &self,
        own: &[Term],
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<Vec<Term>, Stop> {
        let own = own.iter().copied().map(Conjunct::own);
        let about = restrict.iter().copied().map(Conjunct::about);
        self.cut(own.chain(about).collect(), StepPart::is_own, queries)
    }

    /// The rest of the conjuncts, with the requested parts of the cut.
    fn cut(
        &self,
        conjuncts: Vec<Conjunct>,
        wanted: impl Fn(&StepPart) -> bool,
        queries: &mut Queries<'t>,
    ) -> Result<Vec<Term>, Stop> {
        let cut = parts(self, &conjuncts, &[], &[Stage::Now]);
        let kept = cut.kept.iter().filter(|c| c.own);
        let mut found: Vec<Term> = kept.map(|c| c.formula).collect();
        for part in cut.parts.iter().filter(|p| wanted(p)) {
            found.push(self.region(part, queries)?.formula(self));
        }
        found.retain(|&f| f != self.terms.tt());
        Ok(found)
    }

    /// The combinations of predicates in states that `restrict` allows, and the conditions of
    /// `restrict` on the remaining variables.
    pub fn restriction(
        &self,
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<Vec<Term>, Stop> {
        let list = restrict.iter();
        let list = list.flat_map(|&r| shape::conjuncts(self.terms, [r]));
        self.cut(list.map(Conjunct::own).collect(), |_| true, queries)
    }

    /// The region of a part after elimination of its variables.
    pub fn region(&self, part: &StepPart, queries: &mut Queries<'t>) -> Result<Region, Stop> {
        let terms = self.terms;
        let formulas: Vec<Term> = part.conjuncts.iter().map(|c| c.formula).collect();
        let literals: Vec<Term> = part
            .literals
            .iter()
            .map(|&(i, stage)| self.meaning_at(i, stage))
            .collect();
        let closed = part.outside.is_empty();
        let mut cubes = Vec::new();
        let mut exact = true;
        for signs in queries.signs(&formulas, &literals)? {
            let rest = if closed {
                terms.tt()
            } else {
                let literals = crate::queries::signed(terms, &literals, &signs);
                let all = terms.and(formulas.iter().copied().chain(literals));
                let projection = queries.project(all, &part.hidden)?;
                exact &= projection.exact;
                projection.formula
            };
            cubes.push((signs.into_iter().map(Some).collect(), rest));
        }
        let region = Region {
            literals: part.literals.clone(),
            cubes,
            exact,
        };
        Ok(region.merged())
    }

    /// A predicate at a stage, over concrete variables.
    pub fn meaning_at(&self, index: usize, stage: Stage) -> Term {
        let meaning = self.predicates[index].meaning;
        match stage {
            Stage::Next => self.terms.prime(meaning),
            _ => meaning,
        }
    }

    /// The Boolean variable of a predicate at a stage.
    pub fn variable_at(&self, index: usize, stage: Stage) -> Term {
        self.terms.var_at(self.predicates[index].symbol, stage)
    }
}

/// The state variables of a predicate.
pub fn scope(terms: &Terms, predicate: Term) -> BTreeSet<Symbol> {
    let now = terms.free_vars(predicate).into_iter();
    let now = now.filter(|s| s.1 == Stage::Now).map(|s| s.0);
    now.filter(|&s| terms.symbol_kind(s) == SymbolKind::State)
        .collect()
}
