//! Invariants as people want to read them: many short conditions instead of one long one.
//!
//! Only laws of propositional logic are used, so that what is shown is equivalent to what was
//! checked, and no solver is needed. Proofs by splitting leave the same patterns again and again:
//! two halves of a node that both stay, a condition that all nodes share, a node inside another.

use sectile_terms::{Node, Term, Terms};
use std::collections::BTreeSet;

/// Formulas with more alternatives than this are left as they are.
const LARGEST: usize = 1000;

/// A conjunction of literals.
type Cube = BTreeSet<Term>;

/// A disjunction of cubes; a clause is one whose cubes have one literal each.
type Choice = BTreeSet<Cube>;

/// Conditions that together are equivalent to the formula, short ones where possible.
pub fn readable(terms: &Terms, formula: Term) -> Vec<Term> {
    let parts = pieces(terms, formula, Junction::And);
    let mut choices: Vec<Choice> = parts.iter().map(|&p| choice_of(terms, p)).collect();
    if choices.iter().map(BTreeSet::len).sum::<usize>() > LARGEST {
        return parts;
    }
    loop {
        let before = choices.clone();
        choices = choices.iter().flat_map(|c| factored(terms, c)).collect();
        propagate_units(terms, &mut choices);
        drop_implied(&mut choices);
        if choices == before {
            break;
        }
    }
    choices.iter().map(|c| term_of(terms, c)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Junction {
    And,
    Or,
}

/// The parts of a conjunction or disjunction, also of a negated disjunction or conjunction.
fn pieces(terms: &Terms, formula: Term, junction: Junction) -> Vec<Term> {
    let mut found = Vec::new();
    let mut stack = vec![formula];
    while let Some(t) = stack.pop() {
        let (inner, negated) = terms.strip_not(t);
        let list = match (terms.node(inner), junction, negated) {
            (Node::And(list), Junction::And, false) | (Node::Or(list), Junction::Or, false) => list,
            (Node::Or(list), Junction::And, true) | (Node::And(list), Junction::Or, true) => list,
            (Node::Bool(b), ..) if *b == (junction == Junction::And) => continue,
            _ => {
                found.push(t);
                continue;
            }
        };
        let signed = |&i: &Term| if negated { terms.not(i) } else { i };
        stack.extend(list.iter().rev().map(signed));
    }
    found
}

fn choice_of(terms: &Terms, formula: Term) -> Choice {
    let cube = |&t: &Term| pieces(terms, t, Junction::And).into_iter().collect();
    let cubes = pieces(terms, formula, Junction::Or);
    cubes.iter().map(cube).collect()
}

fn term_of(terms: &Terms, choice: &Choice) -> Term {
    let cubes = choice.iter().map(|c| terms.and(c.iter().copied()));
    terms.or(cubes.collect::<Vec<_>>())
}

/// Splits a disjunction into what all its cubes share and what is left of them.
fn factored(terms: &Terms, choice: &Choice) -> Vec<Choice> {
    let choice = merged(terms, choice);
    let mut cubes = choice.iter();
    let Some(first) = cubes.next() else {
        return vec![choice];
    };
    let shared = cubes.fold(first.clone(), |s, c| s.intersection(c).copied().collect());
    let rest: Choice = choice
        .iter()
        .map(|c| c.difference(&shared).copied().collect())
        .collect();
    let alone = |&t: &Term| Choice::from([Cube::from([t])]);
    let mut parts: Vec<Choice> = shared.iter().map(alone).collect();
    if !rest.contains(&Cube::new()) {
        parts.push(rest);
    }
    parts
}

/// Joins cubes that differ in one literal and its negation, and drops those inside others.
fn merged(terms: &Terms, choice: &Choice) -> Choice {
    let mut cubes = choice.clone();
    let mut work: Vec<Cube> = choice.iter().rev().cloned().collect();
    while let Some(cube) = work.pop() {
        if let Some((other, joined)) = other_half(terms, &cubes, &cube) {
            cubes.remove(&cube);
            cubes.remove(&other);
            cubes.insert(joined.clone());
            work.push(joined);
        }
    }
    let cubes = without_excluded(terms, &cubes);
    let inside = |c: &Cube| cubes.iter().any(|d| d != c && d.is_subset(c));
    cubes.iter().filter(|c| !inside(c)).cloned().collect()
}

/// `p or (not p and r)` is `p or r`.
fn without_excluded(terms: &Terms, cubes: &Choice) -> Choice {
    let single = cubes.iter().filter(|c| c.len() == 1);
    let excluded: Cube = single.flatten().map(|&l| terms.not(l)).collect();
    let shorter = |c: &Cube| match c.len() {
        1 => c.clone(),
        _ => c.difference(&excluded).copied().collect(),
    };
    cubes.iter().map(shorter).collect()
}

/// A cube that is the same but for one literal, and the two together.
fn other_half(terms: &Terms, cubes: &Choice, cube: &Cube) -> Option<(Cube, Cube)> {
    if !cubes.contains(cube) {
        return None;
    }
    cube.iter().find_map(|literal| {
        let mut joined = cube.clone();
        joined.remove(literal);
        let mut other = joined.clone();
        other.insert(terms.not(*literal));
        cubes.contains(&other).then_some((other, joined))
    })
}

/// Uses the conditions that are single literals to shorten all others.
fn propagate_units(terms: &Terms, choices: &mut [Choice]) {
    let unit = |c: &Choice| match (c.len(), c.first()) {
        (1, Some(cube)) if cube.len() == 1 => cube.first().copied(),
        _ => None,
    };
    let units: BTreeSet<Term> = choices.iter().filter_map(unit).collect();
    for choice in choices.iter_mut().filter(|c| unit(c).is_none()) {
        let possible = |c: &&Cube| !c.iter().any(|&l| units.contains(&terms.not(l)));
        let shorter = |c: &Cube| c.difference(&units).copied().collect();
        *choice = choice.iter().filter(possible).map(shorter).collect();
    }
}

/// Drops conditions that are true or that another one implies.
fn drop_implied(choices: &mut Vec<Choice>) {
    let mut kept: Vec<Choice> = Vec::new();
    for choice in choices.drain(..) {
        if choice.contains(&Cube::new()) || kept.iter().any(|k| implies(k, &choice)) {
            continue;
        }
        kept.retain(|k| !implies(&choice, k));
        kept.push(choice);
    }
    *choices = kept;
}

/// Whether every cube of the first lies in a cube of the second.
fn implies(a: &Choice, b: &Choice) -> bool {
    a.iter().all(|c| b.iter().any(|d| d.is_subset(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_base::Rng;
    use sectile_terms::{NativePrinter, Sort, Stage, Symbol, SymbolKind, Value, evaluate};

    fn symbols(terms: &Terms, names: &[&str]) -> Vec<Symbol> {
        let declare = |n: &&str| terms.declare(n, Sort::Bool, SymbolKind::State);
        names
            .iter()
            .map(|n| declare(n).expect("names are new"))
            .collect()
    }

    fn variables(terms: &Terms) -> [Term; 4] {
        let names = ["a", "p", "q", "r"];
        names.map(|n| terms.var(symbols(terms, &[n])[0]))
    }

    fn shown(terms: &Terms, formula: Term) -> Vec<String> {
        let printer = NativePrinter::new(terms);
        let list = readable(terms, formula);
        list.into_iter().map(|t| printer.print(t)).collect()
    }

    #[test]
    fn halves_meet_again_and_what_is_shared_stands_alone() {
        let terms = Terms::new();
        let [a, p, q, r] = variables(&terms);
        // Three nodes: (a p q), (a p not q), (a not p r).
        let node = |list: &[Term]| terms.and(list.iter().copied());
        let invariant = terms.or([
            node(&[a, p, q]),
            node(&[a, p, terms.not(q)]),
            node(&[a, terms.not(p), r]),
        ]);
        assert_eq!(shown(&terms, invariant), ["a", "p or r"]);
    }

    #[test]
    fn negated_labels_become_clauses_and_units_shorten_them() {
        let terms = Terms::new();
        let [a, p, q, r] = variables(&terms);
        let invariant = terms.and([
            terms.not(terms.and([a, p, q])),
            terms.not(terms.and([p, q, r])),
            terms.or([terms.not(p), terms.not(q)]),
            a,
        ]);
        assert_eq!(shown(&terms, invariant), ["not p or not q", "a"]);
        assert!(shown(&terms, terms.tt()).is_empty());
        assert_eq!(shown(&terms, terms.ff()), ["false"]);
    }

    #[test]
    fn what_is_shown_is_equivalent_to_what_was_checked() {
        let terms = Terms::new();
        let names = symbols(&terms, &["a", "b", "c", "d", "e"]);
        let mut rng = Rng::new(7);
        for round in 0..500 {
            let mut pool: Vec<Term> = names.iter().map(|&s| terms.var(s)).collect();
            for _ in 0..12 {
                let mut pick = || pool[rng.below(pool.len() as u64) as usize];
                let (x, y, z) = (pick(), pick(), pick());
                let x = if rng.below(2) == 0 { terms.not(x) } else { x };
                pool.push(match rng.below(2) {
                    0 => terms.and([x, y, z]),
                    _ => terms.or([x, y, z]),
                });
            }
            let formula = *pool.last().expect("the pool is not empty");
            let simple = terms.and(readable(&terms, formula));
            for bits in 0..32_usize {
                let value = |s: Symbol, _: Stage| {
                    let i = names.iter().position(|n| *n == s)?;
                    Some(Value::Bool(bits >> i & 1 == 1))
                };
                assert_eq!(
                    evaluate(&terms, formula, &value),
                    evaluate(&terms, simple, &value),
                    "round {round}, valuation {bits:05b}"
                );
            }
        }
    }
}
