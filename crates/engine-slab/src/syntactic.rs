//! A syntactic test for contradictions, before the solver is asked.
//!
//! Most steps between two nodes are impossible for a simple reason: a program counter would need
//! two values, or a number would lie below and above a bound. This test keeps a bit mask for every
//! variable with a small domain and an interval for every linear form, and propagates units through
//! disjunctions. It answers "contradictory" or "unknown", and is sound.

use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_terms::{Node, Sort, Term, Terms};
use std::rc::Rc;

/// The lower end of an interval, if any; the flag marks a strict bound. The larger of two ends is
/// tighter.
type End = Option<(Rat, bool)>;

#[derive(Clone, Debug, Default)]
struct Interval {
    low: End,
    /// The lower end of the interval of the negated values, so that both ends are treated alike.
    negated_high: End,
}

/// The form in which the test uses a formula.
#[derive(Clone, Debug)]
enum Reading {
    /// A variable of a small domain has one of these values.
    Mask(usize, u64),
    /// A linear form lies in this interval.
    Range(usize, Interval),
    /// A linear form does not have this value.
    Other(usize, Rat),
    /// A disjunction of these.
    Clause(Rc<[Term]>),
    /// A conjunction of these.
    All(Rc<[Term]>),
    /// A truth value.
    Constant(bool),
    /// Not used.
    Opaque,
}

/// The facts of one query contradict each other.
struct Contradiction;

/// The test, with cached forms of formulas.
pub struct Syntactic<'t> {
    terms: &'t Terms,
    shapes: FxHashMap<Term, Reading>,
    variables: FxHashMap<Term, usize>,
    full: Vec<u64>,
    forms: FxHashMap<Term, usize>,
    masks: Vec<u64>,
    touched_masks: Vec<usize>,
    ranges: Vec<Interval>,
    touched_ranges: Vec<usize>,
    clauses: Vec<Rc<[Term]>>,
    others: Vec<(usize, Rat)>,
}

