//! Global guidance: lemmas that differ in their numbers only, and what they have in common.
//!
//! Paper: [HariChenShohamGurfinkel20]. Lemmas about single values may go on for ever. Where several have the
//! same literals up to constants, the linear equations between these constants are looked for, and the
//! direction in which they move. A cube for all constants that satisfy them is a guess: an obligation whose lemma
//! excludes what all of these lemmas exclude, and all that would follow. If it is derived, nothing is lost.

use super::search::{Obligation, Search};
use sectile_base::Rat;
use sectile_engine::{Run, Stop};
use sectile_solver::Undecided;
use sectile_solver_native::project::{Limits, exists};
use sectile_terms::{Linear, Node, Sort, Stage, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A cluster of this many lemmas is a reason for a guess.
const FEWEST: usize = 3;

/// Of a larger cluster the last this many lemmas are looked at.
const MOST: usize = 6;

/// How many obligations may be handled for one guess.
pub(super) const GAS: u32 = 24;

/// A literal without its constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    /// Whatever has no constant.
    Whole(Term),
    /// `sum + c <= 0`.
    AtMost(Term),
    /// `sum + c < 0`.
    Below(Term),
    /// `sum + c = 0`, or its opposite.
    Zero(Term, bool),
}

/// Lemmas by what they have in common, and the guesses that were made.
#[derive(Default)]
pub(super) struct Guide {
    clusters: BTreeMap<(usize, Vec<Shape>), Vec<Vec<Rat>>>,
    guessed: BTreeSet<(usize, Vec<Term>)>,
}

impl Search<'_> {
    /// A guess, if a lemma is not the first one of its kind.
    pub fn guess(
        &mut self,
        head: usize,
        cube: &[Term],
        height: usize,
        run: &Run<'_>,
    ) -> Result<Option<Obligation>, Stop> {
        let terms = self.rules.terms;
        let mut parts: Vec<(Shape, Option<Rat>)> = cube.iter().map(|&l| shape(terms, l)).collect();
        parts.sort();
        let constants: Vec<Rat> = parts.iter().filter_map(|p| p.1.clone()).collect();
        let shapes: Vec<Shape> = parts.iter().map(|p| p.0).collect();
        if constants.is_empty() {
            return Ok(None);
        }
        let cluster = self.guide.clusters.entry((head, shapes.clone()));
        let cluster = cluster.or_default();
        if !cluster.contains(&constants) {
            cluster.push(constants);
        }
        if cluster.len() < FEWEST {
            return Ok(None);
        }
        let recent = &cluster[cluster.len().saturating_sub(MOST)..];
        let Some(common) = common(terms, &shapes, recent, run)? else {
            return Ok(None);
        };
        let is_old = self.summaries.excludes(head, &common, height);
        if is_old || !self.guide.guessed.insert((head, common.clone())) {
            return Ok(None);
        }
        Ok(Some(Obligation {
            predicate: head,
            cube: common,
            height,
            gas: Some(self.new_gas()),
        }))
    }
}

/// A literal without its constant, and that.
fn shape(terms: &Terms, literal: Term) -> (Shape, Option<Rat>) {
    let (atom, is_negated) = terms.strip_not(literal);
    let sum = match *terms.node(atom) {
        Node::Zero(sum) | Node::NonPos(sum) | Node::Neg(sum) => sum,
        _ => return (Shape::Whole(literal), None),
    };
    let sort = terms.sort(sum);
    let mut linear = terms.linear(sum);
    let constant = linear.constant().clone();
    linear.add_constant(&-&constant);
    let shape = match (terms.node(atom), is_negated) {
        (Node::Zero(_), _) => Shape::Zero(terms.sum(linear, sort), is_negated),
        (Node::NonPos(_), false) => Shape::AtMost(terms.sum(linear, sort)),
        (Node::Neg(_), false) => Shape::Below(terms.sum(linear, sort)),
        _ => return (Shape::Whole(literal), None),
    };
    (shape, Some(constant))
}

