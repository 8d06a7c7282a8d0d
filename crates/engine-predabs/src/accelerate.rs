//! Loops that are taken any number of times.

use crate::transformers::Transformers;
use sectile_base::Rat;
use sectile_engine::Stop;
use sectile_model::Command;
use sectile_terms::{Linear, Node, Sort, Stage, Substitution, SymbolKind, Term, Terms};

/// The commands one after the other, as one guarded assignment over the first state.
fn composed(terms: &Terms, commands: &[(&Command, &[Term])]) -> Option<(Vec<Term>, Substitution)> {
    let (mut all, mut values) = (Vec::new(), Substitution::default());
    for (command, guards) in commands {
        if !command.relations.is_empty() || !command.inputs.is_empty() {
            return None;
        }
        let here = |t: Term| terms.substitute(t, &values);
        let guards: Vec<Term> = guards.iter().map(|&g| here(g)).collect();
        let updates = command.updates.iter();
        let updates: Vec<(Term, Term)> = updates
            .map(|u| (terms.var(u.symbol), here(u.value)))
            .collect();
        let conjuncts = guards.into_iter().flat_map(|g| terms.conjuncts(g));
        all.extend(conjuncts.filter(|&g| terms.as_bool(g) != Some(true)));
        values.extend(updates);
    }
    Some((all, values))
}

/// A loop that adds constants to numbers.
struct Translation {
    guards: Vec<Term>,
    /// What one round adds.
    steps: Vec<(Term, Rat)>,
}

impl Translation {
    /// The loop, if it is one, and its guards hold in all rounds where they hold in the first and
    /// in the last.
    fn new(terms: &Terms, commands: &[(&Command, &[Term])]) -> Option<Translation> {
        let (guards, values) = composed(terms, commands)?;
        let loop_ = Translation {
            steps: steps(terms, &guards, &values)?,
            guards,
        };
        let one = terms.int(1);
        let moves = |g: Term| loop_.after(terms, one, g) != g;
        let mut guards = loop_.guards.iter();
        let is_good = guards.all(|&g| is_bound(terms, g) || !moves(g));
        is_good.then_some(loop_)
    }

    /// A condition on what the variables are after some rounds.
    fn after(&self, terms: &Terms, rounds: Term, t: Term) -> Term {
        let moved = self.steps.iter();
        let moved = moved.map(|(v, c)| (*v, terms.add(*v, terms.scale(rounds, c))));
        terms.substitute(t, &moved.collect())
    }
}

/// Whether [`star`] can take the loop.
pub fn is_translation(terms: &Terms, commands: &[(&Command, &[Term])]) -> bool {
    Translation::new(terms, commands).is_some()
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
    let Some(whole) = Translation::new(terms, commands) else {
        return Ok(None);
    };
    let count = terms.fresh("rounds", Sort::Int, SymbolKind::Input);
    let rounds = terms.var(count);
    let earlier = terms.sub(rounds, terms.int(1));
    let mut parts = vec![
        terms.ge(rounds, terms.int(1)),
        whole.after(terms, rounds, target),
    ];
    for &guard in &whole.guards {
        parts.extend([guard, whole.after(terms, earlier, guard)]);
    }
    let some = transformers.exists(terms.and(parts), &[(count, Stage::Now)])?;
    if !some.exact {
        return Ok(None);
    }
    Ok(Some(terms.simplify(terms.or2(target, some.formula))))
}

/// What one round adds to each variable; `None` if it is no translation.
fn steps(terms: &Terms, guards: &[Term], values: &Substitution) -> Option<Vec<(Term, Rat)>> {
    let mut steps = Vec::new();
    let mut values: Vec<(&Term, &Term)> = values.iter().collect();
    values.sort();
    for (&variable, &value) in values {
        if variable == value {
            continue;
        }
        if terms.sort(variable) != Sort::Int {
            // Control comes back to where it was; the guards say where that is.
            let guarded = guards.contains(&terms.eq(variable, value));
            if guarded || matches!(terms.node(value), Node::Variant(..)) {
                continue;
            }
            return None;
        }
        let mut change: Linear = terms.linear(value);
        change.add_term(variable, &-Rat::ONE);
        if !change.is_constant() {
            return None;
        }
        steps.push((variable, change.constant().clone()));
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
