//! Convex pieces of the states after a step: the states with the same implicant as a model.

use crate::domain::Domain;
use crate::linear::{Constraint, Numbers, Relation};
use crate::poly::Poly;
use sectile_base::{Int, Rat};
use sectile_engine::EngineError;
use sectile_solver::ModelView;
use sectile_solver_native::project::implicant;
use sectile_terms::{Linear, Node, Sort, Stage, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// The numbers of a program that are the coordinates of polyhedra, in order.
pub struct Coordinates<'t> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The variables and constants, all of one sort.
    pub numbers: Vec<Symbol>,
    /// Their sort: integers or reals.
    pub sort: Sort,
}

impl Coordinates<'_> {
    /// The range of the coordinates.
    pub fn domain(&self) -> Numbers {
        match self.sort {
            Sort::Int => Numbers::Integers,
            _ => Numbers::Reals,
        }
    }

    /// A constraint as a formula about the current state.
    pub fn formula(&self, constraint: &Constraint) -> Term {
        let terms = self.terms;
        let pairs = self.numbers.iter().zip(&constraint.coefficients);
        let monomials = pairs.filter(|(_, c)| !c.is_zero());
        let monomials = monomials.map(|(&s, c)| (terms.var(s), Rat::from(c)));
        let sum = Linear::from_monomials(-&Rat::from(&constraint.bound), monomials.collect());
        let sum = terms.sum(sum, self.sort);
        let zero = terms.number(Rat::ZERO, self.sort);
        match constraint.relation {
            Relation::Equal => terms.eq_zero(sum),
            Relation::AtMost => terms.le(sum, zero),
            Relation::Below => terms.lt(sum, zero),
        }
    }

    /// A literal about the current state as a constraint, if it only mentions these numbers.
    pub fn constraint(&self, literal: Term) -> Option<Constraint> {
        let mut columns = Columns::new(self, Stage::Now);
        let found = columns.constraint(literal, &|_| None)?;
        (columns.count == self.numbers.len()).then_some(found)
    }

    /// The states at a stage for which the formulas are true for the same reasons as in the model.
    /// None if the reasons are not linear.
    pub fn piece(
        &self,
        formulas: &[Term],
        stage: Stage,
        model: &dyn ModelView,
    ) -> Result<Poly, EngineError> {
        let terms = self.terms;
        let literals = implicant(terms, terms.and(formulas.iter().copied()), model)?;
        let mut columns = Columns::new(self, stage);
        let value = |t: Term| model.eval(terms, t).ok()?.as_rat();
        let parsed = literals
            .iter()
            .filter_map(|&l| columns.constraint(l, &value));
        let short: Vec<Constraint> = parsed.collect();
        let all = columns.count;
        let rows = short.into_iter();
        let rows = rows.map(|c| c.extended(all - c.coefficients.len()));
        let everything = || Poly::all(self.domain(), self.numbers.len());
        let whole = Poly::new(self.domain(), all, rows.collect());
        Ok(whole.map_or_else(everything, |p| p.projected(self.numbers.len())))
    }
}

/// Column numbers for the variables of literals: those of the requested stage first.
struct Columns<'c> {
    coordinates: &'c Coordinates<'c>,
    of: BTreeMap<Term, usize>,
    count: usize,
}

impl<'c> Columns<'c> {
    fn new(coordinates: &'c Coordinates<'c>, stage: Stage) -> Columns<'c> {
        let terms = coordinates.terms;
        let mut of = BTreeMap::new();
        for (i, &symbol) in coordinates.numbers.iter().enumerate() {
            let rigid = terms.symbol_kind(symbol) == SymbolKind::Rigid;
            let primed = stage == Stage::Next && !rigid;
            let at = if primed {
                terms.next(symbol)
            } else {
                terms.var(symbol)
            };
            of.insert(at, i);
        }
        Columns {
            coordinates,
            of,
            count: coordinates.numbers.len(),
        }
    }

    /// The constraint of a literal, over the columns so far. For a disequality, the side of the
    /// value is taken.
    fn constraint(
        &mut self,
        literal: Term,
        value: &dyn Fn(Term) -> Option<Rat>,
    ) -> Option<Constraint> {
        let terms = self.coordinates.terms;
        let (atom, negated) = terms.strip_not(literal);
        let (sum, relation, flipped) = match (terms.node(atom), negated) {
            (Node::NonPos(sum), false) => (*sum, Relation::AtMost, false),
            (Node::NonPos(sum), true) => (*sum, Relation::Below, true),
            (Node::Neg(sum), false) => (*sum, Relation::Below, false),
            (Node::Neg(sum), true) => (*sum, Relation::AtMost, true),
            (Node::Zero(sum), false) => (*sum, Relation::Equal, false),
            (Node::Zero(sum), true) => {
                let side = value(*sum)?;
                (*sum, Relation::Below, side.is_positive())
            }
            _ => return None,
        };
        if terms.sort(sum) != self.coordinates.sort {
            return None;
        }
        let mut linear = terms.linear(sum);
        if flipped {
            linear.scale(&Rat::MINUS_ONE);
        }
        let mut coefficients = vec![Rat::ZERO; self.count];
        for (leaf, factor) in linear.monomials() {
            let column = self.column(*leaf)?;
            coefficients.resize(self.count, Rat::ZERO);
            coefficients[column] = factor.clone();
        }
        let bound = -linear.constant();
        Some(Constraint::from_rationals(&coefficients, relation, &bound))
    }

    /// The column of a leaf; none for leaves that are not variables.
    fn column(&mut self, leaf: Term) -> Option<usize> {
        if let Some(&known) = self.of.get(&leaf) {
            return Some(known);
        }
        if !matches!(self.coordinates.terms.node(leaf), Node::Var(..)) {
            return None;
        }
        let fresh = self.count;
        self.of.insert(leaf, fresh);
        self.count += 1;
        Some(fresh)
    }
}

/// Whether the numbers of a constraint are too large to be useful. Programs have large bounds, such
/// as those of machine words; large factors result from combining many steps.
pub fn is_huge(constraint: &Constraint) -> bool {
    let (factor, bound) = (Int::from(1_i64 << 24), Int::from(1_i64 << 48));
    let mut factors = constraint.coefficients.iter();
    factors.any(|c| c.abs() > factor) || constraint.bound.abs() > bound
}
