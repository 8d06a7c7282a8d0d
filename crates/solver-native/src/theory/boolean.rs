//! Booleans: literals of the core, and the defining clauses of operators, by polarity.

use super::Theory;
use crate::context::{BOTH, NEGATIVE, NativeSolver, POSITIVE, flipped};
use crate::sat::{DecisionProcedure, Guard, Lit};
use sectile_terms::{Node, Term, Value};

/// The theory of Booleans, which the core decides itself.
#[derive(Default)]
pub(crate) struct Boolean;

impl DecisionProcedure for Boolean {}

impl Theory for Boolean {
    fn is_encoded(solver: &NativeSolver<'_>, t: Term) -> bool {
        let (inner, _) = solver.terms.strip_not(t);
        solver.literals.get(inner.index()).is_some()
    }

    fn encode(solver: &mut NativeSolver<'_>, t: Term) {
        let lit = match solver.terms.node(t) {
            Node::Bool(value) => solver.constant_literal(*value),
            // Literal lookup skips negations.
            Node::Not(_) => return,
            _ => solver.formula_literal(t),
        };
        solver.set_literal(t, lit);
    }

    fn define(solver: &mut NativeSolver<'_>, t: Term, missing: u8, pending: &mut Vec<(Term, u8)>) {
        let own = solver.literal(t);
        match solver.terms.node(t) {
            Node::And(list) => {
                let parts: Vec<Lit> = list.iter().map(|&a| !solver.literal(a)).collect();
                // A conjunction is the negation of the disjunction of negations.
                define_disjunction(solver, t, !own, &parts, flipped(missing));
                pending.extend(list.iter().map(|&a| (a, missing)));
            }
            Node::Or(list) => {
                let parts: Vec<Lit> = list.iter().map(|&a| solver.literal(a)).collect();
                define_disjunction(solver, t, own, &parts, missing);
                pending.extend(list.iter().map(|&a| (a, missing)));
            }
            Node::Ite(c, a, b) => {
                let [c_lit, x, y] = [*c, *a, *b].map(|t| solver.literal(t));
                define_choice(solver, t, c_lit, [x, y], missing);
                pending.extend([(*c, BOTH), (*a, missing), (*b, missing)]);
            }
            Node::Eq(a, b) => {
                let (x, y) = (solver.literal(*a), solver.literal(*b));
                define_choice(solver, t, x, [y, !y], missing);
                pending.extend([(*a, BOTH), (*b, BOTH)]);
            }
            _ => {}
        }
    }

    fn value(solver: &NativeSolver<'_>, t: Term) -> Option<Value> {
        let lit = solver.literals.get(t.index())?;
        solver.sat.value(lit).map(Value::Bool)
    }
}

/// `own` is the disjunction of `parts`.
fn define_disjunction(
    solver: &mut NativeSolver<'_>,
    t: Term,
    own: Lit,
    parts: &[Lit],
    missing: u8,
) {
    solver.interest.add(own, parts.iter().copied());
    if missing & POSITIVE != 0 {
        let mut clause = Vec::with_capacity(parts.len() + 1);
        clause.push(!own);
        clause.extend_from_slice(parts);
        solver.define_by(t, &clause, Guard::When(own));
    }
    if missing & NEGATIVE != 0 {
        for &part in parts {
            solver.define_by(t, &[own, !part], Guard::When(!own));
        }
    }
}

/// The literal of `t` is the first branch if `c` holds, else the second.
pub(crate) fn define_choice(
    solver: &mut NativeSolver<'_>,
    t: Term,
    c: Lit,
    branches: [Lit; 2],
    missing: u8,
) {
    let own = solver.literal(t);
    solver.interest.add(own, [c, branches[0], branches[1]]);
    for (condition, branch) in [(c, branches[0]), (!c, branches[1])] {
        for (side, own, branch) in [(POSITIVE, own, branch), (NEGATIVE, !own, !branch)] {
            if missing & side != 0 {
                solver.define_by(t, &[!own, !condition, branch], Guard::When(own));
            }
        }
    }
}
