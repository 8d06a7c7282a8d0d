//! Linear arithmetic as a theory: atoms are bounds on linear forms.
//!
//! There is one simplex variable for each linear form (a primitive integer vector), shared by all
//! atoms over it. An atom says `form <= c`, where a strict bound is a weak one on `c - delta` and
//! an integer bound is rounded; its negation is the complementary lower bound. The row of a form
//! enters the tableau when one of its atoms is first asserted, and leaves it when the form has
//! been idle while the tableau grew.
//!
//! | concern | file |
//! |---|---|
//! | from terms to sums, forms and atoms | `encode`, `atoms` |
//! | asserting, propagating, explaining | here |
//! | integrality | `crate::lia` |
//! | models | `model` |
//! | interpolants of lemmas | `lemma`, `null_space`, `fact` |

mod atoms;
mod encode;
mod fact;
mod lemma;
mod model;
mod null_space;

#[cfg(test)]
mod tests;

pub(crate) use atoms::Relation;
pub(crate) use fact::{Fact, Inequality, inequality_term};

use crate::context::{BOTH, NativeSolver};
use crate::interpolate::{Cuts, Malformed, PartialInterpolant};
use crate::lia::{self, Lia};
use crate::meter::Meter;
use crate::proof_log::Origin;
use crate::sat::{Conflict, DecisionProcedure, Exchange, FinalCheck, Lit, Var};
use crate::simplex::{ArithVar, Bound, Delta, ImpliedBound, Infeasible, Side, Simplex};
use crate::theory::boolean::define_choice;
use crate::theory::{Theory, push_argument};
use encode::Encoding;
use rustc_hash::FxHashMap;
use sectile_base::{Int, Rat};
use sectile_proof::{Lemma, ProofAtom, ProofLit, Rule};
use sectile_terms::{Node, Term, Value};
use std::cell::OnceCell;

/// Maximum number of rows examined for implied bounds after one check.
const MAX_ROWS: usize = 48;

/// A bound on a form.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub form: ArithVar,
    /// The upper bound that the positive literal asserts.
    pub upper: Delta,
    /// The lower bound that the negative literal asserts.
    pub lower: Delta,
    pub var: Var,
    /// Position among the atoms of the form.
    pub position: u32,
    /// Whether the current check is about it.
    pub of_interest: bool,
}

/// What is known about a simplex variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormInfo {
    /// The sum it stands for; nothing for a structural variable.
    pub definition: Option<Box<[(ArithVar, Int)]>>,
    pub is_int: bool,
    /// Whether the defining row is in the tableau.
    pub in_tableau: bool,
    /// Indices of its atoms, by increasing bound.
    pub atoms: Vec<u32>,
    /// How many of its atoms are of interest.
    pub interest: u32,
}

/// Why a row propagated a literal.
struct RowReason {
    start: u32,
    own: Int,
}

/// The theory of linear arithmetic.
#[derive(Default)]
pub struct Arith {
    pub(crate) simplex: Simplex,
    pub(crate) forms: Vec<FormInfo>,
    pub(crate) atoms: Vec<Atom>,
    /// By propositional variable; `u32::MAX` for other variables.
    atom_of: Vec<u32>,
    form_index: FxHashMap<Box<[(ArithVar, Int)]>, ArithVar>,
    row_reasons: Vec<RowReason>,
    reason_literals: Vec<(Lit, Int)>,
    level_start: Vec<(usize, usize)>,
    implied: Vec<ImpliedBound>,
    pub(crate) lia: Lia,
    encoding: Encoding,
    /// A number for the infinitesimal in the last model, once it is asked for.
    delta: OnceCell<Rat>,
    /// Why the last final check gave up, unless the budget was the reason.
    pub(crate) incomplete: Option<&'static str>,
    /// How often divisibility refuted the equations.
    pub(crate) divisibility_conflicts: u64,
}

impl Arith {
    /// Removes rows of forms without bounds once they outnumber the others.
    ///
    /// Their variables are free, so nothing depends on them; but pivots would still update them.
    fn drop_idle_rows(&mut self) {
        let rows = self.simplex.tableau.row_count();
        if rows < 64 || rows < 2 * self.lia.rows_after_drop {
            return;
        }
        for i in 0..self.forms.len() {
            self.drop_if_idle(ArithVar(i as u32));
        }
        self.lia.rows_after_drop = self.simplex.tableau.row_count();
    }

    /// Takes a form without bounds out of the tableau.
    pub(crate) fn drop_if_idle(&mut self, form: ArithVar) {
        let idle = self.forms[form.index()].in_tableau
            && self.simplex.bound(form, Side::Lower).is_none()
            && self.simplex.bound(form, Side::Upper).is_none();
        if idle {
            self.simplex.drop_row(form);
            self.forms[form.index()].in_tableau = false;
        }
    }

