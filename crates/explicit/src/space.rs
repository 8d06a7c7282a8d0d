//! The states that a search found, for those who want to look at them.

use crate::codec::Codec;
use crate::compiled::Compiled;
use crate::layout::Layout;
use crate::table::{StateId, StateTable};
use crate::word::{Numbers, Word};
use rustc_hash::FxHashMap;
use sectile_model::{Certificate, LocationId, State};
use sectile_terms::{Sort, Term, Terms, Value};

/// Packed states with what is needed to read them.
pub(crate) struct Space {
    table: StateTable,
    codec: Codec,
    layout: Layout,
    numbers: Numbers,
    /// Number of locations.
    locations: usize,
}

impl Space {
    /// Takes the states over from a search.
    pub(crate) fn new(
        table: StateTable,
        compiled: Compiled,
        numbers: Numbers,
        locations: usize,
    ) -> Space {
        Space {
            table,
            codec: compiled.codec,
            layout: compiled.layout,
            numbers,
            locations,
        }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// A state by number.
    pub(crate) fn state(&self, id: StateId) -> State {
        let location = LocationId(self.location(id));
        let values = (0..self.layout.variables.len()).map(|i| self.value(id, i));
        State {
            location,
            values: values.collect(),
        }
    }

    /// The symbolic constants in a state.
    pub(crate) fn rigid(&self, id: StateId) -> Vec<Value> {
        let constants = self.layout.variables.len()..self.layout.width();
        constants.map(|i| self.value(id, i)).collect()
    }

    fn location(&self, id: StateId) -> usize {
        let word = self.codec.component(self.table.row(id), 0, &self.numbers);
        usize::try_from(word).expect("locations are packed as positions")
    }

    fn word(&self, id: StateId, component: usize) -> Word {
        let row = self.table.row(id);
        self.codec.component(row, component + 1, &self.numbers)
    }

    fn value(&self, id: StateId, component: usize) -> Value {
        let word = self.word(id, component);
        self.numbers.value(word, self.layout.sorts[component])
    }

    /// The set of all states: a formula for every location.
    pub(crate) fn formula(&self, terms: &Terms) -> Certificate {
        let all = crate::bits::ids(self.len());
        let mut members: Vec<Vec<StateId>> = vec![Vec::new(); self.locations];
        for id in all {
            members[self.location(id)].push(id);
        }
        let formulas = members.iter().map(|list| self.union(terms, list));
        Certificate::invariants(formulas.collect())
    }

    /// The disjunction of states, those with equal control parts together.
    fn union(&self, terms: &Terms, list: &[StateId]) -> Term {
        let (control, data): (Vec<usize>, Vec<usize>) =
            (0..self.layout.width()).partition(|&i| !self.layout.sorts[i].is_numeric());
        let mut groups: Vec<Vec<StateId>> = Vec::new();
        let mut group_of: FxHashMap<Vec<Word>, usize> = FxHashMap::default();
        for &id in list {
            let key: Vec<Word> = control.iter().map(|&i| self.word(id, i)).collect();
            let group = *group_of.entry(key).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(id);
        }
        terms.or(groups.iter().map(|group| {
            let common = self.cube(terms, group[0], &control);
            let parts = group.iter().map(|&id| self.cube(terms, id, &data));
            terms.and2(common, terms.or(parts))
        }))
    }

    /// The values of some components as a conjunction of equations.
    fn cube(&self, terms: &Terms, id: StateId, components: &[usize]) -> Term {
        terms.and(components.iter().map(|&i| {
            let symbols = self.layout.variables.iter().chain(&self.layout.rigid);
            let symbol = symbols.copied().nth(i).expect("components are symbols");
            let var = terms.var(symbol);
            match self.layout.sorts[i] {
                Sort::Bool if self.word(id, i) == 0 => terms.not(var),
                Sort::Bool => var,
                _ => terms.eq(var, self.value(id, i).to_term(terms)),
            }
        }))
    }
}
