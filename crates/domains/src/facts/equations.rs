//! Linear equations, bounds and remainders at the locations of a program.
//!
//! Linear equations between numbers are found by symbolic abstraction: a step that leaves what is
//! known about its target gives a new point, and the affine hull of the points says what is known
//! then. Bounds and remainders of single numbers and of differences, guessed from the constants
//! of the program, are thrown away when a step leaves them. What is left is inductive.
//!
//! Papers: [Karr76] for the equations; [ReSaYo04] for abstraction by models; [FlLe01] for dropping
//! candidates.

use crate::facts::affine::{AffineHull, Equation};
use crate::facts::remainders::Remainders;
use crate::facts::steps::Steps;
use sectile_base::{Budget, Int, Rat};
use sectile_engine::{EngineError, Guess, PathFormulas, Run, Settled, drop_falsified, remembered};
use sectile_solver::{Answer, scoped};
use sectile_terms::{Linear, Node, Sort, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// Maximum number of numbers that are compared with each other.
const MOST_COMPARED: usize = 10;
/// Maximum number of constants tried as bounds of one number.
const MOST_BOUNDS: usize = 12;
/// More remainders than this are not tried for one divisor of one number.
const MOST_REMAINDERS: usize = 6;

/// A formula for every location, together inductive; `true` everywhere if the budget runs out.
pub fn equations_and_bounds(
    formulas: &PathFormulas<'_>,
    budget: &Budget,
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let terms = formulas.terms();
    let nothing = vec![terms.tt(); formulas.graph().locations.len()];
    let mut finder = Finder::new(formulas, run)?;
    let Some(equations) = finder.equations(budget)? else {
        return Ok(nothing);
    };
    let Some(bounds) = finder.bounds(&equations, budget)? else {
        return Ok(equations);
    };
    let both = equations.iter().zip(&bounds);
    Ok(both.map(|(&e, &b)| terms.and2(e, b)).collect())
}

struct Finder<'g> {
    steps: Steps<'g>,
    terms: &'g Terms,
    numbers: Vec<Symbol>,
}