    fn atom(&self, v: Var) -> &Atom {
        &self.atoms[self.atom_of[v.index()] as usize]
    }

    fn enter_tableau(&mut self, form: ArithVar) {
        let info = &mut self.forms[form.index()];
        if info.in_tableau {
            return;
        }
        if let Some(definition) = &info.definition {
            self.simplex.add_row(form, definition);
            info.in_tableau = true;
        }
    }

    /// Asserts `form <= upper` or `form >= lower` because of `lit`.
    fn assert_bound(&mut self, lit: Lit, exchange: &mut Exchange) -> Result<(), Conflict> {
        let atom = self.atom(lit.var());
        let form = atom.form;
        let (side, value) = if lit.is_positive() {
            (Side::Upper, &atom.upper)
        } else {
            (Side::Lower, &atom.lower)
        };
        let present = self.simplex.bound(form, side);
        if present.is_some_and(|b| side.allows(value, &b.value)) {
            return Ok(());
        }
        let crossed = |b: &&Bound| !side.allows(value, &b.value);
        if let Some(other) = self.simplex.bound(form, side.opposite()).filter(crossed) {
            exchange.set_clause([!lit, !other.reason]);
            exchange.origin = exchange.log.then(opposite);
            return Err(Conflict);
        }
        let (value, position) = (value.clone(), atom.position as usize);
        self.propagate_unate(form, side, position, lit, exchange);
        self.enter_tableau(form);
        self.simplex
            .set_bound(form, side, Bound { value, reason: lit });
        Ok(())
    }

    /// Atoms of the same form between the new bound and the old one are decided by the new one.
    fn propagate_unate(
        &self,
        form: ArithVar,
        side: Side,
        position: usize,
        reason: Lit,
        exchange: &mut Exchange,
    ) {
        let token = reason.0 << 1;
        let old = self.simplex.bound(form, side).map(|b| &b.value);
        if self.forms[form.index()].interest == 0 {
            return;
        }
        let list = &self.forms[form.index()].atoms;
        match side {
            Side::Upper => {
                for &i in &list[position + 1..] {
                    let atom = &self.atoms[i as usize];
                    if old.is_some_and(|old| atom.upper >= *old) {
                        break;
                    }
                    if atom.of_interest {
                        exchange.propagated.push((atom.var.positive(), token));
                    }
                }
            }
            Side::Lower => {
                for &i in list[..position].iter().rev() {
                    let atom = &self.atoms[i as usize];
                    if old.is_some_and(|old| atom.upper < *old) {
                        break;
                    }
                    if atom.of_interest {
                        exchange.propagated.push((atom.var.negative(), token));
                    }
                }
            }
        }
    }

    /// Writes the simplex conflict into the exchange.
    pub(crate) fn report_conflict(&self, exchange: &mut Exchange) -> Conflict {
        let conflict = &self.simplex.conflict;
        exchange.set_clause(conflict.iter().map(|(lit, _)| !*lit));
        let log = exchange.log;
        exchange.origin = log.then(|| farkas(conflict.iter().map(|(_, c)| c)));
        Conflict
    }

    /// Literals implied by rows whose bounds changed.
    fn propagate_rows(&mut self, exchange: &mut Exchange) {
        let mut implied = std::mem::take(&mut self.implied);
        let mut looked_at = 0;
        while let Some(row) = self.simplex.next_touched_row() {
            looked_at += 1;
            if looked_at > MAX_ROWS {
                continue;
            }
            implied.clear();
            let forms = &self.forms;
            let wanted = |v: ArithVar| forms[v.index()].interest > 0;
            self.simplex.implied_bounds(row, wanted, &mut implied);
            for bound in &implied {
                self.propagate_implied(bound, exchange);
            }
        }
        self.implied = implied;
    }

    /// Propagates the tightest atom that an implied bound decides; asserting it decides the rest.
    fn propagate_implied(&mut self, implied: &ImpliedBound, exchange: &mut Exchange) {
        let info = &self.forms[implied.var.index()];
        let rounded;
        let value = if info.is_int && !implied.value.is_int() {
            rounded = Delta::from_rat(Rat::from(match implied.side {
                Side::Upper => implied.value.floor(),
                Side::Lower => implied.value.ceil(),
            }));
            &rounded
        } else {
            &implied.value
        };
        let present = self.simplex.bound(implied.var, implied.side);
        if present.is_some_and(|b| implied.side.allows(value, &b.value)) {
            return;
        }
        let k = info
            .atoms
            .partition_point(|&i| self.atoms[i as usize].upper < *value);
        let of_interest = |i: &&u32| self.atoms[**i as usize].of_interest;
        let lit = match implied.side {
            Side::Upper => {
                let Some(&i) = info.atoms[k..].iter().find(of_interest) else {
                    return;
                };
                let atom = &self.atoms[i as usize];
                if present.is_some_and(|b| b.value <= atom.upper) {
                    return;
                }
                atom.var.positive()
            }
            Side::Lower => {
                let Some(&i) = info.atoms[..k].iter().rev().find(of_interest) else {
                    return;
                };
                let atom = &self.atoms[i as usize];
                if present.is_some_and(|b| b.value > atom.upper) {
                    return;
                }
                atom.var.negative()
            }
        };
        let start = self.reason_literals.len() as u32;
        let own = self
            .simplex
            .explain_implied(implied, &mut self.reason_literals);
        let token = (self.row_reasons.len() as u32) << 1 | 1;
        self.row_reasons.push(RowReason { start, own });
        exchange.propagated.push((lit, token));
    }

