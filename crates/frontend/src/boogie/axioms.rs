//! Axioms, as conditions on constants and functions, and unique constants.

use super::ast::{Expr, for_each_name};
use super::elaborate::{Context, Elaborator, OldMeaning};
use super::instances::{Scheme, instances};
use super::program::{Key, Program, Scope};
use super::quantifiers::Side;
use sectile_terms::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The content of the axioms.
#[derive(Default)]
pub struct Known {
    /// Conditions on constants and functions.
    pub conditions: Vec<Term>,
    /// Whether these say less than the axioms do.
    pub weaker: bool,
    /// Statements about all values.
    pub schemes: Vec<Scheme>,
}

/// Collects what is known about the constants and functions that are used.
///
/// An axiom is relevant if it mentions a constant, or a function without a body, that occurs in the
/// program or in another relevant axiom. An axiom that mentions none is relevant too, since it
/// could be false.
pub fn known(elaborator: &mut Elaborator<'_, '_>) -> Known {
    let axioms = elaborator.program.file.axioms.iter();
    let program = elaborator.program;
    let axioms: Vec<(&Expr, BTreeSet<Key>)> = axioms.map(|a| (a, mentioned(program, a))).collect();
    let mut used: BTreeSet<Key> = elaborator.symbols.keys().copied().collect();
    let mut counts = vec![false; axioms.len()];
    let mut grown = true;
    while std::mem::take(&mut grown) {
        for (counts, (_, names)) in counts.iter_mut().zip(&axioms) {
            if !*counts && (names.is_empty() || !names.is_disjoint(&used)) {
                (*counts, grown) = (true, true);
                used.extend(names);
            }
        }
    }
    let place = Context::new(Scope::File, OldMeaning::Same);
    let mut known = Known::default();
    let linear = std::mem::replace(&mut elaborator.linear, true);
    for ((axiom, _), _) in axioms.iter().zip(counts).filter(|(_, counts)| *counts) {
        if let Ok(assumed) = elaborator.assumption(axiom, Side::HOLDS_ONCE, place) {
            let conjuncts = elaborator.terms.conjuncts(assumed.term);
            known.conditions.extend(conjuncts);
            known.weaker |= assumed.weaker;
            known.schemes.extend(elaborator.scheme(axiom, place));
        }
    }
    elaborator.linear = linear;
    known.conditions.extend(distinct(elaborator));
    let more = instances(elaborator.terms, &known.schemes, &known.conditions);
    known.conditions.extend(more);
    known
}

/// The constants and the functions without a body that an axiom mentions, directly or in the bodies
/// of the functions that it uses.
fn mentioned(program: &Program<'_>, axiom: &Expr) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    let mut expanded = BTreeSet::new();
    let mut work = vec![axiom];
    while let Some(next) = work.pop() {
        for_each_name(next, false, &mut |name, _| {
            found.extend(program.lookup(Scope::File, name));
            let Some((id, function)) = program.function(name) else {
                return;
            };
            match &function.body {
                Some(body) if expanded.insert(id) => work.push(body),
                Some(_) => {}
                None => _ = found.insert(Key::Function(id)),
            }
        });
    }
    found
}

/// Unique constants of one type differ.
fn distinct(elaborator: &Elaborator<'_, '_>) -> Vec<Term> {
    let mut groups: BTreeMap<Sort, Vec<Term>> = BTreeMap::new();
    for (key, &symbol) in &elaborator.symbols {
        if let Key::Constant(c) = key
            && elaborator.program.file.constants[*c].unique
        {
            let group = groups.entry(elaborator.terms.symbol_sort(symbol));
            group.or_default().push(elaborator.terms.var(symbol));
        }
    }
    let groups = groups.values().filter(|g| g.len() > 1);
    groups.map(|g| elaborator.terms.distinct(g)).collect()
}
