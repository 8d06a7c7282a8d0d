//! The same predicate about other processes of a family.

use sectile_model::Model;
use sectile_terms::{Substitution, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The variables `P[k].x` by their families, members and indices.
pub struct Families {
    members: BTreeMap<(String, String), BTreeMap<String, Symbol>>,
    places: BTreeMap<Symbol, (String, String, String)>,
}

impl Families {
    /// The families that the names of a system's variables show.
    pub fn new(terms: &Terms, system: &Model) -> Families {
        let mut found = Families {
            members: BTreeMap::new(),
            places: BTreeMap::new(),
        };
        for &symbol in &system.variables {
            let name = terms.name(symbol).to_string();
            let Some((family, rest)) = name.split_once('[') else {
                continue;
            };
            let Some((index, member)) = rest.split_once("].") else {
                continue;
            };
            let (family, index, member) =
                (family.to_string(), index.to_string(), member.to_string());
            let place = (family.clone(), index.clone(), member.clone());
            found.places.insert(symbol, place);
            let all = found.members.entry((family, member)).or_default();
            all.insert(index, symbol);
        }
        found
    }

    /// The predicate with the processes that it is about exchanged for others, itself left out.
    ///
    /// Nothing depends on whether the processes are really alike: these are suggestions.
    pub fn siblings(&self, terms: &Terms, predicate: Term) -> Vec<Term> {
        let used: Vec<Symbol> = terms.free_vars(predicate).iter().map(|v| v.0).collect();
        let mut about: BTreeSet<(String, String)> = BTreeSet::new();
        for symbol in &used {
            if let Some((family, index, _)) = self.places.get(symbol) {
                about.insert((family.clone(), index.clone()));
            }
        }
        let about: Vec<(String, String)> = about.into_iter().collect();
        let mut found = Vec::new();
        if about.is_empty() || about.len() > 2 {
            return found;
        }
        for choice in self.choices(&about) {
            let mut map = Substitution::default();
            let mut fits = true;
            for symbol in &used {
                let Some((family, index, member)) = self.places.get(symbol) else {
                    continue;
                };
                let old = (family.clone(), index.clone());
                let place = about.iter().position(|a| *a == old);
                let to = place.and_then(|p| {
                    let all = self.members.get(&(family.clone(), member.clone()))?;
                    all.get(&choice[p])
                });
                match to {
                    Some(&to) => {
                        map.insert(terms.var(*symbol), terms.var(to));
                    }
                    None => fits = false,
                }
            }
            let other = terms.substitute(predicate, &map);
            if fits && other != predicate && !found.contains(&other) {
                found.push(other);
            }
        }
        found
    }

    /// Different indices for every process, in order.
    fn choices(&self, about: &[(String, String)]) -> Vec<Vec<String>> {
        let mut choices: Vec<Vec<String>> = vec![Vec::new()];
        for (family, _) in about {
            let indices: BTreeSet<&String> = self
                .members
                .iter()
                .filter(|((f, _), _)| f == family)
                .flat_map(|(_, all)| all.keys())
                .collect();
            choices = choices
                .iter()
                .flat_map(|chosen| {
                    let rest = indices.iter().filter(|i| !chosen.contains(i));
                    rest.map(|i| {
                        let mut longer = chosen.clone();
                        longer.push((*i).clone());
                        longer
                    })
                })
                .collect();
        }
        choices
    }
}