    /// Writes literals that fix forms into the exchange, with the multipliers of their equations.
    pub(crate) fn report_divisibility(
        &mut self,
        conflict: Vec<(Lit, Rat)>,
        exchange: &mut Exchange,
    ) {
        self.divisibility_conflicts += 1;
        exchange.set_clause(conflict.iter().map(|(lit, _)| !*lit));
        exchange.origin = exchange.log.then(|| {
            let multipliers: Vec<Rat> = conflict.into_iter().map(|(_, m)| m).collect();
            Origin::Lemma(Lemma::with_numbers(Rule::Divisibility, multipliers))
        });
    }
}

/// Two bounds of one form that exclude each other: all coefficients are 1.
fn opposite() -> Origin {
    Origin::Lemma(Lemma::plain(Rule::Farkas))
}

fn farkas<'a>(coefficients: impl Iterator<Item = &'a Int>) -> Origin {
    let numbers: Vec<Rat> = coefficients.map(Rat::from).collect();
    Origin::Lemma(Lemma::with_numbers(Rule::Farkas, numbers))
}

impl DecisionProcedure for Arith {
    fn owns(&self, v: Var) -> bool {
        let index = self.atom_of.get(v.index());
        index.is_some_and(|&i| i != u32::MAX)
    }

    fn begin_check(&mut self) {
        self.lia.branches = 0;
        self.incomplete = None;
        self.delta = OnceCell::new();
        self.drop_idle_rows();
    }

    fn set_interest(&mut self, v: Var, of_interest: bool) {
        let index = self.atom_of.get(v.index());
        if let Some(atom) = index.and_then(|&i| self.atoms.get_mut(i as usize))
            && atom.of_interest != of_interest
        {
            atom.of_interest = of_interest;
            let count = &mut self.forms[atom.form.index()].interest;
            *count = if of_interest { *count + 1 } else { *count - 1 };
        }
    }

    fn new_level(&mut self) {
        if self.level_start.is_empty() {
            // Facts of level 0 are never explained again.
            self.row_reasons.clear();
            self.reason_literals.clear();
        }
        self.level_start
            .push((self.row_reasons.len(), self.reason_literals.len()));
        self.simplex.new_level();
    }

    fn backtrack(&mut self, levels: usize) {
        if let Some(&(reasons, literals)) = self.level_start.get(levels) {
            self.level_start.truncate(levels);
            self.row_reasons.truncate(reasons);
            self.reason_literals.truncate(literals);
        }
        self.simplex.backtrack(levels);
    }

    fn assert_literal(&mut self, lit: Lit, exchange: &mut Exchange) -> Result<(), Conflict> {
        self.assert_bound(lit, exchange)
    }

    fn propagate(&mut self, exchange: &mut Exchange, meter: &mut Meter) -> Result<(), Conflict> {
        if let Err(Infeasible) = self.simplex.check(meter) {
            return Err(self.report_conflict(exchange));
        }
        self.propagate_rows(exchange);
        Ok(())
    }

    fn final_check(&mut self, exchange: &mut Exchange, meter: &mut Meter) -> FinalCheck {
        if let Err(Infeasible) = self.simplex.check(meter) {
            self.report_conflict(exchange);
            return FinalCheck::Conflict;
        }
        if meter.stopped().is_some() {
            return FinalCheck::Unknown;
        }
        lia::check(self, exchange, meter)
    }

    fn explain(&mut self, lit: Lit, token: u32, exchange: &mut Exchange) {
        exchange.set_clause([lit]);
        if token & 1 == 0 {
            exchange.clause.push(!Lit(token >> 1));
            exchange.origin = exchange.log.then(opposite);
            return;
        }
        let index = (token >> 1) as usize;
        let reason = &self.row_reasons[index];
        let end = self
            .row_reasons
            .get(index + 1)
            .map_or(self.reason_literals.len(), |r| r.start as usize);
        let list = &self.reason_literals[reason.start as usize..end];
        exchange.clause.extend(list.iter().map(|(lit, _)| !*lit));
        exchange.origin = exchange.log.then(|| {
            let own = std::iter::once(&reason.own);
            farkas(own.chain(list.iter().map(|(_, c)| c)))
        });
    }

