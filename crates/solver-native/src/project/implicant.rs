//! Implicants: literals that explain why a formula is true in a model.

use super::constraint::{Constraint, Kind, combined, denominator, real_sum, scaled};
use super::values::{Values, unsupported};
use crate::purify::{PureModel, Purifier, has_functions};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_base::{Int, Rat};
use sectile_solver::{ModelView, SolverError};
use sectile_terms::{Linear, Node, Sort, Term, Terms};

/// Number of residues up to which a number is described by its residue.
const FEW_RESIDUES: i64 = 10;

/// Literals that are true in the model and together imply the formula.
///
/// For a disjunction one true part is kept, for a conditional the branch taken with its condition.
/// Numeric operators are resolved by the model: `abs`, `min` and `max` by a comparison, `div` and
/// `mod` by the residue with a divisibility literal, or by bounds if there are many residues. The
/// literals are therefore linear over variables (and over `floor` of reals), Boolean variables, and
/// equalities of enumerations. Applications of functions count as variables. It is an error if the
/// formula is not true in the model, or mentions arrays.
pub fn implicant(
    terms: &Terms,
    formula: Term,
    model: &dyn ModelView,
) -> Result<Vec<Term>, SolverError> {
    if !has_functions(terms, &[formula]) {
        return implicant_in(terms, &[formula], &mut Values::new(terms, model));
    }
    let mut purifier = Purifier::new(terms);
    let pure = purifier.pure(formula);
    let model = PureModel {
        purifier: &purifier,
        model,
    };
    let literals = implicant_in(terms, &[pure], &mut Values::new(terms, &model))?;
    Ok(literals.into_iter().map(|l| purifier.real(l)).collect())
}

/// The implicant of a conjunction.
pub(super) fn implicant_in(
    terms: &Terms,
    formulas: &[Term],
    values: &mut Values<'_>,
) -> Result<Vec<Term>, SolverError> {
    let mut walk = Walk {
        terms,
        values,
        queue: formulas.iter().rev().map(|&f| (f, true)).collect(),
        seen: FxHashSet::default(),
        literals: Vec::new(),
        kept: FxHashSet::default(),
        sums: FxHashMap::default(),
    };
    for &f in formulas {
        if !walk.values.truth(f)? {
            let what = "asked for an implicant under a model that does not satisfy the formula";
            return Err(SolverError::Broken(what.to_string()));
        }
    }
    while let Some((t, wanted)) = walk.queue.pop() {
        if walk.seen.insert((t, wanted)) {
            walk.formula(t, wanted)?;
        }
    }
    Ok(walk.literals)
}

struct Walk<'w, 'v> {
    terms: &'w Terms,
    values: &'w mut Values<'v>,
    /// Formulas still to be explained, with their values in the model.
    queue: Vec<(Term, bool)>,
    seen: FxHashSet<(Term, bool)>,
    literals: Vec<Term>,
    kept: FxHashSet<Term>,
    /// Numeric terms as sums over leaves, valid under the literals kept.
    sums: FxHashMap<Term, Linear>,
}

