//! Enumerations: one literal for each value that a variable is compared with.
//!
//! Two values exclude each other; once all values have literals, one of them must hold. An equality
//! of two variables is defined value by value. So every literal says `variable = value`, which is
//! the best form for interpolants.

use super::boolean::define_choice;
use super::{Theory, is_variable, push_argument};
use crate::context::{BOTH, NEGATIVE, NativeSolver, POSITIVE};
use crate::proof_log::Origin;
use crate::sat::{DecisionProcedure, Guard, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_proof::{Lemma, Rule};
use sectile_terms::{Node, Sort, Term, Value};

/// The theory of enumerations.
#[derive(Default)]
pub(crate) struct Enumerations {
    /// Conditionals and operators of other theories whose parts are encoded.
    known: FxHashSet<Term>,
    /// By variable: the literals of its values, as far as they exist.
    values: FxHashMap<Term, Vec<Option<Lit>>>,
}

impl DecisionProcedure for Enumerations {}

impl Theory for Enumerations {
    const RULES: &'static [Rule] = &[Rule::Distinct, Rule::Exhaustive];

    fn is_encoded(solver: &NativeSolver<'_>, t: Term) -> bool {
        solver.sat.theory.enums.known.contains(&t)
    }

    /// A term is encoded with each equality it occurs in; its parts must be known, though.
    fn push_argument(solver: &mut NativeSolver<'_>, t: Term) {
        if !matches!(solver.terms.node(t), Node::Var(..) | Node::Variant(..)) {
            solver.push_unencoded(t);
        }
    }

    fn push_arguments(solver: &mut NativeSolver<'_>, t: Term) {
        let node = solver.terms.node(t);
        let terms = solver.terms;
        terms.for_each_argument(t, |c| push_argument(solver, c));
        if let Node::Eq(..) = node {
            for part in solver.equality_parts(t) {
                solver.push_unencoded(part);
            }
        }
    }

    fn encode(solver: &mut NativeSolver<'_>, t: Term) {
        let Node::Eq(a, b) = *solver.terms.node(t) else {
            solver.sat.theory.enums.known.insert(t);
            return;
        };
        let lit = solver.formula_literal(t);
        solver.set_literal(t, lit);
        if solver.is_enum_atom(a, b) {
            solver.add_value(lit, a, b);
        }
    }

    fn define(solver: &mut NativeSolver<'_>, t: Term, missing: u8, pending: &mut Vec<(Term, u8)>) {
        solver.define_enum_equality(t, missing, pending);
    }

    fn value(solver: &NativeSolver<'_>, t: Term) -> Option<Value> {
        let Sort::Enum(id) = solver.terms.sort(t) else {
            return None;
        };
        let list = solver.sat.theory.enums.values.get(&t)?;
        let holds = |wanted: Option<bool>| {
            list.iter()
                .position(|lit| lit.and_then(|l| solver.sat.value(l)) == wanted)
        };
        // If no value is true, any value that is not excluded will do.
        let k = holds(Some(true)).or_else(|| holds(None))?;
        Some(Value::Enum(id, k as u32))
    }
}

impl NativeSolver<'_> {
    /// Whether an equality compares a variable with a value.
    fn is_enum_atom(&self, a: Term, b: Term) -> bool {
        is_variable(self.terms, a) && matches!(self.terms.node(b), Node::Variant(..))
    }

    /// `lit` says `variable = value`: it excludes the other values.
    fn add_value(&mut self, lit: Lit, variable: Term, value: Term) {
        let Node::Variant(id, k) = self.terms.node(value) else {
            unreachable!("the right-hand side of an atom is a value");
        };
        let count = self.terms.enum_info(*id).variants.len();
        let values = &mut self.sat.theory.enums.values;
        let list = values.entry(variable).or_insert_with(|| vec![None; count]);
        let others: Vec<Lit> = list.iter().copied().flatten().collect();
        list[*k as usize] = Some(lit);
        let all: Option<Vec<Lit>> = list.iter().copied().collect();
        let mut add = |clause: &[Lit], rule: Rule| {
            let origin = Origin::Lemma(Lemma::plain(rule));
            self.sat.add_clause(clause, Guard::Never, origin);
        };
        for other in others {
            add(&[!lit, !other], Rule::Distinct);
        }
        if let Some(all) = all {
            add(&all, Rule::Exhaustive);
        }
    }

    /// The terms in the definition of an equality of enumeration terms.
    fn equality_parts(&self, t: Term) -> Vec<Term> {
        let terms = self.terms;
        let Node::Eq(a, b) = terms.node(t) else {
            unreachable!("only equalities have equality parts");
        };
        if self.is_enum_atom(*a, *b) {
            return Vec::new();
        }
        // A conditional on either side is split first: `if c then x else y = z`.
        for (side, other) in [(*a, *b), (*b, *a)] {
            if let Node::Ite(c, x, y) = terms.node(side) {
                return vec![*c, terms.eq(*x, other), terms.eq(*y, other)];
            }
        }
        let Sort::Enum(id) = terms.sort(*a) else {
            unreachable!("both sides belong to an enumeration");
        };
        let count = terms.enum_info(id).variants.len() as u32;
        let values = (0..count).map(|k| terms.variant(id, k));
        let pairs = values.flat_map(|value| [terms.eq(*a, value), terms.eq(*b, value)]);
        pairs.collect()
    }

    fn define_enum_equality(&mut self, t: Term, missing: u8, pending: &mut Vec<(Term, u8)>) {
        let parts = self.equality_parts(t);
        // Value-wise definitions have an even number of parts.
        if let &[c, a, b] = parts.as_slice() {
            let [choice, x, y] = [c, a, b].map(|p| self.literal(p));
            define_choice(self, t, choice, [x, y], missing);
            pending.extend([(c, BOTH), (a, missing), (b, missing)]);
            return;
        }
        let own = self.literal(t);
        let literals: Vec<Lit> = parts.iter().map(|&p| self.literal(p)).collect();
        self.interest.add(own, literals);
        for pair in parts.chunks(2) {
            let (x, y) = (self.literal(pair[0]), self.literal(pair[1]));
            if missing & POSITIVE != 0 {
                self.define_by(t, &[!own, !x, y], Guard::When(own));
                self.define_by(t, &[!own, x, !y], Guard::When(own));
            }
            if missing & NEGATIVE != 0 {
                self.define_by(t, &[own, !x, !y], Guard::When(!own));
            }
            pending.extend(pair.iter().map(|&p| (p, BOTH)));
        }
    }
}
