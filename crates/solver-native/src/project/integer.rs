//! Model-based projection of one integer variable.
//!
//! The variable is set to the least integer above its greatest lower bound (or, mirrored, the
//! largest below its least upper bound). Every rule below states that this integer satisfies one
//! other constraint, so together they state that it satisfies all. Paper: [BjornerJanota15].

use super::constraint::{Constraint, Kind, combined, scaled};
use super::mbp::{choose_greatest, fewer_below, greatest, mirror, strengthen};
use super::system::{Bound, Occurrences, System, ordered, period};
use super::values::Values;
use sectile_base::{Int, Rat};
use sectile_solver::SolverError;
use sectile_terms::{Linear, Node, Sort, Term};

/// Eliminates an integer variable; `pending` are the variables that will be eliminated after it.
pub(super) fn eliminate_int(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    target: Term,
    pending: &[Term],
) -> Result<(), SolverError> {
    if system.eliminate_exactly(target, 0) {
        return Ok(());
    }
    let terms = system.terms;
    let mut said = system.occurrences(target);
    system.take(target);
    if said.is_one_sided() {
        said = Occurrences {
            residues: said.residues,
            ..Occurrences::default()
        };
    }
    strengthen(terms, &mut said, values, target)?;
    let value = values.number(target)?.numer();
    let residue = fix_residue(system, values, &mut said, target)?;
    if said.lower.is_empty() || said.upper.is_empty() {
        return Ok(());
    }
    let bounds = said.lower.iter().chain(&said.upper);
    if bounds.into_iter().all(|b| b.sort == Sort::Int) {
        return resolve(system, values, said);
    }
    let (modulus, remainder) = residue;
    let now = (&value - &remainder).div_exact(&modulus);
    mixed(system, values, said, &now, pending)
}

/// Replaces the variable by `modulus * variable + remainder`, with the remainder in the model, so
/// that divisibility no longer depends on it. Returns both numbers.
fn fix_residue(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    said: &mut Occurrences,
    target: Term,
) -> Result<(Int, Int), SolverError> {
    let terms = system.terms;
    let periods = said.residues.iter().map(|r| period(terms, r, target));
    let modulus = periods.fold(Int::ONE, |lcm, p| lcm.lcm(&p));
    let remainder = values.number(target)?.numer().rem_euclid(&modulus);
    let fixed = Linear::constant_only(Rat::from(&remainder));
    for row in said.residues.drain(..) {
        // A multiple of the modulus changes nothing here.
        system.add(&row.replace(terms, target, &fixed));
    }
    let (m, r) = (Rat::from(&modulus), Rat::from(&remainder));
    for bound in said.lower.iter_mut().chain(&mut said.upper) {
        bound.limit.add_constant(&-(&bound.factor * &r));
        bound.factor *= &m;
    }
    Ok((modulus, remainder))
}

/// Bounds over integers only.
fn resolve(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    mut said: Occurrences,
) -> Result<(), SolverError> {
    fewer_below(&mut said);
    let Some(low) = choose_greatest(system, values, &said.lower, Sort::Int)? else {
        return Ok(());
    };
    for high in &said.upper {
        resolve_pair(system, values, low, high)?;
    }
    Ok(())
}

/// `b * x >= s` with `a * x <= t`: that `a * ceil(s / b) <= t`.
fn resolve_pair(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    low: &Bound,
    high: &Bound,
) -> Result<(), SolverError> {
    let (a, b) = (&high.factor, &low.factor);
    let (s, t) = (&low.limit, &high.limit);
    // The slack is b * t - a * s; the rows say that something is at most that.
    let mut lack = combined(s, a, t, &-b.clone());
    let room = -values.sum(&lack)?;
    let enough = (a - &Rat::ONE) * (b - &Rat::ONE);
    if enough <= room {
        lack.add_constant(&enough);
    } else {
        // Rounding may leave no integer between the bounds. The rounding is taken from the model;
        // the smaller coefficient has fewer cases.
        let (sum, d) = if a >= b { (s, b) } else { (t, a) };
        let divisor = d.numer();
        let value = values.sum(sum)?.numer();
        let mut whole = sum.clone();
        if a >= b {
            let missing = Rat::from((-value).rem_euclid(&divisor));
            whole.add_constant(&missing);
            lack.add_constant(&(a * &missing));
        } else {
            let excess = Rat::from(value.rem_euclid(&divisor));
            whole.add_constant(&-excess.clone());
            lack.add_constant(&(b * &excess));
        }
        system.add(&Constraint::new(whole, Sort::Int, Kind::Divides(divisor)));
    }
    system.add(&Constraint::new(lack, Sort::Int, Kind::AtMost));
    Ok(())
}

/// Resolves bounds of which some are over reals that are not eliminated.
fn mixed(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    mut said: Occurrences,
    now: &Int,
    pending: &[Term],
) -> Result<(), SolverError> {
    let terms = system.terms;
    let mut mirrored = fewer_below(&mut said);
    let mut witness = None;
    for _ in 0..2 {
        if let Some(chosen) = greatest(&said.lower, values)? {
            witness = least_above(system, values, &said.lower[chosen], pending)?;
        }
        if witness.is_some() {
            break;
        }
        mirror(&mut said);
        mirrored = !mirrored;
    }
    // If no term describes a witness, its value in the model is used.
    let witness = witness.unwrap_or_else(|| {
        let value = Rat::from(now);
        Linear::constant_only(if mirrored { -value } else { value })
    });
    let sides = said.lower.iter().map(|b| (b, false));
    for (bound, upper) in sides.chain(said.upper.iter().map(|b| (b, true))) {
        let value = bound.quotient();
        let (value, own) = ((&value, bound.sort), (&witness, Sort::Int));
        let row = if upper {
            ordered(terms, own, value, bound.strict)
        } else {
            ordered(terms, value, own, bound.strict)
        };
        system.add(&row);
    }
    Ok(())
}

/// The least integer that satisfies a lower bound, as a sum, if it can be written without an
/// operator over a variable that is still to be eliminated.
fn least_above(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    low: &Bound,
    pending: &[Term],
) -> Result<Option<Linear>, SolverError> {
    let terms = system.terms;
    if low.sort == Sort::Int {
        let divisor = low.factor.numer();
        let value = values.sum(&low.limit)?.numer();
        let mut whole = low.limit.clone();
        whole.add_constant(&Rat::from((-value).rem_euclid(&divisor)));
        let multiple = Kind::Divides(divisor);
        system.add(&Constraint::new(whole.clone(), Sort::Int, multiple));
        whole.scale(&low.factor.recip());
        return Ok(Some(whole));
    }
    let hides = |leaf: Term| match terms.node(leaf) {
        Node::ToReal(inner) => pending.contains(inner),
        _ => pending.contains(&leaf),
    };
    let limit = low.quotient();
    if limit.monomials().iter().any(|m| hides(m.0)) {
        return Ok(None);
    }
    let sum = |l: &Linear| terms.sum(l.clone(), Sort::Real);
    let least = if low.strict {
        terms.add(terms.floor(sum(&limit)), terms.int(1))
    } else {
        let negative = scaled(&limit, &Rat::MINUS_ONE);
        terms.neg(terms.floor(sum(&negative)))
    };
    Ok(Some(terms.linear(least)))
}