    fn restarted(&mut self) {
        self.drop_idle_rows();
    }

    fn suggested_value(&self, var: Var) -> Option<bool> {
        let atom = self.atom(var);
        let info = &self.forms[atom.form.index()];
        Some(match &info.definition {
            Some(definition) if !info.in_tableau => {
                let mut sum = Delta::ZERO;
                for (v, c) in definition {
                    sum.add_mul(self.simplex.value(*v), &Rat::from(c));
                }
                sum <= atom.upper
            }
            _ => *self.simplex.value(atom.form) <= atom.upper,
        })
    }
}

impl Theory for Arith {
    const RULES: &'static [Rule] = &[Rule::Trichotomy, Rule::Farkas, Rule::Divisibility];

    fn is_encoded(solver: &NativeSolver<'_>, t: Term) -> bool {
        solver.sat.theory.arith.encoding.leaves.contains_key(&t)
    }

    /// Schedules the operators inside a sum.
    fn push_argument(solver: &mut NativeSolver<'_>, t: Term) {
        match solver.terms.node(t) {
            Node::Number(_) => {}
            Node::Sum(linear) => {
                for (leaf, _) in linear.monomials() {
                    solver.push_unencoded(*leaf);
                }
            }
            _ => solver.push_unencoded(t),
        }
    }

    /// Schedules what must be encoded before an operator or a comparison.
    fn push_arguments(solver: &mut NativeSolver<'_>, t: Term) {
        let terms = solver.terms;
        if let Some(parts) = solver.cases(t) {
            return parts.into_iter().for_each(|p| solver.push_unencoded(p));
        }
        match terms.node(t) {
            Node::Mod(a, d) => {
                let quotient = solver.quotient(*a, d);
                push_argument(solver, *a);
                solver.push_unencoded(quotient);
            }
            Node::Ite(..) | Node::Abs(_) | Node::Min(..) | Node::Max(..) => {
                for (path, value) in solver.choices(t) {
                    path.into_iter().for_each(|c| push_argument(solver, c));
                    push_argument(solver, value);
                }
            }
            _ => terms.for_each_argument(t, |c| push_argument(solver, c)),
        }
    }

    fn encode(solver: &mut NativeSolver<'_>, t: Term) {
        solver.encode_numeric(t);
    }

    /// A comparison that is split is defined by its cases.
    fn define(solver: &mut NativeSolver<'_>, t: Term, missing: u8, pending: &mut Vec<(Term, u8)>) {
        let Some(parts @ [c, a, b]) = solver.cases(t) else {
            return;
        };
        let [choice, x, y] = parts.map(|p| solver.literal(p));
        define_choice(solver, t, choice, [x, y], missing);
        pending.extend([(c, BOTH), (a, missing), (b, missing)]);
    }

    fn value(solver: &NativeSolver<'_>, t: Term) -> Option<Value> {
        solver.sat.theory.arith.term_value(t, solver.terms.sort(t))
    }

    fn incomplete(&self) -> Option<&'static str> {
        self.incomplete
    }

    fn proof_atom(&self, var: Var, number: &mut dyn FnMut(Term) -> u32) -> Option<ProofAtom> {
        let atom = self.atom(var);
        let mut variable = |v: ArithVar| {
            let term = self.encoding.variable_terms[v.index()];
            number(term.expect("structural variables have terms"))
        };
        let sum = match self.definition(atom.form) {
            Some(sum) => sum.iter().map(|(v, c)| (variable(*v), c.clone())).collect(),
            None => vec![(variable(atom.form), Int::ONE)],
        };
        Some(ProofAtom::Bound {
            sum,
            bound: atom.upper.real.clone(),
            strict: atom.upper.delta.is_negative(),
            integral: self.is_int(atom.form),
        })
    }

    /// Restricts cuts to variables of one block.
    fn keep_local(&mut self, span: &mut dyn FnMut(Term) -> (u32, u32)) {
        let terms = self.encoding.variable_terms.iter();
        self.lia.spans = terms.map(|t| t.map_or((0, u32::MAX), &mut *span)).collect();
    }

    fn interpolate(
        lemma: &Lemma,
        clause: &[ProofLit],
        cuts: &Cuts<'_>,
    ) -> Result<Option<Vec<PartialInterpolant>>, Malformed> {
        Ok(match lemma.rule {
            Rule::Farkas => Some(cuts.farkas(clause, &lemma.numbers)?),
            Rule::Divisibility => Some(cuts.divisibility(clause, &lemma.numbers)?),
            _ => None,
        })
    }
}
