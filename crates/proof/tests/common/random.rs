//! Random formulas, and what the native solver says about them.

use super::variable;
use sectile_base::{Budget, Int, Rat, Rng};
use sectile_proof::Refutation;
use sectile_solver::{Answer, Solver};
use sectile_solver_native::{NativeSolver, Options};
use sectile_terms::{EnumId, Sort, Term, Terms};

/// What was asked and the refutation.
pub struct Case {
    pub assertions: Vec<Term>,
    pub assumptions: Vec<Term>,
    pub refutation: Refutation,
}

/// Asks the solver, which holds the given assertions.
pub fn check(
    solver: &mut NativeSolver<'_>,
    assertions: &[Term],
    assumptions: &[Term],
) -> Option<Case> {
    let budget = Budget::unlimited().with_steps(200_000);
    let Answer::Unsat(_) = solver.check(assumptions, &budget).unwrap() else {
        return None;
    };
    Some(Case {
        assertions: assertions.to_vec(),
        assumptions: assumptions.to_vec(),
        refutation: solver.refutation().unwrap(),
    })
}

/// The refutation of the given formulas, if the solver says that they are unsatisfiable.
pub fn refute(terms: &Terms, assertions: &[Term], assumptions: &[Term]) -> Option<Case> {
    let mut solver = NativeSolver::with_options(terms, Options { proofs: true });
    for &a in assertions {
        solver.assert(a).unwrap();
    }
    check(&mut solver, assertions, assumptions)
}

/// Draws formulas over a few variables of every sort.
pub struct Formulas<'t> {
    pub terms: &'t Terms,
    pub rng: Rng,
    pub enumerations: bool,
    booleans: Vec<Term>,
    integers: Vec<Term>,
    reals: Vec<Term>,
    colours: Vec<Term>,
    colour: EnumId,
}

impl<'t> Formulas<'t> {
    pub fn new(terms: &'t Terms, seed: u64) -> Formulas<'t> {
        let colour = terms.declare_enum("Colour", &["red", "green", "blue"].map(String::from));
        let all = |names: [&str; 3], sort| names.map(|n| variable(terms, n, sort)).to_vec();
        Formulas {
            terms,
            rng: Rng::new(seed),
            enumerations: true,
            booleans: all(["p", "q", "r"], Sort::Bool),
            integers: all(["x", "y", "z"], Sort::Int),
            reals: all(["u", "v", "w"], Sort::Real),
            colours: all(["c", "d", "e"], Sort::Enum(colour)),
            colour,
        }
    }

    fn pick(&mut self, list: &[Term]) -> Term {
        *self.rng.pick(list).unwrap()
    }

    fn colour(&mut self, depth: u32) -> Term {
        match self.rng.below(if depth == 0 { 3 } else { 4 }) {
            0 => {
                let k = self.rng.below(3) as u32;
                self.terms.variant(self.colour, k)
            }
            3 => {
                let c = self.formula(depth - 1);
                let (a, b) = (self.colour(depth - 1), self.colour(depth - 1));
                self.terms.ite(c, a, b)
            }
            _ => self.pick(&self.colours.clone()),
        }
    }

    fn number(&mut self, sort: Sort, depth: u32) -> Term {
        let terms = self.terms;
        let variables = match sort {
            Sort::Int => self.integers.clone(),
            _ => self.reals.clone(),
        };
        if depth == 0 {
            let leaf = self.pick(&variables);
            let factor = Rat::from(self.rng.range(-4..=4));
            let constant = terms.number(Rat::from(self.rng.range(-6..=6)), sort);
            return terms.add(terms.scale(leaf, &factor), constant);
        }
        let a = self.number(sort, depth - 1);
        let divisor = Int::from(self.rng.range(2..=5));
        match (self.rng.below(9), sort) {
            (0, Sort::Int) => terms.div(a, &divisor),
            (1, Sort::Int) => terms.modulo(a, &divisor),
            (0, _) => terms.to_real(self.number(Sort::Int, depth - 1)),
            (1, _) => terms.scale(a, &Rat::new(Int::ONE, divisor)),
            (2, Sort::Int) => terms.floor(self.number(Sort::Real, depth - 1)),
            (2 | 3, _) => terms.abs(a),
            (4, _) => terms.min(a, self.number(sort, depth - 1)),
            (5, _) => terms.max(a, self.number(sort, depth - 1)),
            (6, _) => {
                let c = self.formula(depth - 1);
                terms.ite(c, a, self.number(sort, depth - 1))
            }
            _ => terms.add(a, self.number(sort, depth - 1)),
        }
    }

    pub fn formula(&mut self, depth: u32) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return self.comparison(0);
        }
        let mut part = || self.formula(depth - 1);
        let (a, b, c) = (part(), part(), part());
        match self.rng.below(8) {
            0 | 1 => terms.and([a, b, c]),
            2 | 3 => terms.or([a, b, c]),
            4 => terms.iff(a, b),
            5 => terms.ite(a, b, c),
            6 => terms.not(a),
            _ => self.comparison(depth),
        }
    }

    fn comparison(&mut self, depth: u32) -> Term {
        let terms = self.terms;
        let depth = depth.min(2);
        let sort = match self.rng.below(8) {
            0 => {
                let p = self.pick(&self.booleans.clone());
                return if self.rng.chance(1, 2) {
                    p
                } else {
                    terms.not(p)
                };
            }
            1 if self.enumerations => {
                let (a, b) = (self.colour(depth), self.colour(depth));
                return terms.eq(a, b);
            }
            1..=5 => Sort::Int,
            _ => Sort::Real,
        };
        let (a, b) = (self.number(sort, depth), self.number(sort, depth));
        match self.rng.below(4) {
            0 => terms.eq(a, b),
            1 => terms.lt(a, b),
            2 => terms.neq(a, b),
            _ => terms.le(a, b),
        }
    }

    /// A few formulas that are likely to contradict each other, asserted or assumed.
    pub fn case(&mut self) -> Option<Case> {
        let depth = self.rng.range(0..=2) as u32;
        let mut list = || -> Vec<Term> {
            let count = 1 + self.rng.below(if depth == 0 { 8 } else { 5 });
            (0..count).map(|_| self.formula(depth)).collect()
        };
        let assertions = list();
        let assumptions = list();
        refute(self.terms, &assertions, &assumptions)
    }
}
