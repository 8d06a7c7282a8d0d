//! Walking over terms and rewriting them, without recursion.

use crate::node::{Node, Term};
use crate::sorts::Sort;
use crate::store::{Stage, Symbol, SymbolKind, Terms};
use crate::term_map::TermMap;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use sectile_base::Rat;
use std::collections::BTreeSet;

/// Replaces terms by terms, bottom up, with a memo table.
///
/// The function is called for every sub-term; if it returns `Some`, that replaces the sub-term, and
/// its arguments are not visited. Keep a rewriter as long as its function stays the same: later
/// calls reuse earlier results.
pub struct Rewriter<'t, F> {
    terms: &'t Terms,
    replace: F,
    done: TermMap<Term>,
}

impl<'t, F: FnMut(Term) -> Option<Term>> Rewriter<'t, F> {
    /// A rewriter with an empty memo table.
    pub fn new(terms: &'t Terms, replace: F) -> Rewriter<'t, F> {
        Rewriter {
            terms,
            replace,
            done: TermMap::default(),
        }
    }

    /// The rewritten term.
    pub fn apply(&mut self, root: Term) -> Term {
        let mut stack = vec![(root, false)];
        let mut visits = 0;
        while let Some((t, expanded)) = stack.pop() {
            visits += 1;
            if self.done.contains(t) {
                continue;
            }
            if expanded {
                let new = self.terms.renew(t, |c| self.done[c]);
                self.done.insert(t, new);
                continue;
            }
            if let Some(new) = (self.replace)(t) {
                self.done.insert(t, new);
                continue;
            }
            stack.push((t, true));
            let before = stack.len();
            self.terms.node(t).for_each_child(|c| {
                if !self.done.contains(c) {
                    stack.push((c, false));
                }
            });
            stack[before..].reverse();
        }
        self.terms.count_visits(visits);
        self.done[root]
    }
}

/// A simultaneous replacement of terms (usually variables) by terms.
pub type Substitution = FxHashMap<Term, Term>;

impl Terms {
    /// The same operator on other arguments, normalised. The arguments are requested in order.
    pub fn rebuild(&self, t: Term, map: impl FnMut(Term) -> Term) -> Term {
        match self.node(t) {
            Node::Bool(_) | Node::Number(_) | Node::Variant(..) | Node::Var(..) => t,
            node => self.build(node, self.sort(t), map),
        }
    }

    /// The operator of a node, possibly of another store, on arguments of this one.
    pub(crate) fn build(&self, node: &Node, sort: Sort, mut map: impl FnMut(Term) -> Term) -> Term {
        match node {
            Node::Bool(_) | Node::Number(_) | Node::Variant(..) | Node::Var(..) => {
                self.intern(node.clone(), sort)
            }
            Node::Not(a) => self.not(map(*a)),
            Node::And(list) => self.and(list.iter().map(|&c| map(c))),
            Node::Or(list) => self.or(list.iter().map(|&c| map(c))),
            Node::Ite(c, a, b) => self.ite(map(*c), map(*a), map(*b)),
            Node::Eq(a, b) => self.eq(map(*a), map(*b)),
            Node::Zero(a) => self.eq_zero(map(*a)),
            Node::NonPos(a) => self.non_pos(map(*a)),
            Node::Neg(a) => self.negative(map(*a)),
            Node::Sum(linear) => self.rebuild_sum(linear, sort, map),
            Node::Div(a, d) => self.div(map(*a), d),
            Node::Mod(a, d) => self.modulo(map(*a), d),
            Node::Abs(a) => self.abs(map(*a)),
            Node::Min(a, b) => self.min(map(*a), map(*b)),
            Node::Max(a, b) => self.max(map(*a), map(*b)),
            Node::ToReal(a) => self.to_real(map(*a)),
            Node::Floor(a) => self.floor(map(*a)),
            Node::Select(a, i) => self.select(map(*a), map(*i)),
            Node::Store(a, i, v) => self.store(map(*a), map(*i), map(*v)),
            Node::Filled(id, v) => self.filled(*id, map(*v)),
            Node::Difference(a, b) => self.differing_index(map(*a), map(*b)),
        }
    }

    /// Like [`Terms::rebuild`], but returns the same term if no argument changed.
    pub(crate) fn renew(&self, t: Term, map: impl Fn(Term) -> Term) -> Term {
        let mut changed = false;
        self.node(t)
            .for_each_child(|c| changed = changed || map(c) != c);
        if changed { self.rebuild(t, map) } else { t }
    }

    /// Every sub-term of the roots once, arguments before the terms that use them.
    pub fn post_order(&self, roots: &[Term]) -> Vec<Term> {
        self.post_order_unless(roots, |_| false)
    }

    /// The same without known terms and terms that only they use.
    pub fn post_order_unless(&self, roots: &[Term], known: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut order = Vec::new();
        let mut seen: TermMap<()> = TermMap::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&r| (r, false)).collect();
        while let Some((t, expanded)) = stack.pop() {
            if expanded {
                order.push(t);
            } else if !seen.contains(t) && !known(t) {
                seen.insert(t, ());
                stack.push((t, true));
                let before = stack.len();
                self.node(t).for_each_child(|c| {
                    if !seen.contains(c) {
                        stack.push((c, false));
                    }
                });
                stack[before..].reverse();
            }
        }
        self.count_visits(u32::try_from(2 * order.len()).unwrap_or(u32::MAX));
        order
    }