impl<'t> Syntactic<'t> {
    /// A test over a term store.
    pub fn new(terms: &'t Terms) -> Syntactic<'t> {
        Syntactic {
            terms,
            shapes: FxHashMap::default(),
            variables: FxHashMap::default(),
            full: Vec::new(),
            forms: FxHashMap::default(),
            masks: Vec::new(),
            touched_masks: Vec::new(),
            ranges: Vec::new(),
            touched_ranges: Vec::new(),
            clauses: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Whether the test finds the conjunction contradictory.
    pub fn contradictory(&mut self, conjuncts: impl IntoIterator<Item = Term>) -> bool {
        let mut conjuncts = conjuncts.into_iter();
        let assumed = conjuncts.try_for_each(|t| self.assume(t));
        let result = assumed.and_then(|()| self.propagate());
        self.reset();
        result.is_err()
    }

    fn reset(&mut self) {
        for i in self.touched_masks.drain(..) {
            self.masks[i] = self.full[i];
        }
        for i in self.touched_ranges.drain(..) {
            self.ranges[i] = Interval::default();
        }
        self.clauses.clear();
        self.others.clear();
    }

    fn assume(&mut self, t: Term) -> Result<(), Contradiction> {
        let mut list = vec![t];
        while let Some(t) = list.pop() {
            match self.shape(t) {
                Reading::Constant(true) | Reading::Opaque => {}
                Reading::Constant(false) => return Err(Contradiction),
                Reading::Mask(v, m) => {
                    self.touched_masks.push(v);
                    self.masks[v] &= m;
                    if self.masks[v] == 0 {
                        return Err(Contradiction);
                    }
                }
                Reading::Range(f, range) => {
                    self.touched_ranges.push(f);
                    self.ranges[f].intersect(&range);
                    if self.ranges[f].is_empty() {
                        return Err(Contradiction);
                    }
                }
                Reading::Other(f, value) => self.others.push((f, value)),
                Reading::Clause(literals) => self.clauses.push(literals),
                Reading::All(parts) => list.extend(parts.iter().copied()),
            }
        }
        Ok(())
    }

    /// Propagates units through clauses, and excluded values, until a fixpoint.
    fn propagate(&mut self) -> Result<(), Contradiction> {
        loop {
            for (f, value) in &self.others {
                if self.ranges[*f].is_point(value) {
                    return Err(Contradiction);
                }
            }
            let mut units = Vec::new();
            let mut open = Vec::new();
            for clause in std::mem::take(&mut self.clauses) {
                match self.unit(&clause) {
                    Unit::Satisfied => {}
                    Unit::Conflict => return Err(Contradiction),
                    Unit::Forced(literal) => units.push(literal),
                    Unit::Open => open.push(clause),
                }
            }
            self.clauses = open;
            if units.is_empty() {
                return Ok(());
            }
            for unit in units {
                self.assume(unit)?;
            }
        }
    }

    fn unit(&mut self, clause: &[Term]) -> Unit {
        let mut last = None;
        for &literal in clause {
            match self.known(literal) {
                Some(true) => return Unit::Satisfied,
                Some(false) => {}
                None if last.is_some() => return Unit::Open,
                None => last = Some(literal),
            }
        }
        last.map_or(Unit::Conflict, Unit::Forced)
    }

    /// The truth value of a literal, if known.
    fn known(&mut self, literal: Term) -> Option<bool> {
        let Reading::All(parts) = self.shape(literal) else {
            return self.known_alone(literal);
        };
        // A conjunction inside a clause is false if one part is; nested parts are not examined.
        let mut all = Some(true);
        for &part in parts.iter() {
            match self.known_alone(part) {
                Some(false) => return Some(false),
                None => all = None,
                Some(true) => {}
            }
        }
        all
    }

    fn known_alone(&mut self, literal: Term) -> Option<bool> {
        let (is_false, is_true) = match self.shape(literal) {
            Reading::Constant(value) => return Some(value),
            Reading::Mask(v, m) => (self.masks[v] & m == 0, self.masks[v] & !m == 0),
            Reading::Range(f, range) => {
                let now = &self.ranges[f];
                let mut both = now.clone();
                both.intersect(&range);
                (both.is_empty(), now.within(&range))
            }
            Reading::Other(f, value) => {
                let now = &self.ranges[f];
                (now.is_point(&value), now.excludes(&value))
            }
            Reading::All(_) | Reading::Clause(_) | Reading::Opaque => return None,
        };
        (is_false || is_true).then_some(is_true && !is_false)
    }

    fn shape(&mut self, t: Term) -> Reading {
        if let Some(known) = self.shapes.get(&t) {
            return known.clone();
        }
        let made = self.classify(t);
        self.shapes.insert(t, made.clone());
        made
    }

    fn classify(&mut self, t: Term) -> Reading {
        let terms = self.terms;
        let (atom, negated) = terms.strip_not(t);
        let not = |t: Term| if negated { terms.not(t) } else { t };
        match terms.node(atom) {
            Node::Bool(b) => Reading::Constant(*b != negated),
            Node::Var(..) => {
                let v = self.variable(atom, 0b11);
                Reading::Mask(v, if negated { 0b01 } else { 0b10 })
            }
            Node::Eq(a, b) => self.equation(*a, *b, negated),
            Node::And(list) if !negated => Reading::All(list.iter().copied().collect()),
            Node::Or(list) if negated => Reading::All(list.iter().map(|&l| not(l)).collect()),
            Node::Or(list) => Reading::Clause(list.iter().copied().collect()),
            Node::And(list) => Reading::Clause(list.iter().map(|&l| not(l)).collect()),
            Node::Zero(sum) => {
                let (form, value) = self.form(*sum);
                match negated {
                    true => Reading::Other(form, value),
                    false => Reading::Range(form, Interval::point(value)),
                }
            }
            Node::NonPos(sum) => {
                let integral = terms.sort(*sum) == Sort::Int;
                let (form, value) = self.form(*sum);
                let range = match (negated, integral) {
                    (false, _) => Interval::below(value, false),
                    (true, true) => Interval::above(&value + &Rat::ONE, false),
                    (true, false) => Interval::above(value, true),
                };
                Reading::Range(form, range)
            }
            Node::Neg(sum) => {
                let (form, value) = self.form(*sum);
                let range = match negated {
                    true => Interval::above(value, false),
                    false => Interval::below(value, true),
                };
                Reading::Range(form, range)
            }
            _ => Reading::Opaque,
        }
    }

    fn equation(&mut self, a: Term, b: Term, negated: bool) -> Reading {
        let terms = self.terms;
        let (Node::Var(..), Node::Variant(id, k)) = (terms.node(a), terms.node(b)) else {
            return Reading::Opaque;
        };
        let count = terms.enum_info(*id).variants.len();
        if count > 64 {
            return Reading::Opaque;
        }
        let full = u64::MAX >> (64 - count.max(1));
        let one = 1u64 << k;
        let v = self.variable(a, full);
        Reading::Mask(v, if negated { full & !one } else { one })
    }

    fn variable(&mut self, t: Term, full: u64) -> usize {
        let next = self.full.len();
        let index = *self.variables.entry(t).or_insert(next);
        if index == next {
            self.full.push(full);
            self.masks.push(full);
        }
        index
    }

    /// The form `f` and the value `c` with `sum = f - c`.
    fn form(&mut self, sum: Term) -> (usize, Rat) {
        let mut linear = self.terms.linear(sum);
        let constant = linear.constant().clone();
        linear.add_constant(&-&constant);
        let form = self.terms.sum(linear, self.terms.sort(sum));
        let next = self.ranges.len();
        let index = *self.forms.entry(form).or_insert(next);
        if index == next {
            self.ranges.push(Interval::default());
        }
        (index, -constant)
    }
}

enum Unit {
    Satisfied,
    Conflict,
    Forced(Term),
    Open,
}

impl Interval {
    fn point(value: Rat) -> Interval {
        Interval {
            negated_high: Some((-&value, false)),
            low: Some((value, false)),
        }
    }

    fn below(value: Rat, strict: bool) -> Interval {
        Interval {
            low: None,
            negated_high: Some((-value, strict)),
        }
    }

    fn above(value: Rat, strict: bool) -> Interval {
        Interval {
            low: Some((value, strict)),
            negated_high: None,
        }
    }

    fn intersect(&mut self, other: &Interval) {
        if other.low > self.low {
            self.low.clone_from(&other.low);
        }
        if other.negated_high > self.negated_high {
            self.negated_high.clone_from(&other.negated_high);
        }
    }

    fn is_empty(&self) -> bool {
        let (Some((low, open)), Some((high, open_too))) = (&self.low, &self.negated_high) else {
            return false;
        };
        let gap = low + high;
        gap.is_positive() || (gap.is_zero() && (*open || *open_too))
    }

    fn is_point(&self, value: &Rat) -> bool {
        let at = |e: &End, v: &Rat| e.as_ref().is_some_and(|(end, open)| !open && end == v);
        at(&self.low, value) && at(&self.negated_high, &-value)
    }

    fn excludes(&self, value: &Rat) -> bool {
        self.low > Some((value.clone(), false)) || self.negated_high > Some((-value, false))
    }

    /// Whether every value of this interval lies in the other one.
    fn within(&self, other: &Interval) -> bool {
        self.low >= other.low && self.negated_high >= other.negated_high
    }
}
