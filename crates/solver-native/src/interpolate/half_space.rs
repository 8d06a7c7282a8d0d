//! Half-spaces that contain some polyhedra and exclude others, with small coefficients.
//!
//! By Farkas' lemma `w * x <= c` holds in a polyhedron exactly if `w` is a non-negative combination
//! of its rows whose bounds combine to at most `c`. The combinations for all polyhedra, the common
//! direction `w` and the bound `c` are one linear problem; where the coefficients are to be small,
//! the direction consists of integer variables with bounds. The embedded solver decides both.

use crate::context::NativeSolver;
use crate::project::{Constraint, Kind};
use crate::theory::arith::inequality_term;
use sectile_base::{Budget, Rat};
use sectile_solver::{Answer, Solver, SolverError};
use sectile_terms::{Linear, Node, Sort, Stage, Symbol, SymbolKind, Term, Terms};

/// Polls of the budget that one check may take.
const POLLS_PER_CHECK: u64 = 60;

/// The linear inequalities of a cube.
#[derive(Clone, Debug, Default)]
pub(super) struct Polyhedron {
    rows: Vec<Constraint>,
}

impl Polyhedron {
    /// The linear inequalities of a cube; other literals are ignored.
    pub fn of(terms: &Terms, cube: &[Term]) -> Polyhedron {
        let rows = cube.iter().filter_map(|&literal| row(terms, literal));
        Polyhedron {
            rows: rows.collect(),
        }
    }
}

fn row(terms: &Terms, literal: Term) -> Option<Constraint> {
    let mut row = Constraint::parse(terms, literal)?;
    if !matches!(row.kind, Kind::Equal | Kind::AtMost | Kind::Below) {
        return None;
    }
    // A converted integer and the integer itself are one dimension.
    let plain = |t: Term| match terms.node(t) {
        Node::ToReal(inner) => *inner,
        _ => t,
    };
    let monomials = row.sum.monomials().iter();
    let monomials = monomials.map(|(t, c)| (plain(*t), c.clone())).collect();
    row.sum = Linear::from_monomials(row.sum.constant().clone(), monomials);
    Some(row)
}

/// Limits on the coefficients of a half-space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    /// Largest coefficient; none if coefficients may be any rationals.
    coefficient: Option<i64>,
    /// Largest sum of coefficients.
    total: Option<i64>,
}

impl Size {
    /// The sizes to try, the most beautiful first.
    pub const LADDER: [Size; 5] = [
        Size::new(Some(1), Some(1)),
        Size::new(Some(1), Some(2)),
        Size::new(Some(1), None),
        Size::new(Some(4), None),
        Size::new(None, None),
    ];

    const fn new(coefficient: Option<i64>, total: Option<i64>) -> Size {
        Size { coefficient, total }
    }
}

/// A half-space and the polyhedra it was made for.
pub(super) struct Found {
    pub term: Term,
    /// Polyhedra inside it.
    pub inside: Vec<usize>,
    /// Polyhedra outside it.
    pub outside: Vec<usize>,
}

/// The unknowns of a half-space, in a store of their own.
struct Unknowns<'s> {
    scratch: &'s Terms,
    solver: NativeSolver<'s>,
    /// Numeric terms, each with its unknown coefficient.
    direction: Vec<(Term, Symbol)>,
    bound: Symbol,
    /// Whether the half-space excludes its boundary.
    strict: bool,
}

