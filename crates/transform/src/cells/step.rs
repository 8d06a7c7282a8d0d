//! Steps without arrays.

use super::Cell;
use super::choose::by_array;
use super::eliminate::{Eliminator, Invented};
use super::equations::{Equations, is_array, mentions_arrays, solve};
use sectile_model::{Command, Update};
use sectile_terms::{Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// Makes the steps of a model.
pub(super) struct Steps<'s> {
    pub terms: &'s Terms,
    /// The variables of the model that are no arrays.
    pub plain: &'s [Symbol],
    pub cells: &'s [Cell],
    /// Conditions on all states that mention arrays.
    pub restrict: &'s [Term],
}

/// A step without arrays.
pub(super) struct Step {
    pub command: Command,
    pub invented: Vec<Invented>,
}

impl Steps<'_> {
    /// The step on cells: there are arrays with such cells before and after it.
    ///
    /// Where nothing is done with the state after the step, its cells may be anything.
    pub fn step(&self, command: &Command, is_last: bool) -> Step {
        let terms = self.terms;
        let mut eliminator = Eliminator::new(terms, self.cells);
        let cells: &[Cell] = if is_last { &[] } else { self.cells };
        let mut after: Vec<Term> = cells.iter().map(|c| terms.prime(c.meaning)).collect();
        let restrict = self.restrict.iter();
        let mut conditions = command.guards.clone();
        conditions.extend(restrict.clone());
        let (mut about_arrays, relations): (Vec<Term>, Vec<Term>) = command
            .relations
            .iter()
            .partition(|&&r| mentions_arrays(terms, &[r]));
        about_arrays.extend(restrict.map(|&r| terms.prime(r)));
        let mut updates: Vec<Update> = command.updates.clone();
        updates.retain(|u| !is_array(terms, u.symbol));
        let map = self.next_values(
            command,
            &about_arrays,
            &after,
            &mut eliminator,
            &mut updates,
        );
        let moved = |t: &mut Term| *t = terms.substitute(*t, &map);
        about_arrays.iter_mut().for_each(moved);
        after.iter_mut().for_each(moved);
        conditions.append(&mut about_arrays);
        let plain = updates.len();
        let mut values: Vec<Term> = updates.iter().map(|u| u.value).chain(after).collect();
        solve(terms, &mut conditions, &mut values);
        let (mut equations, added) = Equations::new(&mut eliminator, terms, &conditions, &values);
        conditions.extend(added);
        let mut made = Command::new(command.name.clone(), command.span);
        made.guards = conditions.iter().map(|&c| eliminator.plain(c)).collect();
        let values: Vec<Term> = values.iter().map(|&v| eliminator.plain(v)).collect();
        made.guards
            .extend(equations.instances(&mut eliminator, terms));
        let symbols = updates[..plain].iter().map(|u| u.symbol);
        let symbols = symbols.chain(cells.iter().map(|c| c.symbol)).zip(values);
        made.updates = symbols
            .map(|(symbol, value)| Update { symbol, value })
            .collect();
        made.relations = relations;
        self.add_congruence(&mut made);
        made.guards.retain(|&g| terms.as_bool(g) != Some(true));
        let old = command.inputs.iter().copied();
        made.inputs = old.filter(|&i| !is_array(terms, i)).collect();
        made.inputs.append(&mut eliminator.inputs);
        Step {
            command: made,
            invented: eliminator.invented,
        }
    }

    /// What the next values are that indices and conditions on arrays mention.
    ///
    /// A free one becomes a new input, so that everything is said about the state before.
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

    /// Cells with equal indices are equal: that is so in all states of arrays, and told to those
    /// steps that look at both.
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

/// For two cells of one array: equal indices have equal values.
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

/// A condition on states without arrays: what it says of cells. `None` where it says more.
pub(super) fn state_condition(terms: &Terms, cells: &[Cell], condition: Term) -> Option<Term> {
    let mut eliminator = Eliminator::new(terms, cells);
    let (_, _) = Equations::new(&mut eliminator, terms, &[], &[condition]);
    let plain = eliminator.plain(condition);
    eliminator.inputs.is_empty().then_some(plain)
}

/// What a condition on states implies about cells: instances, if it is an equation of arrays.
pub(super) fn implied_conditions(terms: &Terms, cells: &[Cell], condition: Term) -> Vec<Term> {
    let mut eliminator = Eliminator::new(terms, cells);
    let (mut equations, _) = Equations::new(&mut eliminator, terms, &[condition], &[]);
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
