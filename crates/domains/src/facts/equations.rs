//! Linear equations, bounds and parities at the locations of a program.
//!
//! Linear equations between numbers are found by symbolic abstraction: a step that leaves what is
//! known about its target gives a new point, and the affine hull of the points says what is known
//! then. Bounds of single numbers and of differences, guessed from the constants of the
//! program, and parities are thrown away when a step leaves them. What is left is inductive.
//!
//! Papers: [Karr76] the equations; [ReSaYo04] abstraction by models; [FlLe01] guessing and
//! throwing away.

use crate::facts::affine::AffineHull;
use sectile_base::{Budget, Int, Rat};
use sectile_engine::{EngineError, PathFormulas, Run};
use sectile_solver::{Answer, ModelView, Solver};
use sectile_terms::{Linear, Node, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use std::collections::BTreeSet;

/// More numbers than this are not compared with each other.
const MOST_COMPARED: usize = 10;
/// More constants than this are not tried as bounds of one number.
const MOST_BOUNDS: usize = 12;

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
    formulas: &'g PathFormulas<'g>,
    terms: &'g Terms,
    solvers: Vec<Box<dyn Solver + 'g>>,
    start: Box<dyn Solver + 'g>,
    numbers: Vec<Symbol>,
}

impl<'g> Finder<'g> {
    fn new(formulas: &'g PathFormulas<'g>, run: &Run<'_>) -> Result<Finder<'g>, EngineError> {
        let terms = formulas.terms();
        let graph = formulas.graph();
        let mut solvers = Vec::new();
        for edge in 0..graph.edges.len() {
            let mut solver = run.backend.solver(terms)?;
            solver.assert(formulas.step(edge))?;
            solvers.push(solver);
        }
        let mut start = run.backend.solver(terms)?;
        start.assert(formulas.init())?;
        let all = graph.variables.iter().chain(&graph.rigid).copied();
        let numbers = all.filter(|&s| terms.symbol_sort(s) == Sort::Int).collect();
        Ok(Finder {
            formulas,
            terms,
            solvers,
            start,
            numbers,
        })
    }

    /// Paper: [Karr76], with the best abstraction of every block instead of transfer functions.
    fn equations(&mut self, budget: &Budget) -> Result<Option<Vec<Term>>, EngineError> {
        let graph = self.formulas.graph();
        let mut hulls: Vec<Option<AffineHull>> = vec![None; graph.locations.len()];
        let mut known = vec![self.terms.ff(); graph.locations.len()];
        let mut changed = true;
        while changed {
            changed = false;
            // The start is an edge into the entry from nowhere.
            for edge in 0..=graph.edges.len() {
                loop {
                    let target = graph.edges.get(edge).map_or(graph.entry, |e| e.to).0;
                    let before = graph.edges.get(edge).map(|e| known[e.from.0]);
                    let found = self.point_outside(edge, before, known[target], budget)?;
                    let point = match found {
                        Outside::Point(point) => point,
                        Outside::Nothing => break,
                        Outside::Unknown => return Ok(None),
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

    /// A state behind an edge that is not known to be possible there.
    fn point_outside(
        &mut self,
        edge: usize,
        before: Option<Term>,
        after: Term,
        budget: &Budget,
    ) -> Result<Outside, EngineError> {
        let terms = self.terms;
        let stage = before.map_or(Stage::Now, |_| Stage::Next);
        let mut assumptions: Vec<Term> = before.into_iter().collect();
        if before == Some(terms.ff()) {
            return Ok(Outside::Nothing);
        }
        assumptions.push(match stage {
            Stage::Next => terms.not(terms.prime(after)),
            _ => terms.not(after),
        });
        let numbers = self.numbers.clone();
        Ok(match self.solver(edge).check(&assumptions, budget)? {
            Answer::Unsat(_) => Outside::Nothing,
            Answer::Unknown(_) => Outside::Unknown,
            Answer::Sat(model) => {
                let value = |symbol: Symbol| {
                    let value = value_at(terms, model, symbol, stage);
                    value.and_then(|v| v.as_rat()).unwrap_or(Rat::ZERO)
                };
                Outside::Point(numbers.into_iter().map(value).collect())
            }
        })
    }

    fn solver(&mut self, edge: usize) -> &mut Box<dyn Solver + 'g> {
        match self.solvers.get_mut(edge) {
            Some(solver) => solver,
            None => &mut self.start,
        }
    }

    fn hull_formula(&self, hull: Option<&AffineHull>) -> Term {
        let terms = self.terms;
        let Some(hull) = hull else {
            return terms.ff();
        };
        let equation = |e: crate::facts::affine::Equation| {
            let pairs = self.numbers.iter().zip(&e.coefficients);
            let monomials = pairs.map(|(&s, c)| (terms.var(s), c.clone())).collect();
            let sum = Linear::from_monomials(-&e.constant, monomials);
            terms.eq_zero(terms.sum(integral(sum), Sort::Int))
        };
        terms.and(hull.equations().into_iter().map(equation))
    }

    /// Paper: [FlLe01]. Candidates that a step leaves are thrown away until no step does.
    fn bounds(
        &mut self,
        equations: &[Term],
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, EngineError> {
        let terms = self.terms;
        let graph = self.formulas.graph();
        let all = self.candidates();
        let mut left: Vec<Vec<Term>> = vec![all; graph.locations.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for edge in 0..=graph.edges.len() {
                let target = graph.edges.get(edge).map_or(graph.entry, |e| e.to).0;
                let before = graph.edges.get(edge).map(|e| {
                    let bounds = left[e.from.0].iter().copied();
                    terms.and(bounds.chain([equations[e.from.0]]))
                });
                let dropped = self.drop_left(edge, before, &mut left[target], budget)?;
                match dropped {
                    None => return Ok(None),
                    Some(dropped) => changed |= dropped,
                }
            }
        }
        Ok(Some(left.into_iter().map(|list| terms.and(list)).collect()))
    }

    /// Throws away what an edge leaves; whether that was anything.
    fn drop_left(
        &mut self,
        edge: usize,
        before: Option<Term>,
        bounds: &mut Vec<Term>,
        budget: &Budget,
    ) -> Result<Option<bool>, EngineError> {
        let terms = self.terms;
        let mut dropped = false;
        loop {
            let stage = before.map_or(Stage::Now, |_| Stage::Next);
            let after = terms.and(bounds.iter().copied());
            let leaves = match stage {
                Stage::Next => terms.not(terms.prime(after)),
                _ => terms.not(after),
            };
            let assumptions: Vec<Term> = before.into_iter().chain([leaves]).collect();
            let count = bounds.len();
            match self.solver(edge).check(&assumptions, budget)? {
                Answer::Unsat(_) => return Ok(Some(dropped)),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat(model) => {
                    let value = |symbol: Symbol, _: Stage| value_at(terms, model, symbol, stage);
                    bounds.retain(|&b| evaluate(terms, b, &value) == Ok(Value::Bool(true)));
                }
            }
            if bounds.len() == count {
                return Ok(None);
            }
            dropped = true;
        }
    }

    fn candidates(&self) -> Vec<Term> {
        let terms = self.terms;
        let constants = self.constants();
        let mut list = Vec::new();
        for (&symbol, bounds) in self.numbers.iter().zip(constants) {
            let v = terms.var(symbol);
            let odd = terms.sub(v, terms.int(1));
            list.extend([v, odd].map(|t| terms.divides(&Int::from(2), t)));
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
        let graph = self.formulas.graph();
        let flags = graph
            .variables
            .iter()
            .filter(|&&s| terms.symbol_sort(s) == Sort::Bool);
        list.extend(flags.flat_map(|&s| [terms.var(s), terms.not(terms.var(s))]));
        list
    }

    /// Constants that each number is compared with or set to, and zero.
    fn constants(&self) -> Vec<BTreeSet<Rat>> {
        let terms = self.terms;
        let graph = self.formulas.graph();
        let mut roots = vec![self.formulas.init()];
        roots.extend((0..graph.edges.len()).map(|e| self.formulas.step(e)));
        let mut found: Vec<BTreeSet<Rat>> =
            vec![BTreeSet::from([Rat::ZERO, Rat::ONE]); self.numbers.len()];
        for t in terms.post_order(&roots) {
            let (Node::Zero(sum) | Node::NonPos(sum)) = terms.node(t) else {
                continue;
            };
            let linear = terms.linear(*sum);
            let [(variable, factor)] = linear.monomials() else {
                continue;
            };
            let Node::Var(symbol, _) = terms.node(*variable) else {
                continue;
            };
            let Some(i) = self.numbers.iter().position(|s| s == symbol) else {
                continue;
            };
            let bound = -&(linear.constant() / factor);
            if found[i].len() < MOST_BOUNDS && bound.is_int() {
                found[i].extend([&bound - &Rat::ONE, bound.clone(), &bound + &Rat::ONE]);
            }
        }
        found
    }
}

/// The value of a variable at one end of a step; constants have the same at both ends.
fn value_at(terms: &Terms, model: &dyn ModelView, symbol: Symbol, stage: Stage) -> Option<Value> {
    let rigid = terms.symbol_kind(symbol) == SymbolKind::Rigid;
    let stage = if rigid { Stage::Now } else { stage };
    let known = model.value(symbol, stage);
    known.or_else(|| Some(Value::some_of(terms, terms.symbol_sort(symbol))))
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

enum Outside {
    Point(Vec<Rat>),
    Nothing,
    Unknown,
}
