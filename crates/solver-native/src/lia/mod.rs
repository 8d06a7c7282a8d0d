//! Integer reasoning: from a rational assignment to an integral one.
//!
//! When the simplex is satisfied but integer variables have fractional values:
//!
//! 1. the equations (forms whose bounds coincide) are solved over the integers; if they have no
//!    solution, an integer combination of them is violated by divisibility (`diophantine`);
//! 2. fractional variables are repaired where moving one other variable does it (`patch`);
//! 3. otherwise a single variable is branched on, or
//! 4. after some branches, a *cut from a proof* [DilligDilligAiken09]: the constraints that are
//!    tight at the assignment are treated as equations; if those have no integer solution, the
//!    combination that shows it is a form with an integer value in every solution and a fractional
//!    one here, and a branch on it excludes the assignment and more.
//!
//! A branch is a decision on an atom, so the proof needs no rule for it.

mod diophantine;
mod patch;

#[cfg(test)]
mod tests;

use crate::meter::Meter;
use crate::sat::{Exchange, FinalCheck, Lit};
use crate::simplex::{ArithVar, Delta, Infeasible, Side};
use crate::theory::arith::Arith;
use diophantine::{Equation, solve};
use sectile_base::{Int, Rat};
use sectile_terms::Linear;

/// Branches on variables before cuts are tried.
const PLAIN_BRANCHES: u64 = 4;
/// Maximum number of branches in one check.
const MAX_BRANCHES: u64 = 50_000;
/// Maximum size of coefficients of cuts.
const MAX_CUT_BITS: u64 = 64;

/// State of the integer search.
#[derive(Default)]
pub struct Lia {
    /// Branches of the present check.
    pub(crate) branches: u64,
    /// Rows in the tableau after idle ones were dropped last.
    pub(crate) rows_after_drop: usize,
    /// By structural variable: the first and last block with it. Cuts mention only variables of one
    /// block, because an interpolator cannot use others. Variables that are not listed may be
    /// combined with any.
    pub(crate) spans: Vec<(u32, u32)>,
}

impl Lia {
    fn is_local(&self, sum: &Linear<ArithVar>) -> bool {
        let variables = sum.monomials().iter();
        let known = variables.filter_map(|(v, _)| self.spans.get(v.index()));
        let (first, last) = known.fold((0, u32::MAX), |(first, last), span| {
            (first.max(span.0), last.min(span.1))
        });
        first <= last
    }
}

/// Searches for an integral assignment near the present one, which satisfies the simplex.
pub(crate) fn check(arith: &mut Arith, exchange: &mut Exchange, meter: &mut Meter) -> FinalCheck {
    if is_integral(arith) {
        return FinalCheck::Consistent;
    }
    if free_idle_forms(arith) {
        if let Err(Infeasible) = arith.simplex.check(meter) {
            arith.report_conflict(exchange);
            return FinalCheck::Conflict;
        }
        if meter.stopped().is_some() {
            return FinalCheck::Unknown;
        }
        if is_integral(arith) {
            return FinalCheck::Consistent;
        }
    }
    let fixed = equations(arith, Tightness::Fixed);
    if let Some(multipliers) = solve(&fixed, |v| !arith.forms[v as usize].is_int, meter) {
        let conflict = justify(arith, &fixed, &multipliers);
        arith.report_divisibility(conflict, exchange);
        return FinalCheck::Conflict;
    }
    let candidates: Vec<ArithVar> = fractional(arith).collect();
    if patch::patch(arith, &candidates) && is_integral(arith) {
        return FinalCheck::Consistent;
    }
    arith.lia.branches += 1;
    let branches = arith.lia.branches;
    if meter.spend(4) {
        return FinalCheck::Unknown;
    }
    if branches > MAX_BRANCHES {
        arith.incomplete = Some("the integer search found no end");
        return FinalCheck::Unknown;
    }
    let mut branch = None;
    if branches > PLAIN_BRANCHES && branches & 3 != 0 {
        branch = cut(arith, meter);
    }
    if branch.is_none() && meter.stopped().is_some() {
        return FinalCheck::Unknown;
    }
    match branch.or_else(|| plain_branch(arith)) {
        Some((form, value)) => branch_at(arith, form, &value, exchange),
        None => FinalCheck::Consistent,
    }
}

/// The integer variables with fractional values, in the order of the rows. Only basic variables
/// can be fractional.
fn fractional(arith: &Arith) -> impl Iterator<Item = ArithVar> + '_ {
    let tableau = &arith.simplex.tableau;
    (0..tableau.row_capacity() as u32)
        .filter_map(|row| tableau.row(row).first())
        .map(|entry| entry.var)
        .filter(|v| {
            let info = &arith.forms[v.index()];
            info.is_int && info.definition.is_none() && !arith.simplex.value(*v).is_int()
        })
}

fn is_integral(arith: &Arith) -> bool {
    fractional(arith).next().is_none()
}

