//! The choice of variables whose remainders matter.

use super::bounded::Bounds;
use super::small;
use sectile_base::Int;
use sectile_model::Model;
use sectile_terms::{Node, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The variables whose remainders matter, each with the modulus.
///
/// These are the variables in divisions and the variables from which they are computed. Chosen
/// values and symbolic constants have no known remainder. Divisions with `few` quotients need none,
/// nor do variables with few values.
pub(super) fn tracked(
    terms: &Terms,
    model: &Model,
    divisions: &[Term],
    few: &BTreeMap<Term, (i64, i64)>,
    bounds: &Bounds<'_>,
) -> Result<BTreeMap<Symbol, usize>, String> {
    let mut moduli: BTreeMap<Symbol, Int> = BTreeMap::new();
    let mut seen: BTreeSet<(Term, Int)> = BTreeSet::new();
    let mut work: Vec<(Term, Int)> = Vec::new();
    for &division in divisions.iter().filter(|d| !few.contains_key(d)) {
        if let Node::Mod(a, k) | Node::Div(a, k) = terms.node(division) {
            work.push((*a, k.clone()));
        }
    }
    while let Some((t, k)) = work.pop() {
        if !seen.insert((t, k.clone())) {
            continue;
        }
        small(&k)?;
        match terms.node(t) {
            Node::Var(x, _) if bounds.values(*x).is_some() => {}
            Node::Var(x, _) if model.variables.contains(x) => {
                let known = moduli.get(x).cloned().unwrap_or(Int::ONE);
                let modulus = known.lcm(&k);
                if modulus == known {
                    continue;
                }
                for command in model.commands() {
                    let value = command.update_of(*x);
                    let chosen = || format!("`{}` is chosen by a step", terms.name(*x));
                    work.push((value.ok_or_else(chosen)?, modulus.clone()));
                }
                moduli.insert(*x, modulus);
            }
            Node::Var(x, _) => {
                return Err(format!("`{}` is chosen or constant", terms.name(*x)));
            }
            // By cases it is the number minus a multiple of the divisor.
            Node::Mod(a, _) if few.contains_key(&t) => work.push((*a, k)),
            Node::Div(..) if few.contains_key(&t) => {}
            Node::Number(_) | Node::Mod(..) => {}
            Node::Sum(sum) => {
                let counts = |c: &Int| !k.divides(c);
                for (m, c) in sum.monomials() {
                    let c = c.to_int().ok_or("a number is not whole")?;
                    if counts(&c) {
                        work.push((*m, k.clone()));
                    }
                }
            }
            Node::Ite(_, a, b) | Node::Min(a, b) | Node::Max(a, b) => {
                work.extend([(*a, k.clone()), (*b, k)]);
            }
            Node::Abs(a) => work.push((*a, k)),
            _ => return Err("a remainder is not of a sum of variables".to_string()),
        }
    }
    let each = moduli.into_iter().map(|(x, k)| Ok((x, small(&k)?)));
    each.collect()
}