impl<'g> Finder<'g> {
    fn new(formulas: &'g PathFormulas<'g>, run: &Run<'_>) -> Result<Finder<'g>, EngineError> {
        let terms = formulas.terms();
        let graph = formulas.graph();
        let all = graph.variables.iter().chain(&graph.rigid).copied();
        Ok(Finder {
            steps: Steps::new(formulas, run)?,
            terms,
            numbers: all.filter(|&s| terms.symbol_sort(s) == Sort::Int).collect(),
        })
    }

    /// Paper: [Karr76], with the best abstraction of every block instead of transfer functions.
    fn equations(&mut self, budget: &Budget) -> Result<Option<Vec<Term>>, EngineError> {
        let terms = self.terms;
        let locations = self.steps.formulas.graph().locations.len();
        let mut hulls: Vec<Option<AffineHull>> = vec![None; locations];
        let mut known = vec![terms.ff(); locations];
        let mut changed = true;
        while changed {
            changed = false;
            for edge in 0..self.steps.solvers.len() {
                let target = self.steps.target(edge);
                loop {
                    let before = self.steps.source(edge).map(|l| known[l]);
                    if before == Some(terms.ff()) {
                        break;
                    }
                    let state = self.numbers.iter().map(|&s| terms.var(s));
                    let state = state.map(|v| self.steps.behind(edge, v));
                    let state: Vec<Term> = state.collect();
                    let found = self.steps.outside(edge, before, known[target], budget)?;
                    let point: Vec<Rat> = match found {
                        Answer::Unsat(_) => break,
                        Answer::Unknown(_) => return Ok(None),
                        Answer::Sat(model) => {
                            let number = |&t: &Term| model.eval(terms, t).ok()?.as_rat();
                            state
                                .iter()
                                .map(|t| number(t).unwrap_or(Rat::ZERO))
                                .collect()
                        }
                    };
                    match &mut hulls[target] {
                        Some(hull) => {
                            if !hull.add(&point) {
                                return Ok(None);
                            }
                        }
                        empty => *empty = Some(AffineHull::new(point)),
                    }
                    known[target] = self.hull_formula(hulls[target].as_ref());
                    changed = true;
                }
            }
        }
        Ok(Some(known))
    }

    fn hull_formula(&self, hull: Option<&AffineHull>) -> Term {
        let terms = self.terms;
        let Some(hull) = hull else {
            return terms.ff();
        };
        let equation = |e: Equation| {
            let pairs = self.numbers.iter().zip(&e.coefficients);
            let monomials = pairs.map(|(&s, c)| (terms.var(s), c.clone())).collect();
            let sum = Linear::from_monomials(-&e.constant, monomials);
            terms.eq_zero(terms.sum(integral(sum), Sort::Int))
        };
        terms.and(hull.equations().into_iter().map(equation))
    }

    /// Paper: [FlLe01]. Candidates that a step leaves are dropped until no step does.
    fn bounds(
        &mut self,
        equations: &[Term],
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, EngineError> {
        let terms = self.terms;
        let guesses = || self.candidates().into_iter().map(Guess::alone).collect();
        let mut left: Vec<Vec<Guess>> = equations.iter().map(|_| guesses()).collect();
        let primed = remembered(|t| terms.prime(t));
        let mut changed = true;
        while changed {
            changed = false;
            for edge in 0..self.steps.solvers.len() {
                let mut known = Vec::new();
                if let Some(from) = self.steps.source(edge) {
                    known.push(equations[from]);
                    known.extend(left[from].iter().map(|g| g.claim));
                }
                let here = &mut left[self.steps.target(edge)];
                let is_start = self.steps.source(edge).is_none();
                let behind = |t: Term| if is_start { t } else { primed(t) };
                let settled = scoped(self.steps.solvers[edge].as_mut(), |solver| {
                    known.iter().try_for_each(|&t| solver.assert(t))?;
                    drop_falsified(terms, here, &behind, solver, budget)
                })?;
                match settled {
                    Settled::No => return Ok(None),
                    Settled::AllHold => {}
                    Settled::SomeDropped => changed = true,
                }
            }
        }
        let all = |list: Vec<Guess>| terms.and(list.into_iter().map(|g| g.claim));
        Ok(Some(left.into_iter().map(all).collect()))
    }

    fn candidates(&self) -> Vec<Term> {
        let terms = self.terms;
        let constants = self.constants();
        let mut list = self.remainders(&constants);
        for (&symbol, bounds) in self.numbers.iter().zip(constants) {
            let v = terms.var(symbol);
            for c in bounds {
                let c = terms.number(c, Sort::Int);
                list.extend([terms.le(v, c), terms.ge(v, c)]);
            }
        }
        if self.numbers.len() <= MOST_COMPARED {
            for &a in &self.numbers {
                for &b in self.numbers.iter().filter(|&&b| b != a) {
                    let difference = terms.sub(terms.var(a), terms.var(b));
                    let most = |c: i64| terms.le(difference, terms.int(c));
                    list.extend([most(-1), most(0), most(1)]);
                }
            }
        }
        let graph = self.steps.formulas.graph();
        let flags = graph
            .variables
            .iter()
            .filter(|&&s| terms.symbol_sort(s) == Sort::Bool);
        list.extend(flags.flat_map(|&s| [terms.var(s), terms.not(terms.var(s))]));
        list
    }

    /// All steps and the start.
    fn roots(&self) -> Vec<Term> {
        let steps = 0..self.steps.solvers.len();
        steps.map(|e| self.steps.formula(e)).collect()
    }

    /// The parity of every number, and what is left over when numbers and differences are divided by
    /// what the program divides by, and numbers by what is added to them.
    fn remainders(&self, constants: &[BTreeSet<Rat>]) -> Vec<Term> {
        let terms = self.terms;
        let by = Remainders::of(terms, &self.roots());
        let mut list = Vec::new();
        for (&symbol, constants) in self.numbers.iter().zip(constants) {
            for divisor in by.divisors(symbol) {
                let left = |c: &Rat| c.numer().rem_euclid(&divisor);
                let left: BTreeSet<Int> = constants.iter().map(left).collect();
                list.extend(left.into_iter().take(MOST_REMAINDERS).map(|left| {
                    let rest =
                        terms.sub(terms.var(symbol), terms.number(Rat::from(left), Sort::Int));
                    terms.divides(&divisor, rest)
                }));
            }
        }
        if self.numbers.len() <= MOST_COMPARED {
            for (i, &a) in self.numbers.iter().enumerate() {
                for &b in &self.numbers[..i] {
                    let difference = terms.sub(terms.var(a), terms.var(b));
                    list.extend(by.all.iter().map(|m| terms.divides(m, difference)));
                }
            }
        }
        list
    }

    /// Constants that each number is compared with or set to, and zero.
    fn constants(&self) -> Vec<BTreeSet<Rat>> {
        let terms = self.terms;
        let roots = self.roots();
        let mut found: Vec<BTreeSet<Rat>> =
            vec![BTreeSet::from([Rat::ZERO, Rat::ONE]); self.numbers.len()];
        for t in terms.post_order(&roots) {
            let (Node::Zero(sum) | Node::NonPos(sum)) = terms.node(t) else {
                continue;
            };
            let linear = terms.linear(*sum);
            let (variable, factor, constant) = match linear.monomials() {
                [(variable, factor)] => (variable, factor, linear.constant().clone()),
                // What is set to a remainder is smaller than the divisor.
                [(a, factor), (b, other)] if factor == &-other => {
                    match (terms.node(*a), terms.node(*b)) {
                        (_, Node::Mod(_, m)) => (
                            a,
                            factor,
                            linear.constant() + &(other * &Rat::from(m.clone())),
                        ),
                        (Node::Mod(_, m), _) => (
                            b,
                            other,
                            linear.constant() + &(factor * &Rat::from(m.clone())),
                        ),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let Node::Var(symbol, _) = terms.node(*variable) else {
                continue;
            };
            let Some(i) = self.numbers.iter().position(|s| s == symbol) else {
                continue;
            };
            let bound = -&(&constant / factor);
            if found[i].len() < MOST_BOUNDS && bound.is_int() {
                found[i].extend([&bound - &Rat::ONE, bound.clone(), &bound + &Rat::ONE]);
            }
        }
        found
    }
}

/// The same equation with integer coefficients.
fn integral(mut sum: Linear) -> Linear {
    let parts = sum.monomials().iter().map(|m| &m.1).chain([sum.constant()]);
    let scale = parts.fold(Rat::ONE, |scale, c| {
        let denominator = Rat::from((&scale * c).denom());
        &scale * &denominator
    });
    sum.scale(&scale);
    sum
}