impl Walk<'_, '_> {
    fn formula(&mut self, t: Term, wanted: bool) -> Result<(), SolverError> {
        let terms = self.terms;
        match terms.node(t) {
            Node::Bool(_) => {}
            Node::Not(a) => self.queue.push((*a, !wanted)),
            Node::And(list) => self.junction(list, wanted, true)?,
            Node::Or(list) => self.junction(list, wanted, false)?,
            Node::Ite(c, a, b) => {
                let branch = self.branch(*c, *a, *b)?;
                self.queue.push((branch, wanted));
            }
            Node::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                for side in [*b, *a] {
                    let value = self.values.truth(side)?;
                    self.queue.push((side, value));
                }
            }
            Node::Eq(a, b) => {
                let (a, b) = (self.choice(*a)?, self.choice(*b)?);
                let atom = terms.eq(a, b);
                self.keep(if wanted { atom } else { terms.not(atom) });
            }
            Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => self.comparison(t, wanted)?,
            _ => self.keep(if wanted { t } else { terms.not(t) }),
        }
        Ok(())
    }

    fn keep(&mut self, literal: Term) {
        if self.terms.as_bool(literal) != Some(true) && self.kept.insert(literal) {
            self.literals.push(literal);
        }
    }

    /// A conjunction, or a disjunction if `unit` is false.
    fn junction(&mut self, list: &[Term], wanted: bool, unit: bool) -> Result<(), SolverError> {
        if wanted == unit {
            self.queue.extend(list.iter().rev().map(|&t| (t, wanted)));
            return Ok(());
        }
        let mut best: Option<(usize, Term)> = None;
        for &t in list {
            if self.values.truth(t)? != wanted {
                continue;
            }
            // A part that is already explained costs nothing; a literal costs less than a formula.
            let cost = match self.terms.node(self.terms.strip_not(t).0) {
                _ if self.is_explained(t, wanted) => 0,
                Node::And(inner) | Node::Or(inner) => 1 + inner.len(),
                Node::Ite(..) | Node::Eq(..) => 2,
                _ => 1,
            };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, t));
            }
        }
        let (_, chosen) = best.expect("a part gives the junction its value");
        self.queue.push((chosen, wanted));
        Ok(())
    }

    fn is_explained(&self, t: Term, wanted: bool) -> bool {
        let (atom, negated) = self.terms.strip_not(t);
        self.seen.contains(&(t, wanted)) || self.seen.contains(&(atom, wanted != negated))
    }

    /// The branch that a conditional takes; its condition is added to the queue.
    fn branch(&mut self, c: Term, a: Term, b: Term) -> Result<Term, SolverError> {
        let value = self.values.truth(c)?;
        self.queue.push((c, value));
        Ok(if value { a } else { b })
    }

    /// A term of an enumeration without conditionals.
    fn choice(&mut self, mut t: Term) -> Result<Term, SolverError> {
        while let Node::Ite(c, a, b) = *self.terms.node(t) {
            t = self.branch(c, a, b)?;
        }
        Ok(t)
    }

    fn comparison(&mut self, atom: Term, wanted: bool) -> Result<(), SolverError> {
        let terms = self.terms;
        let literal = if wanted { atom } else { terms.not(atom) };
        let parsed = Constraint::parse(terms, literal);
        let mut constraint = parsed.expect("comparisons are constraints");
        let mut sum = Linear::constant_only(constraint.sum.constant().clone());
        for (leaf, c) in constraint.sum.monomials() {
            sum.add_scaled(&self.sum(*leaf)?, c);
        }
        constraint.sum = sum;
        self.keep(constraint.literal(terms));
        Ok(())
    }

    /// A numeric term as a sum over leaves.
    fn sum(&mut self, root: Term) -> Result<Linear, SolverError> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.sums.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = |c: Term, stack: &mut Vec<Term>| {
                if !self.sums.contains_key(&c) {
                    stack.push(c);
                }
            };
            match *self.terms.node(t) {
                // Only the branch taken is resolved: the other one is irrelevant.
                Node::Ite(c, a, b) => {
                    let taken = if self.values.truth(c)? { a } else { b };
                    missing(taken, &mut stack);
                }
                ref node => node.for_each_child(|c| missing(c, &mut stack)),
            }
            if stack.len() == before {
                let sum = self.operator(t)?;
                self.sums.insert(t, sum);
                stack.pop();
            }
        }
        Ok(self.sums[&root].clone())
    }

    /// The sum of an operator, given those of its arguments.
    fn operator(&mut self, t: Term) -> Result<Linear, SolverError> {
        let terms = self.terms;
        Ok(match terms.node(t) {
            Node::Number(value) => Linear::constant_only(value.clone()),
            Node::Var(..) => Linear::term(t),
            Node::Sum(linear) => {
                let mut sum = Linear::constant_only(linear.constant().clone());
                for (leaf, c) in linear.monomials() {
                    sum.add_scaled(&self.sums[leaf], c);
                }
                sum
            }
            Node::Ite(c, a, b) => {
                let taken = self.branch(*c, *a, *b)?;
                self.sums[&taken].clone()
            }
            Node::Abs(a) => {
                let sum = self.sums[a].clone();
                let negated = scaled(&sum, &Rat::MINUS_ONE);
                self.larger(sum, negated, terms.sort(t))?
            }
            Node::Max(a, b) => {
                let (a, b) = (self.sums[a].clone(), self.sums[b].clone());
                self.larger(a, b, terms.sort(t))?
            }
            Node::Min(a, b) => {
                let negated = |x: &Term| scaled(&self.sums[x], &Rat::MINUS_ONE);
                let (a, b) = (negated(a), negated(b));
                let sum = self.larger(a, b, terms.sort(t))?;
                scaled(&sum, &Rat::MINUS_ONE)
            }
            Node::Mod(a, d) => match self.wrapped(&self.sums[a].clone(), d)? {
                Some((_, rest)) => rest,
                None => Linear::constant_only(self.residue(self.sums[a].clone(), d)?.0),
            },
            Node::Div(a, d) => match self.wrapped(&self.sums[a].clone(), d)? {
                Some((quotient, _)) => Linear::constant_only(quotient),
                None => self.quotient(self.sums[a].clone(), d)?,
            },
            Node::ToReal(a) => real_sum(terms, &self.sums[a]),
            Node::Floor(a) => self.floor(self.sums[a].clone())?,
            _ => return Err(unsupported()),
        })
    }

    /// The larger of two sums, with a literal that compares them.
    fn larger(&mut self, a: Linear, b: Linear, sort: Sort) -> Result<Linear, SolverError> {
        let mut below = combined(&b, &Rat::ONE, &a, &Rat::MINUS_ONE);
        let first = !self.values.sum(&below)?.is_positive();
        if !first {
            below.scale(&Rat::MINUS_ONE);
        }
        let order = Constraint::new(below, sort, Kind::AtMost);
        self.keep(order.literal(self.terms));
        Ok(if first { a } else { b })
    }

    /// The quotient and the remainder of an integer sum that is close to zero, for a divisor with
    /// many residues: this is how counters wrap around, and one case for each residue would be too
    /// many. Literals give the multiples of the divisor between which the sum lies.
    fn wrapped(&mut self, sum: &Linear, d: &Int) -> Result<Option<(Rat, Linear)>, SolverError> {
        if *d < Int::from(FEW_RESIDUES) {
            return Ok(None);
        }
        let quotient = self.values.sum(sum)?.numer().div_euclid(d);
        if quotient.abs() > Int::ONE {
            return Ok(None);
        }
        let mut rest = sum.clone();
        rest.add_constant(&-Rat::from(&quotient * d));
        self.at_most_zero(scaled(&rest, &Rat::MINUS_ONE));
        let mut above = rest.clone();
        above.add_constant(&(&Rat::ONE - &Rat::from(d)));
        self.at_most_zero(above);
        Ok(Some((Rat::from(quotient), rest)))
    }

    fn at_most_zero(&mut self, sum: Linear) {
        let bound = Constraint::new(sum, Sort::Int, Kind::AtMost);
        self.keep(bound.literal(self.terms));
    }

    /// The residue of an integer sum, and the sum minus the residue, which a literal states to be a
    /// multiple of the divisor.
    fn residue(&mut self, mut sum: Linear, d: &Int) -> Result<(Rat, Linear), SolverError> {
        let value = self.values.sum(&sum)?;
        let residue = Rat::from(value.numer().rem_euclid(d));
        sum.add_constant(&-residue.clone());
        let multiple = Constraint::new(sum.clone(), Sort::Int, Kind::Divides(d.clone()));
        self.keep(multiple.literal(self.terms));
        Ok((residue, sum))
    }

    fn quotient(&mut self, sum: Linear, d: &Int) -> Result<Linear, SolverError> {
        let (_, multiple) = self.residue(sum, d)?;
        Ok(scaled(&multiple, &Rat::new(Int::ONE, d.clone())))
    }

    /// The integer part of a real sum: a leaf of its own unless the sum is over integers only.
    fn floor(&mut self, sum: Linear) -> Result<Linear, SolverError> {
        let terms = self.terms;
        let Some(whole) = terms.over_integers(&sum) else {
            return Ok(terms.linear(terms.floor(terms.sum(sum, Sort::Real))));
        };
        let d = denominator(&whole);
        self.quotient(scaled(&whole, &Rat::from(&d)), &d)
    }
}
