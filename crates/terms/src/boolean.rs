//! Builders of Boolean terms, equalities and conditionals.

use crate::node::{Node, Term};
use crate::sorts::{EnumId, Sort};
use crate::store::Terms;
use rustc_hash::FxHashSet;

/// Maximum length of nested conjunctions that are merged into the outer one. Merging longer ones at
/// every step of a long chain would cost its length squared.
const MERGED: usize = 16;

/// The arguments kept so far, without repetitions; the set is built only for long lists.
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
                _ => match self.list_of(t, unit) {
                    Some(inner) if inner.len() <= MERGED => {
                        inner.iter().for_each(|&i| kept.add(i));
                    }
                    _ => kept.add(t),
                },
            }
        }
        // A merged conjunction is represented by its parts only, but its complement may occur too.
        let spread = |inner: Term| {
            let list = self.list_of(inner, unit);
            list.is_some_and(|list| list.iter().all(|&i| kept.contains(i)))
        };
        let complementary = |&t: &Term| match self.node(t) {
            Node::Not(inner) => kept.contains(*inner) || spread(*inner),
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

    /// The arguments of a conjunction, or of a disjunction if `unit` is false.
    #[inline]
    fn list_of(&self, t: Term, unit: bool) -> Option<&[Term]> {
        match self.node(t) {
            Node::And(list) if unit => Some(list),
            Node::Or(list) if !unit => Some(list),
            _ => None,
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
        match flip_a == flip_b {
            true => equal,
            false => self.not(equal),
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

    /// Disequality of two terms of one sort.
    pub fn neq(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    pub(crate) fn eq_structural(&self, a: Term, b: Term) -> Term {
        if a == b {
            return self.tt();
        }
        match (self.is_variant(a), self.is_variant(b)) {
            (true, true) => self.ff(),
            (true, false) => self.eq_variant(b, a),
            (false, true) => self.eq_variant(a, b),
            (false, false) => self.intern(Node::Eq(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    fn is_variant(&self, t: Term) -> bool {
        matches!(self.node(t), Node::Variant(..))
    }

    /// `t = value` for a term that is not a constant. A conditional with a constant branch becomes
    /// a condition, and so does its other branch.
    fn eq_variant(&self, t: Term, value: Term) -> Term {
        let mut chain = Vec::new();
        let mut rest = t;
        let mut result = loop {
            match *self.node(rest) {
                Node::Variant(..) => break self.bool(rest == value),
                Node::Ite(_, x, y) if self.is_variant(x) || self.is_variant(y) => {
                    if let Some(known) = self.equalities.borrow().get(&(rest, value)) {
                        break *known;
                    }
                    chain.push(rest);
                    rest = if self.is_variant(x) { y } else { x };
                }
                _ => break self.intern(Node::Eq(rest, value), Sort::Bool),
            }
        };
        for (depth, &link) in chain.iter().rev().enumerate() {
            let Node::Ite(c, x, y) = *self.node(link) else {
                unreachable!("only conditionals are put on the chain")
            };
            result = if self.is_variant(x) {
                self.ite(c, self.bool(x == value), result)
            } else {
                self.ite(c, result, self.bool(y == value))
            };
            // From time to time the result is kept, so that comparing ever longer chains stays
            // linear.
            if depth % MERGED == MERGED - 1 {
                let mut kept = self.equalities.borrow_mut();
                kept.insert((link, value), result);
            }
        }
        result
    }

    /// Pairwise different.
    pub fn distinct(&self, list: &[Term]) -> Term {
        let pairs = list
            .iter()
            .enumerate()
            .flat_map(|(i, &a)| list[i + 1..].iter().map(move |&b| (a, b)));
        self.and(pairs.map(|(a, b)| self.neq(a, b)))
    }

    /// The parts of a conjunction; the term itself if it is not one; nothing for `true`.
    ///
    /// No part is itself a conjunction, even if a long one was kept inside another.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        self.parts(term, true)
    }

    /// The parts of a disjunction; the term itself if it is not one; nothing for `false`.
    ///
    /// No part is itself a disjunction, even if a long one was kept inside another.
    pub fn disjuncts(&self, term: Term) -> Vec<Term> {
        self.parts(term, false)
    }

    /// The parts of a conjunction, or of a disjunction if `unit` is false.
    pub(crate) fn parts(&self, term: Term, unit: bool) -> Vec<Term> {
        let mut parts = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(t) = stack.pop() {
            match self.list_of(t, unit) {
                // A part that occurs in several of the inner lists is listed once.
                _ if t != term && !seen.insert(t) => {}
                Some(list) => stack.extend(list.iter().rev()),
                None if self.as_bool(t) == Some(unit) => {}
                None => parts.push(t),
            }
        }
        parts
    }
}