/// Removes forms without bounds from the tableau: fractional values that only these forms explain
/// do not matter. True if the assignment may have changed.
fn free_idle_forms(arith: &mut Arith) -> bool {
    let tableau = &arith.simplex.tableau;
    let rows = 0..tableau.row_capacity() as u32;
    let entries = rows.flat_map(|row| tableau.row(row).iter().skip(1));
    let mut idle: Vec<ArithVar> = entries
        .map(|entry| entry.var)
        .filter(|v| arith.forms[v.index()].definition.is_some())
        .filter(|&v| arith.simplex.bound(v, Side::Lower).is_none())
        .filter(|&v| arith.simplex.bound(v, Side::Upper).is_none())
        .collect();
    idle.sort_unstable();
    idle.dedup();
    for &form in &idle {
        arith.drop_if_idle(form);
    }
    !idle.is_empty()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tightness {
    /// Both bounds coincide.
    Fixed,
    /// The assignment is at one of the bounds.
    Tight,
}

/// The forms that are fixed or tight, as equations over structural variables.
fn equations(arith: &Arith, tightness: Tightness) -> Vec<Equation> {
    let mut list = Vec::new();
    for (i, info) in arith.forms.iter().enumerate() {
        let form = ArithVar(i as u32);
        if info.definition.is_some() && !info.in_tableau {
            continue;
        }
        let holds = match tightness {
            Tightness::Fixed => arith.simplex.is_fixed(form),
            Tightness::Tight => [Side::Lower, Side::Upper].iter().any(|&side| {
                let bound = arith.simplex.bound(form, side);
                bound.is_some_and(|b| b.value == *arith.simplex.value(form))
            }),
        };
        if !holds {
            continue;
        }
        let coefficients = match &info.definition {
            Some(definition) => definition.iter().map(|(v, c)| (v.0, c.clone())).collect(),
            None => vec![(form.0, Int::ONE)],
        };
        list.push(Equation {
            form,
            coefficients,
            constant: arith.simplex.value(form).clone(),
        });
    }
    // Bounds of single variables are mostly branches: a combination without them cuts deeper, and
    // one of branches alone would only repeat them.
    list.sort_by_key(|e| arith.forms[e.form.index()].definition.is_none());
    list
}

/// The literals that fix the forms of a combination.
fn justify(arith: &Arith, equations: &[Equation], multipliers: &[(usize, Rat)]) -> Vec<(Lit, Rat)> {
    let mut list = Vec::new();
    for (k, m) in multipliers {
        let form = equations[*k].form;
        for (side, multiplier) in [(Side::Upper, m.clone()), (Side::Lower, Rat::ZERO)] {
            let bound = arith.simplex.bound(form, side);
            list.push((bound.expect("the form is fixed").reason, multiplier));
        }
    }
    list
}

/// The combination that shows that the tight constraints have no integer solution, and its value.
fn cut(arith: &mut Arith, meter: &mut Meter) -> Option<(ArithVar, Delta)> {
    let tight = equations(arith, Tightness::Tight);
    let multipliers = solve(&tight, |v| !arith.forms[v as usize].is_int, meter)?;
    let mut sum: Linear<ArithVar> = Linear::default();
    let mut value = Delta::ZERO;
    for (k, m) in &multipliers {
        let equation = &tight[*k];
        value.add_mul(&equation.constant, m);
        for (v, c) in &equation.coefficients {
            sum.add_term(ArithVar(*v), &(m * &Rat::from(c)));
        }
    }
    let large = |m: &(ArithVar, Rat)| m.1.numer().bits() > MAX_CUT_BITS;
    if sum.is_constant() || sum.monomials().iter().any(large) || !arith.lia.is_local(&sum) {
        return None;
    }
    let (form, factor) = arith.form(&sum);
    let value = value.times(&factor.recip());
    debug_assert!(!value.is_int());
    Some((form, value))
}

/// Branches at a value. The nearer side comes first if the form is bounded; otherwise the side of
/// zero, so that the search does not follow an ever growing value.
fn branch_at(
    arith: &mut Arith,
    form: ArithVar,
    value: &Delta,
    exchange: &mut Exchange,
) -> FinalCheck {
    let bound = value.floor();
    let bounded = arith.simplex.bound(form, Side::Lower).is_some()
        && arith.simplex.bound(form, Side::Upper).is_some();
    let up = if bounded {
        value.real > Rat::from(&bound) + Rat::from_ratio(1, 2)
    } else {
        value.real.is_negative()
    };
    let lit = arith.upper_literal(form, Delta::from_rat(Rat::from(bound)), exchange);
    FinalCheck::Branch(if up { !lit } else { lit })
}

/// The fractional variable with the smallest range, and its value; unbounded ones come last.
fn plain_branch(arith: &Arith) -> Option<(ArithVar, Delta)> {
    let range = |&v: &ArithVar| {
        let lower = arith.simplex.bound(v, Side::Lower);
        let bounds = lower.zip(arith.simplex.bound(v, Side::Upper));
        let range = bounds.map(|(l, u)| &u.value.real - &l.value.real);
        (range.is_none(), range, v)
    };
    let best = fractional(arith).min_by_key(range)?;
    Some((best, arith.simplex.value(best).clone()))
}
