//! The defining clauses of Boolean operators, by polarity.

use super::NativeSolver;
use crate::proof_log::Origin;
use crate::sat::{Guard, Lit};
use sectile_terms::{Node, Sort, Term};

/// The literal implies the term.
pub(super) const POSITIVE: u8 = 1;
/// The term implies the literal.
pub(super) const NEGATIVE: u8 = 2;
/// Both.
pub(super) const BOTH: u8 = 3;

/// What a polarity becomes below a negation.
fn flipped(polarity: u8) -> u8 {
    (polarity & 1) << 1 | polarity >> 1
}

impl NativeSolver<'_> {
    /// Adds the clauses by which an encoded term's literal means the term, on the wanted sides.
    pub(super) fn require(&mut self, root: Term, polarity: u8) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.push((root, polarity));
        while let Some((t, polarity)) = pending.pop() {
            let (t, negated) = self.terms.strip_not(t);
            let polarity = if negated { flipped(polarity) } else { polarity };
            let known = self.emitted.get(t.index());
            let missing = polarity & !known;
            if missing == 0 {
                continue;
            }
            self.emitted.set(t.index(), known | missing);
            self.define(t, missing, &mut pending);
        }
        self.pending = pending;
    }

    fn define(&mut self, t: Term, missing: u8, pending: &mut Vec<(Term, u8)>) {
        let terms = self.terms;
        let own = self.literal(t);
        match terms.node(t) {
            Node::And(list) => {
                let parts: Vec<Lit> = list.iter().map(|&a| !self.literal(a)).collect();
                // A conjunction is the negation of the disjunction of negations.
                self.interest.add(own, parts.iter().copied());
                self.define_disjunction(t, !own, &parts, flipped(missing));
                pending.extend(list.iter().map(|&a| (a, missing)));
            }
            Node::Or(list) => {
                let parts: Vec<Lit> = list.iter().map(|&a| self.literal(a)).collect();
                self.interest.add(own, parts.iter().copied());
                self.define_disjunction(t, own, &parts, missing);
                pending.extend(list.iter().map(|&a| (a, missing)));
            }
            Node::Ite(c, a, b) => {
                let (x, y) = (self.literal(*a), self.literal(*b));
                self.define_choice(t, own, self.literal(*c), [x, y], missing);
                pending.extend([(*c, BOTH), (*a, missing), (*b, missing)]);
            }
            Node::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                let (x, y) = (self.literal(*a), self.literal(*b));
                self.define_choice(t, own, x, [y, !y], missing);
                pending.extend([(*a, BOTH), (*b, BOTH)]);
            }
            Node::Eq(a, b)
                if matches!(terms.sort(*a), Sort::Enum(_)) && !self.is_enum_atom(*a, *b) =>
            {
                self.define_enum_equality(t, own, missing, pending);
            }
            _ => {}
        }
    }

    /// `own` is the disjunction of `parts`.
    fn define_disjunction(&mut self, t: Term, own: Lit, parts: &[Lit], missing: u8) {
        if missing & POSITIVE != 0 {
            let mut clause = Vec::with_capacity(parts.len() + 1);
            clause.push(!own);
            clause.extend_from_slice(parts);
            self.sat
                .add_clause(&clause, Guard::When(own), Origin::Definition(t));
        }
        if missing & NEGATIVE != 0 {
            for &part in parts {
                self.sat
                    .add_clause(&[own, !part], Guard::When(!own), Origin::Definition(t));
            }
        }
    }

    /// `own` is the first branch if `c` holds, else the second.
    pub(super) fn define_choice(
        &mut self,
        t: Term,
        own: Lit,
        c: Lit,
        branches: [Lit; 2],
        missing: u8,
    ) {
        self.interest.add(own, [c, branches[0], branches[1]]);
        for (condition, branch) in [(c, branches[0]), (!c, branches[1])] {
            if missing & POSITIVE != 0 {
                self.sat.add_clause(
                    &[!own, !condition, branch],
                    Guard::When(own),
                    Origin::Definition(t),
                );
            }
            if missing & NEGATIVE != 0 {
                self.sat.add_clause(
                    &[own, !condition, !branch],
                    Guard::When(!own),
                    Origin::Definition(t),
                );
            }
        }
    }
}
