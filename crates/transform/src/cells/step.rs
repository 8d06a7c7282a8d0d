//! Translation of steps to cells.

use super::Cell;
use super::choose::by_array;
use super::eliminate::{Eliminator, Invented};
use super::equations::{Equations, is_array, mentions_arrays, solve};
use sectile_model::{Command, Edge, Premise, Update};
use sectile_terms::{Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// Translates the steps of a model.
pub(super) struct Steps<'s> {
    pub terms: &'s Terms,
    /// The variables of the model that are not arrays.
    pub plain: &'s [Symbol],
    pub cells: &'s [Cell],
    /// Conditions on all states that mention arrays.
    pub restrict: &'s [Term],
}

/// A step without arrays.
pub(super) struct Step {
    pub command: Command,
    pub premises: Vec<Premise>,
    pub invented: Vec<Invented>,
}

/// An intermediate form of a step: its effects on arrays, over the state before it.
struct Draft {
    /// Assumed conditions.
    conditions: Vec<Term>,
    /// Conditions without arrays, which may mention next values.
    relations: Vec<Term>,
    /// The assigned variables, cells last.
    symbols: Vec<Symbol>,
    /// Their values, followed by those of all variables and cells in the states of the premises.
    values: Vec<Term>,
}

impl Steps<'_> {
    /// The step on cells: there are arrays with such cells before and after it.
    ///
    /// If the state after the step is not used, its cells may be anything.
    pub fn step(&self, edge: &Edge, is_last: bool) -> Step {
        let (terms, command) = (self.terms, &edge.command);
        let mut eliminator = Eliminator::new(terms, self.cells);
        let mut draft = self.draft(edge, is_last, &mut eliminator);
        solve(terms, &mut draft.conditions, &mut draft.values);
        self.keep_equations(&mut draft);
        let mut about = draft.values.clone();
        about.extend(self.equations_of(&draft));
        let (mut equations, added) = Equations::new(
            &mut eliminator,
            terms,
            self.cells,
            &draft.conditions,
            &about,
        );
        let mut made = Command::new(command.name.clone(), command.span);
        made.parts.clone_from(&command.parts);
        let conditions = draft.conditions.iter().map(|&c| eliminator.plain(c));
        made.guards = conditions.chain(added).collect();
        let values = draft.values.iter().map(|&v| eliminator.plain(v));
        let mut values: Vec<Term> = values.collect();
        let mut of_premises = values.split_off(draft.symbols.len()).into_iter();
        let premises = edge.premises.iter().map(|premise| Premise {
            location: premise.location,
            values: self.state().zip(&mut of_premises).collect(),
        });
        let premises = premises.collect();
        let updates = draft.symbols.into_iter().zip(values);
        made.updates = updates
            .map(|(symbol, value)| Update { symbol, value })
            .collect();
        made.guards
            .extend(equations.instances(&mut eliminator, terms));
        made.relations = draft.relations;
        self.add_congruence(&mut made);
        made.guards.retain(|&g| terms.as_bool(g) != Some(true));
        let old = command.inputs.iter().copied();
        made.inputs = old.collect();
        made.inputs.append(&mut eliminator.inputs);
        made.inputs.retain(|&i| !is_array(terms, i));
        Step {
            command: made,
            premises,
            invented: eliminator.invented,
        }
    }

    /// Unchanged arrays keep their equalities.
    fn keep_equations(&self, draft: &mut Draft) {
        let cells = self.cells.iter().filter(|c| c.is_equation());
        for cell in cells {
            let place = draft.symbols.iter().position(|&s| s == cell.symbol);
            let value = place.map(|k| &mut draft.values[k]);
            if let Some(value) = value.filter(|v| **v == cell.meaning) {
                *value = self.terms.var(cell.symbol);
            }
        }
    }

    /// The equalities between arrays that are known before a step that reads one of the two.
    fn equations_of(&self, draft: &Draft) -> Vec<Term> {
        let terms = self.terms;
        let is_same = |k: usize, value: Term| {
            let mut cells = self.cells.iter();
            cells.any(|c| Some(&c.symbol) == draft.symbols.get(k) && c.meaning == value)
        };
        let values = draft.values.iter().copied().enumerate();
        let changing = values.filter(|(k, v)| !is_same(*k, *v)).map(|v| v.1);
        let roots: Vec<Term> = { draft.conditions.iter().copied() }
            .chain(changing)
            .collect();
        let used = terms.free_vars_of(&roots);
        let cells = self.cells.iter().filter(|c| c.is_equation());
        let is_used = |c: &&Cell| {
            let both = terms.free_vars(c.meaning);
            both.iter().any(|v| used.contains(v))
        };
        cells.filter(is_used).map(|c| c.meaning).collect()
    }

    /// Substitutes the values of next variables in all terms about arrays.
    fn draft(&self, edge: &Edge, is_last: bool, eliminator: &mut Eliminator<'_>) -> Draft {
        let (terms, command) = (self.terms, &edge.command);
        let cells: &[Cell] = if is_last { &[] } else { self.cells };
        let mut others = self.states_of_premises(edge, eliminator);
        let mut after: Vec<Term> = cells.iter().map(|c| terms.prime(c.meaning)).collect();
        let (mut about_arrays, relations): (Vec<Term>, Vec<Term>) = command
            .relations
            .iter()
            .partition(|&&r| mentions_arrays(terms, &[r]));
        about_arrays.extend(self.restrict.iter().map(|&r| terms.prime(r)));
        let mut updates: Vec<Update> = command.updates.clone();
        updates.retain(|u| !is_array(terms, u.symbol));
        let told: Vec<Term> = after.iter().chain(&others).copied().collect();
        let map = self.next_values(command, &about_arrays, &told, eliminator, &mut updates);
        let moved = |t: &mut Term| *t = terms.substitute(*t, &map);
        about_arrays.iter_mut().for_each(moved);
        after.iter_mut().for_each(moved);
        others.iter_mut().for_each(moved);
        let now = command.guards.iter().chain(self.restrict).copied();
        let (plain, set): (Vec<Symbol>, Vec<Term>) =
            updates.iter().map(|u| (u.symbol, u.value)).unzip();
        Draft {
            conditions: now.chain(about_arrays).collect(),
            relations,
            symbols: { plain.into_iter() }
                .chain(cells.iter().map(|c| c.symbol))
                .collect(),
            values: set.into_iter().chain(after).chain(others).collect(),
        }
    }

    /// The variables of a state in the new model.
    fn state(&self) -> impl Iterator<Item = Symbol> {
        let cells = self.cells.iter().map(|c| c.symbol);
        self.plain.iter().copied().chain(cells)
    }

    /// The values of all variables and cells in the states that an edge rests on besides the first.
    fn states_of_premises(&self, edge: &Edge, eliminator: &mut Eliminator<'_>) -> Vec<Term> {
        let terms = self.terms;
        let mut all = Vec::new();
        for premise in &edge.premises {
            let given = premise.values.iter().map(|&(s, t)| (terms.var(s), t));
            let mut values: Substitution = given.collect();
            let meanings = self.cells.iter().map(|c| c.meaning);
            let plain = self.plain.iter().map(|&s| terms.var(s));
            let told: Vec<Term> = plain.chain(meanings).collect();
            // Unconstrained variables may have any value.
            for (symbol, _) in terms.free_vars_of(&told) {
                let variable = terms.var(symbol);
                let some = || eliminator.input("some", terms.symbol_sort(symbol));
                values.entry(variable).or_insert_with(some);
            }
            all.extend(told.iter().map(|&t| terms.substitute(t, &values)));
        }
        all
    }

    /// The next values that occur in indices and in conditions on arrays.
    ///
    /// A free one becomes a new input, so that everything is about the state before.
    fn next_values(
        &self,
        command: &Command,
        conditions: &[Term],
        after: &[Term],
        eliminator: &mut Eliminator<'_>,
        updates: &mut Vec<Update>,
    ) -> Substitution {
        let terms = self.terms;
        let mut map = Substitution::default();
        for update in &command.updates {
            map.insert(terms.next(update.symbol), update.value);
        }
        let roots: Vec<Term> = conditions.iter().chain(after).copied().collect();
        for (symbol, stage) in terms.free_vars_of(&roots) {
            let next = terms.next(symbol);
            if stage != Stage::Next || map.contains_key(&next) || is_array(terms, symbol) {
                continue;
            }
            let value = eliminator.input(terms.name(symbol), terms.symbol_sort(symbol));
            map.insert(next, value);
            if self.plain.contains(&symbol) {
                updates.push(Update { symbol, value });
            }
        }
        map
    }

    /// Adds that cells with equal indices are equal, which holds in all states of arrays, to steps
    /// that read both.
    fn add_congruence(&self, command: &mut Command) {
        let terms = self.terms;
        let mut used: Vec<Term> = command.guards.clone();
        let changing = command.updates.iter();
        let changing = changing.filter(|u| u.value != terms.var(u.symbol));
        used.extend(changing.map(|u| u.value));
        let used = terms.free_vars_of(&used);
        let is_used = |k: &usize| used.contains(&(self.cells[*k].symbol, Stage::Now));
        for list in by_array(self.cells).into_values() {
            let list: Vec<usize> = list.into_iter().filter(is_used).collect();
            let pairs = congruence(terms, self.cells, &list);
            command.guards.extend(pairs);
        }
    }
}