/// Searches for a half-space around `inside[seed.0]` that excludes `outside[seed.1]`, and then for
/// one that also separates as many other polyhedra as possible.
pub(super) fn grow(
    terms: &Terms,
    inside: &[Polyhedron],
    outside: &[Polyhedron],
    seed: (usize, usize),
    size: Size,
    budget: &Budget,
) -> Result<Option<Found>, SolverError> {
    for strict in [false, true] {
        let scratch = Terms::new();
        let mut unknowns = Unknowns::new(&scratch, inside, outside, size, strict)?;
        unknowns.require(&inside[seed.0], true)?;
        unknowns.require(&outside[seed.1], false)?;
        if unknowns.solution(budget)?.is_none() {
            continue;
        }
        let mut found = Found {
            term: terms.tt(),
            inside: vec![seed.0],
            outside: vec![seed.1],
        };
        for (list, own, members) in [
            (inside, true, &mut found.inside),
            (outside, false, &mut found.outside),
        ] {
            for (i, polyhedron) in list.iter().enumerate() {
                if members.contains(&i) {
                    continue;
                }
                unknowns.solver.push();
                unknowns.require(polyhedron, own)?;
                if unknowns.solution(budget)?.is_some() {
                    members.push(i);
                } else {
                    unknowns.solver.pop();
                }
            }
        }
        if let Some(solution) = unknowns.solution(budget)? {
            found.term = inequality_term(terms, solution, strict);
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl<'s> Unknowns<'s> {
    fn new(
        scratch: &'s Terms,
        inside: &[Polyhedron],
        outside: &[Polyhedron],
        size: Size,
        strict: bool,
    ) -> Result<Unknowns<'s>, SolverError> {
        let rows = inside.iter().chain(outside).flat_map(|p| &p.rows);
        let mut dimensions: Vec<Term> = rows.flat_map(|r| r.sum.monomials()).map(|m| m.0).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        let mut unknowns = Unknowns {
            scratch,
            solver: NativeSolver::new(scratch),
            direction: Vec::with_capacity(dimensions.len()),
            bound: scratch.fresh("c", Sort::Real, SymbolKind::State),
            strict,
        };
        let mut sizes = Vec::new();
        for dimension in dimensions {
            let sort = size.coefficient.map_or(Sort::Real, |_| Sort::Int);
            let w = scratch.fresh("w", sort, SymbolKind::State);
            unknowns.direction.push((dimension, w));
            if let Some(largest) = size.coefficient {
                let magnitude = scratch.fresh("m", Sort::Int, SymbolKind::State);
                let (m, w) = (scratch.var(magnitude), scratch.var(w));
                sizes.push(m);
                let limits = [
                    scratch.le(w, m),
                    scratch.le(scratch.neg(w), m),
                    scratch.le(m, scratch.int(largest)),
                ];
                unknowns.solver.assert(scratch.and(limits))?;
            }
        }
        if let Some(total) = size.total {
            let sum = scratch.add_all(sizes, Sort::Int);
            unknowns
                .solver
                .assert(scratch.le(sum, scratch.int(total)))?;
        }
        Ok(unknowns)
    }

    fn real(&self, symbol: Symbol) -> Term {
        let t = self.scratch.var(symbol);
        match self.scratch.sort(t) {
            Sort::Int => self.scratch.to_real(t),
            _ => t,
        }
    }

    /// Requires that a polyhedron lies inside the half-space, or outside.
    fn require(&mut self, polyhedron: &Polyhedron, inside: bool) -> Result<(), SolverError> {
        let scratch = self.scratch;
        let zero = scratch.number(Rat::ZERO, Sort::Real);
        let mut columns: Vec<Vec<Term>> = vec![Vec::new(); self.direction.len()];
        let mut limit = Vec::new();
        let mut strict_weights = Vec::new();
        for row in &polyhedron.rows {
            let weight = scratch.fresh("l", Sort::Real, SymbolKind::State);
            let weight = scratch.var(weight);
            if row.kind != Kind::Equal {
                self.solver.assert(scratch.ge(weight, zero))?;
            }
            if row.kind == Kind::Below {
                strict_weights.push(weight);
            }
            for (t, c) in row.sum.monomials() {
                let position = self.direction.iter().position(|(d, _)| d == t);
                let position = position.expect("every dimension of a row has an unknown");
                columns[position].push(scratch.scale(weight, c));
            }
            limit.push(scratch.scale(weight, &-row.sum.constant()));
        }
        // The rows combine to the direction, or to its opposite if the polyhedron is outside.
        for (k, column) in columns.into_iter().enumerate() {
            let w = self.real(self.direction[k].1);
            let w = if inside { w } else { scratch.neg(w) };
            let sum = scratch.add_all(column, Sort::Real);
            self.solver.assert(scratch.eq(sum, w))?;
        }
        let limit = scratch.add_all(limit, Sort::Real);
        let c = self.real(self.bound);
        let c = if inside { c } else { scratch.neg(c) };
        self.solver.assert(scratch.le(limit, c))?;
        // Polyhedra on the side without the boundary must be kept away from it, by a distance or by
        // a strict row.
        if inside == self.strict {
            strict_weights.push(scratch.sub(c, limit));
            let gap = scratch.add_all(strict_weights, Sort::Real);
            self.solver.assert(scratch.gt(gap, zero))?;
        }
        Ok(())
    }

    /// A sum that satisfies all requirements: the half-space is where it is at most zero.
    fn solution(&mut self, budget: &Budget) -> Result<Option<Linear>, SolverError> {
        let limit = budget.clone().with_steps(POLLS_PER_CHECK);
        let Answer::Sat(model) = self.solver.check(&[], &limit)? else {
            return Ok(None);
        };
        let value = |symbol: Symbol| {
            let value = model.value(symbol, Stage::Now);
            value.and_then(|v| v.as_rat()).unwrap_or(Rat::ZERO)
        };
        let direction = self.direction.iter().map(|(t, w)| (*t, value(*w)));
        let sum = Linear::from_monomials(-value(self.bound), direction.collect());
        Ok(Some(sum))
    }
}
