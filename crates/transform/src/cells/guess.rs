//! Candidate facts about cells, modelled on typical invariants of loops over arrays.
//!
//! Loops visit indices one after the other, and an asserted property of an element is true once its
//! index has been visited, but not before. And pointers into one array are usually different. All
//! candidates have to be proved.

use super::{Cell, CellModel};
use sectile_model::{LocationId, Model, PropertyKind};
use sectile_terms::{Node, Sort, Stage, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// Maximum number of candidates: more take too long to check.
const MOST: usize = 300;

impl CellModel {
    /// Formulas about states of the new model that may hold in some of its locations.
    pub fn guesses(&self, terms: &Terms) -> Vec<Term> {
        let counters = counters(terms, &self.applied.model);
        let mut found = Guesses {
            terms,
            list: Vec::new(),
            known: BTreeSet::new(),
        };
        for bad in self.bad_states(terms) {
            let used = terms.free_vars_of(&bad);
            let is_used = |c: &&Cell| used.contains(&(c.symbol, Stage::Now));
            let cells: Vec<&Cell> = self.cells.iter().filter(is_used).collect();
            for &counter in &counters {
                found.visited(&bad, &cells, counter);
            }
            found.add(terms.not(terms.and(bad.iter().copied())));
            bad.iter().for_each(|&b| found.add(terms.not(b)));
        }
        for bad in self.bad_states(terms) {
            self.different_indices(&bad, &mut found);
        }
        found.list
    }

    /// For every step into an error, its conditions that are about the state before it.
    fn bad_states(&self, terms: &Terms) -> Vec<Vec<Term>> {
        let about_states = |t: &Term| {
            let vars = terms.free_vars(*t);
            let now = |v: &(Symbol, Stage)| {
                v.1 == Stage::Now && terms.symbol_kind(v.0) != SymbolKind::Input
            };
            vars.iter().all(now)
        };
        let conditions = |list: &[Term]| -> Vec<Term> {
            let parts = list.iter().flat_map(|&t| terms.conjuncts(t));
            parts.filter(about_states).collect()
        };
        match &self.applied.property.kind {
            PropertyKind::Unreachable(errors) => {
                let is_error = |l: &LocationId| errors.contains(l);
                let into = self.applied.model.edges.iter().filter(|e| is_error(&e.to));
                into.map(|e| conditions(&e.command.guards)).collect()
            }
            PropertyKind::Invariant(p) => vec![conditions(&[terms.not(*p)])],
            PropertyKind::Error(p) | PropertyKind::AtLocation(_, p) => {
                vec![conditions(&[*p])]
            }
            PropertyKind::Ctl(_) => Vec::new(),
        }
    }

    /// Candidates that the index of a relevant cell differs from those of all others.
    fn different_indices(&self, bad: &[Term], found: &mut Guesses<'_>) {
        let terms = found.terms;
        let used = terms.free_vars_of(bad);
        let is_used = |c: &&Cell| used.contains(&(c.symbol, Stage::Now));
        for a in self.cells.iter().filter(is_used) {
            for b in self.cells.iter().filter(|b| b.array == a.array) {
                if let ([i], [j]) = (&a.path[..], &b.path[..]) {
                    let is_variable = |t: Term| matches!(terms.node(t), Node::Var(..));
                    if is_variable(*i) && is_variable(*j) {
                        found.add(terms.neq(*i, *j));
                    }
                }
            }
        }
    }
}

/// Collects candidates.
struct Guesses<'t> {
    terms: &'t Terms,
    list: Vec<Term>,
    known: BTreeSet<Term>,
}

impl Guesses<'_> {
    fn add(&mut self, guess: Term) {
        let trivial = self.terms.as_bool(guess).is_some();
        if !trivial && self.list.len() < MOST && self.known.insert(guess) {
            self.list.push(guess);
        }
    }

    /// Candidates that the bad state is impossible once a counter has passed, or not yet reached,
    /// an index.
    fn visited(&mut self, bad: &[Term], cells: &[&Cell], counter: Symbol) {
        let terms = self.terms;
        let mentions = |t: Term| terms.free_vars(t).contains(&(counter, Stage::Now));
        let others = bad.iter().copied().filter(|&b| !mentions(b));
        let good = terms.not(terms.and(others));
        let counter = terms.var(counter);
        self.add(good);
        let indices = cells.iter().flat_map(|c| c.path.iter().copied());
        let indices: Vec<Term> = indices.collect();
        let constants = terms.free_vars_of(&indices).into_iter().map(|v| v.0);
        let constants = constants.filter(|&s| terms.symbol_kind(s) == SymbolKind::Rigid);
        let constants = constants.map(|s| terms.var(s));
        for index in indices.iter().copied().chain(constants) {
            if terms.sort(index) != Sort::Int || mentions(index) {
                continue;
            }
            self.add(terms.or([terms.le(counter, index), good]));
            self.add(terms.or([terms.ge(counter, index), good]));
            self.add(terms.or([terms.lt(counter, index), good]));
            self.add(terms.or([terms.gt(counter, index), good]));
        }
    }
}

/// Integer variables to which some step adds a number.
fn counters(terms: &Terms, model: &Model) -> Vec<Symbol> {
    let commands = model.commands();
    let is_counted = |v: &Symbol| {
        let mut updates = commands.clone().filter_map(|c| c.update_of(*v));
        updates.any(|value| {
            let change = terms.sub(value, terms.var(*v));
            matches!(terms.node(change), Node::Number(n) if !n.is_zero())
        })
    };
    let integers = model.variables.iter().copied();
    let integers = integers.filter(|&v| terms.symbol_sort(v) == Sort::Int);
    integers.filter(is_counted).collect()
}
