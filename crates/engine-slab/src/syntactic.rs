//! A quick test for contradictions, before the solver is asked.
//!
//! Most steps between two nodes are impossible for a plain reason: a program counter would need
//! two values, or a number would lie below and above a bound. This test keeps a bit mask for every
//! variable with a small domain and an interval for every linear form, and propagates units
//! through disjunctions. It answers "contradictory" or "do not know", never wrongly the former.

use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_terms::{Node, Sort, Term, Terms};
use std::rc::Rc;

/// One end of an interval; strict ends exclude their value.
#[derive(Clone, Debug)]
struct End {
    value: Rat,
    strict: bool,
}

#[derive(Clone, Debug, Default)]
struct Interval {
    low: Option<End>,
    high: Option<End>,
}

/// What a formula says to this test.
#[derive(Clone, Debug)]
enum Shape {
    /// A variable of a small domain has one of these values.
    Mask(usize, u64),
    /// A linear form lies in this interval.
    Range(usize, Interval),
    /// A linear form does not have this value.
    Other(usize, Rat),
    /// One of these.
    Clause(Rc<[Term]>),
    /// All of these.
    All(Rc<[Term]>),
    /// A truth value.
    Constant(bool),
    /// Nothing that can be used.
    Opaque,
}

/// What is known of a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    True,
    False,
    Open,
}

/// The facts of one question contradict each other.
struct Contradiction;

