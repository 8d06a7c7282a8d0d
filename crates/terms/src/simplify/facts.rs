//! The context at a position of a formula: known atoms, ranges and enumeration values.

use crate::node::{Node, Term};
use crate::sorts::Sort;
use crate::store::Terms;
use rustc_hash::FxHashMap;
use sectile_base::Rat;

/// How a sum is compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    AtMost,
    Below,
}

/// An atom as a statement about a sum or an enumeration term, which other atoms may mention too.
pub(super) enum Statement {
    /// A sum without constant, compared with a number.
    Number(Term, Relation, Rat),
    /// A term of an enumeration has the value at this position.
    Variant(Term, u32),
    /// Anything else.
    Other,
}

/// One end of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) value: Rat,
    /// Whether the end point is excluded.
    pub(super) open: bool,
}

/// The values that a sum may have. Ranges of integers have closed ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Range {
    pub(super) low: Option<End>,
    pub(super) high: Option<End>,
}

impl Range {
    /// Removes the values below an end. Returns whether the range changed.
    pub(super) fn raise(&mut self, low: End) -> bool {
        let key = |e: &End| (e.value.clone(), e.open);
        let tighter = self.low.as_ref().is_none_or(|old| key(old) < key(&low));
        if tighter {
            self.low = Some(low);
        }
        tighter
    }

    /// Removes the values above an end. Returns whether the range changed.
    pub(super) fn lower(&mut self, high: End) -> bool {
        let key = |e: &End| (e.value.clone(), !e.open);
        let tighter = self.high.as_ref().is_none_or(|old| key(old) > key(&high));
        if tighter {
            self.high = Some(high);
        }
        tighter
    }

    /// The intersection of two ranges.
    pub(super) fn intersect(&self, other: &Range) -> Range {
        let mut both = self.clone();
        if let Some(low) = &other.low {
            both.raise(low.clone());
        }
        if let Some(high) = &other.high {
            both.lower(high.clone());
        }
        both
    }

    /// Whether the range is empty.
    pub(super) fn is_empty(&self) -> bool {
        let (Some(low), Some(high)) = (&self.low, &self.high) else {
            return false;
        };
        low.value > high.value || (low.value == high.value && (low.open || high.open))
    }

    /// The only value, if there is only one.
    pub(super) fn point(&self) -> Option<&Rat> {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if low == high && !low.open => Some(&low.value),
            _ => None,
        }
    }

    /// Whether a value is in the range.
    pub(super) fn contains(&self, value: &Rat) -> bool {
        let above = |low: &End| low.value < *value || (low.value == *value && !low.open);
        let below = |high: &End| *value < high.value || (high.value == *value && !high.open);
        self.low.as_ref().is_none_or(above) && self.high.as_ref().is_none_or(below)
    }

    /// The truth of a comparison with a number, if it is the same for all values of the range.
    fn decide(&self, relation: Relation, value: &Rat) -> Option<bool> {
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        match relation {
            Relation::Equal if !self.contains(value) => Some(false),
            Relation::Equal => (self.point() == Some(value)).then_some(true),
            Relation::AtMost if high.is_some_and(|h| h.value <= *value) => Some(true),
            Relation::AtMost => low
                .is_some_and(|l| l.value > *value || (l.value == *value && l.open))
                .then_some(false),
            Relation::Below if low.is_some_and(|l| l.value >= *value) => Some(false),
            Relation::Below => high
                .is_some_and(|h| h.value < *value || (h.value == *value && h.open))
                .then_some(true),
        }
    }

    /// Restricts the range to the values for which the comparison has this truth value. For
    /// `integer` sums, strict bounds are tightened. A single excluded value inside leaves the range
    /// unchanged.
    pub(super) fn restrict(&mut self, relation: Relation, value: &Rat, truth: bool, integer: bool) {
        let end = |open: bool| End {
            value: value.clone(),
            open,
        };
        let next = || End {
            value: value + &Rat::ONE,
            open: false,
        };
        match (relation, truth) {
            (Relation::Equal, true) => self.raise(end(false)) | self.lower(end(false)),
            (Relation::Equal, false) => false,
            (Relation::AtMost, true) => self.lower(end(false)),
            (Relation::AtMost, false) if integer => self.raise(next()),
            (Relation::AtMost, false) => self.raise(end(true)),
            (Relation::Below, true) => self.lower(end(true)),
            (Relation::Below, false) => self.raise(end(false)),
        };
    }
}

/// What is known about the value of an enumeration.
#[derive(Clone, Copy, Debug, Default)]
struct Choice {
    value: Option<u32>,
    /// The number of excluded values; the values themselves are recorded as atoms.
    excluded: usize,
}

/// One change, with the previous content.
enum Change {
    Known(Term, Option<bool>),
    Range(Term, Option<Range>),
    Choice(Term, Option<Choice>),
}

/// A point to which the context can be rolled back.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    changes: usize,
    version: u32,
}

/// The context at a position of a formula.
pub(super) struct Facts<'t> {
    pub(super) terms: &'t Terms,
    /// The truth of atoms.
    pub(super) known: FxHashMap<Term, bool>,
    /// The ranges of sums without constant.
    pub(super) ranges: FxHashMap<Term, Range>,
    choices: FxHashMap<Term, Choice>,
    changes: Vec<Change>,
    /// Identifies the content: equal numbers mean equal contexts.
    pub(super) version: u32,
    versions: u32,
    /// The sum without constant and the negated constant of numeric terms, memoised.
    forms: FxHashMap<Term, (Term, Rat)>,
}