/// The cube that covers those of all constants on the line, plane, or more, through the given ones, in
/// the direction in which they move. `None` if it is all or no conjunction.
fn common(
    terms: &Terms,
    shapes: &[Shape],
    constants: &[Vec<Rat>],
    run: &Run<'_>,
) -> Result<Option<Vec<Term>>, Stop> {
    let mut holes = Vec::new();
    let mut parts = Vec::new();
    for &shape in shapes {
        let hole = |sum: Term, holes: &mut Vec<Term>| {
            let symbol = terms.fresh("hole", terms.sort(sum), SymbolKind::Input);
            holes.push(terms.var(symbol));
            terms.add(sum, terms.var(symbol))
        };
        parts.push(match shape {
            Shape::Whole(literal) => literal,
            Shape::AtMost(sum) => terms.non_pos(hole(sum, &mut holes)),
            Shape::Below(sum) => terms.negative(hole(sum, &mut holes)),
            Shape::Zero(sum, false) => terms.eq_zero(hole(sum, &mut holes)),
            Shape::Zero(sum, true) => terms.not(terms.eq_zero(hole(sum, &mut holes))),
        });
    }
    let sorts: BTreeSet<Sort> = holes.iter().map(|&h| terms.sort(h)).collect();
    let (Some(first), Some(last)) = (constants.first(), constants.last()) else {
        return Ok(None);
    };
    if let Some(&sort) = sorts.first()
        && sorts.len() == 1
    {
        for equation in equations(constants) {
            let mut sum = Linear::constant_only(Rat::ZERO);
            let mut value = Rat::ZERO;
            for (i, factor) in equation.iter().enumerate() {
                sum.add_term(holes[i], factor);
                value = &value + &(factor * &first[i]);
            }
            sum.add_constant(&-&value);
            sum.scale(&sum.primitive_factor());
            parts.push(terms.eq_zero(terms.sum(sum, sort)));
        }
    }
    for (i, &hole) in holes.iter().enumerate() {
        let column = || constants.iter().map(|c| &c[i]);
        let bound = |v: Option<&Rat>| v.map(|v| terms.number(v.clone(), terms.sort(hole)));
        let bound = match first[i].cmp(&last[i]) {
            std::cmp::Ordering::Less => bound(column().min()).map(|b| terms.ge(hole, b)),
            std::cmp::Ordering::Greater => bound(column().max()).map(|b| terms.le(hole, b)),
            std::cmp::Ordering::Equal => None,
        };
        parts.extend(bound);
    }
    let gone = holes.iter().filter_map(|&h| match *terms.node(h) {
        Node::Var(symbol, _) => Some((symbol, Stage::Now)),
        _ => None,
    });
    let gone: Vec<_> = gone.collect();
    let left = match exists(
        terms,
        terms.and(parts),
        &gone,
        &Limits::default(),
        &run.budget,
    )? {
        Ok(left) => left.formula,
        Err(why @ Undecided::Exhausted(_)) => return Err(why.into()),
        Err(Undecided::Incomplete(_)) => return Ok(None),
    };
    let cube = super::search::split(terms, &terms.conjuncts(left));
    let is_literal = |&t: &Term| !matches!(terms.node(t), Node::Or(_) | Node::Bool(_));
    Ok((!cube.is_empty() && cube.iter().all(is_literal)).then_some(cube))
}

/// Linear equations that hold for the differences of some points: a basis of all of them.
fn equations(points: &[Vec<Rat>]) -> Vec<Vec<Rat>> {
    let Some((first, others)) = points.split_first() else {
        return Vec::new();
    };
    let width = first.len();
    let difference = |p: &Vec<Rat>| (0..width).map(|i| &p[i] - &first[i]).collect();
    let mut rows: Vec<Vec<Rat>> = others.iter().map(difference).collect();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..width {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&r| !rows[r][column].is_zero()) else {
            continue;
        };
        rows.swap(done, found);
        let factor = &Rat::ONE / &rows[done][column];
        let row: Vec<Rat> = rows[done].iter().map(|v| v * &factor).collect();
        for (r, other) in rows.iter_mut().enumerate() {
            let times = other[column].clone();
            if r != done && !times.is_zero() {
                let less = other.iter().zip(&row).map(|(a, b)| a - &(b * &times));
                *other = less.collect();
            }
        }
        rows[done] = row;
        pivots.push(column);
    }
    let free = (0..width).filter(|c| !pivots.contains(c));
    let equation = |column: usize| {
        let mut factors = vec![Rat::ZERO; width];
        factors[column] = Rat::ONE;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            factors[pivot] = -&row[column];
        }
        factors
    };
    free.map(equation).collect()
}