/// The test, with everything it found out about formulas so far.
pub struct Syntactic<'t> {
    terms: &'t Terms,
    shapes: FxHashMap<Term, Shape>,
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
    /// A test over a store.
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

    /// Whether the conjunction is contradictory for a plain reason.
    pub fn contradictory(&mut self, conjuncts: impl IntoIterator<Item = Term>) -> bool {
        let mut result = false;
        for t in conjuncts {
            if self.assume(t).is_err() {
                result = true;
                break;
            }
        }
        let result = result || self.propagate().is_err();
        self.reset();
        result
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
                Shape::Constant(true) | Shape::Opaque => {}
                Shape::Constant(false) => return Err(Contradiction),
                Shape::Mask(v, m) => {
                    self.touched_masks.push(v);
                    self.masks[v] &= m;
                    if self.masks[v] == 0 {
                        return Err(Contradiction);
                    }
                }
                Shape::Range(f, range) => {
                    self.touched_ranges.push(f);
                    self.ranges[f].intersect(&range);
                    if self.ranges[f].is_empty() {
                        return Err(Contradiction);
                    }
                }
                Shape::Other(f, value) => self.others.push((f, value)),
                Shape::Clause(literals) => self.clauses.push(literals),
                Shape::All(parts) => list.extend(parts.iter().copied()),
            }
        }
        Ok(())
    }

    /// Units through clauses, and excluded values, until nothing changes.
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
                Known::True => return Unit::Satisfied,
                Known::False => {}
                Known::Open if last.is_some() => return Unit::Open,
                Known::Open => last = Some(literal),
            }
        }
        last.map_or(Unit::Conflict, Unit::Forced)
    }

    fn known(&mut self, literal: Term) -> Known {
        match self.shape(literal) {
            Shape::Constant(true) => Known::True,
            Shape::Constant(false) => Known::False,
            Shape::Mask(v, m) => match self.masks[v] & m {
                0 => Known::False,
                rest if rest == self.masks[v] => Known::True,
                _ => Known::Open,
            },
            Shape::Range(f, range) => {
                let now = &self.ranges[f];
                let mut both = now.clone();
                both.intersect(&range);
                if both.is_empty() {
                    Known::False
                } else if now.within(&range) {
                    Known::True
                } else {
                    Known::Open
                }
            }
            Shape::Other(f, value) => {
                let now = &self.ranges[f];
                if now.is_point(&value) {
                    Known::False
                } else if now.excludes(&value) {
                    Known::True
                } else {
                    Known::Open
                }
            }
            Shape::All(parts) => {
                // A conjunction inside a clause is false if one part is.
                let mut all = Known::True;
                for &part in parts.iter() {
                    if self.shape_is_compound(part) {
                        all = Known::Open;
                        continue;
                    }
                    match self.known(part) {
                        Known::False => return Known::False,
                        Known::Open => all = Known::Open,
                        Known::True => {}
                    }
                }
                all
            }
            Shape::Clause(_) | Shape::Opaque => Known::Open,
        }
    }

    fn shape_is_compound(&mut self, t: Term) -> bool {
        matches!(self.shape(t), Shape::All(_) | Shape::Clause(_))
    }

    fn shape(&mut self, t: Term) -> Shape {
        if let Some(known) = self.shapes.get(&t) {
            return known.clone();
        }
        let made = self.classify(t);
        self.shapes.insert(t, made.clone());
        made
    }

    fn classify(&mut self, t: Term) -> Shape {
        let terms = self.terms;
        let (atom, negated) = terms.strip_not(t);
        let not = |t: Term| if negated { terms.not(t) } else { t };
        match terms.node(atom) {
            Node::Bool(b) => Shape::Constant(*b != negated),
            Node::Var(..) => {
                let v = self.variable(atom, 0b11);
                Shape::Mask(v, if negated { 0b01 } else { 0b10 })
            }
            Node::Eq(a, b) => self.equation(*a, *b, negated),
            Node::And(list) if !negated => Shape::All(list.iter().copied().collect()),
            Node::Or(list) if negated => Shape::All(list.iter().map(|&l| not(l)).collect()),
            Node::Or(list) => Shape::Clause(list.iter().copied().collect()),
            Node::And(list) => Shape::Clause(list.iter().map(|&l| not(l)).collect()),
            Node::Zero(sum) => {
                let (form, value) = self.form(*sum);
                if negated {
                    Shape::Other(form, value)
                } else {
                    Shape::Range(form, Interval::point(value))
                }
            }
            Node::NonPos(sum) => {
                let integral = terms.sort(*sum) == Sort::Int;
                let (form, value) = self.form(*sum);
                Shape::Range(
                    form,
                    match (negated, integral) {
                        (false, _) => Interval::below(value, false),
                        (true, true) => Interval::above(&value + &Rat::ONE, false),
                        (true, false) => Interval::above(value, true),
                    },
                )
            }
            Node::Neg(sum) => {
                let (form, value) = self.form(*sum);
                Shape::Range(
                    form,
                    if negated {
                        Interval::above(value, false)
                    } else {
                        Interval::below(value, true)
                    },
                )
            }
            _ => Shape::Opaque,
        }
    }

    fn equation(&mut self, a: Term, b: Term, negated: bool) -> Shape {
        let terms = self.terms;
        let (Node::Var(..), Node::Variant(id, k)) = (terms.node(a), terms.node(b)) else {
            return Shape::Opaque;
        };
        let count = terms.enum_info(*id).variants.len();
        if count > 64 {
            return Shape::Opaque;
        }
        let full = u64::MAX >> (64 - count.max(1));
        let one = 1u64 << k;
        let v = self.variable(a, full);
        Shape::Mask(v, if negated { full & !one } else { one })
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
        let end = End {
            value,
            strict: false,
        };
        Interval {
            low: Some(end.clone()),
            high: Some(end),
        }
    }

    fn below(value: Rat, strict: bool) -> Interval {
        Interval {
            low: None,
            high: Some(End { value, strict }),
        }
    }

    fn above(value: Rat, strict: bool) -> Interval {
        Interval {
            low: Some(End { value, strict }),
            high: None,
        }
    }

    fn intersect(&mut self, other: &Interval) {
        if let Some(end) = &other.low
            && !self.low.as_ref().is_some_and(|l| l.is_above(end))
        {
            self.low = Some(end.clone());
        }
        if let Some(end) = &other.high
            && !self.high.as_ref().is_some_and(|h| h.is_below(end))
        {
            self.high = Some(end.clone());
        }
    }

    fn is_empty(&self) -> bool {
        match (&self.low, &self.high) {
            (Some(l), Some(h)) => {
                l.value > h.value || (l.value == h.value && (l.strict || h.strict))
            }
            _ => false,
        }
    }

    fn is_point(&self, value: &Rat) -> bool {
        let at = |e: &Option<End>| e.as_ref().is_some_and(|e| !e.strict && e.value == *value);
        at(&self.low) && at(&self.high)
    }

    fn excludes(&self, value: &Rat) -> bool {
        let low = self.low.as_ref();
        let high = self.high.as_ref();
        low.is_some_and(|l| l.value > *value || (l.strict && l.value == *value))
            || high.is_some_and(|h| h.value < *value || (h.strict && h.value == *value))
    }

    /// Whether every value of this interval lies in the other one.
    fn within(&self, other: &Interval) -> bool {
        let low = match (&self.low, &other.low) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => a.is_above(b),
        };
        let high = match (&self.high, &other.high) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => a.is_below(b),
        };
        low && high
    }
}

impl End {
    /// As a lower end, at least as tight as the other one.
    fn is_above(&self, other: &End) -> bool {
        self.value > other.value || (self.value == other.value && (self.strict || !other.strict))
    }

    /// As an upper end, at least as tight as the other one.
    fn is_below(&self, other: &End) -> bool {
        self.value < other.value || (self.value == other.value && (self.strict || !other.strict))
    }
}
