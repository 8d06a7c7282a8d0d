//! Enumerations: one literal for each value that a variable is compared with.
//!
//! Two values exclude each other; once all values have literals, one of them must hold. An
//! equality of two variables speaks about all values. So every literal says `variable = value`,
//! which is what interpolants should be made of.

use super::NativeSolver;
use super::define::{BOTH, NEGATIVE, POSITIVE};
use crate::proof_log::Origin;
use crate::sat::{Guard, Lit};
use sectile_terms::{Node, Sort, Term};

impl NativeSolver<'_> {
    /// Whether an equality compares a variable with a value.
    pub(super) fn is_enum_atom(&self, a: Term, b: Term) -> bool {
        matches!(self.terms.sort(a), Sort::Enum(_))
            && matches!(
                self.terms.node(a),
                Node::Var(..) | Node::Select(..) | Node::Difference(..)
            )
            && matches!(self.terms.node(b), Node::Variant(..))
    }

    /// The literal of `t`, which says `variable = value`.
    pub(super) fn value_literal(&mut self, t: Term, variable: Term, value: Term) -> Lit {
        let Node::Variant(id, k) = self.terms.node(value) else {
            unreachable!("the right-hand side of an atom is a value");
        };
        let count = self.terms.enum_info(*id).variants.len();
        let lit = self.formula_literal(t);
        let list = self
            .enum_values
            .entry(variable)
            .or_insert_with(|| vec![None; count]);
        let others: Vec<Lit> = list.iter().copied().flatten().collect();
        list[*k as usize] = Some(lit);
        let all: Option<Vec<Lit>> = list.iter().copied().collect();
        for other in others {
            self.sat
                .add_clause(&[!lit, !other], Guard::Never, Origin::Distinct);
        }
        if let Some(all) = all {
            self.sat.add_clause(&all, Guard::Never, Origin::Exhaustive);
        }
        lit
    }

    /// The terms by which an equality of enumeration terms is defined.
    pub(super) fn equality_parts(&self, t: Term) -> Vec<Term> {
        let terms = self.terms;
        let Node::Eq(a, b) = terms.node(t) else {
            unreachable!("only equalities have equality parts");
        };
        if self.is_enum_atom(*a, *b) {
            return Vec::new();
        }
        // A choice on either side is decided first: `if c then x else y = z`.
        for (side, other) in [(*a, *b), (*b, *a)] {
            if let Node::Ite(c, x, y) = terms.node(side) {
                return vec![*c, terms.eq(*x, other), terms.eq(*y, other)];
            }
        }
        let Sort::Enum(id) = terms.sort(*a) else {
            unreachable!("both sides belong to an enumeration");
        };
        let count = terms.enum_info(id).variants.len() as u32;
        (0..count)
            .flat_map(|k| {
                let value = terms.variant(id, k);
                [terms.eq(*a, value), terms.eq(*b, value)]
            })
            .collect()
    }

    pub(super) fn define_enum_equality(
        &mut self,
        t: Term,
        own: Lit,
        missing: u8,
        pending: &mut Vec<(Term, u8)>,
    ) {
        let parts = self.equality_parts(t);
        let Node::Eq(a, b) = self.terms.node(t) else {
            unreachable!("only equalities are defined here");
        };
        let chooses = |t: Term| matches!(self.terms.node(t), Node::Ite(..));
        if chooses(*a) || chooses(*b) {
            let branches = [self.literal(parts[1]), self.literal(parts[2])];
            self.define_choice(t, own, self.literal(parts[0]), branches, missing);
            pending.push((parts[0], BOTH));
            pending.extend(parts[1..].iter().map(|&p| (p, missing)));
            return;
        }
        let literals: Vec<Lit> = parts.iter().map(|&p| self.literal(p)).collect();
        self.interest.add(own, literals);
        for pair in parts.chunks(2) {
            let (x, y) = (self.literal(pair[0]), self.literal(pair[1]));
            let origin = || Origin::Definition(t);
            if missing & POSITIVE != 0 {
                self.sat
                    .add_clause(&[!own, !x, y], Guard::When(own), origin());
                self.sat
                    .add_clause(&[!own, x, !y], Guard::When(own), origin());
            }
            if missing & NEGATIVE != 0 {
                self.sat
                    .add_clause(&[own, !x, !y], Guard::When(!own), origin());
            }
            pending.extend(pair.iter().map(|&p| (p, BOTH)));
        }
    }
}
