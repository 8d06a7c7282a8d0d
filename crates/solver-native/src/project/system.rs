//! Conjunctions of literals, and exact elimination of a variable from them.

use super::constraint::{Constraint, Kind, combined, scaled};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Sort, Substitution, Term, Terms};

/// A conjunction with its arithmetic literals in parsed form.
pub(super) struct System<'a> {
    pub terms: &'a Terms,
    /// Literals with their parts.
    rows: Vec<(Term, Constraint)>,
    seen: FxHashSet<Term>,
    /// Everything that is not arithmetic.
    pub others: Vec<Term>,
    /// Whether the conjunction was found to be false.
    pub contradictory: bool,
}

/// One bound of a variable: `factor * x <= limit` or `factor * x >= limit`, with a positive factor.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub factor: Rat,
    pub limit: Linear,
    pub sort: Sort,
    pub strict: bool,
}

/// The constraints on one variable.
#[derive(Default)]
pub(super) struct Occurrences {
    pub lower: Vec<Bound>,
    pub upper: Vec<Bound>,
    /// Equalities without a definition: of an integer with reals.
    pub equal: Vec<Constraint>,
    pub unequal: Vec<Constraint>,
    /// Divisibility and its negation.
    pub residues: Vec<Constraint>,
}

impl Occurrences {
    /// Whether the variable is unbounded above or below.
    pub(super) fn is_one_sided(&self) -> bool {
        self.equal.is_empty() && (self.lower.is_empty() || self.upper.is_empty())
    }
}

impl Bound {
    /// The bound of an inequality, and whether it is an upper one.
    fn of(terms: &Terms, c: &Constraint, target: Term) -> (Bound, bool) {
        let factor = c.coefficient(terms, target);
        let upper = factor.is_positive();
        let mut limit = c.rest(terms, target);
        if upper {
            limit.scale(&Rat::MINUS_ONE);
        }
        let bound = Bound {
            factor: factor.abs(),
            limit,
            sort: c.sort,
            strict: c.kind == Kind::Below,
        };
        (bound, upper)
    }

    /// The value to which the variable is compared.
    pub(super) fn quotient(&self) -> Linear {
        scaled(&self.limit, &self.factor.recip())
    }

    /// The same for the negated variable: a lower bound becomes an upper one.
    pub(super) fn mirrored(&self) -> Bound {
        let mut mirrored = self.clone();
        mirrored.limit.scale(&Rat::MINUS_ONE);
        mirrored
    }
}

/// `left <= right`, or `left < right`, for sums of possibly different sorts.
pub(super) fn ordered(
    terms: &Terms,
    left: (&Linear, Sort),
    right: (&Linear, Sort),
    strict: bool,
) -> Constraint {
    let sort = if (left.1, right.1) == (Sort::Int, Sort::Int) {
        Sort::Int
    } else {
        Sort::Real
    };
    let lifted = |(sum, own): (&Linear, Sort)| match (own, sort) {
        (Sort::Int, Sort::Real) => super::constraint::real_sum(terms, sum),
        _ => sum.clone(),
    };
    let sum = combined(&lifted(left), &Rat::ONE, &lifted(right), &Rat::MINUS_ONE);
    let kind = if strict { Kind::Below } else { Kind::AtMost };
    Constraint::new(sum, sort, kind)
}