impl<'t> Facts<'t> {
    /// The empty context.
    pub(super) fn new(terms: &'t Terms) -> Facts<'t> {
        Facts {
            terms,
            known: FxHashMap::default(),
            ranges: FxHashMap::default(),
            choices: FxHashMap::default(),
            changes: Vec::new(),
            version: 0,
            versions: 0,
            forms: FxHashMap::default(),
        }
    }

    /// The present state.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            changes: self.changes.len(),
            version: self.version,
        }
    }

    /// Rolls back to a mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        for change in self.changes.drain(mark.changes..).rev() {
            match change {
                Change::Known(t, old) => put(&mut self.known, t, old),
                Change::Range(t, old) => put(&mut self.ranges, t, old),
                Change::Choice(t, old) => put(&mut self.choices, t, old),
            }
        }
        self.version = mark.version;
    }

    /// The statement of an atom.
    pub(super) fn statement(&mut self, atom: Term) -> Statement {
        let (relation, sum) = match *self.terms.node(atom) {
            Node::Zero(sum) => (Relation::Equal, sum),
            Node::NonPos(sum) => (Relation::AtMost, sum),
            Node::Neg(sum) => (Relation::Below, sum),
            Node::Eq(of, value) => {
                return match *self.terms.node(value) {
                    Node::Variant(_, k) => Statement::Variant(of, k),
                    _ => Statement::Other,
                };
            }
            _ => return Statement::Other,
        };
        let (form, value) = self.form(sum);
        Statement::Number(form, relation, value)
    }

    /// Splits `sum <= 0` into `form <= value`.
    fn form(&mut self, sum: Term) -> (Term, Rat) {
        let terms = self.terms;
        match terms.node(sum) {
            Node::Sum(linear) if !linear.constant().is_zero() => {
                let split = || {
                    let mut form = linear.clone();
                    form.add_constant(&-linear.constant());
                    (terms.leaf_sum(form, terms.sort(sum)), -linear.constant())
                };
                self.forms.entry(sum).or_insert_with(split).clone()
            }
            _ => (sum, Rat::ZERO),
        }
    }

    /// The number of enumeration values that are known to be excluded.
    pub(super) fn excluded(&self, of: Term) -> usize {
        self.choices.get(&of).map_or(0, |c| c.excluded)
    }

    /// The truth of a formula, if the context decides it.
    pub(super) fn decide(&mut self, formula: Term) -> Option<bool> {
        let (atom, negated) = self.terms.strip_not(formula);
        let truth = match self.known.get(&atom) {
            Some(truth) => Some(*truth),
            None if self.ranges.is_empty() && self.choices.is_empty() => None,
            None => self.decide_statement(atom),
        };
        truth.or(self.terms.as_bool(atom)).map(|b| b != negated)
    }

    fn decide_statement(&mut self, atom: Term) -> Option<bool> {
        match self.statement(atom) {
            Statement::Number(form, relation, value) => {
                self.ranges.get(&form)?.decide(relation, &value)
            }
            Statement::Variant(of, k) => {
                let choice = self.choices.get(&of)?;
                let all = self.terms.variant_count(of);
                match choice.value {
                    Some(value) => Some(value == k),
                    // This value is not among the excluded ones: otherwise the atom itself would be
                    // known.
                    None => (choice.excluded + 1 == all).then_some(true),
                }
            }
            Statement::Other => None,
        }
    }

    /// Records the truth value of a formula, without consequences.
    pub(super) fn learn(&mut self, formula: Term, truth: bool) {
        let (atom, negated) = self.terms.strip_not(formula);
        let old = self.known.insert(atom, truth != negated);
        self.note(Change::Known(atom, old));
    }

    /// Removes the truth value of a formula.
    pub(super) fn forget(&mut self, formula: Term) {
        let (atom, _) = self.terms.strip_not(formula);
        let old = self.known.remove(&atom);
        self.note(Change::Known(atom, old));
    }

    /// Records the truth value of a literal, and its consequences for its sum or enumeration.
    pub(super) fn learn_literal(&mut self, literal: Term, truth: bool) {
        let (atom, negated) = self.terms.strip_not(literal);
        let truth = truth != negated;
        if self.known.get(&atom) == Some(&truth) {
            return;
        }
        self.learn(atom, truth);
        match self.statement(atom) {
            Statement::Number(form, relation, value) => {
                let integer = self.terms.sort(form) == Sort::Int;
                let old = self.ranges.get(&form).cloned();
                let range = self.ranges.entry(form).or_default();
                range.restrict(relation, &value, truth, integer);
                self.note(Change::Range(form, old));
            }
            Statement::Variant(of, k) => {
                let old = self.choices.get(&of).copied();
                let choice = self.choices.entry(of).or_default();
                if truth {
                    choice.value = Some(k);
                } else {
                    choice.excluded += 1;
                }
                self.note(Change::Choice(of, old));
            }
            Statement::Other => {}
        }
    }

    fn note(&mut self, change: Change) {
        self.changes.push(change);
        self.versions += 1;
        self.version = self.versions;
    }
}

fn put<V>(map: &mut FxHashMap<Term, V>, key: Term, value: Option<V>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}
