//! Interpolants of formulas with uninterpreted functions, by reduction to formulas without.
//!
//! Every application becomes a variable. This loses congruence: equal arguments give equal results.
//! A congruence lemma about two applications known to one block is added to that block. A pair with
//! one application known only before a cut and the other only after it is *mixed*: no block may
//! mention both. Such a pair needs an application known to both sides, `f(t)` between `f(a)` and
//! `f(b)`, such that the part before the cut implies `a = t` and the part after it `t = b`. The
//! term `t` is read off a refutation that uses the mixed lemma: the lemma by which `a <= b` follows
//! has a part before the cut, which says `a <= t`.
//!
//! Over the reals such a term exists whenever both sides together make the arguments equal. Over
//! the integers, if only a disjunction of several equalities follows, it may not exist; then there
//! is no answer. Arguments with finitely many values are compared with each of these.
//!
//! Paper: [YoMu05] separates mixed pairs by such terms, which they call interpolating.

use super::Obstacle;
use super::spans::{Side, Span, Spans};
use crate::context::{NativeSolver, Options};
use crate::purify::Purifier;
use crate::refutation::{Inference, ProofAtom, ProofLit, Refutation};
use crate::theory::arith::Inequality;
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_base::{Budget, Int, Rat};
use sectile_proof::{Lemma, Rule};
use sectile_solver::{Answer, ModelView, Solver};
use sectile_terms::{Linear, Sort, Symbol, Term, Terms, Value};

/// Maximum number of rounds of looking for terms.
const ROUNDS: usize = 24;
/// Combinations of terms for the arguments of one function at one cut.
const COMBINATIONS: usize = 64;

/// Applications with equal arguments in a model, and their values.
type Row = Vec<(usize, Value)>;

/// Two applications of one function, by their numbers.
type Pair = (usize, usize);

/// Function-free blocks that contradict each other like the given ones.
pub(super) struct Separation<'t> {
    terms: &'t Terms,
    purifier: Purifier<'t>,
    /// The spans of the symbols of the given blocks.
    spans: Spans<'t>,
    cuts: u32,
    /// The blocks, with their congruence lemmas.
    pub blocks: Vec<Term>,
    /// Pairs whose congruence was added to a block.
    local: FxHashSet<Pair>,
    /// The mixed pairs of this round.
    mixed: Vec<Pair>,
}

/// Terms shared by both sides of a cut, for the arguments of the functions of mixed pairs.
type Separators = FxHashMap<(Pair, usize, u32), Vec<Term>>;

