//! Axioms, as far as they are conditions on constants; and unique constants.

use super::ast::{Expr, for_each_name};
use super::elaborate::{Context, Elaborator, OldMeaning};
use super::program::{Key, Scope};
use sectile_terms::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// What holds of the constants that are used.
///
/// An axiom counts where it mentions a constant that the program uses, or one that another axiom
/// which counts mentions; and where it mentions no name at all, since it could be false.
pub fn conditions(elaborator: &mut Elaborator<'_, '_>) -> Vec<Term> {
    let axioms = elaborator.program.file.axioms.iter();
    let axioms: Vec<(&Expr, BTreeSet<String>)> = axioms.map(|a| (a, mentioned(a))).collect();
    let mut used: BTreeSet<String> = constants(elaborator);
    let mut counts = vec![false; axioms.len()];
    let mut grown = true;
    while std::mem::take(&mut grown) {
        for (counts, (_, names)) in counts.iter_mut().zip(&axioms) {
            if !*counts && (names.is_empty() || !names.is_disjoint(&used)) {
                (*counts, grown) = (true, true);
                used.extend(names.iter().cloned());
            }
        }
    }
    let place = Context::new(Scope::File, OldMeaning::Same);
    let mut found = Vec::new();
    for ((axiom, _), _) in axioms.iter().zip(counts).filter(|(_, counts)| *counts) {
        if let Ok(term) = elaborator.formula(axiom, place) {
            found.extend(elaborator.terms.conjuncts(term));
        }
    }
    found.extend(distinct(elaborator));
    found
}

fn mentioned(axiom: &Expr) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for_each_name(axiom, false, &mut |name, _| {
        _ = names.insert(name.to_string())
    });
    names
}

/// The constants that have a symbol.
fn constants(elaborator: &Elaborator<'_, '_>) -> BTreeSet<String> {
    let keys = elaborator.symbols.keys();
    let constants = keys.filter(|k| matches!(k, Key::Constant(_)));
    let names = constants.map(|&k| elaborator.program.declared(k).0.text.to_string());
    names.collect()
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
