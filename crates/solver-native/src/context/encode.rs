//! Walking over terms, children first, without recursion.

use super::NativeSolver;
use super::define::BOTH;
use crate::arith::Relation;
use crate::proof_log::Origin;
use crate::sat::{Guard, Lit};
use sectile_solver::SolverError;
use sectile_terms::{Node, Sort, Term};

impl NativeSolver<'_> {
    /// The literal of a Boolean term that was encoded.
    pub(super) fn literal(&self, t: Term) -> Lit {
        let (inner, negated) = self.terms.strip_not(t);
        let lit = self.literals.get(inner.index());
        let lit = lit.expect("the term was encoded before its literal is asked for");
        if negated { !lit } else { lit }
    }

    fn is_encoded(&self, t: Term) -> bool {
        if self.terms.sort(t) == Sort::Bool {
            let (inner, _) = self.terms.strip_not(t);
            self.literals.get(inner.index()).is_some()
        } else if matches!(self.terms.sort(t), Sort::Array(_) | Sort::Enum(_)) {
            self.arrays.contains(t)
        } else {
            self.leaves.contains_key(&t)
        }
    }

    /// Makes sure that a term and all it depends on have literals and variables.
    pub(super) fn encode(&mut self, root: Term) -> Result<(), SolverError> {
        if self.is_encoded(root) {
            return Ok(());
        }
        self.walk.clear();
        self.walk.push(root);
        while let Some(&t) = self.walk.last() {
            if self.is_encoded(t) {
                self.walk.pop();
                continue;
            }
            let before = self.walk.len();
            self.push_children(t)?;
            if self.walk.len() == before {
                self.walk.pop();
                self.encode_node(t);
            }
        }
        Ok(())
    }

    fn push_unencoded(&mut self, t: Term) {
        if !self.is_encoded(t) {
            self.walk.push(t);
        }
    }

    /// The operators inside a sum.
    fn push_leaves(&mut self, t: Term) {
        match self.terms.node(t) {
            Node::Number(_) => {}
            Node::Sum(linear) => {
                for (leaf, _) in linear.monomials() {
                    self.push_unencoded(*leaf);
                }
            }
            _ => self.push_unencoded(t),
        }
    }

    /// An array, or an index or an element of one.
    fn push_part(&mut self, t: Term) {
        match self.terms.sort(t) {
            Sort::Bool | Sort::Array(_) => self.push_unencoded(t),
            Sort::Int | Sort::Real => self.push_leaves(t),
            // Encoded with each equality it occurs in; elements of arrays must be known, though.
            Sort::Enum(_) => match *self.terms.node(t) {
                Node::Select(..) | Node::Difference(..) => self.push_unencoded(t),
                Node::Ite(c, a, b) => {
                    self.push_unencoded(c);
                    self.push_part(a);
                    self.push_part(b);
                }
                _ => {}
            },
        }
    }

    /// Pushes what must be encoded before `t`.
    fn push_children(&mut self, t: Term) -> Result<(), SolverError> {
        let terms = self.terms;
        match terms.node(t) {
            Node::Bool(_) | Node::Number(_) | Node::Variant(..) | Node::Var(..) => {}
            Node::Not(a) => self.push_unencoded(*a),
            Node::And(list) | Node::Or(list) => list.iter().for_each(|&a| self.push_unencoded(a)),
            Node::Zero(a) | Node::NonPos(a) | Node::Neg(a) => self.push_leaves(*a),
            Node::Div(a, _) | Node::ToReal(a) | Node::Floor(a) => self.push_leaves(*a),
            Node::Mod(a, d) => {
                let quotient = self.quotient(*a, d);
                self.push_leaves(*a);
                self.push_unencoded(quotient);
            }
            Node::Ite(c, a, b) => {
                self.push_unencoded(*c);
                match terms.sort(t) {
                    Sort::Bool => {
                        self.push_unencoded(*a);
                        self.push_unencoded(*b);
                    }
                    Sort::Int | Sort::Real => {
                        self.push_leaves(*a);
                        self.push_leaves(*b);
                    }
                    // Encoded with each equality it occurs in.
                    Sort::Enum(_) => {}
                    Sort::Array(_) => {
                        self.push_part(*a);
                        self.push_part(*b);
                    }
                }
            }
            Node::Abs(_) | Node::Min(..) | Node::Max(..) => {
                let (c, a, b) = self.choice(t);
                self.push_unencoded(c);
                self.push_leaves(a);
                self.push_leaves(b);
            }
            Node::Eq(a, b) => match terms.sort(*a) {
                Sort::Bool => {
                    self.push_unencoded(*a);
                    self.push_unencoded(*b);
                }
                Sort::Enum(_) => {
                    self.push_part(*a);
                    self.push_part(*b);
                    for part in self.equality_parts(t) {
                        self.push_unencoded(part);
                    }
                }
                _ => {
                    self.push_part(*a);
                    self.push_part(*b);
                }
            },
            Node::Sum(_) => self.push_leaves(t),
            Node::Select(a, i) => {
                self.push_part(*a);
                self.push_part(*i);
            }
            Node::Store(a, i, v) => {
                self.push_part(*a);
                self.push_part(*i);
                self.push_part(*v);
            }
            Node::Filled(_, v) => self.push_part(*v),
            Node::Difference(a, b) => {
                self.push_part(*a);
                self.push_part(*b);
            }
        }
        Ok(())
    }

    fn set_literal(&mut self, t: Term, lit: Lit) {
        self.literals.set(t.index(), Some(lit));
    }

    /// Encodes a term whose children are encoded.
    fn encode_node(&mut self, t: Term) {
        let terms = self.terms;
        let is_array = |t: Term| matches!(terms.sort(t), Sort::Array(_));
        match terms.node(t) {
            Node::Select(..) => self.arrays.note(terms, t),
            Node::Eq(a, _) if is_array(*a) => self.arrays.note(terms, t),
            _ if matches!(terms.sort(t), Sort::Array(_) | Sort::Enum(_)) => {
                self.arrays.note(terms, t);
            }
            _ => {}
        }
        if matches!(terms.sort(t), Sort::Array(_) | Sort::Enum(_)) {
            return;
        }
        if terms.sort(t) != Sort::Bool {
            let expansion = self.expand_leaf(t);
            self.leaves.insert(t, expansion);
            return;
        }
        let lit = match terms.node(t) {
            Node::Bool(value) => {
                if *value {
                    self.true_literal
                } else {
                    !self.true_literal
                }
            }
            Node::Zero(a) => return self.encode_equality(t, *a),
            Node::NonPos(a) => return self.encode_bound(t, *a, Relation::NonPositive),
            Node::Neg(a) => return self.encode_bound(t, *a, Relation::Negative),
            Node::Eq(a, b) if self.is_enum_atom(*a, *b) => self.value_literal(t, *a, *b),
            // The negation is looked through wherever literals are looked up.
            Node::Not(_) => return,
            _ => self.formula_literal(t),
        };
        self.set_literal(t, lit);
    }

    /// `a <= 0` or `a < 0`.
    fn encode_bound(&mut self, t: Term, a: Term, relation: Relation) {
        let sum = self.expand(a);
        let lit = self.compare(&sum, relation);
        self.set_literal(t, lit);
        self.emitted.set(t.index(), BOTH);
        self.tie_guards(lit, &sum.guards, t);
    }

    /// `a = 0` is the conjunction of two bounds.
    fn encode_equality(&mut self, t: Term, a: Term) {
        let sum = self.expand(a);
        let at_most = self.compare(&sum, Relation::NonPositive);
        let at_least = self.compare(&sum, Relation::NonNegative);
        let lit = self.formula_literal(t);
        self.set_literal(t, lit);
        self.emitted.set(t.index(), BOTH);
        for side in [at_most, at_least] {
            self.sat
                .add_clause(&[!lit, side], Guard::When(lit), Origin::Trichotomy);
        }
        self.sat.add_clause(
            &[lit, !at_most, !at_least],
            Guard::When(!lit),
            Origin::Trichotomy,
        );
        self.interest.add(lit, [at_most, at_least]);
        self.tie_guards(lit, &sum.guards, t);
    }

    /// The definitions of auxiliary variables matter once an atom over them is assigned.
    fn tie_guards(&mut self, lit: Lit, guards: &[Lit], t: Term) {
        self.interest.add(lit, guards.iter().copied());
        for &guard in guards {
            for side in [lit, !lit] {
                self.sat
                    .add_clause(&[side, guard], Guard::Never, Origin::Definition(t));
            }
        }
    }
}