impl<'t> Separation<'t> {
    /// Separates the blocks, which are unsatisfiable.
    pub fn new(
        terms: &'t Terms,
        blocks: &[Term],
        budget: &Budget,
    ) -> Result<Separation<'t>, Obstacle> {
        let mut purifier = Purifier::new(terms);
        let pure = blocks.iter().map(|&b| purifier.pure(b)).collect();
        let mut separation = Separation {
            terms,
            purifier,
            spans: Spans::new(terms, blocks),
            cuts: blocks.len().saturating_sub(1) as u32,
            blocks: pure,
            local: FxHashSet::default(),
            mixed: Vec::new(),
        };
        for _ in 0..ROUNDS {
            let refutation = separation.refute(budget)?;
            if separation.mixed.is_empty() {
                return Ok(separation);
            }
            let separators = separation.separators(&refutation);
            if !separation.add_applications(&separators) {
                return Err(Obstacle::Mixed);
            }
            separation.mixed.clear();
        }
        Err(Obstacle::TooLarge)
    }

    /// The term with the applications restored.
    pub fn real(&self, t: Term) -> Term {
        self.purifier.real(t)
    }

    /// Adds congruences, local ones first, until the formulas are unsatisfiable.
    fn refute(&mut self, budget: &Budget) -> Result<Refutation, Obstacle> {
        let options = Options { proofs: true };
        let mut solver = NativeSolver::with_options(self.terms, options);
        for &block in &self.blocks {
            solver.assert_partition(block);
        }
        loop {
            let broken = match solver.check(&[], budget)? {
                Answer::Unsat(_) => break,
                Answer::Unknown(_) => return Err(Obstacle::undecided(budget)),
                Answer::Sat(model) => self.broken(model)?,
            };
            let (local, mixed): (Vec<Pair>, Vec<Pair>) =
                broken.into_iter().partition(|&p| !self.span(p).is_mixed());
            let added = if local.is_empty() { &mixed } else { &local };
            if added.is_empty() {
                return Err(Obstacle::Undecided);
            }
            for &pair in added {
                let fact = self.purifier.congruence(pair);
                solver.assert_partition(fact);
                let span = self.span(pair);
                if span.is_mixed() {
                    self.mixed.push(pair);
                } else if self.local.insert(pair) {
                    let block = &mut self.blocks[(span.first as usize).min(self.cuts as usize)];
                    *block = self.terms.and2(*block, fact);
                }
            }
        }
        solver.refutation().ok_or(Obstacle::Undecided)
    }

    /// Pairs with equal arguments and different results in a model.
    fn broken(&self, model: &dyn ModelView) -> Result<Vec<Pair>, Obstacle> {
        let of = |t: Term| model.eval(self.terms, t).map_err(|_| Obstacle::Undecided);
        let mut rows: FxHashMap<(Symbol, Vec<Value>), Row> = FxHashMap::default();
        let mut broken = Vec::new();
        for (k, application) in self.purifier.applications.iter().enumerate() {
            let arguments = application.arguments.iter().map(|&a| of(a));
            let arguments: Vec<Value> = arguments.collect::<Result<_, _>>()?;
            let result = of(application.variable)?;
            let row = rows.entry((application.function, arguments)).or_default();
            let others = row.iter().filter(|(_, other)| *other != result);
            broken.extend(others.map(|(other, _)| (*other, k)));
            row.push((k, result));
        }
        broken.retain(|p| !self.local.contains(p) && !self.mixed.contains(p));
        Ok(broken)
    }

    /// The span of a function-free term: that of the original term.
    fn span_of(&mut self, t: Term) -> Span {
        let real = self.purifier.real(t);
        self.spans.term(real)
    }

    /// The span of the congruence lemma of a pair.
    fn span(&mut self, (s, t): Pair) -> Span {
        let [s, t] = [s, t].map(|k| self.purifier.applications[k].variable);
        self.span_of(s).join(self.span_of(t))
    }

    /// Adds applications of functions to shared terms. Returns whether there are new ones.
    fn add_applications(&mut self, separators: &Separators) -> bool {
        let mut added = false;
        for pair in self.mixed.clone() {
            let span = self.span(pair);
            let function = self.purifier.applications[pair.0].function;
            for cut in span.last..span.first.min(self.cuts) {
                let known = self.terms.var(function);
                if self.spans.term(known).side(cut) != Side::Shared {
                    continue;
                }
                for arguments in self.combinations(pair, cut, separators) {
                    added |= self.purifier.apply(function, &arguments);
                }
            }
        }
        added
    }

    /// Lists of arguments shared by both sides of a cut.
    fn combinations(&mut self, pair: Pair, cut: u32, separators: &Separators) -> Vec<Vec<Term>> {
        let mut lists: Vec<Vec<Term>> = vec![Vec::new()];
        for k in 0..self.purifier.applications[pair.0].arguments.len() {
            let mut choices = self.shared_values(pair, k, cut);
            choices.extend(separators.get(&(pair, k, cut)).into_iter().flatten());
            let mut seen = FxHashSet::default();
            choices.retain(|&t| seen.insert(t));
            let longer = lists.iter().flat_map(|list| {
                let extended = |&t: &Term| list.iter().copied().chain([t]).collect();
                choices.iter().map(extended)
            });
            lists = longer.take(COMBINATIONS).collect();
        }
        lists
    }

    /// Values that can be compared with an argument of either application without a proof.
    fn shared_values(&mut self, (s, t): Pair, k: usize, cut: u32) -> Vec<Term> {
        let own = [s, t].map(|n| self.purifier.applications[n].arguments[k]);
        let sort = self.terms.sort(own[0]);
        if let Some(count) = sort.cardinality(self.terms) {
            let values = (0..count).filter_map(|n| sort.nth_value(self.terms, n));
            return values.map(|v| v.to_term(self.terms)).collect();
        }
        let shared = own.into_iter();
        shared
            .filter(|&a| self.span_of(a).side(cut) == Side::Shared)
            .collect()
    }

    /// Terms between the arguments of mixed pairs, from the lemmas by which these are compared.
    fn separators(&mut self, refutation: &Refutation) -> Separators {
        let variables: Vec<Term> = refutation.variables.to_vec();
        let variables: Vec<Span> = variables.into_iter().map(|v| self.span_of(v)).collect();
        let mut found = Separators::default();
        for step in &refutation.steps {
            if let Inference::Lemma(lemma) = &step.inference
                && lemma.rule == Rule::Farkas
            {
                for cut in 0..self.cuts {
                    if let Some(sum) = before(refutation, &variables, lemma, &step.clause, cut) {
                        self.compare(&sum, cut, &mut found);
                    }
                }
            }
        }
        found
    }

    /// Uses a non-positive sum as a comparison of arguments of mixed pairs at a cut.
    fn compare(&mut self, sum: &Linear, cut: u32, found: &mut Separators) {
        for pair in self.mixed.clone() {
            let count = self.purifier.applications[pair.0].arguments.len();
            for (application, k) in [pair.0, pair.1]
                .into_iter()
                .flat_map(|a| (0..count).map(move |k| (a, k)))
            {
                let argument = self.purifier.applications[application].arguments[k];
                if self.terms.sort(argument).is_numeric()
                    && self.span_of(argument).side(cut) == Side::Before
                    && let Some(t) = self.bound(argument, sum, cut)
                {
                    found.entry((pair, k, cut)).or_default().push(t);
                }
            }
        }
    }

    /// The term with which a non-positive sum compares an argument: the rest of the sum, if both
    /// sides of the cut know it.
    fn bound(&mut self, argument: Term, sum: &Linear, cut: u32) -> Option<Term> {
        let own = self.terms.linear(argument);
        let mut leaves = own.monomials().iter();
        let (leaf, c) = leaves.find(|(t, _)| self.span_of(*t).side(cut) == Side::Before)?;
        let factor = &sum.coefficient(*leaf) / c;
        if factor.is_zero() {
            return None;
        }
        let mut rest = own.clone();
        rest.add_scaled(sum, &-(Rat::ONE / &factor));
        let mut leaves = rest.monomials().iter();
        if !leaves.all(|(t, _)| self.span_of(*t).side(cut) == Side::Shared) {
            return None;
        }
        let sort = self.terms.sort(argument);
        if sort == Sort::Real {
            return Some(self.terms.sum(rest, sort));
        }
        let sorts = rest.monomials().iter().map(|(t, _)| self.terms.sort(*t));
        if sorts.into_iter().any(|s| s != Sort::Int) {
            return None;
        }
        let divisor = denominator(&rest);
        rest.scale(&Rat::from(&divisor));
        Some(self.terms.div(self.terms.sum(rest, sort), &divisor))
    }
}

