//! Model-based projection of conjunctions.

use super::conjunction::mentioning;
use super::constraint::{Constraint, Kind, combined};
use super::implicant::implicant_in;
use super::integer::eliminate_int;
use super::system::{Bound, Occurrences, System, classify, ordered};
use super::values::Values;
use rustc_hash::FxHashSet;
use sectile_base::Rat;
use sectile_solver::{ModelView, SolverError};
use sectile_terms::{Node, Sort, Stage, Symbol, Term, Terms};

/// Literals without the variables, true in the model, that imply that values of the variables
/// exist which make the given literals true.
///
/// For a fixed conjunction of linear literals over integers or over reals there are finitely many
/// results, whatever the model. Papers: [LoosWeispfenning93], [KomuravelliGurfinkelChaki14].
/// It is an error if the literals are not true in the model, or mention arrays.
pub fn mbp(
    terms: &Terms,
    literals: &[Term],
    vars: &[(Symbol, Stage)],
    model: &dyn ModelView,
) -> Result<Vec<Term>, SolverError> {
    let targets: Vec<Term> = vars.iter().map(|&(s, g)| terms.var_at(s, g)).collect();
    mbp_in(terms, literals, &targets, &mut Values::new(terms, model))
}

/// The projection for variables given as terms.
pub(super) fn mbp_in(
    terms: &Terms,
    literals: &[Term],
    vars: &[Term],
    values: &mut Values<'_>,
) -> Result<Vec<Term>, SolverError> {
    let flat = implicant_in(terms, literals, values)?;
    let mut system = System::new(terms, &flat);
    let vars: FxHashSet<Term> = vars.iter().copied().collect();
    let mut numeric = Vec::new();
    for leaf in leaves(terms, &flat, &vars) {
        match terms.sort(leaf) {
            Sort::Bool => system.eliminate_bool(leaf),
            Sort::Enum(_) => eliminate_enum(&mut system, values, leaf)?,
            Sort::Int | Sort::Real => numeric.push(leaf),
            Sort::Array(_) => {}
        }
    }
    for &leaf in &numeric {
        define_floor(&mut system, leaf);
    }
    // Integers come last: without reals they can be eliminated completely.
    while let Some(next) = cheapest(&system, &numeric) {
        let target = numeric.remove(next);
        match terms.sort(target) {
            Sort::Int => eliminate_int(&mut system, values, target, &numeric)?,
            _ => eliminate_real(&mut system, values, target)?,
        }
        debug_assert!(
            system
                .formulas()
                .iter()
                .all(|&l| values.truth(l) == Ok(true)),
            "a step of the projection must keep the model"
        );
    }
    Ok(system.formulas())
}

/// The leaves to eliminate: the variables, and every `floor` over one of them.
fn leaves(terms: &Terms, literals: &[Term], vars: &FxHashSet<Term>) -> Vec<Term> {
    let is_leaf = |t: &Term| matches!(terms.node(*t), Node::Var(..) | Node::Floor(_));
    let mut found = mentioning(terms, literals, vars);
    found.retain(is_leaf);
    found
}

/// Adds the definition of a `floor`, so that it can be treated as a variable.
fn define_floor(system: &mut System<'_>, leaf: Term) {
    let terms = system.terms;
    let Node::Floor(real) = *terms.node(leaf) else {
        return;
    };
    let integer = terms.linear(terms.to_real(leaf));
    let real = terms.linear(real);
    let below = combined(&integer, &Rat::ONE, &real, &Rat::MINUS_ONE);
    let mut above = combined(&real, &Rat::ONE, &integer, &Rat::MINUS_ONE);
    above.add_constant(&Rat::MINUS_ONE);
    system.add(&Constraint::new(below, Sort::Real, Kind::AtMost));
    system.add(&Constraint::new(above, Sort::Real, Kind::Below));
}

/// The variable to eliminate next: reals first, then the cheapest, then the earliest.
fn cheapest(system: &System<'_>, targets: &[Term]) -> Option<usize> {
    let is_int = |t: Term| system.terms.sort(t) == Sort::Int;
    let cost = |&i: &usize| (is_int(targets[i]), system.cost(targets[i]), i);
    (0..targets.len()).min_by_key(cost)
}

