//! Predicates about other processes of a family.

use sectile_model::{Field, Model};
use sectile_terms::{Substitution, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// A process: the position of the family, and the index.
type Process = (usize, i64);

/// The predicate with its processes exchanged for others; the predicate itself is left out.
///
/// These are only suggestions: the processes need not be symmetric.
pub fn siblings(terms: &Terms, system: &Model, predicate: Term) -> Vec<Term> {
    let families = &system.families;
    let symbols = families.symbols();
    let used = terms.free_vars(predicate);
    let used = used
        .iter()
        .filter_map(|v| Some((v.0, families.field(v.0)?)));
    let used: Vec<(Symbol, Process, &Field)> =
        used.filter_map(|(s, f)| Some((s, f.process?, f))).collect();
    let about: BTreeSet<Process> = used.iter().map(|u| u.1).collect();
    let about: Vec<Process> = about.into_iter().collect();
    let mut found = Vec::new();
    if about.is_empty() || about.len() > 2 {
        return found;
    }
    for choice in choices(system, &about) {
        let renamed = used.iter().map(|(symbol, process, field)| {
            let place = about.iter().position(|a| a == process)?;
            let field = Field {
                process: Some((process.0, choice[place])),
                ..(*field).clone()
            };
            Some((terms.var(*symbol), terms.var(*symbols.get(&field)?)))
        });
        let Some(map) = renamed.collect::<Option<Substitution>>() else {
            continue;
        };
        let other = terms.substitute(predicate, &map);
        if other != predicate && !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

/// All choices of different indices for the processes, in order.
fn choices(system: &Model, about: &[Process]) -> Vec<Vec<i64>> {
    let mut choices: Vec<Vec<i64>> = vec![Vec::new()];
    for (family, _) in about {
        let (first, last) = system.families.list[*family].range;
        choices = choices
            .iter()
            .flat_map(|chosen| {
                let rest = (first..=last).filter(|i| !chosen.contains(i));
                rest.map(|i| chosen.iter().copied().chain([i]).collect())
            })
            .collect();
    }
    choices
}
