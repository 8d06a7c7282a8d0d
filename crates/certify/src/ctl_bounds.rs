//! A quick check for obligations that follow from difference bounds of integers, without a solver.
//!
//! Most obligations about cells say that difference bounds imply other such bounds. The tightest
//! implied bounds are lengths of shortest paths. Other kinds of premises are ignored, which is
//! sound; obligations that are not proved here go to the solver.

use rustc_hash::FxHashMap;
use sectile_terms::{Linear, Node, Sort, Stage, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A variable, or nothing for the number zero.
pub type Side = Option<(Symbol, Stage)>;

/// `left - right` is at most a number.
pub struct Bound {
    pub left: Side,
    pub right: Side,
    pub most: i64,
}

/// The bounds of literals, memoised because they occur in many obligations.
#[derive(Default)]
pub struct Known {
    bounds: FxHashMap<Term, Option<Rc<[Bound]>>>,
}

impl Known {
    /// The bounds of a literal, if it consists of nothing else.
    fn bounds(&mut self, terms: &Terms, t: Term) -> Option<Rc<[Bound]>> {
        let entry = self.bounds.entry(t);
        entry
            .or_insert_with(|| bounds(terms, t).map(Rc::from))
            .clone()
    }
}

/// Whether the premises imply the conclusion by difference bounds; false means unknown.
pub fn implies(terms: &Terms, known: &mut Known, premises: &[Term], conclusion: Term) -> bool {
    let mut facts = Facts::default();
    let mut work: Vec<Term> = premises.to_vec();
    while let Some(t) = work.pop() {
        match terms.node(t) {
            Node::And(parts) => work.extend(parts.iter().copied()),
            Node::Bool(false) => return true,
            _ => {
                facts.literals.insert(t);
                let bounds = known.bounds(terms, t);
                for bound in bounds.iter().flat_map(|list| list.iter()) {
                    facts.add(bound);
                }
            }
        }
    }
    // A negative cycle is a contradiction.
    match facts.close() {
        Closure::Contradiction => true,
        Closure::TooLarge => false,
        Closure::Closed => facts.shows(terms, known, conclusion),
    }
}

/// The bounds of a literal, if it consists of nothing else.
pub fn bounds(terms: &Terms, t: Term) -> Option<Vec<Bound>> {
    let (literal, sign) = match terms.node(t) {
        Node::Not(a) => (*a, false),
        _ => (t, true),
    };
    match (terms.node(literal), sign) {
        (Node::NonPos(sum), true) => Some(vec![bound(terms, *sum, 1, 0)?]),
        (Node::Neg(sum), true) => Some(vec![bound(terms, *sum, 1, 1)?]),
        (Node::NonPos(sum), false) => Some(vec![bound(terms, *sum, -1, 1)?]),
        (Node::Neg(sum), false) => Some(vec![bound(terms, *sum, -1, 0)?]),
        (Node::Zero(sum), true) => {
            Some(vec![bound(terms, *sum, 1, 0)?, bound(terms, *sum, -1, 0)?])
        }
        _ => None,
    }
}

/// `sign * sum + less <= 0` as a bound of a difference of integers.
fn bound(terms: &Terms, sum: Term, sign: i64, less: i64) -> Option<Bound> {
    if terms.sort(sum) != Sort::Int {
        return None;
    }
    let linear: Linear = terms.linear(sum);
    let constant = linear.constant().to_i64()?.checked_mul(sign)?;
    let mut bound = Bound {
        left: None,
        right: None,
        most: constant.checked_add(less)?.checked_neg()?,
    };
    for (m, c) in linear.monomials() {
        let Node::Var(symbol, stage) = terms.node(*m) else {
            return None;
        };
        let side = match c.to_i64()?.checked_mul(sign)? {
            1 => &mut bound.left,
            -1 => &mut bound.right,
            _ => return None,
        };
        if side.replace((*symbol, *stage)).is_some() {
            return None;
        }
    }
    Some(bound)
}

enum Closure {
    Closed,
    Contradiction,
    TooLarge,
}

/// The premises.
#[derive(Default)]
struct Facts {
    literals: BTreeSet<Term>,
    places: BTreeMap<Side, usize>,
    bounds: Vec<(usize, usize, i64)>,
    /// Shortest distances between nodes, row by row.
    paths: Vec<Option<i64>>,
}

impl Facts {
    fn place(&mut self, side: Side) -> usize {
        let next = self.places.len();
        *self.places.entry(side).or_insert(next)
    }

    fn add(&mut self, bound: &Bound) {
        let (left, right) = (self.place(bound.left), self.place(bound.right));
        self.bounds.push((left, right, bound.most));
    }

    /// Finds all shortest paths.
    fn close(&mut self) -> Closure {
        let size = self.places.len();
        self.paths = vec![None; size * size];
        for i in 0..size {
            self.paths[i * size + i] = Some(0);
        }
        for &(left, right, most) in &self.bounds {
            let entry = &mut self.paths[left * size + right];
            *entry = Some(entry.map_or(most, |old| old.min(most)));
        }
        for k in 0..size {
            for i in 0..size {
                let Some(first) = self.paths[i * size + k] else {
                    continue;
                };
                for j in 0..size {
                    let Some(second) = self.paths[k * size + j] else {
                        continue;
                    };
                    let Some(path) = first.checked_add(second) else {
                        return Closure::TooLarge;
                    };
                    let entry = &mut self.paths[i * size + j];
                    if entry.is_none_or(|old| path < old) {
                        *entry = Some(path);
                    }
                }
            }
        }
        match (0..size).any(|i| self.paths[i * size + i] < Some(0)) {
            true => Closure::Contradiction,
            false => Closure::Closed,
        }
    }

    fn implies_bound(&self, bound: &Bound) -> bool {
        if bound.left == bound.right {
            return bound.most >= 0;
        }
        let places = (self.places.get(&bound.left), self.places.get(&bound.right));
        let (Some(left), Some(right)) = places else {
            return false;
        };
        let path = self.paths[left * self.places.len() + right];
        path.is_some_and(|path| path <= bound.most)
    }

    /// Whether a formula follows: all parts of a conjunction, or one part of a disjunction.
    fn shows(&self, terms: &Terms, known: &mut Known, conclusion: Term) -> bool {
        // Formulas here are conjunctions of literals, or disjunctions of such conjunctions.
        let cases = match terms.node(conclusion) {
            Node::Or(cases) => cases.to_vec(),
            _ => vec![conclusion],
        };
        cases.iter().any(|&case| {
            let parts = terms.conjuncts(case);
            parts
                .iter()
                .all(|&part| self.shows_part(terms, known, part))
        })
    }

    fn shows_part(&self, terms: &Terms, known: &mut Known, part: Term) -> bool {
        let mut literal = |t: Term| {
            if t == terms.tt() || self.literals.contains(&t) {
                return true;
            }
            let says = known.bounds(terms, t);
            says.is_some_and(|list| list.iter().all(|b| self.implies_bound(b)))
        };
        match terms.node(part) {
            Node::Or(list) => self.literals.contains(&part) || list.iter().any(|&t| literal(t)),
            _ => literal(part),
        }
    }
}
