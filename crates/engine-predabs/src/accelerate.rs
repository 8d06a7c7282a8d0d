//! Loops that are taken any number of times.

use crate::prover::Stop;
use crate::transformers::Transformers;
use sectile_base::Rat;
use sectile_model::Command;
use sectile_terms::{Linear, Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};

/// A loop as one guarded assignment.
struct Composed {
    guards: Vec<Term>,
    values: Substitution,
}

/// The commands one after the other, as one guarded assignment over the first state.
fn composed(terms: &Terms, commands: &[(&Command, &[Term])]) -> Option<Composed> {
    let mut whole = Composed {
        guards: Vec::new(),
        values: Substitution::default(),
    };
    for (command, guards) in commands {
        if !command.relations.is_empty() || !command.inputs.is_empty() {
            return None;
        }
        let here = |t: Term| terms.substitute(t, &whole.values);
        let guards: Vec<Term> = guards.iter().map(|&g| here(g)).collect();
        let updates: Vec<(Term, Term)> = command
            .updates
            .iter()
            .map(|u| (terms.var(u.symbol), here(u.value)))
            .collect();
        let conjuncts = guards.into_iter().flat_map(|g| terms.conjuncts(g));
        whole
            .guards
            .extend(conjuncts.filter(|&g| terms.as_bool(g) != Some(true)));
        whole.values.extend(updates);
    }
    Some(whole)
}

/// The states from which `target` is reached by the loop, taken any number of times.
///
/// `None` where the loop adds no constants to numbers or its guards are not linear bounds.
///
/// Paper: [BeGrLa, Fig. 11]: the union of `pre^j` over all j, with the j eliminated. For a
/// translation, the guards hold in all rounds exactly if they hold in the first and the last.
pub fn star(
    terms: &Terms,
    transformers: &mut Transformers<'_>,
    commands: &[(&Command, &[Term])],
    target: Term,
) -> Result<Option<Term>, Stop> {
    let Some(whole) = composed(terms, commands) else {
        return Ok(None);
    };
    let rounds = terms.fresh("rounds", Sort::Int, SymbolKind::Input);
    let Some(steps) = translation(terms, &whole, rounds) else {
        return Ok(None);
    };
    let at = |t: Term, k: &dyn Fn(Term) -> Term| {
        let moved = steps.iter().map(|(&v, &c)| (v, terms.add(v, k(c))));
        terms.substitute(t, &moved.collect())
    };
    // `c` is the step times the number of rounds; the last round starts one step earlier.
    let last = |c: Term| {
        let one = terms.substitute(
            c,
            &Substitution::from_iter([(terms.var(rounds), terms.int(1))]),
        );
        terms.sub(c, one)
    };
    let mut parts = vec![
        terms.ge(terms.var(rounds), terms.int(1)),
        at(target, &|c| c),
    ];
    for &guard in &whole.guards {
        let moved = at(guard, &|c| c);
        if moved != guard && !is_bound(terms, guard) {
            return Ok(None);
        }
        parts.extend([guard, at(guard, &last)]);
    }
    let some = transformers.exists(terms.and(parts), &[(rounds, Stage::Now)])?;
    if !some.exact {
        return Ok(None);
    }
    Ok(Some(terms.simplify(terms.or2(target, some.formula))))
}

/// The change of each variable after `rounds` rounds; `None` if it is no translation.
fn translation(terms: &Terms, whole: &Composed, rounds: Symbol) -> Option<Substitution> {
    let mut steps = Substitution::default();
    let mut values: Vec<(&Term, &Term)> = whole.values.iter().collect();
    values.sort();
    for (&variable, &value) in values {
        if variable == value {
            continue;
        }
        if terms.sort(variable) != Sort::Int {
            // Control comes back to where it was; the guards say where that is.
            let guarded = terms.eq(variable, value);
            match whole.guards.contains(&guarded) || matches!(terms.node(value), Node::Variant(..))
            {
                true => continue,
                false => return None,
            }
        }
        let mut change: Linear = terms.linear(value);
        change.add_term(variable, &-Rat::ONE);
        if !change.is_constant() {
            return None;
        }
        let step = terms.scale(terms.var(rounds), change.constant());
        steps.insert(variable, step);
    }
    Some(steps)
}

/// Whether the atom holds between two points where it holds.
fn is_bound(terms: &Terms, guard: Term) -> bool {
    let (atom, negated) = terms.strip_not(guard);
    let linear = |t: Term| {
        let sum = terms.linear(t);
        let mut monomials = sum.monomials().iter();
        monomials.all(|(m, _)| matches!(terms.node(*m), Node::Var(..)))
    };
    match terms.node(atom) {
        Node::NonPos(t) | Node::Neg(t) => linear(*t),
        Node::Zero(t) => !negated && linear(*t),
        _ => false,
    }
}
