//! Builders of Boolean terms, equalities and conditionals.

use crate::node::{Node, Term};
use crate::sort::{EnumId, Sort};
use crate::store::Terms;
use rustc_hash::FxHashSet;

/// Nested conjunctions up to this length are merged into the outer one. Longer ones are kept as
/// they are: merging at every step of a long chain would cost its length squared.
const MERGED: usize = 16;

/// The arguments kept so far, without repetitions; the set is only built for long lists.
#[derive(Default)]
struct Kept {
    order: Vec<Term>,
    set: FxHashSet<Term>,
}

impl Kept {
    fn contains(&self, t: Term) -> bool {
        if self.set.is_empty() {
            self.order.contains(&t)
        } else {
            self.set.contains(&t)
        }
    }

    fn add(&mut self, t: Term) {
        if self.contains(t) {
            return;
        }
        self.order.push(t);
        if self.order.len() == MERGED {
            self.set.extend(self.order.iter().copied());
        } else if self.order.len() > MERGED {
            self.set.insert(t);
        }
    }
}

impl Terms {
    /// `true`.
    pub fn tt(&self) -> Term {
        Term(1)
    }

    /// `false`.
    pub fn ff(&self) -> Term {
        Term(0)
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Term {
        Term(u32::from(value))
    }

    /// The truth value that a term is, if it is one.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match term {
            Term(0) => Some(false),
            Term(1) => Some(true),
            _ => None,
        }
    }

    /// A value of an enumeration by position.
    pub fn variant(&self, id: EnumId, index: u32) -> Term {
        debug_assert!((index as usize) < self.enum_info(id).variants.len());
        self.intern(Node::Variant(id, index), Sort::Enum(id))
    }

    /// Negation.
    pub fn not(&self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Bool);
        match self.node(a) {
            Node::Bool(b) => self.bool(!b),
            Node::Not(inner) => *inner,
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// Conjunction of two.
    pub fn and2(&self, a: Term, b: Term) -> Term {
        self.and([a, b])
    }

    /// Disjunction of two.
    pub fn or2(&self, a: Term, b: Term) -> Term {
        self.or([a, b])
    }

    /// Conjunction, in the given order, without repetitions.
    pub fn and(&self, list: impl IntoIterator<Item = Term>) -> Term {
        self.junction(true, list)
    }

    /// Disjunction, in the given order, without repetitions.
    pub fn or(&self, list: impl IntoIterator<Item = Term>) -> Term {
        self.junction(false, list)
    }

    /// `unit` is the neutral element: true for a conjunction.
    fn junction(&self, unit: bool, list: impl IntoIterator<Item = Term>) -> Term {
        let mut kept = Kept::default();
        for t in list {
            debug_assert_eq!(self.sort(t), Sort::Bool);
            match self.node(t) {
                Node::Bool(b) if *b == unit => {}
                Node::Bool(_) => return self.bool(!unit),
                Node::And(inner) if unit && inner.len() <= MERGED => {
                    inner.iter().for_each(|&i| kept.add(i));
                }
                Node::Or(inner) if !unit && inner.len() <= MERGED => {
                    inner.iter().for_each(|&i| kept.add(i));
                }
                _ => kept.add(t),
            }
        }
        let complementary = |&t: &Term| match self.node(t) {
            Node::Not(inner) => kept.contains(*inner),
            _ => false,
        };
        if kept.order.iter().any(complementary) {
            return self.bool(!unit);
        }
        let kept = kept.order;
        match kept.len() {
            0 => self.bool(unit),
            1 => kept[0],
            _ if unit => self.intern(Node::And(kept.into()), Sort::Bool),
            _ => self.intern(Node::Or(kept.into()), Sort::Bool),
        }
    }

    /// Implication, as a disjunction.
    pub fn implies(&self, a: Term, b: Term) -> Term {
        self.or([self.not(a), b])
    }

    /// Equivalence.
    pub fn iff(&self, a: Term, b: Term) -> Term {
        if a == b {
            return self.tt();
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(x), _) => return if x { b } else { self.not(b) },
            (_, Some(y)) => return if y { a } else { self.not(a) },
            _ => {}
        }
        let (a, flip_a) = self.strip_not(a);
        let (b, flip_b) = self.strip_not(b);
        let equal = if a == b {
            self.tt()
        } else {
            self.intern(Node::Eq(a.min(b), a.max(b)), Sort::Bool)
        };
        if flip_a == flip_b {
            equal
        } else {
            self.not(equal)
        }
    }

    /// The term under a negation, and whether there was one.
    pub fn strip_not(&self, a: Term) -> (Term, bool) {
        match self.node(a) {
            Node::Not(inner) => (*inner, true),
            _ => (a, false),
        }
    }

    /// If-then-else; both branches have the same sort.
    pub fn ite(&self, c: Term, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return a;
        }
        if let Some(value) = self.as_bool(c) {
            return if value { a } else { b };
        }
        if let Node::Not(inner) = self.node(c) {
            return self.ite(*inner, b, a);
        }
        if self.sort(a) == Sort::Bool {
            match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), Some(_)) => return c,
                (Some(false), Some(_)) => return self.not(c),
                (Some(true), None) => return self.or([c, b]),
                (Some(false), None) => return self.and([self.not(c), b]),
                (None, Some(true)) => return self.or([self.not(c), a]),
                (None, Some(false)) => return self.and([c, a]),
                (None, None) => {}
            }
        }
        self.intern(Node::Ite(c, a, b), self.sort(a))
    }

    /// Equality of two terms of one sort.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::Int | Sort::Real => self.eq_zero(self.sub(a, b)),
            Sort::Enum(_) | Sort::Array(_) => self.eq_structural(a, b),
        }
    }

    /// Disequality of two terms of one sort.
    pub fn neq(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    fn eq_structural(&self, a: Term, b: Term) -> Term {
        if a == b {
            return self.tt();
        }
        let is_value = |t: Term| matches!(self.node(t), Node::Variant(..));
        let (a, b) = match (is_value(a), is_value(b)) {
            (true, true) => return self.ff(),
            (true, false) => (b, a),
            (false, true) => (a, b),
            (false, false) => (a.min(b), a.max(b)),
        };
        // A conditional between constants compared with a constant is a condition.
        if let Node::Ite(c, x, y) = *self.node(a)
            && is_value(b)
            && (is_value(x) || is_value(y))
        {
            return self.ite(c, self.eq_structural(x, b), self.eq_structural(y, b));
        }
        self.intern(Node::Eq(a, b), Sort::Bool)
    }

    /// Pairwise different.
    pub fn distinct(&self, list: &[Term]) -> Term {
        let pairs = list
            .iter()
            .enumerate()
            .flat_map(|(i, &a)| list[i + 1..].iter().map(move |&b| (a, b)));
        self.and(pairs.map(|(a, b)| self.neq(a, b)))
    }

    /// The parts of a conjunction; the term itself where it is none; nothing for `true`.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::And(list) => list.to_vec(),
            Node::Bool(true) => Vec::new(),
            _ => vec![term],
        }
    }

    /// The parts of a disjunction; the term itself where it is none; nothing for `false`.
    pub fn disjuncts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::Or(list) => list.to_vec(),
            Node::Bool(false) => Vec::new(),
            _ => vec![term],
        }
    }

    /// Array element.
    pub fn select(&self, array: Term, index: Term) -> Term {
        let Sort::Array(id) = self.sort(array) else {
            unreachable!("the callers check that the first argument is an array")
        };
        if let Node::Store(inner, i, value) = *self.node(array) {
            if i == index {
                return value;
            }
            if self.as_bool(self.eq(i, index)) == Some(false) {
                return self.select(inner, index);
            }
        }
        self.intern(Node::Select(array, index), self.array_parts(id).1)
    }

    /// Array with one element replaced.
    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        self.intern(Node::Store(array, index, value), self.sort(array))
    }
}
