//! Existential quantification of arbitrary formulas.

use super::approximate::over_approximation;
use super::conjunction::{mentions, reduce, without, without_redundant};
use super::definitions::use_definitions;
use super::implicant::implicant_in;
use super::mbp::mbp_in;
use super::values::{Values, unsupported};
use crate::context::NativeSolver;
use crate::purify::Purifier;
use rustc_hash::FxHashSet;
use sectile_base::Budget;
use sectile_solver::{Answer, ModelView, Projection, Solver, SolverError, Undecided};
use sectile_terms::{Sort, Stage, Symbol, Term, Terms};

/// Limits of an exact projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of disjuncts of an exact result, for each group of dependent variables.
    pub disjuncts: usize,
    /// Maximum number of literals that the elimination of one variable may add to a conjunction
    /// without case distinctions.
    pub growth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            disjuncts: 128,
            growth: 8,
        }
    }
}

/// `exists vars. formula` without quantifiers: exact within the limits, else a consequence of it.
///
/// Steps without case distinctions come first. The rest is split into groups that share no
/// variable, and each is enumerated: a model of the uncovered part gives an implicant, and the
/// projection of the implicant is the next disjunct.
pub fn exists(
    terms: &Terms,
    formula: Term,
    vars: &[(Symbol, Stage)],
    limits: &Limits,
    budget: &Budget,
) -> Result<Result<Projection, Undecided>, SolverError> {
    let mut targets: Vec<Term> = Vec::new();
    for &(symbol, stage) in vars {
        let t = terms.var_at(symbol, stage);
        if matches!(terms.sort(t), Sort::Array(_)) {
            return Err(unsupported());
        }
        if !targets.contains(&t) {
            targets.push(t);
        }
    }
    let occurring = free_targets(terms, &[formula], &targets);
    targets.retain(|t| occurring.contains(t));
    if targets.is_empty() {
        let exact = true;
        return Ok(Ok(Projection { formula, exact }));
    }
    let original = terms.conjuncts(formula);
    let formula = use_definitions(terms, formula, &targets);
    let reduced = reduce(terms, &terms.conjuncts(formula), &targets, limits.growth);
    let free = free_targets(terms, &reduced.formulas, &reduced.vars);
    let (inside, outside): (Vec<Term>, Vec<Term>) = reduced
        .formulas
        .iter()
        .partition(|&&f| mentions(terms, f, &free));
    let mut parts = outside.clone();
    let mut exact = true;
    for (conjuncts, vars) in groups(terms, &inside, &reduced.vars) {
        // Applications become variables, unless they would have to be eliminated as well.
        let mut purifier = Purifier::new(terms);
        let mut pure = |list: &[Term]| match terms.has_functions() {
            true => list.iter().map(|&f| purifier.pure(f)).collect(),
            false => list.to_vec(),
        };
        let (context, inside) = (pure(&outside), pure(&conjuncts));
        let task = Task {
            terms,
            context: &context,
            conjuncts: &inside,
            vars: &vars,
            limits,
            budget,
        };
        let enumerated = match purifier.applies_to(&vars) {
            true => Ok(None),
            false => task.enumerate()?,
        };
        match enumerated {
            Ok(Some(formula)) => parts.push(purifier.real(formula)),
            Ok(None) => {
                exact = false;
                parts.extend(over_approximation(terms, &conjuncts, &vars, limits.growth));
            }
            Err(why) => return Ok(Err(why)),
        }
    }
    let known: FxHashSet<Term> = original.into_iter().collect();
    let formula = terms.and(without_redundant(terms, parts, &known, budget)?);
    Ok(Ok(Projection { formula, exact }))
}

/// The variables that occur in some formula.
fn free_targets(terms: &Terms, formulas: &[Term], vars: &[Term]) -> FxHashSet<Term> {
    let all: FxHashSet<Term> = vars.iter().copied().collect();
    let found = terms.post_order(formulas).into_iter();
    found.filter(|t| all.contains(t)).collect()
}

/// Conjuncts that share variables, directly or through others, with these variables.
fn groups(terms: &Terms, conjuncts: &[Term], vars: &[Term]) -> Vec<(Vec<Term>, Vec<Term>)> {
    let mut groups: Vec<(Vec<Term>, Vec<Term>)> = Vec::new();
    for &f in conjuncts {
        let own = free_targets(terms, &[f], vars);
        let mut joined = vec![f];
        let mut names: Vec<Term> = vars.iter().copied().filter(|v| own.contains(v)).collect();
        let (touching, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(_, known)| known.iter().any(|v| own.contains(v)));
        groups = apart;
        for (formulas, known) in touching.into_iter().rev() {
            joined.splice(0..0, formulas);
            names.extend(known);
        }
        names.sort_unstable();
        names.dedup();
        groups.push((joined, names));
    }
    groups
}

/// One group of conjuncts to be projected.
struct Task<'a> {
    terms: &'a Terms,
    /// Known facts: cases that contradict them need not be covered.
    context: &'a [Term],
    conjuncts: &'a [Term],
    vars: &'a [Term],
    limits: &'a Limits,
    budget: &'a Budget,
}

impl Task<'_> {
    /// The projection as a disjunction; none if it has too many disjuncts.
    fn enumerate(&self) -> Result<Result<Option<Term>, Undecided>, SolverError> {
        let terms = self.terms;
        let mut solver = NativeSolver::new(terms);
        for &f in self.context.iter().chain(self.conjuncts) {
            solver.assert(f)?;
        }
        let mut cover: Vec<Term> = Vec::new();
        loop {
            let literals = match solver.check(&[], self.budget)? {
                Answer::Unsat(_) => break,
                Answer::Unknown(Undecided::Incomplete(_)) => return Ok(Ok(None)),
                Answer::Unknown(why) => return Ok(Err(why)),
                Answer::Sat(_) if cover.len() >= self.limits.disjuncts => return Ok(Ok(None)),
                Answer::Sat(model) => self.covering(model)?,
            };
            let nothing = FxHashSet::default();
            let literals = without_redundant(terms, literals, &nothing, self.budget)?;
            let disjunct = terms.and(literals);
            solver.assert(terms.not(disjunct))?;
            cover.push(disjunct);
            if let Err(why) = self.budget.poll() {
                return Ok(Err(why.into()));
            }
        }
        let cover = self.without_covered(cover)?;
        Ok(Ok(Some(terms.simplify(terms.or(cover)))))
    }

    /// A disjunct that covers a model.
    fn covering(&self, model: &dyn ModelView) -> Result<Vec<Term>, SolverError> {
        let terms = self.terms;
        let mut values = Values::new(terms, model);
        let cube = implicant_in(terms, self.conjuncts, &mut values)?;
        // An exact step covers every model of the cube, a projection perhaps only some.
        let reduced = reduce(terms, &cube, self.vars, 0);
        mbp_in(terms, &reduced.formulas, &reduced.vars, &mut values)
    }

    /// The disjuncts without those that others cover; earlier ones may be redundant.
    fn without_covered(&self, cover: Vec<Term>) -> Result<Vec<Term>, SolverError> {
        if cover.len() < 2 {
            return Ok(cover);
        }
        let mut solver = NativeSolver::new(self.terms);
        for &f in self.context {
            solver.assert(f)?;
        }
        without(cover, |cover, i| {
            let others = cover.iter().enumerate().filter(|(j, _)| *j != i);
            let mut query: Vec<Term> = others.map(|(_, &d)| self.terms.not(d)).collect();
            query.push(cover[i]);
            Ok(solver.check(&query, self.budget)?.is_unsat())
        })
    }
}