/// For two cells of one array: equal indices imply equal values.
pub(super) fn congruence(terms: &Terms, cells: &[Cell], list: &[usize]) -> Vec<Term> {
    let mut conditions = Vec::new();
    for (n, &i) in list.iter().enumerate() {
        for &j in &list[..n] {
            let (a, b) = (&cells[i], &cells[j]);
            let pairs = a.path.iter().zip(&b.path);
            let same = terms.and(pairs.map(|(&x, &y)| terms.eq(x, y)));
            let equal = terms.eq(terms.var(a.symbol), terms.var(b.symbol));
            let condition = terms.implies(same, equal);
            if terms.as_bool(condition) != Some(true) {
                conditions.push(condition);
            }
        }
    }
    conditions
}

/// A condition on states expressed by cells; `None` if that is not possible exactly.
pub(super) fn state_condition(terms: &Terms, cells: &[Cell], condition: Term) -> Option<Term> {
    let mut eliminator = Eliminator::new(terms, cells);
    Equations::new(&mut eliminator, terms, cells, &[], &[condition]);
    let plain = eliminator.plain(condition);
    is_about_states(terms, plain).then_some(plain)
}

/// Consequences of a condition on states for cells: instances, if it is an equation of arrays.
pub(super) fn implied_conditions(terms: &Terms, cells: &[Cell], condition: Term) -> Vec<Term> {
    let mut eliminator = Eliminator::new(terms, cells);
    let known = cells.iter().filter(|c| c.is_equation());
    let known: Vec<Term> = known.map(|c| c.meaning).collect();
    let (mut equations, _) = Equations::new(&mut eliminator, terms, cells, &[condition], &known);
    let mut list = vec![eliminator.plain(condition)];
    list.extend(equations.instances(&mut eliminator, terms));
    let invented: BTreeSet<Symbol> = eliminator.inputs.into_iter().collect();
    list.retain(|&t| {
        let vars = terms.free_vars(t);
        let is_known = |v: &(Symbol, Stage)| !invented.contains(&v.0);
        vars.iter().all(is_known) && terms.as_bool(t) != Some(true)
    });
    list
}

/// Whether a term mentions no inputs.
pub(super) fn is_about_states(terms: &Terms, t: Term) -> bool {
    let vars = terms.free_vars(t);
    let mut kinds = vars.iter().map(|v| terms.symbol_kind(v.0));
    kinds.all(|kind| kind != SymbolKind::Input)
}