fn eliminate_enum(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    target: Term,
) -> Result<(), SolverError> {
    if !system.eliminate_enum(target) {
        let value = values.constant(target)?;
        system.substitute_others(target, value);
    }
    Ok(())
}

/// Turns disequalities into the bounds that the model satisfies, and equalities into two bounds.
pub(super) fn strengthen(
    terms: &Terms,
    said: &mut Occurrences,
    values: &mut Values<'_>,
    target: Term,
) -> Result<(), SolverError> {
    let mut bounds = Vec::new();
    for row in said.unequal.drain(..) {
        let mut sum = row.sum.clone();
        if values.sum(&sum)?.is_positive() {
            sum.scale(&Rat::MINUS_ONE);
        }
        let kind = if row.sort == Sort::Int {
            sum.add_constant(&Rat::ONE);
            Kind::AtMost
        } else {
            Kind::Below
        };
        bounds.push(Constraint::new(sum, row.sort, kind));
    }
    for row in said.equal.drain(..) {
        let mut other = row.sum.clone();
        other.scale(&Rat::MINUS_ONE);
        bounds.push(Constraint::new(row.sum, row.sort, Kind::AtMost));
        bounds.push(Constraint::new(other, row.sort, Kind::AtMost));
    }
    let more = classify(terms, &bounds, target);
    said.lower.extend(more.lower);
    said.upper.extend(more.upper);
    Ok(())
}

/// Mirrors the variable if that gives fewer lower bounds.
pub(super) fn fewer_below(said: &mut Occurrences) -> bool {
    let mirrored = said.upper.len() < said.lower.len();
    if mirrored {
        mirror(said);
    }
    mirrored
}

/// Exchanges lower and upper bounds: the constraints on the negated variable.
pub(super) fn mirror(said: &mut Occurrences) {
    let flipped = |side: &[Bound]| side.iter().map(Bound::mirrored).collect();
    let (lower, upper) = (flipped(&said.upper), flipped(&said.lower));
    (said.lower, said.upper) = (lower, upper);
}

/// The position of the lower bound that is greatest in the model; a strict one among equals.
pub(super) fn greatest(
    lower: &[Bound],
    values: &mut Values<'_>,
) -> Result<Option<usize>, SolverError> {
    let mut best: Option<(usize, (Rat, bool))> = None;
    for (i, bound) in lower.iter().enumerate() {
        let value = (values.sum(&bound.quotient())?, bound.strict);
        if best.as_ref().is_none_or(|(_, known)| value > *known) {
            best = Some((i, value));
        }
    }
    Ok(best.map(|(i, _)| i))
}

/// The greatest of some lower bounds in the model; adds that the others are not greater.
pub(super) fn choose_greatest<'b>(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    lower: &'b [Bound],
    sort: Sort,
) -> Result<Option<&'b Bound>, SolverError> {
    let Some(chosen) = greatest(lower, values)? else {
        return Ok(None);
    };
    let low = &lower[chosen];
    let limit = low.quotient();
    for (i, other) in lower.iter().enumerate() {
        if i != chosen {
            // At the limit itself a strict bound must be smaller; just above it, it need not be.
            let strict = other.strict && !low.strict;
            let row = ordered(
                system.terms,
                (&other.quotient(), sort),
                (&limit, sort),
                strict,
            );
            system.add(&row);
        }
    }
    Ok(Some(low))
}

/// Eliminates a real variable: its value is its greatest lower bound, or just above it.
fn eliminate_real(
    system: &mut System<'_>,
    values: &mut Values<'_>,
    target: Term,
) -> Result<(), SolverError> {
    if system.eliminate_exactly(target, 0) {
        return Ok(());
    }
    let terms = system.terms;
    let mut said = system.occurrences(target);
    system.take(target);
    strengthen(terms, &mut said, values, target)?;
    fewer_below(&mut said);
    let Some(low) = choose_greatest(system, values, &said.lower, Sort::Real)? else {
        // Variables with bounds on one side only were dropped above.
        return Ok(());
    };
    let limit = low.quotient();
    for high in &said.upper {
        let strict = low.strict || high.strict;
        let high = high.quotient();
        let row = ordered(terms, (&limit, Sort::Real), (&high, Sort::Real), strict);
        system.add(&row);
    }
    Ok(())
}