impl<'a> System<'a> {
    /// The conjunction of some literals and other formulas.
    pub(super) fn new(terms: &'a Terms, formulas: &[Term]) -> System<'a> {
        let mut system = System {
            terms,
            rows: Vec::new(),
            seen: FxHashSet::default(),
            others: Vec::new(),
            contradictory: false,
        };
        for &f in formulas {
            system.add_literal(f);
        }
        system
    }

    /// Adds a literal or another formula.
    pub(super) fn add_literal(&mut self, literal: Term) {
        match self.terms.as_bool(literal) {
            Some(true) => return,
            Some(false) => self.contradictory = true,
            None => {}
        }
        if !self.seen.insert(literal) {
            return;
        }
        match Constraint::parse(self.terms, literal) {
            Some(row) => self.rows.push((literal, row)),
            None => self.others.push(literal),
        }
    }

    /// Adds a constraint in its normal form.
    pub(super) fn add(&mut self, constraint: &Constraint) {
        self.add_literal(constraint.literal(self.terms));
    }

    /// All formulas of the conjunction.
    pub(super) fn formulas(&self) -> Vec<Term> {
        if self.contradictory {
            return vec![self.terms.ff()];
        }
        let rows = self.rows.iter().map(|r| r.0);
        self.others.iter().copied().chain(rows).collect()
    }

    /// The arithmetic literals.
    pub(super) fn rows(&self) -> impl Iterator<Item = &(Term, Constraint)> {
        self.rows.iter()
    }

    /// Removes and returns the constraints in which a variable occurs.
    pub(super) fn take(&mut self, target: Term) -> Vec<Constraint> {
        let terms = self.terms;
        let mut taken = Vec::new();
        let mut kept = Vec::with_capacity(self.rows.len());
        for (literal, row) in std::mem::take(&mut self.rows) {
            if row.coefficient(terms, target).is_zero() {
                kept.push((literal, row));
            } else {
                self.seen.remove(&literal);
                taken.push(row);
            }
        }
        self.rows = kept;
        taken
    }

    /// Replaces a variable everywhere outside of arithmetic.
    pub(super) fn substitute_others(&mut self, target: Term, by: Term) {
        let map: Substitution = [(target, by)].into_iter().collect();
        for old in std::mem::take(&mut self.others) {
            self.seen.remove(&old);
            self.add_literal(self.terms.substitute(old, &map));
        }
    }

    /// The constraints on a variable.
    pub(super) fn occurrences(&self, target: Term) -> Occurrences {
        let rows = self.rows.iter().map(|r| &r.1);
        classify(self.terms, rows, target)
    }

    /// The cost of eliminating a numeric variable now.
    pub(super) fn cost(&self, target: Term) -> (u32, usize) {
        let terms = self.terms;
        let is_int = terms.sort(target) == Sort::Int;
        let mut best = u32::MAX;
        let (mut lower, mut upper) = (0, 0);
        for (_, row) in &self.rows {
            let c = row.coefficient(terms, target);
            if c.is_zero() {
                continue;
            }
            match row.kind {
                Kind::Equal if !is_int || c.abs().is_one() => best = 0,
                Kind::Equal => best = best.min(1),
                _ if c.is_positive() => upper += 1,
                _ => lower += 1,
            }
        }
        (best, lower * upper)
    }

    /// Uses an equality to replace a variable by a sum; false if there is none.
    ///
    /// Over the integers `a * x = t` with a larger `a` gives `a | t`, and `t / a` for `x`.
    pub(super) fn solve_equality(&mut self, target: Term) -> bool {
        let terms = self.terms;
        let sort = terms.sort(target);
        let mut best: Option<(Rat, Constraint)> = None;
        for (_, row) in &self.rows {
            if row.kind != Kind::Equal || row.sort != sort {
                continue;
            }
            let size = row.coefficient(terms, target).abs();
            let better = best.as_ref().is_none_or(|(least, _)| size < *least);
            if !size.is_zero() && better {
                best = Some((size, row.clone()));
            }
        }
        let Some((size, row)) = best else {
            return false;
        };
        let rest = row.rest(terms, target);
        let value = scaled(&rest, &-row.coefficient(terms, target).recip());
        for other in self.take(target) {
            self.add(&other.replace(terms, target, &value));
        }
        if sort == Sort::Int && !size.is_one() {
            self.add(&Constraint::new(rest, sort, Kind::Divides(size.numer())));
        }
        true
    }

    /// Eliminates a numeric variable if that can be done exactly and cheaply: by an equality,
    /// because it is bounded on one side at most, or by combining every lower with every upper
    /// bound if that gives at most `growth` constraints more than there were.
    pub(super) fn eliminate_exactly(&mut self, target: Term, growth: usize) -> bool {
        if self.solve_equality(target) {
            return true;
        }
        let said = self.occurrences(target);
        if said.is_one_sided() {
            return self.drop_unbounded(target, &said);
        }
        let plain = said.unequal.is_empty() && said.residues.is_empty() && said.equal.is_empty();
        let before = said.lower.len() + said.upper.len();
        if !plain || said.lower.len() * said.upper.len() > before + growth {
            return false;
        }
        if self.terms.sort(target) == Sort::Int && !has_exact_shadow(&said) {
            return false;
        }
        self.take(target);
        self.combine(&said);
        true
    }

    /// Adds the consequence of every pair of a lower and an upper bound: a Fourier-Motzkin step.
    pub(super) fn combine(&mut self, said: &Occurrences) {
        for low in &said.lower {
            for high in &said.upper {
                let (l, u) = (low.quotient(), high.quotient());
                let strict = low.strict || high.strict;
                let pair = ordered(self.terms, (&l, low.sort), (&u, high.sort), strict);
                self.add(&pair);
            }
        }
    }

    /// Eliminates a variable that is bounded on one side at most: for large enough values
    /// everything but divisibility holds.
    fn drop_unbounded(&mut self, target: Term, said: &Occurrences) -> bool {
        let terms = self.terms;
        match said.residues.as_slice() {
            [] => {
                self.take(target);
            }
            [only] => {
                self.take(target);
                // Modulo d, the multiples of c are the multiples of gcd(c, d). There are at least
                // two such residues, so a single forbidden one can be avoided.
                if let Kind::Divides(d) = &only.kind {
                    let c = only.coefficient(terms, target).numer();
                    let reach = Kind::Divides(c.gcd(d));
                    self.add(&Constraint::new(only.rest(terms, target), Sort::Int, reach));
                }
            }
            _ => return false,
        }
        true
    }

    /// Eliminates a Boolean variable that occurs in literals only.
    pub(super) fn eliminate_bool(&mut self, target: Term) {
        let terms = self.terms;
        let negation = terms.not(target);
        if self.seen.contains(&target) && self.seen.contains(&negation) {
            self.contradictory = true;
        }
        self.others.retain(|&l| l != target && l != negation);
        self.seen.remove(&target);
        self.seen.remove(&negation);
    }

    /// Eliminates a variable of an enumeration that occurs in (dis)equalities only, if that can be
    /// done exactly: by an equality, or because some value is not excluded.
    pub(super) fn eliminate_enum(&mut self, target: Term) -> bool {
        let terms = self.terms;
        let mut excluded: FxHashMap<Term, Term> = FxHashMap::default();
        for &literal in &self.others {
            let (atom, negated) = terms.strip_not(literal);
            let Node::Eq(a, b) = *terms.node(atom) else {
                continue;
            };
            if a != target && b != target {
                continue;
            }
            let other = if a == target { b } else { a };
            if !negated {
                self.substitute_others(target, other);
                return true;
            }
            excluded.insert(other, literal);
        }
        let Sort::Enum(id) = terms.sort(target) else {
            return false;
        };
        if excluded.len() >= terms.enum_info(id).variants.len() {
            return false;
        }
        let gone: FxHashSet<Term> = excluded.into_values().collect();
        self.others.retain(|l| !gone.contains(l));
        self.seen.retain(|l| !gone.contains(l));
        true
    }
}

/// Whether combining bounds loses no integer point: one side has unit coefficients only.
fn has_exact_shadow(said: &Occurrences) -> bool {
    let mut all = said.lower.iter().chain(&said.upper);
    let units = |side: &[Bound]| side.iter().all(|b| b.factor.is_one());
    all.all(|b| b.sort == Sort::Int) && (units(&said.lower) || units(&said.upper))
}

/// Classifies the constraints on a variable.
pub(super) fn classify<'c>(
    terms: &Terms,
    rows: impl IntoIterator<Item = &'c Constraint>,
    target: Term,
) -> Occurrences {
    let mut said = Occurrences::default();
    for row in rows {
        if row.coefficient(terms, target).is_zero() {
            continue;
        }
        match &row.kind {
            Kind::Equal => said.equal.push(row.clone()),
            Kind::Unequal => said.unequal.push(row.clone()),
            Kind::Divides(_) | Kind::NotDivides(_) => said.residues.push(row.clone()),
            Kind::AtMost | Kind::Below => {
                let (bound, upper) = Bound::of(terms, row, target);
                let side = if upper {
                    &mut said.upper
                } else {
                    &mut said.lower
                };
                side.push(bound);
            }
        }
    }
    said
}

/// The modulus of a divisibility constraint on a variable: it depends only on the residue of the
/// variable modulo this number.
pub(super) fn period(terms: &Terms, row: &Constraint, target: Term) -> Int {
    match &row.kind {
        Kind::Divides(d) | Kind::NotDivides(d) => {
            let c = row.coefficient(terms, target).numer();
            d.div_exact(&c.gcd(d))
        }
        _ => Int::ONE,
    }
}