/// The smallest number by which a sum must be multiplied to have integer coefficients.
fn denominator(sum: &Linear) -> Int {
    let numbers = sum.monomials().iter().map(|(_, c)| c);
    let numbers = numbers.chain([sum.constant()]);
    numbers.fold(Int::ONE, |lcm, c| lcm.lcm(&c.denom()))
}

/// The part of a lemma before a cut, as a non-positive sum. Only for lemmas with one mixed literal.
fn before(
    refutation: &Refutation,
    variables: &[Span],
    lemma: &Lemma,
    clause: &[ProofLit],
    cut: u32,
) -> Option<Linear> {
    let side = |lit: &ProofLit| -> Option<Side> {
        let ProofAtom::Bound { sum, .. } = &refutation.atoms[lit.atom as usize] else {
            return None;
        };
        let spans = sum.iter().map(|(v, _)| variables[*v as usize]);
        spans.reduce(Span::join).map(|span| span.side(cut))
    };
    let sides: Vec<Side> = clause.iter().map(side).collect::<Option<_>>()?;
    if sides.iter().filter(|s| **s == Side::Mixed).count() != 1 {
        return None;
    }
    let mut total = Inequality::default();
    for ((lit, side), weight) in clause.iter().zip(sides).zip(&lemma.numbers) {
        if side == Side::Before {
            total.add(&Inequality::negated(refutation, *lit)?, weight);
        }
    }
    let monomials = total.sum.monomials().iter();
    let monomials = monomials.map(|(v, c)| (refutation.variables[*v as usize], c.clone()));
    Some(Linear::from_monomials(
        total.sum.constant().clone(),
        monomials.collect(),
    ))
}