    /// Number of different sub-terms.
    pub fn size(&self, t: Term) -> usize {
        self.post_order(&[t]).len()
    }

    /// Number of sub-terms counting every occurrence: the length of the written term.
    pub fn written_size(&self, t: Term) -> u64 {
        let mut sizes: TermMap<u64> = TermMap::default();
        for s in self.post_order(&[t]) {
            let mut size = 1_u64;
            self.node(s)
                .for_each_child(|c| size = size.saturating_add(sizes[c]));
            sizes.insert(s, size);
        }
        sizes[t]
    }

    /// The variables of a term with their stages, in order of first occurrence.
    pub fn free_vars(&self, t: Term) -> IndexSet<(Symbol, Stage), FxBuildHasher> {
        self.free_vars_of(&[t])
    }

    /// The variables of several terms with their stages, in order of first occurrence.
    pub fn free_vars_of(&self, roots: &[Term]) -> IndexSet<(Symbol, Stage), FxBuildHasher> {
        let variable = |t: &Term| match self.node(*t) {
            Node::Var(symbol, stage) => Some((*symbol, *stage)),
            _ => None,
        };
        self.post_order(roots).iter().filter_map(variable).collect()
    }

    /// The bound symbols of several terms: a formula that mentions some holds for all their values.
    pub fn bound_symbols(&self, roots: &[Term]) -> BTreeSet<Symbol> {
        let symbols = self.free_vars_of(roots).into_iter().map(|v| v.0);
        let bound = symbols.filter(|&s| self.symbol_kind(s) == SymbolKind::Bound);
        bound.collect()
    }

    /// Replaces terms by terms, all at once.
    pub fn substitute(&self, t: Term, map: &Substitution) -> Term {
        if map.is_empty() {
            return t;
        }
        Rewriter::new(self, |s| map.get(&s).copied()).apply(t)
    }

    /// Moves every variable to another stage. Rigid symbols stay.
    pub fn restage(&self, t: Term, stage: impl Fn(Symbol, Stage) -> Stage) -> Term {
        let replace = |s: Term| match self.node(s) {
            Node::Var(symbol, old) => Some(self.var_at(*symbol, stage(*symbol, *old))),
            _ => None,
        };
        Rewriter::new(self, replace).apply(t)
    }

    /// The formula about the state after the step: current variables become primed ones.
    pub fn prime(&self, t: Term) -> Term {
        self.restage(t, |_, stage| match stage {
            Stage::Now => Stage::Next,
            other => other,
        })
    }

    /// The formula about the current state: primed variables become current ones.
    pub fn unprime(&self, t: Term) -> Term {
        self.restage(t, |_, stage| match stage {
            Stage::Next => Stage::Now,
            other => other,
        })
    }

    /// The formula at step `k` of an unrolling: current variables at `k`, primed ones at `k + 1`.
    pub fn at_step(&self, t: Term, k: u32) -> Term {
        self.restage(t, |_, stage| match stage {
            Stage::Now => Stage::At(k),
            Stage::Next => Stage::At(k + 1),
            other => other,
        })
    }

    /// The formula about the current state obtained from an unrolled formula about step `k`.
    pub fn from_step(&self, t: Term, k: u32) -> Term {
        self.restage(t, |_, stage| match stage {
            Stage::At(s) if s == k => Stage::Now,
            Stage::At(s) if s == k + 1 => Stage::Next,
            other => other,
        })
    }

    /// The atoms of a Boolean term: its Boolean leaves and its comparisons, without negations.
    pub fn atoms(&self, t: Term) -> Vec<Term> {
        let mut found: IndexSet<Term, FxBuildHasher> = IndexSet::default();
        for s in self.post_order(&[t]) {
            let leaf = match self.node(s) {
                Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => true,
                Node::Var(..) | Node::Select(..) => self.sort(s) == Sort::Bool,
                Node::Eq(a, _) => self.sort(*a) != Sort::Bool,
                _ => false,
            };
            if leaf {
                found.insert(s);
            }
        }
        found.into_iter().collect()
    }

    /// Replaces `abs`, `min` and `max` by conditionals, for syntaxes without them.
    pub fn lower_extrema(&self, t: Term) -> Term {
        let mut done: TermMap<Term> = TermMap::default();
        for s in self.post_order(&[t]) {
            let rebuilt = self.renew(s, |c| done[c]);
            let lowered = match *self.node(rebuilt) {
                Node::Abs(a) => {
                    let zero = self.number(Rat::ZERO, self.sort(a));
                    self.ite(self.ge(a, zero), a, self.neg(a))
                }
                Node::Min(a, b) => self.ite(self.le(a, b), a, b),
                Node::Max(a, b) => self.ite(self.le(a, b), b, a),
                _ => rebuilt,
            };
            done.insert(s, lowered);
        }
        done[t]
    }
}
