//! Read access to the states that a search found.

use crate::bits::ids;
use crate::compiled::{Compiled, location_of};
use crate::machine::Machine;
use crate::table::{StateId, StateTable};
use crate::word::Word;
use rustc_hash::FxHashMap;
use sectile_model::{Certificate, State};
use sectile_terms::{Sort, Symbol, Term, Terms, Value};

/// Packed states with everything needed to read them.
pub(crate) struct Space {
    /// The states.
    pub table: StateTable,
    /// How they are packed.
    pub compiled: Compiled,
    /// Evaluates formulas in the states, and contains the numbers that do not fit into words.
    pub machine: Machine,
    /// Number of locations.
    pub locations: usize,
}

impl Space {
    /// A state by number.
    pub(crate) fn state(&self, id: StateId) -> State {
        self.compiled
            .state(&self.machine.numbers, self.table.row(id))
    }

    /// The symbolic constants in a state.
    pub(crate) fn rigid(&self, id: StateId) -> Vec<Value> {
        self.compiled
            .rigid(&self.machine.numbers, self.table.row(id))
    }

    /// A component of a state; the first one is the location.
    pub(crate) fn word(&self, id: StateId, component: usize) -> Word {
        let codec = &self.compiled.codec;
        codec.component(self.table.row(id), component, &self.machine.numbers)
    }

    /// The set of all states: a formula for every location.
    pub(crate) fn formula(&self, terms: &Terms) -> Certificate {
        let mut members: Vec<Vec<StateId>> = vec![Vec::new(); self.locations];
        for id in ids(self.table.len()) {
            members[location_of(self.word(id, 0))].push(id);
        }
        let formulas = members.iter().map(|list| self.union(terms, list));
        Certificate::invariants(formulas.collect())
    }

    /// The disjunction of states, with states of equal control parts grouped.
    fn union(&self, terms: &Terms, list: &[StateId]) -> Term {
        let layout = &self.compiled.layout;
        let (control, data): (Vec<usize>, Vec<usize>) =
            (0..layout.width()).partition(|&i| !layout.sorts[i].is_numeric());
        let mut groups: Vec<Vec<StateId>> = Vec::new();
        let mut group_of: FxHashMap<Vec<Word>, usize> = FxHashMap::default();
        for &id in list {
            let key: Vec<Word> = control.iter().map(|&i| self.word(id, i + 1)).collect();
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
        let layout = &self.compiled.layout;
        terms.and(components.iter().map(|&i| {
            let symbols = layout.variables.iter().chain(&layout.rigid);
            let symbol = symbols.copied().nth(i).expect("components are symbols");
            self.equation(terms, i, symbol, self.word(id, i + 1))
        }))
    }

    /// The equation between a component, given with its symbol, and a value.
    pub(crate) fn equation(
        &self,
        terms: &Terms,
        component: usize,
        symbol: Symbol,
        word: Word,
    ) -> Term {
        let var = terms.var(symbol);
        match self.compiled.layout.sorts[component] {
            Sort::Bool if word == 0 => terms.not(var),
            Sort::Bool => var,
            sort => terms.eq(var, self.machine.numbers.value(word, sort).to_term(terms)),
        }
    }
}
